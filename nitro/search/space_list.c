/* Spaces of listed configurations. */
#include <stdlib.h>

#include "nitro/search/space_internal.h"

typedef struct lister {
    space_nodes nodes;
    size_t num_parameters;
    const uint16_t **rows; /* sorted */
    uint16_t *edge_values[NITRO_MAX_PARAMETERS];
    uint32_t *edge_children[NITRO_MAX_PARAMETERS];
} lister;

/* The node of rows [start, end), which are equal before `level`. */
static nitro_status list_node(lister *list, size_t level, size_t start, size_t end, uint32_t *node)
{
    if (level == list->num_parameters) {
        *node = SPACE_LEAF;
        return NITRO_OK;
    }
    size_t count = 0;
    for (size_t next; start < end; start = next) {
        uint16_t value = list->rows[start][level];
        for (next = start + 1; next < end && list->rows[next][level] == value; next++)
            ;
        list->edge_values[level][count] = value;
        nitro_status status =
            list_node(list, level + 1, start, next, &list->edge_children[level][count++]);
        if (status != NITRO_OK)
            return status;
    }
    return space_nodes_make(&list->nodes, list->edge_values[level], list->edge_children[level],
                            count, node);
}

static int compare_rows(const void *a, const void *b, void *width)
{
    const uint16_t *left = *(const uint16_t *const *)a, *right = *(const uint16_t *const *)b;
    for (size_t p = 0; p < *(const size_t *)width; p++)
        if (left[p] != right[p])
            return left[p] < right[p] ? -1 : 1;
    return 0;
}

static nitro_status check_rows(nitro_context *context, const nitro_parameter *parameters,
                               size_t num_parameters, const uint16_t *configurations, size_t count)
{
    if (num_parameters == 0 || num_parameters > NITRO_MAX_PARAMETERS || count == 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "a space of %zu parameters and %zu listed configurations: give 1 to %d "
                          "parameters and at least one configuration",
                          num_parameters, count, NITRO_MAX_PARAMETERS);
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < num_parameters; p++)
            if (configurations[i * num_parameters + p] >= parameters[p].num_values)
                return nitro_fail(context, NITRO_ERR_ARGUMENT,
                                  "listed configuration %zu has value %u of the %zu of parameter "
                                  "'%s'",
                                  i, (unsigned)configurations[i * num_parameters + p],
                                  parameters[p].num_values, parameters[p].name);
    return NITRO_OK;
}

static nitro_status build_list(lister *list, const nitro_parameter *parameters,
                               const uint16_t *configurations, size_t count)
{
    nitro_context *context = list->nodes.context;
    size_t width = list->num_parameters;
    list->rows = nitro_calloc(context, count, sizeof(*list->rows));
    if (!list->rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t p = 0; p < width; p++) {
        list->edge_values[p] = nitro_calloc(context, parameters[p].num_values, sizeof(uint16_t));
        list->edge_children[p] = nitro_calloc(context, parameters[p].num_values, sizeof(uint32_t));
        if (!list->edge_values[p] || !list->edge_children[p])
            return NITRO_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        list->rows[i] = configurations + i * width;
    qsort_r(list->rows, count, sizeof(*list->rows), compare_rows, &width);
    for (size_t i = 1; i < count; i++)
        if (compare_rows(&list->rows[i - 1], &list->rows[i], &width) == 0)
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "configurations %zu and %zu of the list are equal",
                              (size_t)(list->rows[i - 1] - configurations) / width,
                              (size_t)(list->rows[i] - configurations) / width);
    nitro_status status = space_nodes_begin(&list->nodes);
    uint32_t root = SPACE_NO_NODE;
    if (status == NITRO_OK)
        status = list_node(list, 0, 0, count, &root);
    return space_nodes_end(&list->nodes, status, root);
}

nitro_status nitro_space_list(nitro_context *context, const nitro_parameter *parameters,
                              size_t num_parameters, const uint16_t *configurations,
                              size_t num_configurations, nitro_space **space)
{
    nitro_status status =
        check_rows(context, parameters, num_parameters, configurations, num_configurations);
    if (status != NITRO_OK)
        return status;
    nitro_space *made = nitro_space_allocate(context, parameters, num_parameters);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    lister list = {.nodes = {.context = context, .space = made, .origin = "the list"},
                   .num_parameters = num_parameters};
    status = build_list(&list, parameters, configurations, num_configurations);
    for (size_t p = 0; p < num_parameters; p++) {
        free(list.edge_values[p]);
        free(list.edge_children[p]);
    }
    free(list.rows);
    if (status == NITRO_OK)
        *space = made;
    else
        nitro_space_free(made);
    return status;
}
