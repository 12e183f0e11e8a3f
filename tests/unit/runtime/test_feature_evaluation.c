/* How features are evaluated: only those that are needed, within a budget, by several threads, and
 * ahead of the run. No test waits on a clock, but for threads that never come. */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/runtime/made_up_model.h"

enum { NUM_VALUES = 40, NUM_THREADS = 4 };

#define PATIENCE_S 60

/** Below the middle "small" is fastest, else "large". */
typedef struct argument {
    double value;
    double result;
} argument;

/** What the features' functions do and count; one of its own for each test. */
typedef struct bench {
    double now_ms, cost_ms;
    atomic_size_t num_first, num_second;
    bool fail_first, fail_second;
    bool meet; /* the groups wait for each other */
    nitro_computation *computation;
    nitro_model *next; /* attached while the first group is evaluated; NULL: none */
    sem_t first_came, second_came;
    sem_t evaluated; /* posted at each evaluation's end */
} bench;

static double bench_now(void *state)
{
    return ((const bench *)state)->now_ms;
}

static bool wait_for(sem_t *semaphore)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    return sem_timedwait(semaphore, &until) == 0;
}

static int evaluate_first(const void *any, double *values, void *user)
{
    bench *b = user;
    b->num_first++;
    if (b->cost_ms > 0)
        b->now_ms += b->cost_ms;
    if (b->meet && (sem_post(&b->first_came) != 0 || !wait_for(&b->second_came)))
        return 7;
    values[0] = ((const argument *)any)->value;
    if (b->next) {
        if (nitro_computation_attach_model(b->computation, b->next) != NITRO_OK)
            return 8;
        b->next = NULL;
    }
    sem_post(&b->evaluated);
    return b->fail_first ? 3 : 0;
}

static int evaluate_second(const void *any, double *values, void *user)
{
    bench *b = user;
    (void)any;
    b->num_second++;
    if (b->meet && (sem_post(&b->second_came) != 0 || !wait_for(&b->first_came)))
        return 7;
    values[0] = 42;
    return b->fail_second ? 4 : 0;
}

static int run_small(void *any, void *user)
{
    argument *a = any;
    (void)user;
    a->result = a->value + 1;
    return 0;
}

static int run_large(void *any, void *user)
{
    argument *a = any;
    (void)user;
    a->result = a->value + 2;
    return 0;
}

static bool always(const double *features, const void *any, void *user)
{
    (void)any;
    (void)user;
    return features[1] == 42;
}

typedef struct scene {
    nitro_context *context;
    nitro_computation *computation;
    bench bench;
} scene;

/** @param[in] picky  the variant that has a constraint; NITRO_NONE: none has. */
static void open_scene(scene *s, double cost_ns, size_t picky)
{
    memset(s, 0, sizeof *s);
    s->context = unit_context();
    sem_init(&s->bench.first_came, 0, 0);
    sem_init(&s->bench.second_came, 0, 0);
    sem_init(&s->bench.evaluated, 0, 0);
    const nitro_clock clock = {
        .wall_ms = bench_now, .thread_cpu_ms = bench_now, .state = &s->bench};
    nitro_context_set_clock(s->context, &clock);
    const nitro_variant variants[] = {
        {.name = "small", .run = run_small, .allows = picky == 0 ? always : NULL},
        {.name = "large", .run = run_large, .allows = picky == 1 ? always : NULL}};
    const nitro_feature first = {.name = "value", .scale = NITRO_SCALE_LINEAR, .cost_ns = cost_ns};
    const nitro_feature second = {
        .name = "nothing", .scale = NITRO_SCALE_LINEAR, .cost_ns = cost_ns};
    assert_ok(s->context, nitro_computation_create(s->context, "evaluated", &s->computation));
    for (size_t v = 0; v < 2; v++)
        assert_ok(s->context, nitro_computation_add_variant(s->computation, &variants[v]));
    assert_ok(s->context,
              nitro_computation_add_features(s->computation, &first, 1, evaluate_first, &s->bench));
    assert_ok(s->context, nitro_computation_add_features(s->computation, &second, 1,
                                                         evaluate_second, &s->bench));
}

