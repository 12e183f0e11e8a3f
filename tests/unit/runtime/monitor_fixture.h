/* monitor_fixture.h - a computation whose variants move the clock, by costs of a made-up device:
 * what tests of monitoring and adaptation begin with. */
#ifndef NITRO_TESTS_UNIT_RUNTIME_MONITOR_FIXTURE_H
#define NITRO_TESTS_UNIT_RUNTIME_MONITOR_FIXTURE_H

#include <math.h>

#include "unit/unit.h"

enum { NUM_VARIANTS = 4, NUM_THREADS = 4 };

/** A made-up device: how long each variant takes for an input of size 1, and how noisy that is. */
typedef struct world {
    double now_ms;
    double cost_ms[NUM_VARIANTS];
    double noise;            /* standard deviation of ln(time) */
    double feature_ms;       /* evaluating the feature */
    double outliers;         /* how often a call takes 20 times as long */
    nitro_random random;     /* the same for every choice: it depends on the calls made alone */
    double made_ms, base_ms; /* all calls so far; the first variant's times, had it been taken */
    size_t last;             /* the variant that ran last */
    size_t num_prepared;
    bool prepare_fails, run_fails; /* of the last variant */
} world;

typedef struct argument {
    double size;
    world *world;
} argument;

static inline double world_now(void *state)
{
    return ((const world *)state)->now_ms;
}

static inline int run(void *any, void *user)
{
    const argument *a = any;
    world *w = a->world;
    double factor = exp(w->noise * nitro_random_normal(&w->random));
    if (nitro_random_uniform(&w->random) < w->outliers)
        factor *= 20;
    w->last = (size_t)(uintptr_t)user;
    if (w->last == NUM_VARIANTS - 1 && w->run_fails)
        return 1;
    w->now_ms += a->size * w->cost_ms[w->last] * factor;
    w->made_ms += a->size * w->cost_ms[w->last] * factor;
    w->base_ms += a->size * w->cost_ms[0] * factor;
    return 0;
}

static inline int prepare(void *any, void *user)
{
    const argument *a = any;
    (void)user;
    a->world->num_prepared++;
    return a->world->prepare_fails;
}

/** The last variant refuses large inputs. */
static inline bool is_small(const double *features, const void *any, void *user)
{
    (void)any;
    (void)user;
    return features[0] < 100;
}

static inline int evaluate(const void *any, double *values, void *user)
{
    const argument *a = any;
    (void)user;
    a->world->now_ms += a->world->feature_ms;
    values[0] = a->size;
    return 0;
}

static inline nitro_computation *declare(nitro_context *context, nitro_time_source time_source)
{
    static const char *const names[NUM_VARIANTS] = {"a", "b", "c", "d"};
    const nitro_feature size = {.name = "size", .scale = NITRO_SCALE_LOG};
    nitro_computation *made = NULL;
    assert_ok(context, nitro_computation_create(context, "monitored", &made));
    for (size_t v = 0; v < NUM_VARIANTS; v++) {
        bool is_last = v == NUM_VARIANTS - 1;
        const nitro_variant variant = {.name = names[v],
                                       .run = run,
                                       .prepare = is_last ? prepare : NULL,
                                       .allows = is_last ? is_small : NULL,
                                       .time_source = time_source,
                                       .user = (void *)(uintptr_t)v};
        assert_ok(context, nitro_computation_add_variant(made, &variant));
    }
    assert_ok(context, nitro_computation_add_features(made, &size, 1, evaluate, NULL));
    return made;
}

typedef struct scene {
    nitro_context *context;
    nitro_computation *computation;
    world world;
    char log[4096]; /* of warnings, a line each */
} scene;

static inline void keep_log(void *user, nitro_log_level level, const char *message)
{
    scene *s = user;
    size_t length = strlen(s->log);
    (void)level;
    snprintf(s->log + length, sizeof s->log - length, "%s\n", message);
}

static inline void open_scene(scene *s, const double *cost_ms, const nitro_monitor_options *options)
{
    *s = (scene){.context = unit_context()};
    memcpy(s->world.cost_ms, cost_ms, sizeof s->world.cost_ms);
    nitro_random_seed(&s->world.random, 1);
    const nitro_clock clock = {
        .wall_ms = world_now, .thread_cpu_ms = world_now, .state = &s->world};
    nitro_context_set_clock(s->context, &clock);
    nitro_context_set_log(s->context, NITRO_LOG_WARNING, keep_log, s);
    s->computation = declare(s->context, NITRO_TIME_OF_KIND);
    if (options)
        assert_ok(s->context, nitro_computation_monitor(s->computation, options));
}

static inline void close_scene(scene *s)
{
    nitro_computation_free(s->computation);
    nitro_context_free(s->context);
}

static inline nitro_decision call(scene *s, double size)
{
    argument a = {.size = size, .world = &s->world};
    nitro_decision made;
    assert_ok(s->context, nitro_run(s->computation, &a, &made));
    return made;
}

static inline nitro_monitor_statistics statistics(const scene *s)
{
    nitro_monitor_statistics counts;
    nitro_computation_monitor_statistics(s->computation, &counts);
    return counts;
}

static inline nitro_monitor_options monitoring(unsigned every, double adapt_percent)
{
    nitro_monitor_options options;
    nitro_monitor_options_init(&options);
    options.every = every;
    options.adapt_percent = adapt_percent;
    return options;
}

static const double plain_ms[NUM_VARIANTS] = {1, 2, 3, 4};

#endif
