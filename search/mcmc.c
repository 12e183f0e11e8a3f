/* Markov chain Monte Carlo, as in KTT: a walk over configurations that differ from the best of late
 * in two parameters. */
#include "search/walk.h"

typedef struct mcmc {
    size_t num_random;
    double chance; /* of going to a slower configuration */
    uint64_t origin;
    double time_ms;
    bool moving; /* the wanted configuration becomes the origin */
} mcmc;

/* Pairs of values up to which all are looked at; beyond, so many are drawn. */
#define MAX_PAIRS 200000

typedef struct reservoir {
    search_walk *walk;
    uint64_t drawn;
    size_t count;
} reservoir;

static void offer(reservoir *from, const uint16_t *indices)
{
    uint64_t found = nitro_space_find(from->walk->space, indices);
    if (found == NITRO_NO_CONFIGURATION)
        return;
    const search_evaluation *entry = search_evaluated_find(&from->walk->evaluated, found);
    if (entry && entry->used)
        return;
    from->count++;
    if (nitro_random_below(&from->walk->random, from->count) == 0)
        from->drawn = found;
}

static size_t num_values(const search_walk *walk, size_t parameter)
{
    return nitro_space_parameter(walk->space, parameter)->num_values;
}

/* Every value of parameter p, and with it every value of the later parameter q. */
static void offer_pair(reservoir *from, uint16_t *indices, size_t p, size_t q)
{
    uint16_t own_p = indices[p], own_q = indices[q];
    for (size_t i = 0; i < num_values(from->walk, p); i++)
        for (size_t j = 0; i != own_p && j < num_values(from->walk, q); j++) {
            indices[p] = (uint16_t)i;
            indices[q] = (uint16_t)j;
            if (j != own_q)
                offer(from, indices);
        }
    indices[p] = own_p;
    indices[q] = own_q;
}

static void offer_one(reservoir *from, uint16_t *indices, size_t p)
{
    uint16_t own = indices[p];
    for (size_t i = 0; i < num_values(from->walk, p); i++) {
        indices[p] = (uint16_t)i;
        if (i != own)
            offer(from, indices);
    }
    indices[p] = own;
}

static void offer_drawn(reservoir *from, const uint16_t *origin)
{
    nitro_random *random = &from->walk->random;
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (size_t i = 0; i < MAX_PAIRS && from->count < 100; i++) {
        for (size_t p = 0; p < from->walk->num_parameters; p++)
            indices[p] = origin[p];
        for (int k = 0; k < 2; k++) {
            size_t p = nitro_random_below(random, from->walk->num_parameters);
            indices[p] = (uint16_t)nitro_random_below(random, num_values(from->walk, p));
        }
        offer(from, indices);
    }
}

/* Uniform among the configurations not used that differ from the origin in at most two. */
static uint64_t draw_near(search_walk *walk, uint64_t origin)
{
    reservoir from = {walk, NITRO_NO_CONFIGURATION, 0};
    uint16_t indices[NITRO_MAX_PARAMETERS];
    size_t pairs = 0, values = 0;
    nitro_space_indices(walk->space, origin, indices);
    for (size_t p = 0; p < walk->num_parameters; p++) {
        pairs += values * num_values(walk, p);
        values += num_values(walk, p);
    }
    if (pairs > MAX_PAIRS) {
        offer_drawn(&from, indices);
        return from.drawn;
    }
    for (size_t p = 0; p < walk->num_parameters; p++) {
        offer_one(&from, indices, p);
        for (size_t q = p + 1; q < walk->num_parameters; q++)
            offer_pair(&from, indices, p, q);
    }
    return from.drawn;
}

static nitro_status advance(search_walk *walk, void *method)
{
    mcmc *self = method;
    size_t best = search_best_of_batch(walk);
    double time_ms = walk->times_ms[best];
    if (self->moving || time_ms <= self->time_ms ||
        nitro_random_uniform(&walk->random) < self->chance) {
        self->origin = walk->batch[best];
        self->time_ms = time_ms;
    }
    uint64_t next = draw_near(walk, self->origin);
    self->moving = next == NITRO_NO_CONFIGURATION;
    if (self->moving)
        next = search_draw_unused(&walk->evaluated, walk->space, &walk->random);
    search_want_none(walk);
    return search_want(walk, next);
}

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    mcmc *self = method;
    self->num_random = search_option_count(options, "random", 1, 1000000, 10);
    self->chance = search_option_number(options, "chance", 0, 1, 0.02);
    self->moving = true;
    return search_want_random(walk, walk->task->num_starts > 0 ? 1 : self->num_random);
}

static const search_method method_mcmc = {sizeof(mcmc), begin, advance, NULL};

static const nitro_searcher_option options_of_mcmc[] = {
    {"random", "10", "random evaluations at first, where no start is given"},
    {"chance", "0.02", "chance of going on from a slower configuration"},
    {NULL, NULL, NULL}};

SEARCH_WALK_SEARCHER(mcmc, &method_mcmc, .name = "mcmc",
                     .description = "Markov chain Monte Carlo (KTT)", .options = options_of_mcmc)
