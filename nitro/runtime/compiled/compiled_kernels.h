/*
 * compiled_kernels.h - sums of RBF kernels over vectors laid out for SIMD. Internal to compiled
 * models.
 *
 * Columns are scaled by sqrt(gamma * log2 e), so that a kernel is 2^-y with y the squared distance.
 * A group of outputs may use an integer power of the kernel (a multiple of gamma). Each group has
 * one sum more than outputs: of the largest coefficients times the kernels, for the error bound.
 */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_KERNELS_H
#define NITRO_RUNTIME_COMPILED_COMPILED_KERNELS_H

#include "nitro/runtime/scores/score_terms.h"

/** Kernels are computed for this many vectors at a time; the last step is padded. */
#define NITRO_COMPILED_STEP 64
/** Most outputs of all kernel terms: with more, the sums cost more than the kernels. */
#define NITRO_COMPILED_MAX_OUTPUTS 256
#define NITRO_COMPILED_MAX_SUMS    (NITRO_COMPILED_MAX_OUTPUTS + NITRO_SCORE_TERMS_MAX)
/** Alignment in bytes of vectors and coefficients. */
#define NITRO_COMPILED_ALIGNMENT 64
/** Largest relative error of the exponential, in units of the precision's 2^-24 or 2^-53. */
#define NITRO_COMPILED_EXP_ULPS 4.0

typedef struct nitro_kernel_group {
    unsigned power;
    size_t num_outputs; /* sums besides that of the bound */
} nitro_kernel_group;

/**
 * One precision's data, in the order in which it is read. A support vector has coefficients in few
 * outputs of a one-vs-one SVM, so rows of a step that are all 0 are omitted.
 */
typedef struct nitro_kernel_rows {
    size_t num_columns, num_steps, num_sums;
    size_t num_groups;                /* at most NITRO_SCORE_TERMS_MAX */
    const nitro_kernel_group *groups; /* shape [num_groups], by rising power */
    const uint16_t *lists; /* per step and group: the number of rows, then the sum of each row */
    const void *values; /* per step: num_columns rows of the vectors' values, then the listed rows
                           of coefficients; shape [NITRO_COMPILED_STEP] each */
} nitro_kernel_rows;

/** The evaluation for one instruction set. */
typedef struct nitro_kernel_engine {
    const char *name;
    bool (*is_here)(void);
    /** Longest chain of additions within a step and over lanes: for bounds. */
    size_t chain_single, chain_double;
    /**
     * @param[in]  point  shape [num_columns], scaled.
     * @param[out] sums   shape [num_sums]: per group the outputs, then the sum for the bound.
     */
    void (*sum_single)(const nitro_kernel_rows *rows, const float *point, double *sums);
    void (*sum_double)(const nitro_kernel_rows *rows, const double *point, double *sums);
} nitro_kernel_engine;

/** All engines of this build, the fastest first, ended by NULL. The last one runs everywhere. */
const nitro_kernel_engine *const *nitro_kernel_engines(void);
/** The fastest engine that runs here. */
const nitro_kernel_engine *nitro_kernel_engine_find(void);

#endif
