/*
 * cuda.hpp - for variants on CUDA devices: an argument's stream, error messages, device memory,
 * launch configurations, and nitro_cuda_memory, through which the kit handles arguments. Header
 * only, since a computation must use one CUDA runtime throughout: its own. For CUDA C++, C++ and C.
 *
 * All functions use the calling thread's current device. Those that return int return 0 on
 * success; otherwise the argument's nitro_cuda.problem says what failed.
 */
#ifndef NITRO_CUDA_HPP
#define NITRO_CUDA_HPP

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>

#include "nitro/computation_kit.h"

/* All lanes of a warp. */
#define NITRO_CUDA_FULL_MASK 0xFFFFFFFFu

/** Set `problem`; returns 1, the failure. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline int
nitro_cuda_fail(nitro_cuda *cuda, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cuda->problem, sizeof(cuda->problem), format, arguments);
    va_end(arguments);
    return cuda->failure = 1;
}

/** 0 if `error` (a cudaError_t) is cudaSuccess; otherwise `problem` gets `what` and the error. */
static inline int nitro_cuda_check(nitro_cuda *cuda, int error, const char *what)
{
    if (error == cudaSuccess)
        return 0;
    cudaGetLastError(); /* reported here, not by a later call */
    nitro_cuda_fail(cuda, "%s: %s (%s)", what, cudaGetErrorString((cudaError_t)error),
                    cudaGetErrorName((cudaError_t)error));
    if (error == cudaErrorMemoryAllocation)
        cuda->failure = NITRO_ERR_NO_MEMORY;
    return cuda->failure;
}

/** Fails while the stream captures a graph: `what` ("the format ell") must be allocated before. */
static inline int nitro_cuda_may_prepare(nitro_cuda *cuda, const char *what)
{
    enum cudaStreamCaptureStatus status;
    if (nitro_cuda_check(cuda, cudaStreamIsCapturing((cudaStream_t)cuda->stream, &status), what) !=
        0)
        return cuda->failure;
    if (status != cudaStreamCaptureStatusNone)
        return nitro_cuda_fail(cuda,
                               "%s cannot be allocated while the stream captures a graph: prepare "
                               "it before the capture begins",
                               what);
    return 0;
}

/** Fails if `what` takes more bytes than the device has free. Allocates nothing. */
static inline int nitro_cuda_need(nitro_cuda *cuda, uint64_t bytes, const char *what)
{
    size_t free_bytes, total_bytes;
    if (nitro_cuda_check(cuda, cudaMemGetInfo(&free_bytes, &total_bytes), what) != 0)
        return cuda->failure;
    if (bytes <= free_bytes)
        return 0;
    nitro_cuda_fail(cuda, "%s takes %.1f MB, and the device has %.1f of its %.1f MB free", what,
                    (double)bytes / 1e6, (double)free_bytes / 1e6, (double)total_bytes / 1e6);
    return cuda->failure = NITRO_ERR_NO_MEMORY;
}

/** cudaMalloc, also while another stream captures a graph, which in the default mode would fail. */
static inline cudaError_t nitro_cuda_malloc(void **memory, size_t bytes)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = cudaMalloc(memory, bytes);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return error;
}

/** Free device memory (NULL: nothing), also while another stream captures a graph. Waits for work
 *  that may still use it. */
static inline void nitro_cuda_free(void *memory)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    if (!memory) /* cudaFree(NULL) would initialise CUDA, even in a process that will fork */
        return;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaFree(memory);
    cudaThreadExchangeStreamCaptureMode(&mode);
}

/**
 * Uninitialised device memory for `count` elements of `size` bytes.
 * @param[out] memory  NULL if count is 0; free with nitro_cuda_free.
 */
static inline int nitro_cuda_allocate(nitro_cuda *cuda, int64_t count, size_t size, void **memory)
{
    size_t bytes;
    char what[64];
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes))
        return nitro_cuda_fail(cuda, "%lld elements of %zu bytes: no device holds so much",
                               (long long)count, size);
    if (bytes == 0) {
        *memory = NULL;
        return 0;
    }
    snprintf(what, sizeof(what), "allocating %.1f MB on the device", (double)bytes / 1e6);
    return nitro_cuda_check(cuda, nitro_cuda_malloc(memory, bytes), what);
}

/** Also copies `from`, shape [count], on the stream, which may read it until nitro_cuda_wait. */
static inline int nitro_cuda_upload(nitro_cuda *cuda, const void *from, int64_t count, size_t size,
                                    void **memory)
{
    void *made;
    if (nitro_cuda_allocate(cuda, count, size, &made) != 0)
        return cuda->failure;
    cudaError_t error = made ? cudaMemcpyAsync(made, from, (size_t)count * size,
                                               cudaMemcpyHostToDevice, (cudaStream_t)cuda->stream)
                             : cudaSuccess;
    if (nitro_cuda_check(cuda, error, "copying to the device") != 0) {
        nitro_cuda_free(made);
        return cuda->failure;
    }
    *memory = made;
    return 0;
}

/** Wait for the stream; reports failures of its asynchronous work. */
static inline int nitro_cuda_wait(nitro_cuda *cuda)
{
    return nitro_cuda_check(cuda, cudaStreamSynchronize((cudaStream_t)cuda->stream),
                            "waiting for the stream");
}

