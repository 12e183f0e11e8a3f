/* Proxy kernels on a GPU: results at every intensity, with small and default sizes. */
#include "unit/proxy_kernels.h"

static void test_results(void **state)
{
    (void)state;
    check_results("cuda", NULL);
}

static void test_standard_sizes(void **state)
{
    (void)state;
    kernel_list list = kernels_of("cuda");
    for (size_t i = 0; i < list.count; i++)
        for (unsigned intensity = 0; intensity <= NITRO_PROXY_MAX_INTENSITY; intensity++)
            check_run(list.items[i], &(nitro_proxy_work){.intensity = intensity});
}

static void test_refused(void **state)
{
    (void)state;
    check_refusals("cuda");
}

/* Why no kernel can run here; false where one can. */
static bool is_without_gpu(char *why, size_t size)
{
    nitro_context *context = NULL;
    const nitro_proxy_kernel *kernel = NULL;
    void *made = NULL;
    nitro_status status = nitro_context_create(&context);
    if (status == NITRO_OK)
        status = nitro_proxy_kernel_find(context, "SP-GFLOP", "cuda", &kernel);
    if (status == NITRO_OK)
        status = kernel->create(context, &(nitro_proxy_work){.num_threads = 1}, &made);
    if (status == NITRO_OK)
        kernel->free(made);
    else if (context)
        nitro_context_last_error(context, why, size);
    nitro_context_free(context);
    return status == NITRO_ERR_IO || status == NITRO_ERR_NOT_BUILT;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_standard_sizes),
        cmocka_unit_test(test_refused),
    };
    char why[1024] = "";
    if (is_without_gpu(why, sizeof(why))) {
        printf("SKIPPED: no GPU to run on: %s\n", why);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