static void close_scene(scene *s)
{
    nitro_computation_free(s->computation);
    sem_destroy(&s->bench.first_came);
    sem_destroy(&s->bench.second_came);
    sem_destroy(&s->bench.evaluated);
    nitro_context_free(s->context);
}

/** The features that vary in training; the others are constant. */
typedef enum deciding { NEITHER, FIRST, SECOND, BOTH } deciding;

/** Small values of each feature that varies are for "small". */
static void fill(const void *any, size_t index, double *features, double *times_ms)
{
    deciding which = *(const deciding *)any;
    size_t other = which == BOTH ? index * 7 % NUM_VALUES : index;
    bool is_small =
        (which & FIRST && index < NUM_VALUES / 2) || (which & SECOND && other < NUM_VALUES / 2);
    features[0] = which & FIRST ? (double)index : 1;
    features[1] = which & SECOND ? (double)other + 22 : 42;
    for (size_t v = 0; v < 2; v++)
        times_ms[v] = is_small == (v == 0) ? 1 : 3;
}

static void attach(scene *s, deciding which)
{
    made_up_attach(s->context, s->computation, 0, NUM_VALUES, fill, &which);
}

static nitro_decision decide(scene *s, double value)
{
    argument a = {.value = value};
    nitro_decision made;
    assert_ok(s->context, nitro_run(s->computation, &a, &made));
    assert_true(a.result == value + 1 + (double)made.variant);
    return made;
}

/* ---- What is needed ----------------------------------------------------------------------- */

static void test_what_the_model_does_not_use_is_not_evaluated(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, 1000, NITRO_NONE);
    attach(&s, FIRST);
    for (size_t i = 0; i < NUM_VALUES; i++) {
        const double features[] = {(double)i, 42}, odd[] = {(double)i, -1e9};
        nitro_decision known, made = decide(&s, (double)i);
        assert_ok(s.context, nitro_select_features(s.computation, features, 2, &known));
        assert_int_equal(made.variant, known.variant);
        assert_int_equal(made.variant, i >= NUM_VALUES / 2);
        assert_int_equal(made.reason, NITRO_REASON_MODEL);
        /* What is not evaluated is not judged where it is known, so both say the same. */
        assert_ok(s.context, nitro_select_features(s.computation, odd, 2, &known));
        assert_int_equal(made.variant, known.variant);
        assert_int_equal(made.reason, known.reason);
    }
    assert_int_equal(s.bench.num_second, 0);
    assert_int_equal(decide(&s, -1e6).reason, NITRO_REASON_EXTRAPOLATED);
    attach(&s, SECOND); /* another model, other needs */
    decide(&s, 5);
    assert_int_equal(s.bench.num_second, 1);
    close_scene(&s);
}

/** The new model uses a feature that the old one did not, and that nobody has evaluated. */
static void test_a_model_is_replaced_while_features_are_evaluated(void **state)
{
    nitro_memo_statistics counts;
    scene s;
    (void)state;
    open_scene(&s, 1000, NITRO_NONE);
    attach(&s, FIRST);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(decide(&s, 5).variant_name, "small");
    deciding which = SECOND;
    s.bench.computation = s.computation;
    s.bench.next = made_up_learn(s.context, s.computation, 0, NUM_VALUES, fill, &which);
    nitro_decision made = decide(&s, 5);
    assert_string_equal(made.variant_name, "large");
    assert_int_equal(made.reason, NITRO_REASON_MODEL);
    assert_int_equal(s.bench.num_second, 1);
    assert_string_equal(decide(&s, 5).variant_name, "large");
    nitro_computation_memo_statistics(s.computation, &counts);
    assert_int_equal(counts.hits, 1); /* of the old model */
    close_scene(&s);
}

