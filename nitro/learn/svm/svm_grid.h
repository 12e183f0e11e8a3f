/* svm_grid.h - C and gamma of an SVM over a grid, by cross-validation. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_GRID_H
#define NITRO_LEARN_SVM_SVM_GRID_H

#include "nitro/learn/svm/svm_kernel.h"

/** What the search chose. */
typedef struct nitro_svm_choice {
    double c, gamma;
    double quality; /* mean quality of held-out rows in [0, 1]; NaN: too few inputs to hold out */
} nitro_svm_choice;

/** Rows that teach. All borrowed. */
typedef struct nitro_svm_work {
    nitro_svm_inputs *inputs; /* their kernels are let go of soon */
    nitro_svm_rows rows;      /* all of one place */
    size_t num_columns;       /* that vary: gamma is per column */
    size_t num_variants;
    const size_t *labels;   /* shape [rows]: fastest variants */
    const double *times_ms; /* shape [rows x num_variants] */
    const size_t *folds;    /* shape [rows] */
    size_t num_folds;       /* 1: nothing can be held out, nothing is searched */
    unsigned num_threads;   /* 0: one a core */
} nitro_svm_work;

/**
 * Choose C and gamma by the mean quality of what is chosen for held-out rows: a coarse grid first,
 * then a finer one around its best point; equal qualities: the smaller C, then the smaller gamma.
 * With one fold: C 8 and gamma 1 / num_columns.
 *
 * Takes 8 rows^2 bytes, and 40 rows x pairs of variants.
 *
 * @param[out] scores         shape [rows x num_variants], may be NULL: scores of held-out rows with
 *                            the choice; untouched with one fold.
 */
nitro_status nitro_svm_grid_search(nitro_context *context, const nitro_svm_work *work,
                                   nitro_svm_choice *choice, double *scores);

#endif
