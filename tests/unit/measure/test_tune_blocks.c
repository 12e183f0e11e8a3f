/* Tuning in blocks: drift of the clock between blocks, what is measured again, and what a killed
 * tune leaves to do. Times are synthetic, the store is real. */
#include <signal.h>
#include <sys/wait.h>

#include "nitro/measure/blocks.h"
#include "unit/measure/tuned_computation.h"

/* ---- Blocks of one input -------------------------------------------------------------------- */

static nitro_sample *make_block(nitro_context *context, size_t count, const double *times_ms)
{
    nitro_sample *sample = NULL;
    assert_ok(context, nitro_sample_create(context, "m", 0, count, &sample));
    for (size_t v = 0; v < count; v++)
        if (!isnan(times_ms[v]))
            sample->entries[v] = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                                               .median_ms = times_ms[v],
                                               .spread = 0.001,
                                               .prepare_ms = NAN,
                                               .count = 10};
    return sample;
}

static void add_block(nitro_context *context, nitro_sample *sample, const double *times_ms)
{
    nitro_sample *block = make_block(context, sample->num_entries, times_ms);
    nitro_blocks_add(sample, block);
    nitro_sample_free(block);
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        fail_msg("got %.17g, want %.17g", got, want);
}

static void test_the_fastest_block_counts(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 3, (double[]){1.5, 1.8, 30});
    nitro_blocks_begin(sample);
    assert_int_equal(nitro_blocks_missing(sample, 6), 7); /* all a second time */
    add_block(b->context, sample, (double[]){1, 1.1, 20});
    near(sample->entries[0].median_ms, 1);
    near(sample->entries[0].spread, 0.5);
    near(sample->entries[2].median_ms, 20);
    assert_int_equal(sample->entries[0].blocks, 2);
    assert_int_equal(sample->entries[0].count, 20);
    assert_int_equal(nitro_blocks_missing(sample, 6), 3); /* those that may be the best */
    assert_int_equal(nitro_blocks_missing(sample, 2), 0);
    add_block(b->context, sample, (double[]){1.01, 1.11, NAN}); /* confirms the second block */
    near(sample->entries[0].median_ms, 1);
    near(sample->entries[0].spread, 0.01);
    assert_int_equal(sample->entries[0].blocks, 3);
    assert_int_equal(sample->entries[2].blocks, 2);
    assert_int_equal(nitro_blocks_missing(sample, 6), 0);
    nitro_sample_free(sample);
}

/* One of two threads had to wait in the block that was faster on the whole. */
static void test_each_variant_keeps_its_fastest_block(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 3, (double[]){1, 2, 3});
    nitro_blocks_begin(sample);
    add_block(b->context, sample, (double[]){0.5, 4, 1});
    near(sample->entries[0].median_ms, 0.5);
    near(sample->entries[1].median_ms, 2);
    near(sample->entries[2].median_ms, 1);
    near(sample->entries[1].spread, 1);
    add_block(b->context, sample, (double[]){NAN, 2.02, NAN});
    near(sample->entries[1].spread, 0.01);
    nitro_sample_free(sample);
}

static void test_a_variant_disturbed_in_both_blocks_is_measured_again(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 2, (double[]){1, 3});
    nitro_blocks_begin(sample);
    add_block(b->context, sample, (double[]){1, 1.5});
    assert_int_equal(nitro_blocks_missing(sample, 6), 3); /* 1.5 may become 0.75 */
    add_block(b->context, sample, (double[]){1, 1.51});
    assert_int_equal(nitro_blocks_missing(sample, 6), 0);
    nitro_sample_free(sample);
}

static void test_a_slower_block_widens_the_spread_only(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 2, (double[]){1, 2});
    nitro_blocks_begin(sample);
    add_block(b->context, sample, (double[]){1.25, 2.5});
    near(sample->entries[0].median_ms, 1);
    near(sample->entries[1].median_ms, 2);
    near(sample->entries[0].spread, 0.3);                /* 0.25, to one digit */
    add_block(b->context, sample, (double[]){1.5, NAN}); /* further away than the second */
    near(sample->entries[0].spread, 0.3);
    nitro_sample_free(sample);
}

static void test_a_clock_that_changed_shows_in_other_variants(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 2, (double[]){1, NAN});
    nitro_blocks_begin(sample);
    add_block(b->context, sample, (double[]){1.5, 3}); /* the second variant for the first time */
    near(sample->entries[1].median_ms, 3);
    near(sample->entries[1].spread, 0.5);
    assert_int_equal(sample->entries[1].blocks, 1);
    nitro_sample_free(sample);
}

static void test_a_variant_that_is_not_measured_again_keeps_its_time(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 2, (double[]){1.5, 1.2345});
    nitro_blocks_begin(sample);
    add_block(b->context, sample, (double[]){1, NAN});
    assert_true(sample->entries[1].median_ms == 1.2345);
    near(sample->entries[1].spread, 0.5);
    nitro_sample_free(sample);
}

