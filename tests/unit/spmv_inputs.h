/* spmv_inputs.h - generated inputs of spmv of the usual sizes, whatever the settings say. */
#ifndef NITRO_TESTS_UNIT_SPMV_INPUTS_H
#define NITRO_TESTS_UNIT_SPMV_INPUTS_H

#include "apps/matrix/matrix_inputs.h"
#include "apps/spmv/spmv_matrix.h"

/* Arguments as of nitro_module.generate. Free it with nitro_spmv_matrix_free. */
static inline nitro_status spmv_inputs_generate(nitro_context *context, uint64_t seed, size_t index,
                                                char *name, size_t name_size, nitro_spmv **spmv)
{
    void *made;
    nitro_status status = nitro_context_set(context, "spmv", "generate_mb", "48");
    if (status == NITRO_OK)
        status = nitro_kit_generate(context, &nitro_spmv_kit, false, seed, index, name, name_size,
                                    spmv ? &made : NULL);
    if (status == NITRO_OK && spmv)
        *spmv = (nitro_spmv *)made;
    return status;
}

#endif
