/*
 * kernel_pair.h - the sum of two kernel expansions, a wide and a narrow kernel on the same vectors.
 * Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_SCORES_KERNEL_PAIR_H
#define NITRO_RUNTIME_SCORES_KERNEL_PAIR_H

#include "nitro/runtime/scores/score_terms.h"

enum { NITRO_WIDE, NITRO_NARROW, NITRO_KERNEL_PAIR_SIZE };

typedef struct nitro_kernel_pair {
    nitro_kernel_expansion *expansions[NITRO_KERNEL_PAIR_SIZE];
} nitro_kernel_pair;

void nitro_kernel_pair_free(nitro_kernel_pair *pair);

/** Add `weight` times the sum to scores, shape [num_outputs]. Allocates nothing; any number of
 *  threads. */
void nitro_kernel_pair_add(const nitro_kernel_pair *pair, double weight, const double *columns,
                           double *scores);

/** The same as score terms, borrowed, for compiled models. */
nitro_status nitro_kernel_pair_terms(nitro_context *context, const nitro_kernel_pair *pair,
                                     double weight, nitro_score_terms *terms);

#endif
