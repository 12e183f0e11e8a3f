/* Watching and learning on, with a clock that the variants move: drift is told, what is learnt is
 * right and is paid for from the budget, constraints hold, what was seen goes into a store. */
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "unit/made_up_model.h"

enum { NUM_VARIANTS = 4, NUM_THREADS = 4 };

/** A made-up device: how long each variant takes for an input of size 1, and how noisy that is. */
typedef struct world {
    double now_ms;
    double cost_ms[NUM_VARIANTS];
    double noise;            /* standard deviation of ln(time) */
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

static double world_now(void *state)
{
    return ((const world *)state)->now_ms;
}

static int run(void *any, void *user)
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

static int prepare(void *any, void *user)
{
    const argument *a = any;
    (void)user;
    a->world->num_prepared++;
    return a->world->prepare_fails;
}

/** The last variant refuses large inputs. */
static bool is_small(const double *features, const void *any, void *user)
{
    (void)any;
    (void)user;
    return features[0] < 100;
}

static int evaluate(const void *any, double *values, void *user)
{
    (void)user;
    values[0] = ((const argument *)any)->size;
    return 0;
}

static nitro_computation *declare(nitro_context *context)
{
    static const char *const names[NUM_VARIANTS] = {"a", "b", "c", "d"};
    const nitro_feature size = {.name = "size", .scale = NITRO_SCALE_LOG};
    nitro_computation *made = NULL;
    assert_ok(context, nitro_computation_create(context, "watched", &made));
    for (size_t v = 0; v < NUM_VARIANTS; v++) {
        bool is_last = v == NUM_VARIANTS - 1;
        const nitro_variant variant = {.name = names[v],
                                       .run = run,
                                       .prepare = is_last ? prepare : NULL,
                                       .allows = is_last ? is_small : NULL,
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
    char log[4096];
} scene;

static void keep_log(void *user, nitro_log_level level, const char *message)
{
    (void)level;
    snprintf(((scene *)user)->log, sizeof((scene *)user)->log, "%s", message);
}

static void open_scene(scene *s, const double *cost_ms, const nitro_watch_options *options)
{
    *s = (scene){.context = unit_context()};
    memcpy(s->world.cost_ms, cost_ms, sizeof s->world.cost_ms);
    nitro_random_seed(&s->world.random, 1);
    const nitro_clock clock = {
        .wall_ms = world_now, .thread_cpu_ms = world_now, .state = &s->world};
    nitro_context_set_clock(s->context, &clock);
    nitro_context_set_log(s->context, NITRO_LOG_WARNING, keep_log, s);
    s->computation = declare(s->context);
    if (options)
        assert_ok(s->context, nitro_computation_watch(s->computation, options));
}

static void close_scene(scene *s)
{
    nitro_computation_free(s->computation);
    nitro_context_free(s->context);
}

static nitro_decision call(scene *s, double size)
{
    argument a = {.size = size, .world = &s->world};
    nitro_decision made;
    assert_ok(s->context, nitro_run(s->computation, &a, &made));
    return made;
}

static nitro_watch_statistics statistics(const scene *s)
{
    nitro_watch_statistics counts;
    nitro_computation_watch_statistics(s->computation, &counts);
    return counts;
}

static nitro_watch_options watching(unsigned every, double refine_percent)
{
    nitro_watch_options options;
    nitro_watch_options_init(&options);
    options.every = every;
    options.refine_percent = refine_percent;
    return options;
}

static const double plain_ms[NUM_VARIANTS] = {1, 2, 3, 4};

/* ---- Watching ----------------------------------------------------------------------------- */

static void test_off_nothing_is_timed(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0);
    assert_int_equal(statistics(&s).max_regions, 0);
    close_scene(&s);
}

static void test_one_call_in_n_is_timed(void **state)
{
    const nitro_watch_options options = watching(10, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 10);
    assert_true(fabs(statistics(&s).timed_ms - 10) < 1e-6);
    assert_int_equal(statistics(&s).num_regions, 1);
    assert_int_equal(statistics(&s).num_drifts, 0);
    close_scene(&s);
}

static void test_drift_is_told_once_and_outliers_are_not_drift(void **state)
{
    const nitro_watch_options options = watching(1, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    s.world.noise = 0.05;
    s.world.outliers = 0.02;
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 0);
    s.world.cost_ms[0] = 1.5;
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 1);
    assert_non_null(strstr(s.log, "watched: a takes 1."));
    assert_non_null(strstr(s.log, "inputs like size=1,"));
    s.world.cost_ms[0] = 0.9; /* faster is another time as well */
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 2);
    close_scene(&s);
}

