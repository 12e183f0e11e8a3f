/* Pruning a tree, choosing with it, and its final form. */
#include <stdlib.h>

#include "nitro/learn/forest/tree_grow.h"

void nitro_tree_prune(grown_tree *grown, double alpha)
{
    for (size_t i = grown->num_nodes; i-- > 0;) { /* children come after their parents */
        grown_node *node = &grown->nodes[i];
        node->subtree = node->cost;
        node->num_leaves = 1;
        if (node->column == NITRO_NONE)
            continue;
        const grown_node *children = &grown->nodes[node->left];
        double below = children[0].subtree + children[1].subtree;
        size_t num_leaves = children[0].num_leaves + children[1].num_leaves;
        if (node->cost - below <= alpha * (double)(num_leaves - 1)) {
            node->column = NITRO_NONE;
        } else {
            node->subtree = below;
            node->num_leaves = num_leaves;
        }
    }
}

size_t nitro_tree_choose(const grown_tree *grown, const double *columns)
{
    size_t at = 0, best = 0;
    while (grown->nodes[at].column != NITRO_NONE) {
        const grown_node *node = &grown->nodes[at];
        at = node->left + !((float)columns[node->column] <= node->threshold);
    }
    const double *sums = grown->sums + at * grown->num_outputs;
    for (size_t o = 1; o < grown->num_outputs; o++)
        if (sums[o] < sums[best])
            best = o;
    return best;
}

/** The nodes that are left, level by level; returns their number. */
static size_t list_nodes(const grown_tree *grown, size_t *kept)
{
    size_t count = 1;
    kept[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const grown_node *node = &grown->nodes[kept[i]];
        if (node->column == NITRO_NONE)
            continue;
        kept[count++] = node->left;
        kept[count++] = node->left + 1;
    }
    return count;
}

nitro_status nitro_tree_finish(nitro_context *context, const grown_tree *grown, forest_tree *tree)
{
    size_t *kept = nitro_calloc(context, grown->num_nodes, sizeof *kept);
    if (!kept)
        return NITRO_ERR_NO_MEMORY;
    size_t num_nodes = list_nodes(grown, kept), leaf = 0, num_outputs = grown->num_outputs;
    size_t num_leaves = (num_nodes + 1) / 2;
    tree->nodes = nitro_calloc(context, num_nodes, sizeof *tree->nodes);
    tree->outputs = nitro_calloc(context, num_leaves, num_outputs * sizeof *tree->outputs);
    if (!tree->nodes || !tree->outputs) { /* the forest frees them */
        free(kept);
        return NITRO_ERR_NO_MEMORY;
    }
    tree->num_nodes = num_nodes;
    for (size_t i = 0; i < num_nodes; i++) {
        const grown_node *node = &grown->nodes[kept[i]];
        bool is_leaf = node->column == NITRO_NONE;
        tree->nodes[i].column = is_leaf ? FOREST_LEAF : (uint32_t)node->column;
        tree->nodes[i].threshold = is_leaf ? 0.0 : (double)node->threshold;
        for (size_t o = 0; is_leaf && o < num_outputs; o++)
            tree->outputs[leaf * num_outputs + o] =
                nitro_forest_leaf_output(grown->sums[kept[i] * num_outputs + o] / node->weight);
        leaf += is_leaf;
    }
    nitro_forest_link(tree);
    free(kept);
    return NITRO_OK;
}
