/* Input features of histogram against values computed by hand, and the relative ones. */
#include <math.h>

#include "nitro/records/relative.h"
#include "nitro/runtime/computation.h"
#include "unit/computation_fixture.h"
#include "unit/histogram_cases.h"
#include "variants/histogram/histogram.h"

extern const nitro_module nitro_module_histogram;

static int setup(void **state)
{
    return computation_setup(state, &nitro_module_histogram);
}

static void evaluate(const computation_fixture *f, const nitro_histogram *histogram,
                     double values[NITRO_HISTOGRAM_NUM_FEATURES])
{
    for (int i = 0; i < NITRO_HISTOGRAM_NUM_FEATURES; i++)
        values[i] = -77; /* all of them must be written */
    assert_ok(f->context, nitro_computation_evaluate(f->computation, histogram, values));
}

static void names_are_those_of_the_cost_model(void **state)
{
    static const char *const names[] = {"num_elements", "elements_per_bin", "sub_sample_sd"};
    computation_fixture *f = *state;
    for (size_t i = 0; i < NITRO_HISTOGRAM_NUM_FEATURES; i++)
        assert_string_equal(nitro_computation_feature_name(f->computation, i), names[i]);
}

static void values_are_what_they_should_be(void **state)
{
    computation_fixture *f = *state;
    const uint32_t samples[] = {1, 3, 3, 5}; /* mean 3, variance 2 */
    nitro_histogram histogram = {.num_samples = 4, .num_bins = 8, .samples = samples};
    double values[NITRO_HISTOGRAM_NUM_FEATURES];
    evaluate(f, &histogram, values);
    assert_true(values[NITRO_HISTOGRAM_NUM_ELEMENTS] == 4);
    assert_true(values[NITRO_HISTOGRAM_ELEMENTS_PER_BIN] == 0.5);
    assert_true(fabs(values[NITRO_HISTOGRAM_SUB_SAMPLE_SD] - sqrt(2) / 8) < 1e-15);
    histogram.num_samples = 1;
    evaluate(f, &histogram, values);
    assert_true(values[NITRO_HISTOGRAM_SUB_SAMPLE_SD] == 0);
    histogram = (nitro_histogram){.num_bins = 8};
    evaluate(f, &histogram, values);
    assert_true(values[0] == 0 && values[1] == 0 && values[2] == 0);
}

/* Of many samples, 1024 are looked at: near what all of them would say, for samples as they come
 * and sorted, and for rows of an image, which a fixed step would meet at one column. */
static void a_subsample_speaks_for_all(void **state)
{
    computation_fixture *f = *state;
    enum { COUNT = 1 << 20 };
    uint32_t *samples = malloc(COUNT * sizeof(*samples));
    nitro_histogram histogram = {.num_samples = COUNT, .num_bins = 1024, .samples = samples};
    double values[NITRO_HISTOGRAM_NUM_FEATURES];
    for (uint32_t i = 0; i < COUNT; i++)
        samples[i] = i / (COUNT / 1024);
    evaluate(f, &histogram, values);
    assert_true(fabs(values[NITRO_HISTOGRAM_SUB_SAMPLE_SD] - 1 / sqrt(12)) < 0.002);
    for (uint32_t i = 0; i < COUNT; i++)
        samples[i] = i % 1024;
    evaluate(f, &histogram, values);
    assert_true(fabs(values[NITRO_HISTOGRAM_SUB_SAMPLE_SD] - 1 / sqrt(12)) < 0.02);
    for (uint32_t i = 0; i < COUNT; i++)
        samples[i] = 77;
    evaluate(f, &histogram, values);
    assert_true(values[NITRO_HISTOGRAM_SUB_SAMPLE_SD] == 0);
    for (uint32_t i = 0; i < COUNT; i++)
        samples[i] = i % 2 * 1023;
    evaluate(f, &histogram, values);
    assert_true(fabs(values[NITRO_HISTOGRAM_SUB_SAMPLE_SD] - 0.5) < 0.005);
    free(samples);
}

static void families_differ_in_their_spread(void **state)
{
    static const struct {
        const char *family;
        double low, high;
    } cases[] = {{"uniform", 0.27, 0.31},  {"gaussian", 0.01, 0.21}, {"image", 0.05, 0.3},
                 {"power_law", 1e-5, 0.2}, {"crowded", 0.05, 0.4},   {"constant", 0, 0}};
    computation_fixture *f = *state;
    double values[NITRO_HISTOGRAM_NUM_FEATURES];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            nitro_histogram *histogram = NULL;
            assert_ok(f->context, histogram_inputs_make(f->context, cases[i].family, seed, 100000,
                                                        4096, &histogram));
            evaluate(f, histogram, values);
            double spread = values[NITRO_HISTOGRAM_SUB_SAMPLE_SD];
            if (spread < cases[i].low || spread > cases[i].high)
                fail_msg("%s: %g is outside %g to %g", cases[i].family, spread, cases[i].low,
                         cases[i].high);
            nitro_histogram_samples_free(histogram);
        }
}

/* A million samples in 256 bins, on a device of round numbers; and no samples at all. */
static void relative_features_relate_to_the_device(void **state)
{
    static const struct {
        const char *name;
        double value;
    } device[] = {{"cuda_cores", 100},
                  {"l2_cache_size", 1024},
                  {"peak_gbps", 100},
                  {"shared_mem_per_block", 48}};
    static const struct {
        const char *name;
        double value;
    } expected[] = {{"elements_per_core", 1e4},
                    {"work_per_l2", 4e6 / (1 << 20)},
                    {"streaming_per_launch", 1 + 40 / 5.0},
                    {"bins_per_shared_mem", 1 / 48.0}};
    const double features[] = {1e6, 1e6 / 256, 0.1}, nothing[] = {0, 0, 0};
    computation_fixture *f = *state;
    const nitro_schema *schema = f->computation->schema;
    nitro_relative *relative = NULL;
    double device_values[8] = {0}, values[8];
    assert_int_equal(schema->num_relative, 4);
    assert_ok(f->context, nitro_relative_compile(f->context, schema, &relative));
    assert_int_equal(nitro_relative_num_device_values(relative), 4);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            if (strcmp(nitro_relative_device_feature(relative, i), device[k].name) == 0)
                device_values[i] = device[k].value;
    nitro_relative_evaluate(relative, features, device_values, values);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(schema->relative[i].name, expected[i].name);
        if (fabs(values[i] / expected[i].value - 1) > 1e-12)
            fail_msg("%s is %g instead of %g", expected[i].name, values[i], expected[i].value);
    }
    nitro_relative_evaluate(relative, nothing, device_values, values);
    for (size_t i = 0; i < 4; i++)
        assert_true(values[i] > 0 && isfinite(values[i])); /* they have logarithms */
    nitro_relative_free(relative);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_those_of_the_cost_model, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(values_are_what_they_should_be, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(a_subsample_speaks_for_all, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(families_differ_in_their_spread, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(relative_features_relate_to_the_device, setup,
                                        computation_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