static void test_a_later_failure_replaces_a_time(void **state)
{
    bench *b = *state;
    nitro_sample *sample = make_block(b->context, 2, (double[]){1, 2});
    nitro_sample *block = make_block(b->context, 2, (double[]){NAN, 2});
    block->entries[0].outcome = NITRO_OUTCOME_CRASHED;
    block->entries[0].detail = strdup("SIGSEGV in run");
    nitro_blocks_begin(sample);
    nitro_blocks_add(sample, block);
    assert_int_equal(sample->entries[0].outcome, NITRO_OUTCOME_CRASHED);
    assert_string_equal(sample->entries[0].detail, "SIGSEGV in run");
    assert_int_equal(sample->entries[0].blocks, 0);
    assert_int_equal(nitro_blocks_missing(sample, 6), 0);
    nitro_sample_free(block);
    nitro_sample_free(sample);
}

/* ---- A tune --------------------------------------------------------------------------------- */

static nitro_status check_confirmed(void *user, const nitro_sample *sample)
{
    size_t *count = user;
    size_t best = nitro_sample_best(sample);
    double rows = sample->features[0];
    ++*count;
    near(sample->entries[0].median_ms, rows);
    near(sample->entries[1].median_ms, 3 + rows / 2);
    near(sample->entries[best].spread, 0);
    for (size_t v = 0; v < 2; v++)
        assert_true(sample->entries[v].blocks >= 2);
    return NITRO_OK;
}

static void assert_confirmed(bench *b, size_t num_inputs)
{
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_confirmed, &count));
    assert_int_equal(count, num_inputs);
}

static void test_two_blocks_that_agree_hold(void **state)
{
    bench *b = *state;
    loads = trace_open();
    b->options.measure.max_blocks = 6;
    assert_ok(b->context, tune(b, "host", 3));
    assert_confirmed(b, 3);
    assert_int_equal(b->last.done, 3);
    assert_int_equal(b->last.again, 3);
    assert_int_equal(b->reports, 6);
    assert_int_equal(trace_count(loads, 'l'), 3); /* inputs stay loaded */
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(b->reports, 1);
    assert_int_equal(trace_count(loads, 'l'), 3);
}

static void test_another_clock_is_measured_again(void **state)
{
    bench *b = *state;
    loads = trace_open();
    b->options.measure.max_blocks = 6;
    slow_clock_for(3 * 2 *
                   5); /* the first pass: a checked run, a turn's first, three repetitions */
    assert_ok(b->context, tune(b, "host", 3));
    assert_confirmed(b, 3); /* the times of the fast clock, confirmed by a third block */
    assert_int_equal(b->last.again, 6);
    assert_int_equal(trace_count(loads, 'l'), 3);
}

static void test_one_block_is_confirmed_later(void **state)
{
    bench *b = *state;
    slow_clock_for(3 * 2 * 5);
    assert_ok(b->context, tune(b, "host", 3));
    b->options.measure.max_blocks = 6;
    assert_ok(b->context, tune(b, "host", 3));
    assert_non_null(strstr(b->log, "3 samples have times that no second block confirms"));
    assert_confirmed(b, 3);
}

static bool kill_in_second_pass(void *user, const nitro_tune_progress *progress)
{
    (void)user;
    if (progress->again == 2)
        raise(SIGKILL);
    return true;
}

/* Two inputs have their second block then: only the third is measured again. */
static void test_a_tune_killed_in_its_second_pass_goes_on(void **state)
{
    bench *b = *state;
    int status = 0;
    loads = trace_open();
    b->options.measure.max_blocks = 6;
    close_bench(b);
    pid_t tuner = fork();
    if (tuner == 0) {
        open_bench(b);
        b->options.progress = kill_in_second_pass;
        _exit(tune(b, "host", 3) == NITRO_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(tuner, &status, 0), tuner);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    open_bench(b);
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(b->last.resumed, 2);
    assert_int_equal(trace_count(loads, 'l'), 4);
    assert_confirmed(b, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_the_fastest_block_counts),
        CASE(test_each_variant_keeps_its_fastest_block),
        CASE(test_a_variant_disturbed_in_both_blocks_is_measured_again),
        CASE(test_a_slower_block_widens_the_spread_only),
        CASE(test_a_clock_that_changed_shows_in_other_variants),
        CASE(test_a_variant_that_is_not_measured_again_keeps_its_time),
        CASE(test_a_later_failure_replaces_a_time),
        CASE(test_two_blocks_that_agree_hold),
        CASE(test_another_clock_is_measured_again),
        CASE(test_one_block_is_confirmed_later),
        CASE(test_a_tune_killed_in_its_second_pass_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
