/* P-DFS on modelled devices, whose relevant features are known, and on profiles made for one rule
 * each. */
#include <jansson.h>
#include <math.h>

#include "unit/modelled_inputs.h"
#include "unit/temporary.h"

enum { NUM_SEEDS = 20, NUM_INPUTS = 24 };

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_schema *schema;
    nitro_dataset *sources;
    nitro_device *target;
    nitro_string_list candidates;
    nitro_string_list chosen;
    json_t *report;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "store");
    assert_ok(f->context, nitro_device_find(f->context, "model:gtx-980", false, &f->target, NULL));
    for (size_t i = 0; i < f->target->num_features; i++) {
        const nitro_device_feature_info *info =
            nitro_device_feature_lookup(f->target->features[i].name);
        if (!info->descriptive)
            assert_ok(f->context, nitro_string_list_add(f->context, &f->candidates, info->name));
    }
    *state = f;
    return 0;
}

static void forget_choice(fixture *f)
{
    nitro_string_list_free(&f->chosen);
    json_decref(f->report);
    f->report = NULL;
}

static void forget_data(fixture *f)
{
    forget_choice(f);
    nitro_dataset_free(f->sources);
    nitro_schema_free(f->schema);
    f->sources = NULL;
    f->schema = NULL;
}

static int teardown(void **state)
{
    fixture *f = *state;
    forget_data(f);
    nitro_string_list_free(&f->candidates);
    nitro_device_free(f->target);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static const char *const source_ids[] = {"model:c2075", "model:gtx-770", "model:k20c"};
#define NUM_SOURCES (sizeof(source_ids) / sizeof(source_ids[0]))

typedef void (*feature_function)(uint64_t seed, size_t index, double *values);

/* Samples of inputs of one seed on the sources, in the store and as a dataset. */
static void make_samples(fixture *f, nitro_schema *schema, feature_function features, uint64_t seed)
{
    f->schema = schema;
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    for (size_t d = 0; d < NUM_SOURCES; d++) {
        nitro_device *device = NULL;
        const nitro_device_kind *kind = NULL;
        assert_ok(f->context, nitro_device_find(f->context, source_ids[d], false, &device, &kind));
        assert_ok(f->context, nitro_store_put_device(f->store, device));
        for (size_t i = 0; i < NUM_INPUTS; i++) {
            char name[32];
            nitro_sample *sample = NULL;
            snprintf(name, sizeof(name), "input-%03zu", i);
            assert_ok(f->context, nitro_sample_create(f->context, name, schema->num_features,
                                                      schema->num_variants, &sample));
            features(seed, i, sample->features);
            assert_ok(f->context, kind->simulate(f->context, device, schema, seed, sample));
            const nitro_sample *batch[] = {sample};
            assert_ok(f->context, nitro_store_put_samples(f->store, schema->computation, device->id,
                                                          batch, 1, true));
            nitro_sample_free(sample);
        }
        nitro_device_free(device);
    }
    assert_ok(f->context, nitro_dataset_load(f->store, schema->computation, source_ids, NUM_SOURCES,
                                             &f->sources));
}

static void make_profiles(fixture *f, const char *device, uint64_t seed)
{
    size_t count = 0;
    assert_ok(f->context, nitro_store_put_modelled_profiles(f->store, f->schema->computation,
                                                            device, seed, &count));
    assert_int_equal(count, 30 + NUM_INPUTS * f->schema->num_variants);
}

static void choose(fixture *f)
{
    const nitro_dfs_task task = {.sources = f->sources,
                                 .target = f->target,
                                 .candidates = &f->candidates,
                                 .store = f->store,
                                 .max_subset = 3,
                                 .k = 1};
    const nitro_dfs_kind *const *kind = nitro_builtin_dfs_kinds();
    while (*kind && strcmp((*kind)->name, "profile") != 0)
        kind++;
    assert_non_null(*kind);
    forget_choice(f);
    assert_ok(f->context, (*kind)->select(f->context, &task, &f->chosen, &f->report));
}

static const json_t *find_proxy(const fixture *f, const char *name)
{
    const json_t *array = json_object_get(f->report, "tallies");
    for (size_t i = 0; i < json_array_size(array); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(array, i), "proxy")), name) ==
            0)
            return json_array_get(array, i);
    fail_msg("the report has no proxy %s", name);
    return NULL;
}

static bool has_won(const fixture *f, const char *proxy)
{
    return json_is_true(json_object_get(find_proxy(f, proxy), "won"));
}

static bool is_chosen(const fixture *f, const char *feature)
{
    return nitro_string_list_find(&f->chosen, feature) != NITRO_NONE;
}

static void print_report(const fixture *f, uint64_t seed)
{
    char *text = json_dumps(f->report, JSON_COMPACT);
    print_message("seed %d: %s\n", (int)seed, text);
    free(text);
}

static void prepare(fixture *f, nitro_schema *schema, feature_function features, uint64_t seed)
{
    make_samples(f, schema, features, seed);
    for (size_t d = 0; d < NUM_SOURCES; d++)
        make_profiles(f, source_ids[d], seed);
    choose(f);
}

