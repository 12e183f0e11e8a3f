/* Devices as records: id, kind, device features (missing ones are absent), and labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

static const nitro_device_feature_info feature_table[] = {
    /* The paper's Table 1. */
    {"global_mem", "GB", NITRO_SCALE_LINEAR, false, "device memory"},
    {"cuda_cores", "cores", NITRO_SCALE_LINEAR, false, "arithmetic cores (lanes) in all"},
    {"clock_rate", "MHz", NITRO_SCALE_LINEAR, false, "core clock"},
    {"mem_clock_rate", "MHz", NITRO_SCALE_LINEAR, false, "memory clock"},
    {"mem_bus_width", "bits", NITRO_SCALE_LINEAR, false, "width of the memory bus"},
    {"l2_cache_size", "KB", NITRO_SCALE_LINEAR, false, "level-2 cache, in total"},
    {"shared_mem_per_block", "KB", NITRO_SCALE_LINEAR, false, "shared memory a block may use"},
    {"copy_engines", "engines", NITRO_SCALE_LINEAR, false, "asynchronous copy engines"},
    {"peak_gbps", "GB/s", NITRO_SCALE_LINEAR, false, "theoretical memory bandwidth"},
    {"peak_gflops_sp", "GFLOP/s", NITRO_SCALE_LINEAR, false, "theoretical single precision"},
    {"peak_gflops_dp", "GFLOP/s", NITRO_SCALE_LINEAR, false, "theoretical double precision"},
    {"shared_atomic", "ms", NITRO_SCALE_LINEAR, false, "2^15 atomics in shared memory, benchmark"},
    {"global_atomic", "ms", NITRO_SCALE_LINEAR, false, "2^15 atomics in global memory, benchmark"},
    /* Ours. */
    {"sm_count", "SMs", NITRO_SCALE_LINEAR, false, "multiprocessors (host: cores)"},
    {"l3_cache_size", "KB", NITRO_SCALE_LINEAR, false, "level-3 cache, in total (host)"},
    {"hw_threads", "threads", NITRO_SCALE_LINEAR, false, "hardware threads (host)"},
    {"numa_nodes", "nodes", NITRO_SCALE_LINEAR, false, "memory nodes (host)"},
    {"simd_width", "bits", NITRO_SCALE_LINEAR, false, "width of a core's arithmetic units (host)"},
    {"shared_mem_per_sm", "KB", NITRO_SCALE_LINEAR, false, "shared memory of a multiprocessor"},
    {"registers_per_sm", "registers", NITRO_SCALE_LINEAR, false,
     "32-bit registers of a multiprocessor"},
    {"threads_per_sm", "threads", NITRO_SCALE_LINEAR, false, "maximum threads of a multiprocessor"},
    {"threads_per_block", "threads", NITRO_SCALE_LINEAR, false, "maximum threads of a block"},
    {"copy_gbps", "GB/s", NITRO_SCALE_LINEAR, false, "copy bandwidth, benchmark"},
    {"l2_gbps", "GB/s", NITRO_SCALE_LINEAR, false,
     "read bandwidth of the level-2 cache, benchmark"},
    {"sp_gflops", "GFLOP/s", NITRO_SCALE_LINEAR, false, "single precision achieved, benchmark"},
    {"dp_gflops", "GFLOP/s", NITRO_SCALE_LINEAR, false, "double precision achieved, benchmark"},
    {"launch_us", "us", NITRO_SCALE_LINEAR, false,
     "launch and completion of an empty kernel, benchmark"},
    {"shared_atomic_spread", "ms", NITRO_SCALE_LINEAR, false,
     "2^15 atomics over 256 shared counters, benchmark"},
    {"global_atomic_spread", "ms", NITRO_SCALE_LINEAR, false,
     "2^15 atomics over 256 global counters, benchmark"},
    {"compute_capability", "1", NITRO_SCALE_LINEAR, true, "version of the instruction set"},
    {"generation", "1", NITRO_SCALE_LINEAR, true, "number of the architecture's generation"},
    {"year", "1", NITRO_SCALE_LINEAR, true, "year of introduction"},
    {NULL, NULL, NITRO_SCALE_AUTO, false, NULL},
};

const nitro_device_feature_info *nitro_device_feature_lookup(const char *name)
{
    for (const nitro_device_feature_info *info = feature_table; info->name; info++)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}

static const char *const source_names[] = {
    [NITRO_VALUE_RECORDED] = "recorded", [NITRO_VALUE_QUERY] = "query",
    [NITRO_VALUE_STATIC] = "static",     [NITRO_VALUE_COMPUTED] = "computed",
    [NITRO_VALUE_MEASURED] = "measured",
};
#define NUM_SOURCES (sizeof(source_names) / sizeof(source_names[0]))

const char *nitro_value_source_name(nitro_value_source source)
{
    return (size_t)source < NUM_SOURCES ? source_names[source] : "unknown";
}

bool nitro_value_source_from_name(const char *name, nitro_value_source *source)
{
    for (size_t i = 0; i < NUM_SOURCES; i++) {
        if (strcmp(source_names[i], name) == 0) {
            *source = (nitro_value_source)i;
            return true;
        }
    }
    return false;
}

nitro_status nitro_device_create(nitro_context *context, const char *id, const char *kind,
                                 nitro_device **device)
{
    if (!nitro_device_id_is_valid(id))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'%.80s' is not a valid device id: use 1 to 63 of [A-Za-z0-9_.:@+-]",
                          id ? id : "(null)");
    if (!nitro_name_is_valid(kind))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "device %s: '%.80s' is not a valid device kind", id,
                          kind ? kind : "(null)");
    nitro_device *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->id = nitro_strdup(context, id);
    created->kind = nitro_strdup(context, kind);
    if (!created->id || !created->kind) {
        nitro_device_free(created);
        return NITRO_ERR_NO_MEMORY;
    }
    *device = created;
    return NITRO_OK;
}

