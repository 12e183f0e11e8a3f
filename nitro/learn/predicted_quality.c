/*
 * What may be expected on a target. Hides the rule: evidence from left-out sources counts as much
 * as the target is far from its sources, compared with how far those are from each other.
 */
#include "nitro/learn/predicted_quality.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/learn/dataset.h"
#include "nitro/learn/device_choice.h"
#include "nitro/learn/device_distance.h"

#define NO_DISTANCE    1.0 /* the share where no distance is known: as far as the sources */
#define ALONE_SHARE    0.5 /* what a source alone is trusted with, on a device that is not like it */
#define LEAST_DISTANCE 0.01 /* what a source that is like another counts as */
#define CLEARLY        0.3  /* percent of quality by which another choice must be better, and... */
#define SURELY         3.0  /* standard errors: sources are few, and choices several */
#define NEAR_DISTANCE  0.05 /* devices of one model: their clocks differ by a few percent */

void nitro_promise_free(nitro_promise *promise)
{
    if (!promise)
        return;
    free(promise->sources);
    nitro_string_list_free(&promise->features);
    free(promise);
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
static nitro_status list_features(nitro_context *context, const nitro_lesson *lesson,
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
    const nitro_device *target = lesson->target;
    for (size_t i = 0; names->count == 0 && i < target->num_features && status == NITRO_OK; i++)
        if (nitro_device_feature_teaches(target->features[i].name))
            status = nitro_string_list_add(context, names, target->features[i].name);
    return status;
}

/** Nearest to the target first; unknown distances last, then in the order of the dataset. */
static int compare_sources(const void *left, const void *right)
{
    const nitro_promise_source *a = left, *b = right;
    double da = isnan(a->target_distance) ? INFINITY : a->target_distance;
    double db = isnan(b->target_distance) ? INFINITY : b->target_distance;
    if (da != db)
        return da < db ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

static bool teaches(const nitro_dataset *sources, size_t device)
{
    for (size_t row = 0; row < sources->num_rows; row++)
        if (sources->row_device[row] == device && nitro_dataset_row_teaches(sources, row))
            return true;
    return false;
}

static nitro_status measure_distances(nitro_context *context, const nitro_lesson *lesson,
                                      nitro_promise *promise)
{
    const nitro_dataset *sources = lesson->sources;
    bool *skip = nitro_calloc(context, sources->num_devices, sizeof *skip);
    promise->sources = nitro_calloc(context, sources->num_devices, sizeof *promise->sources);
    if (!skip || !promise->sources) {
        free(skip);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t d = 0; d < sources->num_devices; d++)
        skip[d] = !teaches(sources, d);
    for (size_t d = 0; d < sources->num_devices; d++) {
        if (skip[d])
            continue;
        nitro_nearest nearest = nitro_device_nearest(
            sources->devices[d], sources->devices, sources->num_devices, skip, &promise->features);
        promise->sources[promise->num_sources++] =
            (nitro_promise_source){.device = d,
                                   .left_out_quality = NAN,
                                   .distance = nearest.distance,
                                   .target_distance = nitro_device_distance(
                                       lesson->target, sources->devices[d], &promise->features)};
    }
    free(skip);
    qsort(promise->sources, promise->num_sources, sizeof *promise->sources, compare_sources);
    promise->target_distance =
        promise->num_sources > 0 ? promise->sources[0].target_distance : (double)NAN;
    return NITRO_OK;
}

/* ---- What left-out sources say --------------------------------------------------------------- */

/**
 * Quality falls with distance; a line through what held-out inputs say, at distance 0, that fits
 * the left-out sources best goes through their means weighted by distance.
 */
static double weight_of(const nitro_promise_source *source)
{
    return source->distance > LEAST_DISTANCE ? source->distance : LEAST_DISTANCE;
}

static void take_means(const nitro_leave_out *left_out, nitro_promise *promise)
{
    double qualities = 0.0, distances = 0.0, weights = 0.0;
    for (size_t i = 0; i < promise->num_sources; i++) {
        nitro_promise_source *source = &promise->sources[i];
        source->left_out_quality = left_out->qualities[source->device];
        if (isnan(source->left_out_quality))
            continue;
        qualities += weight_of(source) * source->left_out_quality;
        distances += weight_of(source) * source->distance;
        weights += weight_of(source);
    }
    promise->left_out_quality = qualities / weights;
    promise->usual_distance = distances / weights;
}

/** Of the mean of gains: rows of one device tell how sure its own is, and devices how far they are
 *  apart, which tells more of a device that nobody measured. */
static double error_of(const nitro_promise *promise, const nitro_gain *gains, double mean)
{
    double squares = 0.0, weights = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < promise->num_sources; i++) {
        const nitro_gain *gain = &gains[promise->sources[i].device];
        double weight = weight_of(&promise->sources[i]), apart = gain->mean - mean;
        if (isnan(gain->mean))
            continue;
        squares += weight * weight * (gain->variance + apart * apart);
        weights += weight;
        count++;
    }
    return count > 1 ? sqrt(squares * (double)count / (double)(count - 1)) / weights : INFINITY;
}

bool nitro_promise_is_better(const nitro_promise *promise, const nitro_promise *than)
{
    return promise->left_out_quality > than->left_out_quality + CLEARLY;
}

double nitro_promise_clear_gain(const nitro_promise *promise, const nitro_gain *gains)
{
    double sum = 0.0, weights = 0.0;
    for (size_t i = 0; i < promise->num_sources; i++) {
        const nitro_gain *gain = &gains[promise->sources[i].device];
        if (isnan(gain->mean))
            continue;
        sum += weight_of(&promise->sources[i]) * gain->mean;
        weights += weight_of(&promise->sources[i]);
    }
    double mean = sum / weights;
    bool is_clear = mean > CLEARLY && mean > SURELY * error_of(promise, gains, mean);
    return is_clear ? mean : 0.0;
}

/** Some members alone where that is clearly better than all of them. */
static void choose_members(const nitro_leave_out *left_out, size_t num_devices,
                           nitro_promise *promise)
{
    double best = 0.0;
    for (size_t mix = 1; mix < left_out->num_mixes; mix++) {
        double gain = nitro_promise_clear_gain(promise, left_out->mix_gains + mix * num_devices);
        if (gain <= best)
            continue;
        best = gain;
        promise->members = mix;
        promise->members_quality = promise->left_out_quality + gain;
    }
}

/** How sure decisions on left-out sources may be. */
static nitro_status calibrate(nitro_context *context, const nitro_dataset *sources,
                              const nitro_leave_out *left_out, const nitro_promise *promise,
                              nitro_calibration *calibration)
{
    double *weights = nitro_calloc(context, sources->num_rows, sizeof *weights);
    double mean_weight = 0.0;
    if (!weights)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < promise->num_sources; i++)
        mean_weight += weight_of(&promise->sources[i]) / (double)promise->num_sources;
    for (size_t row = 0; row < sources->num_rows; row++)
        for (size_t i = 0; i < promise->num_sources; i++)
            if (promise->sources[i].device == sources->row_device[row])
                weights[row] = weight_of(&promise->sources[i]) / mean_weight;
    nitro_status status =
        nitro_calibration_fit(context, sources->times_ms, left_out->scores, weights,
                              sources->num_rows, sources->schema->num_variants, calibration);
    free(weights);
    return status;
}

