/* Measuring one input: what counts as a time, and that a bad variant costs its own entry only. All
 * times are synthetic: the clock stands still but for what variants add to it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/unit.h"

/* ---- A computation whose variants play a script ------------------------------------------- */

static struct {
    double wall_ms, cpu_ms;
} fake;

static double fake_wall_ms(void *state)
{
    (void)state;
    return fake.wall_ms;
}

static double fake_cpu_ms(void *state)
{
    (void)state;
    return fake.cpu_ms;
}

typedef enum action {
    PLAIN,
    CRASH,
    ABORT,
    EXIT,
    HANG,
    EAT_MEMORY,
    RETURN_FAILURE,
    WRONG_RESULT,
    LEAVE_A_CHILD,
    SPLIT,
    TURN_CLOCK_BACK,
    BREAK_CLOCK,
    KILL_ITSELF
} action;

typedef struct script {
    const char *name;
    double time_ms;  /* of each call, wall and processor */
    double drift_ms; /* added to it with every call */
    double idle_ms;  /* wall time alone */
    action action;
    unsigned at_call; /* 0: at every call */
    action on_prepare;
    bool forbidden;
    nitro_time_source time_source;
    double *times_ms; /* of each call in turn, where not NULL */
    char mark;        /* written to `trace_file` at each call, where not 0 */
    unsigned calls;
} script;

static int trace_file = -1;
static int result; /* of the variant that ran last */
static int reference_result;

static void eat_memory(void)
{
    for (;;) {
        char *block = malloc(1 << 22);
        if (block)
            memset(block, 1, 1 << 22);
        struct timespec pause_time = {0, 1000000};
        nanosleep(&pause_time, NULL);
    }
}

static void hang(void)
{
    for (;;)
        pause();
}

static int act(action what)
{
    switch (what) {
    case CRASH:
        raise(SIGSEGV);
        break;
    case ABORT:
        abort();
    case EXIT:
        exit(3);
    case HANG:
        hang();
        break;
    case EAT_MEMORY:
        eat_memory();
        break;
    case RETURN_FAILURE:
        return 7;
    case WRONG_RESULT:
        result = 41;
        break;
    case LEAVE_A_CHILD:
        if (fork() == 0)
            hang();
        break;
    case SPLIT:
        if (fork() < 0)
            return 98;
        break;
    case TURN_CLOCK_BACK:
        fake.wall_ms -= 1000;
        break;
    case BREAK_CLOCK:
        fake.wall_ms = NAN;
        break;
    case KILL_ITSELF:
        raise(SIGKILL);
        break;
    case PLAIN:
        break;
    }
    return 0;
}

static int run(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    self->calls++;
    if (self->mark && write(trace_file, &self->mark, 1) != 1)
        return 99;
    double time_ms = self->times_ms ? self->times_ms[self->calls - 1]
                                    : self->time_ms + self->drift_ms * self->calls;
    fake.wall_ms += time_ms + self->idle_ms;
    fake.cpu_ms += time_ms;
    result = 42;
    return self->at_call == 0 || self->at_call == self->calls ? act(self->action) : 0;
}

static int prepare(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    fake.wall_ms += 0.5;
    return act(self->on_prepare);
}

static bool allows(const double *features, const void *argument, void *user)
{
    script *self = user;
    (void)features;
    (void)argument;
    return !self->forbidden;
}

static int keep_reference(void *argument, void *user)
{
    (void)argument;
    (void)user;
    reference_result = result;
    return 0;
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    (void)argument;
    (void)user;
    if (result == reference_result)
        return 0;
    snprintf(why, size, "got %d\ninstead of %d", result, reference_result);
    return 1;
}

static int size_feature(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)argument;
    return 0;
}

typedef struct bench {
    nitro_context *context;
    nitro_computation *computation;
    nitro_measure_options options;
    script scripts[8];
    size_t count;
    nitro_hooks hooks;
    nitro_sample *sample;
} bench;

static int set_up(void **state)
{
    fake.wall_ms = fake.cpu_ms = 1000;
    bench *b = calloc(1, sizeof(*b));
    b->context = unit_context();
    const nitro_clock clock = {fake_wall_ms, fake_cpu_ms, NULL};
    nitro_context_set_clock(b->context, &clock);
    b->options = (nitro_measure_options){.warmups = 1,
                                         .min_repetitions = 5,
                                         .max_repetitions = 9,
                                         .steady_spread = 0.01,
                                         .budget_ms = 1e6,
                                         .timeout_ms = 10000};
    b->hooks = (nitro_hooks){.keep_reference = keep_reference, .check_result = check_result};
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    nitro_sample_free(b->sample);
    nitro_computation_free(b->computation);
    nitro_context_free(b->context);
    free(b);
    if (trace_file >= 0)
        close(trace_file);
    trace_file = -1;
    return 0;
}

