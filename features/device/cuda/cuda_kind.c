/* Device kind `cuda`: this machine's NVIDIA GPUs. */
#include "features/device/cuda/cuda_kind.h"

static const char *const text_names[NITRO_CUDA_NUM_TEXTS] = {
    [NITRO_CUDA_NAME] = "name",
    [NITRO_CUDA_DRIVER] = "driver",
    [NITRO_CUDA_PCI] = "pci",
};

static const char *const fact_names[NITRO_CUDA_NUM_FACTS] = {
    [NITRO_CUDA_COMPUTE_CAPABILITY_MAJOR] = "compute_capability_major",
    [NITRO_CUDA_COMPUTE_CAPABILITY_MINOR] = "compute_capability_minor",
    [NITRO_CUDA_SM_COUNT] = "sm_count",
    [NITRO_CUDA_GLOBAL_MEM_BYTES] = "global_mem_bytes",
    [NITRO_CUDA_CLOCK_RATE_KHZ] = "clock_rate_khz",
    [NITRO_CUDA_MEM_CLOCK_RATE_KHZ] = "mem_clock_rate_khz",
    [NITRO_CUDA_MEM_BUS_WIDTH_BITS] = "mem_bus_width_bits",
    [NITRO_CUDA_L2_CACHE_SIZE_BYTES] = "l2_cache_size_bytes",
    [NITRO_CUDA_SHARED_MEM_PER_BLOCK_BYTES] = "shared_mem_per_block_bytes",
    [NITRO_CUDA_SHARED_MEM_PER_BLOCK_OPTIN_BYTES] = "shared_mem_per_block_optin_bytes",
    [NITRO_CUDA_SHARED_MEM_PER_SM_BYTES] = "shared_mem_per_sm_bytes",
    [NITRO_CUDA_REGISTERS_PER_BLOCK] = "registers_per_block",
    [NITRO_CUDA_REGISTERS_PER_SM] = "registers_per_sm",
    [NITRO_CUDA_THREADS_PER_BLOCK] = "threads_per_block",
    [NITRO_CUDA_THREADS_PER_SM] = "threads_per_sm",
    [NITRO_CUDA_BLOCKS_PER_SM] = "blocks_per_sm",
    [NITRO_CUDA_WARP_SIZE] = "warp_size",
    [NITRO_CUDA_COPY_ENGINES] = "copy_engines",
    [NITRO_CUDA_SP_TO_DP_RATIO] = "sp_to_dp_ratio",
    [NITRO_CUDA_ECC] = "ecc",
    [NITRO_CUDA_INTEGRATED] = "integrated",
    [NITRO_CUDA_DRIVER_VERSION] = "driver_version",
    [NITRO_CUDA_RUNTIME_VERSION] = "runtime_version",
    [NITRO_CUDA_NVML_MAX_SM_CLOCK_MHZ] = "nvml_max_sm_clock_mhz",
    [NITRO_CUDA_NVML_MAX_MEM_CLOCK_MHZ] = "nvml_max_mem_clock_mhz",
    [NITRO_CUDA_NVML_MEM_BUS_WIDTH_BITS] = "nvml_mem_bus_width_bits",
    [NITRO_CUDA_NVML_CUDA_CORES] = "nvml_cuda_cores",
    [NITRO_CUDA_NVML_MIG] = "nvml_mig",
    [NITRO_CUDA_NVML_POWER_LIMIT_MW] = "nvml_power_limit_mw",
};

static const char *const benchmark_names[NITRO_CUDA_NUM_BENCHMARKS] = {
    [NITRO_CUDA_COPY_GBPS] = "copy_gbps",
    [NITRO_CUDA_L2_GBPS] = "l2_gbps",
    [NITRO_CUDA_SHARED_ATOMIC] = "shared_atomic",
    [NITRO_CUDA_GLOBAL_ATOMIC] = "global_atomic",
    [NITRO_CUDA_SHARED_ATOMIC_SPREAD] = "shared_atomic_spread",
    [NITRO_CUDA_GLOBAL_ATOMIC_SPREAD] = "global_atomic_spread",
    [NITRO_CUDA_LAUNCH_US] = "launch_us",
    [NITRO_CUDA_SP_GFLOPS] = "sp_gflops",
    [NITRO_CUDA_DP_GFLOPS] = "dp_gflops",
};

const nitro_queried_kind nitro_cuda_kind = {
    .name = "cuda",
    .title = "CUDA device",
    .article = "a",
    .driver = "the CUDA driver",
    .texts = text_names,
    .values = fact_names,
    .benchmarks = benchmark_names,
    .num_texts = NITRO_CUDA_NUM_TEXTS,
    .num_values = NITRO_CUDA_NUM_FACTS,
    .num_benchmarks = NITRO_CUDA_NUM_BENCHMARKS,
    .is_built = &nitro_cuda_is_built,
    .format_id = nitro_cuda_format_id,
    .query = nitro_cuda_query,
    .measure = nitro_cuda_measure,
    .describe = nitro_cuda_describe,
};

NITRO_QUERIED_KIND_FUNCTIONS(&nitro_cuda_kind)

const nitro_device_kind nitro_device_kind_cuda = {
    .name = "cuda",
    .description = "NVIDIA GPUs of this machine",
    .priority = 5,
    .list = list,
    .describe = describe,
    .record = record,
    .replay = replay,
    .access = &nitro_cuda_access,
};
