/* Evaluates kernel pairs. */
#include "nitro/runtime/scores/kernel_pair.h"

#include <stdlib.h>

void nitro_kernel_pair_free(nitro_kernel_pair *pair)
{
    if (!pair)
        return;
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE; m++)
        nitro_kernel_expansion_free(pair->expansions[m]);
    free(pair);
}

void nitro_kernel_pair_add(const nitro_kernel_pair *pair, double weight, const double *columns,
                           double *scores)
{
    double outputs[NITRO_MAX_VARIANTS];
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE; m++) {
        nitro_kernel_expansion_evaluate(pair->expansions[m], columns, outputs);
        for (size_t v = 0; v < pair->expansions[m]->num_outputs; v++)
            scores[v] += weight * outputs[v];
    }
}

/** Kernels predict losses, which are subtracted from scores. */
nitro_status nitro_kernel_pair_terms(nitro_context *context, const nitro_kernel_pair *pair,
                                     double weight, nitro_score_terms *terms)
{
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE && status == NITRO_OK; m++)
        status = nitro_score_terms_add(context, terms,
                                       &(nitro_score_term){.kind = NITRO_TERM_KERNELS,
                                                           .weight = -weight,
                                                           .kernels = pair->expansions[m]});
    return status;
}
