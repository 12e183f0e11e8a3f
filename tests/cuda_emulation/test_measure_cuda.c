/* Measuring spmv on an emulated CUDA device: the real variants, the device kind's clock and worker
 * processes. Times are simulated; the handling of failing variants is real. */
#include <cuda_runtime_api.h>
#include <math.h>

#include "cuda_emulation/cuda_emulation.h"
#include "features/device/cuda/cuda_kind.h"
#include "nitro/base/context.h"
#include "nitro/runtime/computation.h"
#include "unit/unit.h"

extern const nitro_module nitro_module_spmv_cuda;

/* Whatever the build's own kind "cuda" is like. */
static const nitro_device_kind emulated_kind = {
    .name = "cuda", .description = "emulated", .access = &nitro_cuda_access};

typedef struct bench {
    nitro_context *context;
    nitro_computation *computation;
    nitro_measure_options options;
    nitro_sample *sample;
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    nitro_tune_options options;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cuda_emulation_reset(&settings);
    b->context = unit_context();
    b->context->test_device_kind = &emulated_kind;
    assert_ok(b->context, nitro_module_spmv_cuda.create(b->context, &b->computation));
    nitro_tune_options_init(&options);
    b->options = options.measure;
    b->options.warmups = 0;
    b->options.budget_ms = b->options.timeout_ms = 1e6; /* the emulation takes its time */
    b->options.min_repetitions = b->options.max_repetitions = 1;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    nitro_sample_free(b->sample);
    nitro_computation_free(b->computation);
    nitro_context_free(b->context);
    free(b);
    return 0;
}

/* In the worker, as `nitro tune` does it. */
static nitro_status load(nitro_context *context, void *state, void **argument)
{
    char name[256];
    return nitro_module_spmv_cuda.generate(context, 1, *(const size_t *)state, name, sizeof name,
                                           argument);
}

/* A stencil of 360 rows and 7,150 non-zeros: 93 KB on the device. */
static const size_t a_matrix = 12;

static void measure(bench *b)
{
    const nitro_input input = {"matrix", load, nitro_module_spmv_cuda.unload,
                               (void *)(uintptr_t)&a_matrix};
    assert_ok(b->context, nitro_measure(b->computation, &input, &b->options, &b->sample));
}

static const nitro_entry *entry_of(const bench *b, const char *variant)
{
    for (size_t v = 0; v < b->sample->num_entries; v++)
        if (strcmp(nitro_computation_variant_name(b->computation, v), variant) == 0)
            return &b->sample->entries[v];
    fail_msg("there is no variant %s", variant);
    return NULL;
}

static void assert_outcome(const bench *b, const char *variant, nitro_outcome outcome,
                           const char *detail)
{
    const nitro_entry *entry = entry_of(b, variant);
    if (entry->outcome != outcome)
        fail_msg("%s: %s: %s", variant, nitro_outcome_name(entry->outcome),
                 entry->detail ? entry->detail : "");
    if (detail && (!entry->detail || !strstr(entry->detail, detail)))
        fail_msg("%s: the detail does not say '%s': %s", variant, detail,
                 entry->detail ? entry->detail : "");
}

static void times_are_the_devices(void **state)
{
    bench *b = *state;
    b->options.cache = NITRO_CACHE_COLD;
    measure(b);
    static const char *const variants[] = {"csr", "csr_vector", "ell", "coo", "hybrid", "sellp"};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        assert_outcome(b, variants[i], NITRO_OUTCOME_MEASURED, NULL);
        assert_true(entry_of(b, variants[i])->median_ms > 0);
        assert_int_equal(entry_of(b, variants[i])->count, 1);
    }
    assert_string_equal(b->sample->provenance.cache, "cold");
    assert_int_equal(cuda_emulation_num_launches(), 0); /* not in this process */
}

static nitro_variant csr; /* the computation's first */

static int run_into_a_fault(void *argument, void *user)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.fail_launch = 1;
    cuda_emulation_configure(&settings);
    return csr.run(argument, user);
}

/* The kernel is launched well; that it failed shows when the clock is stopped, and ever after. */
static void a_sticky_error_costs_one_entry(void **state)
{
    bench *b = *state;
    csr = b->computation->variants[0];
    nitro_variant faulty = csr;
    faulty.name = "faulty";
    faulty.run = run_into_a_fault;
    faulty.time_source = NITRO_TIME_DEVICE;
    assert_ok(b->context, nitro_computation_add_variant(b->computation, &faulty));
    measure(b);
    assert_outcome(b, "csr", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "sellp", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "faulty", NITRO_OUTCOME_FAILED, "in call 1 of run: ");
    assert_outcome(b, "faulty", NITRO_OUTCOME_FAILED, "CUDA error");
}

/* Each format fits beside the matrix, all together do not. */
static void a_small_device_measures_one_format_after_the_other(void **state)
{
    bench *b = *state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 300000;
    cuda_emulation_configure(&settings);
    measure(b);
    assert_outcome(b, "csr", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "coo", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "ell", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "hybrid", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "sellp", NITRO_OUTCOME_MEASURED, NULL);
}

static void formats_that_do_not_fit_say_so(void **state)
{
    bench *b = *state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 160000;
    cuda_emulation_configure(&settings);
    measure(b);
    assert_outcome(b, "csr", NITRO_OUTCOME_MEASURED, NULL);
    assert_outcome(b, "ell", NITRO_OUTCOME_OUT_OF_MEMORY,
                   "MB were free: the format ell takes 0.1 MB, and the device has");
    assert_outcome(b, "csr_vector", NITRO_OUTCOME_MEASURED, NULL);
}

static void a_matrix_that_does_not_fit_says_so(void **state)
{
    bench *b = *state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 50000;
    cuda_emulation_configure(&settings);
    measure(b);
    assert_outcome(b, "csr", NITRO_OUTCOME_OUT_OF_MEMORY,
                   "prepare_input found too little memory: the input of spmv takes 0.1 MB");
    assert_outcome(b, "sellp", NITRO_OUTCOME_OUT_OF_MEMORY, "the input of spmv takes");
    assert_true(isfinite(b->sample->features[0]));
}

static void without_a_device_nothing_is_measured(void **state)
{
    bench *b = *state;
    const nitro_input input = {"matrix", load, nitro_module_spmv_cuda.unload,
                               (void *)(uintptr_t)&a_matrix};
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.no_driver = true;
    cuda_emulation_configure(&settings);
    assert_fails(b->context, nitro_measure(b->computation, &input, &b->options, &b->sample),
                 NITRO_ERR_NOT_FOUND, "spmv: device cuda cannot be opened: ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(times_are_the_devices),
        TEST(a_sticky_error_costs_one_entry),
        TEST(a_small_device_measures_one_format_after_the_other),
        TEST(formats_that_do_not_fit_say_so),
        TEST(a_matrix_that_does_not_fit_says_so),
        TEST(without_a_device_nothing_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