static void test_options_are_checked(void **state)
{
    nitro_watch_options options = watching(1, 101);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    assert_fails(s.context, nitro_computation_watch(s.computation, &options), NITRO_ERR_ARGUMENT,
                 "refining by 101 %");
    options = watching(1, NAN);
    assert_fails(s.context, nitro_computation_watch(s.computation, &options), NITRO_ERR_ARGUMENT,
                 "refining by");
    options = watching(1, 2);
    options.num_regions = 0;
    assert_fails(s.context, nitro_computation_watch(s.computation, &options), NITRO_ERR_ARGUMENT,
                 "0 regions");
    options.num_regions = 1;
    assert_ok(s.context, nitro_computation_watch(s.computation, &options));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 1);
    assert_ok(s.context, nitro_computation_watch(s.computation, NULL));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0);
    close_scene(&s);
}

/* ---- Refining ----------------------------------------------------------------------------- */

static double best_ms(const world *w, double size)
{
    double best = INFINITY;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        if (size < 100 || v < NUM_VARIANTS - 1)
            best = fmin(best, w->cost_ms[v]);
    return best * size;
}

typedef struct phase {
    double cost_ms[NUM_VARIANTS];
    size_t num_calls;
} phase;

/**
 * Play phases with inputs of several sizes in turn. Everywhere on the way no more time was spent
 * than the budget allows beyond that of the first variant, trials and all; in the last 2000 calls
 * of each phase what is chosen is within 1 % of the best fixed choice, on the average, and trials
 * are few.
 */
static void play(scene *s, const phase *phases, size_t num_phases, double percent)
{
    static const double sizes[] = {1, 8, 300};
    for (size_t p = 0; p < num_phases; p++) {
        double late_ms = 0, late_best_ms = 0;
        size_t num_trials = 0;
        memcpy(s->world.cost_ms, phases[p].cost_ms, sizeof s->world.cost_ms);
        for (size_t i = 0; i < phases[p].num_calls; i++) {
            double size = sizes[i % 3];
            nitro_decision made = call(s, size);
            assert_int_equal(made.variant, s->world.last);
            assert_true(size < 100 || made.variant != NUM_VARIANTS - 1);
            double most_ms = s->world.base_ms * (1 + percent / 100);
            if (s->world.made_ms > most_ms)
                fail_msg("phase %zu, call %zu: %g ms, but at most %g", p, i, s->world.made_ms,
                         most_ms);
            num_trials += i + 2000 >= phases[p].num_calls && made.reason == NITRO_REASON_TRIAL;
            if (i + 2000 < phases[p].num_calls || made.reason == NITRO_REASON_TRIAL)
                continue;
            late_ms += size * s->world.cost_ms[made.variant];
            late_best_ms += best_ms(&s->world, size);
        }
        if (late_ms > 1.01 * late_best_ms)
            fail_msg("phase %zu: %g %% above the best", p, 100 * (late_ms / late_best_ms - 1));
        if (num_trials > 100)
            fail_msg("phase %zu: %zu trials in the last 2000 calls", p, num_trials);
    }
}

static void test_refining_finds_the_best_within_its_budget(void **state)
{
    static const phase phases[] = {
        {{1, 1.05, 0.7, 0.5}, 20000}, /* the default is not the best */
        {{1, 1.05, 1.4, 0.5}, 20000}, /* what was learnt for large inputs becomes wrong */
        {{2, 2.1, 2.8, 1}, 20000},    /* everything slows down alike */
        {{1, 0.6, 1.4, 3}, 30000},    /* and another one is the best everywhere */
        {{1, 5, 30, 40}, 20000},      /* the default is the best by far */
    };
    const nitro_watch_options options = watching(0, 2);
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double noise = 0.05 * (double)(seed % 3);
        scene s;
        open_scene(&s, phases[0].cost_ms, &options);
        nitro_random_seed(&s.world.random, seed);
        s.world.noise = noise;
        s.world.outliers = noise > 0 ? 0.002 : 0;
        play(&s, phases, sizeof phases / sizeof phases[0], options.refine_percent);
        nitro_watch_statistics counts = statistics(&s);
        assert_true(counts.num_trials > 0 && counts.num_learnt > 0 && counts.num_drifts > 0);
        assert_true(counts.saved_ms > 0);
        close_scene(&s);
    }
}

