/* Forests to and from JSON. Links between nodes are computed, not stored, so that only counts,
 * ranges and finite numbers need checks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/forest_tree.h"

static size_t num_inner(const forest_tree *tree)
{
    return tree->num_nodes - tree->num_leaves;
}

static json_t *encode_columns(const forest_tree *tree)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < tree->num_nodes; i++) {
        uint32_t column = tree->nodes[i].column;
        nitro_json_append(&array, json_integer(column == FOREST_LEAF ? -1 : (json_int_t)column));
    }
    return array;
}

static json_t *encode_thresholds(const forest_tree *tree)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < tree->num_nodes; i++)
        if (tree->nodes[i].column != FOREST_LEAF)
            nitro_json_append(&array, json_real(tree->nodes[i].threshold));
    return array;
}

static json_t *encode_tree(const forest_tree *tree, size_t num_outputs)
{
    /* json_pack takes ownership even if one of its objects is NULL. */
    return json_pack("{s:o, s:o, s:o}", "columns", encode_columns(tree), "thresholds",
                     encode_thresholds(tree), "outputs",
                     nitro_json_from_numbers(tree->outputs, tree->num_leaves * num_outputs));
}

nitro_status nitro_forest_encode(nitro_context *context, const nitro_forest *forest, json_t **json)
{
    json_t *trees = json_array();
    for (size_t i = 0; trees && i < forest->num_trees; i++)
        nitro_json_append(&trees, encode_tree(&forest->trees[i], forest->num_outputs));
    json_t *made = json_pack("{s:o}", "trees", trees);
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot encode a forest of %zu trees", forest->num_trees);
    *json = made;
    return NITRO_OK;
}

static nitro_status refuse(const nitro_json_place *place, const char *key, const char *problem)
{
    return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s.%s %s", place->path,
                      place->field, key, problem);
}

static nitro_status decode_columns(const nitro_json_place *place, const json_t *columns,
                                   size_t num_columns, forest_tree *tree)
{
    for (size_t i = 0; i < tree->num_nodes; i++) {
        const json_t *item = json_array_get(columns, i);
        json_int_t column = json_integer_value(item);
        if (!json_is_integer(item) || column < -1 || column >= (json_int_t)num_columns)
            return nitro_fail(place->context, NITRO_ERR_FORMAT,
                              "%s: field %s.columns[%zu] must be -1 or the index of one of %zu "
                              "columns",
                              place->path, place->field, i, num_columns);
        tree->nodes[i].column = column < 0 ? FOREST_LEAF : (uint32_t)column;
    }
    if (!nitro_forest_link(tree))
        return refuse(place, "columns",
                      "is not a tree: the numbers of inner nodes and leaves do not match");
    return NITRO_OK;
}

static nitro_status decode_thresholds(const nitro_json_place *place, const json_t *thresholds,
                                      forest_tree *tree)
{
    size_t count = num_inner(tree);
    double *values = nitro_calloc(place->context, count, sizeof(*values));
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_json_numbers(place, thresholds, "thresholds", count, values);
    for (size_t i = 0, inner = 0; status == NITRO_OK && i < tree->num_nodes; i++)
        if (tree->nodes[i].column != FOREST_LEAF)
            tree->nodes[i].threshold = values[inner++];
    free(values);
    return status;
}

/* Allocations are bounded by the file's size. */
static nitro_status decode_outputs(const nitro_json_place *place, const json_t *outputs,
                                   size_t num_outputs, forest_tree *tree)
{
    size_t found = json_array_size(outputs);
    if (found % num_outputs != 0 || found / num_outputs != tree->num_leaves)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s.outputs has %zu numbers, but must have %zu for each of %zu "
                          "leaves",
                          place->path, place->field, found, num_outputs, tree->num_leaves);
    tree->outputs = nitro_calloc(place->context, found, sizeof(*tree->outputs));
    if (!tree->outputs)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_json_numbers(place, outputs, "outputs", found, tree->outputs);
    for (size_t i = 0; status == NITRO_OK && i < found; i++)
        if (fabs(tree->outputs[i]) > NITRO_FOREST_MAX_OUTPUT)
            status = refuse(place, "outputs", "holds a number that is too large");
    return status;
}

static nitro_status decode_tree(const nitro_json_place *place, const json_t *json,
                                const nitro_forest *forest, forest_tree *tree)
{
    json_t *columns = NULL, *thresholds = NULL, *outputs = NULL;
    nitro_status status = nitro_json_member(place, json, "columns", JSON_ARRAY, &columns);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "thresholds", JSON_ARRAY, &thresholds);
    if (status == NITRO_OK)
        status = nitro_json_member(place, json, "outputs", JSON_ARRAY, &outputs);
    if (status != NITRO_OK)
        return status;
    size_t num_nodes = json_array_size(columns);
    if (num_nodes >= UINT32_MAX / 2)
        return refuse(place, "columns", "has too many nodes");
    tree->num_nodes = num_nodes;
    tree->nodes = nitro_calloc(place->context, num_nodes, sizeof(*tree->nodes));
    if (!tree->nodes)
        return NITRO_ERR_NO_MEMORY;
    status = decode_columns(place, columns, forest->num_columns, tree);
    if (status == NITRO_OK)
        status = decode_thresholds(place, thresholds, tree);
    if (status == NITRO_OK)
        status = decode_outputs(place, outputs, forest->num_outputs, tree);
    return status;
}

nitro_status nitro_forest_decode(const nitro_json_place *place, const json_t *json,
                                 size_t num_columns, size_t num_outputs, nitro_forest **forest)
{
    json_t *trees = NULL;
    nitro_status status = nitro_json_member(place, json, "trees", JSON_ARRAY, &trees);
    if (status != NITRO_OK)
        return status;
    size_t num_trees = json_array_size(trees);
    if (num_trees < 1 || num_trees > NITRO_FOREST_MAX_TREES)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s.trees has %zu items, but must have 1 to %d", place->path,
                          place->field, num_trees, NITRO_FOREST_MAX_TREES);
    nitro_forest *decoded = NULL;
    status = nitro_forest_create(place->context, num_columns, num_outputs, num_trees, &decoded);
    for (size_t i = 0; i < num_trees && status == NITRO_OK; i++) {
        char field[256];
        snprintf(field, sizeof(field), "%s.trees[%zu]", place->field, i);
        nitro_json_place tree_place = {place->context, place->path, field};
        status = decode_tree(&tree_place, json_array_get(trees, i), decoded, &decoded->trees[i]);
    }
    if (status == NITRO_OK)
        *forest = decoded;
    else
        nitro_forest_free(decoded);
    return status;
}