/* Table 5 has atomics and memory bandwidth for histogram; the cost model uses shared_atomic,
 * global_atomic and peak_gbps. */
static void test_histogram_is_about_atomics_and_bandwidth(void **state)
{
    fixture *f = *state;
    int right = 0;
    for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++) {
        prepare(f, modelled_histogram_schema(f->context), modelled_histogram_features, seed);
        bool is_right = has_won(f, "ATOMIC") && has_won(f, "MEM-BW") && !has_won(f, "SP-GFLOP") &&
                        !has_won(f, "DP-GFLOP") && !has_won(f, "SH-MEM-BW") &&
                        is_chosen(f, "shared_atomic") && is_chosen(f, "global_atomic") &&
                        is_chosen(f, "peak_gbps") && !is_chosen(f, "peak_gflops_dp");
        right += is_right;
        if (!is_right)
            print_report(f, seed);
        forget_data(f);
    }
    assert_true(right >= NUM_SEEDS - 1);
}

static void test_spmv_is_about_bandwidth(void **state)
{
    fixture *f = *state;
    int right = 0;
    for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++) {
        prepare(f, modelled_spmv_schema(f->context), modelled_spmv_features, seed);
        bool is_right = has_won(f, "MEM-BW") && !has_won(f, "ATOMIC") && f->chosen.count == 4 &&
                        is_chosen(f, "peak_gbps") && is_chosen(f, "l2_cache_size") &&
                        is_chosen(f, "mem_clock_rate") && is_chosen(f, "mem_bus_width");
        right += is_right;
        if (!is_right)
            print_report(f, seed);
        forget_data(f);
    }
    assert_true(right >= NUM_SEEDS - 1);
}

static void assert_skipped(fixture *f, const char *reason)
{
    choose(f);
    assert_int_equal(f->chosen.count, f->candidates.count);
    const char *said = json_string_value(json_object_get(f->report, "skipped"));
    assert_non_null(said);
    if (!strstr(said, reason))
        fail_msg("reason '%s' instead of '%s'", said, reason);
}

static void remove_profiles(fixture *f, const char *computation)
{
    assert_ok(f->context, nitro_store_remove_profiles(f->store, NULL, computation, NULL));
}

static void test_skipped_without_profiles(void **state)
{
    fixture *f = *state;
    make_samples(f, modelled_spmv_schema(f->context), modelled_spmv_features, 1);
    assert_skipped(f, "no profiles of its variants");
    make_profiles(f, "model:k20c", 1);
    choose(f);
    assert_null(json_object_get(f->report, "skipped"));
    remove_profiles(f, NULL);
    assert_skipped(f, "no profiles of proxies");
    remove_profiles(f, "spmv");
    assert_skipped(f, "no profiles of its variants");
}

/* One kernel: metrics are ended by a NULL name. */
typedef struct metric_value {
    const char *name;
    double value;
} metric_value;

static void put_kernel(fixture *f, const char *device, const char *proxy, double intensity,
                       const char *input, const metric_value *metrics)
{
    nitro_profile *profile = NULL;
    if (proxy)
        assert_ok(f->context,
                  nitro_profile_create_of_proxy(f->context, proxy, intensity, "k", &profile));
    else
        assert_ok(f->context,
                  nitro_profile_create_of_variant(f->context, "spmv", "csr", input, "k", &profile));
    for (; metrics->name; metrics++)
        assert_ok(f->context,
                  nitro_profile_set(f->context, profile, metrics->name, metrics->value));
    const nitro_profile *batch[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(f->store, device, batch, 1, true));
    nitro_profile_free(profile);
}

/* Proxies of 100 instructions whose counts are their intensities, in the metrics of one profiler.
 */
static void put_proxies(fixture *f, const char *device, bool today)
{
    const char *instructions = today ? "smsp__inst_issued.sum" : "inst_issued";
    const char *reads = today ? "fbpa__dram_read_sectors.sum" : "dram_read_transactions";
    const char *loads =
        today ? "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" : "shared_load_transactions";
    for (int i = 0; i <= NITRO_MAX_INTENSITY; i++) {
        put_kernel(f, device, "MEM-BW", i, NULL,
                   (metric_value[]){{instructions, 100}, {reads, 100.0 * i}, {loads, 0}, {0}});
        put_kernel(f, device, "SH-MEM-BW", i, NULL,
                   (metric_value[]){{instructions, 100}, {reads, 0}, {loads, 100.0 * i}, {0}});
    }
}

/* Input `index` reads and loads this much an instruction, in nvprof's names. */
static void put_query(fixture *f, const char *device, size_t index, double reads, double loads)
{
    char name[32];
    snprintf(name, sizeof(name), "input-%03zu", index);
    put_kernel(f, device, NULL, NAN, name,
               (metric_value[]){{"inst_issued", 7},
                                {"dram_read_transactions", 7 * reads},
                                {"shared_load_transactions", 7 * loads},
                                {0}});
}

static void assert_votes(const fixture *f, const char *proxy, int votes, const char *runs)
{
    const json_t *tally = find_proxy(f, proxy);
    assert_int_equal(json_integer_value(json_object_get(tally, "votes")), votes);
    assert_string_equal(json_string_value(json_object_get(tally, "runs")), runs);
}

