/* Conformance of proxy kernels: declarations of all, results of the host's. */
#include "unit/proxy_kernels.h"

static bool is_proxy(const nitro_proxies *proxies, const char *name)
{
    for (size_t i = 0; i < proxies->num_proxies; i++)
        if (strcmp(proxies->proxies[i].name, name) == 0)
            return true;
    return false;
}

static void test_declared_well(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_proxies *proxies = NULL;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++) {
        const nitro_proxy_kernel *kernel = *each, *found = NULL;
        assert_true(is_proxy(proxies, kernel->proxy));
        assert_true(nitro_text_is_valid(kernel->description, 100));
        assert_true(kernel->create && kernel->run && kernel->check && kernel->free);
        assert_true(!kernel->symbol != !kernel->code);
        assert_ok(context,
                  nitro_proxy_kernel_find(context, kernel->proxy, kernel->device_kind, &found));
        assert_ptr_equal(found, kernel); /* no other has its name */
        kernel->free(NULL);
    }
    nitro_proxies_free(proxies);
    nitro_context_free(context);
}

/* Host and cuda have a kernel, or a stub, for each of the paper's proxies. */
static void test_all_there(void **state)
{
    (void)state;
    static const char *const kinds[] = {"host", "cuda"};
    nitro_context *context = unit_context();
    const nitro_proxy_kernel *found = NULL;
    nitro_proxies *proxies = NULL;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    for (size_t i = 0; i < proxies->num_proxies; i++)
        for (size_t k = 0; k < 2; k++)
            assert_ok(context,
                      nitro_proxy_kernel_find(context, proxies->proxies[i].name, kinds[k], &found));
    found = NULL;
    assert_fails(context, nitro_proxy_kernel_find(context, "HEAT", "host", &found),
                 NITRO_ERR_NOT_FOUND, "proxy 'HEAT' has no kernel");
    assert_null(found);
    nitro_proxies_free(proxies);
    nitro_context_free(context);
}

static void test_results(void **state)
{
    (void)state;
    check_results("host", NULL);
}

static void test_standard_sizes(void **state)
{
    (void)state;
    kernel_list list = kernels_of("host");
    for (size_t i = 0; i < list.count; i++)
        for (unsigned intensity = 0; intensity <= NITRO_PROXY_MAX_INTENSITY; intensity += 5)
            check_run(list.items[i], &(nitro_proxy_work){.intensity = intensity});
}

static void test_refused(void **state)
{
    (void)state;
    check_refusals("host");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declared_well),  cmocka_unit_test(test_all_there),
        cmocka_unit_test(test_results),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_standard_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
