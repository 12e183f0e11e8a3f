/* Describes this machine's processor as a device, with hwloc. Columns of a table made for GPUs are
 * filled as for the recorded Xeon: cores are cuda_cores and multiprocessors, l2_cache_size is the
 * sum over cores. Counts what this process's cgroup may use, on all packages. Missing:
 * mem_clock_rate, mem_bus_width and peak_gbps where only root may read them or a virtual machine
 * reports synthetic ones, and what a host does not have. */
#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "features/device/host/host_kind.h"
#include "features/device/slug.h"

#define MAX_SLUG 40

/* Words of a model's name without information: "CPU", "Processor", "64-Core". */
static bool is_noise(const char *word, size_t length)
{
    static const char *const noise[] = {"cpu", "processor", "-core", "with", "radeon", "graphics"};
    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
        size_t noise_length = strlen(noise[i]);
        if (noise[i][0] == '-' ? length > noise_length : length == noise_length)
            if (strncasecmp(word + length - noise_length, noise[i], noise_length) == 0)
                return true;
    }
    return false;
}

void nitro_host_format_id(const char *model, size_t num_cores, char *id, size_t size)
{
    char slug[MAX_SLUG + 1];
    size_t used = 0;
    const char *end = model + strcspn(model, "@");
    for (const char *word = model; word < end && used < MAX_SLUG;) {
        size_t length = strcspn(word, " \t@");
        if (length > 0 && !is_noise(word, length))
            used = nitro_slug_append(slug, MAX_SLUG, used, word, length);
        word += length;
        word += strspn(word, " \t");
    }
    slug[used] = '\0';
    snprintf(id, size, "host:%s-%zuc", used ? slug : "unknown", num_cores);
}

static nitro_status load_topology(nitro_context *context, const char *xml,
                                  hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "cannot create a hwloc topology: %s",
                          strerror(errno));
    if (xml && hwloc_topology_set_xml(*topology, xml) != 0) {
        hwloc_topology_destroy(*topology);
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: not a topology that hwloc can read", xml);
    }
    if (hwloc_topology_load(*topology) != 0) {
        hwloc_topology_destroy(*topology);
        return nitro_fail(context, xml ? NITRO_ERR_FORMAT : NITRO_ERR_IO,
                          "%s: hwloc cannot load the topology", xml ? xml : "this machine");
    }
    return NITRO_OK;
}

static double count_objects(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? (double)count : NAN;
}

static double cache_kb(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    double sum_bytes = 0;
    hwloc_obj_t cache = NULL;
    while ((cache = hwloc_get_next_obj_by_type(topology, type, cache)))
        sum_bytes += (double)cache->attr->cache.size;
    return sum_bytes > 0 ? sum_bytes / 1024 : NAN;
}

/* hwloc's info of the first package; NULL: none. */
static const char *package_info(hwloc_topology_t topology, const char *name)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    return package ? hwloc_obj_get_info_by_name(package, name) : NULL;
}

static const char *find_model(hwloc_topology_t topology, const nitro_host_processor *processor)
{
    if (processor->model[0])
        return processor->model;
    const char *model = package_info(topology, "CPUModel");
    if (!model)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "Architecture");
    return model ? model : "";
}

typedef struct value {
    const char *name;
    double value; /* NaN: missing */
    nitro_value_source source;
} value;

/* Description of a machine besides its topology. */
typedef struct machine {
    nitro_host_processor processor;
    nitro_host_memory_bus bus;
    double memory_gb;
} machine;