static double find_share(const nitro_promise *promise)
{
    if (isnan(promise->target_distance))
        return NO_DISTANCE;
    if (promise->target_distance == 0.0)
        return 0.0;
    if (!(promise->usual_distance > 0.0)) /* sources alike, and a target that is not */
        return NITRO_PROMISE_MAX_SHARE;
    return fmin(promise->target_distance / promise->usual_distance, NITRO_PROMISE_MAX_SHARE);
}

static double draw_line(double within, double left_out, double share)
{
    return fmin(fmax(within + share * (left_out - within), 0.0), 100.0);
}

/** Sources that are alike say of a target that is not what one of them would say alone. */
static void doubt(nitro_calibration *calibration)
{
    for (size_t k = 0; k < calibration->num_knots; k++)
        calibration->confidences[k] *= ALONE_SHARE;
}

static void promise_by_sources(nitro_promise *promise)
{
    promise->share = find_share(promise);
    if (isnan(promise->target_distance)) {
        promise->warning = "the target shares no device feature with the sources: how unlike them "
                           "it is remains unknown";
    } else if (promise->target_distance > promise->usual_distance * NITRO_PROMISE_MAX_SHARE) {
        promise->warning = "the target is more unlike its sources than they are unlike each other: "
                           "nothing like it was ever tried";
        doubt(&promise->left_out);
    }
}

/** One source teaches nothing about others: trust it only on a device like it. */
static void promise_alone(nitro_promise *promise)
{
    promise->left_out = (nitro_calibration){1, {0.0}, {0.0}};
    promise->share = promise->target_distance <= NEAR_DISTANCE ? 0.0 : ALONE_SHARE;
    if (promise->share > 0.0)
        promise->warning = "there is only one source to learn from, or too few inputs: nothing "
                           "says how well what was learnt carries over to another device";
}

