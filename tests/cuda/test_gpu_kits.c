/* Conformance of all computations on a GPU: every variant on every family, and two arguments on two
 * streams. */
#include "cuda/computation_cases.h"

static void every_variant_on_every_family(void **state)
{
    static const double sizes[] = {0, 1, 700, 20000};
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++) {
        const nitro_kit *kit = cuda_computations[c].kit;
        cuda_cases *cases = cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
        for (size_t family = 0; family < kit->inputs->num_families; family++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                computation_cases_check(cases, kit,
                                        computation_cases_load(cases, kit, family, sizes[i]));
        assert_int_equal(cuda_cases_close(cases), 0);
    }
}

static void two_arguments_on_two_streams(void **state)
{
    (void)state;
    for (size_t c = 0; c < CUDA_NUM_COMPUTATIONS; c++) {
        cuda_cases *cases = cuda_cases_open(cuda_computations[c].module, nitro_kit_allows_nothing);
        computation_cases_check_two(cases, cuda_computations[c].kit, 150000, 70000);
        assert_int_equal(cuda_cases_close(cases), 0);
    }
}

int main(void)
{
    if (cuda_cases_is_without_gpu())
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_on_every_family),
                                       cmocka_unit_test(two_arguments_on_two_streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
