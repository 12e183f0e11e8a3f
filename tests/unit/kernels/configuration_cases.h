/* configuration_cases.h - kernels that are compiled at run time, on a device: their usual
 * configurations and some drawn from their spaces, compared with a plain computation on the host.
 * NITRO_TEST_CONFIGURATIONS is how many are drawn. */
#ifndef NITRO_TESTS_CONFIGURATION_CASES_H
#define NITRO_TESTS_CONFIGURATION_CASES_H

#include "unit/computations/kit_cases.h"
#include "unit/kernels/kernel_examples.h"

#define CONFIGURATION_LABEL (NITRO_KIT_LABEL + 2048)

static inline nitro_space *configuration_space(nitro_context *context, const nitro_kernel *kernel)
{
    const nitro_kernel_backend *backend = nitro_kernel_backend_find(kernel->backend);
    nitro_kernel_target target;
    nitro_space *space;
    assert_ok(context, backend->open(context, NULL, NULL, &target));
    assert_ok(context, nitro_kernel_space(context, kernel, target.limits, &space));
    backend->close(&target);
    return space;
}

/* A space that has no more than `count` configurations is gone through. The label says what it is.
 */
static inline void configuration_draw(nitro_context *context, const nitro_kernel *kernel,
                                      const nitro_space *space, uint64_t count, uint64_t i,
                                      nitro_random *random, char *label)
{
    const char *values[NITRO_MAX_PARAMETERS];
    uint64_t size = nitro_space_size(space);
    examples_values(
        space, size <= count ? i % size : (uint64_t)(nitro_random_uniform(random) * (double)size),
        values);
    assert_ok(context, nitro_kernel_configure(context, kernel, values));
    char *text = nitro_kernel_values_text(context, kernel, values, "=", " ");
    size_t length = strlen(label);
    snprintf(label + length, CONFIGURATION_LABEL - length, "; %s", text);
    free(text);
}

/** All variants of a computation, on another input for each configuration. `usual_count` is drawn
 *  where the environment does not say how many. */
static inline void configuration_cases_check(nitro_context *context, const nitro_kit *kit,
                                             const nitro_computation *computation, double size,
                                             uint64_t usual_count)
{
    const char *text = getenv("NITRO_TEST_CONFIGURATIONS");
    uint64_t count = text ? strtoull(text, NULL, 10) : usual_count;
    size_t num_variants = nitro_computation_num_variants(computation);
    nitro_space *spaces[NITRO_MAX_VARIANTS] = {NULL};
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (size_t v = 0; v < num_variants; v++)
        if (nitro_kernel_of(computation, v)) /* what only other devices have is none */
            spaces[v] = configuration_space(context, nitro_kernel_of(computation, v));
    for (uint64_t i = 0; i <= count; i++) { /* first the usual ones */
        char label[CONFIGURATION_LABEL];
        void *argument = kit_case_make(context, kit, true, i, size, label);
        for (size_t v = 0; v < num_variants && i > 0; v++)
            if (spaces[v])
                configuration_draw(context, nitro_kernel_of(computation, v), spaces[v], count,
                                   i - 1, &random, label);
        kit_case_check(context, kit, computation, argument, label);
        nitro_kit_free(kit, true, argument);
    }
    for (size_t v = 0; v < num_variants; v++) {
        if (spaces[v])
            assert_ok(context,
                      nitro_kernel_configure(context, nitro_kernel_of(computation, v), NULL));
        nitro_space_free(spaces[v]);
    }
}

/** The kernels of examples/kernels for a kind of devices; inputs are `scale` times the least ones,
 *  as far as usual ones go. */
static inline void configuration_cases_check_examples(const char *device_kind, double scale,
                                                      uint64_t usual_count)
{
    nitro_context *context = unit_context();
    for (const nitro_module *each = nitro_module_get(); each->version; each++) {
        nitro_computation *computation;
        if (strcmp(each->device_kind, device_kind) != 0)
            continue;
        assert_ok(context, each->create(context, &computation));
        const nitro_kit *kit = nitro_kernel_of(computation, 0)->kit;
        double size = scale * kit->inputs->least_size, most = kit->inputs->usual_size;
        configuration_cases_check(context, kit, computation, most < size ? most : size,
                                  usual_count);
        nitro_computation_free(computation);
    }
    nitro_context_free(context);
}

#endif
