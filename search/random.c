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

SEARCH_WALK_SEARCHER(random, &method_random, .name = "random",
                     .description = "uniform without replacement")
