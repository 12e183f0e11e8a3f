/* Tuning: what is stored, and what is not measured again. Times are synthetic, the store is real.
 */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "unit/measure/tuned_computation.h"

static void test_samples_are_stored(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 8));
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, 8);
    assert_int_equal(b->reports, 8);
    assert_int_equal(b->last.done, 8);
    assert_int_equal(b->last.total, 8);
    assert_int_equal(b->last.resumed, 0);
    assert_string_equal(b->last.input, b->inputs[7].name);
    assert_string_equal(b->last_best, "ell"); /* 9 rows */
    nitro_device *device = NULL;
    assert_ok(b->context, nitro_store_get_device(b->store, host_id(b), &device));
    assert_string_equal(device->kind, "host");
    nitro_device_free(device);
    nitro_schema *schema = NULL;
    assert_ok(b->context, nitro_store_get_schema(b->store, "spmv", &schema));
    assert_int_equal(schema->num_variants, 2);
    nitro_schema_free(schema);
}

static void test_second_run_measures_nothing(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    loads = trace_open();
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(trace_count(loads, 'l'), 0);
    assert_int_equal(b->reports, 1);
    assert_int_equal(b->last.resumed, 3);
    assert_int_equal(b->last.done, 3);
    assert_non_null(strstr(b->log, "3 of 3 inputs are in sqlite:"));
    b->options.again = true;
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(trace_count(loads, 'l'), 3);
    assert_int_equal(b->last.resumed, 0);
    assert_int_equal(count_samples(b, host_id(b)), 3);
}

static void test_more_inputs_later(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    assert_ok(b->context, tune(b, "host", 5));
    assert_int_equal(b->last.resumed, 3);
    assert_int_equal(b->reports, 2);
    assert_int_equal(count_samples(b, host_id(b)), 5);
}

static bool remove_the_device(void *user, const nitro_tune_progress *progress)
{
    bench *b = user;
    if (progress->done == 1) {
        assert_ok(b->context, nitro_store_remove(b->store, "spmv", host_id(b), NULL));
        assert_ok(b->context, nitro_store_remove_device(b->store, host_id(b)));
    }
    return true;
}

/* As 'nitro store gc' does, if it finds the device before its first sample. */
static void test_the_device_is_removed_meanwhile(void **state)
{
    bench *b = *state;
    b->options.progress = remove_the_device;
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(count_samples(b, host_id(b)), 2);
}

static nitro_status check_versions(void *user, const nitro_sample *sample)
{
    (void)user;
    assert_string_equal(sample->entries[0].version, "1");
    assert_string_equal(sample->entries[1].version, "2");
    double rows = sample->features[0];
    assert_true(fabs(sample->entries[0].median_ms - rows) < 1e-9);
    assert_true(fabs(sample->entries[1].median_ms - (3 + rows / 2)) < 1e-9);
    return NITRO_OK;
}

static void test_changed_variant_is_measured_again(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    declare_versions(b, "spmv", "1", "2");
    loads = trace_open();
    runs = trace_open();
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(trace_count(loads, 'l'), 3);
    assert_non_null(strstr(b->log, "3 samples are of other versions of ell: measuring these "
                                   "variants again"));
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_versions, NULL));
    assert_ok(b->context, tune(b, "host", 3));
    assert_int_equal(trace_count(loads, 'l'), 3);
    assert_true(trace_count(runs, 'e') > 0);
}

/* A changed variant invalidates its own times, not the others': those stay to the last bit. */
static void test_other_variants_keep_their_times(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    csr_ms_a_row = 100; /* were it measured again, it would show */
    declare_versions(b, "spmv", "1", "2");
    assert_ok(b->context, tune(b, "host", 3));
    csr_ms_a_row = 1;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_versions, NULL));
    assert_int_equal(count_samples(b, host_id(b)), 3);
}

/* Behind an old name may be a new input by now: then none of the old times counts. */
static void test_changed_input_is_measured_whole(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    for (size_t i = 0; i < 3; i++)
        b->toys[i].rows += 100;
    declare_versions(b, "spmv", "1", "2");
    assert_ok(b->context, tune(b, "host", 3));
    assert_non_null(strstr(b->log, "its features differ from the stored sample's"));
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_versions, NULL));
}

typedef struct remaking {
    bench *b;
    nitro_sample *samples[3];
    size_t count;
} remaking;

static nitro_status remake_by_other_compiler(void *user, const nitro_sample *sample)
{
    remaking *r = user;
    assert_ok(r->b->context, nitro_sample_copy(r->b->context, sample, &r->samples[r->count]));
    char **compiler = &r->samples[r->count++]->provenance.compiler;
    free(*compiler);
    *compiler = strdup("GCC 2.95");
    return NITRO_OK;
}

/* Times by two compilers do not stand in one sample. */
static void test_other_compiler_is_measured_whole(void **state)
{
    bench *b = *state;
    assert_ok(b->context, tune(b, "host", 3));
    remaking r = {.b = b};
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), remake_by_other_compiler, &r));
    assert_ok(b->context,
              nitro_store_put_samples(b->store, "spmv", host_id(b),
                                      (const nitro_sample *const *)r.samples, r.count, true));
    for (size_t i = 0; i < r.count; i++)
        nitro_sample_free(r.samples[i]);
    declare_versions(b, "spmv", "1", "2");
    runs = trace_open();
    assert_ok(b->context, tune(b, "host", 3));
    assert_non_null(strstr(b->log, "3 samples are of other versions of ell: measuring them again"));
    assert_int_equal(trace_count(runs, 'c'), trace_count(runs, 'e'));
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, 3);
}

/* What a microbenchmark measured once stays known; the rest is today's. */
static void test_measured_device_features_are_kept(void **state)
{
    bench *b = *state;
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    assert_ok(b->context, nitro_device_find(b->context, "host", false, &device, &kind));
    assert_ok(b->context,
              nitro_device_set(b->context, device, "toy_bench", 12.5, NITRO_VALUE_MEASURED, 0.1));
    assert_ok(b->context,
              nitro_device_set(b->context, device, "old_query", 3, NITRO_VALUE_QUERY, 0));
    assert_ok(b->context, nitro_store_put_device(b->store, device));
    nitro_device_free(device);
    assert_ok(b->context, tune(b, "host", 1));
    assert_ok(b->context, nitro_store_get_device(b->store, host_id(b), &device));
    assert_true(nitro_device_value(device, "toy_bench") == 12.5);
    assert_true(isnan(nitro_device_value(device, "old_query")));
    nitro_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_samples_are_stored),
        CASE(test_second_run_measures_nothing),
        CASE(test_more_inputs_later),
        CASE(test_the_device_is_removed_meanwhile),
        CASE(test_changed_variant_is_measured_again),
        CASE(test_other_variants_keep_their_times),
        CASE(test_changed_input_is_measured_whole),
        CASE(test_other_compiler_is_measured_whole),
        CASE(test_measured_device_features_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
