/* query.cpp - device properties, function attributes and error messages. */
#include <algorithm>
#include <cstdio>

#include "device.h"

using namespace cuda_emulation;

namespace
{

const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
};

const struct {
    cudaDeviceAttr attribute;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrClockRate, 1000000},
    {cudaDevAttrMultiProcessorCount, 4},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrMemoryClockRate, 1000000},
    {cudaDevAttrGlobalMemoryBusWidth, 512},
    {cudaDevAttrL2CacheSize, 1 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrAsyncEngineCount, 2},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)cuda_emulation::max_dynamic_shared_bytes},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
};

} // namespace

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &known : errors)
        if (known.error == error)
            return known.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &known : errors)
        if (known.error == error)
            return known.text;
    return "unrecognized error code";
}

cudaError_t cudaGetLastError(void)
{
    device *d = the_device();
    cudaError_t last = d->last;
    d->last = d->sticky;
    return last;
}

cudaError_t cudaPeekAtLastError(void)
{
    return the_device()->last;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    const device *d = the_device();
    if (d->settings.no_driver)
        return note(cudaErrorInsufficientDriver);
    if (d->settings.num_devices == 0)
        return note(cudaErrorNoDevice);
    *count = d->settings.num_devices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device_number)
{
    RETURN_IF_TROUBLE();
    *device_number = the_device()->current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device_number)
{
    RETURN_IF_TROUBLE();
    if (device_number < 0 || device_number >= the_device()->settings.num_devices)
        return note(cudaErrorInvalidDevice);
    the_device()->current = device_number;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device_number)
{
    RETURN_IF_TROUBLE();
    if (device_number < 0 || device_number >= the_device()->settings.num_devices)
        return note(cudaErrorInvalidDevice);
    for (const auto &known : attributes)
        if (known.attribute == attribute) {
            *value = known.value;
            return cudaSuccess;
        }
    return note(cudaErrorInvalidValue);
}

static int attribute_of(cudaDeviceAttr attribute)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, attribute, 0);
    return value;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device_number)
{
    RETURN_IF_TROUBLE();
    if (device_number < 0 || device_number >= the_device()->settings.num_devices)
        return note(cudaErrorInvalidDevice);
    cudaDeviceProp p = {};
    snprintf(p.name, sizeof(p.name), "NVIDIA Emulated");
    p.uuid.bytes[0] = (char)device_number;
    p.totalGlobalMem = the_device()->settings.memory_bytes;
    p.sharedMemPerBlock = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerBlock);
    p.regsPerBlock = attribute_of(cudaDevAttrMaxRegistersPerBlock);
    p.warpSize = 32;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = INT32_MAX;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.totalConstMem = 64 << 10;
    p.major = attribute_of(cudaDevAttrComputeCapabilityMajor);
    p.minor = attribute_of(cudaDevAttrComputeCapabilityMinor);
    p.multiProcessorCount = attribute_of(cudaDevAttrMultiProcessorCount);
    p.ECCEnabled = attribute_of(cudaDevAttrEccEnabled);
    p.pciBusID = device_number;
    p.asyncEngineCount = attribute_of(cudaDevAttrAsyncEngineCount);
    p.memoryBusWidth = attribute_of(cudaDevAttrGlobalMemoryBusWidth);
    p.l2CacheSize = attribute_of(cudaDevAttrL2CacheSize);
    p.maxThreadsPerMultiProcessor = attribute_of(cudaDevAttrMaxThreadsPerMultiProcessor);
    p.sharedMemPerMultiprocessor =
        (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    p.regsPerMultiprocessor = attribute_of(cudaDevAttrMaxRegistersPerMultiprocessor);
    p.sharedMemPerBlockOptin = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    p.maxBlocksPerMultiProcessor = attribute_of(cudaDevAttrMaxBlocksPerMultiprocessor);
    *properties = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device_number)
{
    RETURN_IF_TROUBLE();
    snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned)device_number);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    return catch_up();
}

cudaError_t cudaDeviceReset(void)
{
    RETURN_IF_TROUBLE();
    cuda_emulation_settings settings = the_device()->settings;
    cuda_emulation_reset(&settings);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = the_device()->settings.no_driver ? 0 : CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    RETURN_IF_TROUBLE();
    *total_bytes = the_device()->settings.memory_bytes;
    *free_bytes = *total_bytes - the_device()->used_bytes;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    RETURN_IF_TROUBLE();
    if (!kernel)
        return note(cudaErrorInvalidValue);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || (size_t)value > cuda_emulation::max_dynamic_shared_bytes)
        return note(cudaErrorInvalidValue);
    the_device()->shared_limits[kernel] = (size_t)value;
    return cudaSuccess;
}

/* Registers are unknown here. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *num_blocks, const void *kernel,
                                                          int block_size, size_t dynamic_bytes)
{
    RETURN_IF_TROUBLE();
    if (block_size < 1 || block_size > 1024 || dynamic_bytes > shared_limit(kernel))
        return note(cudaErrorInvalidValue);
    int by_threads = attribute_of(cudaDevAttrMaxThreadsPerMultiProcessor) / block_size;
    int by_shared = attribute_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor) /
                    (attribute_of(cudaDevAttrReservedSharedMemoryPerBlock) + (int)dynamic_bytes);
    *num_blocks =
        std::min({by_threads, by_shared, attribute_of(cudaDevAttrMaxBlocksPerMultiprocessor)});
    if (the_device()->settings.blocks_per_sm > 0)
        *num_blocks = std::min(*num_blocks, the_device()->settings.blocks_per_sm);
    return cudaSuccess;
}
