/* kernel_examples.h - the kernels of examples/kernels, and configurations drawn from their spaces.
 */
#ifndef NITRO_TESTS_KERNEL_EXAMPLES_H
#define NITRO_TESTS_KERNEL_EXAMPLES_H

#include "nitro/kernels/kernel.h"
#include "unit/unit.h"

const nitro_module *nitro_module_get(void); /* of examples/kernels */

/** Configurations that are drawn of each kernel: `usual`, or what the environment says. */
static inline uint64_t examples_count(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : usual;
}

static inline void examples_values(const nitro_space *space, uint64_t configuration,
                                   const char **values)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_space_indices(space, configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++)
        values[p] = nitro_space_parameter(space, p)->values[indices[p]].text;
}

/** Number i of the `count` configurations that are drawn; all of the space if it has no more. */
static inline uint64_t examples_draw(const nitro_space *space, uint64_t count, uint64_t i,
                                     nitro_random *random)
{
    uint64_t size = nitro_space_size(space);
    return size <= count ? i : (uint64_t)(nitro_random_uniform(random) * (double)size);
}

/** The kernel of a module's only variant, where it would run, and its space there; free them with
 *  the computation. */
static inline const nitro_kernel *examples_open(nitro_context *context, const nitro_module *module,
                                                const nitro_kernel_backend *backend,
                                                nitro_computation **computation,
                                                nitro_kernel_target *target, nitro_space **space)
{
    assert_ok(context, module->create(context, computation));
    const nitro_kernel *kernel = nitro_kernel_of(*computation, 0);
    assert_ok(context, backend->open(context, NULL, NULL, target));
    assert_ok(context, nitro_kernel_space(context, kernel, target->limits, space));
    return kernel;
}

#endif
