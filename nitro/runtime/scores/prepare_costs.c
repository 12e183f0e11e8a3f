/* Costs of preparing, and what they do to scores. */
#include "nitro/runtime/scores/prepare_costs.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"

#define LARGEST_LOGARITHM 40.0 /* finite whatever the weights are */

nitro_status nitro_prepare_costs_create(nitro_context *context, size_t num_columns,
                                        size_t num_variants, nitro_prepare_costs **costs)
{
    nitro_prepare_costs *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *made = (nitro_prepare_costs){
        .num_columns = num_columns,
        .num_variants = num_variants,
        .few_feature = NITRO_NONE,
        .num_few = 1,
        .few = {{.up_to = INFINITY}},
    };
    made->weights = nitro_calloc(context, num_variants, (num_columns + 1) * sizeof *made->weights);
    if (!made->weights) {
        free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    *costs = made;
    return NITRO_OK;
}

void nitro_prepare_costs_free(nitro_prepare_costs *costs)
{
    if (!costs)
        return;
    free(costs->weights);
    free(costs);
}

bool nitro_prepare_costs_are_valid(const nitro_prepare_costs *costs)
{
    bool valid = true;
    for (size_t i = 0; i < costs->num_few; i++) {
        const nitro_few_uses *few = &costs->few[i];
        valid = valid && few->uses >= 0.0 && few->confidence >= 0.0 && few->confidence <= 1.0 &&
                (i == 0 || few->up_to > few[-1].up_to);
    }
    for (size_t i = 0; i < costs->num_variants * (costs->num_columns + 1); i++)
        valid = valid && fabs(costs->weights[i]) <= NITRO_PREPARE_COSTS_MAX_WEIGHT;
    return valid;
}

const nitro_few_uses *nitro_prepare_costs_few(const nitro_prepare_costs *costs,
                                              const double *features, uint64_t known)
{
    size_t i = 0;
    if (costs->few_feature != NITRO_NONE && !(known >> costs->few_feature & 1))
        return NULL;
    while (i + 1 < costs->num_few && !(features[costs->few_feature] <= costs->few[i].up_to))
        i++;
    return &costs->few[i];
}

void nitro_prepare_costs_evaluate(const nitro_prepare_costs *costs, const double *columns,
                                  double *runs)
{
    for (size_t v = 0; v < costs->num_variants; v++) {
        const double *weights = costs->weights + v * (costs->num_columns + 1);
        double logarithm = weights[costs->num_columns];
        for (size_t c = 0; c < costs->num_columns; c++)
            logarithm += weights[c] * nitro_clamp(columns[c], -1.0, 1.0);
        runs[v] = costs->prepared >> v & 1
                      ? exp(nitro_clamp(logarithm, -LARGEST_LOGARITHM, LARGEST_LOGARITHM))
                      : 0.0;
    }
}

double nitro_prepare_costs_charge(const nitro_prepare_costs *costs, const double *columns,
                                  double share, uint64_t allowed, double *scores)
{
    double runs[NITRO_MAX_VARIANTS], best_before = 0.0, best_after = 0.0;
    nitro_prepare_costs_evaluate(costs, columns, runs);
    for (size_t v = 0; v < costs->num_variants; v++) {
        double speed = fmax(1.0 + scores[v], NITRO_LEAST_SPEED);
        scores[v] = 1.0 / (1.0 / speed + share * runs[v]); /* finite for any speed */
        if (allowed >> v & 1) {
            best_before = fmax(best_before, speed);
            best_after = fmax(best_after, scores[v]);
        }
    }
    double factor = best_before / best_after;
    for (size_t v = 0; v < costs->num_variants; v++)
        scores[v] = scores[v] * factor - 1.0;
    return 3.0 * factor; /* a speed's error, and those of the two that `factor` is made of */
}
