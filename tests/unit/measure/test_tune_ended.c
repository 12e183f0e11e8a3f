/* Interrupted tuning: a killed run, or one on a full disk, loses nothing. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/measure/tuned_computation.h"

static void test_interrupted_by_progress(void **state)
{
    bench *b = *state;
    b->stop_after = 2;
    assert_fails(b->context, tune(b, "host", 5), NITRO_ERR_INTERRUPTED, "2 of 5");
    assert_int_equal(count_samples(b, host_id(b)), 2);
    b->stop_after = 0;
    assert_ok(b->context, tune(b, "host", 5));
    assert_int_equal(b->last.resumed, 2);
    assert_int_equal(count_samples(b, host_id(b)), 5);
}

/* The run ends with an error that names the input, and what was stored stays. */
static void test_full_disk(void **state)
{
    bench *b = *state;
    b->full_after = 3;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    char message[4096];
    nitro_status status = tune(b, "host", MAX_INPUTS);
    nitro_context_last_error(b->context, message, sizeof(message));
    set_disk_full(false);
    signal(SIGXFSZ, handler);
    b->full_after = 0;
    assert_int_equal(status, NITRO_ERR_IO);
    char want[128];
    snprintf(want, sizeof(want), "input '%s' was measured on %s but not stored",
             b->inputs[b->reports].name, host_id(b));
    if (!strstr(message, want))
        fail_msg("the error does not say '%s': %s", want, message);
    close_bench(b);
    open_bench(b);
    size_t count = count_samples(b, host_id(b));
    assert_int_equal(count, 3);
    assert_ok(b->context, tune(b, "host", MAX_INPUTS));
    assert_int_equal(b->last.resumed, count);
    assert_int_equal(count_samples(b, host_id(b)), MAX_INPUTS);
}

/* Tune in a process of its own, which is killed a random while after it loaded a few inputs.
 * @return whether it came to its end before that. */
static bool tune_and_kill(bench *b, nitro_random *random)
{
    size_t loads_before = trace_count(loads, 'l');
    uint64_t loads_wanted = 2 + nitro_random_below(random, 4);
    struct timespec extra = {.tv_nsec = (long)nitro_random_below(random, 6000000)};
    pid_t tuner = fork();
    if (tuner == 0) {
        open_bench(b);
        b->options.progress = NULL;
        nitro_status status = tune(b, "host", MAX_INPUTS);
        _exit(status == NITRO_OK ? 0 : 1);
    }
    int status = 0;
    const struct timespec moment = {.tv_nsec = 500000};
    while (trace_count(loads, 'l') < loads_before + loads_wanted) {
        if (waitpid(tuner, &status, WNOHANG) == tuner) {
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            return true;
        }
        nanosleep(&moment, NULL);
    }
    nanosleep(&extra, NULL);
    kill(tuner, SIGKILL);
    assert_int_equal(waitpid(tuner, &status, 0), tuner);
    return WIFEXITED(status);
}

static void fail_on_problem(void *user, const char *problem)
{
    (void)user;
    fail_msg("%s", problem);
}

/* Killed again and again, at random moments: in the end every input is there, once. Each kill costs
 * at most the one input that was being measured. */
static void test_killed_tune_goes_on(void **state)
{
    bench *b = *state;
    close_bench(b);
    loads = trace_open();
    nitro_random random;
    nitro_random_seed(&random, 20240607);
    size_t kills = 0;
    while (!tune_and_kill(b, &random))
        assert_true(++kills < 100);
    assert_true(kills > 2);
    assert_true(trace_count(loads, 'l') >= MAX_INPUTS);
    assert_true(trace_count(loads, 'l') <= MAX_INPUTS + kills);
    open_bench(b);
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, MAX_INPUTS);
    assert_ok(b->context, nitro_store_verify(b->store, fail_on_problem, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_interrupted_by_progress),
        CASE(test_full_disk),
        CASE(test_killed_tune_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
