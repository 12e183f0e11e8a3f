/* Device kind `opencl`: processors, GPUs and accelerators of all OpenCL platforms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "features/device/opencl/opencl_kind.h"
#include "features/device/slug.h"

#define MAX_SLUG 48

static const char *const text_names[NITRO_OPENCL_NUM_TEXTS] = {
    [NITRO_OPENCL_NAME] = "name",         [NITRO_OPENCL_VENDOR] = "vendor",
    [NITRO_OPENCL_VERSION] = "opencl",    [NITRO_OPENCL_DRIVER] = "driver",
    [NITRO_OPENCL_PLATFORM] = "platform", [NITRO_OPENCL_TYPE] = "type",
};
static const char *const fact_names[NITRO_OPENCL_NUM_FACTS] = {
    [NITRO_OPENCL_COMPUTE_UNITS] = "compute_units",
    [NITRO_OPENCL_CLOCK_MHZ] = "clock_mhz",
    [NITRO_OPENCL_GLOBAL_MEM_BYTES] = "global_mem_bytes",
    [NITRO_OPENCL_GLOBAL_CACHE_BYTES] = "global_cache_bytes",
    [NITRO_OPENCL_LOCAL_MEM_BYTES] = "local_mem_bytes",
    [NITRO_OPENCL_WORK_GROUP_SIZE] = "work_group_size",
    [NITRO_OPENCL_DOUBLE] = "double",
};
static const char *const benchmark_names[NITRO_OPENCL_NUM_BENCHMARKS] = {
    [NITRO_OPENCL_COPY_GBPS] = "copy_gbps",
    [NITRO_OPENCL_L2_GBPS] = "l2_gbps",
    [NITRO_OPENCL_SHARED_ATOMIC] = "shared_atomic",
    [NITRO_OPENCL_SHARED_ATOMIC_SPREAD] = "shared_atomic_spread",
    [NITRO_OPENCL_GLOBAL_ATOMIC] = "global_atomic",
    [NITRO_OPENCL_GLOBAL_ATOMIC_SPREAD] = "global_atomic_spread",
    [NITRO_OPENCL_LAUNCH_US] = "launch_us",
    [NITRO_OPENCL_SP_GFLOPS] = "sp_gflops",
    [NITRO_OPENCL_DP_GFLOPS] = "dp_gflops",
};

static void format_id(const char *name, char *id, size_t size)
{
    char slug[MAX_SLUG + 1];
    slug[nitro_slug_append(slug, MAX_SLUG, 0, name, strlen(name))] = '\0';
    snprintf(id, size, "opencl:%s", slug[0] ? slug : "unknown");
}

static nitro_status set_features(nitro_context *context, const nitro_facts *facts,
                                 nitro_device *device)
{
    static const struct {
        const char *feature;
        nitro_opencl_fact fact;
        double unit;
    } features[] = {
        {"sm_count", NITRO_OPENCL_COMPUTE_UNITS, 1},
        {"clock_rate", NITRO_OPENCL_CLOCK_MHZ, 1},
        {"global_mem", NITRO_OPENCL_GLOBAL_MEM_BYTES, 0x1p30},
        {"l2_cache_size", NITRO_OPENCL_GLOBAL_CACHE_BYTES, 1024},
        {"shared_mem_per_block", NITRO_OPENCL_LOCAL_MEM_BYTES, 1024},
        {"threads_per_block", NITRO_OPENCL_WORK_GROUP_SIZE, 1},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]) && status == NITRO_OK; i++) {
        double value = facts->values[features[i].fact];
        status = nitro_device_set(context, device, features[i].feature,
                                  value > 0 ? value / features[i].unit : NAN, NITRO_VALUE_QUERY, 0);
    }
    return status;
}

static nitro_status describe_facts(nitro_context *context, const nitro_facts *facts,
                                   nitro_device *device)
{
    static const struct {
        const char *label;
        nitro_opencl_text text;
    } labels[] = {{"vendor", NITRO_OPENCL_VENDOR},     {"model", NITRO_OPENCL_NAME},
                  {"driver", NITRO_OPENCL_DRIVER},     {"toolkit", NITRO_OPENCL_VERSION},
                  {"platform", NITRO_OPENCL_PLATFORM}, {"type", NITRO_OPENCL_TYPE}};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]) && status == NITRO_OK; i++)
        if (facts->texts[labels[i].text][0])
            status = nitro_device_set_label(context, device, labels[i].label,
                                            facts->texts[labels[i].text]);
    return status == NITRO_OK ? set_features(context, facts, device) : status;
}

const nitro_queried_kind nitro_opencl_kind = {
    .name = "opencl",
    .title = "OpenCL device",
    .article = "an",
    .driver = "OpenCL platforms",
    .texts = text_names,
    .values = fact_names,
    .benchmarks = benchmark_names,
    .num_texts = NITRO_OPENCL_NUM_TEXTS,
    .num_values = NITRO_OPENCL_NUM_FACTS,
    .num_benchmarks = NITRO_OPENCL_NUM_BENCHMARKS,
    .is_built = &nitro_opencl_is_built,
    .format_id = format_id,
    .query = nitro_opencl_query,
    .measure = nitro_opencl_measure,
    .describe = describe_facts,
};

NITRO_QUERIED_KIND_FUNCTIONS(&nitro_opencl_kind)

const nitro_device_kind nitro_device_kind_opencl = {
    .name = "opencl",
    .description = "devices of this machine's OpenCL platforms",
    .priority = 4,
    .list = list,
    .describe = describe,
    .record = record,
    .replay = replay,
    .access = &nitro_opencl_access,
};
