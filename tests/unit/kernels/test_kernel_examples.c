/* The kernels of examples/kernels on an OpenCL device. */
#include "unit/kernels/configuration_cases.h"
#include "unit/opencl_here.h"

static void configurations_are_right(void **state)
{
    (void)state;
    bool is_simulated = getenv("NITRO_TEST_SIMULATED"); /* run_oclgrind.sh */
    configuration_cases_check_examples("opencl", is_simulated ? 1 : 10, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(configurations_are_right)};
    return opencl_here() ? cmocka_run_group_tests_name("kernel_examples", tests, NULL, NULL)
                         : opencl_skip();
}
