/*
 * What may be expected on a target. Hides the rule: evidence from left-out sources counts as much
 * as the target is far from its sources, compared with how far those are from each other.
 */
#include "nitro/learn/predicted_quality.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_distance.h"
#include "nitro/learn/device_choice.h"

#define NO_DISTANCE    1.0 /* the share where no distance is known: as far as the sources */
#define ALONE_SHARE    0.5 /* what a source alone is trusted with, on a device that is not like it */
#define LEAST_DISTANCE 0.01 /* what a source that is like another counts as */
#define CLEARLY        0.3  /* percent of quality by which another choice must be better, and... */
#define SIGNIFICANTLY  3.0  /* standard errors: sources are few, and choices several */
#define NEAR_DISTANCE  0.05 /* devices of one model: their clocks differ by a few percent */

void nitro_predicted_quality_free(nitro_predicted_quality *predicted)
{
    if (!predicted)
        return;
    free(predicted->sources);
    nitro_string_list_free(&predicted->features);
    free(predicted);
}

/* ---- Distances ------------------------------------------------------------------------------- */

static nitro_status add_once(nitro_context *context, const char *name, nitro_string_list *names)
{
    return nitro_string_list_find(names, name) == NITRO_NONE
               ? nitro_string_list_add(context, names, name)
               : NITRO_OK;
}

/** The device features that the model looks at, plainly or behind relative features; where there
 *  are none, all that it might have looked at. */
static nitro_status list_features(nitro_context *context, const nitro_training_task *task,
                                  const nitro_model *model, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < model->device_features.count && status == NITRO_OK; i++)
        status = add_once(context, model->device_features.items[i], names);
    for (size_t r = 0; r < model->relative->count; r++)
        for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
            if (status == NITRO_OK && nitro_relative_needs(model->relative, r, i))
                status =
                    add_once(context, nitro_relative_device_feature(model->relative, i), names);
    const nitro_device *target = task->target;
    for (size_t i = 0; names->count == 0 && i < target->num_features && status == NITRO_OK; i++)
        if (nitro_device_feature_is_usable(target->features[i].name))
            status = nitro_string_list_add(context, names, target->features[i].name);
    return status;
}

/** Nearest to the target first; unknown distances last, then in the order of the dataset. */
static int compare_sources(const void *left, const void *right)
{
    const nitro_predicted_quality_source *a = left, *b = right;
    double da = isnan(a->target_distance) ? INFINITY : a->target_distance;
    double db = isnan(b->target_distance) ? INFINITY : b->target_distance;
    if (da != db)
        return da < db ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

static bool is_usable(const nitro_dataset *sources, size_t device)
{
    for (size_t row = 0; row < sources->num_rows; row++)
        if (sources->row_device[row] == device && nitro_dataset_row_is_usable(sources, row))
            return true;
    return false;
}

static nitro_status measure_distances(nitro_context *context, const nitro_training_task *task,
                                      nitro_predicted_quality *predicted)
{
    const nitro_dataset *sources = task->sources;
    bool *skip = nitro_calloc(context, sources->num_devices, sizeof *skip);
    predicted->sources = nitro_calloc(context, sources->num_devices, sizeof *predicted->sources);
    if (!skip || !predicted->sources) {
        free(skip);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t d = 0; d < sources->num_devices; d++)
        skip[d] = !is_usable(sources, d);
    for (size_t d = 0; d < sources->num_devices; d++) {
        if (skip[d])
            continue;
        nitro_nearest nearest =
            nitro_device_nearest(sources->devices[d], sources->devices, sources->num_devices, skip,
                                 &predicted->features);
        predicted->sources[predicted->num_sources++] = (nitro_predicted_quality_source){
            .device = d,
            .lodo_quality = NAN,
            .distance = nearest.distance,
            .target_distance =
                nitro_device_distance(task->target, sources->devices[d], &predicted->features)};
    }
    free(skip);
    qsort(predicted->sources, predicted->num_sources, sizeof *predicted->sources, compare_sources);
    predicted->target_distance =
        predicted->num_sources > 0 ? predicted->sources[0].target_distance : (double)NAN;
    return NITRO_OK;
}

/* ---- What left-out sources say --------------------------------------------------------------- */

/**
 * Quality falls with distance; a line through what held-out inputs say, at distance 0, that fits
 * the left-out sources best goes through their means weighted by distance.
 */
static double weight_of(const nitro_predicted_quality_source *source)
{
    return source->distance > LEAST_DISTANCE ? source->distance : LEAST_DISTANCE;
}

static void take_means(const nitro_lodo *left_out, nitro_predicted_quality *predicted)
{
    double qualities = 0.0, distances = 0.0, weights = 0.0;
    for (size_t i = 0; i < predicted->num_sources; i++) {
        nitro_predicted_quality_source *source = &predicted->sources[i];
        source->lodo_quality = left_out->qualities[source->device];
        if (isnan(source->lodo_quality))
            continue;
        qualities += weight_of(source) * source->lodo_quality;
        distances += weight_of(source) * source->distance;
        weights += weight_of(source);
    }
    predicted->lodo_quality = qualities / weights;
    predicted->usual_distance = distances / weights;
}

/** Of the mean of gains: rows of one device tell how sure its own is, and devices how far they are
 *  apart, which tells more of a device that nobody measured. */
static double error_of(const nitro_predicted_quality *predicted, const nitro_gain *gains,
                       double mean)
{
    double squares = 0.0, weights = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_gain *gain = &gains[predicted->sources[i].device];
        double weight = weight_of(&predicted->sources[i]), apart = gain->mean - mean;
        if (isnan(gain->mean))
            continue;
        squares += weight * weight * (gain->variance + apart * apart);
        weights += weight;
        count++;
    }
    return count > 1 ? sqrt(squares * (double)count / (double)(count - 1)) / weights : INFINITY;
}