/** A model of the same variants has the default that was declared when its samples were stored. */
static void test_a_model_that_is_not_sure_takes_its_own_default(void **state)
{
    scene s;
    deciding which = FIRST;
    (void)state;
    open_scene(&s, 1000, NITRO_NONE);
    nitro_model *model = made_up_learn(s.context, s.computation, 0, NUM_VALUES, fill, &which);
    assert_ok(s.context, nitro_computation_set_default(s.computation, "large"));
    assert_string_equal(decide(&s, 30).variant_name, "large");
    assert_ok(s.context, nitro_computation_attach_model(s.computation, model));
    assert_ok(s.context, nitro_computation_set_min_confidence(s.computation, 1.0));
    nitro_decision made = decide(&s, 30);
    assert_int_equal(made.reason, NITRO_REASON_LOW_CONFIDENCE);
    assert_string_equal(made.variant_name, "small");
    close_scene(&s);
}

static size_t num_evaluations(const scene *s)
{
    return s->bench.num_first + s->bench.num_second;
}

static void test_decisions_that_need_no_feature_evaluate_none(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, 0, NITRO_NONE);
    assert_int_equal(decide(&s, 5).reason, NITRO_REASON_NO_MODEL);
    attach(&s, BOTH);
    assert_ok(s.context, nitro_computation_force(s.computation, "large"));
    assert_int_equal(decide(&s, 5).reason, NITRO_REASON_FORCED);
    assert_ok(s.context, nitro_computation_force(s.computation, NULL));
    assert_int_equal(num_evaluations(&s), 0);
    decide(&s, 30);
    assert_int_equal(num_evaluations(&s), 2);
    attach(&s, NEITHER); /* a model that always makes the same choice */
    nitro_decision made = decide(&s, 5);
    assert_int_equal(made.reason, NITRO_REASON_MODEL);
    assert_string_equal(made.variant_name, "large");
    assert_int_equal(num_evaluations(&s), 2);
    close_scene(&s);
}

static bool is_even(const double *features, const void *any, void *user)
{
    (void)features;
    (void)user;
    return fmod(((const argument *)any)->value, 2) == 0;
}

/** A scene whose second variant has this constraint, declared after the features. */
static void open_constrained(scene *s, bool (*allows)(const double *, const void *, void *),
                             const char *reads)
{
    const nitro_variant other = {
        .name = "other", .run = run_large, .allows = allows, .allows_reads = reads};
    open_scene(s, 1000, NITRO_NONE);
    assert_ok(s->context, nitro_computation_add_variant(s->computation, &other));
}

static void fill_other(const void *any, size_t index, double *features, double *times_ms)
{
    fill(any, index, features, times_ms);
    times_ms[2] = times_ms[1] / 2; /* faster than "large" */
}

static void test_constraints_are_asked_where_their_variant_would_be_chosen(void **state)
{
    const deciding first = FIRST;
    scene s;
    (void)state;
    open_constrained(&s, always, "nothing");
    made_up_attach(s.context, s.computation, 0, NUM_VALUES, fill_other, &first);
    assert_string_equal(decide(&s, 5).variant_name, "small");
    assert_int_equal(s.bench.num_second, 0);
    argument a = {.value = 30};
    nitro_decision made;
    assert_ok(s.context, nitro_run(s.computation, &a, &made));
    assert_string_equal(made.variant_name, "other");
    assert_int_equal(s.bench.num_second, 1);
    assert_int_equal(s.bench.num_first, 2);
    assert_ok(s.context, nitro_computation_force(s.computation, "other")); /* only its own */
    assert_ok(s.context, nitro_run(s.computation, &a, &made));
    assert_int_equal(made.reason, NITRO_REASON_FORCED);
    assert_int_equal(s.bench.num_second, 2);
    assert_int_equal(s.bench.num_first, 2);
    close_scene(&s);
    open_constrained(&s, is_even, "");
    made_up_attach(s.context, s.computation, 0, NUM_VALUES, fill_other, &first);
    for (size_t i = NUM_VALUES / 2; i < NUM_VALUES; i++) {
        a.value = (double)i;
        assert_ok(s.context, nitro_run(s.computation, &a, &made));
        assert_int_equal(made.variant == 2, i % 2 == 0);
    }
    assert_int_equal(s.bench.num_second, 0);
    const nitro_variant misspelt = {
        .name = "last", .run = run_large, .allows = always, .allows_reads = "value,nothink"};
    nitro_computation *another = NULL;
    assert_ok(s.context, nitro_computation_create(s.context, "another", &another));
    assert_fails(s.context, nitro_computation_add_variant(another, &misspelt), NITRO_ERR_NOT_FOUND,
                 "the constraint of variant 'last' reads feature 'value', which is not declared");
    nitro_computation_free(another);
    close_scene(&s);
}

