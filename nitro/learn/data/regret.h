/* regret.h - how much slower than the best each variant is: the targets of strategies that learn
 * from times, not only from winners. Internal to nitro/. */
#ifndef NITRO_LEARN_DATA_REGRET_H
#define NITRO_LEARN_DATA_REGRET_H

#include "nitro/nitro_backend.h"

/**
 * ln(time / the row's best time) of every variant, for rows of the set. Without a time: INFINITY
 * (the variant could not run); but NAN (unknown) where the row's device has no time of this variant
 * in any row of the set, and another device has.
 * @param[in]  rows     shape [num_rows], of the set.
 * @param[out] regrets  shape [num_rows x num_variants]; free with free().
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (a row has no time); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_regrets_find(nitro_context *context, const nitro_training_set *set,
                                const size_t *rows, size_t num_rows, double **regrets);

/**
 * The time of a row that losses and costs of preparing are relative to: the best one, but at least
 * an eighth of the best of the variants that need no preparing. An index that answers 500 times
 * faster than any search would otherwise make all searches look equally slow, and few uses choose
 * among them.
 * @param[in] times_ms  shape [num_variants], with a time.
 * @param[in] prepared  bit v: variant v needs preparing.
 */
double nitro_losses_unit(const double *times_ms, size_t num_variants, uint64_t prepared);

/**
 * The loss of every variant, 1 - best time / time: its expectation is 1 - quality of that choice.
 * Where nitro_losses_unit is not the best time it takes that one's place, and the loss of a smaller
 * time is time / unit - 1.
 * An unknown loss, also where a constraint excludes the variant, is replaced by the variant's mean
 * over the same input's other rows, else over all. Rows and errors are as above.
 * @param[out] losses  shape [num_rows x num_variants], -1 to 1; free with free().
 */
nitro_status nitro_losses_find(nitro_context *context, const nitro_training_set *set,
                               const size_t *rows, size_t num_rows, double **losses);

#endif
