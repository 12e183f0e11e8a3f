/* The kernels of examples/kernels on a GPU, compiled by NVRTC. */
#include "unit/kernels/configuration_cases.h"

static void configurations_are_right(void **state)
{
    (void)state;
    configuration_cases_check_examples("cuda", 10, 4);
}

/* Needs NVRTC, a driver and a GPU; says what is missing. */
static bool is_possible(void)
{
    char why[512];
    nitro_kernel_target target;
    nitro_context *context = unit_context();
    const nitro_kernel_backend *backend = nitro_kernel_backend_find("cuda");
    bool is_open = backend->open(context, NULL, NULL, &target) == NITRO_OK;
    nitro_context_last_error(context, why, sizeof(why));
    if (is_open)
        backend->close(&target);
    else
        printf("SKIPPED: no kernel is compiled and run on a GPU: %s\n", why);
    nitro_context_free(context);
    return is_open;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(configurations_are_right)};
    return is_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
