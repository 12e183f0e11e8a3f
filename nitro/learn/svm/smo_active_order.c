/* Rows in the order that passes want. Hides how rows are sorted, and that a row which did not
 * change its kind need not be looked at. */
#include "nitro/learn/svm/smo_active_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

#define UNKNOWN    2 /* as a bound */
#define LINE_BYTES 64

void nitro_smo_order_set_bound(nitro_smo_order *l, size_t at, int bound)
{
    bool is_positive = l->labels[at] > 0, full = bound > 0, empty = bound < 0;
    bool up = is_positive ? !full : !empty, down = is_positive ? !empty : !full;
    size_t block = at - at % NITRO_SMO_BLOCK;
    l->bounds[at] = (signed char)bound;
    l->rows.up_cap[at] = up ? INFINITY : -INFINITY;
    l->rows.down_cap[at] = down ? INFINITY : -INFINITY;
    if (up && block >= l->rows.up_end)
        l->rows.up_end = block + NITRO_SMO_BLOCK;
    if (down && block < l->rows.down_begin)
        l->rows.down_begin = block;
}

/** Anew, after rows moved or alphas were set. */
static void settle_all(nitro_smo_order *l)
{
    l->rows.down_begin = l->rows.padded;
    l->rows.up_end = 0;
    for (size_t k = 0; k < l->problem->num_rows; k++) {
        l->bounds[k] = UNKNOWN;
        nitro_smo_order_settle(l, k);
    }
    if (l->rows.down_begin > l->rows.up_end)
        l->rows.down_begin = l->rows.up_end;
    l->sorted_width = l->rows.up_end - l->rows.down_begin;
}

void nitro_smo_order_start(nitro_smo_order *l, double c)
{
    const double *weights = l->problem->weights;
    for (size_t k = 0; k < l->problem->num_rows; k++) {
        l->alpha[k] = 0.0;
        l->upper[k] = weights ? c * weights[l->rows.order[k]] : c;
        l->rows.violation[k] = l->labels[k];
    }
    settle_all(l);
}

/* ---- Sorting ------------------------------------------------------------------------------- */

typedef struct sort_key {
    double violation;
    uint32_t row, at;
} sort_key;

static int compare_keys(const void *left, const void *right)
{
    const sort_key *a = left, *b = right;
    if (a->violation != b->violation)
        return a->violation < b->violation ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/** 0: can only grow, 1: support vector, 2: can only shrink. */
static int kind_of(const nitro_smo_order *l, size_t at)
{
    int of_label = l->labels[at] > 0 ? 0 : 2;
    return l->bounds[at] < 0 ? of_label : 1;
}

/** Kind after kind; support vectors as they lie. */
static void sort_keys(nitro_smo_order *l)
{
    sort_key *next = l->keys;
    for (int kind = 0; kind < 3; kind++) {
        sort_key *begin = next;
        for (size_t k = 0; k < l->problem->num_rows; k++)
            if (kind_of(l, k) == kind)
                *next++ = (sort_key){l->rows.violation[k], l->rows.order[k], (uint32_t)k};
        if (kind != 1)
            qsort(begin, (size_t)(next - begin), sizeof *begin, compare_keys);
    }
}

static void move_doubles(const nitro_smo_order *l, double *values)
{
    size_t count = l->problem->num_rows;
    memcpy(l->spare, values, count * sizeof *values);
    for (size_t k = 0; k < count; k++)
        values[k] = l->spare[l->came_from[k]];
}

const size_t *nitro_smo_order_sort(nitro_smo_order *l)
{
    size_t count = l->problem->num_rows;
    sort_keys(l);
    for (size_t k = 0; k < count; k++) {
        const sort_key *key = &l->keys[k];
        l->came_from[k] = key->at;
        l->rows.violation[k] = key->violation;
        l->rows.order[k] = key->row;
        l->names[k] = l->problem->names[key->row];
        l->labels[k] = l->problem->labels[key->row];
        l->lies_at[key->row] = k;
    }
    move_doubles(l, l->alpha);
    move_doubles(l, l->upper);
    settle_all(l);
    return l->came_from;
}

/* ---- Memory -------------------------------------------------------------------------------- */

void *nitro_smo_alloc(nitro_context *context, size_t count, size_t size)
{
    size_t bytes = 0;
    void *memory = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - LINE_BYTES)
        memory = aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (!memory)
        nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu times %zu bytes", count, size);
    return memory;
}

static void *allocate_zeros(nitro_context *context, size_t count, size_t size)
{
    void *memory = nitro_smo_alloc(context, count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

static void line_up_by_label(nitro_smo_order *l)
{
    const nitro_smo_problem *problem = l->problem;
    size_t next = 0;
    for (int label = 1; label >= -1; label -= 2)
        for (size_t row = 0; row < problem->num_rows; row++)
            if (problem->labels[row] == label) {
                l->lies_at[row] = next;
                l->labels[next] = problem->labels[row];
                l->names[next] = problem->names[row];
                l->rows.order[next++] = (uint32_t)row;
            }
    for (size_t k = next; k < l->rows.padded; k++) {
        l->rows.violation[k] = INFINITY;
        l->rows.up_cap[k] = l->rows.down_cap[k] = -INFINITY;
    }
}

/** One block for all arrays of doubles, and one for those of floats. */
static void divide_blocks(nitro_smo_order *l)
{
    size_t padded = l->rows.padded;
    double *doubles = l->alpha;
    float *floats = l->rows.down_cap;
    l->upper = doubles + padded;
    l->rows.violation = doubles + 2 * padded;
    l->rows.up_cap = doubles + 3 * padded;
    l->spare = doubles + 4 * padded;
    l->rows.extremes = doubles + 5 * padded;
    l->rows.decrease = floats + padded;
}

nitro_status nitro_smo_order_create(nitro_context *context, const nitro_smo_problem *problem,
                                    nitro_smo_order *order)
{
    size_t count = problem->num_rows;
    size_t padded = (count + NITRO_SMO_BLOCK - 1) / NITRO_SMO_BLOCK * NITRO_SMO_BLOCK;
    nitro_smo_order made = {.problem = problem, .rows = {.padded = padded}};
    double *doubles = allocate_zeros(context, 6 * padded, sizeof *doubles);
    float *floats = allocate_zeros(context, 2 * padded, sizeof *floats);
    made.rows.order = nitro_calloc(context, 2 * padded, sizeof *made.rows.order);
    made.labels = nitro_calloc(context, 2 * padded, sizeof *made.labels);
    made.lies_at = nitro_calloc(context, 2 * padded, sizeof *made.lies_at);
    made.keys = nitro_calloc(context, padded, sizeof *made.keys);
    made.alpha = doubles;
    made.rows.down_cap = floats;
    if (!doubles || !floats || !made.rows.order || !made.labels || !made.lies_at || !made.keys) {
        nitro_smo_order_free(&made);
        return NITRO_ERR_NO_MEMORY;
    }
    divide_blocks(&made);
    made.names = made.rows.order + padded;
    made.bounds = made.labels + padded;
    made.came_from = made.lies_at + padded;
    line_up_by_label(&made);
    *order = made;
    return NITRO_OK;
}

void nitro_smo_order_free(nitro_smo_order *order)
{
    free(order->alpha);
    free(order->rows.down_cap);
    free(order->rows.order);
    free(order->labels);
    free(order->lies_at);
    free(order->keys);
    *order = (nitro_smo_order){0};
}
