/* Device kind `cuda` on a GPU: plausible queried values, microbenchmarks within physical limits
 * whose kernels do all their work, and the device's clock. */
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/device_cases.h"
#include "features/device/cuda/cuda_kind.h"

#define SLACK       1.05 /* published peaks are rounded */
#define CLOCK_SLACK 1.25 /* cool chips run faster than the clock that they are sold with */

static nitro_device *gpu; /* measured, before this process uses CUDA itself */

static double value_of(const char *feature)
{
    double value = nitro_device_value(gpu, feature);
    if (!(value > 0))
        fail_msg("%s has no %s", gpu->id, feature);
    return value;
}

static void test_features(void **state)
{
    (void)state;
    static const char *const features[] = {"global_mem",
                                           "cuda_cores",
                                           "clock_rate",
                                           "mem_clock_rate",
                                           "mem_bus_width",
                                           "l2_cache_size",
                                           "shared_mem_per_block",
                                           "copy_engines",
                                           "peak_gbps",
                                           "peak_gflops_sp",
                                           "peak_gflops_dp",
                                           "shared_atomic",
                                           "global_atomic",
                                           "shared_atomic_spread",
                                           "global_atomic_spread",
                                           "sm_count",
                                           "compute_capability",
                                           "shared_mem_per_sm",
                                           "registers_per_sm",
                                           "threads_per_sm",
                                           "copy_gbps",
                                           "l2_gbps",
                                           "launch_us",
                                           "sp_gflops",
                                           "dp_gflops"};
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
        printf("%s %s: %g\n", gpu->id, features[i], value_of(features[i]));
    static const char *const labels[] = {"vendor", "model", "architecture", "driver", "toolkit"};
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        assert_non_null(nitro_device_label(gpu, labels[i]));
}

static void test_physics(void **state)
{
    (void)state;
    assert_true(value_of("copy_gbps") <= value_of("peak_gbps") * SLACK);
    assert_true(value_of("copy_gbps") >= value_of("peak_gbps") / 4);
    assert_true(value_of("l2_gbps") >= value_of("copy_gbps") / 2);
    assert_true(value_of("sp_gflops") <= value_of("peak_gflops_sp") * CLOCK_SLACK);
    assert_true(value_of("sp_gflops") >= value_of("peak_gflops_sp") / 4);
    assert_true(value_of("dp_gflops") <= value_of("peak_gflops_dp") * CLOCK_SLACK);
    assert_true(value_of("dp_gflops") >= value_of("peak_gflops_dp") / 4);
    assert_true(value_of("shared_atomic") <= value_of("global_atomic") * 2);
}

/* The driver was asked in child processes alone: this one has no context that a fork would break.
 */
static void test_forkable(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            void *memory = NULL;
            _exit(cudaMalloc(&memory, 1024) == cudaSuccess ? 0 : 1);
        }
        int ending = -1;
        assert_int_equal(waitpid(child, &ending, 0), child);
        assert_int_equal(ending, 0);
    }
}

/* A recording makes the same device. */
static void test_recording(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *described = NULL, *replayed = NULL;
    char *text = NULL, digests[2][NITRO_DIGEST_SIZE];
    assert_ok(context, nitro_device_kind_cuda.describe(context, "cuda", false, &described));
    assert_ok(context, nitro_device_kind_cuda.record(context, described->id, false, &text));
    assert_ok(context,
              nitro_device_kind_cuda.replay(context, "recording", text, strlen(text), &replayed));
    assert_string_equal(described->id, replayed->id);
    nitro_device_digest(described, digests[0]);
    nitro_device_digest(replayed, digests[1]);
    assert_string_equal(digests[0], digests[1]);
    printf("%s", text);
    free(text);
    nitro_device_free(described);
    nitro_device_free(replayed);
    nitro_context_free(context);
}

/* From here on this process uses CUDA. */
static void test_access(void **state)
{
    (void)state;
    enum { BLOCKS = 64, ROUNDS = 1000 };
    nitro_context *context = unit_context();
    const nitro_device_access *access = nitro_device_kind_cuda.access;
    nitro_device_session *session = NULL;
    double short_ms = 0, long_ms = 0;
    size_t before = 0, after = 0;
    char text[256] = "";
    cudaStream_t stream;
    assert_ok(context, access->open(context, gpu->id, &session));
    assert_works(cudaStreamCreate(&stream));
    float *results = allocate(BLOCKS * NITRO_CUDA_BLOCK_SIZE * sizeof(*results));
    assert_ok(context, access->free_memory(session, &before));
    assert_ok(context, access->flush(session, stream));
    assert_ok(context, access->free_memory(session, &after));
    assert_true(before > after); /* what is written to flush the caches */
    assert_works(nitro_cuda_launch_sp(results, 0.5F, 1, 1, BLOCKS, stream));
    assert_ok(context, access->start(session, stream));
    assert_works(nitro_cuda_launch_sp(results, 0.5F, 1, ROUNDS, BLOCKS, stream));
    assert_ok(context, access->stop(session, stream, &short_ms));
    assert_ok(context, access->start(session, stream));
    assert_works(nitro_cuda_launch_sp(results, 0.5F, 1, 100 * ROUNDS, BLOCKS, stream));
    assert_ok(context, access->stop(session, stream, &long_ms));
    assert_true(short_ms > 0 && long_ms > short_ms);
    assert_ok(context, access->state(session, text, sizeof(text)));
    printf("%s: '%s', %g ms and %g ms\n", gpu->id, text, short_ms, long_ms);
    cudaFree(results);
    cudaStreamDestroy(stream);
    access->close(session);
    nitro_context_free(context);
}

int main(void)
{
    nitro_context *context = unit_context();
    nitro_status status = nitro_device_kind_cuda.describe(context, "cuda", true, &gpu);
    if (status != NITRO_OK) {
        char reason[1024];
        nitro_context_last_error(context, reason, sizeof(reason));
        printf("%s: %s: the device kind cuda has not run on a GPU\n",
               status == NITRO_ERR_NOT_FOUND ? "SKIPPED" : "FAILED", reason);
        nitro_context_free(context);
        return status == NITRO_ERR_NOT_FOUND ? 77 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features), cmocka_unit_test(test_physics),
        cmocka_unit_test(test_forkable), cmocka_unit_test(test_recording),
        cmocka_unit_test(test_access),   cmocka_unit_test(test_copies),
        cmocka_unit_test(test_reads),    cmocka_unit_test(test_additions),
        cmocka_unit_test(test_chains),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nitro_device_free(gpu);
    nitro_context_free(context);
    return failed;
}
