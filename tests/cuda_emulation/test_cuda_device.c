/* Device kind `cuda` on the emulated device: queries, the clock for measuring, and the
 * microbenchmarks, whose kernels must do all the work that their times are divided by. */
#include <math.h>
#include <stdlib.h>

#include "cuda/device_cases.h"
#include "cuda_emulation/cuda_emulation.h"
#include "features/device/cuda/cuda_kind.h"

#define MEMORY_BYTES ((size_t)8 << 20)
#define ID           "cuda:nvidia-emulated"

static cuda_emulation_settings settings;

static int setup(void **state)
{
    (void)state;
    settings = cuda_emulation_defaults();
    settings.memory_bytes = MEMORY_BYTES;
    cuda_emulation_reset(&settings);
    return 0;
}

/* Every test gives back what it took. */
static int teardown(void **state)
{
    (void)state;
    size_t handles = cuda_emulation_num_handles();
    return cuda_emulation_reset(&settings) != 0 || handles != 0;
}

/* In an order of the seed, where threads overtake each other. */
static void test_additions_in_any_order(void **state)
{
    for (settings.seed = 1; settings.seed < 5; settings.seed++) {
        cuda_emulation_configure(&settings);
        test_additions(state);
    }
}

static const nitro_device_feature *find_feature(const nitro_device *device, const char *name)
{
    for (size_t i = 0; i < device->num_features; i++)
        if (strcmp(device->features[i].name, name) == 0)
            return &device->features[i];
    fail_msg("%s has no %s", device->id, name);
    return NULL;
}

static void test_query(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_string_list ids = {0};
    nitro_device *device = NULL;
    settings.num_devices = 2;
    cuda_emulation_configure(&settings);
    assert_ok(context, nitro_device_kind_cuda.list(context, &ids));
    assert_int_equal(ids.count, 1); /* two of one sort are one device to stores */
    assert_string_equal(ids.items[0], ID);
    static const char *const names[] = {"cuda", "cuda:0", "cuda:1", ID};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(context, nitro_device_kind_cuda.describe(context, names[i], false, &device));
        assert_string_equal(device->id, ID);
        assert_string_equal(nitro_device_label(device, "model"), "NVIDIA Emulated");
        assert_string_equal(nitro_device_label(device, "pci"),
                            i == 2 ? "0000:01:00.0" : "0000:00:00.0");
        assert_string_equal(nitro_device_label(device, "toolkit"), "CUDA 13.0");
        static const struct {
            const char *name;
            double value;
        } values[] = {{"global_mem", MEMORY_BYTES / 0x1p30},
                      {"cuda_cores", 4 * 128},
                      {"clock_rate", 1000},
                      {"mem_clock_rate", 1000},
                      {"mem_bus_width", 512},
                      {"l2_cache_size", 1024},
                      {"shared_mem_per_block", 48},
                      {"copy_engines", 2},
                      {"compute_capability", 9},
                      {"sm_count", 4},
                      {"peak_gbps", 128},
                      {"peak_gflops_sp", 1024},
                      {"peak_gflops_dp", 512}};
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
            assert_true(find_feature(device, values[v].name)->value == values[v].value);
        nitro_device_free(device);
    }
    device = NULL;
    assert_fails(context, nitro_device_kind_cuda.describe(context, "cuda:2", false, &device),
                 NITRO_ERR_NOT_FOUND, "no CUDA device 'cuda:2' among this machine's 2");
    assert_null(device);
    nitro_string_list_free(&ids);
    nitro_context_free(context);
}

static void test_no_device(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device = NULL;
    settings.num_devices = 0;
    cuda_emulation_configure(&settings);
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_fails(context, nitro_device_kind_cuda.describe(context, "cuda", false, &device),
                 NITRO_ERR_NOT_FOUND, "the NVIDIA driver finds no GPU");
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    assert_fails(context, nitro_device_kind_cuda.describe(context, "cuda", false, &device),
                 NITRO_ERR_NOT_FOUND, "CUDA_VISIBLE_DEVICES is '7'");
    unsetenv("CUDA_VISIBLE_DEVICES");
    settings.no_driver = true;
    cuda_emulation_configure(&settings);
    assert_fails(context, nitro_device_kind_cuda.describe(context, "cuda", false, &device),
                 NITRO_ERR_NOT_FOUND, "NVIDIA driver");
    nitro_string_list ids = {0};
    assert_ok(context, nitro_device_kind_cuda.list(context, &ids));
    assert_int_equal(ids.count, 0);
    assert_null(device);
    nitro_context_free(context);
}

static void test_measure(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device = NULL;
    char *text = NULL;
    settings.real_clock = true; /* work is doubled until it takes its time */
    cuda_emulation_configure(&settings);
    assert_ok(context, nitro_device_kind_cuda.record(context, "cuda", true, &text));
    assert_ok(context,
              nitro_device_kind_cuda.replay(context, "recording", text, strlen(text), &device));
    for (int i = 0; i < NITRO_CUDA_NUM_BENCHMARKS; i++) {
        const char *name = nitro_cuda_kind.benchmarks[i];
        const nitro_device_feature *feature = find_feature(device, name);
        assert_int_equal(feature->source, NITRO_VALUE_MEASURED);
        assert_true(feature->value > 0 && feature->spread >= 0);
    }
    nitro_device_free(device);
    free(text);
    nitro_context_free(context);
}

