/*
 * compiled.h - a strategy's parts laid out for one target: what is constant there is folded in,
 * vectors that then coincide are one, kernels are evaluated by SIMD, trees are flat. Scores come
 * with a bound on their error; who asks decides what is sure, and asks again in double precision,
 * or the parts themselves, where it is not. Sums are not stopped once the signs of SVMs are sure:
 * nearly all vectors are needed for that (nitro-bench dispatch). Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_H
#define NITRO_RUNTIME_COMPILED_COMPILED_H

#include "nitro/runtime/scores/score_terms.h"

typedef struct nitro_compiled nitro_compiled;

typedef enum nitro_precision {
    NITRO_PRECISION_SINGLE, /* fast; bounds of about 1e-4 of what scores are made of */
    NITRO_PRECISION_DOUBLE  /* half as fast; bounds of about 1e-12 of that */
} nitro_precision;

/**
 * @param[in]  parts      what to compile; trees stay borrowed, for double precision asks them.
 * @param[in]  is_constant, constants  shape [num_columns]: columns that are the same for every
 *                        input, and their values.
 * @param[out] compiled   NULL where the parts are such that compiling gains nothing (more than a
 *                        few hundred outputs).
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_compiled_create(nitro_context *context, const nitro_score_terms *terms,
                                   const bool *is_constant, const double *constants,
                                   nitro_compiled **compiled);
void nitro_compiled_free(nitro_compiled *compiled);

/**
 * @param[in]  columns  shape [num_columns], no NaN; constant ones as given.
 * @param[out] scores   shape [num_variants].
 * @param[out] exact    where variants are level: a bit a variant whose score is
 *                      nitro_score_terms_score's, bit by bit, as SVMs' are whose margins are all
 * cut.
 * @return how far a score may be from nitro_score_terms_score's, at most; INFINITY or NaN: nothing
 * is sure, for a vote is open. Allocates nothing; safe from any number of threads.
 */
double nitro_compiled_score(const nitro_compiled *compiled, nitro_precision precision,
                            const double *columns, double *scores, uint64_t *exact);

/** Is the best of the variants whose bit is set in `allowed` the one that nitro_score_terms_score
 * would put first, by what nitro_compiled_score gave? */
bool nitro_compiled_is_exact(const double *scores, size_t num_variants, uint64_t allowed,
                             double bound, uint64_t exact);

/** The precision to ask first: double where single is seldom sure, as with SVMs of large C. */
nitro_precision nitro_compiled_first_precision(const nitro_compiled *compiled);

/** Distinct vectors, before padding: for reports. */
size_t nitro_compiled_num_vectors(const nitro_compiled *compiled);

#endif
