/*
 * sum.h - the sum of numbers on a GPU as a computation with two variants. A call names its stream;
 * variants enqueue their work there and return.
 */
#ifndef CUDA_STREAMS_SUM_H
#define CUDA_STREAMS_SUM_H

#include <cuda_runtime_api.h>

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The argument of one sum. Zero it first; use one for each stream. */
typedef struct sum_call {
    cudaStream_t stream;   /* NULL: the default stream */
    const double *numbers; /* device memory, shape [count] */
    size_t count;
    double *sum; /* device memory: the result, valid after the stream has been synchronized */

    double *partial_sums;  /* device memory, allocated by `partial`'s first use */
    const char *problem;   /* why the last call failed; NULL: no failure */
    double *reference_sum; /* device memory, used while measuring only; NULL: none */
} sum_call;

/** Declare the computation; free it with nitro_computation_free. */
nitro_status sum_declare(nitro_context *context, nitro_computation **computation);

/** Free the memory that the variants allocated. The stream must be idle. */
void sum_release(sum_call *call);

#ifdef __cplusplus
}
#endif

#endif
