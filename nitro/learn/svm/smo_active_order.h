/* smo_active_order.h - the rows of an SVM problem with their alphas, lined up for the passes: those
 * that can only grow, those that steps choose from, those that can only shrink. Internal to nitro/.
 */
#ifndef NITRO_LEARN_SVM_SMO_ACTIVE_ORDER_H
#define NITRO_LEARN_SVM_SMO_ACTIVE_ORDER_H

#include <stdbool.h>

#include "nitro/learn/svm/smo.h"
#include "nitro/learn/svm/smo_pass.h"

/** Arrays of shape [rows.padded], by where a row lies, but `lies_at`. */
typedef struct nitro_smo_order {
    const nitro_smo_problem *problem;
    nitro_smo_rows rows;
    double *alpha;
    double *upper; /* C times the weight */
    signed char *labels;
    signed char *bounds; /* 1 at the upper bound, -1 at the lower, 0 between */
    uint32_t *names;     /* the problem's */
    size_t *lies_at;     /* shape [num_rows]: where a row of the problem lies */
    size_t *came_from;   /* where a row lay before it was sorted */
    struct sort_key *keys;
    double *spare;
    size_t sorted_width; /* of those that steps choose from, after they were last sorted */
} nitro_smo_order;

/** Memory at a cache line's begin, so that no register's load needs two lines; not zeroed. NULL:
 *  there is none, and the context says so. */
void *nitro_smo_alloc(nitro_context *context, size_t count, size_t size);

/** Rows lie by label, in the problem's order. @param[in] problem  borrowed. */
nitro_status nitro_smo_order_create(nitro_context *context, const nitro_smo_problem *problem,
                                    nitro_smo_order *order);
void nitro_smo_order_free(nitro_smo_order *order);

/** All alphas 0, upper bounds for `c`, violations that of no step. */
void nitro_smo_order_start(nitro_smo_order *order, double c);

/** The row has another bound: find which way it may move. */
void nitro_smo_order_set_bound(nitro_smo_order *order, size_t at, int bound);

/** alpha[at] has changed: find its bound. */
static inline void nitro_smo_order_settle(nitro_smo_order *order, size_t at)
{
    int bound = (order->alpha[at] >= order->upper[at]) - (order->alpha[at] <= 0);
    if (bound != order->bounds[at])
        nitro_smo_order_set_bound(order, at, bound);
}

/** How many rows more than when they were last sorted steps have to choose from. */
static inline size_t nitro_smo_order_excess(const nitro_smo_order *order)
{
    return order->rows.up_end - order->rows.down_begin - order->sorted_width;
}

/**
 * Those that can only grow, the farthest from it first; support vectors; those that can only
 * shrink, the farthest last: rows that change their kind then do so in the middle.
 * @return shape [num_rows]: where each row lay before; owned by the lineup, until the next sorting.
 */
const size_t *nitro_smo_order_sort(nitro_smo_order *order);

#endif
