/* Collecting profiles: runs that succeed, fail, crash or give a wrong result, and a profiler that
 * is unavailable. The profiler is a fake, controlled by shared memory. */
#include <math.h>
#include <signal.h>
#include <sys/mman.h>

#include "unit/faulty_store.h"
#include "unit/temporary.h"

enum { NUM_VARIANTS = 3, NUM_INPUTS = 3 };

/* Shared with the worker processes, in which the profiler and the variants run. */
typedef struct board {
    unsigned opened, closed, collected, runs, restored;
    nitro_status open_result;
    nitro_status collect_result[NUM_VARIANTS];
    bool crashes[NUM_VARIANTS]; /* while it is profiled */
    bool hangs[NUM_VARIANTS];
    bool profiling;
    int last_variant;
    unsigned num_kernels; /* that a run launches */
} board;

static board *shared;

/* ---- A profiler ------------------------------------------------------------------------------ */

static nitro_status open_fake(nitro_context *context, const char *device, void **state)
{
    assert_non_null(device);
    shared->opened++;
    *state = context;
    if (shared->open_result != NITRO_OK)
        return nitro_fail(context, shared->open_result, "fake: no permission, be root");
    return NITRO_OK;
}

/* Instructions and single-precision work; nothing else can be counted. */
static bool has_fake(void *state, const char *counter)
{
    (void)state;
    return strcmp(counter, "smsp__inst_issued.sum") == 0 || strstr(counter, "_op_fadd_") ||
           strstr(counter, "_op_fmul_") || strstr(counter, "_op_ffma_");
}

static nitro_status collect_fake(void *state, const nitro_string_list *counters,
                                 const nitro_profiled_work *work, nitro_kernel_function function,
                                 void *user)
{
    nitro_context *context = state;
    nitro_status status = NITRO_OK;
    double values[8];
    assert_int_equal(counters->count, 4);
    shared->collected++;
    shared->profiling = true;
    if (work->restore(work->user) || work->run(work->user))
        status = nitro_fail(context, NITRO_ERR_VARIANT_FAILED, "run failed");
    shared->profiling = false;
    if (status == NITRO_OK && shared->collect_result[shared->last_variant] != NITRO_OK)
        status = nitro_fail(context, shared->collect_result[shared->last_variant],
                            "fake: collecting failed");
    for (unsigned kernel = 0; kernel < shared->num_kernels && status == NITRO_OK; kernel++) {
        for (size_t i = 0; i < counters->count; i++)
            values[i] = 100.0 * (kernel + 1) + (double)i;
        values[3] = NAN;
        status = function(user, kernel < 2 ? "twice" : "bad\nname", values);
    }
    return status;
}

static void close_fake(void *state)
{
    (void)state;
    shared->closed++;
}

static const nitro_profiler fake = {.name = "fake",
                                    .description = "fake",
                                    .device_kind = "host",
                                    .open = open_fake,
                                    .has = has_fake,
                                    .collect = collect_fake,
                                    .close = close_fake};

/* ---- A computation --------------------------------------------------------------------------- */

typedef struct toy {
    double result;
} toy;

static nitro_status load_toy(nitro_context *context, void *state, void **argument)
{
    static toy loaded;
    if (strcmp(state, "bad") == 0)
        return nitro_fail(context, NITRO_ERR_IO, "no such file");
    *argument = &loaded;
    return NITRO_OK;
}

static int evaluate_toy(const void *argument, double *values, void *user)
{
    (void)argument;
    (void)user;
    values[0] = 1;
    return 0;
}

static int run_toy(void *argument, void *user)
{
    int variant = *(int *)user;
    shared->runs++;
    shared->last_variant = variant;
    if (shared->profiling && shared->crashes[variant])
        raise(SIGSEGV);
    while (shared->profiling && shared->hangs[variant])
        usleep(1000);
    ((toy *)argument)->result = variant == 2 ? 0 : 1;
    return 0;
}

