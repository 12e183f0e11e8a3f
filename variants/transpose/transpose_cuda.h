/* transpose_cuda.h - transpose and transpose_inplace on CUDA devices: the argument of their
 * variants. Names and order are the host's (transpose.h). `run` launches kernels on the argument's
 * stream and allocates nothing. */
#ifndef NITRO_VARIANTS_TRANSPOSE_TRANSPOSE_CUDA_H
#define NITRO_VARIANTS_TRANSPOSE_TRANSPOSE_CUDA_H

#include "variants/transpose/transpose.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_transpose_cuda {
    nitro_transpose host; /* must be first: input features use a pointer to this struct as one */
    nitro_cuda cuda;
    const void *in;
    void *out;
    void *data;
} nitro_transpose_cuda;

/** The variants on CUDA devices, or stubs. */
extern const nitro_kit_device nitro_transpose_cuda_device, nitro_transpose_inplace_cuda_device;

#ifdef __cplusplus
}
#endif

#endif
