/* The CUDA proxy kernels on the emulation: results at every intensity, and failures, which leak
 * nothing. */
#include "cuda_emulation.h"
#include "cuda_runtime_api.h"
#include "unit/proxy_kernels.h"

static int begin(void **state)
{
    (void)state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cuda_emulation_reset(&settings);
    return 0;
}

/* Nothing is left behind, whatever a test did. */
static int end(void **state)
{
    (void)state;
    return cuda_emulation_used_bytes() == 0 && cuda_emulation_num_handles() == 0 ? 0 : 1;
}

static void test_results(void **state)
{
    (void)state;
    check_results("cuda", NULL);
}

static void test_another_stream_and_order(void **state)
{
    (void)state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cudaStream_t stream = NULL;
    settings.seed = 7;
    cuda_emulation_configure(&settings);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    check_results("cuda", stream);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
}

/* A run is one kernel, and waits for nothing. */
static void test_run_is_one_launch(void **state)
{
    (void)state;
    kernel_list list = kernels_of("cuda");
    for (size_t i = 0; i < list.count; i++) {
        nitro_context *context = unit_context();
        const nitro_proxy_work work = {.intensity = 2, .num_threads = 1, .num_passes = 1};
        void *made = NULL;
        assert_ok(context, list.items[i]->create(context, &work, &made));
        unsigned launches = cuda_emulation_num_launches(), waits = cuda_emulation_num_waits();
        unsigned mallocs = cuda_emulation_num_mallocs();
        assert_ok(context, list.items[i]->run(made));
        assert_int_equal(cuda_emulation_num_pending(), 1);
        assert_int_equal(cuda_emulation_num_waits(), waits);
        assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
        assert_int_equal(cuda_emulation_num_launches(), launches + 1);
        list.items[i]->free(made);
        nitro_context_free(context);
    }
}

static void test_refused(void **state)
{
    (void)state;
    check_refusals("cuda");
}

static void expect_failure(const nitro_proxy_kernel *kernel, nitro_status expected,
                           const char *problem)
{
    nitro_context *context = unit_context();
    const nitro_proxy_work work = {.intensity = 1, .num_threads = 1, .num_passes = 1};
    void *made = NULL;
    assert_fails(context, kernel->create(context, &work, &made), expected, problem);
    assert_null(made);
    assert_int_equal(cuda_emulation_used_bytes(), 0);
    nitro_context_free(context);
}

static void test_failures(void **state)
{
    (void)state;
    kernel_list list = kernels_of("cuda");
    cuda_emulation_settings settings = cuda_emulation_defaults();
    for (size_t i = 0; i < list.count; i++) {
        settings.fail_malloc = 2;
        cuda_emulation_reset(&settings);
        expect_failure(list.items[i], NITRO_ERR_NO_MEMORY, "cannot get memory");
        settings.fail_malloc = 0;
        settings.num_devices = 0;
        cuda_emulation_reset(&settings);
        expect_failure(list.items[i], NITRO_ERR_IO, "cannot query the device");
        settings.num_devices = 1;
    }
    cuda_emulation_reset(&settings);
}

/* A kernel that fails is told by the check, and the memory can be given back all the same. */
static void test_kernel_fails(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const nitro_proxy_work work = {.intensity = 1, .num_threads = 1, .num_passes = 1};
    const nitro_proxy_kernel *kernel = kernels_of("cuda").items[0];
    cuda_emulation_settings settings = cuda_emulation_defaults();
    void *made = NULL;
    assert_ok(context, kernel->create(context, &work, &made));
    settings.fail_launch = 1;
    cuda_emulation_configure(&settings);
    assert_fails(context, kernel->check(made), NITRO_ERR_IO, "the kernel failed");
    kernel->free(made);
    nitro_context_free(context);
    settings.fail_launch = 0;
    cuda_emulation_reset(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_results, begin, end),
        cmocka_unit_test_setup_teardown(test_another_stream_and_order, begin, end),
        cmocka_unit_test_setup_teardown(test_run_is_one_launch, begin, end),
        cmocka_unit_test_setup_teardown(test_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_failures, begin, end),
        cmocka_unit_test_setup_teardown(test_kernel_fails, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
