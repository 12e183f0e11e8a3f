/* svm_search.h - C and gamma of an SVM for a training set. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_SEARCH_H
#define NITRO_LEARN_SVM_SVM_SEARCH_H

#include "nitro/learn/svm/svm_grid.h"

/** Large sets are searched on a seeded sample of whole inputs of so many rows, in so many folds:
 *  more change C and gamma little, and cost their square. */
#define NITRO_SVM_SEARCH_MAX_ROWS  1200
#define NITRO_SVM_SEARCH_MAX_FOLDS 5

/** How many columns are not the same in all rows: the others add nothing to a distance. */
size_t nitro_svm_count_varying(const double *columns, size_t num_rows, size_t num_columns);

/**
 * Choose C and gamma as nitro_svm_grid_search does, with all rows of an input in one fold.
 *
 * @param[in]  labels  shape [num_rows]: fastest variants.
 * @param[out] scores  shape [num_rows x num_variants], may be NULL: scores of the rows by machines
 *                     with the chosen C and gamma that did not see the row's input; NaN for rows
 *                     that were not in the sample.
 */
nitro_status nitro_svm_search(nitro_context *context, const nitro_training_set *set,
                              const size_t *labels, nitro_svm_choice *choice, double *scores);

#endif
