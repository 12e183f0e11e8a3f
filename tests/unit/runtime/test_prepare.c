/* Deciding and preparing first, running later: what a program does that captures graphs. */
#include "nitro/base/context.h"
#include "unit/unit.h"

typedef struct call {
    double length;
    bool is_prepared;
    unsigned prepares, runs;
    int fails; /* what the variant's next function returns */
    const char *last;
} call;

static int run_short(void *argument, void *user)
{
    call *self = argument;
    (void)user;
    self->runs++;
    self->last = "short";
    return self->fails;
}

static int run_long(void *argument, void *user)
{
    call *self = argument;
    (void)user;
    self->runs++;
    self->last = "long";
    return self->is_prepared ? self->fails : -1;
}

static int prepare_long(void *argument, void *user)
{
    call *self = argument;
    (void)user;
    self->prepares++;
    self->is_prepared = !self->fails;
    return self->fails;
}

static bool allows_long(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] > 10;
}

static int evaluate_length(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = ((const call *)argument)->length;
    return 0;
}

static const char *problem_of(const void *argument, void *user)
{
    (void)user;
    return ((const call *)argument)->length > 100 ? "no room for so many" : NULL;
}

typedef struct fixture {
    nitro_context *context;
    nitro_computation *computation;
} fixture;

static void declare(fixture *f, nitro_time_source time_source)
{
    const nitro_declaration declaration = {.name = "sum",
                                           .variants = {{.name = "long",
                                                         .run = run_long,
                                                         .prepare = prepare_long,
                                                         .allows = allows_long,
                                                         .time_source = time_source},
                                                        {.name = "short", .run = run_short}},
                                           .features = {{.name = "length"}},
                                           .evaluate = evaluate_length,
                                           .problem = problem_of};
    assert_ok(f->context, nitro_computation_declare(f->context, &declaration, &f->computation));
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nitro_computation_free(f->computation);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void test_what_was_prepared_is_run(void **state)
{
    fixture *f = *state;
    call given = {.length = 20};
    nitro_decision decision;
    declare(f, NITRO_TIME_DEVICE);
    assert_ok(f->context, nitro_prepare(f->computation, &given, &decision));
    assert_string_equal(decision.variant_name, "long");
    assert_int_equal(decision.reason, NITRO_REASON_NO_MODEL);
    assert_int_equal(given.prepares, 1);
    assert_int_equal(given.runs, 0);
    for (unsigned i = 1; i <= 3; i++) {
        assert_ok(f->context, nitro_run_decided(f->computation, &given, &decision));
        assert_int_equal(given.runs, i);
    }
    assert_int_equal(given.prepares, 1); /* nothing but `run` */
    assert_string_equal(given.last, "long");
    given.length = 5; /* what was decided stays decided */
    assert_ok(f->context, nitro_run_decided(f->computation, &given, &decision));
    assert_string_equal(given.last, "long");
    assert_ok(f->context, nitro_prepare(f->computation, &given, &decision));
    assert_string_equal(decision.variant_name, "short");
    assert_int_equal(decision.reason, NITRO_REASON_ONLY_ALLOWED);
}

static void test_a_forced_variant_is_prepared(void **state)
{
    fixture *f = *state;
    call given = {.length = 20};
    nitro_decision decision;
    declare(f, NITRO_TIME_WALL);
    assert_ok(f->context, nitro_computation_force(f->computation, "short"));
    assert_ok(f->context, nitro_prepare(f->computation, &given, &decision));
    assert_string_equal(decision.variant_name, "short");
    assert_int_equal(decision.reason, NITRO_REASON_FORCED);
    assert_int_equal(given.prepares, 0);
}

/* By another computation, `user`. */
static int prepare_by_another(void *argument, void *user)
{
    const nitro_context *own = nitro_calling_context();
    nitro_decision decision;
    nitro_status status = nitro_prepare(user, argument, &decision);
    return status == NITRO_OK && nitro_calling_context() == own ? 0 : 1;
}

/* What such a variant prepares next is logged by its own computation's context. */
static void test_a_variant_prepares_by_another_computation(void **state)
{
    fixture *f = *state;
    call given = {.length = 20};
    nitro_context *context = unit_context();
    nitro_computation *outer = NULL;
    nitro_decision decision;
    declare(f, NITRO_TIME_WALL);
    const nitro_declaration declaration = {.name = "outer",
                                           .variants = {{.name = "nested",
                                                         .run = run_short,
                                                         .prepare = prepare_by_another,
                                                         .user = f->computation}}};
    assert_ok(context, nitro_computation_declare(context, &declaration, &outer));
    assert_ok(context, nitro_prepare(outer, &given, &decision));
    assert_int_equal(given.prepares, 1);
    assert_null(nitro_calling_context());
    nitro_computation_free(outer);
    nitro_context_free(context);
}

static void test_failures_are_told_in_the_applications_words(void **state)
{
    fixture *f = *state;
    call given = {.length = 200};
    nitro_decision decision;
    declare(f, NITRO_TIME_WALL);
    assert_ok(f->context, nitro_prepare(f->computation, &given, &decision));
    given.fails = 9;
    assert_fails(f->context, nitro_run_decided(f->computation, &given, &decision),
                 NITRO_ERR_VARIANT_FAILED,
                 "sum: variant long failed (it returned 9): no room for so many");
    assert_fails(f->context, nitro_run(f->computation, &given, NULL), NITRO_ERR_VARIANT_FAILED,
                 "(it returned 9): no room for so many");
    given.fails = NITRO_RUN_BREAKDOWN;
    assert_fails(f->context, nitro_run(f->computation, &given, NULL), NITRO_ERR_VARIANT_FAILED,
                 "(it returned 1002: breakdown): no room for so many");
}

static void test_decisions_of_others_are_refused(void **state)
{
    fixture *f = *state;
    call given = {.length = 20};
    declare(f, NITRO_TIME_WALL);
    const nitro_decision beyond = {.variant = 2}, renamed = {.variant = 1, .variant_name = "ell"};
    const nitro_decision none = {0}; /* nitro_prepare failed, say: nothing is prepared */
    assert_fails(f->context, nitro_run_decided(f->computation, &given, &beyond), NITRO_ERR_ARGUMENT,
                 "sum: variant number 2, '?', is not one of its 2");
    assert_fails(f->context, nitro_run_decided(f->computation, &given, &renamed),
                 NITRO_ERR_ARGUMENT, "sum: variant number 1, 'ell', is not one of its 2");
    assert_fails(f->context, nitro_run_decided(f->computation, &given, &none), NITRO_ERR_ARGUMENT,
                 "sum: variant number 0, '?', is not one of its 2");
    assert_int_equal(given.runs, 0);
}

/* The time of an asynchronous `run` is no time of its work. */
static void test_asynchronous_variants_need_a_clock(void **state)
{
    fixture *f = *state;
    nitro_monitor_options options;
    nitro_monitor_statistics seen;
    call given = {.length = 20};
    declare(f, NITRO_TIME_DEVICE);
    nitro_monitor_options_init(&options);
    assert_fails(
        f->context, nitro_computation_monitor(f->computation, &options), NITRO_ERR_ARGUMENT,
        "sum: calls cannot be monitored, adapted or recorded: variant long is timed by the "
        "device's clock (NITRO_TIME_DEVICE), its run returns before the work is done, and no");
    assert_ok(f->context, nitro_context_set(f->context, NULL, "adapt", "2"));
    assert_fails(f->context, nitro_computation_configure(f->computation), NITRO_ERR_ARGUMENT,
                 "cannot be monitored");
    assert_ok(f->context, nitro_run(f->computation, &given, NULL)); /* as it was */
    nitro_computation_monitor_statistics(f->computation, &seen);
    assert_int_equal(seen.num_timed, 0);
    assert_ok(f->context, nitro_computation_monitor(f->computation, NULL)); /* stop monitoring */
}

static void test_what_is_run_in_halves_is_not_monitored(void **state)
{
    fixture *f = *state;
    nitro_monitor_options options;
    nitro_monitor_statistics seen;
    nitro_decision decision;
    call given = {.length = 20};
    declare(f, NITRO_TIME_WALL);
    nitro_monitor_options_init(&options);
    options.every = 1;
    assert_ok(f->context, nitro_computation_monitor(f->computation, &options));
    assert_ok(f->context, nitro_prepare(f->computation, &given, &decision));
    assert_ok(f->context, nitro_run_decided(f->computation, &given, &decision));
    nitro_computation_monitor_statistics(f->computation, &seen);
    assert_int_equal(seen.num_timed, 0);
    assert_ok(f->context, nitro_run(f->computation, &given, NULL));
    nitro_computation_monitor_statistics(f->computation, &seen);
    assert_int_equal(seen.num_timed, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_what_was_prepared_is_run),
        TEST(test_a_forced_variant_is_prepared),
        TEST(test_a_variant_prepares_by_another_computation),
        TEST(test_failures_are_told_in_the_applications_words),
        TEST(test_decisions_of_others_are_refused),
        TEST(test_asynchronous_variants_need_a_clock),
        TEST(test_what_is_run_in_halves_is_not_monitored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