bool nitro_predicted_quality_is_better(const nitro_predicted_quality *predicted,
                                       const nitro_predicted_quality *than)
{
    return predicted->lodo_quality > than->lodo_quality + CLEARLY;
}

double nitro_predicted_quality_clear_gain(const nitro_predicted_quality *predicted,
                                          const nitro_gain *gains)
{
    double sum = 0.0, weights = 0.0;
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_gain *gain = &gains[predicted->sources[i].device];
        if (isnan(gain->mean))
            continue;
        sum += weight_of(&predicted->sources[i]) * gain->mean;
        weights += weight_of(&predicted->sources[i]);
    }
    double mean = sum / weights;
    bool is_clear = mean > CLEARLY && mean > SIGNIFICANTLY * error_of(predicted, gains, mean);
    return is_clear ? mean : 0.0;
}

/** Some members alone where that is clearly better than all of them. */
static void choose_members(const nitro_lodo *left_out, size_t num_devices,
                           nitro_predicted_quality *predicted)
{
    double best = 0.0;
    for (size_t mix = 1; mix < left_out->num_mixes; mix++) {
        double gain =
            nitro_predicted_quality_clear_gain(predicted, left_out->mix_gains + mix * num_devices);
        if (gain <= best)
            continue;
        best = gain;
        predicted->members = mix;
        predicted->members_quality = predicted->lodo_quality + gain;
    }
}

/** How sure decisions on left-out sources may be. */
static nitro_status calibrate(nitro_context *context, const nitro_dataset *sources,
                              const nitro_lodo *left_out, const nitro_predicted_quality *predicted,
                              nitro_calibration *calibration)
{
    double *weights = nitro_calloc(context, sources->num_rows, sizeof *weights);
    double mean_weight = 0.0;
    if (!weights)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < predicted->num_sources; i++)
        mean_weight += weight_of(&predicted->sources[i]) / (double)predicted->num_sources;
    for (size_t row = 0; row < sources->num_rows; row++)
        for (size_t i = 0; i < predicted->num_sources; i++)
            if (predicted->sources[i].device == sources->row_device[row])
                weights[row] = weight_of(&predicted->sources[i]) / mean_weight;
    nitro_status status =
        nitro_calibration_fit(context, sources->times_ms, left_out->scores, weights,
                              sources->num_rows, sources->schema->num_variants, calibration);
    free(weights);
    return status;
}

static double find_share(const nitro_predicted_quality *predicted)
{
    if (isnan(predicted->target_distance))
        return NO_DISTANCE;
    if (predicted->target_distance == 0.0)
        return 0.0;
    if (!(predicted->usual_distance > 0.0)) /* sources alike, and a target that is not */
        return NITRO_PREDICTED_QUALITY_MAX_SHARE;
    return fmin(predicted->target_distance / predicted->usual_distance,
                NITRO_PREDICTED_QUALITY_MAX_SHARE);
}

static double draw_line(double within, double left_out, double share)
{
    return fmin(fmax(within + share * (left_out - within), 0.0), 100.0);
}

/** Sources that are alike say of a target that is not what one of them would say alone. */
static void uncertainty(nitro_calibration *calibration)
{
    for (size_t k = 0; k < calibration->num_knots; k++)
        calibration->confidences[k] *= ALONE_SHARE;
}

static void predict_by_sources(nitro_predicted_quality *predicted)
{
    predicted->share = find_share(predicted);
    if (isnan(predicted->target_distance)) {
        predicted->warning =
            "the target shares no device feature with the sources: how unlike them "
            "it is remains unknown";
    } else if (predicted->target_distance >
               predicted->usual_distance * NITRO_PREDICTED_QUALITY_MAX_SHARE) {
        predicted->warning =
            "the target is more unlike its sources than they are unlike each other: "
            "nothing like it was ever tried";
        uncertainty(&predicted->left_out);
    }
}

