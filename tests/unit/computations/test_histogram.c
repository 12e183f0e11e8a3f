/* Every host variant of histogram against a plain loop: all cases, many threads, missing
 * tables, detection of wrong results; the module. */
#include <omp.h>

#include "unit/histogram_cases.h"
#include "variants/histogram/histogram.h"

static const nitro_variant *const variants[] = {
    &nitro_histogram_variant_sort_even_share,
    &nitro_histogram_variant_sort_dynamic,
    &nitro_histogram_variant_global_atomic_even_share,
    &nitro_histogram_variant_global_atomic_dynamic,
    &nitro_histogram_variant_shared_atomic_even_share,
    &nitro_histogram_variant_shared_atomic_dynamic,
};
#define NUM_VARIANTS (sizeof(variants) / sizeof(variants[0]))

/* The reference is counted here, and not by the hook, which could be wrong as well. */
static void check_variant(nitro_histogram *histogram, const nitro_variant *variant,
                          const char *name)
{
    size_t bytes = (size_t)histogram->num_bins * sizeof(uint32_t);
    uint32_t *expected = calloc(1, bytes);
    for (int64_t i = 0; i < histogram->num_samples; i++)
        expected[histogram->samples[i]]++;
    memset(histogram->counts, 0x77, bytes);
    if (variant->run(histogram, variant->user) != 0)
        fail_msg("%s: %s cannot run", name, variant->name);
    if (memcmp(histogram->counts, expected, bytes) != 0)
        fail_msg("%s: %s is wrong", name, variant->name);
    free(expected);
}

static void check_all(nitro_histogram *histogram, const char *name)
{
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        if (variants[i]->prepare && variants[i]->prepare(histogram, variants[i]->user) != 0)
            fail_msg("%s: %s cannot prepare", name, variants[i]->name);
        check_variant(histogram, variants[i], name);
    }
}

static void variants_agree_on_all_cases(void **state)
{
    nitro_context *context = unit_context();
    char name[128];
    (void)state;
    for (size_t index = 0; index < HISTOGRAM_NUM_CASES; index++) {
        nitro_histogram *histogram = histogram_case(context, index, name);
        check_all(histogram, name);
        nitro_histogram_samples_free(histogram);
    }
    nitro_context_free(context);
}

/* Enough samples for several threads, however many cores there are; shares that are no multiples of
 * anything; tables for some threads only. */
static void variants_agree_with_many_threads(void **state)
{
    static const int64_t all_bins[] = {1, 5, 256, 1000, 4096, 65536};
    static const char *const families[] = {"uniform", "crowded", "constant", "image"};
    nitro_context *context = unit_context();
    int threads = omp_get_max_threads();
    (void)state;
    omp_set_num_threads(7);
    for (size_t i = 0; i < sizeof(all_bins) / sizeof(all_bins[0]); i++)
        for (size_t k = 0; k < sizeof(families) / sizeof(families[0]); k++) {
            nitro_histogram *histogram = NULL;
            assert_ok(context, histogram_inputs_make(context, families[k], i, 200003, all_bins[i],
                                                     &histogram));
            check_all(histogram, families[k]);
            nitro_histogram_samples_free(histogram);
        }
    omp_set_num_threads(threads);
    nitro_context_free(context);
}

/* Never prepared, prepared for fewer threads, and released while others are still to run. */
static void missing_tables_are_made(void **state)
{
    nitro_context *context = unit_context();
    nitro_histogram *histogram = NULL;
    int threads = omp_get_max_threads();
    (void)state;
    omp_set_num_threads(9);
    assert_ok(context, histogram_inputs_make(context, "gaussian", 1, 300000, 500, &histogram));
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        const nitro_variant *variant = variants[i];
        check_variant(histogram, variant, "not prepared");
        if (strncmp(variant->name, "shared_atomic", strlen("shared_atomic")) == 0)
            assert_non_null(histogram->room.memory); /* several tables on one thread, too */
        variant->release(histogram, variant->user);
        assert_null(histogram->room.memory);
        omp_set_num_threads(2);
        assert_int_equal(variant->prepare ? variant->prepare(histogram, variant->user) : 0, 0);
        omp_set_num_threads(9);
        check_variant(histogram, variant, "prepared for two threads");
        variant->release(histogram, variant->user);
    }
    omp_set_num_threads(threads);
    nitro_histogram_samples_free(histogram);
    nitro_context_free(context);
}

