/* Differential evolution (best/1/bin on value indices), as in Kernel Tuner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/candidates.h"
#include "search/lhs.h"
#include "search/walk.h"

typedef struct differential_evolution {
    size_t population, generations;
    double factor, crossover; /* F, CR */
    search_candidates candidates;
    size_t count;      /* members: the population, or the starts where they are more */
    uint64_t *members; /* shape [count] */
    double *times_ms;  /* shape [count] */
    uint16_t *points;  /* shape [population x num_parameters], scratch */
    uint64_t best;     /* of all */
    double best_ms;
    size_t generation, unchanged; /* generations without change, in all */
} differential_evolution;

/* Generations without change, after which all trials are drawn anew. */
#define MAX_UNCHANGED 2
/* Duplicate trials in a row, after which one is drawn at random. */
#define MAX_DUPLICATES 20

static bool is_member(const differential_evolution *self, uint64_t configuration)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->members[i] == configuration)
            return true;
    return false;
}

/* The nearest configuration. Of several, `random` draws one; without it, the one of the greatest
 * values is taken, which Kernel Tuner lists first. */
static uint64_t repaired(const search_walk *walk, const differential_evolution *self,
                         const uint16_t *indices, nitro_random *random)
{
    uint64_t found = nitro_space_find(walk->space, indices);
    if (found != NITRO_NO_CONFIGURATION)
        return found;
    size_t nearest = search_candidates_nearest(&self->candidates, indices, random);
    return self->candidates.configurations[nearest];
}

static nitro_status want_lhs(search_walk *walk, differential_evolution *self)
{
    nitro_status status =
        search_lhs(walk->context, walk->space, &walk->random, self->population, 1, self->points);
    for (size_t i = walk->count; status == NITRO_OK && i < self->population; i++)
        status =
            search_want(walk, repaired(walk, self, self->points + i * walk->num_parameters, NULL));
    return status;
}

/* best + F (a - b), crossed with member i. */
static uint64_t make_trial(search_walk *walk, const differential_evolution *self, size_t i)
{
    uint16_t best[NITRO_MAX_PARAMETERS], a[NITRO_MAX_PARAMETERS], b[NITRO_MAX_PARAMETERS],
        trial[NITRO_MAX_PARAMETERS];
    size_t first, second, count = self->count;
    do
        first = nitro_random_below(&walk->random, count);
    while (first == i && count > 1);
    do
        second = nitro_random_below(&walk->random, count);
    while ((second == i || second == first) && count > 2);
    nitro_space_indices(walk->space, self->best, best);
    nitro_space_indices(walk->space, self->members[first], a);
    nitro_space_indices(walk->space, self->members[second], b);
    nitro_space_indices(walk->space, self->members[i], trial);
    size_t always = nitro_random_below(&walk->random, walk->num_parameters);
    for (size_t p = 0; p < walk->num_parameters; p++) {
        double last = (double)nitro_space_parameter(walk->space, p)->num_values - 1;
        double donor = rint((double)best[p] + self->factor * ((double)a[p] - (double)b[p]));
        if (nitro_random_uniform(&walk->random) < self->crossover || p == always)
            trial[p] = (uint16_t)fmin(fmax(donor, 0), last);
    }
    return repaired(walk, self, trial, &walk->random);
}

static nitro_status want_trials(search_walk *walk, differential_evolution *self)
{
    nitro_status status = NITRO_OK;
    if (self->unchanged > MAX_UNCHANGED)
        return want_lhs(walk, self);
    for (size_t duplicates = 0; status == NITRO_OK && walk->count < self->count;) {
        uint64_t trial = make_trial(walk, self, walk->count);
        if (!search_is_wanted(walk, trial)) {
            status = search_want(walk, trial);
            duplicates = 0;
        } else if (++duplicates >= MAX_DUPLICATES) {
            status =
                search_want(walk, nitro_random_below(&walk->random, nitro_space_size(walk->space)));
            duplicates = 0;
        }
    }
    return status;
}

static void select_members(search_walk *walk, differential_evolution *self)
{
    bool changed = false;
    for (size_t i = 0; i < self->count && i < walk->count; i++) {
        double time_ms = walk->times_ms[i];
        if (time_ms <= self->times_ms[i] && !is_member(self, walk->batch[i])) {
            self->members[i] = walk->batch[i];
            self->times_ms[i] = time_ms;
            changed = true;
        }
        if (time_ms < self->best_ms) {
            self->best_ms = time_ms;
            self->best = walk->batch[i];
        }
    }
    self->unchanged += !changed;
}

static nitro_status advance(search_walk *walk, void *method)
{
    differential_evolution *self = method;
    if (self->generation == 0) {
        size_t best = search_best_of_batch(walk);
        memcpy(self->members, walk->batch, self->count * sizeof(*self->members));
        memcpy(self->times_ms, walk->times_ms, self->count * sizeof(*self->times_ms));
        self->best = walk->batch[best];
        self->best_ms = walk->times_ms[best];
    } else
        select_members(walk, self);
    search_want_none(walk);
    return self->generation++ < self->generations ? want_trials(walk, self) : NITRO_OK;
}

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    differential_evolution *self = method;
    size_t varying = 0, times = search_option_count(options, "population", 1, 10000, 16);
    for (size_t p = 0; p < walk->num_parameters; p++)
        varying += nitro_space_parameter(walk->space, p)->num_values > 1;
    self->population = times * (varying > 0 ? varying : 1);
    self->generations = search_option_count(options, "generations", 1, 1000000, 1000000);
    self->factor = search_option_number(options, "f", 0, 2, 0.7);
    self->crossover = search_option_number(options, "cr", 0, 1, 0.6);
    self->points =
        nitro_calloc(walk->context, self->population * walk->num_parameters, sizeof(*self->points));
    nitro_status status = self->points ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status =
            search_candidates_list(walk->context, walk->space, walk->task->seed, &self->candidates);
    if (status == NITRO_OK)
        status = search_want_random(walk, 0); /* the starts */
    if (status == NITRO_OK)
        status = want_lhs(walk, self);
    self->count = walk->count;
    self->members = nitro_calloc(walk->context, self->count, sizeof(*self->members));
    self->times_ms = nitro_calloc(walk->context, self->count, sizeof(*self->times_ms));
    return status == NITRO_OK && !(self->members && self->times_ms) ? NITRO_ERR_NO_MEMORY : status;
}

static void end(void *method)
{
    differential_evolution *self = method;
    search_candidates_release(&self->candidates);
    free(self->members);
    free(self->times_ms);
    free(self->points);
}

static const search_method method_diffevo = {sizeof(differential_evolution), begin, advance, end};

static const nitro_searcher_option options_of_diffevo[] = {
    {"population", "16", "individuals a varying parameter"},
    {"generations", "1000000", "generations until it ends"},
    {"f", "0.7", "weight of the difference of two individuals"},
    {"cr", "0.6", "chance of a parameter to come from it"},
    {NULL, NULL, NULL}};

SEARCH_WALK_SEARCHER(diffevo, &method_diffevo, .name = "diffevo",
                     .description = "differential evolution, best/1/bin (Kernel Tuner)",
                     .options = options_of_diffevo)
