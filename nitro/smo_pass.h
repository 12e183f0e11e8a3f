/* smo_pass.h - what the SVM solver does to all rows at every step. Internal to nitro/. */
#ifndef NITRO_SMO_PASS_H
#define NITRO_SMO_PASS_H

#include <stddef.h>

/** Arrays are padded to a multiple of this; gates of the padding are -infinity. */
#define NITRO_SMO_LANES 8

#define NITRO_SMO_SMALLEST_CURVATURE 1e-12 /* LIBSVM's TAU */

/** Rows as the passes see them; arrays of shape [padded]. */
typedef struct nitro_smo_rows {
    size_t padded;
    double *violation; /* -y_k times the gradient */
    double *up_gate;   /* 0 where y_k alpha_k may grow, else -infinity */
    double *down_gate; /* 0 where it may shrink, else -infinity */
    double *climb;     /* violation + up_gate */
    double *decrease;  /* what the row promises as a pair's second */
} nitro_smo_rows;

/** The same functions for this machine's registers: no sum, rounding or tie differs. */
typedef struct nitro_smo_passes {
    /** Subtract (a K_i + b K_j) from the violations, fill `climb`; return the largest of it. */
    double (*update)(const nitro_smo_rows *rows, const float *column_i, double a,
                     const float *column_j, double b);
    /**
     * Fill `decrease`: d^2 / (2 - 2 K_i) with d = largest - violation; 0 where d is negative or the
     * row may not shrink. Return the largest.
     * @param[out] difference  the largest d.
     */
    double (*promise)(const nitro_smo_rows *rows, const float *column_i, double largest,
                      double *difference);
    /** The last of `count` values, a multiple of the lanes, that is `wanted`; SIZE_MAX: none. */
    size_t (*find_last)(const double *values, size_t count, double wanted);
} nitro_smo_passes;

const nitro_smo_passes *nitro_smo_choose_passes(void);

#endif