static void test_refining_costs_no_more_than_its_budget_where_nothing_is_to_be_won(void **state)
{
    static const phase phases[] = {{{1, 3, 9.5, 200}, 30000}};
    const nitro_watch_options options = watching(0, 2);
    scene s;
    (void)state;
    open_scene(&s, phases[0].cost_ms, &options);
    s.world.noise = 0.05;
    for (size_t i = 0; i < phases[0].num_calls; i++)
        call(&s, 1 + (double)(i % 2));
    assert_true(s.world.made_ms < 1.02 * s.world.base_ms);
    assert_int_equal(statistics(&s).num_learnt, 0);
    close_scene(&s);
}

static void test_a_sure_model_and_a_forced_variant_are_left_alone(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 0.1, 0.1, 0.1};
    nitro_watch_options options = watching(0, 50);
    scene s;
    (void)state;
    options.sure_confidence = 0; /* all are sure */
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(call(&s, 1).variant, 0);
    options.sure_confidence = 2;
    assert_ok(s.context, nitro_computation_watch(s.computation, &options));
    assert_ok(s.context, nitro_computation_force(s.computation, "a"));
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(call(&s, 1).reason, NITRO_REASON_FORCED);
    assert_ok(s.context, nitro_computation_force(s.computation, NULL));
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    nitro_decision made = call(&s, 1);
    assert_int_not_equal(made.variant, 0);
    close_scene(&s);
}

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    const scene *s = user;
    features[0] = (double)index;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        times_ms[v] = (double)index * s->world.cost_ms[v];
}

/** A model from times as they are in this world. */
static void attach_model(scene *s)
{
    made_up_attach(s->context, s->computation, 1, 60, fill, s);
}

static void test_refining_mends_a_model_that_is_wrong(void **state)
{
    nitro_watch_options options = watching(0, 2);
    scene s;
    (void)state;
    options.sure_confidence = 2;
    open_scene(&s, plain_ms, &options);
    attach_model(&s);
    assert_int_equal(call(&s, 10).reason, NITRO_REASON_MODEL);
    s.world.noise = 0.05;
    s.world.cost_ms[1] = 0.8; /* the model says 2, and knows nothing of today */
    for (size_t i = 0; i < 5000; i++)
        call(&s, 10);
    assert_int_equal(call(&s, 10).variant, 1);
    assert_true(statistics(&s).num_unlike_model > 0);
    assert_int_equal(statistics(&s).num_drifts, 0);
    assert_true(statistics(&s).num_trials < 100);
    assert_true(s.world.made_ms < s.world.base_ms);
    close_scene(&s);
}

static void test_a_sure_model_is_doubted_once_times_drift(void **state)
{
    nitro_watch_options options = watching(0, 2);
    scene s;
    (void)state;
    options.sure_confidence = 0;
    open_scene(&s, plain_ms, &options);
    attach_model(&s);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(call(&s, 10).reason, NITRO_REASON_MODEL);
    s.world.cost_ms[0] = 5; /* the next best takes 2 */
    for (size_t i = 0; i < 2000; i++)
        call(&s, 10);
    assert_int_equal(call(&s, 10).variant, 1);
    assert_int_equal(statistics(&s).num_drifts, 1);
    assert_true(s.world.made_ms < s.world.base_ms);
    close_scene(&s);
}

