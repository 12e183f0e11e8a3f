/* Device memory for CUDA variants. Copies go through the argument's own stream, so that they are
 * complete before its kernels run, for any kind of stream. */
#include "variants/cuda_variant.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nitro/nitro.h"

int nitro_cuda_fail(nitro_cuda *cuda, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cuda->problem, sizeof(cuda->problem), format, arguments);
    va_end(arguments);
    return cuda->failure = 1;
}

int nitro_cuda_check(nitro_cuda *cuda, int error, const char *what)
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

int nitro_cuda_may_prepare(nitro_cuda *cuda, const char *what)
{
    enum cudaStreamCaptureStatus status;
    if (nitro_cuda_check(cuda, cudaStreamIsCapturing(cuda->stream, &status), what) != 0)
        return cuda->failure;
    if (status != cudaStreamCaptureStatusNone)
        return nitro_cuda_fail(cuda,
                               "%s cannot be allocated while the stream captures a graph: prepare "
                               "it before the capture begins",
                               what);
    return 0;
}

int nitro_cuda_need(nitro_cuda *cuda, uint64_t bytes, const char *what)
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

int nitro_cuda_allocate(nitro_cuda *cuda, int64_t count, size_t size, void **memory)
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
    return nitro_cuda_check(cuda, cudaMalloc(memory, bytes), what);
}

int nitro_cuda_upload(nitro_cuda *cuda, const void *from, int64_t count, size_t size, void **memory)
{
    void *made;
    if (nitro_cuda_allocate(cuda, count, size, &made) != 0)
        return cuda->failure;
    cudaError_t error = made ? cudaMemcpyAsync(made, from, (size_t)count * size,
                                               cudaMemcpyHostToDevice, cuda->stream)
                             : cudaSuccess;
    if (nitro_cuda_check(cuda, error, "copying to the device") != 0) {
        cudaFree(made);
        return cuda->failure;
    }
    *memory = made;
    return 0;
}

int nitro_cuda_upload_indices(nitro_cuda *cuda, const int64_t *from, int64_t count,
                              int32_t **memory)
{
    int32_t *narrow = malloc((size_t)count * sizeof(*narrow) + 1);
    void *made;
    if (!narrow)
        return nitro_cuda_fail(cuda, "no memory on the host for %lld indices", (long long)count);
    int failure = 0;
    for (int64_t i = 0; i < count && !failure; i++) {
        if (from[i] < -INT32_MAX || from[i] > NITRO_CUDA_MAX_COUNT)
            failure =
                nitro_cuda_fail(cuda, "index %lld does not fit into 32 bits", (long long)from[i]);
        narrow[i] = (int32_t)from[i];
    }
    if (!failure)
        failure = nitro_cuda_upload(cuda, narrow, count, sizeof(*narrow), &made);
    if (!failure)
        *memory = made;
    free(narrow);
    return failure;
}

int nitro_cuda_download(nitro_cuda *cuda, const void *memory, int64_t count, size_t size, void *to)
{
    if (count > 0 && nitro_cuda_check(cuda,
                                      cudaMemcpyAsync(to, memory, (size_t)count * size,
                                                      cudaMemcpyDeviceToHost, cuda->stream),
                                      "copying from the device") != 0)
        return cuda->failure;
    return nitro_cuda_wait(cuda);
}

int nitro_cuda_take_result(nitro_cuda *cuda, void *memory, int64_t count, size_t size, int nonsense,
                           void *to)
{
    if (nitro_cuda_download(cuda, memory, count, size, to) != 0)
        return cuda->failure;
    if (count == 0)
        return 0;
    return nitro_cuda_check(cuda,
                            cudaMemsetAsync(memory, nonsense, (size_t)count * size, cuda->stream),
                            "overwriting the result");
}

int nitro_cuda_wait(nitro_cuda *cuda)
{
    return nitro_cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "waiting for the stream");
}

void nitro_cuda_free(void *memory)
{
    if (memory) /* cudaFree(NULL) would initialise CUDA, even in a process that will fork */
        cudaFree(memory);
}
