/* The CUDA variants of spmv on a GPU: correct on every kind of matrix and at sizes that fill it;
 * captured graphs can be replayed. Exits with 77 without a GPU. */
#include "cuda/spmv_cases.h"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

static int setup(void **state)
{
    *state = cuda_cases_open(&nitro_module_spmv_cuda, nitro_kit_allows_nothing);
    for (size_t i = 0; i < NITRO_SPMV_NUM_CUSPARSE; i++) {
        const nitro_variant *variant = &nitro_spmv_cuda_cusparse_variants[i];
        const char *problem = nitro_spmv_cusparse_problem(variant);
        if (problem)
            print_message("without %s: %s\n", variant->name, problem);
    }
    return 0;
}

static int teardown(void **state)
{
    return cuda_cases_close(*state);
}

static void variants_agree_on_all_families(void **state)
{
    spmv_cases_check_families(*state, 1, 1e5);
}

static void variants_agree_on_odd_matrices(void **state)
{
    spmv_cases_check_odd(*state);
}

static void variants_agree_on_large_matrices(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv *stencil = NULL;
    assert_ok(cases->context, spmv_inputs_stencil(cases->context, 128, &stencil));
    assert_true(spmv_cases_check(cases, stencil, "stencil 128 x 128 x 128", SIZE_MAX) >= 7);
    for (size_t index = 0; index < 2 * NITRO_MATRIX_NUM_FAMILIES; index++) {
        char name[128];
        nitro_spmv *matrix = spmv_cases_make(cases, 100, index, 1e7, name);
        spmv_cases_check(cases, matrix, name, SIZE_MAX);
    }
}

static void graphs_replay_prepared_variants(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    cuda_cases_check_graphs(cases, spmv);
    nitro_module_spmv_cuda.unload(spmv);
}

int main(void)
{
    if (cuda_cases_is_without_gpu())
        return 77;
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(variants_agree_on_all_families),
        TEST(variants_agree_on_odd_matrices),
        TEST(variants_agree_on_large_matrices),
        TEST(graphs_replay_prepared_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
