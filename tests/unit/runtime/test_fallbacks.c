/* What runs if a feature, a `prepare` or a `run` fails: the default or the next best variant, and
 * the decision says why. */
#include <math.h>

#include "unit/runtime/made_up_model.h"

enum { GOOD, FAIR, POOR, NUM_VARIANTS };

/* The argument: which functions fail, and what ran. */
typedef struct call {
    double value;
    bool feature_fails;
    unsigned prepare_fails, run_fails; /* a bit each variant */
    unsigned num_prepares, num_runs;
    size_t ran;
} call;

typedef struct fixture {
    nitro_context *context;
    nitro_computation *computation;
    char log[UNIT_LOG_BYTES];
} fixture;

static int evaluate_value(const void *argument, double *values, void *user)
{
    const call *given = argument;
    (void)user;
    values[0] = given->value;
    return given->feature_fails ? 5 : 0;
}

static int prepare_variant(void *argument, void *user)
{
    call *given = argument;
    given->num_prepares++;
    return given->prepare_fails >> (size_t)user & 1 ? 3 : 0;
}

static double now_ms; /* runs take time */

static double read_clock(void *state)
{
    (void)state;
    return now_ms;
}

static int run_variant(void *argument, void *user)
{
    call *given = argument;
    now_ms += 1.0 + 0.5 * (double)(size_t)user;
    given->num_runs++;
    given->ran = (size_t)user;
    return given->run_fails >> (size_t)user & 1 ? 4 : 0;
}

static bool allows_small(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return !(features[0] > 100.0); /* NaN too */
}

static bool allows_known(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] <= 100.0;
}

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = 1.0 + (double)index;
    times_ms[GOOD] = 1.0;
    times_ms[FAIR] = 1.5 + 0.005 * (double)index;
    times_ms[POOR] = 4.0 + 0.01 * (double)index;
}

typedef bool (*constraint)(const double *features, const void *argument, void *user);

/* The default is POOR; the model prefers GOOD, then FAIR. */
static void set_up(fixture *f, bool fails_cleanly, constraint good, constraint fair,
                   constraint poor)
{
    static const char *const names[] = {"good", "fair", "poor"};
    const constraint constraints[] = {good, fair, poor};
    const nitro_feature feature = {.name = "value"};
    *f = (fixture){.context = unit_context()};
    nitro_context_set_log(f->context, NITRO_LOG_INFO, unit_keep_log, f->log);
    assert_ok(f->context, nitro_computation_create(f->context, "work", &f->computation));
    assert_ok(f->context,
              nitro_computation_add_features(f->computation, &feature, 1, evaluate_value, NULL));
    for (size_t v = 0; v < NUM_VARIANTS; v++) {
        const nitro_variant variant = {.name = names[v],
                                       .run = run_variant,
                                       .prepare = prepare_variant,
                                       .allows = constraints[v],
                                       .fails_cleanly = fails_cleanly,
                                       .user = (void *)v};
        assert_ok(f->context, nitro_computation_add_variant(f->computation, &variant));
    }
    assert_ok(f->context, nitro_computation_set_default(f->computation, "poor"));
    made_up_attach(f->context, f->computation, 0, 60, fill, NULL);
    f->log[0] = '\0';
}

static void tear_down(fixture *f)
{
    nitro_computation_free(f->computation);
    nitro_context_free(f->context);
}

static void run(fixture *f, call *given, size_t variant, nitro_reason reason)
{
    nitro_decision decision;
    given->num_prepares = given->num_runs = 0;
    assert_ok(f->context, nitro_run(f->computation, given, &decision));
    assert_int_equal(given->ran, variant);
    assert_int_equal(decision.variant, variant);
    assert_int_equal(decision.reason, reason);
    assert_string_equal(decision.variant_name,
                        nitro_computation_variant_name(f->computation, variant));
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        found++;
    return found;
}

