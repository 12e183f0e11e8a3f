/* cross_scores.h - what the model of each source by itself says of every source's samples: the
 * evidence of which sources speak for which devices. Internal to nitro/learn. */
#ifndef NITRO_LEARN_CROSS_SCORES_H
#define NITRO_LEARN_CROSS_SCORES_H

#include "nitro/learn/fit.h"

typedef struct nitro_cross_scores {
    size_t num_devices, num_rows, num_variants; /* of the sources */
    double *scores;    /* shape [num_devices x num_rows x num_variants]: by that device's model,
                          trained without the row's input; NaN: none */
    uint64_t *known;   /* shape [num_devices]: variants measured there, a bit each */
    uint64_t *allowed; /* shape [num_rows]: nitro_dataset_row_variants of those */
    double *losses;    /* shape [num_devices x num_devices]: mean loss in percent of the first one's
                          model on the second; NaN: unknown */
} nitro_cross_scores;

/**
 * Train a model on each source of the task, and score all sources as its targets. Costs as many
 * fits as sources times parts of the inputs, each of at most 600 samples or so: linear in sources,
 * and independent of the task's target.
 * @param[in]  task    the columns, strategy and seed; its target and source weights are not read.
 * @param[out] result  free with nitro_cross_scores_free.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_cross_scores_run(nitro_context *context, const nitro_fit_task *task,
                                    nitro_cross_scores *result);
void nitro_cross_scores_free(nitro_cross_scores *cross);

/** Scores of a row by one source's model, shape [num_variants]; NaN: none. */
const double *nitro_cross_scores_of(const nitro_cross_scores *cross, size_t source, size_t row);

/**
 * The mean of the sources' scores of a row, of each variant over the sources that measured it.
 * @param[in]  weights  shape [num_devices].
 * @param[out] scores   shape [num_variants]; NaN if no source with a weight has scores of the row;
 *                      minus infinity of variants that none of them or the row's own device
 *                      measured, or that a constraint excludes on the row.
 */
void nitro_cross_scores_mix(const nitro_cross_scores *cross, const double *weights, size_t row,
                            double *scores);

#endif
