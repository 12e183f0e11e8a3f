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

/** Round the leaves' losses to single precision. */
void nitro_forest_strategy_round(nitro_forest *forest);

/** `train` of nitro_strategy for forests of losses that `train_term` makes. */
typedef nitro_status (*nitro_forest_term_trainer)(const nitro_fold_sample *sample,
                                                  const size_t *members, size_t count,
                                                  void **predictor);
nitro_status nitro_forest_strategy_train(nitro_context *context, const nitro_training_set *set,
                                         nitro_forest_term_trainer train_term, void **predictor,
                                         double *held_out_scores);

/** Grow a forest on the members, which are of one source if sources have weights: it may have fewer
 *  trees for a small weight. */
typedef nitro_status (*nitro_forest_grower)(const nitro_fold_sample *sample, const size_t *members,
                                            size_t count, double weight, uint64_t seed,
                                            nitro_forest **forest);
/**
 * Train a forest, with its leaves' losses in single precision: models exported as C are a third
 * shorter. If sources have weights, it is the mean of one of each source, by these.
 * @param[in] num_trees  the most that `grow` makes.
 */
nitro_status nitro_forest_strategy_mix(const nitro_fold_sample *sample, const size_t *members,
                                       size_t count, size_t num_trees, nitro_forest_grower grow,
                                       void **predictor);

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
