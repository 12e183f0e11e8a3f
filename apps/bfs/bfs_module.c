/* The computation bfs: its argument, variants, reference and inputs, and the modules of all kinds
 * of devices. */
#include <stdio.h>

#include "apps/bfs/graph.h"

static const nitro_field fields[] = {
    NITRO_NUMBER(nitro_bfs, num_vertices),
    NITRO_NUMBER(nitro_bfs, num_edges),
    NITRO_NUMBER(nitro_bfs, num_sources),
    NITRO_ARRAY(nitro_bfs, offsets, NITRO_IN, NITRO_INDEX64, "num_vertices + 1",
                NITRO_ON_DEVICE(nitro_bfs_cuda, offsets)),
    NITRO_ARRAY(nitro_bfs, targets, NITRO_IN, NITRO_INT32, "num_edges",
                NITRO_ON_DEVICE(nitro_bfs_cuda, targets)),
    NITRO_ARRAY(nitro_bfs, sources, NITRO_IN, NITRO_INT32, "num_sources", .is_on_device = false),
    NITRO_ARRAY(nitro_bfs, depths, NITRO_OUT, NITRO_INT32, "num_sources * num_vertices",
                NITRO_ON_DEVICE(nitro_bfs_cuda, depths)),
};

static const nitro_variant *const variants[] = {
    &nitro_bfs_variant_ec_fused,
    &nitro_bfs_variant_ec_iterative,
    &nitro_bfs_variant_ce_fused,
    &nitro_bfs_variant_ce_iterative,
    &nitro_bfs_variant_two_phase_fused,
    &nitro_bfs_variant_two_phase_iterative,
    &nitro_bfs_variant_direction_optimizing,
    &nitro_bfs_variant_level_sweep,
    &nitro_bfs_variant_queue,
};

/* The serial one, which the tests compare with depths found otherwise. */
static int search_serially(void *argument, double *magnitudes)
{
    const nitro_variant *queue = &nitro_bfs_variant_queue;
    int failure = queue->prepare(argument, queue->user);
    (void)magnitudes;
    return failure ? failure : queue->run(argument, queue->user);
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    const nitro_graph_family *chosen = &nitro_graph_families[family];
    nitro_graph_edges edges = {0};
    nitro_bfs *bfs;
    snprintf(label, NITRO_KIT_LABEL, "%s-%.0f", chosen->name, size);
    if (!data)
        return NITRO_OK;
    chosen->build(random, size, &edges);
    nitro_status status = nitro_graph_create(context, &edges, &bfs);
    if (status == NITRO_OK)
        *data = bfs;
    return status;
}

static const nitro_kit_inputs inputs = {
    .load = nitro_graph_load,
    .make = make,
    .num_families = NITRO_GRAPH_NUM_FAMILIES,
    .least_size = 1e3,
    .usual_size = 1e6,
    .base_size = 4e6,
    .unit_bytes = 48, /* both directions of an edge, lists, and 8 depths of a vertex */
};

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_bfs *bfs = argument;
    snprintf(text, size, "%lld vertices, %lld directed edges, %lld searches",
             (long long)bfs->num_vertices, (long long)bfs->num_edges, (long long)bfs->num_sources);
}

#define ABOUT "breadth-first searches of a graph (square Matrix Market files)"

const nitro_kit nitro_bfs_kit = {
    .name = "bfs",
    .description = ABOUT,
    .argument_bytes = sizeof(nitro_bfs),
    .kept = offsetof(nitro_bfs, kept),
    .room = offsetof(nitro_bfs, room),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = variants,
    .num_variants = sizeof(variants) / sizeof(variants[0]),
    .usual = "direction_optimizing",
    .add_features = nitro_bfs_add_features,
    .reference = search_serially,
    .inputs = &inputs,
    .describe = describe,
    .device = &nitro_bfs_cuda_device,
};

NITRO_KIT_MODULES(nitro_module_bfs, nitro_bfs_kit, "bfs", ABOUT)
