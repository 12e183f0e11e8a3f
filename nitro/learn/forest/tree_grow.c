/* Growing one tree: rows are sorted once by every column, and nodes partition these orders. */
#include "nitro/learn/forest/tree_grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree_cut {
    size_t column, num_left;
    float threshold;
    double score; /* larger is better */
} tree_cut;

typedef struct tree_grower {
    const nitro_forest_data *data;
    size_t count, min_leaf_rows;
    sorted_row *orders;  /* shape [num_columns x count]: a node's rows stand together */
    sorted_row *partial; /* shape [count] */
    size_t *firsts;      /* shape [nodes]: where each node's rows begin */
    bool *goes_left;     /* shape [rows of the data] */
    double *lefts;       /* shape [num_outputs] */
    grown_tree *grown;
} tree_grower;

static int compare_rows(const void *left, const void *right)
{
    const sorted_row *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

nitro_status nitro_tree_sort(nitro_context *context, const nitro_forest_data *data,
                             sorted_row **sorted)
{
    size_t num_rows = data->num_rows;
    sorted_row *rows = nitro_calloc(context, data->num_columns, num_rows * sizeof *rows);
    if (!rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; c < data->num_columns; c++) {
        for (size_t i = 0; i < num_rows; i++)
            rows[c * num_rows + i] = (sorted_row){nitro_forest_column(data, i, c), (uint32_t)i};
        qsort(rows + c * num_rows, num_rows, sizeof *rows, compare_rows);
    }
    *sorted = rows;
    return NITRO_OK;
}

/** The members alone, in every column's order. */
static void order_members(tree_grower *grower, const sorted_row *sorted, const uint32_t *members)
{
    bool *is_member = grower->goes_left;
    for (size_t i = 0; i < grower->count; i++)
        is_member[members[i]] = true;
    sorted_row *order = grower->orders;
    for (size_t i = 0; i < grower->data->num_columns * grower->data->num_rows; i++)
        if (is_member[sorted[i].row])
            *order++ = sorted[i];
}

static inline double weight_of(const tree_grower *grower, uint32_t row)
{
    return grower->data->weights ? grower->data->weights[row] : 1.0;
}

static const double *outputs_of(const tree_grower *grower, uint32_t row)
{
    return grower->data->outputs + row * grower->data->num_outputs;
}

/** Set a node's sums and costs from its rows. */
static void measure_node(const tree_grower *grower, size_t index)
{
    grown_node *node = &grower->grown->nodes[index];
    size_t num_outputs = grower->data->num_outputs;
    double *sums = grower->grown->sums + index * num_outputs;
    for (size_t i = 0; i < node->num_rows; i++) {
        uint32_t row = grower->orders[grower->firsts[index] + i].row;
        const double *outputs = outputs_of(grower, row);
        double weight = weight_of(grower, row);
        node->weight += weight;
        for (size_t o = 0; o < num_outputs; o++)
            sums[o] += weight * outputs[o];
    }
    node->cost = sums[0];
    for (size_t o = 1; o < num_outputs; o++)
        node->cost = fmin(node->cost, sums[o]);
}

/** Minus the squared error, up to a constant of the node. */
static inline double score_sums(const double *lefts, const double *totals, size_t num_outputs,
                                double weight_left, double weight_right)
{
    double squares_left = 0.0, squares_right = 0.0;
    for (size_t o = 0; o < num_outputs; o++) {
        double left = lefts[o], right = totals[o] - left;
        squares_left += left * left;
        squares_right += right * right;
    }
    return squares_left / weight_left + squares_right / weight_right;
}

/** `lefts` is a scratch array, shape [num_outputs]. */
__attribute__((always_inline)) static inline void try_column(const tree_grower *grower,
                                                             size_t index, size_t column,
                                                             size_t num_outputs, double *lefts,
                                                             tree_cut *best)
{
    size_t num_rows = grower->grown->nodes[index].num_rows, least = grower->min_leaf_rows;
    const double *totals = grower->grown->sums + index * num_outputs;
    double whole = grower->grown->nodes[index].weight, weight_left = 0.0;
    const sorted_row *rows = grower->orders + column * grower->count + grower->firsts[index];
    if (rows[0].value == rows[num_rows - 1].value)
        return;
    for (size_t o = 0; o < num_outputs; o++)
        lefts[o] = 0.0;
    for (size_t left = 1; left < num_rows; left++) {
        const double *outputs = outputs_of(grower, rows[left - 1].row);
        double weight = weight_of(grower, rows[left - 1].row);
        weight_left += weight;
        for (size_t o = 0; o < num_outputs; o++)
            lefts[o] += weight * outputs[o];
        if (rows[left - 1].value == rows[left].value || left < least || num_rows - left < least)
            continue;
        double score = score_sums(lefts, totals, num_outputs, weight_left, whole - weight_left);
        if (score > best->score) {
            float middle = 0.5f * rows[left - 1].value + 0.5f * rows[left].value;
            bool is_between = middle >= rows[left - 1].value && middle < rows[left].value;
            *best = (tree_cut){column, left, is_between ? middle : rows[left - 1].value, score};
        }
    }
}

/* With a constant number of outputs the compiler keeps the sums in registers. */
#define TRY_CASE(N)                                                                                \
    case N:                                                                                        \
        try_column(grower, index, c, N, (double[N]){0}, best);                                     \
        break
#define TRY_FOUR_CASES(N)                                                                          \
    TRY_CASE(N);                                                                                   \
    TRY_CASE((N) + 1);                                                                             \
    TRY_CASE((N) + 2);                                                                             \
    TRY_CASE((N) + 3)

static void try_columns(const tree_grower *grower, size_t index, tree_cut *best)
{
    size_t num_outputs = grower->data->num_outputs;
    for (size_t c = 0; c < grower->data->num_columns; c++) {
        switch (num_outputs) {
            TRY_FOUR_CASES(2);
            TRY_FOUR_CASES(6);
            TRY_FOUR_CASES(10);
            TRY_FOUR_CASES(14);
        default:
            try_column(grower, index, c, num_outputs, grower->lefts, best);
        }
    }
}

/** Move the left child's rows before the right child's, in every column's order. */
static void partition(const tree_grower *grower, size_t index, const tree_cut *cut)
{
    size_t first = grower->firsts[index], count = grower->grown->nodes[index].num_rows;
    const sorted_row *by_cut = grower->orders + cut->column * grower->count + first;
    for (size_t i = 0; i < count; i++)
        grower->goes_left[by_cut[i].row] = i < cut->num_left;
    for (size_t c = 0; c < grower->data->num_columns; c++) {
        sorted_row *rows = grower->orders + c * grower->count + first;
        size_t left = 0, right = cut->num_left;
        for (size_t i = 0; i < count; i++)
            grower->partial[grower->goes_left[rows[i].row] ? left++ : right++] = rows[i];
        memcpy(rows, grower->partial, count * sizeof *rows);
    }
}

static void add_child(tree_grower *grower, size_t first, size_t count)
{
    size_t index = grower->grown->num_nodes++;
    grower->firsts[index] = first;
    grower->grown->nodes[index] = (grown_node){.column = NITRO_NONE, .num_rows = count};
    measure_node(grower, index);
}

static void grow_node(tree_grower *grower, size_t index)
{
    grown_node *node = &grower->grown->nodes[index];
    const double *totals = grower->grown->sums + index * grower->data->num_outputs;
    double whole = 0.0;
    for (size_t o = 0; o < grower->data->num_outputs; o++)
        whole += totals[o] * totals[o];
    /* Rounding alone must not pay. */
    tree_cut best = {NITRO_NONE, 0, 0.0f, (1.0 + 1e-9) * whole / node->weight};
    try_columns(grower, index, &best);
    if (best.column == NITRO_NONE)
        return;
    partition(grower, index, &best);
    node->column = best.column;
    node->threshold = best.threshold;
    node->left = grower->grown->num_nodes;
    add_child(grower, grower->firsts[index], best.num_left);
    add_child(grower, grower->firsts[index] + best.num_left, node->num_rows - best.num_left);
}

static void grow_levels(tree_grower *grower, size_t max_depth)
{
    size_t begin = 0, end = grower->grown->num_nodes;
    for (size_t depth = 0; depth < max_depth && begin < end; depth++) {
        for (size_t i = begin; i < end; i++)
            grow_node(grower, i);
        begin = end;
        end = grower->grown->num_nodes;
    }
}

nitro_status nitro_tree_grow(nitro_context *context, const nitro_forest_data *data,
                             const sorted_row *sorted, const uint32_t *members, size_t count,
                             size_t min_leaf_rows, size_t max_depth, grown_tree *grown)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    size_t num_nodes = 2 * (count / min_leaf_rows + 1);
    tree_grower grower = {
        .data = data, .count = count, .min_leaf_rows = min_leaf_rows, .grown = grown};
    *grown = (grown_tree){.num_columns = data->num_columns, .num_outputs = data->num_outputs};
    grown->nodes = nitro_calloc(context, num_nodes, sizeof *grown->nodes);
    grown->sums = nitro_calloc(context, num_nodes, data->num_outputs * sizeof *grown->sums);
    grower.orders = nitro_calloc(context, data->num_columns, count * sizeof *grower.orders);
    grower.partial = nitro_calloc(context, count, sizeof *grower.partial);
    grower.firsts = nitro_calloc(context, num_nodes, sizeof *grower.firsts);
    grower.goes_left = nitro_calloc(context, data->num_rows, sizeof *grower.goes_left);
    grower.lefts = nitro_calloc(context, data->num_outputs, sizeof *grower.lefts);
    if (grown->nodes && grown->sums && grower.orders && grower.partial && grower.firsts &&
        grower.goes_left && grower.lefts) {
        order_members(&grower, sorted, members);
        add_child(&grower, 0, count);
        grow_levels(&grower, max_depth);
        status = NITRO_OK;
    } else {
        nitro_grown_tree_free(grown);
    }
    free(grower.orders);
    free(grower.partial);
    free(grower.firsts);
    free(grower.goes_left);
    free(grower.lefts);
    return status;
}

void nitro_grown_tree_free(grown_tree *grown)
{
    free(grown->nodes);
    free(grown->sums);
    *grown = (grown_tree){0};
}
