/* Modelled devices: the paper's Table 1 as it is printed, and what their cost models promise. */
#include "features/device/cost_model.h"
#include "modelled_inputs.h"

#define NUM_GPUS   6
#define NUM_INPUTS 300

/* cmocka 1.1.5 compares floats only. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

static const nitro_device_kind *model_kind(void)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (strcmp((*kind)->name, "model") != 0)
        kind++;
    return *kind;
}

static nitro_device *gpu(nitro_context *context, const char *id)
{
    nitro_device *device;
    assert_ok(context, model_kind()->describe(context, id, false, &device));
    return device;
}

/* Simulates one input of a computation's test generator; NULL `values`: the generated ones. */
static nitro_sample *simulate(nitro_context *context, const nitro_device *device,
                              const nitro_schema *schema, uint64_t seed, size_t index,
                              const double *values)
{
    char name[32];
    snprintf(name, sizeof(name), "input-%zu", index);
    nitro_sample *sample;
    assert_ok(context, nitro_sample_create(context, name, schema->num_features,
                                           schema->num_variants, &sample));
    if (values)
        memcpy(sample->features, values, schema->num_features * sizeof(*values));
    else if (strcmp(schema->computation, "spmv") == 0)
        modelled_spmv_features(1, index, sample->features);
    else
        modelled_histogram_features(1, index, sample->features);
    assert_ok(context, model_kind()->simulate(context, device, schema, seed, sample));
    return sample;
}

/* ---- The table ----------------------------------------------------------------------------- */

static void test_table_is_the_papers(void **state)
{
    (void)state;
    static const char *const ids[NUM_GPUS] = {"model:gtx-480", "model:c2075",      "model:gtx-770",
                                              "model:k20c",    "model:gtx-750-ti", "model:gtx-980"};
    static const struct {
        const char *feature;
        double values[NUM_GPUS];
    } table[] = {
        {"global_mem", {1.5, 5.2, 4.0, 4.7, 2.0, 4.0}},
        {"cuda_cores", {480, 448, 1536, 2496, 640, 2048}},
        {"clock_rate", {1401, 1147, 1110, 706, 1268, 1216}},
        {"mem_clock_rate", {1848, 1566, 3505, 2600, 2700, 3505}},
        {"mem_bus_width", {384, 384, 256, 320, 128, 256}},
        {"l2_cache_size", {768, 768, 512, 1280, 2048, 2048}},
        {"shared_mem_per_block", {48, 48, 48, 48, 48, 48}},
        {"copy_engines", {1, 2, 1, 2, 1, 2}},
        {"peak_gbps", {177.4, 144.0, 224.0, 208.0, 86.4, 224.0}},
        {"peak_gflops_sp", {1345, 1030, 3213, 3520, 1389, 4612}},
        {"peak_gflops_dp", {168, 515, 134, 1170, 43, 156}},
        {"shared_atomic", {0.193, 0.238, 0.281, 0.361, 0.011, 0.006}},
        {"global_atomic", {0.402, 0.488, 0.034, 0.051, 0.063, 0.036}},
    };
    nitro_context *context = unit_context();
    nitro_string_list listed = {0};
    assert_ok(context, model_kind()->list(context, &listed));
    assert_int_equal(listed.count, NUM_GPUS);
    for (size_t i = 0; i < NUM_GPUS; i++) {
        assert_string_equal(listed.items[i], ids[i]);
        nitro_device *device = gpu(context, ids[i]);
        for (size_t j = 0; j < sizeof(table) / sizeof(table[0]); j++)
            if (nitro_device_value(device, table[j].feature) != table[j].values[i])
                fail_msg("%s of %s is %g instead of %g", table[j].feature, ids[i],
                         nitro_device_value(device, table[j].feature), table[j].values[i]);
        assert_non_null(strstr(nitro_device_label(device, "note"), "modelled"));
        nitro_device_free(device);
    }
    nitro_string_list_free(&listed);
    nitro_context_free(context);
}

/* A model must learn from no more than the paper's thirteen. */
static void test_other_columns_are_descriptive(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device = gpu(context, "model:k20c");
    size_t learnt_from = 0;
    for (size_t i = 0; i < device->num_features; i++) {
        const nitro_device_feature_info *info =
            nitro_device_feature_lookup(device->features[i].name);
        assert_non_null(info);
        learnt_from += !info->descriptive;
    }
    assert_int_equal(learnt_from, 13);
    nitro_device_free(device);
    nitro_context_free(context);
}

static void test_unknown_ids(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device = NULL;
    assert_fails(context, model_kind()->describe(context, "model:gtx-481", false, &device),
                 NITRO_ERR_NOT_FOUND, "gtx-480");
    assert_fails(context, model_kind()->describe(context, "gtx-480", false, &device),
                 NITRO_ERR_NOT_FOUND, "model:");
    assert_null(device);
    nitro_context_free(context);
}

/* ---- What the cost model promises ------------------------------------------------------------ */

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

/* ---- Noise ----------------------------------------------------------------------------------- */

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

/* ---- What it is for: a choice that depends on the input and on the device ----------------- */

typedef struct winners {
    size_t best[NUM_GPUS][NUM_INPUTS];
    size_t wins[NITRO_MAX_VARIANTS]; /* over all devices */
} winners;

