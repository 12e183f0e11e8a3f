/* Multi-start local search, as in Kernel Tuner: best improvement over all Hamming neighbours. */
#include <math.h>
#include <stdlib.h>

#include "search/walk.h"

typedef struct local_search {
    double time_ms; /* of the position; NaN: a start is being evaluated */
} local_search;

static nitro_status want_neighbours(search_walk *walk, uint64_t position)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    uint64_t *neighbours = NULL;
    size_t count;
    nitro_space_indices(walk->space, position, indices);
    nitro_status status = nitro_space_neighbours(walk->context, walk->space, indices,
                                                 NITRO_NEIGHBOURS_HAMMING, &neighbours, &count);
    for (size_t i = 0; status == NITRO_OK && i < count; i++) {
        /* In random order: the budget often ends within a neighbourhood. */
        size_t other = i + nitro_random_below(&walk->random, count - i);
        uint64_t taken = neighbours[other];
        neighbours[other] = neighbours[i];
        status = search_want(walk, taken);
    }
    free(neighbours);
    return status;
}

static nitro_status advance(search_walk *walk, void *method)
{
    local_search *self = method;
    size_t best = search_best_of_batch(walk);
    uint64_t position = walk->batch[best];
    bool descends = isnan(self->time_ms) || walk->times_ms[best] < self->time_ms;
    nitro_status status = NITRO_OK;
    search_want_none(walk);
    if (descends) {
        self->time_ms = walk->times_ms[best];
        status = want_neighbours(walk, position);
    }
    if (status != NITRO_OK || walk->count > 0)
        return status;
    self->time_ms = NAN;
    return search_want(walk, search_draw_unused(&walk->evaluated, walk->space, &walk->random));
}

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    (void)options;
    ((local_search *)method)->time_ms = NAN;
    return search_want_random(walk, 1);
}

static const search_method method_mls = {sizeof(local_search), begin, advance, NULL};

SEARCH_WALK_SEARCHER(
    mls, &method_mls, .name = "mls",
    .description = "multi-start local search over Hamming neighbours (Kernel Tuner)")
