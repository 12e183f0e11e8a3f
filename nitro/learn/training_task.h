/* training_task.h - what a model is learnt from. Internal to nitro/. */
#ifndef NITRO_LEARN_TRAINING_TASK_H
#define NITRO_LEARN_TRAINING_TASK_H

#include "nitro/models/strategy_find.h"
#include "nitro/runtime/model/model.h"

/** From which rows a model learns how sure it may be. */
typedef enum nitro_evidence {
    NITRO_EVIDENCE_INPUTS,  /* rows whose input was held out: for a device that teaches itself */
    NITRO_EVIDENCE_SOURCES, /* and rows whose source was left out: for a device of which nothing is
                               known but how far it is from the sources */
    NITRO_EVIDENCE_NONE     /* none, the fastest: confidences are blind guesses */
} nitro_evidence;

/** What to learn from, and for which device. All borrowed. */
typedef struct nitro_training_task {
    const nitro_dataset *sources;
    const nitro_device *target;
    const nitro_string_list *device_features; /* known of all source devices and the target */
    const nitro_strategy *strategy;
    bool use_relative; /* the computation's relative features, where their device features are known
                          of all sources and the target (what is left out is said in the log) */
    bool without_device_alone; /* no relative features that name no input feature */
    bool clamps; /* where the target lies outside the sources' range of a device feature, take the
                    near end of that range */
    nitro_evidence evidence;
    bool quiet;       /* another lesson said already what is left out */
    bool quick;       /* one of many rehearsals: parameters may be searched for less thoroughly */
    uint64_t members; /* of a strategy that averages others: which; 0: left-out sources choose */
    size_t hyper_settings[NITRO_MAX_MEMBERS]; /* as in nitro_training_set; 0: left-out sources may
                                                 choose */
    bool is_adapted; /* the model will be adapted to measured inputs: what corrects it does best
                        with  all members, so that left-out sources have no say in it */
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
} nitro_training_task;

/**
 * Learn a model. Rows with fewer than two times, rows with a value that its declared log scale
 * cannot take, and rows where a relative feature is undefined (both said in the log) do not teach.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no row teaches); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model);

/** Say in which device features the target lies outside the sources, if any: where an RBF kernel
 * has to extrapolate, it knows nothing. */
void nitro_model_log_extrapolation(const nitro_model *model, nitro_log_level level);

#endif
