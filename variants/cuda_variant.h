/*
 * cuda.h - what the CUDA variants of all computations share: the stream that an argument's work
 * goes to, the device's memory, and failures in words. For C and CUDA; no CUDA header is needed to
 * include it. cuda_kernel.cuh has what kernels share.
 *
 * All functions work on the calling thread's current device. Those that return int return 0 on
 * success; else the argument's `problem` says what failed, how large it was, and what to do.
 */
#ifndef NITRO_VARIANTS_CUDA_VARIANT_H
#define NITRO_VARIANTS_CUDA_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A part of every CUDA argument. */
typedef struct nitro_cuda {
    void *stream;      /* cudaStream_t: all work of this argument; NULL: the default stream */
    char problem[256]; /* why the last function that failed did; "" when none has */
    int failure;       /* what it returned: NITRO_ERR_NO_MEMORY where memory was too little */
} nitro_cuda;

/** Write down why; returns 1, the failure. */
int nitro_cuda_fail(nitro_cuda *cuda, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/** 0 if `error` (a cudaError_t) is cudaSuccess; else `what` and the error are written down. */
int nitro_cuda_check(nitro_cuda *cuda, int error, const char *what);

/**
 * Refuse to allocate and upload for `what` ("the format ell") while the stream captures a graph:
 * prepare before the capture begins.
 */
int nitro_cuda_may_prepare(nitro_cuda *cuda, const char *what);

/** Refuse where `what` takes more bytes than the device has free: nothing was allocated yet. */
int nitro_cuda_need(nitro_cuda *cuda, uint64_t bytes, const char *what);

/**
 * Device memory for `count` elements of `size` bytes, which holds anything.
 * @param[out] memory  NULL when count is 0; give it back with nitro_cuda_free.
 */
int nitro_cuda_allocate(nitro_cuda *cuda, int64_t count, size_t size, void **memory);

/** The same, and a copy of `from`, shape [count], on its way in the stream: `from` may be freed. */
int nitro_cuda_upload(nitro_cuda *cuda, const void *from, int64_t count, size_t size,
                      void **memory);

/** 64-bit indices as 32-bit ones, which kernels read in half the time. Fails when one is too large.
 */
int nitro_cuda_upload_indices(nitro_cuda *cuda, const int64_t *from, int64_t count,
                              int32_t **memory);

/** Copy to the host, shape [count], and wait until it is there. */
int nitro_cuda_download(nitro_cuda *cuda, const void *memory, int64_t count, size_t size, void *to);

/**
 * Take a variant's result to the host, as nitro_cuda_download does, and fill it on the device with
 * bytes of `nonsense`: the next variant has to write all of it.
 */
int nitro_cuda_take_result(nitro_cuda *cuda, void *memory, int64_t count, size_t size, int nonsense,
                           void *to);

/** Wait for all work of the stream; its failures show here. */
int nitro_cuda_wait(nitro_cuda *cuda);

/** Free device memory; NULL is welcome. Waits for work that may still use it. */
void nitro_cuda_free(void *memory);

/** Largest number of elements, and of slots of a format, that 32-bit indices reach, with room for a
 *  kernel's steps past the end. */
#define NITRO_CUDA_MAX_COUNT (INT32_MAX - (1 << 20))

#ifdef __cplusplus
}
#endif

#endif
