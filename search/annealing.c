/* Simulated annealing, as in Kernel Tuner. */
#include <math.h>

#include "search/walk.h"

typedef struct annealing {
    double hottest, coldest, cooling; /* T0, Tmin, alpha */
    double jump;                      /* chance a parameter to change to any value */
    bool strictly_adjacent;           /* the other way to move, else after the jumps */
    uint64_t position;
    double time_ms;  /* of the position; INFINITY: invalid */
    bool restarting; /* the wanted configuration becomes the position whatever its time */
    size_t stuck;    /* steps without a new evaluation */
} annealing;

/* Steps without a new evaluation, after which it starts anew. */
#define MAX_STUCK 100

static double temperature(const search_walk *walk, const annealing *self)
{
    double steps = ceil(log(self->coldest) / log(self->cooling));
    double budget = (double)walk->task->budget;
    return self->hottest * pow(self->cooling, steps * (double)walk->evaluated.num_used / budget);
}

static nitro_status move(search_walk *walk, uint64_t *to, nitro_neighbourhood kind)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    uint64_t neighbour;
    nitro_space_indices(walk->space, *to, indices);
    nitro_status status = search_random_neighbour(walk, indices, kind, &neighbour);
    if (status == NITRO_OK && neighbour != NITRO_NO_CONFIGURATION)
        *to = neighbour;
    return status;
}

static nitro_status neighbour_of_position(search_walk *walk, const annealing *self, uint64_t *to)
{
    nitro_status status = NITRO_OK;
    *to = self->position;
    if (self->strictly_adjacent) {
        bool jumps = nitro_random_uniform(&walk->random) < self->jump;
        return move(walk, to,
                    jumps ? NITRO_NEIGHBOURS_HAMMING : NITRO_NEIGHBOURS_STRICTLY_ADJACENT);
    }
    for (size_t p = 0; status == NITRO_OK && p < walk->num_parameters; p++)
        if (nitro_random_uniform(&walk->random) < self->jump)
            status = move(walk, to, NITRO_NEIGHBOURS_HAMMING);
    return status == NITRO_OK ? move(walk, to, NITRO_NEIGHBOURS_ADJACENT) : status;
}

static bool accepts(search_walk *walk, const annealing *self, double time_ms)
{
    if (isinf(self->time_ms) || time_ms < self->time_ms)
        return true;
    double loss = (time_ms - self->time_ms) / self->time_ms; /* infinite: an invalid one */
    return nitro_random_uniform(&walk->random) < exp(-loss / temperature(walk, self));
}

static nitro_status advance(search_walk *walk, void *method)
{
    annealing *self = method;
    size_t best = search_best_of_batch(walk);
    if (self->restarting || accepts(walk, self, walk->times_ms[best])) {
        self->position = walk->batch[best];
        self->time_ms = walk->times_ms[best];
    }
    self->restarting = false;
    self->stuck = walk->grown ? 0 : self->stuck + 1;
    search_want_none(walk);
    if (temperature(walk, self) <= self->coldest)
        return NITRO_OK;
    if (self->stuck > MAX_STUCK) {
        self->stuck = 0;
        self->restarting = true;
        return search_want(walk, nitro_random_below(&walk->random, nitro_space_size(walk->space)));
    }
    uint64_t next;
    nitro_status status = neighbour_of_position(walk, self, &next);
    return status == NITRO_OK ? search_want(walk, next) : status;
}

static const char *const presets[] = {"kernel-tuner-1.5", "kernel-tuner-0.4.2", NULL};

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    annealing *self = method;
    bool old = search_option_word(options, "preset", presets, 0) == 1;
    self->hottest = search_option_number(options, "t0", 1e-12, 1e12, old ? 1 : 0.1);
    self->coldest = search_option_number(options, "tmin", 1e-12, 0.999, old ? 1e-3 : 1e-4);
    self->cooling = search_option_number(options, "alpha", 1e-3, 0.999999, old ? 0.995 : 0.9975);
    self->jump = search_option_number(options, "jump", 0, 1, 0.2);
    self->strictly_adjacent = old;
    self->restarting = true;
    return search_want_random(walk, 1);
}

static const search_method method_annealing = {sizeof(annealing), begin, advance, NULL};

static const nitro_searcher_option options_of_annealing[] = {
    {"preset", "kernel-tuner-1.5", "kernel-tuner-1.5 or kernel-tuner-0.4.2"},
    {"t0", "", "first temperature, relative to the time: 0.1 (0.4.2: 1)"},
    {"tmin", "", "temperature at which it ends: 0.0001 (0.001)"},
    {"alpha", "", "cooling, stretched to the budget: 0.9975 (0.995)"},
    {"jump", "", "chance of a parameter to change to any value: 0.2"},
    {NULL, NULL, NULL}};

SEARCH_WALK_SEARCHER(annealing, &method_annealing, .name = "annealing",
                     .description = "simulated annealing (Kernel Tuner)",
                     .options = options_of_annealing)
