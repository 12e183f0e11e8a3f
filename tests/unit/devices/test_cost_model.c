/* The cost model of modelled devices: monotonicity in work and device features, and its noise. */
#include "features/device/model/cost_model.h"
#include "unit/devices/model_devices.h"

/* ---- Properties of the cost model --------------------------------------------------------------
 */

static void test_time_of_a_cost(void **state)
{
    (void)state;
    nitro_cost_device device = {.cuda_cores = 1000,
                                .clock_rate = 1000,
                                .peak_gbps = 100,
                                .shared_atomic = 2,
                                .global_atomic = 3};
    nitro_cost cost = {.imbalance = 1};
    assert_true(nitro_cost_time_ms(&cost, &device) == 0);
    cost.launches = 2; /* 0.005 ms each */
    assert_near(nitro_cost_time_ms(&cost, &device), 0.010, 1e-12);
    cost.bytes = 75e6; /* 1 ms at three quarters of 100 GB/s */
    assert_near(nitro_cost_time_ms(&cost, &device), 1.010, 1e-12);
    cost.operations = 5e9; /* 5 ms: hides the memory traffic */
    assert_near(nitro_cost_time_ms(&cost, &device), 5.010, 1e-12);
    cost.longest_ns = 6e6; /* 6 ms: hides both */
    assert_near(nitro_cost_time_ms(&cost, &device), 6.010, 1e-12);
    cost.shared_atomics = cost.global_atomics = 1048576; /* 2 + 3 ms, hidden by nothing */
    assert_near(nitro_cost_time_ms(&cost, &device), 11.010, 1e-12);
    cost.imbalance = 2; /* of all but the launches */
    assert_near(nitro_cost_time_ms(&cost, &device), 22.010, 1e-12);
}

/* How much slower (> 1) the variants may become when a device feature is multiplied by `factor`. */
typedef enum effect { EFFECT_NEVER_FASTER, EFFECT_NEVER_SLOWER, EFFECT_SLOWER, EFFECT_NONE } effect;

static bool has_effect(effect expected, double before, double after)
{
    return expected == EFFECT_NEVER_FASTER   ? after >= before
           : expected == EFFECT_NEVER_SLOWER ? after <= before
           : expected == EFFECT_SLOWER       ? after > before
                                             : after == before;
}

