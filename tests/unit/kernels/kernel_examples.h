/* kernel_examples.h - the kernels of examples/kernels, and configurations of spaces. */
#ifndef NITRO_TESTS_KERNEL_EXAMPLES_H
#define NITRO_TESTS_KERNEL_EXAMPLES_H

#include "nitro/kernels/kernel.h"
#include "unit/unit.h"

const nitro_module *nitro_module_get(void); /* of examples/kernels */

static inline void examples_values(const nitro_space *space, uint64_t configuration,
                                   const char **values)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    nitro_space_indices(space, configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++)
        values[p] = nitro_space_parameter(space, p)->values[indices[p]].text;
}

#endif
