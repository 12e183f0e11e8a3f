/*
 * predicted_quality.h - what a model may be expected to reach on a device that nobody measured:
 * from rows whose input was held out (a device like the sources), rows whose source was left out (a
 * device as unlike the others as the sources are), and how far the target is from its sources.
 * Internal to nitro/.
 */
#ifndef NITRO_LEARN_PREDICTED_QUALITY_H
#define NITRO_LEARN_PREDICTED_QUALITY_H

#include "nitro/learn/lodo.h"
#include "nitro/learn/training_task.h"
#include "nitro/runtime/scores/calibration.h"

/** Evidence from left-out sources is drawn out no further than twice as far as it reaches. */
#define NITRO_PREDICTED_QUALITY_MAX_SHARE 2.0

struct json_t;

/** How many sources must be left out in turn to judge strategies by: what learns without one of two
 *  learns from one alone, which says too little. */
#define NITRO_MIN_JUDGES 3

/** One source, as seen from the others and from the target. */
typedef struct nitro_predicted_quality_source {
    size_t device;          /* index in the lesson's sources */
    double lodo_quality;    /* mean quality in percent when it was the pretended target; NaN: it
                                   was not */
    double distance;        /* to the nearest other source; NaN: unknown */
    double target_distance; /* to the target; NaN: unknown */
} nitro_predicted_quality_source;

typedef struct nitro_predicted_quality {
    size_t num_sources;
    nitro_predicted_quality_source
        *sources;               /* shape [num_sources], those nearest to the target first */
    nitro_string_list features; /* device features that distances are made of */
    double within_quality;      /* held-out inputs of the sources themselves, percent; NaN */
    double lodo_quality;        /* mean over left-out sources, percent; NaN: none could be... */
    double usual_distance;      /* ...and of their distances to the nearest other: sources count
                                   by that distance, for near ones say little of far ones */
    double target_distance;     /* of the target to the nearest source; NaN */
    double share; /* how much left-out sources count, in [0, 2]; 1: the target is as far */
    nitro_calibration within, left_out; /* how sure held-out inputs, left-out sources are */
    double quality;                     /* what is promised, percent; NaN: nothing can be */
    uint64_t members;       /* of a strategy that averages others: those that serve left-out sources
                               clearly better than all do; 0: all, or none were compared */
    double members_quality; /* of left-out sources by these, percent */
    const nitro_strategy *strategy; /* what was promised for, and by which recipes of it... */
    size_t hyper_settings[NITRO_MAX_MEMBERS]; /* ...or of those that it averages and that speak; 0:
                                          the usual one */
    const char *warning; /* why the promise is not worth much; static; NULL: it is */
} nitro_predicted_quality;

/**
 * Find out what can be promised, and how sure the model's decisions may be.
 * @param[in]     within_quality  of held-out inputs, percent; NaN: none were.
 * @param[in,out] model  its calibration, made from held-out inputs, becomes that for the target.
 * @param[out]    promise  free with nitro_predicted_quality_free.
 */
nitro_status nitro_predicted_quality_find(nitro_context *context, const nitro_training_task *task,
                                          double within_quality, nitro_model *model,
                                          nitro_predicted_quality **predicted);
void nitro_predicted_quality_free(nitro_predicted_quality *predicted);

/** Are left-out sources clearly better served by what the one was promised for, by 0.3 percent?
 * Both were asked. */
bool nitro_predicted_quality_is_better(const nitro_predicted_quality *predicted,
                                       const nitro_predicted_quality *than);

/** What left-out sources gain from another choice, each counting as in the promise: the mean in
 *  percent where that is clear, by 0.3 percent and by three standard errors; else 0.
 *  @param[in] gains  shape [num_devices] of the lesson's sources. */
double nitro_predicted_quality_clear_gain(const nitro_predicted_quality *predicted,
                                          const nitro_gain *gains);

/**
 * What is promised, and how sure decisions on the target may be.
 * @param[in]  share  of left-out sources, 0 to NITRO_PREDICTED_QUALITY_MAX_SHARE: by distance
 * promise->share.
 * @param[out] calibration  of decisions on the target.
 */
void nitro_predicted_quality_weigh(nitro_predicted_quality *predicted, double share,
                                   nitro_calibration *calibration);

/**
 * The same by inputs measured on the target: the mean over all shares there may be, and over
 * targets where decisions are good more often or less often than that, each as likely as it makes
 * what came of the measured inputs (Bayes' rule). At first the share by distance is believed most.
 * (predicted_quality_measured.c)
 * @param[in] times_ms  shape [num_rows x num_variants]: as measured.
 * @param[in] scores    shape [num_rows x num_variants]: by models that did not see the row.
 */
void nitro_predicted_quality_weigh_measured(nitro_predicted_quality *predicted,
                                            const double *times_ms, const double *scores,
                                            size_t num_rows, size_t num_variants,
                                            nitro_calibration *calibration);

/** For a model's provenance; NULL when out of memory. `sources` are the lesson's. */
struct json_t *nitro_predicted_quality_json(const nitro_predicted_quality *predicted,
                                            const nitro_dataset *sources);

#endif
