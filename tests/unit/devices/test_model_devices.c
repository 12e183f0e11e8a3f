/* Modelled devices: the paper's Table 1 as printed, modelled times, and errors. */
#include "unit/devices/model_devices.h"

#define NUM_GPUS 6

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
        cmocka_unit_test(test_histogram_winners_follow_the_atomics),
        cmocka_unit_test(test_spmv_winners_depend_on_the_device),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_unknown_computations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
