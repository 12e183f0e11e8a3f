/* regret.h - how much slower than the best each variant is: what strategies learn that use the
 * times, not only the winner. Internal to nitro/. */
#ifndef NITRO_REGRET_H
#define NITRO_REGRET_H

#include "nitro/nitro_backend.h"

/** Regrets are cut at ln 10: beyond, a variant is wrong for the input, however wrong. */
#define NITRO_REGRET_CAP 2.302585092994046

/**
 * ln(time / the row's best time) of every variant. Without a time: INFINITY, for something kept the
 * variant from running there; but NAN, unknown, where the row's source has no time of this variant
 * at all and another source has.
 * @param[out] regrets  shape [num_rows x num_variants].
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (a row has no time); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_regrets_find(nitro_context *context, const nitro_training_set *set,
                                double *regrets);

/**
 * What regressions learn: the same for rows of the set, cut at NITRO_REGRET_CAP, unknown ones
 * replaced by the variant's mean over the others.
 * @param[in]  rows     shape [num_rows], of the set.
 * @param[out] regrets  shape [num_rows x num_variants]; free with free().
 */
nitro_status nitro_regrets_cut(nitro_context *context, const nitro_training_set *set,
                               const size_t *rows, size_t num_rows, double **regrets);

#endif
