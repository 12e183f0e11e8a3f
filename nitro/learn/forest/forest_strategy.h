/* forest_strategy.h - what strategies whose predictor is a forest of losses share. Internal to
 * nitro/learn/forest. */
#ifndef NITRO_LEARN_FOREST_FOREST_STRATEGY_H
#define NITRO_LEARN_FOREST_FOREST_STRATEGY_H

#include "nitro/learn/data/fold_learner.h"
#include "nitro/learn/forest/forest_train.h"

/** The columns and losses of a sample's members; free with nitro_forest_strategy_release. */
nitro_status nitro_forest_strategy_gather(const nitro_fold_sample *sample, const size_t *members,
                                          size_t count, nitro_forest_data *data);
void nitro_forest_strategy_release(nitro_forest_data *data);

/** Round the leaves' losses to single precision: models exported as C are a third shorter. */
void nitro_forest_strategy_round(nitro_forest *forest);

/** `train` of nitro_strategy for forests of losses that `train_term` makes. */
typedef nitro_status (*nitro_forest_term_trainer)(const nitro_fold_sample *sample,
                                                  const size_t *members, size_t count,
                                                  void **predictor);
nitro_status nitro_forest_strategy_train(nitro_context *context, const nitro_training_set *set,
                                         nitro_targets_finder find_targets,
                                         nitro_forest_term_trainer train_term, void **predictor,
                                         double *held_out_scores);

/** Functions of nitro_strategy. */
void nitro_forest_strategy_free(void *forest);
void nitro_forest_strategy_score(const void *forest, const double *columns, double *scores);
nitro_status nitro_forest_strategy_terms(nitro_context *context, const void *forest,
                                         nitro_score_terms *terms);
nitro_status nitro_forest_strategy_encode(nitro_context *context, const void *forest,
                                          struct json_t **json);
nitro_status nitro_forest_strategy_decode(nitro_context *context, const char *path,
                                          const struct json_t *json, size_t num_columns,
                                          size_t num_variants, void **predictor);

#endif
