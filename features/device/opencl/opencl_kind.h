/* opencl_kind.h - shared by the files of device kind `opencl`. opencl_stub.c replaces what calls
 * OpenCL in a build without its headers. */
#ifndef NITRO_FEATURES_DEVICE_OPENCL_OPENCL_KIND_H
#define NITRO_FEATURES_DEVICE_OPENCL_OPENCL_KIND_H

#include "features/device/facts.h"

/** Texts that a platform reports of a device. */
typedef enum nitro_opencl_text {
    NITRO_OPENCL_NAME, /* "pthread-skylake-avx512-Intel Xeon" */
    NITRO_OPENCL_VENDOR,
    NITRO_OPENCL_VERSION, /* of OpenCL, and the platform's own */
    NITRO_OPENCL_DRIVER,
    NITRO_OPENCL_PLATFORM,
    NITRO_OPENCL_TYPE, /* "cpu", "gpu", "accelerator", "other" */
    NITRO_OPENCL_NUM_TEXTS
} nitro_opencl_text;

/** Numbers that it reports. */
typedef enum nitro_opencl_fact {
    NITRO_OPENCL_COMPUTE_UNITS,
    NITRO_OPENCL_CLOCK_MHZ,
    NITRO_OPENCL_GLOBAL_MEM_BYTES,
    NITRO_OPENCL_GLOBAL_CACHE_BYTES,
    NITRO_OPENCL_LOCAL_MEM_BYTES,
    NITRO_OPENCL_WORK_GROUP_SIZE,
    NITRO_OPENCL_DOUBLE, /* 1: double precision */
    NITRO_OPENCL_NUM_FACTS
} nitro_opencl_fact;

/** Microbenchmarks; each is a device feature (opencl_measure.c documents what is timed). */
typedef enum nitro_opencl_benchmark {
    NITRO_OPENCL_COPY_GBPS,
    NITRO_OPENCL_L2_GBPS,
    NITRO_OPENCL_SHARED_ATOMIC,
    NITRO_OPENCL_SHARED_ATOMIC_SPREAD,
    NITRO_OPENCL_GLOBAL_ATOMIC,
    NITRO_OPENCL_GLOBAL_ATOMIC_SPREAD,
    NITRO_OPENCL_LAUNCH_US,
    NITRO_OPENCL_SP_GFLOPS,
    NITRO_OPENCL_DP_GFLOPS,
    NITRO_OPENCL_NUM_BENCHMARKS
} nitro_opencl_benchmark;

extern const nitro_queried_kind nitro_opencl_kind;

/* ---- With OpenCL ----------------------------------------------------------------------------- */

/** Without its headers, the following functions fail with NITRO_ERR_NOT_BUILT. */
extern const bool nitro_opencl_is_built;

/** Query the platforms in this process, which must not fork afterwards.
 *  @param[out] facts  shape [count], count >= 1; free with free().
 *  @return NITRO_OK; NITRO_ERR_NOT_FOUND: the error says what is missing. */
nitro_status nitro_opencl_query(nitro_context *context, nitro_facts **facts, size_t *count);
/** Run the microbenchmarks on the device of these facts, in this process: seconds. */
nitro_status nitro_opencl_measure(nitro_context *context, nitro_facts *facts);

extern const nitro_device_access nitro_opencl_access;
extern const nitro_device_kind nitro_device_kind_opencl;

#endif