static script *add(bench *b, script what)
{
    b->scripts[b->count] = what;
    return &b->scripts[b->count++];
}

static void declare(bench *b)
{
    assert_ok(b->context, nitro_computation_create(b->context, "toy", &b->computation));
    const nitro_feature feature = {.name = "size"};
    assert_ok(b->context,
              nitro_computation_add_features(b->computation, &feature, 1, size_feature, NULL));
    for (size_t i = 0; i < b->count; i++) {
        const nitro_variant variant = {.name = b->scripts[i].name,
                                       .version = "2",
                                       .run = run,
                                       .prepare = prepare,
                                       .allows = allows,
                                       .time_source = b->scripts[i].time_source,
                                       .user = &b->scripts[i]};
        assert_ok(b->context, nitro_computation_add_variant(b->computation, &variant));
    }
    assert_ok(b->context, nitro_computation_set_hooks(b->computation, &b->hooks));
}

static nitro_status load_size(nitro_context *context, void *state, void **argument)
{
    (void)context;
    *argument = state;
    return NITRO_OK;
}

static double input_size = 12;
static const nitro_input plain_input = {"small", load_size, NULL, &input_size};

static void measure(bench *b)
{
    declare(b);
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_string_equal(b->sample->input, "small");
    assert_int_equal(b->sample->num_entries, b->count);
    assert_true(b->sample->features[0] == 12);
    for (size_t i = 0; i < b->count; i++)
        assert_string_equal(b->sample->entries[i].version, "2");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, not even a zombie */
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        fail_msg("got %.17g, want %.17g", got, want);
}

static void assert_measured(const bench *b, size_t index, double median_ms)
{
    const nitro_entry *entry = &b->sample->entries[index];
    if (entry->outcome != NITRO_OUTCOME_MEASURED)
        fail_msg("%s is %s: %s", b->scripts[index].name, nitro_outcome_name(entry->outcome),
                 entry->detail ? entry->detail : "");
    near(entry->median_ms, median_ms);
}

static void assert_without_time(const bench *b, size_t index, nitro_outcome outcome,
                                const char *detail)
{
    const nitro_entry *entry = &b->sample->entries[index];
    assert_string_equal(nitro_outcome_name(entry->outcome), nitro_outcome_name(outcome));
    assert_true(isnan(entry->median_ms));
    assert_int_equal(entry->count, 0);
    if (!detail)
        assert_null(entry->detail);
    else if (!entry->detail || !strstr(entry->detail, detail))
        fail_msg("the detail does not say '%s': %s", detail, entry->detail ? entry->detail : "");
}

static char logged[512];

static void keep_log(void *user, nitro_log_level level, const char *message)
{
    (void)user;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof(logged) - used, "[%d %s]", (int)level, message);
}

/* A trace that forked processes append to. */
static void open_trace(void)
{
    char path[] = "/tmp/nitro-trace-XXXXXX";
    trace_file = mkostemp(path, O_APPEND | O_CLOEXEC);
    assert_true(trace_file >= 0);
    unlink(path);
}

static void assert_trace(const char *want)
{
    char text[256] = "";
    ssize_t length = pread(trace_file, text, sizeof(text) - 1, 0);
    assert_true(length >= 0);
    assert_string_equal(text, want);
}

/* ---- Times -------------------------------------------------------------------------------- */

static void test_medians(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "constant", .time_ms = 3});
    /* Check run, warm-up, then 5 counted ones: 7 5 6 1 9. */
    double jumpy[] = {100, 50, 7, 5, 6, 1, 9, 6, 6, 6, 6};
    add(b, (script){.name = "jumpy", .times_ms = jumpy});
    b->options.max_repetitions = 5;
    measure(b);
    assert_measured(b, 0, 3);
    near(b->sample->entries[0].spread, 0);
    near(b->sample->entries[0].prepare_ms, 0.5);
    assert_measured(b, 1, 6);
    near(b->sample->entries[1].spread, (7.0 - 5.0) / 2 / 6);
    assert_int_equal(b->sample->entries[1].count, 5);
    assert_null(b->sample->entries[1].detail);
}

