/* predicted_quality.h - the quality and confidences to expect of a model on an unmeasured
 * device, and the evidence for them. Internal to nitro/learn. */
#ifndef NITRO_LEARN_PREDICTED_QUALITY_H
#define NITRO_LEARN_PREDICTED_QUALITY_H

#include "nitro/learn/lodo.h"

struct json_t;

/** LODO evidence is extrapolated to at most twice the distance between sources. */
#define NITRO_PREDICTED_QUALITY_MAX_SHARE 2.0

/** Least number of sources to choose settings by LODO validation: with two, each model has only one
 *  source, which is too little evidence. */
#define NITRO_MIN_LODO_SOURCES 3

/** One source as the validation device of leave-one-device-out (LODO) validation. */
typedef struct nitro_predicted_quality_source {
    size_t device;          /* index in the dataset of sources */
    double lodo_quality;    /* mean quality in percent; NaN: not validated on it */
    double distance;        /* to the nearest other source; NaN: unknown */
    double target_distance; /* to the target; NaN: unknown */
    double validation;      /* weight of its LODO quality in means */
    double weight;          /* what the source counts in the model; of all, the sum is 1 */
    bool is_set_aside; /* its times do not depend on its features, or near sources contradict them:
                          not learnt from */
} nitro_predicted_quality_source;

typedef struct nitro_predicted_quality {
    size_t num_sources;
    nitro_predicted_quality_source *sources; /* shape [num_sources], nearest to the target first */
    nitro_string_list features;              /* device features that distances are made of */
    double held_out_quality; /* on held-out inputs of the sources, percent; NaN: unknown */
    double lodo_quality;     /* mean over validation devices, percent; NaN: none */
    double usual_distance;   /* mean distance of validation devices to the nearest source. Both
                                means are weighted by this distance */
    double target_distance;  /* of the target to the nearest source; NaN: unknown */
    double share; /* weight of LODO against held-out evidence, in [0, 2]; 1: the target is as far
                     from the sources as these are from each other */
    nitro_calibration held_out, lodo; /* confidences by each kind of evidence */
    double quality;                   /* the prediction, percent; NaN: none is possible */
    bool lacks_stack; /* no source has the target's software stack, nor was the target measured */
    const char *rule; /* that source weights are by; static; NULL: sources have none */
    const nitro_strategy *strategy;
    size_t hyper_settings[NITRO_MAX_MEMBERS]; /* of the strategy, or of the ensemble members that
                                                 are used; 0: the default one */
    const char *warning; /* why the prediction is unreliable; static; NULL: it is reliable */
} nitro_predicted_quality;

/**
 * Predict the quality on the target, and calibrate the model for it.
 * @param[in]     held_out_quality  on held-out inputs, percent; NaN: unknown.
 * @param[in]     lodo       of the same task; NULL: LODO validation was not possible.
 * @param[in,out] model      its calibration, by held-out inputs, becomes that for the target.
 * @param[out]    predicted  free with nitro_predicted_quality_free.
 */
nitro_status nitro_predicted_quality_find(nitro_context *context, const nitro_fit_task *task,
                                          double held_out_quality, const nitro_lodo *lodo,
                                          nitro_model *model, nitro_predicted_quality **predicted);
/** Order the sources by target_distance, nearest first: call it after changing that. */
void nitro_predicted_quality_sort(nitro_predicted_quality *predicted);
void nitro_predicted_quality_free(nitro_predicted_quality *predicted);

/** Warn of a prediction of less than 90 %, or of a new software stack, or no longer, unless there
 * is another warning. */
void nitro_predicted_quality_warn(nitro_predicted_quality *predicted);

/** The model was trained on the `kept` sources alone: number them as among all, and list the others
 *  too. @param[in] kept, set_aside  shape [num_devices]; what is set aside is not kept. */
nitro_status nitro_predicted_quality_restore(nitro_context *context, const bool *kept,
                                             const bool *set_aside, size_t num_devices,
                                             nitro_predicted_quality *predicted);

/** Is the LODO quality better by more than 0.3 percent? */
bool nitro_predicted_quality_is_better(const nitro_predicted_quality *predicted,
                                       const nitro_predicted_quality *than);

/** Mean gain of another setting, in percent, each source weighted as in the LODO quality, where it
 *  is clear: more than 0.3 percent and three standard errors; else 0.
 *  @param[in] gains  shape [num_devices] of the task's sources. */
double nitro_predicted_quality_clear_gain(const nitro_predicted_quality *predicted,
                                          const nitro_gain *gains);

/**
 * Set the predicted quality for another weight of the LODO evidence.
 * @param[in]  share  0 to NITRO_PREDICTED_QUALITY_MAX_SHARE; predicted->share is that by distance.
 * @param[out] calibration  for decisions on the target.
 */
void nitro_predicted_quality_weigh(nitro_predicted_quality *predicted, double share,
                                   nitro_calibration *calibration);

/**
 * The same by inputs measured on the target: the mean over all shares, and over shifts of the
 * confidences, each weighted by the likelihood of the measured outcomes (Bayes' rule). The prior
 * favours the share by distance. (predicted_quality_measured.c)
 * @param[in] times_ms  shape [num_rows x num_variants]: as measured.
 * @param[in] scores    shape [num_rows x num_variants]: by models that did not see the row.
 */
void nitro_predicted_quality_weigh_measured(nitro_predicted_quality *predicted,
                                            const double *times_ms, const double *scores,
                                            size_t num_rows, size_t num_variants,
                                            nitro_calibration *calibration);

/** For a model's provenance; NULL when out of memory. `sources` are those of the training task. */
struct json_t *nitro_predicted_quality_json(const nitro_predicted_quality *predicted,
                                            const nitro_dataset *sources);

#endif
