/* Neighbours of a configuration in a space. */
#include <stdlib.h>
#include <string.h>

#include "nitro/search/space_internal.h"

typedef struct neighbour_list {
    nitro_context *context;
    const nitro_space *space;
    bool is_hamming;
    uint16_t low[NITRO_MAX_PARAMETERS], high[NITRO_MAX_PARAMETERS]; /* of value indices */
    uint64_t *found;
    size_t count, capacity;
} neighbour_list;

static nitro_status add_neighbour(neighbour_list *list, uint64_t configuration)
{
    if (list->count == NITRO_MAX_NEIGHBOURS)
        return nitro_fail(list->context, NITRO_ERR_UNSUPPORTED,
                          "a configuration has more than %d neighbours%s", NITRO_MAX_NEIGHBOURS,
                          list->is_hamming ? ", too many to list" : ": take Hamming neighbours");
    uint64_t *found = nitro_grow(list->context, list->found, list->count, &list->capacity,
                                 sizeof(*found), "neighbours");
    if (!found)
        return NITRO_ERR_NO_MEMORY;
    list->found = found;
    list->found[list->count++] = configuration;
    return NITRO_OK;
}

/* All configurations below a node whose value indices are within the bounds, but `self`. */
static nitro_status add_within(neighbour_list *list, uint32_t node, size_t level, uint64_t rank,
                               uint64_t self)
{
    const nitro_space *space = list->space;
    if (level == space->num_parameters)
        return rank == self ? NITRO_OK : add_neighbour(list, rank);
    size_t parameter = space->order[level];
    for (size_t e = space->first_edge[node]; e < space->first_edge[node + 1]; e++) {
        if (space->edges.values[e] < list->low[parameter])
            continue;
        if (space->edges.values[e] > list->high[parameter])
            break;
        nitro_status status = add_within(list, space->edges.children[e], level + 1,
                                         rank + space->edges.before[e], self);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

/* The next value that occurs, below (-1) or above (1); the value itself: there is none. */
static uint16_t next_value(const nitro_space *space, size_t parameter, uint16_t index, int step)
{
    const int count = (int)space->parameters[parameter].num_values;
    for (int v = index + step; v >= 0 && v < count; v += step)
        if (space->occurs[parameter][v])
            return (uint16_t)v;
    return index;
}

static void bound_adjacent(neighbour_list *list, const uint16_t *indices, bool strictly)
{
    const nitro_space *space = list->space;
    for (size_t p = 0; p < space->num_parameters; p++) {
        uint16_t index = indices[p];
        list->low[p] = strictly ? (uint16_t)(index - (index > 0)) : next_value(space, p, index, -1);
        list->high[p] = strictly ? (uint16_t)(index + 1) : next_value(space, p, index, 1);
    }
}

static int compare_ranks(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static nitro_status add_hamming(neighbour_list *list, const uint16_t *indices)
{
    const nitro_space *space = list->space;
    uint16_t changed[NITRO_MAX_PARAMETERS];
    memcpy(changed, indices, space->num_parameters * sizeof(*changed));
    for (size_t p = 0; p < space->num_parameters; p++) {
        for (size_t v = 0; v < space->parameters[p].num_values; v++) {
            changed[p] = (uint16_t)v;
            uint64_t found =
                v == indices[p] ? NITRO_NO_CONFIGURATION : nitro_space_find(space, changed);
            nitro_status status =
                found == NITRO_NO_CONFIGURATION ? NITRO_OK : add_neighbour(list, found);
            if (status != NITRO_OK)
                return status;
        }
        changed[p] = indices[p];
    }
    if (list->count > 1)
        qsort(list->found, list->count, sizeof(*list->found), compare_ranks);
    return NITRO_OK;
}

nitro_status nitro_space_neighbours(nitro_context *context, const nitro_space *space,
                                    const uint16_t *indices, nitro_neighbourhood kind,
                                    uint64_t **neighbours, size_t *count)
{
    neighbour_list list = {
        .context = context, .space = space, .is_hamming = kind == NITRO_NEIGHBOURS_HAMMING};
    nitro_status status;
    if (list.is_hamming) {
        status = add_hamming(&list, indices);
    } else {
        bound_adjacent(&list, indices, kind == NITRO_NEIGHBOURS_STRICTLY_ADJACENT);
        status = add_within(&list, space->root, 0, 0, nitro_space_find(space, indices));
    }
    if (status != NITRO_OK) {
        free(list.found);
        return status;
    }
    *neighbours = list.found;
    *count = list.count;
    return NITRO_OK;
}
