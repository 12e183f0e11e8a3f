/* svm_sweep.h - an SVM at every C and gamma of a grid, and what each of them says of other rows.
 * Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_SWEEP_H
#define NITRO_LEARN_SVM_SVM_SWEEP_H

#include "nitro/learn/svm/svm_kernel.h"

/**
 * C: 2^-1, 2^0.5, ..., 2^5; gamma, per column that varies: 2^-4, 2^-2, ..., 2^4. With C up to 2^11
 * a search takes three times as long; of 860 made-up fleets (tests/unit/dfs/test_cvdfs_truth.c) it
 * is then right in 97 of 100 instead of 95, and on recorded devices models are 0.1 points better.
 */
#define NITRO_SVM_SWEEP_CS     5
#define NITRO_SVM_SWEEP_GAMMAS 5
#define NITRO_SVM_SWEEP_POINTS (NITRO_SVM_SWEEP_CS * NITRO_SVM_SWEEP_GAMMAS)

/** Rows that teach. All borrowed. */
typedef struct nitro_svm_training_points {
    nitro_svm_inputs *inputs; /* their kernels are kept: who shares them takes them from there */
    nitro_svm_rows rows;
    nitro_svm_distances distances; /* of the rows' places from one another */
    size_t num_columns;            /* that vary: gamma is per column */
    size_t num_variants;
    const size_t *labels; /* shape [rows]: fastest variants */
} nitro_svm_training_points;

/**
 * Train at every point of the grid, and score rows that did not teach. Scores are those of LIBSVM
 * without shrinking on the kernel matrix, bit for bit. One thread; takes 8 rows x asked bytes,
 * 40 asked x pairs of variants, and what a solver keeps (smo.h).
 *
 * @param[in]  distances  of the teachers' places from those of the asked.
 * @param[out] scores     shape [NITRO_SVM_SWEEP_POINTS x asked->num_rows x num_variants], gamma by
 *                        gamma.
 */
nitro_status nitro_svm_sweep(nitro_context *context, const nitro_svm_training_points *training_rows,
                             const nitro_svm_rows *asked, const nitro_svm_distances *distances,
                             double *scores);

#endif
