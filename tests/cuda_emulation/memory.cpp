/* memory.cpp - allocations, copies and fills. Each device allocation is a host allocation, so that
 * asan knows its bounds; without asan, guard bytes detect writes past its end. */
#include <cstdio>
#include <cstdlib>

#include "device.h"

namespace cuda_emulation
{

#ifdef __SANITIZE_ADDRESS__
constexpr size_t guard_bytes = 0;
#else
constexpr size_t guard_bytes = 64;
#endif
constexpr unsigned char guard = 0xA5;

bool guards_are_whole()
{
    for (const auto &range : the_device()->memory)
        for (size_t i = 0; i < guard_bytes; i++)
            if (((const unsigned char *)range.first)[range.second + i] != guard)
                return false;
    return true;
}

void release(std::map<uintptr_t, size_t>::iterator range)
{
    device *d = the_device();
    ASAN_UNPOISON_MEMORY_REGION((void *)range->first, range->second);
    free((void *)range->first);
    d->used_bytes -= range->second;
    d->memory.erase(range);
}

} // namespace cuda_emulation

using namespace cuda_emulation;

namespace
{

constexpr size_t alignment = 256;

cudaError_t allocate(void **pointer, size_t bytes)
{
    device *d = the_device();
    if (d->settings.fail_malloc > 0 && --d->settings.fail_malloc == 0)
        return complain(cudaErrorMemoryAllocation, "this allocation was told to fail");
    if (bytes > d->settings.memory_bytes - d->used_bytes)
        return complain(cudaErrorMemoryAllocation, "the device's memory is full");
    void *memory = nullptr;
    if (bytes > 0) {
        if (posix_memalign(&memory, alignment, bytes + guard_bytes) != 0)
            return note(cudaErrorMemoryAllocation);
        memset(memory, 0xFF, bytes); /* NaN, and -1: nobody has written it yet */
        memset((char *)memory + bytes, guard, guard_bytes);
        ASAN_POISON_MEMORY_REGION(memory, bytes);
        d->memory[(uintptr_t)memory] = bytes;
    }
    d->used_bytes += bytes;
    d->num_mallocs++;
    *pointer = memory;
    return cudaSuccess;
}

/* May this be copied so? `kind` has been decided. */
cudaError_t check_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (is_device(to, to_device ? bytes : 0) != to_device)
        return complain(cudaErrorInvalidValue,
                        to_device ? "a copy to the device goes to the host, or past an allocation"
                                  : "a copy to the host goes to the device");
    if (is_device(from, from_device ? bytes : 0) != from_device)
        return complain(cudaErrorInvalidValue,
                        from_device
                            ? "a copy from the device comes from the host, or past an allocation"
                            : "a copy from the host comes from the device");
    return cudaSuccess;
}

cudaMemcpyKind decide_kind(const void *to, const void *from, cudaMemcpyKind kind)
{
    if (kind != cudaMemcpyDefault)
        return kind;
    return (cudaMemcpyKind)((is_device(to, 0) ? 1 : 0) + (is_device(from, 0) ? 2 : 0));
}

operation copy_operation(void *to, const void *from, size_t bytes)
{
    return [=] {
        spend((double)bytes / 16);
        memcpy(to, from, bytes);
        return cudaSuccess;
    };
}

} // namespace

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    return allocate(pointer, bytes);
}

cudaError_t cudaFree(void *pointer)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!pointer)
        return cudaSuccess;
    auto range = the_device()->memory.find((uintptr_t)pointer);
    if (range == the_device()->memory.end())
        return complain(cudaErrorInvalidValue, "what is freed was not allocated");
    cudaError_t error = catch_up(); /* as devices do */
    release(range);
    return error;
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (stream && stream->capture)
        return complain(cudaErrorStreamCaptureUnsupported,
                        "cudaMallocAsync in a capture is not emulated");
    return allocate(pointer, bytes);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    return enqueue(stream, [=] {
        auto range = the_device()->memory.find((uintptr_t)pointer);
        if (range == the_device()->memory.end())
            return complain(cudaErrorInvalidValue, "what is freed was not allocated");
        release(range);
        return cudaSuccess;
    });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        return note(cudaErrorMemoryAllocation);
    the_device()->pinned[(uintptr_t)memory] = bytes;
    *pointer = memory;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned)
{
    return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!pointer)
        return cudaSuccess;
    cudaError_t error = catch_up();
    if (the_device()->pinned.erase((uintptr_t)pointer) == 0)
        return complain(cudaErrorInvalidValue, "what is freed was not allocated");
    free(pointer);
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = check_copy(to, from, bytes, decide_kind(to, from, kind));
    if (error != cudaSuccess)
        return error;
    error = enqueue(nullptr, copy_operation(to, from, bytes));
    return error == cudaSuccess ? catch_up_with((cudaStream_t) nullptr) : error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (bytes == 0)
        return cudaSuccess;
    kind = decide_kind(to, from, kind);
    cudaError_t error = check_copy(to, from, bytes, kind);
    if (error != cudaSuccess)
        return error;
    bool captures = stream && the_device()->streams.count(stream) && stream->capture;
    error = enqueue(stream, copy_operation(to, from, bytes));
    if (error == cudaSuccess && kind == cudaMemcpyDeviceToHost && !is_pinned(to, bytes) &&
        !captures)
        error = catch_up_with(stream); /* written before it returns */
    return error;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (bytes == 0)
        return cudaSuccess;
    if (!is_device(to, bytes))
        return complain(cudaErrorInvalidValue,
                        "cudaMemset goes to the host, or past an allocation");
    return enqueue(stream, [=] {
        spend((double)bytes / 64);
        memset(to, value, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