static void test_a_single_allowed_variant_needs_no_features(void **state)
{
    const nitro_variant only = {
        .name = "only", .run = run_small, .allows = is_even, .allows_reads = ""};
    const nitro_variant odd = {.name = "rest", .run = run_large};
    const nitro_feature first = {.name = "value", .scale = NITRO_SCALE_LINEAR};
    const deciding which = FIRST;
    argument a = {.value = 5};
    nitro_decision made;
    scene s = {.context = unit_context()};
    (void)state;
    sem_init(&s.bench.evaluated, 0, 0);
    assert_ok(s.context, nitro_computation_create(s.context, "evaluated", &s.computation));
    assert_ok(s.context,
              nitro_computation_add_features(s.computation, &first, 1, evaluate_first, &s.bench));
    assert_ok(s.context, nitro_computation_add_features(
                             s.computation, &(nitro_feature){.name = "nothing", .cost_ns = 1000}, 1,
                             evaluate_second, &s.bench));
    assert_ok(s.context, nitro_computation_add_variant(s.computation, &only));
    assert_ok(s.context, nitro_computation_add_variant(s.computation, &odd));
    made_up_attach(s.context, s.computation, 0, NUM_VALUES, fill, &which);
    assert_ok(s.context, nitro_run(s.computation, &a, &made));
    assert_int_equal(made.reason, NITRO_REASON_ONLY_ALLOWED);
    assert_string_equal(made.variant_name, "rest");
    assert_int_equal(num_evaluations(&s), 0);
    a.value = 6;
    assert_ok(s.context, nitro_run(s.computation, &a, &made));
    assert_int_equal(made.reason, NITRO_REASON_MODEL);
    assert_int_equal(s.bench.num_first, 1);
    nitro_computation_free(s.computation);
    sem_destroy(&s.bench.evaluated);
    nitro_context_free(s.context);
}

static void test_what_costs_nothing_guards_all_the_same(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, 0, NITRO_NONE);
    attach(&s, FIRST);
    decide(&s, 5);
    assert_int_equal(s.bench.num_second, 1);
    const double odd[] = {5, -1e9};
    nitro_decision made;
    assert_ok(s.context, nitro_select_features(s.computation, odd, 2, &made));
    assert_int_equal(made.reason, NITRO_REASON_EXTRAPOLATED);
    close_scene(&s);
}

static void test_constraints_and_records_see_all_features(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, 1000, 1); /* which features it reads is not declared */
    attach(&s, FIRST);
    assert_int_equal(decide(&s, 30).variant, 1);
    assert_int_equal(s.bench.num_second, 1);
    close_scene(&s);
    open_scene(&s, 1000, NITRO_NONE);
    attach(&s, FIRST);
    nitro_monitor_options options;
    nitro_monitor_options_init(&options);
    options.num_recorded = 10;
    assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
    decide(&s, 5);
    assert_int_equal(s.bench.num_second, 1);
    close_scene(&s);
}

static const char *problem_of(const void *given, void *user)
{
    (void)user;
    return ((const argument *)given)->value == 1 ? "1 is too little" : NULL;
}

