/* Queries the CUDA runtime and NVML for this machine's devices; errors say why there are none. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "features/device/cuda/nvml.h"

const bool nitro_cuda_is_built = true;

#define VERSION_MAJOR(version) ((version) / 1000)
#define VERSION_MINOR(version) ((version) % 1000 / 10)

static nitro_status fail_driver(nitro_context *context)
{
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no NVIDIA driver: libcuda.so.1 is not found");
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "the NVIDIA driver is too old: it supports CUDA %d.%d, and this build needs "
                      "%d.%d",
                      VERSION_MAJOR(driver), VERSION_MINOR(driver), VERSION_MAJOR(CUDART_VERSION),
                      VERSION_MINOR(CUDART_VERSION));
}

static nitro_status fail_no_device(nitro_context *context)
{
    const char *visible = secure_getenv("CUDA_VISIBLE_DEVICES");
    if (visible)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no GPU is visible to the NVIDIA driver: CUDA_VISIBLE_DEVICES is '%.80s'",
                          visible);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND, "the NVIDIA driver finds no GPU");
}

/* Why there is no device. */
static nitro_status fail_count(nitro_context *context, cudaError_t error)
{
    if (error == cudaErrorInsufficientDriver)
        return fail_driver(context);
    if (error == cudaErrorNoDevice || error == cudaSuccess)
        return fail_no_device(context);
    if (error == cudaErrorInitializationError) /* in a forked child of a process that uses CUDA */
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "the NVIDIA driver does not start in a child process: query devices "
                          "before the program uses CUDA (CUDA error %d)",
                          (int)error);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "the NVIDIA driver lists no GPU: %s (CUDA error %d)",
                      cudaGetErrorString(error), (int)error);
}

static const struct {
    nitro_cuda_fact fact;
    enum cudaDeviceAttr attribute;
} attributes[] = {
    {NITRO_CUDA_COMPUTE_CAPABILITY_MAJOR, cudaDevAttrComputeCapabilityMajor},
    {NITRO_CUDA_COMPUTE_CAPABILITY_MINOR, cudaDevAttrComputeCapabilityMinor},
    {NITRO_CUDA_SM_COUNT, cudaDevAttrMultiProcessorCount},
    {NITRO_CUDA_CLOCK_RATE_KHZ, cudaDevAttrClockRate},
    {NITRO_CUDA_MEM_CLOCK_RATE_KHZ, cudaDevAttrMemoryClockRate},
    {NITRO_CUDA_MEM_BUS_WIDTH_BITS, cudaDevAttrGlobalMemoryBusWidth},
    {NITRO_CUDA_L2_CACHE_SIZE_BYTES, cudaDevAttrL2CacheSize},
    {NITRO_CUDA_SHARED_MEM_PER_BLOCK_BYTES, cudaDevAttrMaxSharedMemoryPerBlock},
    {NITRO_CUDA_SHARED_MEM_PER_BLOCK_OPTIN_BYTES, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {NITRO_CUDA_SHARED_MEM_PER_SM_BYTES, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {NITRO_CUDA_REGISTERS_PER_BLOCK, cudaDevAttrMaxRegistersPerBlock},
    {NITRO_CUDA_REGISTERS_PER_SM, cudaDevAttrMaxRegistersPerMultiprocessor},
    {NITRO_CUDA_THREADS_PER_BLOCK, cudaDevAttrMaxThreadsPerBlock},
    {NITRO_CUDA_THREADS_PER_SM, cudaDevAttrMaxThreadsPerMultiProcessor},
    {NITRO_CUDA_BLOCKS_PER_SM, cudaDevAttrMaxBlocksPerMultiprocessor},
    {NITRO_CUDA_WARP_SIZE, cudaDevAttrWarpSize},
    {NITRO_CUDA_COPY_ENGINES, cudaDevAttrAsyncEngineCount},
    {NITRO_CUDA_SP_TO_DP_RATIO, cudaDevAttrSingleToDoublePrecisionPerfRatio},
    {NITRO_CUDA_ECC, cudaDevAttrEccEnabled},
    {NITRO_CUDA_INTEGRATED, cudaDevAttrIntegrated},
};

static nitro_status query_device(nitro_context *context, int index, nitro_nvml *nvml,
                                 nitro_facts *facts)
{
    struct cudaDeviceProp properties;
    int version;
    nitro_facts_init(facts);
    facts->index = index;
    cudaError_t error = cudaGetDeviceProperties(&properties, index);
    if (error != cudaSuccess)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "querying GPU %d failed: %s (CUDA error %d)", index,
                          cudaGetErrorString(error), (int)error);
    snprintf(facts->texts[NITRO_CUDA_NAME], NITRO_FACTS_TEXT_SIZE, "%.*s",
             NITRO_FACTS_TEXT_SIZE - 1, properties.name);
    facts->values[NITRO_CUDA_GLOBAL_MEM_BYTES] = (double)properties.totalGlobalMem;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        int value;
        if (cudaDeviceGetAttribute(&value, attributes[i].attribute, index) == cudaSuccess &&
            value >= 0)
            facts->values[attributes[i].fact] = value;
    }
    if (cudaDriverGetVersion(&version) == cudaSuccess)
        facts->values[NITRO_CUDA_DRIVER_VERSION] = version;
    if (cudaRuntimeGetVersion(&version) == cudaSuccess)
        facts->values[NITRO_CUDA_RUNTIME_VERSION] = version;
    if (cudaDeviceGetPCIBusId(facts->texts[NITRO_CUDA_PCI], NITRO_FACTS_TEXT_SIZE, index) !=
        cudaSuccess)
        facts->texts[NITRO_CUDA_PCI][0] = '\0';
    nitro_nvml_add_facts(nvml, facts);
    return NITRO_OK;
}

nitro_status nitro_cuda_query(nitro_context *context, nitro_facts **facts, size_t *count)
{
    int num_devices = 0;
    cudaError_t error = cudaGetDeviceCount(&num_devices);
    if (error != cudaSuccess || num_devices <= 0)
        return fail_count(context, error);
    nitro_facts *asked = nitro_calloc(context, (size_t)num_devices, sizeof(*asked));
    if (!asked)
        return NITRO_ERR_NO_MEMORY;
    nitro_nvml *nvml = nitro_nvml_open(NITRO_NVML_LIBRARY);
    nitro_status status = NITRO_OK;
    for (int i = 0; i < num_devices && status == NITRO_OK; i++)
        status = query_device(context, i, nvml, &asked[i]);
    nitro_nvml_close(nvml);
    if (status != NITRO_OK) {
        free(asked);
        return status;
    }
    *facts = asked;
    *count = (size_t)num_devices;
    return NITRO_OK;
}
