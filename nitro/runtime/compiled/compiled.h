/*
 * compiled.h - a strategy's score terms laid out for one target: constant columns are folded into
 * coefficients, vectors that then coincide are merged, kernels are evaluated with SIMD, trees are
 * flat. A decision is 4 to 8 times as fast as by plain loops over the same arrays and 1.9 (forest)
 * to 40 times as fast as by the terms themselves (nitro-bench compiled, dispatch). Scores come with
 * a bound on their error; if it does not decide, the caller repeats the decision in double
 * precision and then by the terms. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_H
#define NITRO_RUNTIME_COMPILED_COMPILED_H

#include "nitro/runtime/scores/score_terms.h"

typedef struct nitro_compiled nitro_compiled;

typedef enum nitro_precision {
    NITRO_PRECISION_SINGLE, /* bounds of about 1e-4 of the terms' magnitude */
    NITRO_PRECISION_DOUBLE  /* half as fast; bounds of about 1e-12 of it */
} nitro_precision;

/**
 * @param[in]  terms      trees stay borrowed: double precision uses them.
 * @param[in]  is_constant, constants  shape [num_columns]: columns that are the same for every
 *                        input, and their values.
 * @param[out] compiled   NULL if the terms do not fit: more than 256 outputs, or trees that
 *                        compiled_forest.h rejects.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_compiled_create(nitro_context *context, const nitro_score_terms *terms,
                                   const bool *is_constant, const double *constants,
                                   nitro_compiled **compiled);
void nitro_compiled_free(nitro_compiled *compiled);

/**
 * @param[in]  columns  shape [num_columns], no NaN; constant ones as given.
 * @param[out] scores   shape [num_variants].
 * @param[out] exact    bit v: the score of variant v equals nitro_score_terms_score's bit for bit,
 *                      as with an SVM whose margins are all clamped; 0 unless scores are level.
 * @return the largest possible difference from nitro_score_terms_score; INFINITY or NaN if a vote
 * is undecided. Allocates nothing; safe from any number of threads.
 */
double nitro_compiled_score(const nitro_compiled *compiled, nitro_precision precision,
                            const double *columns, double *scores, uint64_t *exact);

/** Do these results of nitro_compiled_score prove that nitro_score_terms_score ranks the same
 * variant first, among those whose bit is set in `allowed`? */
bool nitro_compiled_is_exact(const double *scores, size_t num_variants, uint64_t allowed,
                             double bound, uint64_t exact);

/** The precision to begin with: double if single rarely decides, as with SVMs of large C. */
nitro_precision nitro_compiled_first_precision(const nitro_compiled *compiled);

/** Distinct vectors, before padding: for reports. */
size_t nitro_compiled_num_vectors(const nitro_compiled *compiled);

#endif