static void find_winners(nitro_schema *(*make_schema)(nitro_context *), winners *found)
{
    nitro_context *context = unit_context();
    nitro_schema *schema = make_schema(context);
    nitro_string_list ids = {0};
    assert_ok(context, model_kind()->list(context, &ids));
    *found = (winners){0};
    for (size_t d = 0; d < ids.count; d++) {
        nitro_device *device = gpu(context, ids.items[d]);
        for (size_t i = 0; i < NUM_INPUTS; i++) {
            nitro_sample *sample = simulate(context, device, schema, 1, i, NULL);
            found->best[d][i] = nitro_sample_best(sample);
            found->wins[found->best[d][i]]++;
            nitro_sample_free(sample);
        }
        nitro_device_free(device);
    }
    nitro_string_list_free(&ids);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static size_t agreement(const winners *found, size_t device_a, size_t device_b)
{
    size_t same = 0;
    for (size_t i = 0; i < NUM_INPUTS; i++)
        same += found->best[device_a][i] == found->best[device_b][i];
    return same;
}

/* At least `min_contenders` variants win 5 % of all, and none more than 60 %. */
static void check_diversity(const winners *found, size_t min_contenders)
{
    size_t contenders = 0;
    for (size_t i = 0; i < NITRO_MAX_VARIANTS; i++) {
        contenders += found->wins[i] * 20 >= NUM_GPUS * NUM_INPUTS;
        assert_true(found->wins[i] * 10 <= 6 * NUM_GPUS * NUM_INPUTS);
    }
    assert_true(contenders >= min_contenders);
}

/* Order of the table: two Fermi boards, two Kepler, two Maxwell. */
static void test_histogram_winners_follow_the_atomics(void **state)
{
    (void)state;
    winners found;
    find_winners(modelled_histogram_schema, &found);
    check_diversity(&found, 5);
    for (size_t a = 0; a < NUM_GPUS; a++)
        for (size_t b = 0; b < NUM_GPUS; b++)
            if (a / 2 == b / 2)
                assert_true(agreement(&found, a, b) * 2 > NUM_INPUTS);
            else
                assert_true(agreement(&found, a, b) * 2 < NUM_INPUTS);
}

static void test_spmv_winners_depend_on_the_device(void **state)
{
    (void)state;
    winners found;
    find_winners(modelled_spmv_schema, &found);
    check_diversity(&found, 5);
    /* Fermi's slow global atomics: its boards agree with each other more than with any other. */
    for (size_t other = 2; other < NUM_GPUS; other++) {
        assert_true(agreement(&found, 0, 1) > agreement(&found, 0, other));
        assert_true(agreement(&found, 0, other) * 10 < 8 * NUM_INPUTS);
    }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *schema = modelled_spmv_schema(context);
    nitro_device *device = gpu(context, "model:c2075");
    nitro_sample *sample;
    assert_ok(context, nitro_sample_create(context, "m", schema->num_features, schema->num_variants,
                                           &sample));
    assert_fails(context, model_kind()->simulate(context, device, schema, 1, sample),
                 NITRO_ERR_BAD_FEATURE, "rows");
    modelled_spmv_features(1, 0, sample->features);
    sample->features[3] = -1;
    assert_fails(context, model_kind()->simulate(context, device, schema, 1, sample),
                 NITRO_ERR_BAD_FEATURE, "rlsd");
    modelled_spmv_features(1, 0, sample->features);

    assert_ok(context, nitro_device_set(context, device, "peak_gbps", NAN, NITRO_VALUE_STATIC, 0));
    assert_fails(context, model_kind()->simulate(context, device, schema, 1, sample),
                 NITRO_ERR_NO_DATA, "peak_gbps");
    for (size_t i = 0; i < schema->num_variants; i++)
        assert_int_equal(sample->entries[i].outcome, NITRO_OUTCOME_MISSING);
    nitro_device_free(device);

    /* Modelled times must not get beside a real device's. */
    assert_ok(context, nitro_device_create(context, "host:some-cpu-4c", "host", &device));
    assert_fails(context, model_kind()->simulate(context, device, schema, 1, sample),
                 NITRO_ERR_ARGUMENT, "kind host");
    nitro_device_free(device);
    nitro_sample_free(sample);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static void check_schema_refused(const char *computation, const char *feature, const char *variant,
                                 const char *text)
{
    nitro_context *context = unit_context();
    const char *const features[] = {feature, NULL}, *const variants[] = {variant, NULL};
    nitro_schema *schema = modelled_schema(context, computation, features, variants);
    nitro_device *device = gpu(context, "model:c2075");
    nitro_sample *sample;
    assert_ok(context, nitro_sample_create(context, "m", 1, 1, &sample));
    sample->features[0] = 1;
    assert_fails(context, model_kind()->simulate(context, device, schema, 1, sample),
                 NITRO_ERR_NOT_FOUND, text);
    nitro_sample_free(sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_context_free(context);
}

static void test_unknown_computations(void **state)
{
    (void)state;
    check_schema_refused("sort", "n", "radix", "sort");
    check_schema_refused("spmv", "rows", "bcsr", "bcsr");
    check_schema_refused("spmv", "nnz", "csr", "rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_the_papers),
        cmocka_unit_test(test_other_columns_are_descriptive),
        cmocka_unit_test(test_unknown_ids),
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
        cmocka_unit_test(test_histogram_winners_follow_the_atomics),
        cmocka_unit_test(test_spmv_winners_depend_on_the_device),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_unknown_computations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
