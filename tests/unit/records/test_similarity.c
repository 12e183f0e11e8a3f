/* Similarity of devices: the paper's Table 2 from its Table 1, and what scaling must not do. */
#include <float.h>
#include <math.h>

#include "unit/unit.h"

#define NUM_GPUS 6
/* The printed table is rounded to one digit, and once a bit further: -.245 stands there as -.3. */
#define TOLERANCE 0.06

static const char *const gpus[NUM_GPUS] = {"model:gtx-480", "model:c2075",      "model:gtx-770",
                                           "model:k20c",    "model:gtx-750-ti", "model:gtx-980"};

static const double paper_histogram[NUM_GPUS][NUM_GPUS] = {
    {1, .9, .3, .6, -.8, .2}, {.9, 1, 0, .5, -.6, -.3},  {.3, 0, 1, .9, -.8, .3},
    {.6, .5, .9, 1, -1, -.1}, {-.8, -.6, -.8, -1, 1, 0}, {.2, -.3, .3, -.1, 0, 1},
};
static const double paper_spmv[NUM_GPUS][NUM_GPUS] = {
    {1, .8, -.4, .3, -.6, -.4}, {.8, 1, -.8, -.3, 0, -.8}, {-.4, -.8, 1, .8, -.6, 1},
    {.3, -.3, .8, 1, -1, .8},   {-.6, 0, -.6, -1, 1, -.6}, {-.4, -.8, 1, .8, -.6, 1},
};

static void find_gpus(nitro_context *context, nitro_device **devices)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (strcmp((*kind)->name, "model") != 0)
        kind++;
    for (size_t i = 0; i < NUM_GPUS; i++)
        assert_ok(context, (*kind)->describe(context, gpus[i], false, &devices[i]));
}

static void free_devices(nitro_device **devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nitro_device_free(devices[i]);
}

static void compare_with_paper(const char *const *features, size_t num_features,
                               const double paper[NUM_GPUS][NUM_GPUS])
{
    nitro_context *context = unit_context();
    nitro_device *devices[NUM_GPUS];
    double matrix[NUM_GPUS][NUM_GPUS];
    find_gpus(context, devices);
    assert_ok(context, nitro_device_similarity(context, (const nitro_device *const *)devices,
                                               NUM_GPUS, features, num_features, &matrix[0][0]));
    for (size_t a = 0; a < NUM_GPUS; a++)
        for (size_t b = 0; b < NUM_GPUS; b++)
            if (!(fabs(matrix[a][b] - paper[a][b]) <= TOLERANCE))
                fail_msg("%s and %s: %g, and the paper has %g", gpus[a], gpus[b], matrix[a][b],
                         paper[a][b]);
    free_devices(devices, NUM_GPUS);
    nitro_context_free(context);
}

static void test_histogram_table(void **state)
{
    (void)state;
    const char *const features[] = {"peak_gbps", "shared_atomic", "mem_bus_width"};
    compare_with_paper(features, 3, paper_histogram);
}

static void test_spmv_table(void **state)
{
    (void)state;
    const char *const features[] = {"peak_gbps", "mem_clock_rate"};
    compare_with_paper(features, 2, paper_spmv);
}

static nitro_device *made_device(nitro_context *context, const char *id, double a, double b)
{
    nitro_device *device;
    assert_ok(context, nitro_device_create(context, id, "recorded", &device));
    assert_ok(context, nitro_device_set(context, device, "a", a, NITRO_VALUE_RECORDED, 0));
    assert_ok(context, nitro_device_set(context, device, "b", b, NITRO_VALUE_RECORDED, 0));
    return device;
}

static void test_symmetric_with_unit_diagonal(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *devices[] = {made_device(context, "x", 0.1, 7), made_device(context, "y", 3, -2),
                               made_device(context, "z", 2, 1e9)};
    const char *const features[] = {"a", "b"};
    double matrix[3][3];
    assert_ok(context, nitro_device_similarity(context, (const nitro_device *const *)devices, 3,
                                               features, 2, &matrix[0][0]));
    for (size_t i = 0; i < 3; i++) {
        assert_true(matrix[i][i] == 1);
        for (size_t j = 0; j < 3; j++) {
            assert_true(matrix[i][j] == matrix[j][i]);
            assert_true(matrix[i][j] >= -1 && matrix[i][j] <= 1);
        }
    }
    free_devices(devices, 3);
    nitro_context_free(context);
}

static void test_constant_feature_counts_nothing(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *devices[] = {made_device(context, "x", 1, 48), made_device(context, "y", 2, 48),
                               made_device(context, "z", 4, 48)};
    const char *const features[] = {"a", "b"};
    double with_constant[3][3], without[3][3];
    const nitro_device *const *borrowed = (const nitro_device *const *)devices;
    assert_ok(context,
              nitro_device_similarity(context, borrowed, 3, features, 2, &with_constant[0][0]));
    assert_ok(context, nitro_device_similarity(context, borrowed, 3, features, 1, &without[0][0]));
    assert_memory_equal(with_constant, without, sizeof(without));
    /* All features constant: no directions at all. */
    assert_ok(context,
              nitro_device_similarity(context, borrowed, 3, features + 1, 1, &with_constant[0][0]));
    assert_true(with_constant[0][0] == 1 && with_constant[0][1] == 0);
    free_devices(devices, 3);
    nitro_context_free(context);
}

static void test_extreme_values_stay_finite(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *devices[] = {made_device(context, "x", -DBL_MAX, 0),
                               made_device(context, "y", DBL_MAX, 0)};
    const char *const features[] = {"a"};
    double matrix[4];
    assert_ok(context, nitro_device_similarity(context, (const nitro_device *const *)devices, 2,
                                               features, 1, matrix));
    assert_true(matrix[1] == -1);
    free_devices(devices, 2);
    nitro_context_free(context);
}

static void test_missing_value_is_named(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *devices[] = {made_device(context, "x", 1, 2), made_device(context, "y", 2, NAN)};
    const char *const features[] = {"a", "b"};
    const nitro_device *const *borrowed = (const nitro_device *const *)devices;
    double matrix[4] = {5, 5, 5, 5};
    assert_fails(context, nitro_device_similarity(context, borrowed, 2, features, 2, matrix),
                 NITRO_ERR_NO_DATA, "device y has no feature 'b'");
    assert_fails(context, nitro_device_similarity(context, borrowed, 1, features, 1, matrix),
                 NITRO_ERR_ARGUMENT, "two devices");
    assert_fails(context, nitro_device_similarity(context, borrowed, 2, features, 0, matrix),
                 NITRO_ERR_ARGUMENT, "one feature");
    for (size_t i = 0; i < 4; i++)
        assert_true(matrix[i] == 5);
    free_devices(devices, 2);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram_table),
        cmocka_unit_test(test_spmv_table),
        cmocka_unit_test(test_symmetric_with_unit_diagonal),
        cmocka_unit_test(test_constant_feature_counts_nothing),
        cmocka_unit_test(test_extreme_values_stay_finite),
        cmocka_unit_test(test_missing_value_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
