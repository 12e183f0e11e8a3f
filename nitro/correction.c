/* Corrections where models decide. Hides that one is kept as two sums of RBF kernels. */
#include "nitro/correction_body.h"

#include <stdlib.h>

void nitro_correction_free(nitro_correction *correction)
{
    if (!correction)
        return;
    for (size_t m = 0; m < NITRO_CORRECTION_MACHINES; m++)
        nitro_kernel_machine_free(correction->machines[m]);
    free(correction);
}

void nitro_correction_apply(const nitro_correction *correction, const double *columns,
                            double *scores)
{
    double errors[NITRO_MAX_VARIANTS];
    for (size_t m = 0; m < NITRO_CORRECTION_MACHINES; m++) {
        nitro_kernel_machine_evaluate(correction->machines[m], columns, errors);
        for (size_t v = 0; v < correction->machines[m]->num_outputs; v++)
            scores[v] += errors[v];
    }
}

/** Kernels are regrets: what lowers a score. */
nitro_status nitro_correction_parts(nitro_context *context, const nitro_correction *correction,
                                    nitro_parts *parts)
{
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NITRO_CORRECTION_MACHINES && status == NITRO_OK; m++)
        status = nitro_parts_add(context, parts,
                                 &(nitro_part){.kind = NITRO_PART_KERNELS,
                                               .weight = -1.0,
                                               .kernels = correction->machines[m]});
    return status;
}