/* The n-th allocation or kernel fails: an error that says so, and nothing is left behind. */
static void test_measure_fails(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_facts *facts = NULL;
    size_t count = 0;
    settings.real_clock = true;
    assert_ok(context, nitro_cuda_query(context, &facts, &count));
    for (unsigned n = 1; n <= 3; n++) {
        settings.fail_malloc = n;
        assert_int_equal(cuda_emulation_reset(&settings), 0);
        assert_fails(context, nitro_cuda_measure(context, &facts[0]), NITRO_ERR_IO,
                     "cudaErrorMemoryAllocation");
        assert_int_equal(cuda_emulation_used_bytes(), 0);
        assert_int_equal(cuda_emulation_num_handles(), 0);
    }
    settings.fail_malloc = 0;
    settings.fail_launch = 3;
    cuda_emulation_reset(&settings);
    assert_fails(context, nitro_cuda_measure(context, &facts[0]), NITRO_ERR_IO, "measuring clocks");
    assert_true(isnan(facts[0].measured[NITRO_CUDA_COPY_GBPS]));
    settings.fail_launch = 0;
    cuda_emulation_reset(&settings); /* after a fault nothing can be given back */
    free(facts);
    nitro_context_free(context);
}

/* Half of what the clocks need to rise, each time that it is asked. */
static double tick(void *clock_ms)
{
    return *(double *)clock_ms += 50;
}

static void test_access(void **state)
{
    (void)state;
    double clock_ms = 0;
    nitro_context *context = unit_context();
    nitro_context_set_clock(context, &(nitro_clock){tick, tick, &clock_ms});
    const nitro_device_access *access = nitro_device_kind_cuda.access;
    nitro_device_session *session = NULL;
    double elapsed_ms = -1;
    size_t bytes = 0;
    char text[64] = "untouched";
    settings.memory_bytes = (size_t)64 << 20;
    cuda_emulation_reset(&settings);
    assert_fails(context, access->open(context, "cuda:5", &session), NITRO_ERR_NOT_FOUND,
                 "no CUDA device 'cuda:5'");
    assert_null(session);
    assert_ok(context, access->open(context, ID, &session));
    assert_int_equal(cuda_emulation_num_launches(), 2); /* the clocks rise for 100 ms */
    assert_ok(context, access->free_memory(session, &bytes));
    assert_int_equal(bytes, settings.memory_bytes);
    assert_ok(context, access->flush(session, NULL));
    assert_ok(context, access->flush(session, NULL));
    assert_int_equal(cuda_emulation_num_mallocs(), 1);
    assert_ok(context, access->start(session, NULL));
    assert_works(nitro_cuda_launch_nothing(NULL));
    assert_ok(context, access->stop(session, NULL, &elapsed_ms));
    assert_int_equal(cuda_emulation_num_launches(), 2 + 2); /* one keeps the device busy before */
    assert_true(elapsed_ms > 0 && elapsed_ms < 0.01);       /* and is not timed */
    assert_ok(context, access->state(session, text, sizeof(text)));
    assert_string_equal(text, ""); /* no NVML of an emulated device */
    access->close(session);
    access->close(NULL);
    assert_int_equal(cuda_emulation_used_bytes(), 0);
    nitro_context_free(context);
}

static void test_access_after_a_fault(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const nitro_device_access *access = nitro_device_kind_cuda.access;
    nitro_device_session *session = NULL;
    double elapsed_ms = -1;
    assert_ok(context, access->open(context, "cuda", &session));
    settings.fail_launch = 1;
    cuda_emulation_configure(&settings);
    assert_ok(context, access->start(session, NULL));
    assert_works(nitro_cuda_launch_nothing(NULL));
    assert_fails(context, access->stop(session, NULL, &elapsed_ms), NITRO_ERR_IO,
                 "stopping a CUDA device's clock: ");
    assert_true(elapsed_ms == -1);
    access->close(session);
    settings.fail_launch = 0;
    cuda_emulation_reset(&settings);
    nitro_context_free(context);
}

/* Such as one that freed memory and went on. */
static void test_an_error_of_another_variant(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const nitro_device_access *access = nitro_device_kind_cuda.access;
    nitro_device_session *session = NULL;
    double elapsed_ms = -1;
    void *memory;
    assert_ok(context, access->open(context, "cuda", &session));
    assert_int_equal(cudaMalloc(&memory, SIZE_MAX / 2), cudaErrorMemoryAllocation);
    assert_ok(context, access->start(session, NULL));
    assert_works(nitro_cuda_launch_nothing(NULL));
    assert_ok(context, access->stop(session, NULL, &elapsed_ms));
    assert_ok(context, access->start(session, NULL));
    assert_int_equal(cudaMalloc(&memory, SIZE_MAX / 2), cudaErrorMemoryAllocation);
    assert_fails(context, access->stop(session, NULL, &elapsed_ms), NITRO_ERR_IO,
                 "stopping a CUDA device's clock: ");
    access->close(session);
    nitro_context_free(context);
}

int main(void)
{
#define ON_DEVICE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ON_DEVICE(test_copies),
        ON_DEVICE(test_reads),
        ON_DEVICE(test_additions),
        ON_DEVICE(test_additions_in_any_order),
        ON_DEVICE(test_chains),
        ON_DEVICE(test_query),
        ON_DEVICE(test_no_device),
        ON_DEVICE(test_measure),
        ON_DEVICE(test_measure_fails),
        ON_DEVICE(test_access),
        ON_DEVICE(test_access_after_a_fault),
        ON_DEVICE(test_an_error_of_another_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