static void test_the_first_failure_in_declared_order_is_told(void **state)
{
    scene s;
    argument a = {.value = 1};
    (void)state;
    open_scene(&s, 0, NITRO_NONE);
    double values[NITRO_MAX_FEATURES];
    s.bench.fail_first = s.bench.fail_second = true;
    assert_fails(s.context, nitro_computation_evaluate(s.computation, &a, values),
                 NITRO_ERR_BAD_FEATURE, "the function of feature value failed with 3");
    assert_ok(s.context, nitro_computation_set_problem(s.computation, problem_of, NULL));
    assert_fails(s.context, nitro_computation_evaluate(s.computation, &a, values),
                 NITRO_ERR_BAD_FEATURE, "feature value failed with 3: 1 is too little");
    assert_int_equal(s.bench.num_second, 0); /* there was no point in it */
    s.bench.fail_first = false;
    assert_fails(s.context, nitro_computation_evaluate(s.computation, &a, values),
                 NITRO_ERR_BAD_FEATURE, "the function of feature nothing failed with 4");
    close_scene(&s);
}

/* ---- A budget ----------------------------------------------------------------------------- */

static void set_options(scene *s, unsigned num_threads, double budget_us)
{
    const nitro_feature_options options = {.num_threads = num_threads, .budget_us = budget_us};
    assert_ok(s->context, nitro_computation_set_feature_options(s->computation, &options));
}

static void test_features_over_the_budget_give_the_default(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, 4000, NITRO_NONE);
    attach(&s, BOTH);
    set_options(&s, 0, 10);
    assert_int_equal(decide(&s, 30).reason, NITRO_REASON_MODEL); /* 8 us are declared... */
    s.bench.cost_ms = 0.009;                                     /* ...but it takes longer */
    assert_int_equal(decide(&s, 30).reason, NITRO_REASON_BUDGET);
    assert_int_equal(s.bench.num_second, 1);
    set_options(&s, 0, 3);
    nitro_decision made = decide(&s, 30);
    assert_int_equal(made.reason, NITRO_REASON_BUDGET);
    assert_string_equal(made.variant_name, "small");
    set_options(&s, 0, 0.5);
    assert_int_equal(decide(&s, 30).reason, NITRO_REASON_BUDGET);
    assert_int_equal(s.bench.num_first, 2); /* not even begun */
    assert_ok(s.context, nitro_computation_force(s.computation, "large"));
    made = decide(&s, 30);
    assert_int_equal(made.reason, NITRO_REASON_FORCED);
    assert_string_equal(made.variant_name, "large");
    assert_ok(s.context, nitro_select_features(s.computation, (const double[]){NAN, 42}, 2, &made));
    assert_int_equal(made.reason, NITRO_REASON_FORCED);
    assert_string_equal(made.variant_name, "large");
    close_scene(&s);
    open_scene(&s, 4000, 0); /* the default variant has to be asked with all features */
    attach(&s, BOTH);
    set_options(&s, 0, 3);
    assert_int_equal(decide(&s, 30).reason, NITRO_REASON_MODEL);
    close_scene(&s);
}

static void test_the_setting_and_bad_options(void **state)
{
    nitro_feature_options options = {.budget_us = -1};
    scene s;
    (void)state;
    open_scene(&s, 4000, NITRO_NONE);
    attach(&s, BOTH);
    assert_fails(s.context, nitro_computation_set_feature_options(s.computation, &options),
                 NITRO_ERR_ARGUMENT, "a budget of -1 us");
    options = (nitro_feature_options){.num_threads = 1000};
    assert_fails(s.context, nitro_computation_set_feature_options(s.computation, &options),
                 NITRO_ERR_ARGUMENT, "1000 threads");
    assert_ok(s.context, nitro_context_set(s.context, "evaluated", "feature_budget", "5"));
    assert_ok(s.context, nitro_computation_configure(s.computation));
    assert_int_equal(decide(&s, 30).reason, NITRO_REASON_MODEL); /* the clock stands still */
    assert_ok(s.context, nitro_context_set(s.context, "evaluated", "feature_budget", "3"));
    assert_ok(s.context, nitro_computation_configure(s.computation));
    assert_int_equal(decide(&s, 30).reason, NITRO_REASON_BUDGET);
    close_scene(&s);
}

