/* The CUDA variants of histogram on a GPU, on the emulation's cases and on inputs that fill a GPU.
 */
#include "cuda/gpu_histogram_cases.h"

static int setup(void **state)
{
    *state = cuda_cases_open(&nitro_module_histogram_cuda, NULL);
    return 0;
}

static int teardown(void **state)
{
    return cuda_cases_close(*state);
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
    cuda_cases *cases = *state;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        for (size_t k = 0; k < sizeof(all_bins) / sizeof(all_bins[0]); k++) {
            nitro_histogram *samples = NULL;
            assert_ok(cases->context, histogram_inputs_make(cases->context, families[i], k,
                                                            20000003, all_bins[k], &samples));
            histogram_cases_check(cases, samples, 0, families[i]);
        }
}

static void two_arguments_do_not_disturb_each_other(void **state)
{
    histogram_cases_check_two(*state);
}

static void graphs_replay_prepared_variants(void **state)
{
    cuda_cases *cases = *state;
    nitro_histogram_cuda *histogram = cuda_cases_generate(cases, 1, 1);
    histogram->cuda.stream = cases->stream;
    cuda_cases_check_graphs(cases, histogram);
    nitro_module_histogram_cuda.unload(histogram);
}

int main(void)
{
    if (cuda_cases_is_without_gpu())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variants_agree_on_all_cases, setup, teardown),
        cmocka_unit_test_setup_teardown(variants_agree_where_bins_do_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(variants_agree_on_large_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(two_arguments_do_not_disturb_each_other, setup, teardown),
        cmocka_unit_test_setup_teardown(graphs_replay_prepared_variants, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
