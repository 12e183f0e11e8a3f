/* svm_search.h - C and gamma of an SVM by cross-validation. Internal to nitro/. */
#ifndef NITRO_SVM_SEARCH_H
#define NITRO_SVM_SEARCH_H

#include "nitro/nitro_backend.h"

/** What the search chose. */
typedef struct nitro_svm_choice {
    double c, gamma;
    double quality; /* mean quality of held-out rows in [0, 1]; NaN: too few inputs to hold out */
} nitro_svm_choice;

/**
 * Choose C and gamma by five-fold cross-validation, all rows of an input in one fold, by the mean
 * quality of what is chosen for held-out rows. A coarse grid first, then a finer one around its
 * best point; equal qualities: the smaller C, then the smaller gamma. Large sets are searched on a
 * seeded sample of their inputs. One input: C 8 and gamma 1 / num_columns, unsearched.
 *
 * @param[in]  labels  shape [num_rows]: fastest variants.
 * @param[out] scores  shape [num_rows x num_variants], may be NULL: scores of the rows by machines
 *                     with the chosen C and gamma that did not see the row's input; NaN for rows
 *                     that were not in the sample.
 */
nitro_status nitro_svm_search(nitro_context *context, const nitro_training_set *set,
                              const size_t *labels, nitro_svm_choice *choice, double *scores);

#endif
