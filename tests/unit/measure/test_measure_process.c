/* The worker process, and invalid inputs and options. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/measure/scripted_computation.h"

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

static nitro_status load_unsupported(nitro_context *context, void *state, void **argument)
{
    (void)state;
    (void)argument;
    return nitro_fail(context, NITRO_ERR_UNSUPPORTED, "no such inputs here");
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
    assert_input_fails(b, load_silently_nothing, NULL, NITRO_ERR_IO, "failed without a message");
    assert_input_fails(b, load_unsupported, NULL, NITRO_ERR_UNSUPPORTED, "no such inputs here");
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

static nitro_status load_and_count_files(nitro_context *context, void *state, void **argument)
{
    size_t count = 0;
    for (int file = 3; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    nitro_log(context, NITRO_LOG_WARNING, "%zu files", count);
    *argument = state;
    return NITRO_OK;
}

/* A worker has the pipe to its parent, and no way to the parent's other files, such as a store. */
static void test_worker_has_no_files(void **state)
{
    bench *b = *state;
    int store = open("/dev/null", O_RDWR);
    assert_true(store >= 3);
    add(b, (script){.name = "a", .time_ms = 1});
    declare(b);
    logged[0] = '\0';
    nitro_context_set_log(b->context, NITRO_LOG_INFO, keep_log, NULL);
    const nitro_input input = {"x.mtx", load_and_count_files, NULL, &input_size};
    assert_ok(b->context, nitro_measure(b->computation, &input, &b->options, &b->sample));
    assert_string_equal(logged, "[0 1 files]");
    close(store);
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

/* A loader that hangs costs its input, not the run. */
static void test_hanging_loader(void **state)
{
    bench *b = *state;
    action hangs = HANG;
    add(b, (script){.name = "a", .time_ms = 1});
    declare(b);
    b->options.timeout_ms = 20;
    assert_input_fails(b, load_badly, &hangs, NITRO_ERR_IO,
                       "took longer than 400 ms in its loader");
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

/* An application that ignores SIGCHLD: the kernel reaps its children. */
static void test_ignored_children(void **state)
{
    bench *b = *state;
    signal(SIGCHLD, SIG_IGN);
    measure_among_good(b, (script){.action = CRASH, .at_call = 2});
    signal(SIGCHLD, SIG_DFL);
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "ended (status unknown");
}

/* The measuring process is killed: its worker goes with it. */
static void test_worker_dies_with_its_parent(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "hang", .time_ms = 1, .action = HANG});
    declare(b);
    marks = trace_open();
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come to us, not to a first process that sleeps */
    pid_t measuring = fork();
    if (measuring == 0) {
        b->scripts[0].mark = 'h';
        nitro_measure(b->computation, &plain_input, &b->options, &b->sample);
        _exit(0);
    }
    while (trace_count(marks, 'h') == 0)
        usleep(1000); /* then the worker hangs */
    kill(measuring, SIGKILL);
    assert_int_equal(waitpid(measuring, NULL, 0), measuring);
    assert_true(waitpid(-1, NULL, 0) > 0); /* the worker's end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_bad_inputs),
        CASE(test_bad_options),
        CASE(test_no_file_stays_open),
        CASE(test_worker_has_no_files),
        CASE(test_log_passes_through),
        CASE(test_hanging_loader),
        CASE(test_interrupted_waits),
        CASE(test_ignored_children),
        CASE(test_worker_dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