static void test_a_trial_that_fails_is_not_repeated(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 3, 0.5};
    const nitro_watch_options options = watching(0, 10);
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    s.world.prepare_fails = true; /* the call is made all the same */
    for (size_t i = 0; i < 3000; i++)
        assert_int_not_equal((call(&s, 1), s.world.last), NUM_VARIANTS - 1);
    assert_int_equal(s.world.num_prepared, 1);
    close_scene(&s);
    open_scene(&s, costs_ms, &options);
    s.world.run_fails = true;
    size_t num_failed = 0;
    for (size_t i = 0; i < 3000; i++) {
        argument a = {.size = 1, .world = &s.world};
        num_failed += nitro_run(s.computation, &a, NULL) != NITRO_OK;
    }
    assert_int_equal(num_failed, 1);
    close_scene(&s);
}

static void test_more_regions_than_there_is_room_for(void **state)
{
    nitro_watch_options options = watching(0, 2);
    scene s;
    (void)state;
    options.num_regions = 16;
    open_scene(&s, plain_ms, &options);
    for (size_t i = 0; i < 20000; i++)
        call(&s, 1 + (double)(i % 90));
    assert_true(statistics(&s).num_regions <= statistics(&s).max_regions);
    assert_int_equal(statistics(&s).max_regions, 16);
    assert_true(s.world.made_ms < 1.02 * s.world.base_ms);
    close_scene(&s);
}

/* ---- Recording ---------------------------------------------------------------------------- */

static void flush(scene *s, nitro_store *store, size_t expected)
{
    size_t num_samples = 99;
    assert_ok(s->context,
              nitro_computation_flush_observations(s->computation, store, &num_samples));
    assert_int_equal(num_samples, expected);
}

static void test_what_was_seen_goes_into_a_store(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 3, 0.5};
    nitro_watch_options options = watching(1, 0);
    temporary folder = temporary_make();
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    nitro_store *store = temporary_store(s.context, &folder, "store.db");
    assert_fails(s.context, nitro_computation_flush_observations(s.computation, store, NULL),
                 NITRO_ERR_ARGUMENT, "nothing is recorded");
    options.num_recorded = 100;
    assert_ok(s.context, nitro_computation_watch(s.computation, &options));
    flush(&s, store, 0);
    for (size_t i = 0; i < 20; i++)
        call(&s, i % 2 ? 5 : 7);
    flush(&s, store, 2);
    flush(&s, store, 0); /* each once */
    assert_ok(s.context, nitro_computation_force(s.computation, "d"));
    call(&s, 7);
    flush(&s, store, 1);
    nitro_string_list devices = {0}, inputs = {0};
    assert_ok(s.context, nitro_store_list_devices(store, "watched", &devices));
    assert_int_equal(devices.count, 1);
    assert_ok(s.context, nitro_store_list_inputs(store, "watched", devices.items[0], &inputs));
    assert_int_equal(inputs.count, 2);
    for (size_t i = 0; i < 2; i++) {
        nitro_sample *sample = NULL;
        assert_ok(s.context, nitro_store_get_sample(store, "watched", devices.items[0],
                                                    inputs.items[i], &sample));
        assert_memory_equal(sample->input, "observed-", 9);
        assert_string_equal(sample->provenance.origin, "observed");
        assert_true(fabs(sample->entries[0].median_ms - sample->features[0]) < 1e-9);
        assert_int_equal(sample->entries[0].count, 10);
        assert_int_equal(sample->entries[1].outcome, NITRO_OUTCOME_MISSING);
        bool is_seven = sample->features[0] == 7;
        assert_int_equal(sample->entries[3].outcome,
                         is_seven ? NITRO_OUTCOME_MEASURED : NITRO_OUTCOME_MISSING);
        if (is_seven)
            assert_true(fabs(sample->entries[3].median_ms - 3.5) < 1e-9);
        nitro_sample_free(sample);
    }
    nitro_string_list_free(&devices);
    nitro_string_list_free(&inputs);
    nitro_store_close(store);
    temporary_remove(&folder);
    close_scene(&s);
}

static void test_a_full_ring_keeps_the_newest(void **state)
{
    nitro_watch_options options = watching(1, 0);
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    scene s;
    (void)state;
    options.num_recorded = 4;
    open_scene(&s, plain_ms, &options);
    assert_ok(s.context, nitro_store_open(s.context, temporary_path(&folder, "store.db"),
                                          NITRO_STORE_WRITE, &store));
    for (size_t i = 0; i < 50; i++)
        call(&s, 1 + (double)i);
    assert_int_equal(statistics(&s).num_recorded, 50);
    flush(&s, store, 4);
    nitro_store_close(store);
    temporary_remove(&folder);
    close_scene(&s);
}