/** One source teaches nothing about others: trust it only on a device like it. */
static void predict_alone(nitro_predicted_quality *predicted)
{
    predicted->left_out = (nitro_calibration){1, {0.0}, {0.0}};
    predicted->share = predicted->target_distance <= NEAR_DISTANCE ? 0.0 : ALONE_SHARE;
    if (predicted->share > 0.0)
        predicted->warning = "there is only one source to learn from, or too few inputs: nothing "
                             "says how well what was learnt carries over to another device";
}

/** Without a left-out source, quality is known of a device like the sources alone. */
void nitro_predicted_quality_weigh(nitro_predicted_quality *predicted, double share,
                                   nitro_calibration *calibration)
{
    double within = predicted->within_quality, left_out = predicted->lodo_quality;
    if (share == 0.0 || (isnan(left_out) && predicted->share == 0.0))
        predicted->quality = within;
    else if (isnan(within) || isnan(left_out))
        predicted->quality = left_out;
    else
        predicted->quality = draw_line(within, left_out, share);
    nitro_calibration_blend(&predicted->within, &predicted->left_out, share, calibration);
}

static nitro_status query_sources(nitro_context *context, const nitro_training_task *task,
                                  const nitro_model *model, nitro_predicted_quality *predicted)
{
    nitro_lodo left_out = {0};
    nitro_status status = nitro_lodo_run(context, task, model, &left_out);
    if (status == NITRO_ERR_NO_DATA) {
        predict_alone(predicted);
        return NITRO_OK;
    }
    if (status == NITRO_OK) {
        take_means(&left_out, predicted);
        if (predicted->num_sources >= NITRO_MIN_JUDGES)
            choose_members(&left_out, task->sources->num_devices, predicted);
        status = calibrate(context, task->sources, &left_out, predicted, &predicted->left_out);
    }
    if (status == NITRO_OK)
        predict_by_sources(predicted);
    nitro_lodo_free(&left_out);
    return status;
}

nitro_status nitro_predicted_quality_find(nitro_context *context, const nitro_training_task *task,
                                          double within_quality, nitro_model *model,
                                          nitro_predicted_quality **predicted)
{
    nitro_predicted_quality *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->strategy = task->strategy;
    for (size_t i = 0; i < NITRO_MAX_MEMBERS; i++)
        if (task->members == 0 || task->members >> i & 1)
            made->hyper_settings[i] = task->hyper_settings[i];
    made->within = model->calibration;
    made->within_quality = within_quality;
    made->lodo_quality = made->usual_distance = made->quality = NAN;
    nitro_status status = list_features(context, task, model, &made->features);
    if (status == NITRO_OK)
        status = measure_distances(context, task, made);
    if (status == NITRO_OK)
        status = query_sources(context, task, model, made);
    if (status != NITRO_OK) {
        nitro_predicted_quality_free(made);
        return status;
    }
    nitro_predicted_quality_weigh(made, made->share, &model->calibration);
    *predicted = made;
    return NITRO_OK;
}

/* ---- For people and reports ------------------------------------------------------------------ */

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *sources_json(const nitro_predicted_quality *predicted, const nitro_dataset *sources)
{
    json_t *array = json_array();
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_predicted_quality_source *source = &predicted->sources[i];
        json_t *object = json_pack("{s:s}", "device", sources->devices[source->device]->id);
        set_number(object, "distance", source->target_distance);
        set_number(object, "lodo_quality", source->lodo_quality);
        json_array_append_new(array, object);
    }
    return array;
}

/** Those that are not the usual ones, by strategy. */
static json_t *hyper_settings_json(const nitro_predicted_quality *predicted)
{
    json_t *object = json_object();
    const nitro_strategy *strategy = predicted->strategy;
    for (size_t i = 0; i == 0 || i < strategy->num_members; i++) {
        const nitro_strategy *own = strategy->num_members ? strategy->members[i] : strategy;
        if (predicted->hyper_settings[i] > 0)
            json_object_set_new(object, own->name,
                                json_string(own->hyper_settings[predicted->hyper_settings[i]]));
    }
    return object;
}

json_t *nitro_predicted_quality_json(const nitro_predicted_quality *predicted,
                                     const nitro_dataset *sources)
{
    json_t *object = json_object(), *features = json_array();
    json_t *hyper_settings = hyper_settings_json(predicted);
    for (size_t i = 0; i < predicted->features.count; i++)
        json_array_append_new(features, json_string(predicted->features.items[i]));
    set_number(object, "quality", predicted->quality);
    set_number(object, "held_out_quality", predicted->within_quality);
    set_number(object, "lodo_quality", predicted->lodo_quality);
    set_number(object, "usual_distance", predicted->usual_distance);
    json_object_set_new(object, "sources", sources_json(predicted, sources));
    json_object_set_new(object, "distance_features", features);
    if (json_object_size(hyper_settings) > 0)
        json_object_set(object, "hyper_parameters", hyper_settings);
    json_decref(hyper_settings);
    if (predicted->warning)
        json_object_set_new(object, "warning", json_string(predicted->warning));
    return object;
}
