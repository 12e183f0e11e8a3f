/* Forests in use: creation, links and prediction. */
#include <math.h>
#include <stdlib.h>

#include "nitro/runtime/scores/forest_tree.h"

nitro_status nitro_forest_create(nitro_context *context, size_t num_columns, size_t num_outputs,
                                 size_t num_trees, nitro_forest **forest)
{
    nitro_forest *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->num_columns = num_columns;
    created->num_outputs = num_outputs;
    created->num_trees = num_trees;
    created->trees = nitro_calloc(context, num_trees, sizeof(*created->trees));
    if (!created->trees) {
        free(created);
        return NITRO_ERR_NO_MEMORY;
    }
    *forest = created;
    return NITRO_OK;
}

void nitro_forest_free(nitro_forest *forest)
{
    if (!forest)
        return;
    for (size_t i = 0; i < forest->num_trees; i++) {
        free(forest->trees[i].nodes);
        free(forest->trees[i].outputs);
    }
    free(forest->trees);
    free(forest);
}

bool nitro_forest_link(forest_tree *tree)
{
    size_t num_inner = 0, num_leaves = 0;
    for (size_t i = 0; i < tree->num_nodes; i++) {
        forest_node *node = &tree->nodes[i];
        if (node->column == FOREST_LEAF) {
            node->next = (uint32_t)num_leaves++;
            continue;
        }
        node->next = (uint32_t)(2 * num_inner + 1);
        num_inner++;
        if (node->next <= i)
            return false;
    }
    tree->num_leaves = num_leaves;
    return num_leaves == num_inner + 1;
}

float nitro_forest_round_down(double threshold)
{
    float rounded = (float)threshold;
    return (double)rounded > threshold ? nextafterf(rounded, -INFINITY) : rounded;
}

size_t nitro_forest_num_trees(const nitro_forest *forest)
{
    return forest->num_trees;
}

static const forest_node *child(const forest_tree *tree, const forest_node *node,
                                const double *columns)
{
    double column = (double)(float)columns[node->column];
    return &tree->nodes[node->next + !(column <= node->threshold)];
}

static const double *leaf_outputs(const nitro_forest *forest, size_t tree, const forest_node *leaf)
{
    return forest->trees[tree].outputs + leaf->next * forest->num_outputs;
}

const double *nitro_forest_leaf(const nitro_forest *forest, size_t tree, const double *columns)
{
    const forest_node *node = forest->trees[tree].nodes;
    while (node->column != FOREST_LEAF)
        node = child(&forest->trees[tree], node, columns);
    return leaf_outputs(forest, tree, node);
}

void nitro_forest_predict(const nitro_forest *forest, const double *columns, double *outputs)
{
    for (size_t i = 0; i < forest->num_outputs; i++)
        outputs[i] = 0;
    for (size_t tree = 0; tree < forest->num_trees; tree++) {
        const double *leaf = nitro_forest_leaf(forest, tree, columns);
        for (size_t i = 0; i < forest->num_outputs; i++)
            outputs[i] += leaf[i];
    }
    for (size_t i = 0; i < forest->num_outputs; i++)
        outputs[i] /= (double)forest->num_trees;
}