/* ---- Threads ------------------------------------------------------------------------------ */

typedef struct runner {
    pthread_t thread;
    const nitro_computation *computation;
    size_t num_failed;
} runner;

static int run_quietly(void *any, void *user)
{
    (void)any;
    (void)user;
    return 0;
}

static int evaluate_double(const void *any, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)any;
    return 0;
}

static void *run_many(void *any)
{
    runner *self = any;
    for (size_t i = 0; i < 5000; i++) {
        double size = 1 + (double)(i % 7);
        self->num_failed += nitro_run(self->computation, &size, NULL) != NITRO_OK;
    }
    return NULL;
}

/** On the system's clock: whatever is learnt, no call fails, and each is counted. */
static void test_many_threads_watch_at_once(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    nitro_watch_options options = watching(1, 5);
    const nitro_feature size = {.name = "size"};
    runner runners[NUM_THREADS];
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    (void)state;
    options.num_regions = 4;
    options.num_recorded = 64;
    assert_ok(context, nitro_computation_create(context, "threads", &computation));
    for (size_t v = 0; v < 2; v++) {
        const nitro_variant variant = {.name = v ? "b" : "a", .run = run_quietly};
        assert_ok(context, nitro_computation_add_variant(computation, &variant));
    }
    assert_ok(context,
              nitro_computation_add_features(computation, &size, 1, evaluate_double, NULL));
    assert_ok(context, nitro_computation_watch(computation, &options));
    store = temporary_store(context, &folder, "store.db");
    for (size_t t = 0; t < NUM_THREADS; t++) {
        runners[t] = (runner){.computation = computation};
        assert_int_equal(pthread_create(&runners[t].thread, NULL, run_many, &runners[t]), 0);
    }
    assert_ok(context, nitro_computation_flush_observations(computation, store, NULL));
    for (size_t t = 0; t < NUM_THREADS; t++) {
        assert_int_equal(pthread_join(runners[t].thread, NULL), 0);
        assert_int_equal(runners[t].num_failed, 0);
    }
    nitro_watch_statistics counts;
    nitro_computation_watch_statistics(computation, &counts);
    assert_int_equal(counts.num_timed, NUM_THREADS * 5000);
    nitro_store_close(store);
    temporary_remove(&folder);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* ---- Settings ----------------------------------------------------------------------------- */

static void test_settings_turn_it_on(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    assert_ok(s.context, nitro_computation_configure(s.computation));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0);
    assert_ok(s.context, nitro_context_set(s.context, NULL, "refine", "2"));
    assert_ok(s.context, nitro_context_set(s.context, "watched", "record", "10"));
    assert_ok(s.context, nitro_computation_configure(s.computation));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 1);
    assert_int_equal(statistics(&s).num_recorded, 1);
    assert_fails(s.context, nitro_context_set(s.context, NULL, "refine", "-1"), NITRO_ERR_ARGUMENT,
                 "refine: '-1' is not a number in [0, 100]");
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off_nothing_is_timed),
        cmocka_unit_test(test_one_call_in_n_is_timed),
        cmocka_unit_test(test_drift_is_told_once_and_outliers_are_not_drift),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_refining_finds_the_best_within_its_budget),
        cmocka_unit_test(test_refining_costs_no_more_than_its_budget_where_nothing_is_to_be_won),
        cmocka_unit_test(test_a_sure_model_and_a_forced_variant_are_left_alone),
        cmocka_unit_test(test_refining_mends_a_model_that_is_wrong),
        cmocka_unit_test(test_a_sure_model_is_doubted_once_times_drift),
        cmocka_unit_test(test_a_trial_that_fails_is_not_repeated),
        cmocka_unit_test(test_more_regions_than_there_is_room_for),
        cmocka_unit_test(test_what_was_seen_goes_into_a_store),
        cmocka_unit_test(test_a_full_ring_keeps_the_newest),
        cmocka_unit_test(test_many_threads_watch_at_once),
        cmocka_unit_test(test_settings_turn_it_on),
    };
    assert_int_equal(setenv("NITRO_CONFIG", "/dev/null", 1), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
