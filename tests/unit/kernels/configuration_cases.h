/* configuration_cases.h - the kernels of examples/kernels on a device: configurations drawn from
 * their spaces, each compared with a plain computation on the host. NITRO_TEST_CONFIGURATIONS is
 * how many of each. */
#ifndef NITRO_TESTS_CONFIGURATION_CASES_H
#define NITRO_TESTS_CONFIGURATION_CASES_H

#include "unit/computations/kit_cases.h"
#include "unit/kernels/kernel_examples.h"

/* One of odd sizes, where the kernel takes them, and one that vectors like. */
static inline void check_configuration(nitro_context *context, const nitro_kit *kit,
                                       const nitro_computation *computation, uint64_t seed,
                                       const char *values)
{
    char label[NITRO_KIT_LABEL + 256];
    bool is_simulated = getenv("NITRO_TEST_SIMULATED"); /* run_oclgrind.sh */
    double size = is_simulated ? kit->inputs->least_size : 10 * kit->inputs->least_size;
    double most = kit->inputs->usual_size < size ? kit->inputs->usual_size : size;
    void *argument = kit_case_make(context, kit, true, seed, most, label);
    size_t length = strlen(label);
    snprintf(label + length, sizeof(label) - length, ": %.200s", values);
    kit_case_check(context, kit, computation, argument, label);
    nitro_kit_free(kit, true, argument);
}

static inline void check_kernel(nitro_context *context, const nitro_module *module, uint64_t count)
{
    const nitro_kernel_backend *backend = nitro_kernel_backend_find(module->device_kind);
    nitro_kernel_target target;
    nitro_computation *computation;
    nitro_space *space;
    nitro_random random;
    const nitro_kernel *kernel =
        examples_open(context, module, backend, &computation, &target, &space);
    nitro_random_seed(&random, 1);
    for (uint64_t i = 0; i < count && i < nitro_space_size(space); i++) {
        const char *values[NITRO_MAX_PARAMETERS];
        examples_values(space, examples_draw(space, count, i, &random), values);
        char *text = nitro_kernel_values_text(context, kernel, values, "");
        assert_ok(context, nitro_kernel_configure(context, kernel, values));
        check_configuration(context, kernel->kit, computation, i, text);
        free(text);
    }
    assert_ok(context, nitro_kernel_configure(context, kernel, NULL));
    backend->close(&target);
    nitro_space_free(space);
    nitro_computation_free(computation);
}

/** All kernels for a kind of devices. */
static inline void configuration_cases_check(const char *device_kind)
{
    uint64_t count = examples_count("NITRO_TEST_CONFIGURATIONS", 4);
    nitro_context *context = unit_context();
    for (const nitro_module *each = nitro_module_get(); each->version; each++)
        if (strcmp(each->device_kind, device_kind) == 0)
            check_kernel(context, each, count);
    nitro_context_free(context);
}

#endif
