/* Scores from parts. Hides the order of sums: compiled models ask here where they are not sure. */
#include "nitro/runtime/score_terms.h"

#include <stdlib.h>

#include "nitro/base/clamp.h"

nitro_status nitro_parts_add(nitro_context *context, nitro_parts *parts, const nitro_part *part)
{
    if (parts->count == NITRO_PARTS_MAX)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "a strategy has more than %d parts",
                          NITRO_PARTS_MAX);
    parts->items[parts->count++] = *part;
    return NITRO_OK;
}

void nitro_parts_release(nitro_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        nitro_kernel_machine_free(parts->items[i].kernels);
        nitro_forest_free(parts->items[i].forest);
        nitro_svm_machine_free(parts->items[i].svm);
        free(parts->items[i].vectors);
    }
    parts->count = 0;
}

void nitro_soft_votes(const double *decisions, size_t num_variants, double *scores)
{
    for (size_t v = 0; v < num_variants; v++)
        scores[v] = 0.0;
    for (size_t a = 0, pair = 0; a < num_variants; a++)
        for (size_t b = a + 1; b < num_variants; b++, pair++) {
            double vote = nitro_clamp(decisions[pair], -1.0, 1.0);
            scores[a] += vote;
            scores[b] -= vote;
        }
}

static void negate(size_t count, double *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = -values[i];
}

void nitro_part_score(const nitro_part *part, size_t num_columns, size_t num_variants,
                      const double *columns, double *scores)
{
    double decisions[NITRO_SVM_MAX_PAIRS];
    switch (part->kind) {
    case NITRO_PART_KERNELS:
        nitro_kernel_machine_evaluate(part->kernels, columns, scores);
        negate(num_variants, scores);
        break;
    case NITRO_PART_TREES:
        nitro_forest_predict(part->forest, columns, scores);
        negate(num_variants, scores);
        break;
    case NITRO_PART_SOFT_VOTES:
        nitro_kernel_machine_evaluate(part->kernels, columns, decisions);
        nitro_soft_votes(decisions, num_variants, scores);
        break;
    default:
        nitro_svm_machine_evaluate(part->svm, part->vectors, num_columns, part->gamma, columns,
                                   decisions);
        nitro_svm_machine_score(part->svm, decisions, num_variants, scores);
    }
}

void nitro_parts_score(const nitro_parts *parts, const double *columns, double *scores)
{
    double own[NITRO_MAX_VARIANTS];
    for (size_t v = 0; v < parts->num_variants; v++)
        scores[v] = 0.0;
    for (size_t i = 0; i < parts->count; i++) {
        nitro_part_score(&parts->items[i], parts->num_columns, parts->num_variants, columns, own);
        for (size_t v = 0; v < parts->num_variants; v++)
            scores[v] += parts->items[i].weight * own[v];
    }
}