static int restore_toy(void *argument, void *user)
{
    (void)argument;
    (void)user;
    shared->restored++;
    return 0;
}

/* The last variant's result is wrong. */
static int check_toy(void *argument, char *why, size_t size, void *user)
{
    (void)user;
    snprintf(why, size, "result %g", ((toy *)argument)->result);
    return ((toy *)argument)->result == 1 ? 0 : 1;
}

/* ---- The fixture ----------------------------------------------------------------------------- */

static int numbers[NUM_VARIANTS] = {0, 1, 2};
static const char *const names[NUM_VARIANTS] = {"plain", "wide", "wrong"};

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_computation *computation;
    nitro_device *device;
    nitro_input inputs[NUM_INPUTS];
    nitro_profile_options options;
    nitro_profile_report report;
    size_t num_read; /* profiles in the store */
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    const nitro_feature feature = {.name = "rows"};
    const nitro_hooks hooks = {.restore_input = restore_toy, .check_result = check_toy};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *shared = (board){.num_kernels = 3};
    f->context = unit_context();
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "store");
    assert_ok(f->context, nitro_device_find(f->context, "host", false, &f->device, NULL));
    assert_ok(f->context, nitro_computation_create(f->context, "toy", &f->computation));
    assert_ok(f->context,
              nitro_computation_add_features(f->computation, &feature, 1, evaluate_toy, NULL));
    for (int v = 0; v < NUM_VARIANTS; v++) {
        const nitro_variant variant = {.name = names[v], .run = run_toy, .user = &numbers[v]};
        assert_ok(f->context, nitro_computation_add_variant(f->computation, &variant));
    }
    assert_ok(f->context, nitro_computation_set_hooks(f->computation, &hooks));
    static char good[] = "good";
    f->inputs[0] = (nitro_input){.name = "a", .load = load_toy, .state = good};
    f->inputs[1] = (nitro_input){.name = "b", .load = load_toy, .state = good};
    f->inputs[2] = (nitro_input){.name = "c", .load = load_toy, .state = good};
    nitro_profile_options_init(&f->options);
    f->options.profiler = &fake;
    f->options.memory_limit_bytes = 0; /* sanitizers take all there is */
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_computation_free(f->computation);
    nitro_device_free(f->device);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    munmap(shared, sizeof *shared);
    free(f);
    return 0;
}

static nitro_status collect(fixture *f)
{
    return nitro_profile_variants(f->computation, f->store, "host", f->inputs, NUM_INPUTS,
                                  &f->options, &f->report);
}

/* Every profile is as the made-up profiler made it. */
static nitro_status check_profile(void *user, const char *device, const nitro_profile *profile)
{
    static const char *const kernels[] = {"kernel", "twice", "twice#2"};
    static const double first[] = {300, 100, 200};
    fixture *f = user;
    size_t place = f->num_read++ % 3; /* the store's order */
    assert_string_equal(device, f->device->id);
    assert_string_equal(profile->computation, "toy");
    assert_string_equal(profile->kernel, kernels[place]);
    assert_int_equal(profile->num_metrics, 3);
    assert_true(nitro_profile_value(profile, "smsp__inst_issued.sum") == first[place]);
    assert_string_equal(profile->provenance.origin, "measured");
    assert_non_null(profile->provenance.device_digest);
    return NITRO_OK;
}

