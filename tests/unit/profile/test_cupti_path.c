/* The whole path of a profile: CUPTI's counters, a worker process, the store, the paper's metrics,
 * P-DFS. The counters are SYNTHETIC, from the table below, and say nothing about any device: P-DFS
 * finding the work in them shows that nothing is lost on the way. */
#include <jansson.h>

#include "unit/profile/cupti_fake.h"
#include "unit/temporary.h"

enum { SP, DP, ATOMIC, MEM, SHARED, NUM_KINDS, NO_KIND = NUM_KINDS };

/* A counter of a kernel: base + step x the kernel's intensity in one kind of work. */
typedef struct counter_row {
    const char *counter;
    int kind;
    double base, step;
} counter_row;

#define THREAD  "smsp__sass_thread_inst_executed_"
#define L1      "l1tex__t_"
#define LSU     "pipe_lsu_mem_"
#define L2      "lts__t_sectors"
#define SHARES  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define AVERAGE "l1tex__average_t_sectors_per_request_" LSU
#define BYTES   "smsp__sass_average_data_bytes_per_sector_mem_global_op_"

static const counter_row counter_rows[] = {
    {"smsp__inst_issued.sum", NO_KIND, 1e6, 0},
    {THREAD "op_fadd_pred_on.sum", SP, 0, 1e6},
    {THREAD "op_fmul_pred_on.sum", SP, 0, 1e6},
    {THREAD "op_ffma_pred_on.sum", SP, 0, 2e6},
    {THREAD "op_dadd_pred_on.sum", DP, 0, 1e6},
    {THREAD "op_dmul_pred_on.sum", DP, 0, 1e6},
    {THREAD "op_dfma_pred_on.sum", DP, 0, 2e6},
    {THREAD "op_fp32_pred_on.sum", SP, 0, 4e6},
    {THREAD "op_fp64_pred_on.sum", DP, 0, 4e6},
    {THREAD "ops_fadd_fmul_ffma_pred_on.avg.pct_of_peak_sustained_elapsed", SP, 0, 15},
    {THREAD "ops_dadd_dmul_dfma_pred_on.avg.pct_of_peak_sustained_elapsed", DP, 0, 15},
    {L1 "set_accesses_" LSU "global_op_atom.sum", ATOMIC, 0, 3e5},
    {L1 "set_accesses_" LSU "global_op_red.sum", ATOMIC, 0, 1e5},
    {L1 "requests_" LSU "global_op_atom.sum", ATOMIC, 1e5, 1e4},
    {L1 "requests_" LSU "global_op_red.sum", ATOMIC, 1e4, 1e3},
    {L1 "set_accesses_" LSU "global_op_atom.sum.per_second", ATOMIC, 0, 3e9},
    {L1 "set_accesses_" LSU "global_op_red.sum.per_second", ATOMIC, 0, 1e9},
    {L2 "_op_atom.sum", ATOMIC, 0, 1e5},
    {L2 "_op_red.sum", ATOMIC, 0, 1e5},
    {L2 "_op_atom.sum.per_second", ATOMIC, 0, 1e9},
    {L2 "_op_red.sum.per_second", ATOMIC, 0, 1e9},
    {L1 "sectors_" LSU "global_op_ld_lookup_hit.sum", MEM, 1e3, 1e4},
    {L1 "sectors_" LSU "global_op_ld.sum", MEM, 1e3, 8e5},
    {L1 "sectors_" LSU "global_op_st.sum", MEM, 1e3, 2e5},
    {AVERAGE "global_op_ld.ratio", MEM, 4, 4},
    {AVERAGE "global_op_st.ratio", MEM, 4, 2},
    {BYTES "ld.pct", MEM, 100, -10},
    {BYTES "st.pct", MEM, 100, -10},
    {"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", MEM, 5, 18},
    {L2 "_srcunit_tex_op_read_lookup_hit.sum", MEM, 100, 1e4},
    {L2 "_srcunit_tex_op_read.sum", MEM, 1e3, 7e5},
    {L2 "_srcunit_tex_op_write.sum", MEM, 1e3, 2e5},
    {L2 "_op_read.sum", MEM, 1e3, 7e5},
    {L2 "_op_write.sum", MEM, 1e3, 2e5},
    {L2 ".avg.pct_of_peak_sustained_elapsed", MEM, 1, 15},
    {"fbpa__dram_read_sectors.sum", MEM, 1e3, 6e5},
    {"fbpa__dram_write_sectors.sum", MEM, 1e3, 2e5},
    {SHARES "ld.sum", SHARED, 0, 4e5},
    {SHARES "st.sum", SHARED, 0, 1e5},
    {SHARES "st.sum.per_second", SHARED, 0, 1e10},
    {"smsp__inst_executed_op_shared_ld.sum", SHARED, 1e3, 2e5},
};

