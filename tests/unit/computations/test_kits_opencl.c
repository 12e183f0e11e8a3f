/* Conformance of the computations on OpenCL devices: every variant on every family of inputs, from
 * empty ones on. PoCL runs it on processors. */
#include "unit/kernels/configuration_cases.h"
#include "unit/opencl_here.h"

extern const nitro_kit nitro_histogram_opencl_kit, nitro_spmv_opencl_kit;

static const nitro_kit *const kits[] = {&nitro_histogram_opencl_kit, &nitro_spmv_opencl_kit};
#define NUM_KITS (sizeof(kits) / sizeof(kits[0]))

static void every_variant_on_every_family(void **state)
{
    static const double sizes[] = {0, 1, 33, 600, 2500, 40001};
    size_t num_sizes = getenv("NITRO_TEST_SIMULATED") ? 4 : 6; /* run_oclgrind.sh */
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL];
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *computation;
        assert_ok(context, nitro_kit_create(context, kits[k], true, &computation));
        assert_string_equal(nitro_computation_device_kind(computation), "opencl");
        for (size_t family = 0; family < kits[k]->inputs->num_families; family++)
            for (size_t s = 0; s < num_sizes; s++) {
                void *argument = kit_case_make(context, kits[k], true, family, sizes[s], label);
                kit_case_check(context, kits[k], computation, argument, label);
                nitro_kit_release_device(kits[k], argument); /* and again */
                kit_case_check(context, kits[k], computation, argument, label);
                nitro_kit_free(kits[k], true, argument);
            }
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

/* Not the usual configurations only: groups of other sizes, lanes and entries for each item. */
static void configurations_are_right(void **state)
{
    bool is_simulated = getenv("NITRO_TEST_SIMULATED");
    nitro_context *context = unit_context();
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *computation;
        assert_ok(context, nitro_kit_create(context, kits[k], true, &computation));
        configuration_cases_check(context, kits[k], computation, is_simulated ? 600 : 2500,
                                  is_simulated ? 2 : 3);
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

static void calls_are_timed_without_waiting(void **state)
{
    nitro_context *context = unit_context();
    char label[NITRO_KIT_LABEL];
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *computation;
        assert_ok(context, nitro_kit_create(context, kits[k], true, &computation));
        void *argument = kit_case_make(context, kits[k], true, 0, 600, label);
        kit_case_monitor(context, kits[k], computation, argument, false);
        nitro_kit_free(kits[k], true, argument);
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

/* The same variants on all kinds of devices: their samples go together. */
static void variants_are_the_hosts(void **state)
{
    extern const nitro_kit nitro_histogram_kit, nitro_spmv_kit;
    const nitro_kit *const hosts[] = {&nitro_histogram_kit, &nitro_spmv_kit};
    nitro_context *context = unit_context();
    (void)state;
    for (size_t k = 0; k < NUM_KITS; k++) {
        nitro_computation *here = NULL;
        assert_ok(context, nitro_kit_create(context, kits[k], true, &here));
        assert_int_equal(nitro_computation_num_variants(here), hosts[k]->num_variants);
        for (size_t v = 0; v < hosts[k]->num_variants; v++)
            assert_string_equal(nitro_computation_variant_name(here, v),
                                hosts[k]->variants[v]->name);
        nitro_computation_free(here);
    }
    nitro_context_free(context);
}

/* A device's variant that its computation does not name is an error, not a silent loss. */
static void undeclared_variants_are_refused(void **state)
{
    static const nitro_variant stray = {.name = "stray"};
    static const nitro_variant *const strays[] = {&stray};
    nitro_kit_device device = *kits[0]->device;
    nitro_kit kit = *kits[0];
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    (void)state;
    device.variants = strays;
    device.num_variants = 1;
    kit.device = &device;
    assert_int_equal(nitro_kit_create(context, &kit, true, &computation), NITRO_ERR_ARGUMENT);
    char text[512];
    nitro_context_last_error(context, text, sizeof(text));
    assert_non_null(strstr(text, "'stray'"));
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_are_the_hosts),
        cmocka_unit_test(undeclared_variants_are_refused),
        cmocka_unit_test(every_variant_on_every_family),
        cmocka_unit_test(configurations_are_right),
        cmocka_unit_test(calls_are_timed_without_waiting),
    };
    return opencl_here() ? cmocka_run_group_tests_name("kits_opencl", tests, NULL, NULL)
                         : opencl_skip();
}
