/* Particle swarm optimisation, as in Kernel Tuner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/walk.h"

typedef struct particle {
    double *position, *velocity, *best; /* shape [num_parameters] each */
    double best_ms;
} particle;

typedef struct swarm {
    size_t num_particles, iterations;
    double inertia, own, common; /* w, c1, c2 */
    double step;                 /* between neighbouring values */
    particle *particles;
    double *numbers; /* what the particles point into */
    double *best;    /* shape [num_parameters]: position of the least time of all */
    double best_ms;
    size_t iteration;
} swarm;

/* NITRO_NO_CONFIGURATION where the nearest values violate a constraint. */
static uint64_t snap(const search_walk *walk, const swarm *self, const double *position)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    for (size_t p = 0; p < walk->num_parameters; p++) {
        double last = (double)nitro_space_parameter(walk->space, p)->num_values - 1;
        indices[p] = (uint16_t)fmin(fmax(rint(position[p] / self->step - 0.5), 0), last);
    }
    return nitro_space_find(walk->space, indices);
}

static void move(search_walk *walk, const swarm *self, particle *moved)
{
    double to_own = self->own * nitro_random_uniform(&walk->random);
    double to_common = self->common * nitro_random_uniform(&walk->random);
    for (size_t p = 0; p < walk->num_parameters; p++) {
        double width = (double)nitro_space_parameter(walk->space, p)->num_values * self->step;
        moved->velocity[p] = self->inertia * moved->velocity[p] +
                             to_own * (moved->best[p] - moved->position[p]) +
                             to_common * (self->best[p] - moved->position[p]);
        moved->position[p] = fmin(fmax(moved->position[p] + moved->velocity[p], 0), width);
    }
}

static nitro_status advance(search_walk *walk, void *method)
{
    swarm *self = method;
    size_t bytes = walk->num_parameters * sizeof(double);
    for (size_t i = 0; i < self->num_particles; i++) {
        particle *moved = &self->particles[i];
        double time_ms = walk->times_ms[i];
        if (time_ms < moved->best_ms || self->iteration == 0) {
            moved->best_ms = time_ms;
            memcpy(moved->best, moved->position, bytes);
        }
        if (time_ms <= self->best_ms) {
            self->best_ms = time_ms;
            memcpy(self->best, moved->position, bytes);
        }
    }
    search_want_none(walk);
    nitro_status status = NITRO_OK;
    if (++self->iteration == self->iterations)
        return NITRO_OK;
    for (size_t i = 0; status == NITRO_OK && i < self->num_particles; i++) {
        move(walk, self, &self->particles[i]);
        status = search_want(walk, snap(walk, self, self->particles[i].position));
    }
    return status;
}

static nitro_status place_particles(search_walk *walk, swarm *self)
{
    size_t width = walk->num_parameters;
    uint16_t indices[NITRO_MAX_PARAMETERS];
    self->particles = nitro_calloc(walk->context, self->num_particles, sizeof(*self->particles));
    self->numbers =
        nitro_calloc(walk->context, (3 * self->num_particles + 1) * width, sizeof(double));
    if (!self->particles || !self->numbers)
        return NITRO_ERR_NO_MEMORY;
    self->best = self->numbers + 3 * self->num_particles * width;
    for (size_t i = 0; i < self->num_particles; i++) {
        double *numbers = self->numbers + 3 * i * width;
        self->particles[i] = (particle){numbers, numbers + width, numbers + 2 * width, INFINITY};
        nitro_space_indices(walk->space, walk->batch[i], indices);
        for (size_t p = 0; p < width; p++) {
            self->particles[i].position[p] = (indices[p] + 0.5) * self->step;
            self->particles[i].velocity[p] = 2 * nitro_random_uniform(&walk->random) - 1;
        }
    }
    return NITRO_OK;
}

static nitro_status begin(search_walk *walk, void *method, search_options *options)
{
    swarm *self = method;
    size_t longest = 1;
    uint64_t half = (nitro_space_size(walk->space) + 1) / 2;
    self->num_particles = search_option_count(options, "particles", 1, 100000, 50);
    self->iterations = search_option_count(options, "iterations", 1, 1000000, 190);
    self->inertia = search_option_number(options, "w", 0, 10, 0.5);
    self->own = search_option_number(options, "c1", 0, 10, 3.5);
    self->common = search_option_number(options, "c2", 0, 10, 1);
    self->best_ms = INFINITY;
    if (self->num_particles > half)
        self->num_particles = (size_t)half;
    for (size_t p = 0; p < walk->num_parameters; p++) {
        size_t values = nitro_space_parameter(walk->space, p)->num_values;
        longest = values > longest ? values : longest;
    }
    self->step = 1 / (double)longest;
    nitro_status status = search_want_random(walk, self->num_particles);
    self->num_particles = walk->count;
    return status == NITRO_OK ? place_particles(walk, self) : status;
}

static void end(void *method)
{
    swarm *self = method;
    free(self->particles);
    free(self->numbers);
}

static const search_method method_pso = {sizeof(swarm), begin, advance, end};

static const nitro_searcher_option options_of_pso[] = {
    {"particles", "50", "particles, at most half the space"},
    {"iterations", "190", "moves of each until it ends"},
    {"w", "0.5", "weight of the last velocity"},
    {"c1", "3.5", "pull of a particle's own best position"},
    {"c2", "1", "pull of the best position of all"},
    {NULL, NULL, NULL}};

SEARCH_WALK_SEARCHER(pso, &method_pso, .name = "pso",
                     .description = "particle swarm optimisation (Kernel Tuner)",
                     .options = options_of_pso)