/* What each kernel is made of. */
typedef struct kernel_row {
    const char *symbol;
    double intensities[NUM_KINDS];
} kernel_row;

static const kernel_row kernel_rows[] = {
    /* Histogram: counting by atomics, and by sorting, all of it on what comes from memory. */
    {"_Z20count_global_atomicsPKhPj", {0, 0, 4.4, 4.2, 0.1}},
    {"_Z20count_shared_atomicsPKhPj", {0, 0, 4.0, 3.6, 2.5}},
    {"_ZN4sort8onesweepILi8EEEvPj", {0, 0, 0.8, 3.8, 1.5}},
    {"_Z11find_boundsPKjPj", {0, 0, 0.1, 2.9, 0}},
    /* SpMV: memory, and some arithmetic. */
    {"_Z7csr_rowPKiPKdPd", {0, 1.1, 0, 4.5, 0}},
    {"_Z8ell_slabPKiPKdPd", {0, 1.6, 0, 4.1, 0.3}},
};

static const char *const proxy_names[NUM_KINDS] = {"SP-GFLOP", "DP-GFLOP", "ATOMIC", "MEM-BW",
                                                   "SH-MEM-BW"};

/* "proxy-KIND-INTENSITY", or one of the table's. */
static void find_intensities(const char *symbol, double *intensities)
{
    int kind = 0, intensity = 0;
    memset(intensities, 0, NUM_KINDS * sizeof *intensities);
    if (sscanf(symbol, "proxy-%d-%d", &kind, &intensity) == 2) {
        intensities[kind] = intensity;
        return;
    }
    for (size_t i = 0; i < sizeof kernel_rows / sizeof kernel_rows[0]; i++)
        if (strcmp(kernel_rows[i].symbol, symbol) == 0)
            memcpy(intensities, kernel_rows[i].intensities, sizeof kernel_rows[i].intensities);
}

/* Local memory is used by none. */
static double count(const char *kernel, const char *counter)
{
    double intensities[NUM_KINDS + 1] = {0};
    find_intensities(kernel, intensities);
    for (size_t i = 0; i < sizeof counter_rows / sizeof counter_rows[0]; i++)
        if (strcmp(counter_rows[i].counter, counter) == 0)
            return counter_rows[i].base + counter_rows[i].step * intensities[counter_rows[i].kind];
    return 0;
}

/* A chip of CUPTI's, so nothing of a host. */
static bool has(const char *counter)
{
    return strncmp(counter, "perf.", 5) != 0;
}

/* ---- A device that launches ------------------------------------------------------------------ */

static nitro_status open_fake(nitro_context *context, const char *device, void **state)
{
    (void)device;
    return cupti_session_open(context, &fake_functions, state);
}

static const nitro_profiler profiler = {.name = "fake",
                                        .description = "synthetic",
                                        .device_kind = "host",
                                        .open = open_fake,
                                        .has = cupti_session_has,
                                        .collect = cupti_session_collect,
                                        .close = cupti_session_close};

typedef struct proxy_state {
    char symbol[32];
} proxy_state;

static nitro_status create_proxy(nitro_context *context, int kind, const nitro_proxy_work *work,
                                 void **state)
{
    proxy_state *made = nitro_calloc(context, 1, sizeof *made);
    snprintf(made->symbol, sizeof made->symbol, "proxy-%d-%u", kind, work->intensity);
    *state = made;
    return NITRO_OK;
}

#define CREATE(kind)                                                                               \
    static nitro_status create_##kind(nitro_context *context, const nitro_proxy_work *work,        \
                                      void **state)                                                \
    {                                                                                              \
        return create_proxy(context, kind, work, state);                                           \
    }
CREATE(SP)
CREATE(DP)
CREATE(ATOMIC)
CREATE(MEM)
CREATE(SHARED)

static nitro_status run_proxy(void *state)
{
    fake_launch(((const proxy_state *)state)->symbol);
    return NITRO_OK;
}

static nitro_status check_proxy(void *state)
{
    (void)state;
    return NITRO_OK;
}

#define KERNEL(kind)                                                                               \
    {                                                                                              \
        .proxy = NULL, .device_kind = "host", .description = "synthetic", .create = create_##kind, \
        .run = run_proxy, .check = check_proxy, .free = free                                       \
    }
static nitro_proxy_kernel proxy_kernels[] = {KERNEL(SP), KERNEL(DP), KERNEL(ATOMIC), KERNEL(MEM),
                                             KERNEL(SHARED)};

/* ---- Two computations ------------------------------------------------------------------------ */

enum { NUM_INPUTS = 6 };

static nitro_status load_nothing(nitro_context *context, void *state, void **argument)
{
    (void)context;
    *argument = state;
    return NITRO_OK;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = *(const int *)argument;
    return 0;
}

