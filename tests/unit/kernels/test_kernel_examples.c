/* The kernels of examples/kernels on an OpenCL device. */
#include "unit/kernels/configuration_cases.h"
#include "unit/opencl_here.h"

static void configurations_are_right(void **state)
{
    (void)state;
    configuration_cases_check("opencl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(configurations_are_right)};
    return opencl_here() ? cmocka_run_group_tests_name("kernel_examples", tests, NULL, NULL)
                         : opencl_skip();
}
