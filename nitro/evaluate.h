/* evaluate.h - what the parts of an evaluation share: the split, and the methods. Internal. */
#ifndef NITRO_EVALUATE_H
#define NITRO_EVALUATE_H

#include "nitro/model.h"

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
 * A method: choose variants for test rows of a target, having learnt from training inputs.
 * @param[out] choices  shape [num_rows].
 * @return NITRO_ERR_NO_DATA where there is nothing for this method to learn from.
 */
typedef nitro_status (*nitro_choose_function)(nitro_evaluation *evaluation, size_t target,
                                              const size_t *rows, size_t num_rows, size_t *choices);

/** How the method of this index in nitro_method_table chooses; NULL: every variant alike. */
nitro_choose_function nitro_method_chooser(size_t method);
/** Can the method be adapted to inputs measured on the target? */
bool nitro_method_adapts(size_t method);

#endif