/* `user` names the kernels, ended by NULL. */
static int run_kernels(void *argument, void *user)
{
    (void)argument;
    for (const char *const *kernel = user; *kernel; kernel++)
        fake_launch(*kernel);
    return 0;
}

static const char *sort[] = {"_ZN4sort8onesweepILi8EEEvPj", "_ZN4sort8onesweepILi8EEEvPj",
                             "_Z11find_boundsPKjPj", NULL};
static const char *global[] = {"_Z20count_global_atomicsPKhPj", NULL};
static const char *shared[] = {"_Z20count_shared_atomicsPKhPj", NULL};
static const char *csr[] = {"_Z7csr_rowPKiPKdPd", NULL};
static const char *ell[] = {"_Z8ell_slabPKiPKdPd", NULL};

static const nitro_variant histogram_variants[] = {
    {.name = "sort", .run = run_kernels, .user = sort},
    {.name = "global_atomic", .run = run_kernels, .user = global},
    {.name = "shared_atomic", .run = run_kernels, .user = shared},
};
static const nitro_variant spmv_variants[] = {
    {.name = "csr", .run = run_kernels, .user = csr},
    {.name = "ell", .run = run_kernels, .user = ell},
};

/* ---- The fixture ----------------------------------------------------------------------------- */

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_device *device;
    nitro_profile_options options;
    nitro_profile_report report;
    nitro_string_list candidates, chosen;
    json_t *dfs_report;
} fixture;

static const nitro_proxy_kernel *kernels[NUM_KINDS + 1];

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    fake_reset();
    fake.count = count;
    fake.has = has;
    for (size_t i = 0; i < NUM_KINDS; i++) {
        proxy_kernels[i].proxy = proxy_names[i];
        kernels[i] = &proxy_kernels[i];
    }
    f->context = unit_context();
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "store");
    assert_ok(f->context, nitro_device_find(f->context, "host", false, &f->device, NULL));
    assert_ok(f->context,
              nitro_string_list_split(
                  f->context, &f->candidates,
                  "peak_gflops_sp,peak_gflops_dp,global_atomic,peak_gbps,shared_mem_per_block"));
    nitro_profile_options_init(&f->options);
    f->options.profiler = &profiler;
    f->options.kernels = kernels;
    f->options.memory_limit_bytes = 0;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    json_decref(f->dfs_report);
    nitro_string_list_free(&f->candidates);
    nitro_string_list_free(&f->chosen);
    nitro_device_free(f->device);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void collect(fixture *f, const char *name, const nitro_variant *variants, size_t count_of)
{
    static int numbers[NUM_INPUTS];
    static char names[NUM_INPUTS][8];
    const nitro_feature feature = {.name = "size"};
    nitro_input inputs[NUM_INPUTS];
    nitro_computation *computation = NULL;
    assert_ok(f->context, nitro_computation_create(f->context, name, &computation));
    assert_ok(f->context, nitro_computation_add_features(computation, &feature, 1, evaluate, NULL));
    for (size_t v = 0; v < count_of; v++)
        assert_ok(f->context, nitro_computation_add_variant(computation, &variants[v]));
    for (int i = 0; i < NUM_INPUTS; i++) {
        numbers[i] = i;
        snprintf(names[i], sizeof names[i], "input%d", i);
        inputs[i] = (nitro_input){.name = names[i], .load = load_nothing, .state = &numbers[i]};
    }
    assert_ok(f->context, nitro_profile_variants(computation, f->store, "host", inputs, NUM_INPUTS,
                                                 &f->options, &f->report));
    nitro_computation_free(computation);
}

/* Times are beside the point, but there is nothing to learn without them. */
static void put_samples(fixture *f, const char *computation, size_t num_variants)
{
    for (int i = 0; i < NUM_INPUTS; i++) {
        char name[8];
        nitro_sample *sample = NULL;
        snprintf(name, sizeof name, "input%d", i);
        assert_ok(f->context, nitro_sample_create(f->context, name, 1, num_variants, &sample));
        sample->features[0] = i;
        for (size_t v = 0; v < num_variants; v++)
            sample->entries[v] = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                                               .median_ms = 1.0 + (double)((size_t)i + v),
                                               .spread = NAN,
                                               .prepare_ms = NAN};
        const nitro_sample *samples[] = {sample};
        assert_ok(f->context,
                  nitro_store_put_samples(f->store, computation, f->device->id, samples, 1, false));
        nitro_sample_free(sample);
    }
}

