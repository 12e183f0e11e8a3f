/*
 * compiled_kernels.h - sums of RBF kernels over vectors laid out for SIMD, and their evaluation by
 * what the processor has. Internal to compiled models.
 *
 * Base 2: columns are scaled by sqrt(gamma * log2 e), so that a kernel is 2^-y, y the squared
 * distance. Groups of outputs may take a whole power of it (a gamma that is a multiple). Sums come
 * with one more a group, from which an error bound follows: of the largest coefficients times the
 * kernels.
 */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_KERNELS_H
#define NITRO_RUNTIME_COMPILED_COMPILED_KERNELS_H

#include "nitro/runtime/scores/score_terms.h"

/** Kernels are computed for so many vectors, then summed; the last ones may have no coefficients.
 */
#define NITRO_COMPILED_STEP 64
/** Most outputs of all kernel parts: beyond, sums over vectors cost more than kernels do. */
#define NITRO_COMPILED_MAX_OUTPUTS 256
#define NITRO_COMPILED_MAX_SUMS    (NITRO_COMPILED_MAX_OUTPUTS + NITRO_PARTS_MAX)
/** Bytes that arrays of vectors and coefficients are aligned to. */
#define NITRO_COMPILED_ALIGNMENT 64
/** Largest relative error of the exponential, in units of the precision's 2^-24 or 2^-53. */
#define NITRO_COMPILED_EXP_ULPS 4.0

typedef struct nitro_kernel_group {
    unsigned power;
    size_t num_outputs; /* sums, and one more of coefficients' largest magnitudes */
} nitro_kernel_group;

/**
 * One precision's data, in the order in which it is read. A support vector has coefficients in few
 * of one-vs-one machines' outputs: rows of a step that are all 0 are left out.
 */
typedef struct nitro_kernel_rows {
    size_t num_columns, num_steps, num_sums;
    size_t num_groups;                /* at most NITRO_PARTS_MAX */
    const nitro_kernel_group *groups; /* shape [num_groups], by rising power */
    const uint16_t *lists; /* for every step, for every group: how many rows, and which sums they go
                              to */
    const void *values;    /* for every step: num_columns rows of the vectors' values, then those
                              that are listed of coefficients; shape [STEP] each */
} nitro_kernel_rows;

/** How a processor evaluates them. */
typedef struct nitro_kernel_engine {
    const char *name;
    bool (*is_here)(void);
    /** Additions that follow each other in a step, and over lanes: for bounds. */
    size_t chain_single, chain_double;
    /**
     * @param[in]  point  shape [num_columns], scaled.
     * @param[out] sums   shape [outputs + groups]: a group's outputs, then its bound's sum.
     */
    void (*sum_single)(const nitro_kernel_rows *rows, const float *point, double *sums);
    void (*sum_double)(const nitro_kernel_rows *rows, const double *point, double *sums);
    /** 2^-y of NITRO_COMPILED_STEP values, y >= 0; for tests. */
    void (*exp2_single)(const float *y, float *powers);
    void (*exp2_double)(const double *y, double *powers);
} nitro_kernel_engine;

/** All that were built, the best first; ended by NULL. The last one runs everywhere. */
const nitro_kernel_engine *const *nitro_kernel_engines(void);
/** The best that runs here. */
const nitro_kernel_engine *nitro_kernel_engine_find(void);

#endif
