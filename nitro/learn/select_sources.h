/* select_sources.h - train a model whose sources count by their similarity to the target. Internal
 * to nitro/learn. */
#ifndef NITRO_LEARN_SELECT_SOURCES_H
#define NITRO_LEARN_SELECT_SOURCES_H

#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/select.h"

/** Sources and their weights for a target: models of single sources, the choice of weights by them,
 *  and training with it. */
typedef struct nitro_source_weighing nitro_source_weighing;

/**
 * Weigh the task's sources (source_choice.h), and find those that nothing can be learnt from
 * (source_checks.h).
 * @param[in]  task      borrowed until the weighing is freed.
 * @param[out] weighing  free with nitro_source_weighing_free.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (fewer than two sources speak for others);
 *         NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_source_weighing_run(nitro_context *context, const nitro_training_task *task,
                                       nitro_source_weighing **weighing);
void nitro_source_weighing_free(nitro_source_weighing *weighing);

/** Train on the sources that count: each by itself, and their scores averaged. Predicts the
 *  quality, and calibrates for the target. As nitro_model_train. */
nitro_status nitro_source_weighing_train(nitro_source_weighing *weighing, nitro_model **model);

/** Which sources are set aside, shape [num_devices]; warns of each unless the task is quiet. */
const bool *nitro_source_weighing_set_aside(const nitro_source_weighing *weighing);
/** Do other architectures cost much, while no source has the target's? */
bool nitro_source_weighing_lacks_architecture(const nitro_source_weighing *weighing);
/** Are the weighted sources clearly better in LODO validation than a model of all of them together?
 *  Only sources of at least 100 samples count. Where other architectures cost much and the target
 *  has a source of its own, a better mean is enough, over all sources that have one, too.
 *  @param[in] together  of that model; its sources are by index in the weighing's task. */
bool nitro_source_weighing_is_better(const nitro_source_weighing *weighing,
                                     const nitro_predicted_quality *together);

#endif
