/* A genetic algorithm, as in Kernel Tuner. */
#include <math.h>
#include <stdlib.h>

#include "search/walk.h"

typedef struct member {
    uint64_t configuration;
    double time_ms;
    size_t position;
} member;

typedef struct genetic {
    size_t population, generations, mutation; /* chance 1 / mutation */
    bool uniform;                             /* crossover, else at a single point */
    bool repairs;                             /* invalid children, else drops them */
    size_t generation;
    member *parents; /* shape [num_parents]: the last generation by time */
    size_t num_parents;
} genetic;

static int by_time(const void *left, const void *right)
{
    const member *a = left, *b = right;
    if (a->time_ms != b->time_ms)
        return a->time_ms < b->time_ms ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* A rank by Beta(1, 2.5): the fast have more children. */
static size_t draw_rank(search_walk *walk, size_t count)
{
    double beta = 1 - pow(1 - nitro_random_uniform(&walk->random), 1 / 2.5);
    size_t rank = (size_t)(beta * (double)count);
    return rank < count ? rank : count - 1;
}

static void cross(search_walk *walk, const genetic *self, uint16_t *left, uint16_t *right)
{
    size_t count = walk->num_parameters;
    size_t cut = nitro_random_below(&walk->random, count); /* at 0 both parents live on */
    for (size_t p = 0; p < count; p++)
        if (self->uniform ? nitro_random_uniform(&walk->random) < 0.5 : p >= cut) {
            uint16_t swapped = left[p];
            left[p] = right[p];
            right[p] = swapped;
        }
}

/* The child as a configuration, repaired and mutated; NITRO_NO_CONFIGURATION: dropped. */
static nitro_status finish_child(search_walk *walk, const genetic *self, uint16_t *indices,
                                 uint64_t *child)
{
    static const nitro_neighbourhood repairs[] = {
        NITRO_NEIGHBOURS_STRICTLY_ADJACENT, NITRO_NEIGHBOURS_ADJACENT, NITRO_NEIGHBOURS_HAMMING};
    nitro_status status = NITRO_OK;
    uint64_t made = nitro_space_find(walk->space, indices);
    for (int i = 0; status == NITRO_OK && self->repairs && i < 3; i++)
        if (made == NITRO_NO_CONFIGURATION)
            status = search_random_neighbour(walk, indices, repairs[i], &made);
    if (status == NITRO_OK && made != NITRO_NO_CONFIGURATION &&
        nitro_random_below(&walk->random, self->mutation) == 0) {
        uint64_t mutated;
        nitro_space_indices(walk->space, made, indices);
        status = search_random_neighbour(walk, indices, NITRO_NEIGHBOURS_HAMMING, &mutated);
        if (status == NITRO_OK && mutated != NITRO_NO_CONFIGURATION)
            made = mutated;
    }
    *child = made;
    return status;
}

static nitro_status want_child(search_walk *walk, const genetic *self, uint16_t *indices)
{
    uint64_t child;
    nitro_status status = finish_child(walk, self, indices, &child);
    if (status != NITRO_OK || child == NITRO_NO_CONFIGURATION || walk->count >= self->population ||
        search_is_wanted(walk, child))
        return status;
    return search_want(walk, child);
}

static nitro_status advance(search_walk *walk, void *method)
{
    genetic *self = method;
    uint16_t left[NITRO_MAX_PARAMETERS], right[NITRO_MAX_PARAMETERS];
    nitro_status status = NITRO_OK;
    self->num_parents = walk->count;
    for (size_t i = 0; i < walk->count; i++)
        self->parents[i] = (member){walk->batch[i], walk->times_ms[i], i};
    qsort(self->parents, self->num_parents, sizeof(*self->parents), by_time);
    search_want_none(walk);
    if (++self->generation == self->generations || self->num_parents < 2)
        return NITRO_OK;
    /* Parents that are alike have few different children: the rest of a generation is drawn. */
    for (size_t i = 0; status == NITRO_OK && walk->count < self->population; i++) {
        if (i == 100 * self->population)
            return search_want_more(walk, self->population);
        size_t first = draw_rank(walk, self->num_parents), second;
        do
            second = draw_rank(walk, self->num_parents);
        while (second == first);
        nitro_space_indices(walk->space, self->parents[first].configuration, left);
        nitro_space_indices(walk->space, self->parents[second].configuration, right);
        cross(walk, self, left, right);
        status = want_child(walk, self, left);
        if (status == NITRO_OK)
            status = want_child(walk, self, right);
    }
    return status;
}

static const char *const presets[] = {"kernel-tuner-1.5", "kernel-tuner-0.4.2", NULL};
static const char *const crossovers[] = {"single-point", "uniform", NULL};

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    genetic *self = method;
    bool old = search_option_word(options, "preset", presets, 0) == 1;
    self->population = search_option_count(options, "population", 2, 100000, old ? 20 : 26);
    self->generations = search_option_count(options, "generations", 1, 1000000, old ? 50 : 90);
    self->mutation = search_option_count(options, "mutation", 1, 1000000, old ? 10 : 55);
    self->uniform = search_option_word(options, "crossover", crossovers, old) == 1;
    self->repairs = !old;
    uint64_t size = nitro_space_size(walk->space);
    if (self->population > size)
        self->population = (size_t)size;
    size_t most =
        self->population > walk->task->num_starts ? self->population : walk->task->num_starts;
    self->parents = nitro_calloc(walk->context, most, sizeof(*self->parents));
    return self->parents ? search_want_random(walk, self->population) : NITRO_ERR_NO_MEMORY;
}

static void end(void *method)
{
    free(((genetic *)method)->parents);
}

static const search_method method_genetic = {sizeof(genetic), begin, advance, end};

static const nitro_searcher_option options_of_genetic[] = {
    {"preset", "kernel-tuner-1.5",
     "kernel-tuner-1.5 or kernel-tuner-0.4.2 (drops invalid children)"},
    {"population", "", "configurations a generation: 26 (0.4.2: 20)"},
    {"generations", "", "generations until it ends: 90 (50)"},
    {"mutation", "", "one child in so many is mutated: 55 (10)"},
    {"crossover", "", "single-point or uniform: single-point (uniform)"},
    {NULL, NULL, NULL}};

SEARCH_WALK_SEARCHER(genetic, &method_genetic, .name = "genetic",
                     .description = "genetic algorithm (Kernel Tuner)",
                     .options = options_of_genetic)
