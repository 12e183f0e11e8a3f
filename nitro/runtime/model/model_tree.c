/*
 * Decisions of a model that is one tree: thresholds in the units of the features, so that a
 * decision needs no logarithm; these take half the time of a decision by columns.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "nitro/base/number_order.h"
#include "nitro/runtime/model/model.h"
#include "nitro/runtime/scores/forest_tree.h"

/* Left up to the border. Both are positions: of a value, and of the left child or the outputs. */
typedef struct raw_node {
    double border;
    uint32_t place; /* among the input and relative features; FOREST_LEAF */
    uint32_t next;
} raw_node;

struct nitro_model_tree {
    const double *outputs; /* of the leaves: the predictor's */
    raw_node nodes[];
};

static bool goes_left(const nitro_model *model, size_t column, double value, double threshold)
{
    return (double)(float)nitro_model_scale(model, column, value) <= threshold;
}

/** The largest value that goes left; columns rise with their values inside the training range. */
static double find_border(const nitro_model *model, size_t column, double threshold)
{
    bool has_range = column < model->schema->num_features && model->has_interval[column];
    double low = has_range ? model->lowest[column] : -DBL_MAX;
    double high = has_range ? model->highest[column] : DBL_MAX;
    if (goes_left(model, column, high, threshold))
        return INFINITY;
    if (!goes_left(model, column, low, threshold))
        return -INFINITY;
    int64_t left = nitro_order_of_number(low), right = nitro_order_of_number(high);
    for (;;) {
        int64_t middle = left / 2 + right / 2 + (left % 2 + right % 2) / 2;
        if (middle == left || middle == right)
            return nitro_number_of_order(left);
        if (goes_left(model, column, nitro_number_of_order(middle), threshold))
            left = middle;
        else
            right = middle;
    }
}

static raw_node make_node(const nitro_model *model, const forest_node *node)
{
    if (node->column == FOREST_LEAF)
        return (raw_node){0.0, FOREST_LEAF, node->next};
    size_t column = model->seen[node->column], first_device = nitro_model_first_device(model);
    if (column < first_device)
        return (raw_node){find_border(model, column, node->threshold), (uint32_t)column,
                          node->next};
    bool left = (double)(float)model->device_columns[column - first_device] <= node->threshold;
    return (raw_node){left ? INFINITY : -INFINITY, 0, node->next}; /* whatever the value is */
}

nitro_status nitro_model_compile_tree(const nitro_model *model, const nitro_score_terms *terms,
                                      nitro_model_tree **tree)
{
    const nitro_score_term *first = &terms->items[0];
    *tree = NULL;
    if (terms->count != 1 || !first->forest || first->weight != 1.0 ||
        nitro_forest_num_trees(first->forest) != 1)
        return NITRO_OK;
    const forest_tree *from = &first->forest->trees[0];
    nitro_model_tree *made =
        nitro_calloc(model->context, 1, sizeof *made + from->num_nodes * sizeof *made->nodes);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->outputs = from->outputs;
    for (size_t i = 0; i < from->num_nodes; i++)
        made->nodes[i] = make_node(model, &from->nodes[i]);
    *tree = made;
    return NITRO_OK;
}

bool nitro_model_walk(const nitro_model *model, const double *features, double *scores)
{
    double values[2 * NITRO_MAX_FEATURES];
    size_t num_variants = model->schema->num_variants;
    memcpy(values, features, model->schema->num_features * sizeof *values);
    bool defined = nitro_model_relative(model, features, values + model->schema->num_features);
    const raw_node *node = model->tree->nodes;
    while (node->place != FOREST_LEAF)
        node = &model->tree->nodes[node->next + !(values[node->place] <= node->border)];
    for (size_t v = 0; v < num_variants; v++)
        scores[v] = 0.0 - model->tree->outputs[node->next * num_variants + v];
    return defined;
}
