/* smo_pass.h - what the SMO solver does with all rows at every step. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SMO_PASS_H
#define NITRO_LEARN_SVM_SMO_PASS_H

#include <stddef.h>
#include <stdint.h>

/** Rows are padded to a multiple of this, and passed over in blocks of this size. */
#define NITRO_SMO_BLOCK 16

#define NITRO_SMO_SMALLEST_CURVATURE 1e-12 /* LIBSVM's TAU */

/** Rows as the passes see them; arrays of shape [padded], aligned to 64 bytes. */
typedef struct nitro_smo_rows {
    size_t padded;
    double *violation; /* -y_k times the gradient; padding: +infinity */
    double *up_cap;    /* +infinity where y_k alpha_k may grow, else -infinity */
    float *down_cap;   /* +infinity where y_k alpha_k may shrink, else -infinity */
    double *extremes;  /* shape [padded / 4]: scratch of the passes */
    float *decrease;   /* scratch of the passes */
} nitro_smo_rows;

/** The same functions for each instruction set: sums, roundings and ties are equal. Of equal rows
 *  the last one is taken, as LIBSVM does. */
typedef struct nitro_smo_passes {
    /** Subtract (a K_i + b K_j) from the violations; return the largest of a row that may grow. */
    double (*update)(const nitro_smo_rows *rows, const float *column_i, double a,
                     const float *column_j, double b);
    /** The row that may grow with the violation `largest`, as returned by `update`. */
    size_t (*find_first)(const nitro_smo_rows *rows, double largest);
    /** The row that may shrink of the largest d^2 / (2 - 2 K_i) with d = largest - violation > 0;
     *  SIZE_MAX if there is none. */
    size_t (*find_second)(const nitro_smo_rows *rows, const float *column_i, double largest);
} nitro_smo_passes;

extern const nitro_smo_passes nitro_smo_plain_passes; /* for any processor */

const nitro_smo_passes *nitro_smo_choose_passes(void);

#endif
