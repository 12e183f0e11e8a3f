/* Configuring a kernel where memory runs out. Sanitizers have a malloc of their own. */
#include "nitro/kernels/kernel.h"
#include "unit/failing_malloc.h"
#include "unit/unit.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static const nitro_kernel kernel = {
    .origin = "scale.c",
    .source = "",
    .parameters = {{"FACTOR", "[2, 3, 5]", "2"}, {"OTHER", "[0, 1]", "0"}}};

static void assert_configured(nitro_context *context, double factor, double other)
{
    static const nitro_kernel_target target = {.limits = {1, 1, 1}};
    char *kept[NITRO_KERNEL_MAX_PARAMETERS] = {NULL};
    const char *values[NITRO_KERNEL_MAX_PARAMETERS];
    double numbers[NITRO_KERNEL_MAX_PARAMETERS];
    bool is_configured;
    assert_ok(context, nitro_kernel_choose_values(context, &kernel, &target, kept, values, numbers,
                                                  &is_configured));
    assert_true(is_configured);
    assert_true(numbers[0] == factor && numbers[1] == other);
}

static void a_configuration_changes_as_a_whole(void **state)
{
    nitro_context *context = unit_context();
    size_t num_failed = 0;
    (void)state;
    assert_ok(context, nitro_kernel_configure(context, &kernel, (const char *const[]){"5", "0"}));
    for (bool has_failed = true; has_failed; num_failed += has_failed) {
        num_left = num_failed;
        nitro_status status =
            nitro_kernel_configure(context, &kernel, (const char *const[]){"3", "1"});
        has_failed = num_left == SIZE_MAX;
        num_left = SIZE_MAX;
        assert_int_equal(status, has_failed ? NITRO_ERR_NO_MEMORY : NITRO_OK);
        assert_configured(context, has_failed ? 5 : 3, has_failed ? 0 : 1);
    }
    assert_true(num_failed > 0);
    assert_ok(context, nitro_kernel_configure(context, &kernel, NULL));
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_configuration_changes_as_a_whole)};
    return cmocka_run_group_tests_name("kernel_memory", tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
