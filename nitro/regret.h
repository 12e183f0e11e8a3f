/* regret.h - how much slower than the best each variant is: what strategies learn that use the
 * times, not only the winner. Internal to nitro/. */
#ifndef NITRO_REGRET_H
#define NITRO_REGRET_H

#include "nitro/nitro_backend.h"

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
 * What regressions learn: how much of the best performance each variant loses, 1 - best time /
 * time, for rows of the set. Its expectation is what a choice's quality lacks. Unknown ones are
 * replaced by the variant's mean over the others.
 * @param[in]  rows    shape [num_rows], of the set.
 * @param[out] losses  shape [num_rows x num_variants], 0 to 1; free with free().
 */
nitro_status nitro_losses_find(nitro_context *context, const nitro_training_set *set,
                               const size_t *rows, size_t num_rows, double **losses);

#endif