static void test_time_source(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "wall", .time_ms = 3, .idle_ms = 2});
    add(b,
        (script){.name = "cpu", .time_ms = 3, .idle_ms = 2, .time_source = NITRO_TIME_THREAD_CPU});
    measure(b);
    assert_measured(b, 0, 5);
    assert_measured(b, 1, 3);
}

/* The reference goes first; then all take turns, so that drift hits all alike. */
static void test_interleaving(void **state)
{
    bench *b = *state;
    open_trace();
    add(b, (script){.name = "a", .time_ms = 1, .mark = 'a'});
    add(b, (script){.name = "b", .time_ms = 1, .mark = 'b'});
    add(b, (script){.name = "c", .time_ms = 1, .mark = 'c'});
    declare(b);
    assert_ok(b->context, nitro_computation_set_reference(b->computation, "c"));
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_trace("cab"               /* first runs, checked */
                 "abc"               /* a warm-up */
                 "abcabcabcabcabc"); /* the least number of repetitions: times are steady */
}

static void test_steady_stop(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "steady", .time_ms = 2});
    add(b, (script){.name = "drifting", .time_ms = 2, .drift_ms = 0.5});
    measure(b);
    assert_int_equal(b->sample->entries[0].count, 5);
    assert_int_equal(b->sample->entries[1].count, 9);
}

static void test_budget_stop(void **state)
{
    bench *b = *state;
    b->options.budget_ms = 100;
    b->options.max_repetitions = 50;
    add(b, (script){.name = "quick", .time_ms = 1, .drift_ms = 0.3}); /* 1 to 16 ms: up to 18 */
    add(b, (script){.name = "middling", .time_ms = 30}); /* over budget, yet min_repetitions */
    add(b, (script){.name = "slow", .time_ms = 100});    /* one run takes it all */
    b->options.steady_spread = 0;
    open_trace();
    b->scripts[2].mark = 's';
    measure(b);
    assert_in_range(b->sample->entries[0].count, 15, 25);
    assert_int_equal(b->sample->entries[1].count, 5);
    assert_int_equal(b->sample->entries[2].count, 1);
    assert_measured(b, 2, 100);
    assert_true(isnan(b->sample->entries[2].spread)); /* of one time */
    assert_trace("ss"); /* the checked run and the counted one: no warm-up */
}

static void test_short_calls_are_batched(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "short", .time_ms = 0.001});
    add(b, (script){.name = "shorter", .time_ms = 0.00001});
    add(b, (script){.name = "long", .time_ms = 1});
    open_trace();
    b->scripts[2].mark = 'l';
    measure(b);
    assert_measured(b, 0, 0.001);
    assert_measured(b, 1, 0.00001);
    assert_measured(b, 2, 1);
    assert_trace("lllllll");
}

static int restored;

static int restore_input(void *argument, void *user)
{
    (void)argument;
    (void)user;
    fake.wall_ms += 1000; /* outside the timed part */
    restored++;
    return 0;
}

static int run_in_place(void *argument, void *user)
{
    (void)argument;
    (void)user;
    if (restored != 1)
        return 5;
    restored = 0;
    fake.wall_ms += 0.001;
    return 0;
}

static void test_restore_before_every_run(void **state)
{
    bench *b = *state;
    b->hooks.restore_input = restore_input;
    declare(b);
    const nitro_variant variant = {.name = "in-place", .run = run_in_place};
    assert_ok(b->context, nitro_computation_add_variant(b->computation, &variant));
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_int_equal(b->sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    near(b->sample->entries[0].median_ms, 0.001);
}

static void test_broken_clock(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "good", .time_ms = 3});
    add(b, (script){.name = "standing"});
    add(b, (script){.name = "backwards", .time_ms = 500, .action = TURN_CLOCK_BACK, .at_call = 4});
    measure(b);
    assert_measured(b, 0, 3);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "stood still");
    assert_without_time(b, 2, NITRO_OUTCOME_FAILED, "-500 ms for call 4");
}

static void test_clock_without_value(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "nan", .time_ms = 1, .action = BREAK_CLOCK, .at_call = 3});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_FAILED, "nan ms");
}

/* ---- Bad variants ------------------------------------------------------------------------- */

/* Between two good variants; these survive with their times, whatever the one in the middle does.
 */
