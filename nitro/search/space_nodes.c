/* Nodes of a space's decision diagram while it is built: equal ones become one. */
#include <stdlib.h>
#include <string.h>

#include "nitro/search/space_internal.h"

static nitro_status fail_large(const space_nodes *nodes)
{
    return nitro_fail(nodes->context, NITRO_ERR_UNSUPPORTED,
                      "%s: the space takes more than %u MB: its constraints link too many "
                      "parameters. Remove values or split it",
                      nodes->origin, (unsigned)(SPACE_MAX_BYTES >> 20));
}

/* Resize an array of `size`-byte elements; false when out of memory. */
static bool resize(void *array, size_t count, size_t size)
{
    void **pointer = array;
    void *grown = realloc(*pointer, count * size);
    if (grown)
        *pointer = grown;
    return grown != NULL;
}

static nitro_status grow_nodes(space_nodes *nodes)
{
    nitro_space *space = nodes->space;
    size_t capacity = nodes->node_capacity ? 2 * nodes->node_capacity : 64;
    if (!resize(&space->first_edge, capacity + 1, sizeof(*space->first_edge)) ||
        !resize(&space->sizes, capacity, sizeof(*space->sizes)) ||
        !resize(&nodes->hashes, capacity, sizeof(*nodes->hashes)))
        return nitro_fail(nodes->context, NITRO_ERR_NO_MEMORY, "out of memory: space");
    uint32_t *slots = nitro_calloc(nodes->context, 2 * capacity, sizeof(*slots));
    if (!slots)
        return NITRO_ERR_NO_MEMORY;
    nodes->node_capacity = capacity;
    free(nodes->slots);
    nodes->slots = slots;
    nodes->num_slots = 2 * capacity;
    for (uint32_t node = 1; node < space->num_nodes; node++) { /* slot 0: empty; so no leaf */
        size_t slot = nodes->hashes[node] & (nodes->num_slots - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (nodes->num_slots - 1);
        slots[slot] = node;
    }
    return NITRO_OK;
}

static nitro_status grow_edges(space_nodes *nodes, size_t wanted)
{
    nitro_space *space = nodes->space;
    size_t capacity = nodes->edge_capacity ? nodes->edge_capacity : 256;
    while (capacity < wanted)
        capacity += capacity / 2;
    if (!resize(&space->edges.values, capacity, sizeof(*space->edges.values)) ||
        !resize(&space->edges.children, capacity, sizeof(*space->edges.children)) ||
        !resize(&space->edges.before, capacity, sizeof(*space->edges.before)))
        return nitro_fail(nodes->context, NITRO_ERR_NO_MEMORY, "out of memory: space");
    nodes->edge_capacity = capacity;
    return NITRO_OK;
}

nitro_status space_nodes_begin(space_nodes *nodes)
{
    nitro_status status = grow_nodes(nodes);
    if (status != NITRO_OK)
        return status;
    nodes->space->num_nodes = 1; /* the leaf */
    nodes->space->first_edge[0] = nodes->space->first_edge[1] = 0;
    nodes->space->sizes[0] = 1;
    return NITRO_OK;
}

static bool is_equal(const nitro_space *space, uint32_t node, const uint16_t *values,
                     const uint32_t *children, size_t count)
{
    size_t first = space->first_edge[node];
    return space->first_edge[node + 1] - first == count &&
           memcmp(space->edges.values + first, values, count * sizeof(*values)) == 0 &&
           memcmp(space->edges.children + first, children, count * sizeof(*children)) == 0;
}

/* Append the node that `slot` is free for. */
static nitro_status append_node(space_nodes *nodes, uint64_t hash, const uint16_t *values,
                                const uint32_t *children, size_t count)
{
    nitro_space *space = nodes->space;
    size_t first = space->first_edge[space->num_nodes], edge_bytes = 2 + 4 + 8, node_bytes = 40;
    if ((first + count) * edge_bytes + space->num_nodes * node_bytes > SPACE_MAX_BYTES)
        return fail_large(nodes);
    nitro_status status = NITRO_OK;
    if (first + count > nodes->edge_capacity)
        status = grow_edges(nodes, first + count);
    if (status != NITRO_OK)
        return status;
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        space->edges.before[first + i] = size;
        if (__builtin_add_overflow(size, space->sizes[children[i]], &size) || size == UINT64_MAX)
            return nitro_fail(
                nodes->context, NITRO_ERR_UNSUPPORTED,
                "%s: the space has 2^64 configurations or more. Remove values, or add "
                "constraints",
                nodes->origin);
    }
    memcpy(space->edges.values + first, values, count * sizeof(*values));
    memcpy(space->edges.children + first, children, count * sizeof(*children));
    nodes->hashes[space->num_nodes] = hash;
    space->sizes[space->num_nodes++] = size;
    space->first_edge[space->num_nodes] = first + count;
    return NITRO_OK;
}

nitro_status space_nodes_make(space_nodes *nodes, const uint16_t *values, const uint32_t *children,
                              size_t count, uint32_t *node)
{
    uint64_t hash = nitro_hash(children, count * sizeof(*children),
                               nitro_hash(values, count * sizeof(*values), 0));
    if (nodes->space->num_nodes == nodes->node_capacity) {
        nitro_status status = grow_nodes(nodes);
        if (status != NITRO_OK)
            return status;
    }
    size_t slot = hash & (nodes->num_slots - 1);
    for (uint32_t at; (at = nodes->slots[slot]) != 0; slot = (slot + 1) & (nodes->num_slots - 1))
        if (nodes->hashes[at] == hash && is_equal(nodes->space, at, values, children, count)) {
            *node = at;
            return NITRO_OK;
        }
    nitro_status status = append_node(nodes, hash, values, children, count);
    if (status != NITRO_OK)
        return status;
    *node = nodes->slots[slot] = (uint32_t)nodes->space->num_nodes - 1;
    return NITRO_OK;
}

/* Mark which values of each parameter occur, level by level from the root. */
static nitro_status find_occurring(space_nodes *nodes)
{
    nitro_space *space = nodes->space;
    bool *reached = nitro_calloc(nodes->context, space->num_nodes, sizeof(*reached));
    if (!reached)
        return NITRO_ERR_NO_MEMORY;
    uint8_t *level_of = nitro_calloc(nodes->context, space->num_nodes, sizeof(*level_of));
    if (!level_of) {
        free(reached);
        return NITRO_ERR_NO_MEMORY;
    }
    /* Children are made before their parents: descending, each node is seen after its parents. */
    reached[space->root] = true;
    for (size_t node = space->num_nodes; node-- > 1;) {
        if (!reached[node])
            continue;
        size_t parameter = space->order[level_of[node]];
        for (size_t e = space->first_edge[node]; e < space->first_edge[node + 1]; e++) {
            uint32_t child = space->edges.children[e];
            reached[child] = true;
            level_of[child] = (uint8_t)(level_of[node] + 1);
            space->occurs[parameter][space->edges.values[e]] = true;
        }
    }
    free(reached);
    free(level_of);
    return NITRO_OK;
}

nitro_status space_nodes_end(space_nodes *nodes, nitro_status status, uint32_t root)
{
    nitro_space *space = nodes->space;
    free(nodes->hashes);
    free(nodes->slots);
    if (status != NITRO_OK)
        return status;
    space->root = root;
    return find_occurring(nodes);
}
