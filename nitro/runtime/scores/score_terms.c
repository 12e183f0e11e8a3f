/*
 * Scores as weighted sums of terms. Compiled models fall back to these where their error bound does
 * not decide.
 */
#include "nitro/runtime/scores/score_terms.h"

#include <stdlib.h>

#include "nitro/base/clamp.h"

nitro_status nitro_score_terms_add(nitro_context *context, nitro_score_terms *terms,
                                   const nitro_score_term *term)
{
    if (terms->count == NITRO_SCORE_TERMS_MAX)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "a strategy has more than %d score terms",
                          NITRO_SCORE_TERMS_MAX);
    terms->items[terms->count++] = *term;
    return NITRO_OK;
}

void nitro_score_terms_release(nitro_score_terms *terms)
{
    for (size_t i = 0; i < terms->count; i++) {
        nitro_kernel_expansion_free(terms->items[i].kernels);
        nitro_forest_free(terms->items[i].forest);
        nitro_svm_classifier_free(terms->items[i].svm);
        free(terms->items[i].vectors);
    }
    terms->count = 0;
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

void nitro_score_term_score(const nitro_score_term *term, size_t num_columns, size_t num_variants,
                            const double *columns, double *scores)
{
    double decisions[NITRO_SVM_MAX_PAIRS];
    switch (term->kind) {
    case NITRO_TERM_KERNELS:
        nitro_kernel_expansion_evaluate(term->kernels, columns, scores);
        negate(num_variants, scores);
        break;
    case NITRO_TERM_TREES:
        nitro_forest_predict(term->forest, columns, scores);
        negate(num_variants, scores);
        break;
    case NITRO_TERM_SOFT_VOTES:
        nitro_kernel_expansion_evaluate(term->kernels, columns, decisions);
        nitro_soft_votes(decisions, num_variants, scores);
        break;
    default:
        nitro_svm_classifier_evaluate(term->svm, term->vectors, num_columns, term->gamma, columns,
                                      decisions);
        nitro_svm_classifier_score(term->svm, decisions, num_variants, scores);
    }
}

void nitro_score_terms_score(const nitro_score_terms *terms, const double *columns, double *scores)
{
    double own[NITRO_MAX_VARIANTS];
    for (size_t v = 0; v < terms->num_variants; v++)
        scores[v] = 0.0;
    for (size_t i = 0; i < terms->count; i++) {
        nitro_score_term_score(&terms->items[i], terms->num_columns, terms->num_variants, columns,
                               own);
        for (size_t v = 0; v < terms->num_variants; v++)
            scores[v] += terms->items[i].weight * own[v];
    }
}