/** Without a left-out source, quality is known of a device like the sources alone. */
void nitro_promise_weigh(nitro_promise *promise, double share, nitro_calibration *calibration)
{
    double within = promise->within_quality, left_out = promise->left_out_quality;
    if (share == 0.0 || (isnan(left_out) && promise->share == 0.0))
        promise->quality = within;
    else if (isnan(within) || isnan(left_out))
        promise->quality = left_out;
    else
        promise->quality = draw_line(within, left_out, share);
    nitro_calibration_blend(&promise->within, &promise->left_out, share, calibration);
}

static nitro_status ask_sources(nitro_context *context, const nitro_lesson *lesson,
                                const nitro_model *model, nitro_promise *promise)
{
    nitro_leave_out left_out = {0};
    nitro_status status = nitro_leave_out_run(context, lesson, model, &left_out);
    if (status == NITRO_ERR_NO_DATA) {
        promise_alone(promise);
        return NITRO_OK;
    }
    if (status == NITRO_OK) {
        take_means(&left_out, promise);
        if (promise->num_sources >= NITRO_MIN_JUDGES)
            choose_members(&left_out, lesson->sources->num_devices, promise);
        status = calibrate(context, lesson->sources, &left_out, promise, &promise->left_out);
    }
    if (status == NITRO_OK)
        promise_by_sources(promise);
    nitro_leave_out_free(&left_out);
    return status;
}

nitro_status nitro_promise_find(nitro_context *context, const nitro_lesson *lesson,
                                double within_quality, nitro_model *model, nitro_promise **promise)
{
    nitro_promise *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->strategy = lesson->strategy;
    for (size_t i = 0; i < NITRO_MAX_MEMBERS; i++)
        if (lesson->members == 0 || lesson->members >> i & 1)
            made->recipes[i] = lesson->recipes[i];
    made->within = model->calibration;
    made->within_quality = within_quality;
    made->left_out_quality = made->usual_distance = made->quality = NAN;
    nitro_status status = list_features(context, lesson, model, &made->features);
    if (status == NITRO_OK)
        status = measure_distances(context, lesson, made);
    if (status == NITRO_OK)
        status = ask_sources(context, lesson, model, made);
    if (status != NITRO_OK) {
        nitro_promise_free(made);
        return status;
    }
    nitro_promise_weigh(made, made->share, &model->calibration);
    *promise = made;
    return NITRO_OK;
}

/* ---- For people and reports ------------------------------------------------------------------ */

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *sources_json(const nitro_promise *promise, const nitro_dataset *sources)
{
    json_t *array = json_array();
    for (size_t i = 0; i < promise->num_sources; i++) {
        const nitro_promise_source *source = &promise->sources[i];
        json_t *object = json_pack("{s:s}", "device", sources->devices[source->device]->id);
        set_number(object, "distance", source->target_distance);
        set_number(object, "left_out_quality", source->left_out_quality);
        json_array_append_new(array, object);
    }
    return array;
}

/** Those that are not the usual ones, by strategy. */
static json_t *recipes_json(const nitro_promise *promise)
{
    json_t *object = json_object();
    const nitro_strategy *strategy = promise->strategy;
    for (size_t i = 0; i == 0 || i < strategy->num_members; i++) {
        const nitro_strategy *own = strategy->num_members ? strategy->members[i] : strategy;
        if (promise->recipes[i] > 0)
            json_object_set_new(object, own->name, json_string(own->recipes[promise->recipes[i]]));
    }
    return object;
}

json_t *nitro_promise_json(const nitro_promise *promise, const nitro_dataset *sources)
{
    json_t *object = json_object(), *features = json_array();
    json_t *recipes = recipes_json(promise);
    for (size_t i = 0; i < promise->features.count; i++)
        json_array_append_new(features, json_string(promise->features.items[i]));
    set_number(object, "quality", promise->quality);
    set_number(object, "held_out_quality", promise->within_quality);
    set_number(object, "left_out_quality", promise->left_out_quality);
    set_number(object, "usual_distance", promise->usual_distance);
    json_object_set_new(object, "sources", sources_json(promise, sources));
    json_object_set_new(object, "distance_features", features);
    if (json_object_size(recipes) > 0)
        json_object_set(object, "recipes", recipes);
    json_decref(recipes);
    if (promise->warning)
        json_object_set_new(object, "warning", json_string(promise->warning));
    return object;
}
