/* Conformance of proxy kernels: what every member of nitro_builtin_proxy_kernels() keeps. */
#include "unit/unit.h"

/* Small, so that it is quick in an emulation too; three threads' worth of uneven shares. */
static const nitro_proxy_work small = {.num_threads = 3, .num_passes = 3, .memory_bytes = 10000};

/* Is there a device of this kind that kernels can run on here? */
static bool can_run(const nitro_proxy_kernel *kernel)
{
    return strcmp(kernel->device_kind, "host") == 0;
}

static void test_declared_well(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_proxies *proxies = NULL;
    assert_ok(context, nitro_proxies_create(context, NULL, &proxies));
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++) {
        const nitro_proxy_kernel *kernel = *each, *found = NULL;
        size_t index = 0;
        while (index < proxies->num_proxies &&
               strcmp(proxies->proxies[index].name, kernel->proxy) != 0)
            index++;
        assert_true(index < proxies->num_proxies);
        assert_true(nitro_text_is_clean(kernel->description, 100));
        assert_non_null(kernel->create);
        assert_non_null(kernel->run);
        assert_non_null(kernel->check);
        assert_non_null(kernel->free);
        assert_true(!kernel->symbol != !kernel->code);
        assert_ok(context,
                  nitro_proxy_kernel_find(context, kernel->proxy, kernel->device_kind, &found));
        assert_ptr_equal(found, kernel); /* no other has its name */
        kernel->free(NULL);
    }
    for (size_t i = 0; i < proxies->num_proxies; i++) {
        const nitro_proxy_kernel *found = NULL;
        assert_ok(context,
                  nitro_proxy_kernel_find(context, proxies->proxies[i].name, "host", &found));
    }
    nitro_proxies_free(proxies);
    nitro_context_free(context);
}

static void check_run(const nitro_proxy_kernel *kernel, const nitro_proxy_work *work)
{
    nitro_context *context = unit_context();
    void *made = NULL;
    assert_ok(context, kernel->create(context, work, &made));
    assert_ok(context, kernel->run(made));
    assert_ok(context, kernel->run(made));
    assert_ok(context, kernel->check(made)); /* whatever ran before */
    assert_ok(context, kernel->check(made));
    kernel->free(made);
    nitro_context_free(context);
}

static void test_results(void **state)
{
    (void)state;
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        for (unsigned intensity = 0; intensity <= NITRO_PROXY_MAX_INTENSITY; intensity++) {
            nitro_proxy_work work = small;
            work.intensity = intensity;
            if (!can_run(*each))
                continue;
            check_run(*each, &work);
            work.num_passes = 20; /* several turns through the same memory */
            work.memory_bytes = 1;
            check_run(*each, &work);
        }
}

static void test_standard_sizes(void **state)
{
    (void)state;
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        for (unsigned intensity = 0; intensity <= NITRO_PROXY_MAX_INTENSITY; intensity += 5)
            if (can_run(*each))
                check_run(*each, &(nitro_proxy_work){.intensity = intensity});
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        nitro_proxy_work work;
        const char *problem;
    } refused[] = {
        {{.intensity = 6}, "intensity is 6, and may be 5 at most"},
        {{.num_passes = 400001}, "num_passes is 400001, and may be 400000 at most"},
        {{.num_threads = SIZE_MAX}, "num_threads is "},
        {{.memory_bytes = SIZE_MAX}, "memory_bytes is "},
    };
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]) && can_run(*each); i++) {
            nitro_context *context = unit_context();
            void *made = NULL;
            assert_fails(context, (*each)->create(context, &refused[i].work, &made),
                         NITRO_ERR_ARGUMENT, refused[i].problem);
            assert_null(made);
            nitro_context_free(context);
        }
}

static void test_unknown(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const nitro_proxy_kernel *kernel = NULL;
    assert_fails(context, nitro_proxy_kernel_find(context, "HEAT", "host", &kernel),
                 NITRO_ERR_NOT_FOUND, "proxy 'HEAT' has no kernel");
    assert_null(kernel);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declared_well),  cmocka_unit_test(test_results),
        cmocka_unit_test(test_standard_sizes), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
