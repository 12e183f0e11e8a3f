/*
 * compiled_kernels.h - sums of RBF kernels over vectors laid out for SIMD, and their evaluation by
 * what the processor has. Internal to compiled models.
 *
 * Base 2: columns are scaled by sqrt(gamma * log2 e), so that a kernel is 2^-y, y the squared
 * distance. Groups of outputs may take a whole power of it (a gamma that is a multiple). Sums come
 * with one more a group, from which an error bound follows: of the largest coefficients times the
 * kernels.
 */
#ifndef NITRO_COMPILED_KERNELS_H
#define NITRO_COMPILED_KERNELS_H

#include "nitro/parts.h"

/** Vectors are padded to a multiple of so many, with coefficients of 0. */
#define NITRO_COMPILED_PADDING 64
/** Kernels are computed for so many vectors, then summed. A multiple of the padding. */
#define NITRO_COMPILED_CHUNK 256
/** Bytes that arrays of vectors and coefficients are aligned to. */
#define NITRO_COMPILED_ALIGNMENT 64
/** Largest relative error of the exponential, in units of the precision's 2^-24 or 2^-53. */
#define NITRO_COMPILED_EXP_ULPS 4.0

typedef struct nitro_kernel_group {
    unsigned power;
    size_t num_outputs; /* rows of coefficients, and one more of their largest magnitudes */
} nitro_kernel_group;

/** One precision's data. */
typedef struct nitro_kernel_rows {
    size_t num_columns, num_vectors;  /* vectors: padded */
    size_t num_groups;                /* at most NITRO_PARTS_MAX */
    const nitro_kernel_group *groups; /* shape [num_groups], by rising power */
    const void *vectors;              /* shape [num_columns x num_vectors] */
    const void *coefficients;         /* shape [outputs + groups x num_vectors] */
} nitro_kernel_rows;

/** How a processor evaluates them. */
typedef struct nitro_kernel_engine {
    const char *name;
    bool (*is_here)(void);
    /** Values that one addition's chain takes, at most, in a chunk: for bounds. */
    size_t chain_single, chain_double;
    /**
     * @param[in]  point  shape [num_columns], scaled.
     * @param[out] sums   shape [outputs + groups]: a group's outputs, then its bound's sum.
     */
    void (*sum_single)(const nitro_kernel_rows *rows, const float *point, float *sums);
    void (*sum_double)(const nitro_kernel_rows *rows, const double *point, double *sums);
    /** 2^-y of NITRO_COMPILED_PADDING values, y >= 0; for tests. */
    void (*exp2_single)(const float *y, float *powers);
    void (*exp2_double)(const double *y, double *powers);
} nitro_kernel_engine;

/** All that were built, the best first; ended by NULL. The last one runs everywhere. */
const nitro_kernel_engine *const *nitro_kernel_engines(void);
/** The best that runs here. */
const nitro_kernel_engine *nitro_kernel_engine_find(void);

#endif