static void measure_among_good(bench *b, script bad)
{
    add(b, (script){.name = "first", .time_ms = 3});
    bad.name = "bad";
    bad.time_ms = 1;
    add(b, bad);
    add(b, (script){.name = "last", .time_ms = 4});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 2, 4);
    for (size_t i = 0; i < 3; i += 2) {
        assert_null(b->sample->entries[i].detail);
        assert_int_equal(b->sample->entries[i].count, 5);
    }
}

static void test_not_allowed(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.forbidden = true, .action = CRASH});
    assert_without_time(b, 1, NITRO_OUTCOME_NOT_ALLOWED, NULL);
}

static void test_failing_prepare(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.on_prepare = RETURN_FAILURE});
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "prepare returned 7");
}

static void test_crashing_prepare(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.on_prepare = CRASH});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in prepare");
}

static void test_failing_run(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = RETURN_FAILURE, .at_call = 4});
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "run returned 7 in call 4");
}

static void test_wrong_result(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = WRONG_RESULT});
    assert_without_time(b, 1, NITRO_OUTCOME_WRONG_RESULT,
                        "got 41 instead of 42 (after call 1 of run)");
}

/* Right at first and wrong later, as a variant that adds to its result would be. */
static void test_wrong_result_later(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = WRONG_RESULT, .at_call = 7});
    assert_without_time(b, 1, NITRO_OUTCOME_WRONG_RESULT, "after call 7 of run");
}

static void test_crash(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = CRASH});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 1");
}

static void test_crash_in_third_call(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = CRASH, .at_call = 3});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 3");
}

static void test_abort(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = ABORT, .at_call = 2});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGABRT in run, call 2");
}

static void test_killed_from_outside(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = KILL_ITSELF, .at_call = 2});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGKILL (not ours: did the system run out");
}

static void on_parent_exit(void)
{
    if (trace_file >= 0 && write(trace_file, "!", 1) != 1)
        abort();
}

/* exit() in a worker runs none of the program's own exit handlers. */
static void test_exit(void **state)
{
    bench *b = *state;
    open_trace();
    atexit(on_parent_exit);
    measure_among_good(b, (script){.action = EXIT, .at_call = 2});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "ended with exit status 3 in run, call 2");
    assert_trace("");
}

static void test_hang(void **state)
{
    bench *b = *state;
    b->options.timeout_ms = 400;
    measure_among_good(b, (script){.action = HANG, .at_call = 3});
    assert_without_time(b, 1, NITRO_OUTCOME_TIMED_OUT, "took longer than 400 ms in run, call 3");
}

static size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    unsigned long pages = 0;
    assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void test_memory_eater(void **state)
{
    bench *b = *state;
    b->options.memory_limit_bytes = resident_bytes() + ((size_t)100 << 20);
    measure_among_good(b, (script){.action = EAT_MEMORY});
    assert_without_time(b, 1, NITRO_OUTCOME_OUT_OF_MEMORY, "over the limit of");
}

/* What a variant forks goes when its worker goes. */
static void test_processes_left_behind(void **state)
{
    bench *b = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    measure_among_good(b, (script){.action = LEAVE_A_CHILD, .at_call = 1});
    assert_measured(b, 1, 1);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody has the other end open any more */
    close(ends[0]);
}

/* A variant comes back twice, the second time in a process of its own: only the first counts. */
static void test_variant_that_splits(void **state)
{
    bench *b = *state;
    logged[0] = '\0';
    nitro_context_set_log(b->context, NITRO_LOG_INFO, keep_log, NULL);
    measure_among_good(b, (script){.action = SPLIT, .at_call = 3});
    assert_measured(b, 1, 1);
    assert_string_equal(logged, "");
}

