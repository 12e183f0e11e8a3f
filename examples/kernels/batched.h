/* batched.h - the argument of products of many small matrices, of any one size. */
#ifndef KERNELS_BATCHED_H
#define KERNELS_BATCHED_H

#include "kernel_computation.h"

typedef struct batched_call {
    int64_t count;
    int64_t a_cells, b_cells, c_cells; /* of one matrix */
    const float *a, *b;                /* shapes [count, SIZE_B, SIZE_A], [count, SIZE_A, SIZE_C] */
    float *c;                          /* shape [count, SIZE_B, SIZE_C] */
    nitro_kept *kept;
} batched_call;

/** The parameters SIZE_A, SIZE_B, SIZE_C and PADD_C come first. */
extern const nitro_kernel *const batched_kernel_opencl;

#endif
