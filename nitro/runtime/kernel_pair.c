/* Machine pairs where models decide. */
#include "nitro/runtime/kernel_pair.h"

#include <stdlib.h>

void nitro_machine_pair_free(nitro_machine_pair *pair)
{
    if (!pair)
        return;
    for (size_t m = 0; m < NITRO_MACHINE_PAIR_SIZE; m++)
        nitro_kernel_machine_free(pair->machines[m]);
    free(pair);
}

void nitro_machine_pair_add(const nitro_machine_pair *pair, double weight, const double *columns,
                            double *scores)
{
    double outputs[NITRO_MAX_VARIANTS];
    for (size_t m = 0; m < NITRO_MACHINE_PAIR_SIZE; m++) {
        nitro_kernel_machine_evaluate(pair->machines[m], columns, outputs);
        for (size_t v = 0; v < pair->machines[m]->num_outputs; v++)
            scores[v] += weight * outputs[v];
    }
}

/** Kernels are losses: what lowers a score. */
nitro_status nitro_machine_pair_parts(nitro_context *context, const nitro_machine_pair *pair,
                                      double weight, nitro_parts *parts)
{
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NITRO_MACHINE_PAIR_SIZE && status == NITRO_OK; m++)
        status = nitro_parts_add(context, parts,
                                 &(nitro_part){.kind = NITRO_PART_KERNELS,
                                               .weight = -weight,
                                               .kernels = pair->machines[m]});
    return status;
}
