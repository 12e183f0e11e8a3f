/* Random search: uniform without replacement. */
#include "search/walk.h"

static nitro_status advance(search_walk *walk, void *method)
{
    (void)method;
    search_want_none(walk);
    return search_want(walk, search_draw_unused(&walk->evaluated, walk->space, &walk->random));
}

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    (void)method;
    (void)options;
    return search_want_random(walk, 1);
}

static const search_method method_random = {1, begin, advance, NULL};

extern const nitro_searcher nitro_searcher_random;

static nitro_status open_random(nitro_context *context, const nitro_search_task *task, void **state)
{
    return search_walk_open(context, task, &nitro_searcher_random, &method_random, state);
}

const nitro_searcher nitro_searcher_random = {
    .name = "random",
    .description = "uniform without replacement",
    .open = open_random,
    .ask = search_walk_ask,
    .tell = search_walk_tell,
    .close = search_walk_close,
};
