/* predicted_quality.h - the quality predicted for a model on its target, and the evidence for it.
 * predict_quality.h computes it. Internal to nitro/learn. */
#ifndef NITRO_LEARN_PREDICTED_QUALITY_H
#define NITRO_LEARN_PREDICTED_QUALITY_H

#include "nitro/runtime/scores/calibration.h"

struct json_t;

/** One source as the validation device of leave-one-device-out (LODO) validation. */
typedef struct nitro_predicted_quality_source {
    size_t device;          /* index in the dataset of sources */
    double lodo_quality;    /* mean quality in percent; NaN: not validated on it */
    double distance;        /* to the nearest other source; NaN: unknown */
    double target_distance; /* to the target; NaN: unknown */
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
    const nitro_strategy *strategy;
    size_t hyper_settings[NITRO_MAX_MEMBERS]; /* of the strategy, or of the ensemble members that
                                                 are used; 0: the default one */
    const char *warning; /* why the prediction is unreliable; static; NULL: it is reliable */
} nitro_predicted_quality;

void nitro_predicted_quality_free(nitro_predicted_quality *predicted);

/** For a model's provenance; NULL when out of memory. `sources` are those of the training task. */
struct json_t *nitro_predicted_quality_json(const nitro_predicted_quality *predicted,
                                            const nitro_dataset *sources);

#endif
