/* evaluate.h - what the parts of an evaluation share: split, sources, models, methods. Internal. */
#ifndef NITRO_EVALUATE_EVALUATE_H
#define NITRO_EVALUATE_EVALUATE_H

#include "nitro/learn/training_task.h"

/** One evaluation: all samples, who may teach what, and what methods have learnt so far. */
typedef struct nitro_evaluation {
    nitro_context *context;
    nitro_store *store;     /* where profiles are */
    nitro_dataset *dataset; /* targets and sources */
    bool *is_source;        /* shape [num_devices] */
    bool *is_train;         /* shape [num_inputs] */
    bool *is_test;          /* shape [num_inputs] */
    uint64_t seed;
    unsigned num_threads;
    bool without_generation; /* as in the options */
    size_t num_measured; /* of the target, for the method at hand; made less where there are less */
    bool all_measured;   /* by the method at hand: the target has no more */
    const nitro_strategy *strategy;
    double *confidences; /* shape [num_rows] of the method at hand: NaN, or how sure it is */
    nitro_model **own;   /* shape [num_devices]: learnt from a device's training inputs alone, once
                            a method asked for it */
} nitro_evaluation;

/**
 * Divide the dataset's inputs by the options' lists, or by its fraction and seed. An input's place
 * is by a hash of its name and the seed, so that it hardly depends on which others are there.
 * @param[out] is_train, is_test  shape [num_inputs], zeroed by the caller.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (fraction); NITRO_ERR_NO_DATA (no input left to learn from,
 *         or none to test on).
 */
nitro_status nitro_evaluate_split(nitro_context *context, const nitro_dataset *dataset,
                                  const nitro_evaluate_options *options, bool *is_train,
                                  bool *is_test);

/**
 * Which devices may teach a target: those named as sources that have samples of training inputs,
 * never the target itself; of other generations alone where the options say so.
 * @param[out] marks  shape [num_devices]; the caller frees it.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (none may).
 */
nitro_status nitro_evaluation_mark_sources(const nitro_evaluation *evaluation, size_t target,
                                           bool **marks);
/** The training rows of the devices that may teach a target; nitro_dataset_free. */
nitro_status nitro_evaluation_select_sources(const nitro_evaluation *evaluation, size_t target,
                                             nitro_dataset **sources);
/** Device features that a target and all that may teach it have; appended to `candidates`. */
nitro_status nitro_evaluation_list_candidates(const nitro_evaluation *evaluation, size_t target,
                                              nitro_string_list *candidates);

/** What a strategy is to learn for a target. Borrows all its arguments. */
nitro_training_task nitro_evaluation_make_training_task(const nitro_evaluation *evaluation,
                                                        const nitro_strategy *strategy,
                                                        const nitro_dataset *sources, size_t target,
                                                        const nitro_string_list *device_features);
/** The model learnt from a device's own training inputs, made at the first call; borrowed. */
nitro_status nitro_evaluation_own_model(nitro_evaluation *evaluation, size_t device,
                                        const nitro_model **model);
/**
 * Let the model choose for rows, and say in evaluation->confidences how sure it is of each.
 * @param[out] choices  shape [num_rows].
 */
void nitro_evaluation_choose_by_model(const nitro_evaluation *evaluation, const nitro_model *model,
                                      const size_t *rows, size_t num_rows, size_t *choices);
/**
 * Choose by one model of all samples that may teach the target, adapted to
 * evaluation->num_measured inputs where that is not 0.
 * @param[out] choices  shape [num_rows].
 */
nitro_status nitro_evaluation_choose_by_sources(nitro_evaluation *evaluation,
                                                const nitro_strategy *strategy, size_t target,
                                                const nitro_string_list *device_features,
                                                const size_t *rows, size_t num_rows,
                                                size_t *choices);
/**
 * Adapt a model to evaluation->num_measured training inputs of the target that it chooses itself,
 * as if they had been measured there; to all, and the number made less, where there are less. Sets
 * evaluation->all_measured.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (the target has none); as nitro_model_adapt.
 */
nitro_status nitro_evaluation_adapt(nitro_evaluation *evaluation, size_t target,
                                    nitro_model *model);

/**
 * A method: choose variants for test rows of a target, having learnt from training inputs.
 * @param[out] choices  shape [num_rows].
 * @return NITRO_ERR_NO_DATA where there is nothing for this method to learn from.
 */
typedef nitro_status (*nitro_choose_function)(nitro_evaluation *evaluation, size_t target,
                                              const size_t *rows, size_t num_rows, size_t *choices);

/** By what the sources measured on the same inputs, the best fixed variant on others: a reference,
 *  for it looks at test inputs. As nitro_choose_function. */
nitro_status nitro_evaluation_choose_transfer(nitro_evaluation *evaluation, size_t target,
                                              const size_t *rows, size_t num_rows, size_t *choices);

/** How the method of this index in nitro_method_table chooses; NULL: every variant alike. */
nitro_choose_function nitro_method_chooser(size_t method);
/** Can the method be adapted to inputs measured on the target? */
bool nitro_method_adapts(size_t method);

#endif