static void test_the_default_runs_if_a_feature_fails(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    fixture f;
    nitro_decision decision;
    set_up(&f, false, NULL, NULL, NULL);
    call given = {.value = 30.0};
    run(&f, &given, GOOD, NITRO_REASON_MODEL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        given.value = bad[i];
        run(&f, &given, POOR, NITRO_REASON_BAD_FEATURE);
        assert_ok(f.context, nitro_select_features(f.computation, &bad[i], 1, &decision));
        assert_int_equal(decision.variant, POOR);
        assert_int_equal(decision.reason, NITRO_REASON_BAD_FEATURE);
        assert_true(decision.confidence == 0.0);
    }
    given = (call){.value = 30.0, .feature_fails = true};
    run(&f, &given, POOR, NITRO_REASON_BAD_FEATURE);
    assert_int_equal(count(f.log, "feature value is nan"), 1); /* the first one only */
    assert_int_equal(count(f.log, "\n"), 1);
    assert_ok(f.context, nitro_computation_force(f.computation, "fair"));
    run(&f, &given, FAIR, NITRO_REASON_FORCED);
    tear_down(&f);
}

/* Pool threads, a budget and tickets go the same way. */
static void test_however_features_are_evaluated(void **state)
{
    (void)state;
    fixture f;
    nitro_ticket ticket;
    nitro_decision decision;
    const nitro_feature_options options = {.num_threads = 1, .budget_us = 1e6};
    set_up(&f, false, NULL, NULL, NULL);
    assert_ok(f.context, nitro_computation_set_feature_options(f.computation, &options));
    call given = {.value = 30.0, .feature_fails = true};
    run(&f, &given, POOR, NITRO_REASON_BAD_FEATURE);
    assert_ok(f.context, nitro_features_begin(f.computation, &given, &ticket));
    assert_ok(f.context, nitro_run_ticket(&ticket, &decision));
    assert_int_equal(decision.reason, NITRO_REASON_BAD_FEATURE);
    tear_down(&f);
}

static void test_constraints_without_features(void **state)
{
    (void)state;
    fixture f;
    nitro_decision decision;
    call given = {.value = NAN};
    /* The default has a constraint: the first variant without one. */
    set_up(&f, false, allows_small, NULL, allows_small);
    run(&f, &given, FAIR, NITRO_REASON_BAD_FEATURE);
    tear_down(&f);
    /* All have one: they see NaN. */
    set_up(&f, false, allows_small, allows_known, allows_known);
    run(&f, &given, GOOD, NITRO_REASON_BAD_FEATURE);
    tear_down(&f);
    set_up(&f, false, allows_known, allows_known, allows_known);
    assert_fails(f.context, nitro_run(f.computation, &given, &decision), NITRO_ERR_NO_VARIANT,
                 ": no variant accepts this input");
    assert_int_equal(given.num_runs, 1);
    tear_down(&f);
}

static void test_the_default_runs_if_preparing_fails(void **state)
{
    (void)state;
    fixture f;
    nitro_decision decision;
    set_up(&f, false, NULL, NULL, NULL);
    call given = {.value = 30.0, .prepare_fails = 1u << GOOD};
    run(&f, &given, POOR, NITRO_REASON_UNPREPARED);
    assert_int_equal(given.num_prepares, 2);
    assert_int_equal(given.num_runs, 1);
    assert_int_equal(count(f.log, "variant good could not prepare the input (it returned 3); "
                                  "now poor is tried"),
                     1);
    given.prepare_fails |= 1u << POOR; /* then the first that is left */
    run(&f, &given, FAIR, NITRO_REASON_UNPREPARED);
    given = (call){.value = 30.0, .prepare_fails = 1u << GOOD};
    assert_ok(f.context, nitro_prepare(f.computation, &given, &decision));
    assert_int_equal(decision.variant, POOR);
    assert_int_equal(decision.reason, NITRO_REASON_UNPREPARED);
    assert_ok(f.context, nitro_run_decided(f.computation, &given, &decision));
    assert_int_equal(given.ran, POOR);
    given.prepare_fails = 7;
    decision.variant = 99;
    given.num_runs = 0;
    assert_fails(f.context, nitro_run(f.computation, &given, &decision), NITRO_ERR_VARIANT_FAILED,
                 "variant fair could not prepare the input (it returned 3)");
    assert_int_equal(decision.variant, 99);
    assert_int_equal(given.num_runs, 0);
    given = (call){.value = NAN, .prepare_fails = 1u << POOR}; /* both failures at once */
    run(&f, &given, GOOD, NITRO_REASON_UNPREPARED);
    tear_down(&f);
}

static void test_a_run_that_may_have_written_is_an_error(void **state)
{
    (void)state;
    fixture f;
    nitro_decision decision;
    set_up(&f, false, NULL, NULL, NULL);
    call given = {.value = 30.0, .run_fails = 1u << GOOD};
    assert_fails(f.context, nitro_run(f.computation, &given, &decision), NITRO_ERR_VARIANT_FAILED,
                 "work: variant good failed (it returned 4)");
    assert_int_equal(given.num_runs, 1);
    assert_int_equal(decision.variant, GOOD);
    tear_down(&f);
}

