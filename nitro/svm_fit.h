/* svm_fit.h - an SVM with a C and gamma that are chosen, and what it says of other rows. Internal
 * to nitro/. */
#ifndef NITRO_SVM_FIT_H
#define NITRO_SVM_FIT_H

#include "nitro/svm_grid.h"

/** What an SVM learnt from all rows of some work. */
typedef struct nitro_svm_fit nitro_svm_fit;

/** @param[in] work  borrowed until nitro_svm_fit_free. Takes 8 rows^2 bytes meanwhile. */
nitro_status nitro_svm_fit_train(nitro_context *context, const nitro_svm_work *work,
                                 const nitro_svm_choice *choice, nitro_svm_fit **fit);
void nitro_svm_fit_free(nitro_svm_fit *fit);

/**
 * Score other rows.
 * @param[in]  distances  of the work's places from those of the asked.
 * @param[out] scores     shape [asked->num_rows x num_variants].
 */
nitro_status nitro_svm_fit_score(nitro_context *context, const nitro_svm_fit *fit,
                                 const nitro_svm_rows *asked, const nitro_svm_distances *distances,
                                 double *scores);

#endif
