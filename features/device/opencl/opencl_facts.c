/* Facts of OpenCL devices as JSON: the result of a query's child process, and of a recorded query.
 *
 *      {"format": "nitro-opencl-query", "version": 1, "texts": {"name": "Tahiti", ...}, "index": 0,
 *       "facts": {"compute_units": 32, ...}, "measured": {"copy_gbps": {"value": 190.5, ...}}}
 *
 * Facts that are absent are unknown. An unknown key is an error: it would be a mistyped one. */
#include <math.h>
#include <stdlib.h>

#include "features/device/facts.h"
#include "features/device/opencl/opencl_kind.h"

#define FORMAT      "nitro-opencl-query"
#define VERSION     1
#define MAX_DEVICES 1024

static const char *const text_names[NITRO_OPENCL_NUM_TEXTS] = {
    [NITRO_OPENCL_NAME] = "name",         [NITRO_OPENCL_VENDOR] = "vendor",
    [NITRO_OPENCL_VERSION] = "version",   [NITRO_OPENCL_DRIVER] = "driver",
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
    [NITRO_OPENCL_COPY_GBPS] = "copy_gbps",         [NITRO_OPENCL_SHARED_ATOMIC] = "shared_atomic",
    [NITRO_OPENCL_GLOBAL_ATOMIC] = "global_atomic", [NITRO_OPENCL_LAUNCH_US] = "launch_us",
    [NITRO_OPENCL_SP_GFLOPS] = "sp_gflops",         [NITRO_OPENCL_DP_GFLOPS] = "dp_gflops",
};

void nitro_opencl_facts_init(nitro_opencl_facts *facts)
{
    *facts = (nitro_opencl_facts){0};
    for (size_t i = 0; i < NITRO_OPENCL_NUM_FACTS; i++)
        facts->values[i] = NAN;
    for (size_t i = 0; i < NITRO_OPENCL_NUM_BENCHMARKS; i++)
        facts->measured[i] = NAN;
}

static json_t *facts_json(const nitro_opencl_facts *facts)
{
    json_t *texts = json_object();
    for (size_t i = 0; i < NITRO_OPENCL_NUM_TEXTS; i++)
        json_object_set_new(texts, text_names[i], nitro_facts_text(facts->texts[i]));
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "format", FORMAT, "version", VERSION,
                     "texts", texts, "index", nitro_facts_number(facts->index), "facts",
                     nitro_facts_values(fact_names, facts->values, NITRO_OPENCL_NUM_FACTS),
                     "measured",
                     nitro_facts_measured(benchmark_names, facts->measured, facts->spread,
                                          NITRO_OPENCL_NUM_BENCHMARKS));
}

nitro_status nitro_opencl_facts_print_all(nitro_context *context, const nitro_opencl_facts *facts,
                                          size_t count, char **text)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, facts_json(&facts[i]));
    return nitro_facts_print(context, array, JSON_COMPACT, text);
}

nitro_status nitro_opencl_facts_print(nitro_context *context, const nitro_opencl_facts *facts,
                                      char **text)
{
    return nitro_facts_print(context, facts_json(facts), JSON_INDENT(2), text);
}

static nitro_status parse_texts(const nitro_json_place *place, const json_t *object,
                                nitro_opencl_facts *facts)
{
    nitro_status status = nitro_json_check_keys(place, object, text_names, NITRO_OPENCL_NUM_TEXTS);
    for (size_t i = 0; i < NITRO_OPENCL_NUM_TEXTS && status == NITRO_OK; i++)
        status = nitro_facts_copy_text(place, object, text_names[i], facts->texts[i],
                                       NITRO_OPENCL_NAME_SIZE);
    return status;
}

static nitro_status parse_object(const nitro_json_place *place, const json_t *top,
                                 nitro_opencl_facts *facts)
{
    static const char *const keys[] = {"format", "version", "texts", "index", "facts", "measured"};
    json_t *texts, *values, *measured;
    size_t index = 0;
    nitro_opencl_facts_init(facts);
    nitro_status status =
        nitro_json_check_format(place, top, FORMAT, VERSION, "recorded query of an OpenCL device");
    if (status == NITRO_OK)
        status = nitro_json_check_keys(place, top, keys, sizeof(keys) / sizeof(keys[0]));
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "texts", JSON_OBJECT, &texts);
    if (status == NITRO_OK)
        status = nitro_json_count(place, top, "index", 0, MAX_DEVICES, &index);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "facts", JSON_OBJECT, &values);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "measured", JSON_OBJECT, &measured);
    facts->index = (double)index;
    const nitro_json_place in_texts = {place->context, place->path, "texts"};
    const nitro_json_place in_facts = {place->context, place->path, "facts"};
    const nitro_json_place in_measured = {place->context, place->path, "measured"};
    if (status == NITRO_OK)
        status = parse_texts(&in_texts, texts, facts);
    if (status == NITRO_OK)
        status = nitro_facts_parse_values(&in_facts, values, fact_names, NITRO_OPENCL_NUM_FACTS,
                                          facts->values);
    return status == NITRO_OK ? nitro_facts_parse_measured(&in_measured, measured, benchmark_names,
                                                           NITRO_OPENCL_NUM_BENCHMARKS,
                                                           facts->measured, facts->spread)
                              : status;
}

static nitro_status parse_all(const nitro_json_place *place, const json_t *top,
                              nitro_opencl_facts **facts, size_t *count)
{
    size_t num_devices = json_is_array(top) ? json_array_size(top) : 1;
    if (num_devices > MAX_DEVICES)
        return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: %zu devices are too many",
                          place->path, num_devices);
    nitro_opencl_facts *parsed =
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

nitro_status nitro_opencl_facts_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_opencl_facts **facts, size_t *count)
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

/* ---- The device ---- */

static nitro_status set_features(nitro_context *context, const nitro_opencl_facts *facts,
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
    for (size_t i = 0; i < NITRO_OPENCL_NUM_BENCHMARKS && status == NITRO_OK; i++)
        status = nitro_device_set(context, device, benchmark_names[i], facts->measured[i],
                                  NITRO_VALUE_MEASURED, facts->spread[i]);
    return status;
}

nitro_status nitro_opencl_make_device(nitro_context *context, const nitro_opencl_facts *facts,
                                      nitro_device **device)
{
    static const struct {
        const char *label;
        nitro_opencl_text text;
    } labels[] = {{"vendor", NITRO_OPENCL_VENDOR},     {"model", NITRO_OPENCL_NAME},
                  {"driver", NITRO_OPENCL_DRIVER},     {"toolkit", NITRO_OPENCL_VERSION},
                  {"platform", NITRO_OPENCL_PLATFORM}, {"type", NITRO_OPENCL_TYPE}};
    nitro_device *created = NULL;
    char id[80];
    nitro_opencl_format_id(facts, id, sizeof(id));
    nitro_status status = nitro_device_create(context, id, "opencl", &created);
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]) && status == NITRO_OK; i++)
        if (facts->texts[labels[i].text][0])
            status = nitro_device_set_label(context, created, labels[i].label,
                                            facts->texts[labels[i].text]);
    if (status == NITRO_OK)
        status = set_features(context, facts, created);
    if (status == NITRO_OK)
        *device = created;
    else
        nitro_device_free(created);
    return status;
}
