/* svm_sweep.h - one-vs-one SVMs for several C with one gamma, and their scores of other rows.
 * Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_SWEEP_H
#define NITRO_LEARN_SVM_SVM_SWEEP_H

#include "nitro/learn/svm/svm_kernel.h"

/** Training rows. All borrowed. */
typedef struct nitro_svm_training_points {
    nitro_svm_inputs
        *inputs; /* keeps the kernels of the points, for other sweeps with this gamma */
    nitro_svm_rows rows;
    nitro_svm_distances distances; /* of the rows' places from one another */
    size_t num_variants;
    const size_t *labels; /* shape [rows]: fastest variants */
} nitro_svm_training_points;

/** 2^power over the number of columns that vary, so that it means the same for any number. */
double nitro_svm_gamma(double power, size_t num_columns);

/**
 * Train for each C, and score query rows. Scores are those of LIBSVM without shrinking on these
 * kernel values, bit for bit. One thread; takes 8 rows x queries bytes, 8 cs x queries x pairs of
 * variants, and a solver's columns (smo.h).
 *
 * @param[in]  distances  of the training rows' places from those of the queries.
 * @param[in]  cs         shape [num_cs].
 * @param[out] scores     shape [num_cs x queries->num_rows x num_variants].
 */
nitro_status nitro_svm_sweep(nitro_context *context, const nitro_svm_training_points *training,
                             const nitro_svm_rows *queries, const nitro_svm_distances *distances,
                             double gamma, const double *cs, size_t num_cs, double *scores);

#endif