static void choose(fixture *f, const char *computation)
{
    const char *ids[] = {f->device->id};
    nitro_dataset *sources = NULL;
    const nitro_dfs_kind *dfs = NULL;
    assert_ok(f->context, nitro_dfs_find(f->context, "profile", &dfs));
    assert_ok(f->context, nitro_dataset_load(f->store, computation, ids, 1, &sources));
    const nitro_dfs_task task = {.sources = sources,
                                 .target = f->device,
                                 .candidates = &f->candidates,
                                 .store = f->store,
                                 .max_subset = 3,
                                 .k = 1};
    nitro_string_list_free(&f->chosen);
    json_decref(f->dfs_report);
    f->dfs_report = NULL;
    assert_ok(f->context, dfs->select(f->context, &task, &f->chosen, &f->dfs_report));
    nitro_dataset_free(sources);
}

static void assert_won(const fixture *f, const char *winners)
{
    char text[256] = "";
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(f->dfs_report, "proxies"), index, each)
    {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", index ? "," : "",
                 json_string_value(each));
    }
    assert_string_equal(text, winners);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static nitro_status check_sort(void *user, const char *device, const nitro_profile *profile)
{
    static const char *const names[] = {"find_bounds", "onesweep", "onesweep#2"};
    size_t *seen = user;
    (void)device;
    if (strcmp(profile->name, "sort") != 0)
        return NITRO_OK;
    assert_string_equal(profile->kernel, names[(*seen)++ % 3]);
    assert_true(nitro_profile_value(profile, "smsp__inst_issued.sum") == 1e6);
    assert_true(isnan(nitro_profile_value(profile, "perf.instructions")));
    return NITRO_OK;
}

static void test_proxies_and_histogram(void **state)
{
    fixture *f = *state;
    size_t seen = 0;
    assert_ok(f->context, nitro_profile_proxies(f->store, "host", &f->options, &f->report));
    assert_int_equal(f->report.profiles, NUM_KINDS * 6);
    assert_int_equal(f->report.runs, NUM_KINDS * 6);
    assert_int_equal(f->report.failed, 0);
    assert_ok(f->context, nitro_profile_proxies(f->store, "host", &f->options, &f->report));
    assert_int_equal(f->report.found, NUM_KINDS * 6);
    assert_int_equal(f->report.profiles, 0);

    collect(f, "histogram", histogram_variants, 3);
    assert_int_equal(f->report.profiles, (3 + 1 + 1) * NUM_INPUTS);
    assert_ok(f->context,
              nitro_store_each_profile(f->store, f->device->id, "histogram", check_sort, &seen));
    assert_int_equal(seen, 3 * NUM_INPUTS);
    put_samples(f, "histogram", 3);
    choose(f, "histogram");
    assert_won(f, "ATOMIC,MEM-BW"); /* the paper's Table 5 */
    assert_int_equal(f->chosen.count, 2);
    assert_string_equal(f->chosen.items[0], "global_atomic");
    assert_string_equal(f->chosen.items[1], "peak_gbps");

    collect(f, "spmv", spmv_variants, 2);
    put_samples(f, "spmv", 2);
    choose(f, "spmv");
    assert_won(f, "MEM-BW");
    assert_int_equal(f->chosen.count, 1);
    assert_string_equal(f->chosen.items[0], "peak_gbps");
}

/* Integrated chips have no memory of their own to count. */
static bool has_no_dram(const char *counter)
{
    return has(counter) && !strstr(counter, "dram");
}

static void test_a_chip_with_fewer_counters(void **state)
{
    fixture *f = *state;
    fake.has = has_no_dram;
    fake.chip = "GB10B";
    assert_ok(f->context, nitro_profile_proxies(f->store, "host", &f->options, &f->report));
    collect(f, "histogram", histogram_variants, 3);
    put_samples(f, "histogram", 3);
    choose(f, "histogram");
    assert_won(f, "ATOMIC,MEM-BW");
}

/* Without permission to read counters a model is still made: the selection is skipped. */
static void test_without_permission(void **state)
{
    fixture *f = *state;
    fake.fail_at = 3;
    fake.fail_with = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    assert_fails(f->context, nitro_profile_proxies(f->store, "host", &f->options, &f->report),
                 NITRO_ERR_IO, "NVreg_RestrictProfilingToAdminUsers=0");
    assert_int_equal(f->report.profiles, 0);
    nitro_schema *schema = NULL;
    assert_ok(f->context, nitro_schema_create(f->context, "histogram", &schema));
    assert_ok(f->context,
              nitro_schema_add_feature(f->context, schema, "size", "1", NITRO_SCALE_AUTO));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "sort"));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "global_atomic"));
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    assert_ok(f->context, nitro_store_put_device(f->store, f->device));
    put_samples(f, "histogram", 2);
    choose(f, "histogram");
    assert_non_null(json_object_get(f->dfs_report, "skipped"));
    assert_int_equal(f->chosen.count, f->candidates.count);
    nitro_schema_free(schema);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_proxies_and_histogram),
        TEST(test_a_chip_with_fewer_counters),
        TEST(test_without_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
