/* bfs_cuda.h - bfs on CUDA devices: the argument of its variants. Names and order are the host's
 * (bfs.h). `run` launches kernels on the argument's stream and allocates nothing; iterative
 * variants wait for the stream after every level, and cannot be captured. */
#ifndef NITRO_VARIANTS_BFS_BFS_CUDA_H
#define NITRO_VARIANTS_BFS_BFS_CUDA_H

#include "variants/bfs/bfs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_bfs_cuda {
    nitro_bfs host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;
    const int32_t *offsets;
    const int32_t *targets;
    int32_t *depths;
} nitro_bfs_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_bfs_cuda_device;

#ifdef __cplusplus
}
#endif

#endif