static void test_the_next_best_runs_after_a_clean_failure(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, true, NULL, NULL, NULL);
    call given = {.value = 30.0, .run_fails = 1u << GOOD};
    run(&f, &given, FAIR, NITRO_REASON_RUN_FAILED); /* by the model, not the default */
    assert_int_equal(given.num_runs, 2);
    assert_int_equal(count(f.log, "variant good failed (it returned 4); now fair is tried"), 1);
    given.prepare_fails = 1u << FAIR;
    run(&f, &given, POOR, NITRO_REASON_UNPREPARED);
    given.run_fails = 7;
    given.prepare_fails = 0;
    given.num_runs = 0;
    assert_fails(f.context, nitro_run(f.computation, &given, NULL), NITRO_ERR_VARIANT_FAILED,
                 "work: variant poor failed (it returned 4)");
    assert_int_equal(given.num_runs, 3);
    given = (call){.value = NAN, .run_fails = 1u << POOR}; /* no features, no ranking */
    run(&f, &given, GOOD, NITRO_REASON_RUN_FAILED);
    tear_down(&f);
}

/* Failed calls are not timed; the next ones are. */
static void test_monitoring_goes_on(void **state)
{
    (void)state;
    fixture f;
    nitro_monitor_options options;
    nitro_monitor_statistics seen;
    set_up(&f, true, NULL, NULL, NULL);
    nitro_monitor_options_init(&options);
    options.every = 1;
    assert_ok(f.context, nitro_computation_monitor(f.computation, &options));
    call given = {.value = 30.0, .run_fails = 1u << GOOD};
    run(&f, &given, FAIR, NITRO_REASON_RUN_FAILED);
    given = (call){.value = 30.0, .prepare_fails = 1u << GOOD};
    run(&f, &given, POOR, NITRO_REASON_UNPREPARED);
    given = (call){.value = NAN};
    run(&f, &given, POOR, NITRO_REASON_BAD_FEATURE);
    nitro_computation_monitor_statistics(f.computation, &seen);
    assert_int_equal(seen.num_timed, 0);
    given = (call){.value = 30.0};
    run(&f, &given, GOOD, NITRO_REASON_MODEL);
    nitro_computation_monitor_statistics(f.computation, &seen);
    assert_int_equal(seen.num_timed, 1);
    tear_down(&f);
}

/* Nor is it tried again after the model's choice. */
static void test_an_explored_variant_is_prepared_once(void **state)
{
    (void)state;
    static const nitro_clock clock = {.wall_ms = read_clock, .thread_cpu_ms = read_clock};
    fixture f;
    nitro_monitor_options options;
    nitro_monitor_statistics seen = {0};
    set_up(&f, false, NULL, NULL, NULL);
    nitro_context_set_clock(f.context, &clock);
    nitro_monitor_options_init(&options);
    options.every = 0;
    options.adapt_percent = 100;
    options.confident_from = 2;
    assert_ok(f.context, nitro_computation_monitor(f.computation, &options));
    call given = {.value = 30.0};
    for (size_t i = 0; i < 8; i++)
        run(&f, &given, GOOD, NITRO_REASON_MODEL);
    given = (call){.value = 30.0, .prepare_fails = 7};
    assert_fails(f.context, nitro_run(f.computation, &given, NULL), NITRO_ERR_VARIANT_FAILED,
                 "variant poor could not prepare the input (it returned 3)");
    nitro_computation_monitor_statistics(f.computation, &seen);
    assert_int_equal(seen.num_explorations, 1);
    assert_int_equal(given.num_prepares, NUM_VARIANTS);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_default_runs_if_a_feature_fails),
        cmocka_unit_test(test_however_features_are_evaluated),
        cmocka_unit_test(test_constraints_without_features),
        cmocka_unit_test(test_the_default_runs_if_preparing_fails),
        cmocka_unit_test(test_a_run_that_may_have_written_is_an_error),
        cmocka_unit_test(test_the_next_best_runs_after_a_clean_failure),
        cmocka_unit_test(test_monitoring_goes_on),
        cmocka_unit_test(test_an_explored_variant_is_prepared_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
