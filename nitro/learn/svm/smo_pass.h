/* smo_pass.h - what the SVM solver does to all rows at every step. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SMO_PASS_H
#define NITRO_LEARN_SVM_SMO_PASS_H

#include <stddef.h>
#include <stdint.h>

/** Rows go through the passes in blocks of so many. */
#define NITRO_SMO_BLOCK 16

#define NITRO_SMO_SMALLEST_CURVATURE 1e-12 /* LIBSVM's TAU */

/**
 * Rows as the passes see them; arrays of shape [padded]. Those before `down_begin` can only grow,
 * those from `up_end` on can only shrink; both are multiples of the block, down_begin <= up_end.
 */
typedef struct nitro_smo_rows {
    size_t padded; /* a multiple of the block; padding has violation +infinity, and may nothing */
    size_t down_begin, up_end;
    double *violation; /* -y_k times the gradient */
    double *up_cap;    /* +infinity where y_k alpha_k may grow, else -infinity */
    float *down_cap;   /* +infinity where it may shrink, else -infinity */
    uint32_t *order;   /* which row of the problem this is: of equals, the last one is taken */
    /* For the passes themselves. */
    double *extremes; /* shape [padded / 4] */
    float *decrease;  /* shape [padded] */
} nitro_smo_rows;

/** The same functions for this machine's registers: no sum, rounding or tie differs. */
typedef struct nitro_smo_passes {
    /** Subtract (a K_i + b K_j) from the violations; return the largest of a row that may grow. */
    double (*update)(const nitro_smo_rows *rows, const float *column_i, double a,
                     const float *column_j, double b);
    /** The row that may grow whose violation is `largest`, as `update` returned it. */
    size_t (*find_first)(const nitro_smo_rows *rows, double largest);
    /** The row that may shrink of the largest d^2 / (2 - 2 K_i) with d = largest - violation > 0;
     *  SIZE_MAX: there is none. */
    size_t (*find_second)(const nitro_smo_rows *rows, const float *column_i, double largest);
} nitro_smo_passes;

extern const nitro_smo_passes nitro_smo_plain_passes; /* any machine's */

const nitro_smo_passes *nitro_smo_choose_passes(void);

#endif
