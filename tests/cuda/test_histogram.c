/* The CUDA variants of histogram on a GPU, on the cases that the emulation has, and on inputs that
 * fill a GPU. */
#include <cuda_runtime_api.h>

#include "apps/histogram/module.h"
#include "cuda/histogram_cases.h"

static int setup(void **state)
{
    histogram_cases *cases = calloc(1, sizeof(*cases));
    cases->context = unit_context();
    assert_ok(cases->context,
              nitro_module_histogram_cuda.create(cases->context, &cases->computation));
    assert_int_equal(cudaStreamCreate((cudaStream_t *)&cases->stream), cudaSuccess);
    *state = cases;
    return 0;
}

static int teardown(void **state)
{
    histogram_cases *cases = *state;
    nitro_computation_free(cases->computation);
    nitro_context_free(cases->context);
    cudaError_t error = cudaStreamDestroy(cases->stream);
    free(cases);
    return error != cudaSuccess;
}

static void variants_agree_on_all_cases(void **state)
{
    histogram_cases_check_all(*state);
}

static void variants_agree_where_bins_do_not_fit(void **state)
{
    histogram_cases_check_ranges(*state);
}

static void variants_agree_on_large_inputs(void **state)
{
    static const char *const families[] = {"uniform", "image", "constant", "crowded"};
    static const int64_t all_bins[] = {256, 4096, 65536};
    histogram_cases *cases = *state;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        for (size_t k = 0; k < sizeof(all_bins) / sizeof(all_bins[0]); k++) {
            nitro_histogram *samples = NULL;
            assert_ok(cases->context,
                      nitro_histogram_generate_family(cases->context, families[i], k, 20000003,
                                                      all_bins[k], &samples));
            histogram_cases_check(cases, samples, 0, families[i]);
        }
}

int main(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("SKIPPED: no CUDA device is here: the histogram's kernels have not run on a GPU\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variants_agree_on_all_cases, setup, teardown),
        cmocka_unit_test_setup_teardown(variants_agree_where_bins_do_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(variants_agree_on_large_inputs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