static void prepare_is_idempotent_and_release_drops(void **state)
{
    nitro_context *context = unit_context();
    nitro_histogram *histogram = NULL;
    int threads = omp_get_max_threads();
    (void)state;
    omp_set_num_threads(4);
    assert_ok(context, histogram_inputs_make(context, "uniform", 1, 300000, 256, &histogram));
    for (int round = 0; round < 2; round++) {
        assert_int_equal(nitro_histogram_variant_shared_atomic_dynamic.prepare(
                             histogram, nitro_histogram_variant_shared_atomic_dynamic.user),
                         0);
        const void *made = histogram->room.memory;
        for (size_t i = 0; i < NUM_VARIANTS; i++)
            assert_true(!variants[i]->prepare ||
                        variants[i]->prepare(histogram, variants[i]->user) == 0);
        assert_ptr_equal(histogram->room.memory, made); /* one set of tables serves all */
        check_all(histogram, "released and prepared again");
        nitro_kit_release(&nitro_histogram_kit, histogram);
        nitro_kit_release(&nitro_histogram_kit, histogram);
        assert_null(histogram->room.memory);
        assert_int_equal(histogram->room.bytes, 0);
    }
    omp_set_num_threads(threads);
    nitro_histogram_samples_free(histogram);
    nitro_context_free(context);
}

/* A caller's own struct, with NULL where there is nothing to point to. */
static void nothing_to_count_gives_zeros(void **state)
{
    uint32_t counts[3];
    nitro_histogram nothing = {.num_bins = 3, .counts = counts};
    (void)state;
    check_all(&nothing, "no samples");
    assert_int_equal(counts[0] | counts[1] | counts[2], 0);
    nitro_kit_release(&nitro_histogram_kit, &nothing);
}

static void wrong_results_are_found(void **state)
{
    const uint32_t samples[] = {4, 0, 4, 1};
    uint32_t counts[5];
    nitro_histogram histogram = {
        .num_samples = 4, .num_bins = 5, .samples = samples, .counts = counts};
    const nitro_variant *variant = &nitro_histogram_variant_global_atomic_even_share;
    char why[256] = "";
    (void)state;
    assert_int_not_equal(nitro_kit_check_result(&nitro_histogram_kit, &histogram, why, sizeof(why)),
                         0);
    assert_non_null(strstr(why, "no reference"));
    assert_int_equal(variant->run(&histogram, variant->user), 0);
    counts[3]++;
    assert_int_not_equal(nitro_kit_keep_reference(&nitro_histogram_kit, &histogram), 0);
    assert_int_equal(variant->run(&histogram, variant->user), 0);
    assert_int_equal(nitro_kit_keep_reference(&nitro_histogram_kit, &histogram), 0);

    /* nothing written: the counts were spoilt after the last check */
    assert_int_not_equal(nitro_kit_check_result(&nitro_histogram_kit, &histogram, why, sizeof(why)),
                         0);
    assert_non_null(strstr(why, "5 of 5 are wrong"));

    assert_int_equal(variant->run(&histogram, variant->user), 0);
    assert_int_equal(nitro_kit_check_result(&nitro_histogram_kit, &histogram, why, sizeof(why)), 0);
    assert_int_equal(variant->run(&histogram, variant->user), 0);
    counts[2] += 7;
    counts[4]--;
    assert_int_not_equal(nitro_kit_check_result(&nitro_histogram_kit, &histogram, why, sizeof(why)),
                         0);
    assert_string_equal(why, "counts[2] is 7 instead of 0; 2 of 5 are wrong");
    nitro_kit_release(&nitro_histogram_kit, &histogram);
}

static void computation_runs_through_dispatch(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    void *argument = NULL;
    nitro_decision decision;
    char text[256];
    (void)state;
    assert_ok(context, nitro_module_histogram.create(context, &computation));
    assert_int_equal(nitro_computation_num_variants(computation),
                     NUM_VARIANTS + 2); /* of other devices */
    assert_int_equal(nitro_computation_num_features(computation), NITRO_HISTOGRAM_NUM_FEATURES);
    for (size_t i = 0; i < NUM_VARIANTS; i++)
        assert_string_equal(nitro_computation_variant_name(computation, i), variants[i]->name);
    assert_ok(context, nitro_module_histogram.load(
                           context, SOURCE_DIR "/tests/fuzz/seeds/image/ramp.pgm", &argument));
    nitro_module_histogram.describe(argument, text, sizeof(text));
    assert_string_equal(text, "256 samples in 256 bins");
    assert_ok(context, nitro_run(computation, argument, &decision));
    assert_string_equal(decision.variant_name, "shared_atomic_even_share");
    for (int bin = 0; bin < 256; bin++)
        assert_int_equal(((nitro_histogram *)argument)->counts[bin], 1);
    nitro_module_histogram.unload(argument);
    nitro_module_histogram.unload(NULL);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree_on_all_cases),
        cmocka_unit_test(variants_agree_with_many_threads),
        cmocka_unit_test(missing_tables_are_made),
        cmocka_unit_test(prepare_is_idempotent_and_release_drops),
        cmocka_unit_test(nothing_to_count_gives_zeros),
        cmocka_unit_test(wrong_results_are_found),
        cmocka_unit_test(computation_runs_through_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
