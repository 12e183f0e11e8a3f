/* select.h - train a model for a device, with everything chosen that validation can choose:
 * columns, hyper-parameters, ensemble members. Internal to nitro/. */
#ifndef NITRO_LEARN_SELECT_H
#define NITRO_LEARN_SELECT_H

#include "nitro/learn/predicted_quality.h"
#include "nitro/models/strategy_find.h"
#include "nitro/runtime/model/model.h"

/** The data to learn from, the target, and what may be chosen. All pointers are borrowed. */
typedef struct nitro_training_task {
    const nitro_dataset *sources;
    const nitro_device *target;
    const nitro_string_list *device_features; /* known for all source devices and the target */
    const nitro_strategy *strategy;
    bool use_relative; /* the relative features that all these devices have the numbers for */
    bool lodo;   /* also validate by leaving one device out, choose settings by it, and predict
                    the quality on the target. Without, confidences hold for the sources */
    bool guards; /* implies lodo. Device values outside the sources' range become the end of
                    that range; device features are dropped if LODO quality is better without */
    bool weighs_sources; /* sources count by their similarity to the target (source_choice.h),
                            unless all are of one stack, or device features or a method as published
                            learn from all of them */
    bool all_members;  /* keep all members of an ensemble: models adapted later do best with all */
    bool as_published; /* without lodo and guards: held-out inputs choose no settings, features or
                          fixed variant */
    bool range_ends;   /* learn what to do beyond the training range (range_ends_fit.h); without,
                          inputs there get the default variant */
    bool lacks_architecture; /* other architectures cost much, and no source has the target's: in
                                LODO validation, none learns from its own. Training sets it */
    bool quiet;              /* log nothing */
    struct json_t **feature_report; /* output: costs and gains of input features (an array;
                                       unchanged if samples have no costs); NULL: not wanted */
    nitro_training_memo *memo;      /* the model must not outlive it; NULL: none */
    const struct nitro_learn_options *listener; /* is told of progress; NULL: nobody */
    uint64_t seed;
    unsigned num_threads; /* 0: one per core */
} nitro_training_task;

/**
 * Train a model. Skipped are samples with fewer than two times, with a value that its declared log
 * scale cannot take, or where a relative feature is undefined (both logged).
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no usable sample); NITRO_ERR_ARGUMENT (too many device
 *         features); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model);

#endif
