/* svm_search.h - C and gamma of an SVM for a training set. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_SEARCH_H
#define NITRO_LEARN_SVM_SVM_SEARCH_H

#include "nitro/nitro_backend.h"

typedef struct nitro_svm_choice {
    double c, gamma;
    double quality; /* mean quality of held-out rows in [0, 1]; NaN: too few inputs to hold out */
} nitro_svm_choice;

/**
 * Choose C and gamma by the mean quality of the variants chosen for held-out rows, with all rows of
 * an input in one fold: a coarse grid first, then a finer one around its best point; among equal
 * qualities the smaller C, then the smaller gamma. With a single input: C 8 and gamma 1 / columns.
 * Large sets are searched on a seeded sample of 1,200 rows (of 400 if set->quick): more rows hardly
 * change the choice, and the cost is quadratic.
 *
 * Takes 50 rows^2 bytes, and 200 rows x variants.
 *
 * @param[in]  labels  shape [num_rows]: fastest variants.
 * @param[out] scores  shape [num_rows x num_variants], may be NULL: scores of the rows by SVMs with
 *                     the chosen C and gamma trained without the row's input; NaN for rows outside
 *                     the sample.
 */
nitro_status nitro_svm_search(nitro_context *context, const nitro_training_set *set,
                              const size_t *labels, nitro_svm_choice *choice, double *scores);

#endif
