/* cuda_kind.h - shared by the files of device kind `cuda`. cuda_access.c, cuda_measure* and
 * cuda_query.c need the CUDA runtime; cuda_kind_stub.c replaces them in a build without it. */
#ifndef NITRO_FEATURES_DEVICE_CUDA_CUDA_KIND_H
#define NITRO_FEATURES_DEVICE_CUDA_CUDA_KIND_H

#include "features/device/facts.h"

/* ---- Facts ------------------------------------------------------------------------------------
 */

/** Texts that it reports. */
typedef enum nitro_cuda_text {
    NITRO_CUDA_NAME,   /* of the card: "NVIDIA H200" */
    NITRO_CUDA_DRIVER, /* version, by NVML: "580.82.07" */
    NITRO_CUDA_PCI,    /* "0000:17:00.0" */
    NITRO_CUDA_NUM_TEXTS
} nitro_cuda_text;

/** Values that the driver (CUDA runtime or NVML) reports of a device, in its units. */
typedef enum nitro_cuda_fact {
    NITRO_CUDA_COMPUTE_CAPABILITY_MAJOR,
    NITRO_CUDA_COMPUTE_CAPABILITY_MINOR,
    NITRO_CUDA_SM_COUNT,
    NITRO_CUDA_GLOBAL_MEM_BYTES,
    NITRO_CUDA_CLOCK_RATE_KHZ,
    NITRO_CUDA_MEM_CLOCK_RATE_KHZ,
    NITRO_CUDA_MEM_BUS_WIDTH_BITS,
    NITRO_CUDA_L2_CACHE_SIZE_BYTES,
    NITRO_CUDA_SHARED_MEM_PER_BLOCK_BYTES,
    NITRO_CUDA_SHARED_MEM_PER_BLOCK_OPTIN_BYTES,
    NITRO_CUDA_SHARED_MEM_PER_SM_BYTES,
    NITRO_CUDA_REGISTERS_PER_BLOCK,
    NITRO_CUDA_REGISTERS_PER_SM,
    NITRO_CUDA_THREADS_PER_BLOCK,
    NITRO_CUDA_THREADS_PER_SM,
    NITRO_CUDA_BLOCKS_PER_SM,
    NITRO_CUDA_WARP_SIZE,
    NITRO_CUDA_COPY_ENGINES,
    NITRO_CUDA_SP_TO_DP_RATIO,
    NITRO_CUDA_ECC,             /* 1: on */
    NITRO_CUDA_INTEGRATED,      /* 1: shares the host's memory */
    NITRO_CUDA_DRIVER_VERSION,  /* of CUDA, that the driver supports: 13000 is 13.0 */
    NITRO_CUDA_RUNTIME_VERSION, /* of CUDA, that this library was built with */
    /* From NVML, if installed. */
    NITRO_CUDA_NVML_MAX_SM_CLOCK_MHZ,
    NITRO_CUDA_NVML_MAX_MEM_CLOCK_MHZ,
    NITRO_CUDA_NVML_MEM_BUS_WIDTH_BITS,
    NITRO_CUDA_NVML_CUDA_CORES,
    NITRO_CUDA_NVML_MIG, /* 1: on */
    NITRO_CUDA_NVML_POWER_LIMIT_MW,
    NITRO_CUDA_NUM_FACTS
} nitro_cuda_fact;

/** Microbenchmarks; each is a device feature (cuda_measure.c documents what is timed).
 */
typedef enum nitro_cuda_benchmark {
    NITRO_CUDA_COPY_GBPS,
    NITRO_CUDA_L2_GBPS,
    NITRO_CUDA_SHARED_ATOMIC,
    NITRO_CUDA_GLOBAL_ATOMIC,
    NITRO_CUDA_SHARED_ATOMIC_SPREAD,
    NITRO_CUDA_GLOBAL_ATOMIC_SPREAD,
    NITRO_CUDA_LAUNCH_US,
    NITRO_CUDA_SP_GFLOPS,
    NITRO_CUDA_DP_GFLOPS,
    NITRO_CUDA_NUM_BENCHMARKS
} nitro_cuda_benchmark;

extern const nitro_queried_kind nitro_cuda_kind;

/* ---- Known without a query -------------------------------------------------------------- */

/** By compute capability. */
typedef struct nitro_cuda_architecture {
    int major, minor;
    const char *name;  /* "Hopper" */
    double generation; /* Fermi is 1 */
    double cores_per_sm;
    double sp_to_dp_ratio; /* NaN where cards of the architecture differ */
} nitro_cuda_architecture;

/** NULL: unknown. */
const nitro_cuda_architecture *nitro_cuda_architecture_find(double major, double minor);

/** A row of data/devices/nvidia.csv; NaN and "": not published. */
typedef struct nitro_cuda_card {
    char name[NITRO_FACTS_TEXT_SIZE]; /* the one that was matched */
    char chip[32];
    char architecture[32];
    double compute_capability, sm_count, cuda_cores;
    double base_clock, boost_clock, mem_clock_rate; /* MHz */
    double mem_bus_width;                           /* bits */
    double l2_cache_size;                           /* KB */
    double global_mem;                              /* GB */
    double peak_gbps, peak_gflops_sp, peak_gflops_dp;
} nitro_cuda_card;

/** The whole table. @param[out] cards  shape [count], a row a name; free with free(). */
nitro_status nitro_cuda_cards_read(nitro_context *context, nitro_cuda_card **cards, size_t *count);

/** Find a name in the table, ignoring case, spaces and "NVIDIA"; NULL: not found. */
const nitro_cuda_card *nitro_cuda_card_find(const nitro_cuda_card *cards, size_t count,
                                            const char *name);

/* ---- The device ---------------------------------------------------------------------------------
 */

/** Write the id of a card: "cuda:nvidia-h200". @param[out] id  shape [size], 64 is enough. */
void nitro_cuda_format_id(const char *name, char *id, size_t size);

/** Add queried, published and computed features. */
nitro_status nitro_cuda_describe(nitro_context *context, const nitro_facts *facts,
                                 nitro_device *device);

/* ---- With the CUDA runtime ------------------------------------------------------------------ */

/** Without it, the following functions fail with NITRO_ERR_NOT_BUILT. */
extern const bool nitro_cuda_is_built;

/**
 * Query the driver in this process, which must not fork afterwards.
 * @param[out] facts  shape [count], count >= 1; free with free().
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND: no driver, a too old driver, or no GPU; the error says
 * which.
 */
nitro_status nitro_cuda_query(nitro_context *context, nitro_facts **facts, size_t *count);

/** Run the microbenchmarks on the device of these facts, in this process: seconds. */
nitro_status nitro_cuda_measure(nitro_context *context, nitro_facts *facts);

extern const nitro_device_access nitro_cuda_access;

extern const nitro_device_kind nitro_device_kind_cuda;

#endif