static nitro_status set_features(nitro_context *context, hwloc_topology_t topology, double cores,
                                 const machine *read, nitro_device *device)
{
    const nitro_host_processor *processor = &read->processor;
    const nitro_host_memory_bus *bus = &read->bus;
    double gflops_sp =
        cores * processor->clock_mhz / 1000 * processor->simd_bits / 32 * processor->flops_per_lane;
    const value values[] = {
        {"global_mem", read->memory_gb, NITRO_VALUE_QUERY},
        {"cuda_cores", cores, NITRO_VALUE_QUERY},
        {"clock_rate", processor->clock_mhz, NITRO_VALUE_QUERY},
        {"l2_cache_size", cache_kb(topology, HWLOC_OBJ_L2CACHE), NITRO_VALUE_QUERY},
        {"l3_cache_size", cache_kb(topology, HWLOC_OBJ_L3CACHE), NITRO_VALUE_QUERY},
        {"mem_clock_rate", bus->clock_mhz, NITRO_VALUE_QUERY},
        {"mem_bus_width", bus->bits, NITRO_VALUE_QUERY},
        {"peak_gbps", 2 * bus->clock_mhz * bus->bits / 8 / 1e3, NITRO_VALUE_COMPUTED},
        {"peak_gflops_sp", gflops_sp, NITRO_VALUE_COMPUTED},
        {"peak_gflops_dp", gflops_sp / 2, NITRO_VALUE_COMPUTED},
        {"sm_count", cores, NITRO_VALUE_QUERY},
        {"hw_threads", count_objects(topology, HWLOC_OBJ_PU), NITRO_VALUE_QUERY},
        {"numa_nodes", count_objects(topology, HWLOC_OBJ_NUMANODE), NITRO_VALUE_QUERY},
        {"simd_width", processor->simd_bits, NITRO_VALUE_QUERY},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && status == NITRO_OK; i++)
        status =
            nitro_device_set(context, device, values[i].name, values[i].value, values[i].source, 0);
    return status;
}

static nitro_status set_labels(nitro_context *context, hwloc_topology_t topology,
                               const nitro_host_processor *processor, nitro_device *device)
{
    const char *vendor =
        processor->vendor[0] ? processor->vendor : package_info(topology, "CPUVendor");
    const struct {
        const char *name, *text;
    } labels[] = {
        {"vendor", vendor},
        {"model", find_model(topology, processor)},
        {"architecture", hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "Architecture")},
        {"clock_rate_is", processor->clock_origin},
        {"peak_gflops_assume", isfinite(processor->clock_mhz) ? processor->flops_assumption : NULL},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]) && status == NITRO_OK; i++)
        if (labels[i].text && labels[i].text[0])
            status = nitro_device_set_label(context, device, labels[i].name, labels[i].text);
    return status;
}

static nitro_status make_device(nitro_context *context, hwloc_topology_t topology,
                                const machine *read, nitro_device **device)
{
    const nitro_host_processor *processor = &read->processor;
    /* Some virtual machines report processors, but no cores. */
    double cores = count_objects(topology, HWLOC_OBJ_CORE);
    if (isnan(cores))
        cores = count_objects(topology, HWLOC_OBJ_PU);
    char id[64];
    nitro_host_format_id(find_model(topology, processor), isnan(cores) ? 0 : (size_t)cores, id,
                         sizeof(id));
    nitro_device *made = NULL;
    nitro_status status = nitro_device_create(context, id, "host", &made);
    if (status == NITRO_OK)
        status = set_features(context, topology, cores, read, made);
    if (status == NITRO_OK)
        status = set_labels(context, topology, processor, made);
    if (status == NITRO_OK)
        *device = made;
    else
        nitro_device_free(made);
    return status;
}

nitro_status nitro_host_query(nitro_context *context, const nitro_host_source *source,
                              nitro_device **device)
{
    machine read = {.bus = {.clock_mhz = NAN, .bits = NAN}};
    hwloc_topology_t topology;
    const char *root = source->root ? source->root : "";
    nitro_status status = nitro_host_read_processor(context, root, &read.processor);
    if (status == NITRO_OK)
        status = nitro_host_read_memory(context, root, &read.memory_gb);
    if (status == NITRO_OK && !read.processor.is_virtual)
        status = nitro_host_read_memory_bus(context, root, &read.bus);
    if (status == NITRO_OK)
        status = load_topology(context, source->topology_xml, &topology);
    if (status != NITRO_OK)
        return status;
    status = make_device(context, topology, &read, device);
    hwloc_topology_destroy(topology);
    return status;
}
