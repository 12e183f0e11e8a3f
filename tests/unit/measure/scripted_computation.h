/* scripted_computation.h - fixture of tests of measuring: a computation with scripted variants,
 * and a clock that only they advance. */
#ifndef NITRO_TESTS_UNIT_MEASURE_SCRIPTED_COMPUTATION_H
#define NITRO_TESTS_UNIT_MEASURE_SCRIPTED_COMPUTATION_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/measure/trace.h"
#include "unit/unit.h"

static struct {
    double wall_ms, cpu_ms;
} fake;

static inline double fake_wall_ms(void *state)
{
    (void)state;
    return fake.wall_ms;
}

static inline double fake_cpu_ms(void *state)
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
    BREAK_DOWN,
    WRONG_RESULT,
    CHANGE_INPUT,
    LEAVE_A_CHILD,
    LEAVE_A_SESSION,
    LEAVE_A_SESSION_AND_CRASH,
    EAT_IN_A_CHILD,
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
    double *prepare_times_ms; /* NULL: 0.5 each, and nothing to release */
    unsigned prepared;        /* how often */
    bool forbidden;
    nitro_time_source time_source;
    double *times_ms; /* of each call in turn, where not NULL */
    char mark;        /* added to `marks` at each call, where not 0 */
    unsigned calls;
} script;

static trace *marks;
static int the_input = 42;
static int result; /* of the variant that ran last */
static int reference_result;

static inline void eat_memory(void)
{
    for (;;) {
        char *block = malloc(1 << 22);
        if (block)
            memset(block, 1, 1 << 22);
        struct timespec pause_time = {0, 1000000};
        nanosleep(&pause_time, NULL);
    }
}

/* Leave a mark every millisecond, for ever. */
static inline void tick(void)
{
    for (;; usleep(1000))
        trace_add(marks, 't');
}

static inline void hang(void)
{
    for (;;)
        pause();
}

static inline int act(action what)
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
    case BREAK_DOWN:
        return NITRO_RUN_BREAKDOWN;
    case WRONG_RESULT:
        result = 41;
        break;
    case CHANGE_INPUT:
        the_input++;
        break;
    case LEAVE_A_CHILD:
        if (fork() == 0)
            tick();
        break;
    case LEAVE_A_SESSION:
        if (fork() == 0 && setsid() > 0 && fork() == 0)
            tick();
        break;
    case LEAVE_A_SESSION_AND_CRASH:
        if (fork() == 0 && setsid() > 0 && fork() == 0)
            tick();
        while (marks->length == 0)
            usleep(1000);
        raise(SIGSEGV);
        break;
    case EAT_IN_A_CHILD:
        if (fork() == 0 && setsid() > 0)
            eat_memory();
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

static inline int run(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    self->calls++;
    if (self->mark)
        trace_add(marks, self->mark);
    double time_ms = self->times_ms ? self->times_ms[self->calls - 1]
                                    : self->time_ms + self->drift_ms * self->calls;
    fake.wall_ms += time_ms + self->idle_ms;
    fake.cpu_ms += time_ms;
    result = the_input;
    return self->at_call == 0 || self->at_call == self->calls ? act(self->action) : 0;
}

static inline int prepare(void *argument, void *user)
{
    script *self = user;
    (void)argument;
    fake.wall_ms += self->prepare_times_ms ? self->prepare_times_ms[self->prepared] : 0.5;
    self->prepared++;
    return act(self->on_prepare);
}

static inline void release(void *argument, void *user)
{
    (void)argument;
    (void)user;
}

static inline bool allows(const double *features, const void *argument, void *user)
{
    script *self = user;
    (void)features;
    (void)argument;
    return !self->forbidden;
}

static inline int keep_reference(void *argument, void *user)
{
    (void)argument;
    (void)user;
    reference_result = result;
    return 0;
}

static inline int check_result(void *argument, char *why, size_t size, void *user)
{
    (void)argument;
    (void)user;
    if (the_input != 42) {
        snprintf(why, size, "the input is %d", the_input);
        return NITRO_INPUT_CHANGED;
    }
    if (result == reference_result)
        return 0;
    snprintf(why, size, "got %d\ninstead of %d", result, reference_result);
    return 1;
}

static inline int size_feature(const void *argument, double *values, void *user)
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

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
{
    bench *b = *state;
    nitro_sample_free(b->sample);
    nitro_computation_free(b->computation);
    nitro_context_free(b->context);
    free(b);
    trace_close(&marks);
    return 0;
}

static inline script *add(bench *b, script what)
{
    b->scripts[b->count] = what;
    return &b->scripts[b->count++];
}

static inline void declare(bench *b)
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
                                       .release = b->scripts[i].prepare_times_ms ? release : NULL,
                                       .allows = allows,
                                       .time_source = b->scripts[i].time_source,
                                       .user = &b->scripts[i]};
        assert_ok(b->context, nitro_computation_add_variant(b->computation, &variant));
    }
    assert_ok(b->context, nitro_computation_set_hooks(b->computation, &b->hooks));
}

static inline nitro_status load_size(nitro_context *context, void *state, void **argument)
{
    (void)context;
    *argument = state;
    return NITRO_OK;
}

static double input_size = 12;
static const nitro_input plain_input = {"small", load_size, NULL, &input_size};

static inline void measure(bench *b)
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

static inline void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        fail_msg("got %.17g, want %.17g", got, want);
}

static inline void assert_measured(const bench *b, size_t index, double median_ms)
{
    const nitro_entry *entry = &b->sample->entries[index];
    if (entry->outcome != NITRO_OUTCOME_MEASURED)
        fail_msg("%s is %s: %s", b->scripts[index].name, nitro_outcome_name(entry->outcome),
                 entry->detail ? entry->detail : "");
    near(entry->median_ms, median_ms);
}

static inline void assert_without_time(const bench *b, size_t index, nitro_outcome outcome,
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

static inline void keep_log(void *user, nitro_log_level level, const char *message)
{
    (void)user;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof(logged) - used, "[%d %s]", (int)level, message);
}

/* Between two good variants; these survive with their times, whatever the one in the middle does.
 */
static inline void measure_among_good(bench *b, script bad)
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

static inline size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    unsigned long pages = 0;
    assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
