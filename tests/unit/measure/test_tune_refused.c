/* Tuning modelled devices, and invalid devices and inputs. */
#include <math.h>

#include "unit/measure/tuned_computation.h"

static nitro_status check_modelled(void *user, const nitro_sample *sample)
{
    size_t *count = user;
    ++*count;
    assert_string_equal(sample->provenance.origin, "modelled");
    assert_int_equal(sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    assert_true(sample->entries[0].median_ms > 0 && sample->features[1] >= 2);
    return NITRO_OK;
}

/* Two ids of modelled devices, "a,b". */
static void two_models(bench *b, char ids[2][64], char *list, size_t size)
{
    nitro_string_list all = {0};
    for (const nitro_device_kind *const *kind = nitro_builtin_device_kinds(); *kind; kind++)
        if ((*kind)->simulate)
            assert_ok(b->context, (*kind)->list(b->context, &all));
    assert_true(all.count >= 2);
    for (size_t i = 0; i < 2; i++)
        snprintf(ids[i], 64, "%s", all.items[i]);
    snprintf(list, size, "%s,%s", ids[0], ids[1]);
    nitro_string_list_free(&all);
}

static void test_modelled_devices_share_a_load(void **state)
{
    bench *b = *state;
    char ids[2][64];
    char list[160];
    two_models(b, ids, list, sizeof(list));
    loads = trace_open();
    assert_ok(b->context, tune(b, list, 4));
    assert_int_equal(trace_count(loads, 'l'), 4);
    for (size_t i = 0; i < 2; i++) {
        size_t count = 0;
        assert_ok(b->context,
                  nitro_store_each_sample(b->store, "spmv", ids[i], check_modelled, &count));
        assert_int_equal(count, 4);
    }
    assert_int_equal(b->last.total, 4);
    assert_string_not_equal(b->last_best, "none");
    /* A third device for the same inputs, and one of them new. */
    snprintf(list, sizeof(list), "%s,host,%s", ids[0], ids[1]);
    assert_ok(b->context, tune(b, list, 5));
    assert_int_equal(trace_count(loads, 'l'), 4 + 5);
    size_t count = 0;
    assert_ok(b->context,
              nitro_store_each_sample(b->store, "spmv", host_id(b), check_measured, &count));
    assert_int_equal(count, 5);
    assert_int_equal(count_samples(b, ids[0]), 5);
}

static void test_modelled_needs_a_model(void **state)
{
    bench *b = *state;
    char ids[2][64];
    char list[160];
    two_models(b, ids, list, sizeof(list));
    declare(b, "toy", "1");
    assert_fails(b->context, tune(b, ids[0], 2), NITRO_ERR_NOT_FOUND, "toy");
}

static void test_kinds_do_not_mix(void **state)
{
    bench *b = *state;
    nitro_device *device = NULL;
    assert_ok(b->context, nitro_device_create(b->context, host_id(b), "model", &device));
    assert_ok(b->context, nitro_store_put_device(b->store, device));
    nitro_device_free(device);
    assert_fails(b->context, tune(b, "host", 2), NITRO_ERR_MISMATCH, "must not mix");
}

static void test_bad_devices(void **state)
{
    bench *b = *state;
    assert_fails(b->context, tune(b, "GTX-1", 2), NITRO_ERR_NOT_FOUND, "'GTX-1'");
    assert_fails(b->context, tune(b, "a b", 2), NITRO_ERR_ARGUMENT, "'a b'");
    assert_fails(b->context, tune(b, "host,host", 2), NITRO_ERR_ARGUMENT, "named twice");
    assert_fails(b->context, tune(b, NULL, 2), NITRO_ERR_ARGUMENT, "NULL");
}

static void test_inputs_that_cannot_be_loaded(void **state)
{
    bench *b = *state;
    b->toys[1].rows = b->toys[3].rows = NAN;
    assert_ok(b->context, tune(b, "host", 4));
    assert_int_equal(count_samples(b, host_id(b)), 2);
    assert_int_equal(b->last.done, 4);
    assert_int_equal(b->last.failed, 2);
    assert_string_equal(b->last_best, "none");
    char want[64];
    snprintf(want, sizeof(want), "%s:1: no header", b->toys[1].name);
    assert_non_null(strstr(b->log, want));
}

static void test_no_input_can_be_loaded(void **state)
{
    bench *b = *state;
    b->toys[0].rows = b->toys[1].rows = NAN;
    assert_fails(b->context, tune(b, "host", 2), NITRO_ERR_FORMAT,
                 "none of the 2 inputs could be loaded; the first: input 'm05': m05:1: no header");
}

static void test_bad_input_lists(void **state)
{
    bench *b = *state;
    assert_fails(b->context, tune(b, "host", 0), NITRO_ERR_ARGUMENT, "no inputs");
    b->inputs[6].name = b->inputs[2].name;
    char want[64];
    snprintf(want, sizeof(want), "number 3 and 7 are both named '%s'", b->inputs[2].name);
    assert_fails(b->context, tune(b, "host", 8), NITRO_ERR_ARGUMENT, want);
    b->inputs[6].name = "a\nb";
    assert_fails(b->context, tune(b, "host", 8), NITRO_ERR_ARGUMENT, "input number 7");
    b->inputs[6].name = NULL;
    assert_fails(b->context, tune(b, "host", 8), NITRO_ERR_ARGUMENT, "input number 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_modelled_devices_share_a_load),
        CASE(test_modelled_needs_a_model),
        CASE(test_kinds_do_not_mix),
        CASE(test_bad_devices),
        CASE(test_inputs_that_cannot_be_loaded),
        CASE(test_no_input_can_be_loaded),
        CASE(test_bad_input_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