/* The device keeps its id, so the noise stays the same and cancels. */
static void check_effect(nitro_schema *(*make_schema)(nitro_context *), const char *feature,
                         double factor, const char *variant_prefix, effect expected)
{
    nitro_context *context = unit_context();
    nitro_schema *schema = make_schema(context);
    nitro_device *before = gpu(context, "model:gtx-770"), *after = gpu(context, "model:gtx-770");
    assert_ok(context,
              nitro_device_set(context, after, feature, factor * nitro_device_value(after, feature),
                               NITRO_VALUE_STATIC, 0));
    for (size_t input = 0; input < NUM_INPUTS; input++) {
        nitro_sample *a = simulate(context, before, schema, 1, input, NULL);
        nitro_sample *b = simulate(context, after, schema, 1, input, NULL);
        for (size_t i = 0; i < schema->num_variants; i++) {
            if (strncmp(schema->variants[i], variant_prefix, strlen(variant_prefix)) != 0 ||
                a->entries[i].outcome != NITRO_OUTCOME_MEASURED)
                continue;
            if (!has_effect(expected, a->entries[i].median_ms, b->entries[i].median_ms))
                fail_msg("%s on input %zu: %g ms, and %g ms with %g x %s", schema->variants[i],
                         input, a->entries[i].median_ms, b->entries[i].median_ms, factor, feature);
        }
        nitro_sample_free(a);
        nitro_sample_free(b);
    }
    nitro_device_free(before);
    nitro_device_free(after);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static void test_more_of_a_good_thing_is_never_slower(void **state)
{
    (void)state;
    check_effect(modelled_spmv_schema, "peak_gbps", 2, "", EFFECT_NEVER_SLOWER);
    check_effect(modelled_spmv_schema, "clock_rate", 2, "", EFFECT_NEVER_SLOWER);
    check_effect(modelled_spmv_schema, "l2_cache_size", 2, "", EFFECT_NEVER_SLOWER);
    check_effect(modelled_histogram_schema, "peak_gbps", 2, "", EFFECT_NEVER_SLOWER);
    check_effect(modelled_histogram_schema, "clock_rate", 2, "", EFFECT_NEVER_SLOWER);
}

static void test_atomics_are_priced(void **state)
{
    (void)state;
    check_effect(modelled_spmv_schema, "global_atomic", 3, "", EFFECT_NEVER_FASTER);
    check_effect(modelled_spmv_schema, "global_atomic", 3, "coo", EFFECT_SLOWER);
    check_effect(modelled_spmv_schema, "global_atomic", 3, "csr", EFFECT_NONE);
    check_effect(modelled_spmv_schema, "shared_atomic", 3, "", EFFECT_NONE);
    check_effect(modelled_histogram_schema, "shared_atomic", 3, "shared_atomic", EFFECT_SLOWER);
    check_effect(modelled_histogram_schema, "shared_atomic", 3, "global_atomic", EFFECT_NONE);
    check_effect(modelled_histogram_schema, "shared_atomic", 3, "sort", EFFECT_NONE);
    check_effect(modelled_histogram_schema, "global_atomic", 3, "global_atomic", EFFECT_SLOWER);
    check_effect(modelled_histogram_schema, "global_atomic", 3, "sort_even_share", EFFECT_NONE);
    check_effect(modelled_histogram_schema, "global_atomic", 3, "sort_dynamic", EFFECT_SLOWER);
}

/* Time of one variant on model:gtx-980 for these features, under one input name: equal noise. */
static double time_of(const char *computation, const char *variant, const double *values)
{
    nitro_context *context = unit_context();
    nitro_schema *schema = strcmp(computation, "spmv") == 0 ? modelled_spmv_schema(context)
                                                            : modelled_histogram_schema(context);
    nitro_device *device = gpu(context, "model:gtx-980");
    nitro_sample *sample = simulate(context, device, schema, 1, 0, values);
    double time_ms = sample->entries[nitro_schema_variant(schema, variant)].median_ms;
    nitro_sample_free(sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_context_free(context);
    return time_ms;
}

static void test_padding_costs(void **state)
{
    (void)state;
    /* rows, cols, nnz, rlsd, dia_fillin, ell_fillin */
    const double even[] = {1e6, 1e6, 5e6, 0.1, 1.1, 1.1}, padded[] = {1e6, 1e6, 5e6, 0.1, 4, 4};
    assert_true(time_of("spmv", "ell", padded) > 2 * time_of("spmv", "ell", even));
    assert_true(time_of("spmv", "dia", padded) > 2 * time_of("spmv", "dia", even));
    assert_true(time_of("spmv", "coo", padded) == time_of("spmv", "coo", even));
}

static void test_imbalance_costs(void **state)
{
    (void)state;
    /* One row of 100,000 entries: a thread a row waits for it, a warp a row far less. */
    const double even[] = {1e6, 1e6, 5e6, 0.1, 1e4, 1.1}, skewed[] = {1e6, 1e6, 5e6, 20, 1e4, 2e4};
    assert_true(time_of("spmv", "csr", skewed) > 5 * time_of("spmv", "csr", even));
    assert_true(time_of("spmv", "csr_vector", skewed) < time_of("spmv", "csr", skewed));
    assert_true(time_of("spmv", "coo", skewed) == time_of("spmv", "coo", even));
}

static void test_contention_costs(void **state)
{
    (void)state;
    /* num_elements, elements_per_bin, sub_sample_sd */
    const double spread[] = {1e6, 4000, 0.28}, crowded[] = {1e6, 4000, 0.001};
    assert_true(time_of("histogram", "shared_atomic_dynamic", crowded) >
                time_of("histogram", "shared_atomic_dynamic", spread));
    assert_true(time_of("histogram", "global_atomic_dynamic", crowded) >
                time_of("histogram", "global_atomic_dynamic", spread));
    assert_true(time_of("histogram", "sort_dynamic", crowded) ==
                time_of("histogram", "sort_dynamic", spread));
    /* A queue heals what crowding does to even shares, and costs where there is nothing to heal. */
    assert_true(time_of("histogram", "global_atomic_even_share", crowded) >
                1.2 * time_of("histogram", "global_atomic_dynamic", crowded));
}

static void test_too_large_for_the_device(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = modelled_spmv_schema(context);
    nitro_device *device = gpu(context, "model:gtx-480"); /* 1.5 GB */
    const double values[] = {1e6, 1e6, 5e6, 2, 1e5, 100};
    nitro_sample *sample = simulate(context, device, schema, 1, 0, values);
    /* Once more: what was there is replaced. */
    assert_ok(context, model_kind()->simulate(context, device, schema, 1, sample));
    for (size_t i = 0; i < schema->num_variants; i++) {
        bool pads = strcmp(schema->variants[i], "ell") == 0 || !strcmp(schema->variants[i], "dia");
        const nitro_entry *entry = &sample->entries[i];
        assert_int_equal(entry->outcome,
                         pads ? NITRO_OUTCOME_OUT_OF_MEMORY : NITRO_OUTCOME_MEASURED);
        assert_true(pads ? isnan(entry->median_ms) : entry->median_ms > 0);
        if (pads)
            assert_non_null(strstr(entry->detail, "of the device's 1.5 GB"));
    }
    nitro_sample_free(sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

/* The feature functions of a matrix without entries, or without rows, give zeros. */
static void test_empty_inputs_have_finite_times(void **state)
{
    (void)state;
    const double nothing[6] = {0};
    assert_true(time_of("spmv", "csr", nothing) > 0 && isfinite(time_of("spmv", "csr", nothing)));
    assert_true(isfinite(time_of("spmv", "coo", nothing)));
    assert_true(isfinite(time_of("histogram", "sort_even_share", nothing)));
    assert_true(isfinite(time_of("histogram", "shared_atomic_even_share", nothing)));
}

static void test_same_seed_same_times_in_any_order(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = modelled_spmv_schema(context);
    nitro_device *device = gpu(context, "model:k20c");
    double times[20][7];
    for (size_t input = 0; input < 20; input++) {
        nitro_sample *sample = simulate(context, device, schema, 5, input, NULL);
        for (size_t i = 0; i < 7; i++)
            times[input][i] = sample->entries[i].median_ms;
        nitro_sample_free(sample);
    }
    /* Backwards, and with the variants declared the other way round. */
    nitro_schema *reversed;
    assert_ok(context, nitro_schema_create(context, "spmv", &reversed));
    for (size_t i = 0; i < schema->num_features; i++)
        assert_ok(context, nitro_schema_add_feature(context, reversed, schema->features[i].name,
                                                    "1", NITRO_SCALE_AUTO));
    for (size_t i = 7; i-- > 0;)
        assert_ok(context, nitro_schema_add_variant(context, reversed, schema->variants[i]));
    for (size_t input = 20; input-- > 0;) {
        nitro_sample *sample = simulate(context, device, reversed, 5, input, NULL);
        for (size_t i = 0; i < 7; i++) {
            double time_ms = sample->entries[6 - i].median_ms;
            assert_true(time_ms == times[input][i] || (isnan(time_ms) && isnan(times[input][i])));
        }
        nitro_sample_free(sample);
    }
    nitro_schema_free(reversed);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

/* Over seeds, the logarithm of a time has deviation 0.03. */
static void test_noise_is_as_documented(void **state)
{
    (void)state;
    enum { NUM_SEEDS = 2000 };
    nitro_context *context = unit_context();
    nitro_schema *schema = modelled_histogram_schema(context);
    nitro_device *device = gpu(context, "model:gtx-980");
    double sum = 0, squares = 0, logs[NUM_SEEDS];
    for (size_t seed = 0; seed < NUM_SEEDS; seed++) {
        nitro_sample *sample = simulate(context, device, schema, seed, 0, NULL);
        logs[seed] = log(sample->entries[0].median_ms);
        sum += logs[seed];
        nitro_sample_free(sample);
    }
    double mean = sum / NUM_SEEDS;
    for (size_t seed = 0; seed < NUM_SEEDS; seed++)
        squares += (logs[seed] - mean) * (logs[seed] - mean);
    assert_near(sqrt(squares / NUM_SEEDS), 0.03, 0.002);
    assert_true(logs[0] != logs[1]);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_of_a_cost),
        cmocka_unit_test(test_more_of_a_good_thing_is_never_slower),
        cmocka_unit_test(test_atomics_are_priced),
        cmocka_unit_test(test_padding_costs),
        cmocka_unit_test(test_imbalance_costs),
        cmocka_unit_test(test_contention_costs),
        cmocka_unit_test(test_too_large_for_the_device),
        cmocka_unit_test(test_empty_inputs_have_finite_times),
        cmocka_unit_test(test_same_seed_same_times_in_any_order),
        cmocka_unit_test(test_noise_is_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
