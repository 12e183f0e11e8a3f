/* fit.h - train one model when everything is chosen: data, columns, strategy, hyper-parameters.
 * select.h makes these choices. Internal to nitro/learn. */
#ifndef NITRO_LEARN_FIT_H
#define NITRO_LEARN_FIT_H

#include "nitro/learn/data/training_rows.h"

/** Everything that determines a model. All pointers are borrowed. */
typedef struct nitro_fit_task {
    const nitro_dataset *sources;
    const nitro_device *target;
    const nitro_string_list *device_features; /* known for all source devices and the target */
    const double *source_weights; /* shape [num_devices], as in nitro_training_set; NULL: none */
    bool relative[NITRO_MAX_FEATURES]; /* by index in the sources' schema: relative features used */
    uint64_t dropped;                  /* bit f: the model ignores input feature f */
    bool is_fixed; /* learn the total times of fixed variants: one variant for all inputs */
    bool lacks_architecture; /* as in nitro_training_task */
    bool clamps_device; /* device values outside the sources' range become the end of that range */
    const nitro_strategy *strategy;
    uint64_t members;                           /* of an ensemble, a bit a member; 0: all */
    size_t hyper_settings[NITRO_MAX_MEMBERS];   /* as in nitro_training_set */
    bool quick;                                 /* as in nitro_training_set */
    nitro_training_memo *memo;                  /* as in nitro_training_task */
    const struct nitro_learn_options *listener; /* as in nitro_training_task */
    uint64_t seed;
    unsigned num_threads; /* 0: one per core; the model does not depend on it */
} nitro_fit_task;

/** What a fit leaves for validation by held-out inputs. */
typedef struct nitro_fit_evidence {
    nitro_training_rows rows;
    double *held_out_scores; /* shape [rows.num_rows x num_variants], as in nitro_strategy.train, of
                                variants that the row allows (nitro_dataset_row_variants); minus
                                infinity of the others */
} nitro_fit_evidence;

/**
 * Train a model. Its confidences are those of a blind guess until it is calibrated.
 * @param[out] model     free with nitro_model_free.
 * @param[out] evidence  NULL: not wanted, which is faster; else free with nitro_fit_evidence_free.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no usable row); NITRO_ERR_ARGUMENT (too many device
 *         features); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_fit(nitro_context *context, const nitro_fit_task *task, nitro_model **model,
                       nitro_fit_evidence *evidence);
/** Let a model that is not compiled score inputs as on another device.
 *  @param[in] clamps_device  as in nitro_fit_task. */
void nitro_fit_set_target(nitro_model *model, const nitro_device *target, bool clamps_device);
void nitro_fit_evidence_free(nitro_fit_evidence *evidence);

#endif