static size_t read_profiles(fixture *f)
{
    f->num_read = 0;
    assert_ok(f->context,
              nitro_store_each_profile(f->store, f->device->id, "toy", check_profile, f));
    return f->num_read;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_profiles_are_stored(void **state)
{
    fixture *f = *state;
    size_t num_samples = 1;
    assert_ok(f->context, collect(f));
    assert_int_equal(read_profiles(f), 3 * 2 * NUM_INPUTS);
    assert_int_equal(f->report.profiles, 3 * 2 * NUM_INPUTS);
    assert_int_equal(f->report.runs, 2 * NUM_INPUTS);
    assert_int_equal(f->report.failed, NUM_INPUTS); /* what gave a wrong result */
    assert_int_equal(f->report.found, 0);
    assert_int_equal(shared->opened, NUM_INPUTS);
    assert_int_equal(shared->closed, NUM_INPUTS);
    assert_int_equal(shared->collected, 2 * NUM_INPUTS);
    /* Nothing of it is a time. */
    assert_ok(f->context, nitro_store_count_samples(f->store, "toy", f->device->id, &num_samples));
    assert_int_equal(num_samples, 0);
}

static void test_what_is_stored_is_left_alone(void **state)
{
    fixture *f = *state;
    shared->collect_result[1] = NITRO_ERR_VARIANT_FAILED;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.runs, NUM_INPUTS);
    assert_int_equal(f->report.failed, 2 * NUM_INPUTS);
    shared->collect_result[1] = NITRO_OK;
    shared->collected = 0;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.found, NUM_INPUTS);
    assert_int_equal(f->report.runs, NUM_INPUTS);
    assert_int_equal(shared->collected, NUM_INPUTS);
    assert_int_equal(read_profiles(f), 3 * 2 * NUM_INPUTS);
    f->options.again = true;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.found, 0);
    assert_int_equal(f->report.runs, 2 * NUM_INPUTS);
    assert_int_equal(read_profiles(f), 3 * 2 * NUM_INPUTS);
}

static void test_a_crash_costs_one_run(void **state)
{
    fixture *f = *state;
    shared->crashes[0] = true; /* the reference: the others are still checked against it */
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.runs, NUM_INPUTS);
    assert_int_equal(f->report.failed, 2 * NUM_INPUTS);
    assert_int_equal(read_profiles(f), 3 * NUM_INPUTS);
}

static void test_a_hang_costs_one_run(void **state)
{
    fixture *f = *state;
    shared->hangs[1] = true;
    f->options.timeout_ms = 200;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.runs, NUM_INPUTS);
    assert_int_equal(read_profiles(f), 3 * NUM_INPUTS);
}

static void test_a_failure_costs_one_run(void **state)
{
    fixture *f = *state;
    shared->collect_result[0] = NITRO_ERR_VARIANT_FAILED;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.runs, NUM_INPUTS);
    assert_int_equal(shared->opened, 2 * NUM_INPUTS); /* in another process: this one may be hurt */
    assert_int_equal(read_profiles(f), 3 * NUM_INPUTS);
}

static void test_a_profiler_that_refuses(void **state)
{
    fixture *f = *state;
    shared->open_result = NITRO_ERR_IO;
    assert_fails(f->context, collect(f), NITRO_ERR_IO, "fake: no permission, be root");
    assert_int_equal(shared->opened, 1); /* and no other input was tried */
    assert_int_equal(shared->runs, 0);
    shared->open_result = NITRO_OK;
    shared->collect_result[1] = NITRO_ERR_IO; /* permissions may be asked for as late as this */
    assert_fails(f->context, collect(f), NITRO_ERR_IO, "fake: collecting failed");
    assert_int_equal(shared->opened, 2);
    assert_int_not_equal(access(temporary_path(&f->folder, "store"), F_OK),
                         0); /* it leaves nothing */
}

/* How a tune measures is no matter of profiles. */
static void test_samples_with_cold_caches(void **state)
{
    fixture *f = *state;
    nitro_tune_options how;
    nitro_tune_options_init(&how);
    how.measure.cache = NITRO_CACHE_COLD;
    how.measure.budget_ms = 1;
    how.measure.memory_limit_bytes = 0;
    assert_ok(f->context,
              nitro_tune(f->computation, f->store, "host", f->inputs, NUM_INPUTS, &how));
    assert_ok(f->context, collect(f));
    assert_int_equal(read_profiles(f), 3 * 2 * NUM_INPUTS);
}

