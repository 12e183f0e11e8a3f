/* sort_cuda.h - the computation "sort" on CUDA devices: the argument of its variants. Names and
 * order are the host's (sort.h). `run` launches kernels on the argument's stream and allocates
 * nothing. */
#ifndef NITRO_VARIANTS_SORT_SORT_CUDA_H
#define NITRO_VARIANTS_SORT_SORT_CUDA_H

#include "variants/sort/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_sort_cuda {
    nitro_sort host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;
    const void *keys;
    const void *values;
    void *sorted_keys;
    void *sorted_values;
} nitro_sort_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_sort_cuda_device;

#ifdef __cplusplus
}
#endif

#endif
