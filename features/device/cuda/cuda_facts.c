/* Facts of CUDA devices as JSON: the result of a query's child process, and of a recorded query.
 *
 *      {"format": "nitro-cuda-query", "version": 1, "name": "NVIDIA H200", "driver": "580.82.07",
 *       "pci": "0000:17:00.0", "index": 0, "facts": {"sm_count": 132, ...},
 *       "measured": {"copy_gbps": {"value": 4100.5, "spread": 0.002}}}
 *
 * Facts that are absent are unknown. An unknown key is an error: it would be a mistyped one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/cuda/cuda_kind.h"
#include "features/device/facts.h"

#define FORMAT      "nitro-cuda-query"
#define VERSION     1
#define MAX_DEVICES 1024

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

const char *nitro_cuda_benchmark_name(nitro_cuda_benchmark benchmark)
{
    return benchmark_names[benchmark];
}

void nitro_cuda_facts_init(nitro_cuda_facts *facts)
{
    *facts = (nitro_cuda_facts){0};
    for (size_t i = 0; i < NITRO_CUDA_NUM_FACTS; i++)
        facts->values[i] = NAN;
    for (size_t i = 0; i < NITRO_CUDA_NUM_BENCHMARKS; i++)
        facts->measured[i] = NAN;
}

static json_t *facts_json(const nitro_cuda_facts *facts)
{
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "format", FORMAT, "version", VERSION, "name",
        nitro_facts_text(facts->name), "driver", nitro_facts_text(facts->driver), "pci",
        nitro_facts_text(facts->pci), "index", nitro_facts_number(facts->index), "facts",
        nitro_facts_values(fact_names, facts->values, NITRO_CUDA_NUM_FACTS), "measured",
        nitro_facts_measured(benchmark_names, facts->measured, facts->spread,
                             NITRO_CUDA_NUM_BENCHMARKS));
}

nitro_status nitro_cuda_facts_print_all(nitro_context *context, const nitro_cuda_facts *facts,
                                        size_t count, char **text)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, facts_json(&facts[i]));
    return nitro_facts_print(context, array, JSON_COMPACT, text);
}

nitro_status nitro_cuda_facts_print(nitro_context *context, const nitro_cuda_facts *facts,
                                    char **text)
{
    return nitro_facts_print(context, facts_json(facts), JSON_INDENT(2), text);
}

static nitro_status parse_object(const nitro_json_place *place, const json_t *top,
                                 nitro_cuda_facts *facts)
{
    static const char *const keys[] = {"format", "version", "name",  "driver",
                                       "pci",    "index",   "facts", "measured"};
    json_t *values, *measured;
    size_t index = 0;
    nitro_cuda_facts_init(facts);
    nitro_status status =
        nitro_json_check_format(place, top, FORMAT, VERSION, "recorded query of a CUDA device");
    if (status == NITRO_OK)
        status = nitro_json_check_keys(place, top, keys, sizeof(keys) / sizeof(keys[0]));
    if (status == NITRO_OK)
        status = nitro_facts_copy_text(place, top, "name", facts->name, sizeof(facts->name));
    if (status == NITRO_OK)
        status = nitro_facts_copy_text(place, top, "driver", facts->driver, sizeof(facts->driver));
    if (status == NITRO_OK)
        status = nitro_facts_copy_text(place, top, "pci", facts->pci, sizeof(facts->pci));
    if (status == NITRO_OK)
        status = nitro_json_count(place, top, "index", 0, MAX_DEVICES, &index);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "facts", JSON_OBJECT, &values);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "measured", JSON_OBJECT, &measured);
    facts->index = (double)index;
    const nitro_json_place in_facts = {place->context, place->path, "facts"};
    const nitro_json_place in_measured = {place->context, place->path, "measured"};
    if (status == NITRO_OK)
        status = nitro_facts_parse_values(&in_facts, values, fact_names, NITRO_CUDA_NUM_FACTS,
                                          facts->values);
    return status == NITRO_OK ? nitro_facts_parse_measured(&in_measured, measured, benchmark_names,
                                                           NITRO_CUDA_NUM_BENCHMARKS,
                                                           facts->measured, facts->spread)
                              : status;
}

static nitro_status parse_all(const nitro_json_place *place, const json_t *top,
                              nitro_cuda_facts **facts, size_t *count)
{
    size_t num_devices = json_is_array(top) ? json_array_size(top) : 1;
    if (num_devices > MAX_DEVICES)
        return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: %zu devices are too many",
                          place->path, num_devices);
    nitro_cuda_facts *parsed =
        nitro_calloc(place->context, num_devices ? num_devices : 1, sizeof(*parsed));
    nitro_status status = parsed ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_devices && status == NITRO_OK; i++)
        status = parse_object(place, json_is_array(top) ? json_array_get(top, i) : top, &parsed[i]);
    if (status != NITRO_OK) {
        free(parsed);
        return status;
    }
    *facts = parsed;
    *count = num_devices;
    return NITRO_OK;
}

nitro_status nitro_cuda_facts_parse(nitro_context *context, const char *origin, const char *text,
                                    size_t size, nitro_cuda_facts **facts, size_t *count)
{
    json_error_t error;
    json_t *top = nitro_json_parse(text, size, 0, &error);
    if (!top)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s:%d:%d: %s", origin, error.line,
                          error.column, error.text);
    const nitro_json_place place = {context, origin, ""};
    nitro_status status = parse_all(&place, top, facts, count);
    json_decref(top);
    return status;
}
