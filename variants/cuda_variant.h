/* cuda_variant.h - shared by the CUDA variants of all computations: the stream of an argument's
 * work, device memory, error messages. For C and CUDA; including it needs no CUDA header.
 * cuda_kernel.cuh is for kernels.
 *
 * All functions use the calling thread's current device. Those that return int return 0 on
 * success; otherwise the argument's `problem` contains what failed, the sizes, and the remedy. */
#ifndef NITRO_VARIANTS_CUDA_VARIANT_H
#define NITRO_VARIANTS_CUDA_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Member of every CUDA argument. */
typedef struct nitro_cuda {
    void *stream;      /* cudaStream_t: all work of this argument; NULL: the default stream */
    char problem[256]; /* of the last failure; "" if none */
    int failure;       /* its return value; NITRO_ERR_NO_MEMORY: out of memory */
} nitro_cuda;

/** Set `problem`; returns 1, the failure. */
int nitro_cuda_fail(nitro_cuda *cuda, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/** 0 if `error` (a cudaError_t) is cudaSuccess; otherwise `problem` gets `what` and the error. */
int nitro_cuda_check(nitro_cuda *cuda, int error, const char *what);

/**
 * Fails while the stream captures a graph: `what` ("the format ell") must be allocated before.
 */
int nitro_cuda_may_prepare(nitro_cuda *cuda, const char *what);

/** Fails if `what` takes more bytes than the device has free. Allocates nothing. */
int nitro_cuda_need(nitro_cuda *cuda, uint64_t bytes, const char *what);

/**
 * Uninitialised device memory for `count` elements of `size` bytes.
 * @param[out] memory  NULL if count is 0; free with nitro_cuda_free.
 */
int nitro_cuda_allocate(nitro_cuda *cuda, int64_t count, size_t size, void **memory);

/** Also copies `from`, shape [count], on the stream; `from` may be freed on return. */
int nitro_cuda_upload(nitro_cuda *cuda, const void *from, int64_t count, size_t size,
                      void **memory);

/** Uploads 64-bit indices as 32-bit ones, which kernels read in half the time. Fails if one is too
 * large.
 */
int nitro_cuda_upload_indices(nitro_cuda *cuda, const int64_t *from, int64_t count,
                              int32_t **memory);

/** Copy to the host, shape [count], and wait. */
int nitro_cuda_download(nitro_cuda *cuda, const void *memory, int64_t count, size_t size, void *to);

/**
 * Copy a variant's result to the host, as nitro_cuda_download, and fill it on the device with
 * `nonsense` bytes: the next variant must write all of it.
 */
int nitro_cuda_take_result(nitro_cuda *cuda, void *memory, int64_t count, size_t size, int nonsense,
                           void *to);

/** Wait for the stream; reports failures of its asynchronous work. */
int nitro_cuda_wait(nitro_cuda *cuda);

/** Free device memory (NULL: nothing). Waits for work that may still use it. */
void nitro_cuda_free(void *memory);

/** Largest number of elements, and of slots of a format, with 32-bit indices, with a margin for
 * strides past the end. */
#define NITRO_CUDA_MAX_COUNT (INT32_MAX - (1 << 20))

#ifdef __cplusplus
}
#endif

#endif