/* Each failing variant costs one entry; the others still get theirs. */
static void test_all_kinds_at_once(void **state)
{
    bench *b = *state;
    b->options.timeout_ms = 400;
    add(b, (script){.name = "crash", .action = CRASH, .at_call = 4});
    add(b, (script){.name = "good", .time_ms = 2});
    add(b, (script){.name = "hang", .time_ms = 1, .action = HANG, .at_call = 2});
    add(b, (script){.name = "exit", .time_ms = 1, .action = EXIT});
    add(b, (script){.name = "wrong", .time_ms = 1, .action = WRONG_RESULT});
    b->scripts[0].time_ms = 1;
    declare(b);
    assert_ok(b->context, nitro_computation_set_reference(b->computation, "good"));
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_without_time(b, 0, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 4");
    assert_measured(b, 1, 2);
    assert_without_time(b, 2, NITRO_OUTCOME_TIMED_OUT, "in run, call 2");
    assert_without_time(b, 3, NITRO_OUTCOME_CRASHED, "exit status 3");
    assert_without_time(b, 4, NITRO_OUTCOME_WRONG_RESULT, "got 41");
}

/* The reference itself fails: another one stands in, and the entries say so. */
static void test_failing_reference(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "reference", .time_ms = 1, .action = CRASH});
    add(b, (script){.name = "second", .time_ms = 2});
    add(b, (script){.name = "third", .time_ms = 3});
    add(b, (script){.name = "wrong", .time_ms = 3, .action = WRONG_RESULT});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_CRASHED, "SIGSEGV");
    assert_measured(b, 1, 2);
    assert_string_equal(
        b->sample->entries[1].detail,
        "unchecked: it stands in for reference reference, which has no result here");
    assert_measured(b, 2, 3);
    assert_string_equal(b->sample->entries[2].detail,
                        "checked against second, for reference reference has no result here");
    assert_without_time(b, 3, NITRO_OUTCOME_WRONG_RESULT, "got 41");
}

static void test_nothing_works(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "a", .action = CRASH});
    add(b, (script){.name = "b", .forbidden = true});
    add(b, (script){.name = "c", .action = RETURN_FAILURE});
    measure(b);
    assert_int_equal(nitro_sample_best(b->sample), NITRO_NONE);
}

/* ---- Bad inputs --------------------------------------------------------------------------- */

static nitro_status load_nothing(nitro_context *context, void *state, void **argument)
{
    (void)argument;
    return nitro_fail(context, NITRO_ERR_FORMAT, "%s:3: text in numbers", (const char *)state);
}

static nitro_status load_silently_nothing(nitro_context *context, void *state, void **argument)
{
    (void)context;
    (void)state;
    (void)argument;
    return NITRO_ERR_IO;
}

static nitro_status load_badly(nitro_context *context, void *state, void **argument)
{
    (void)context;
    (void)argument;
    act(*(action *)state);
    return NITRO_OK;
}

static void assert_input_fails(bench *b, nitro_status (*load)(nitro_context *, void *, void **),
                               void *load_state, nitro_status status, const char *text)
{
    const nitro_input input = {"x.mtx", load, NULL, load_state};
    nitro_sample *untouched = (nitro_sample *)b;
    nitro_sample *sample = untouched;
    assert_fails(b->context, nitro_measure(b->computation, &input, &b->options, &sample), status,
                 text);
    assert_ptr_equal(sample, untouched);
}

static void test_bad_inputs(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "a", .time_ms = 1});
    declare(b);
    nitro_fail(b->context, NITRO_ERR_IO, "an older error");
    assert_input_fails(b, load_nothing, "x.mtx", NITRO_ERR_FORMAT,
                       "input 'x.mtx': x.mtx:3: text in numbers");
    assert_input_fails(b, load_silently_nothing, NULL, NITRO_ERR_IO, "did not say why");
    action how = CRASH;
    assert_input_fails(b, load_badly, &how, NITRO_ERR_IO, "SIGSEGV in its loader");
    how = EXIT;
    assert_input_fails(b, load_badly, &how, NITRO_ERR_IO, "exit status 3 in its loader");
    how = EAT_MEMORY;
    b->options.memory_limit_bytes = resident_bytes() + ((size_t)100 << 20);
    assert_input_fails(b, load_badly, &how, NITRO_ERR_NO_MEMORY, "over the limit");
    double bad_size = NAN;
    assert_input_fails(b, load_size, &bad_size, NITRO_ERR_BAD_FEATURE, "feature size is nan");
    assert_input_fails(b, NULL, NULL, NITRO_ERR_ARGUMENT, "loader");
}

static void test_bad_options(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "a", .time_ms = 1});
    declare(b);
    const nitro_measure_options good = b->options;
    b->options.min_repetitions = 10;
    assert_input_fails(b, load_size, &input_size, NITRO_ERR_ARGUMENT, "10 to 9 repetitions");
    b->options = good;
    b->options.timeout_ms = NAN;
    assert_input_fails(b, load_size, &input_size, NITRO_ERR_ARGUMENT, "time limit of nan ms");
    b->options = good;
    b->options.budget_ms = 0;
    assert_input_fails(b, load_size, &input_size, NITRO_ERR_ARGUMENT, "budget of 0 ms");
    b->options = good;
    b->options.steady_spread = -1;
    assert_input_fails(b, load_size, &input_size, NITRO_ERR_ARGUMENT, "steady spread of -1");
}