static void test_time_for_features_is_told_beside_what_it_gained(void **state)
{
    nitro_monitor_options options;
    nitro_monitor_statistics counts;
    scene s;
    (void)state;
    open_scene(&s, 4000, NITRO_NONE);
    nitro_monitor_options_init(&options);
    options.every = 2;
    assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
    s.bench.cost_ms = 0.25;
    for (size_t i = 0; i < 20; i++)
        decide(&s, 30);
    nitro_computation_monitor_statistics(s.computation, &counts);
    assert_int_equal(counts.num_decided, 10);
    assert_true(counts.decided_ms > 2.499 && counts.decided_ms < 2.501);
    assert_int_equal(counts.num_compared, 6); /* once the default variant's time is known */
    close_scene(&s);
}

/* ---- Threads ------------------------------------------------------------------------------ */

static void test_groups_are_evaluated_at_once_where_it_is_worth_it(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, 1e6, NITRO_NONE);
    attach(&s, BOTH);
    set_options(&s, 1, 0);
    s.bench.meet = true; /* else each waits in vain, and fails */
    decide(&s, 5);
    assert_int_equal(s.bench.num_first + s.bench.num_second, 2);
    close_scene(&s);
}

static void test_features_are_ready_before_they_are_asked_for(void **state)
{
    scene s;
    argument a = {.value = 30};
    nitro_ticket ticket;
    nitro_decision made;
    (void)state;
    open_scene(&s, 0, NITRO_NONE);
    attach(&s, FIRST);
    assert_ok(s.context, nitro_features_begin(s.computation, &a, &ticket));
    assert_true(wait_for(&s.bench.evaluated)); /* by somebody else: nobody here does */
    assert_ok(s.context, nitro_run_ticket(&ticket, &made));
    assert_int_equal(s.bench.num_first, 1);
    assert_string_equal(made.variant_name, "large");
    assert_true(a.result == 32);
    assert_ok(s.context, nitro_features_begin(s.computation, &a, &ticket));
    nitro_ticket_cancel(&ticket);
    s.bench.fail_first = true;
    assert_ok(s.context, nitro_features_begin(s.computation, &a, &ticket));
    assert_ok(s.context, nitro_run_ticket(&ticket, &made));
    assert_int_equal(made.reason, NITRO_REASON_BAD_FEATURE);
    close_scene(&s);
}

/* Also of zeros, as it is where nobody looked whether it was begun. */
static void test_a_ticket_ends_once(void **state)
{
    scene s;
    argument a = {.value = 30};
    nitro_ticket ticket = {{0}};
    nitro_decision made;
    (void)state;
    open_scene(&s, 0, NITRO_NONE);
    attach(&s, FIRST);
    assert_int_equal(nitro_run_ticket(&ticket, &made), NITRO_ERR_ARGUMENT);
    nitro_ticket_cancel(&ticket);
    assert_ok(s.context, nitro_features_begin(s.computation, &a, &ticket));
    assert_ok(s.context, nitro_run_ticket(&ticket, &made));
    a.result = 0;
    assert_fails(s.context, nitro_run_ticket(&ticket, &made), NITRO_ERR_ARGUMENT,
                 "the ticket has ended");
    assert_true(a.result == 0);
    assert_ok(s.context, nitro_features_begin(s.computation, &a, &ticket));
    nitro_ticket_cancel(&ticket);
    nitro_ticket_cancel(&ticket);
    assert_int_equal(nitro_run_ticket(&ticket, &made), NITRO_ERR_ARGUMENT);
    close_scene(&s);
    nitro_ticket_cancel(&ticket);
}

static void test_a_ticket_over_its_budget_runs_the_default(void **state)
{
    scene s;
    argument a = {.value = 30};
    nitro_ticket ticket;
    nitro_decision made;
    (void)state;
    open_scene(&s, 4000, NITRO_NONE);
    attach(&s, BOTH);
    set_options(&s, 1, 3);
    /* A helper may be in time: without a budget of its own it begins what it finds. */
    assert_ok(s.context, nitro_features_begin(s.computation, &a, &ticket));
    assert_ok(s.context, nitro_run_ticket(&ticket, &made));
    assert_true(made.reason == (made.variant ? NITRO_REASON_MODEL : NITRO_REASON_BUDGET));
    close_scene(&s);
}

