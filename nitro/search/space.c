/* Tuning-parameter spaces: ranks, value indices, neighbours. */
#include <stdlib.h>
#include <string.h>

#include "nitro/search/space_internal.h"

static nitro_status copy_parameter(nitro_context *context, const nitro_parameter *from,
                                   nitro_parameter *to)
{
    to->type = from->type;
    to->name = nitro_strdup(context, from->name);
    to->values = nitro_calloc(context, from->num_values, sizeof(*to->values));
    if (!to->name || !to->values)
        return NITRO_ERR_NO_MEMORY;
    to->num_values = from->num_values;
    for (size_t v = 0; v < from->num_values; v++) {
        to->values[v].number = from->values[v].number;
        to->values[v].text = nitro_strdup(context, from->values[v].text);
        if (!to->values[v].text)
            return NITRO_ERR_NO_MEMORY;
    }
    return NITRO_OK;
}

void space_parameter_clear(nitro_parameter *parameter)
{
    for (size_t v = 0; v < parameter->num_values; v++)
        free(parameter->values[v].text);
    free(parameter->values);
    free(parameter->name);
}

nitro_space *nitro_space_allocate(nitro_context *context, const nitro_parameter *parameters,
                                  size_t num_parameters)
{
    nitro_space *space = nitro_calloc(context, 1, sizeof(*space));
    if (!space)
        return NULL;
    atomic_init(&space->num_owners, 1);
    space->num_parameters = num_parameters;
    space->parameters = nitro_calloc(context, num_parameters, sizeof(*space->parameters));
    space->order = nitro_calloc(context, num_parameters, sizeof(*space->order));
    space->occurs = nitro_calloc(context, num_parameters, sizeof(*space->occurs));
    bool complete = space->parameters && space->order && space->occurs;
    for (size_t p = 0; complete && p < num_parameters; p++) {
        space->order[p] = p;
        space->occurs[p] = nitro_calloc(context, parameters[p].num_values, sizeof(bool));
        complete = space->occurs[p] &&
                   copy_parameter(context, &parameters[p], &space->parameters[p]) == NITRO_OK;
    }
    if (complete)
        return space;
    nitro_space_free(space);
    return NULL;
}

void nitro_space_free(nitro_space *space)
{
    if (!space || atomic_fetch_sub(&space->num_owners, 1) > 1)
        return;
    for (size_t p = 0; p < space->num_parameters; p++) {
        if (space->parameters)
            space_parameter_clear(&space->parameters[p]);
        if (space->occurs)
            free(space->occurs[p]);
    }
    free(space->parameters);
    free(space->order);
    free(space->occurs);
    free(space->first_edge);
    free(space->sizes);
    free(space->edges.values);
    free(space->edges.children);
    free(space->edges.before);
    free(space);
}

/* Spaces do not change: the copy is the same one, with one more owner. */
nitro_status nitro_space_copy(nitro_context *context, const nitro_space *from, nitro_space **space)
{
    nitro_space *shared = (nitro_space *)from;
    (void)context;
    atomic_fetch_add(&shared->num_owners, 1);
    *space = shared;
    return NITRO_OK;
}

size_t nitro_space_num_parameters(const nitro_space *space)
{
    return space->num_parameters;
}

const nitro_parameter *nitro_space_parameter(const nitro_space *space, size_t parameter)
{
    return &space->parameters[parameter];
}

size_t nitro_space_find_parameter(const nitro_space *space, const char *name)
{
    for (size_t p = 0; p < space->num_parameters; p++)
        if (strcmp(space->parameters[p].name, name) == 0)
            return p;
    return NITRO_NONE;
}

uint64_t nitro_space_size(const nitro_space *space)
{
    return space->sizes[space->root];
}

void nitro_space_indices(const nitro_space *space, uint64_t configuration, uint16_t *indices)
{
    uint32_t node = space->root;
    for (size_t level = 0; level < space->num_parameters; level++) {
        size_t low = space->first_edge[node], high = space->first_edge[node + 1];
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (space->edges.before[middle] <= configuration)
                low = middle;
            else
                high = middle;
        }
        indices[space->order[level]] = space->edges.values[low];
        configuration -= space->edges.before[low];
        node = space->edges.children[low];
    }
}

/* The node's edge of this value, or NITRO_NONE. */
static size_t find_edge(const nitro_space *space, uint32_t node, uint16_t value)
{
    size_t low = space->first_edge[node], high = space->first_edge[node + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->edges.values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < space->first_edge[node + 1] && space->edges.values[low] == value ? low
                                                                                  : NITRO_NONE;
}

uint64_t nitro_space_find(const nitro_space *space, const uint16_t *indices)
{
    uint32_t node = space->root;
    uint64_t rank = 0;
    for (size_t level = 0; level < space->num_parameters; level++) {
        size_t edge = find_edge(space, node, indices[space->order[level]]);
        if (edge == NITRO_NONE)
            return NITRO_NO_CONFIGURATION;
        rank += space->edges.before[edge];
        node = space->edges.children[edge];
    }
    return rank;
}