static void test_counts_per_instruction_and_the_majority_wins(void **state)
{
    fixture *f = *state;
    make_samples(f, modelled_spmv_schema(f->context), modelled_spmv_features, 1);
    put_proxies(f, "model:k20c", false);
    put_query(f, "model:k20c", 0, 4, 1);   /* reads */
    put_query(f, "model:k20c", 1, 90, 4);  /* above the highest intensity: as the highest */
    put_query(f, "model:k20c", 2, 1, 4);   /* loads */
    put_query(f, "model:k20c", 3, 3, 3.1); /* both: less than half a step apart */
    put_query(f, "model:k20c", 4, 0.1, 0); /* below the least intensity */
    choose(f);
    assert_votes(f, "MEM-BW", 3, "own");
    assert_votes(f, "SH-MEM-BW", 2, "own");
    assert_votes(f, "ATOMIC", 0, "none");
    assert_int_equal(json_integer_value(json_object_get(f->report, "undecided")), 1);
    assert_true(has_won(f, "MEM-BW") && !has_won(f, "SH-MEM-BW")); /* 3 and 2 of 4 */
    assert_true(is_chosen(f, "peak_gbps") && !is_chosen(f, "shared_mem_per_block"));
    /* Without a majority those with most votes win. */
    put_query(f, "model:k20c", 3, 1, 4);
    choose(f);
    assert_votes(f, "MEM-BW", 2, "own");
    assert_votes(f, "SH-MEM-BW", 2, "own");
    assert_true(has_won(f, "MEM-BW") && has_won(f, "SH-MEM-BW"));
}

static void test_runs_of_other_sources_are_pooled(void **state)
{
    fixture *f = *state;
    make_samples(f, modelled_spmv_schema(f->context), modelled_spmv_features, 1);
    put_proxies(f, "model:gtx-770", false);
    put_query(f, "model:k20c", 0, 4, 1);
    choose(f);
    assert_votes(f, "MEM-BW", 1, "pooled");
}

/* The reason is not that intensities are low: there are none. */
static void test_skipped_without_trained_proxies(void **state)
{
    fixture *f = *state;
    make_samples(f, modelled_spmv_schema(f->context), modelled_spmv_features, 1);
    put_query(f, "model:k20c", 0, 0.1, 0);
    for (int i = 4; i < 6; i++) { /* one intensity; then two with a metric that does not vary */
        put_kernel(f, "model:k20c", "MEM-BW", i, NULL,
                   (metric_value[]){{"inst_issued", 100}, {"dram_read_transactions", 400}, {0}});
        assert_skipped(f, "no proxy was profiled at two intensities");
    }
    put_proxies(f, "model:k20c", false);
    assert_skipped(f, "no proxy's intensity of any kernel reaches 1");
}

/* Proxies in the metrics of CUPTI's profiler API, variants in nvprof's. */
static void test_metrics_of_both_profilers_are_equivalent(void **state)
{
    fixture *f = *state;
    make_samples(f, modelled_spmv_schema(f->context), modelled_spmv_features, 1);
    put_proxies(f, "model:k20c", true);
    put_query(f, "model:k20c", 0, 1, 4);
    choose(f);
    assert_votes(f, "MEM-BW", 0, "own");
    assert_votes(f, "SH-MEM-BW", 1, "own");
}

static void test_kernels_that_lack_metrics(void **state)
{
    fixture *f = *state;
    make_samples(f, modelled_spmv_schema(f->context), modelled_spmv_features, 1);
    put_proxies(f, "model:k20c", false);
    put_query(f, "model:k20c", 0, 4, 1);
    put_kernel(f, "model:k20c", NULL, NAN, "input-001", /* skipped for MEM-BW */
               (metric_value[]){{"inst_issued", 1}, {"shared_load_transactions", 4}, {0}});
    put_kernel(f, "model:k20c", NULL, NAN, "input-002", /* ignored */
               (metric_value[]){{"dram_read_transactions", 4}, {0}});
    put_kernel(f, "model:k20c", NULL, NAN, "unknown", /* no training input */
               (metric_value[]){{"inst_issued", 1}, {"dram_read_transactions", 4}, {0}});
    choose(f);
    assert_votes(f, "MEM-BW", 1, "own");
    assert_votes(f, "SH-MEM-BW", 1, "own");
    assert_int_equal(json_integer_value(json_object_get(f->report, "kernels_skipped")), 1);
    assert_int_equal(json_integer_value(json_object_get(f->report, "inputs")), 2);
}

int main(void)
{
#define DFS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        DFS_TEST(test_histogram_is_about_atomics_and_bandwidth),
        DFS_TEST(test_spmv_is_about_bandwidth),
        DFS_TEST(test_skipped_without_profiles),
        DFS_TEST(test_skipped_without_trained_proxies),
        DFS_TEST(test_counts_per_instruction_and_the_majority_wins),
        DFS_TEST(test_runs_of_other_sources_are_pooled),
        DFS_TEST(test_metrics_of_both_profilers_are_equivalent),
        DFS_TEST(test_kernels_that_lack_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