static void test_a_forked_child_evaluates_by_itself(void **state)
{
    scene s;
    argument a = {.value = 30};
    nitro_ticket ticket;
    (void)state;
    open_scene(&s, 1e6, NITRO_NONE);
    attach(&s, BOTH);
    set_options(&s, 2, 0);
    decide(&s, 5);
    pid_t child = fork();
    if (child == 0) {
        bool good = nitro_features_begin(s.computation, &a, &ticket) == NITRO_OK &&
                    nitro_run_ticket(&ticket, NULL) == NITRO_OK &&
                    nitro_run(s.computation, &a, NULL) == NITRO_OK;
        nitro_computation_free(s.computation);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close_scene(&s);
}

typedef struct runner {
    pthread_t thread;
    nitro_computation *computation;
    size_t num_wrong;
} runner;

static void *run_tickets(void *any)
{
    runner *self = any;
    for (size_t i = 0; i < 400; i++) {
        argument a[2] = {{.value = (double)(i % NUM_VALUES)}, {.value = 3}};
        nitro_ticket tickets[2];
        nitro_decision made = {.variant = 9};
        for (size_t t = 0; t < 2; t++)
            self->num_wrong +=
                nitro_features_begin(self->computation, &a[t], &tickets[t]) != NITRO_OK;
        self->num_wrong += nitro_run_ticket(&tickets[0], &made) != NITRO_OK;
        self->num_wrong += made.variant != (i % NUM_VALUES >= NUM_VALUES / 2);
        nitro_ticket_cancel(&tickets[1]);
    }
    return NULL;
}

static void test_many_threads_with_tickets(void **state)
{
    scene s;
    runner runners[NUM_THREADS];
    (void)state;
    open_scene(&s, 0, NITRO_NONE);
    attach(&s, FIRST);
    set_options(&s, 2, 0);
    for (size_t t = 0; t < NUM_THREADS; t++) {
        runners[t] = (runner){.computation = s.computation};
        assert_int_equal(pthread_create(&runners[t].thread, NULL, run_tickets, &runners[t]), 0);
    }
    for (size_t t = 0; t < NUM_THREADS; t++) {
        assert_int_equal(pthread_join(runners[t].thread, NULL), 0);
        assert_int_equal(runners[t].num_wrong, 0);
    }
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_model_does_not_use_is_not_evaluated),
        cmocka_unit_test(test_a_model_is_replaced_while_features_are_evaluated),
        cmocka_unit_test(test_a_model_that_is_not_sure_takes_its_own_default),
        cmocka_unit_test(test_decisions_that_need_no_feature_evaluate_none),
        cmocka_unit_test(test_constraints_are_asked_where_their_variant_would_be_chosen),
        cmocka_unit_test(test_a_single_allowed_variant_needs_no_features),
        cmocka_unit_test(test_what_costs_nothing_guards_all_the_same),
        cmocka_unit_test(test_constraints_and_records_see_all_features),
        cmocka_unit_test(test_the_first_failure_in_declared_order_is_told),
        cmocka_unit_test(test_features_over_the_budget_give_the_default),
        cmocka_unit_test(test_the_setting_and_bad_options),
        cmocka_unit_test(test_time_for_features_is_told_beside_what_it_gained),
        cmocka_unit_test(test_groups_are_evaluated_at_once_where_it_is_worth_it),
        cmocka_unit_test(test_features_are_ready_before_they_are_asked_for),
        cmocka_unit_test(test_a_ticket_ends_once),
        cmocka_unit_test(test_a_ticket_over_its_budget_runs_the_default),
        cmocka_unit_test(test_a_forked_child_evaluates_by_itself),
        cmocka_unit_test(test_many_threads_with_tickets),
    };
    assert_int_equal(setenv("NITRO_CONFIG", "/dev/null", 1), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
