/* opencl_kind.h - shared by the files of device kind `opencl`. Querying a device (facts) and
 * describing it are two steps: facts come from the platforms, in a child process, or from a
 * recorded query. opencl_stub.c replaces what calls OpenCL in a build without its headers. */
#ifndef NITRO_FEATURES_DEVICE_OPENCL_OPENCL_KIND_H
#define NITRO_FEATURES_DEVICE_OPENCL_OPENCL_KIND_H

#include "nitro/nitro_backend.h"

#define NITRO_OPENCL_NAME_SIZE 256

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
    NITRO_OPENCL_SHARED_ATOMIC,
    NITRO_OPENCL_GLOBAL_ATOMIC,
    NITRO_OPENCL_LAUNCH_US,
    NITRO_OPENCL_SP_GFLOPS,
    NITRO_OPENCL_DP_GFLOPS,
    NITRO_OPENCL_NUM_BENCHMARKS
} nitro_opencl_benchmark;

typedef struct nitro_opencl_facts {
    char texts[NITRO_OPENCL_NUM_TEXTS][NITRO_OPENCL_NAME_SIZE];
    double index;                                 /* among the devices of all platforms */
    double values[NITRO_OPENCL_NUM_FACTS];        /* >= 0; NaN: unknown */
    double measured[NITRO_OPENCL_NUM_BENCHMARKS]; /* positive; NaN: not measured */
    double spread[NITRO_OPENCL_NUM_BENCHMARKS];
} nitro_opencl_facts;

/** All unknown. */
void nitro_opencl_facts_init(nitro_opencl_facts *facts);
/** Facts of several devices as JSON, an array; free with free(). */
nitro_status nitro_opencl_facts_print_all(nitro_context *context, const nitro_opencl_facts *facts,
                                          size_t count, char **text);
/** Facts of one device, an indented object. */
nitro_status nitro_opencl_facts_print(nitro_context *context, const nitro_opencl_facts *facts,
                                      char **text);
/** Parse either form. @param[out] facts  shape [count]; free with free().
 *  @return NITRO_OK; NITRO_ERR_NEWER; NITRO_ERR_FORMAT: origin and line or field are named. */
nitro_status nitro_opencl_facts_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_opencl_facts **facts, size_t *count);

/** "opencl:pthread-skylake-avx512-intel-xeon"; @param[out] id  shape [size], 64 is enough. */
void nitro_opencl_format_id(const nitro_opencl_facts *facts, char *id, size_t size);
/** Index of the device that an id names ("opencl", "opencl:1", or as above), or NITRO_NONE. */
size_t nitro_opencl_find(const nitro_opencl_facts *facts, size_t count, const char *id);
nitro_status nitro_opencl_make_device(nitro_context *context, const nitro_opencl_facts *facts,
                                      nitro_device **device);

/* ---- With OpenCL ----------------------------------------------------------------------------- */

/** Without its headers, the following functions fail with NITRO_ERR_NOT_BUILT. */
extern const bool nitro_opencl_is_built;

/** Query the platforms in this process, which must not fork afterwards.
 *  @param[out] facts  shape [count], count >= 1; free with free().
 *  @return NITRO_OK; NITRO_ERR_NOT_FOUND: the error says what is missing. */
nitro_status nitro_opencl_query(nitro_context *context, nitro_opencl_facts **facts, size_t *count);
/** Run the microbenchmarks on the device of these facts, in this process: seconds. */
nitro_status nitro_opencl_measure(nitro_context *context, nitro_opencl_facts *facts);

extern const nitro_device_access nitro_opencl_access;
extern const nitro_device_kind nitro_device_kind_opencl;

#endif