void nitro_device_free(nitro_device *device)
{
    if (!device)
        return;
    for (size_t i = 0; i < device->num_features; i++)
        free(device->features[i].name);
    for (size_t i = 0; i < device->num_labels; i++) {
        free(device->labels[i].name);
        free(device->labels[i].text);
    }
    free(device->features);
    free(device->labels);
    free(device->kind);
    free(device->id);
    free(device);
}

static nitro_device_feature *find_feature(const nitro_device *device, const char *name)
{
    for (size_t i = 0; i < device->num_features; i++)
        if (strcmp(device->features[i].name, name) == 0)
            return &device->features[i];
    return NULL;
}

static void remove_feature(nitro_device *device, nitro_device_feature *feature)
{
    free(feature->name);
    size_t after = (size_t)(device->features + device->num_features - (feature + 1));
    memmove(feature, feature + 1, after * sizeof(*feature));
    device->num_features--;
}

static nitro_device_feature *append_feature(nitro_context *context, nitro_device *device,
                                            const char *name)
{
    size_t count = device->num_features + 1;
    nitro_device_feature *grown = realloc(device->features, count * sizeof(*grown));
    if (grown)
        device->features = grown;
    char *copy = grown ? strdup(name) : NULL;
    if (!copy) {
        nitro_fail(context, NITRO_ERR_NO_MEMORY, "device %s: out of memory for feature %s",
                   device->id, name);
        return NULL;
    }
    device->num_features = count;
    grown[count - 1].name = copy;
    return &grown[count - 1];
}

nitro_status nitro_device_set(nitro_context *context, nitro_device *device, const char *feature,
                              double value, nitro_value_source source, double spread)
{
    if (!nitro_name_is_valid(feature))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "device %s: '%.80s' is not a valid feature name", device->id,
                          feature ? feature : "(null)");
    if (isinf(value))
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "device %s: feature %s is infinite",
                          device->id, feature);
    nitro_device_feature *entry = find_feature(device, feature);
    if (isnan(value)) {
        if (entry)
            remove_feature(device, entry);
        return NITRO_OK;
    }
    if (!entry)
        entry = append_feature(context, device, feature);
    if (!entry)
        return NITRO_ERR_NO_MEMORY;
    entry->value = value;
    entry->source = source;
    entry->spread = spread;
    return NITRO_OK;
}

double nitro_device_value(const nitro_device *device, const char *feature)
{
    const nitro_device_feature *entry = find_feature(device, feature);
    return entry ? entry->value : NAN;
}

nitro_status nitro_device_set_label(nitro_context *context, nitro_device *device, const char *name,
                                    const char *text)
{
    if (!nitro_name_is_valid(name))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "device %s: '%.80s' is not a valid label name", device->id,
                          name ? name : "(null)");
    char *text_copy = nitro_strdup(context, text ? text : "");
    if (!text_copy)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < device->num_labels; i++) {
        if (strcmp(device->labels[i].name, name) == 0) {
            free(device->labels[i].text);
            device->labels[i].text = text_copy;
            return NITRO_OK;
        }
    }
    char *name_copy = strdup(name);
    nitro_label *grown = realloc(device->labels, (device->num_labels + 1) * sizeof(*grown));
    if (grown)
        device->labels = grown;
    if (!name_copy || !grown) {
        free(name_copy);
        free(text_copy);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "device %s: out of memory for label %s",
                          device->id, name);
    }
    grown[device->num_labels++] = (nitro_label){.name = name_copy, .text = text_copy};
    return NITRO_OK;
}

const char *nitro_device_label(const nitro_device *device, const char *name)
{
    for (size_t i = 0; i < device->num_labels; i++)
        if (strcmp(device->labels[i].name, name) == 0)
            return device->labels[i].text;
    return NULL;
}

nitro_status nitro_device_copy(nitro_context *context, const nitro_device *from,
                               nitro_device **device)
{
    nitro_device *copy = NULL;
    nitro_status status = nitro_device_create(context, from->id, from->kind, &copy);
    for (size_t i = 0; i < from->num_features && status == NITRO_OK; i++) {
        const nitro_device_feature *feature = &from->features[i];
        status = nitro_device_set(context, copy, feature->name, feature->value, feature->source,
                                  feature->spread);
    }
    for (size_t i = 0; i < from->num_labels && status == NITRO_OK; i++)
        status = nitro_device_set_label(context, copy, from->labels[i].name, from->labels[i].text);
    if (status != NITRO_OK) {
        nitro_device_free(copy);
        return status;
    }
    *device = copy;
    return NITRO_OK;
}

bool nitro_device_is_same(const nitro_device *a, const nitro_device *b)
{
    const char *of_a = nitro_device_label(a, NITRO_LABEL_SAME_AS);
    const char *of_b = nitro_device_label(b, NITRO_LABEL_SAME_AS);
    const char *stack_of_a = nitro_device_label(a, "software");
    const char *stack_of_b = nitro_device_label(b, "software");
    if (strcmp(a->id, b->id) == 0)
        return true;
    return strcmp(of_a ? of_a : a->id, of_b ? of_b : b->id) == 0 &&
           !(stack_of_a && stack_of_b && strcmp(stack_of_a, stack_of_b) != 0);
}
