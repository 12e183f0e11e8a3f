/* adapt.h - correct a model by a few inputs measured on its target. Internal to nitro/. */
#ifndef NITRO_LEARN_ADAPT_H
#define NITRO_LEARN_ADAPT_H

#include "nitro/runtime/model/model.h"

/**
 * Choose the inputs to measure on the model's target (active learning): the most informative ones,
 * where the model's best variants are close.
 * @param[in]  rows    shape [num_rows]: rows of the dataset to choose from; only their features
 *                     are read.
 * @param[in]  count   how many, at most num_rows.
 * @param[out] chosen  shape [count]: indices into `rows`, best first.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (the model's strategy cannot be adapted).
 */
nitro_status nitro_model_plan_measuring(const nitro_model *model, const nitro_dataset *dataset,
                                        const size_t *rows, size_t num_rows, size_t count,
                                        size_t *chosen);

/**
 * Correct the model by rows measured on its target, in place of any earlier correction. Rows with
 * fewer than two times are skipped.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (as above); NITRO_ERR_NO_DATA (no usable row).
 */
nitro_status nitro_model_adapt(nitro_model *model, const nitro_dataset *measured,
                               const size_t *rows, size_t num_rows, unsigned num_threads);

#endif