/* ---- The measuring process ---------------------------------------------------------------- */

static size_t count_open_files(void)
{
    size_t count = 0;
    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

static void test_no_file_stays_open(void **state)
{
    bench *b = *state;
    size_t before = count_open_files();
    measure_among_good(b, (script){.action = CRASH});
    assert_int_equal(count_open_files(), before);
}

static nitro_status load_and_warn(nitro_context *context, void *state, void **argument)
{
    nitro_log(context, NITRO_LOG_WARNING, "3 rows are empty");
    nitro_log(context, NITRO_LOG_DEBUG, "nobody asked");
    *argument = state;
    return NITRO_OK;
}

/* What a worker logs reaches the log of the process that measures. */
static void test_log_passes_through(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "a", .time_ms = 1});
    add(b, (script){.name = "b", .time_ms = 1, .action = RETURN_FAILURE});
    declare(b);
    logged[0] = '\0';
    nitro_context_set_log(b->context, NITRO_LOG_INFO, keep_log, NULL);
    const nitro_input input = {"x.mtx", load_and_warn, NULL, &input_size};
    assert_ok(b->context, nitro_measure(b->computation, &input, &b->options, &b->sample));
    assert_string_equal(logged, "[0 3 rows are empty][0 toy, input 'x.mtx': variant b: failed: "
                                "run returned 7 in call 1]");
}

static void ignore_alarm(int number)
{
    (void)number;
}

/* Signals that interrupt the measuring process's waits change nothing. */
static void test_interrupted_waits(void **state)
{
    bench *b = *state;
    struct sigaction often = {.sa_handler = ignore_alarm};
    struct sigaction before;
    sigaction(SIGALRM, &often, &before);
    ualarm(2000, 2000);
    b->options.timeout_ms = 400;
    measure_among_good(b, (script){.action = HANG, .at_call = 2});
    ualarm(0, 0);
    sigaction(SIGALRM, &before, NULL);
    assert_without_time(b, 1, NITRO_OUTCOME_TIMED_OUT, "call 2");
}

/* An application that ignores SIGCHLD has its children reaped behind our back. */
static void test_ignored_children(void **state)
{
    bench *b = *state;
    signal(SIGCHLD, SIG_IGN);
    measure_among_good(b, (script){.action = CRASH, .at_call = 2});
    signal(SIGCHLD, SIG_DFL);
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "ended (why is unknown");
}

/* The measuring process is killed: its worker goes with it. */
static void test_worker_dies_with_its_parent(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "hang", .time_ms = 1, .action = HANG});
    declare(b);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come to us, not to a first process that sleeps */
    pid_t measuring = fork();
    if (measuring == 0) {
        trace_file = ends[1];
        b->scripts[0].mark = 'h';
        nitro_measure(b->computation, &plain_input, &b->options, &b->sample);
        _exit(0);
    }
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1); /* the worker hangs now */
    kill(measuring, SIGKILL);
    assert_int_equal(waitpid(measuring, NULL, 0), measuring);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* ends when the worker's copy is closed */
    assert_true(waitpid(-1, NULL, 0) > 0);
    close(ends[0]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_medians),
        CASE(test_time_source),
        CASE(test_interleaving),
        CASE(test_steady_stop),
        CASE(test_budget_stop),
        CASE(test_short_calls_are_batched),
        CASE(test_restore_before_every_run),
        CASE(test_broken_clock),
        CASE(test_clock_without_value),
        CASE(test_not_allowed),
        CASE(test_failing_prepare),
        CASE(test_crashing_prepare),
        CASE(test_failing_run),
        CASE(test_wrong_result),
        CASE(test_wrong_result_later),
        CASE(test_crash),
        CASE(test_crash_in_third_call),
        CASE(test_abort),
        CASE(test_killed_from_outside),
        CASE(test_exit),
        CASE(test_hang),
        CASE(test_memory_eater),
        CASE(test_processes_left_behind),
        CASE(test_variant_that_splits),
        CASE(test_all_kinds_at_once),
        CASE(test_failing_reference),
        CASE(test_nothing_works),
        CASE(test_bad_inputs),
        CASE(test_bad_options),
        CASE(test_no_file_stays_open),
        CASE(test_log_passes_through),
        CASE(test_interrupted_waits),
        CASE(test_ignored_children),
        CASE(test_worker_dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