/** Copy to the host, shape [count], and wait. */
static inline int nitro_cuda_download(nitro_cuda *cuda, const void *memory, int64_t count,
                                      size_t size, void *to)
{
    if (count > 0 &&
        nitro_cuda_check(cuda,
                         cudaMemcpyAsync(to, memory, (size_t)count * size, cudaMemcpyDeviceToHost,
                                         (cudaStream_t)cuda->stream),
                         "copying from the device") != 0)
        return cuda->failure;
    return nitro_cuda_wait(cuda);
}

/** Copy from one place on the device to another, on the stream. */
static inline int nitro_cuda_copy(nitro_cuda *cuda, const void *from, int64_t count, size_t size,
                                  void *to)
{
    return count == 0 ? 0
                      : nitro_cuda_check(cuda,
                                         cudaMemcpyAsync(to, from, (size_t)count * size,
                                                         cudaMemcpyDeviceToDevice,
                                                         (cudaStream_t)cuda->stream),
                                         "copying on the device");
}

/** Set all bytes, on the stream. */
static inline int nitro_cuda_fill(nitro_cuda *cuda, void *memory, int64_t count, size_t size,
                                  int byte)
{
    return count == 0 ? 0
                      : nitro_cuda_check(cuda,
                                         cudaMemsetAsync(memory, byte, (size_t)count * size,
                                                         (cudaStream_t)cuda->stream),
                                         "filling memory on the device");
}

/* ---- The clock of a stream ---- */

/* An error of the clock's own calls, "not ready" among them, is nothing that the program should
 * find; one that it has not seen yet stays. */
static inline bool nitro_cuda_has_error(void)
{
    return cudaPeekAtLastError() != cudaSuccess;
}

static inline bool nitro_cuda_may_mark(void *stream)
{
    enum cudaStreamCaptureStatus status;
    if (nitro_cuda_has_error())
        return false;
    if (cudaStreamIsCapturing((cudaStream_t)stream, &status) == cudaSuccess)
        return status == cudaStreamCaptureStatusNone;
    cudaGetLastError();
    return false;
}

static inline int nitro_cuda_mark(void *stream, void **event)
{
    cudaEvent_t made = (cudaEvent_t)*event;
    if (nitro_cuda_has_error())
        return 1;
    cudaError_t error = made ? cudaSuccess : cudaEventCreate(&made);
    if (error == cudaSuccess) {
        *event = made;
        error = cudaEventRecord(made, (cudaStream_t)stream);
    }
    if (error != cudaSuccess)
        cudaGetLastError();
    return error != cudaSuccess;
}

/** Also while another stream captures a graph. */
static inline int nitro_cuda_elapsed(void *begin, void *end, double *elapsed_ms)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    float between_ms;
    if (nitro_cuda_has_error())
        return NITRO_STREAM_BUSY;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = cudaEventElapsedTime(&between_ms, (cudaEvent_t)begin, (cudaEvent_t)end);
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (error == cudaSuccess)
        *elapsed_ms = (double)between_ms;
    else
        cudaGetLastError();
    return error == cudaErrorNotReady ? NITRO_STREAM_BUSY : error != cudaSuccess ? 2 : 0;
}

static inline void nitro_cuda_free_event(void *event)
{
    if (event)
        cudaEventDestroy((cudaEvent_t)event);
}

/** For nitro_hooks.clock: the events of streams of one device. */
static const nitro_stream_clock nitro_cuda_clock
#if defined(__GNUC__)
    __attribute__((unused))
#endif
    = {nitro_cuda_may_mark, nitro_cuda_mark, nitro_cuda_elapsed, nitro_cuda_free_event};

/** For nitro_kit_device.memory. */
static const nitro_device_memory nitro_cuda_memory
#if defined(__GNUC__)
    __attribute__((unused))
#endif
    = {nitro_cuda_may_prepare, nitro_cuda_need,  nitro_cuda_allocate, nitro_cuda_upload,
       nitro_cuda_download,    nitro_cuda_copy,  nitro_cuda_fill,     nitro_cuda_wait,
       nitro_cuda_free,        &nitro_cuda_clock};

/** A nitro_kit_device as an initialiser: the type of its argument, which has the member `cuda`, an
 *  array of pointers to its variants, and other members. */
#define NITRO_CUDA_DEVICE(type, its_variants, ...)                                                 \
    {                                                                                              \
        .kind = "cuda", .memory = &nitro_cuda_memory, .argument_bytes = sizeof(type),              \
        .cuda = offsetof(type, cuda), .variants = its_variants,                                    \
        .num_variants = sizeof(its_variants) / sizeof((its_variants)[0]), __VA_ARGS__              \
    }

#ifdef __cplusplus
#include <cuda_runtime.h>

/** Blocks of `block_size` threads, enough for `num_threads`, which must not be 0. */
static inline cudaLaunchConfig_t nitro_cuda_grid(const nitro_cuda *cuda, int64_t num_threads,
                                                 int block_size)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((num_threads + block_size - 1) / block_size));
    config.blockDim = dim3((unsigned)block_size);
    config.stream = (cudaStream_t)cuda->stream;
    return config;
}

/** Launch a kernel on such blocks; nothing for 0 threads. @return as nitro_cuda_check. */
template <typename... Expected, typename... Given>
static inline int nitro_cuda_launch(nitro_cuda *cuda, const char *what, int64_t num_threads,
                                    int block_size, void (*kernel)(Expected...), Given... given)
{
    cudaLaunchConfig_t config = nitro_cuda_grid(cuda, num_threads, block_size);
    return num_threads == 0
               ? 0
               : nitro_cuda_check(cuda, cudaLaunchKernelEx(&config, kernel, given...), what);
}
#endif

#endif
