/*
 * sum.h - the sum of numbers on a GPU, by two algorithms. Every call says on which stream; none
 * waits for it.
 */
#ifndef CUDA_STREAMS_SUM_H
#define CUDA_STREAMS_SUM_H

#include <cuda_runtime_api.h>

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One sum: what a caller fills in, and what the algorithms keep. Zero it first; one a stream. */
typedef struct sum_call {
    cudaStream_t stream;   /* all work goes there; NULL: the default stream */
    const double *numbers; /* device memory, shape [count] */
    size_t count;
    double *sum; /* device memory: the result, once the stream has come so far */

    double *partial_sums;  /* device memory, made when first wanted */
    const char *problem;   /* why the last call failed; NULL: none has */
    double *reference_sum; /* device memory, for measuring; NULL: none was kept */
} sum_call;

/** Declare the computation; free it with nitro_computation_free. */
nitro_status sum_declare(nitro_context *context, nitro_computation **computation);

/** Give back what the algorithms made. The stream must have come to its end. */
void sum_release(sum_call *call);

#ifdef __cplusplus
}
#endif

#endif