static void test_inputs_that_cannot_be_loaded(void **state)
{
    fixture *f = *state;
    static char bad[] = "bad";
    f->inputs[1].state = bad;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.failed_inputs, 1);
    assert_int_equal(f->report.runs, 2 * (NUM_INPUTS - 1));
    assert_int_equal(read_profiles(f), 3 * 2 * (NUM_INPUTS - 1));
}

static bool stop_after_one(void *user, const nitro_profile_progress *progress)
{
    assert_int_equal(progress->total, NUM_INPUTS);
    *(size_t *)user = progress->done;
    return false;
}

static void test_stopping(void **state)
{
    fixture *f = *state;
    size_t done = 0;
    f->options.progress = stop_after_one;
    f->options.progress_user = &done;
    assert_fails(f->context, collect(f), NITRO_ERR_INTERRUPTED, "stopped after 'a', 1 of 3");
    assert_int_equal(done, 1);
    assert_int_equal(f->report.profiles, 6);
    assert_int_equal(read_profiles(f), 6);
}

static bool take_the_store_away(void *user, const nitro_profile_progress *progress)
{
    (void)user;
    (void)progress;
    faulty->mode = FAULTY_READ_ONLY;
    return true;
}

/* No journal keeps profiles: what is lost is said at once, what was stored stays. */
static void test_a_store_that_goes_away(void **state)
{
    fixture *f = *state;
    nitro_store *sound = f->store;
    faulty_begin();
    assert_ok(f->context,
              nitro_store_open_kind(f->context, &faulty_kind, temporary_path(&f->folder, "store"),
                                    NITRO_STORE_WRITE, &f->store));
    f->options.progress = take_the_store_away;
    assert_fails(f->context, collect(f), NITRO_ERR_IO, "6 profiles of b on host:");
    assert_int_equal(f->report.profiles, 6);
    assert_int_equal(read_profiles(f), 6);
    faulty->mode = FAULTY_WELL;
    f->options.progress = NULL;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.found, 2);
    assert_int_equal(read_profiles(f), 3 * 2 * NUM_INPUTS);
    nitro_store_close(f->store);
    f->store = sound;
    faulty_end();
}

static void test_runs_without_kernels(void **state)
{
    fixture *f = *state;
    shared->num_kernels = 0;
    assert_ok(f->context, collect(f));
    assert_int_equal(f->report.runs, 2 * NUM_INPUTS);
    assert_int_equal(f->report.profiles, 0);
}

static void test_what_cannot_be_profiled(void **state)
{
    fixture *f = *state;
    f->options.profiler = NULL;
    assert_fails(f->context,
                 nitro_profile_variants(f->computation, f->store, "model:k20c", f->inputs,
                                        NUM_INPUTS, &f->options, &f->report),
                 NITRO_ERR_NOT_FOUND, "no cost model of computation toy");
    assert_fails(f->context,
                 nitro_profile_variants(f->computation, f->store, "host,model:k20c", f->inputs,
                                        NUM_INPUTS, &f->options, &f->report),
                 NITRO_ERR_ARGUMENT, "exactly one device");
    assert_fails(f->context,
                 nitro_profile_variants(f->computation, f->store, "host", f->inputs, 0, &f->options,
                                        &f->report),
                 NITRO_ERR_ARGUMENT, "no inputs");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_profiles_are_stored),          TEST(test_what_is_stored_is_left_alone),
        TEST(test_a_crash_costs_one_run),        TEST(test_a_hang_costs_one_run),
        TEST(test_a_failure_costs_one_run),      TEST(test_a_profiler_that_refuses),
        TEST(test_inputs_that_cannot_be_loaded), TEST(test_stopping),
        TEST(test_a_store_that_goes_away),       TEST(test_runs_without_kernels),
        TEST(test_what_cannot_be_profiled),      TEST(test_samples_with_cold_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
