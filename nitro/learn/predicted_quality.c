/*
 * The quality to expect on a target. Held-out inputs give that on a device like the sources, LODO
 * validation that on one as far from the sources as they are from each other; the target's distance
 * weights the two.
 */
#include "nitro/learn/predicted_quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"
#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"
#include "nitro/learn/data/device_distance.h"
#include "nitro/learn/data/device_similarity.h"

#define UNKNOWN_DISTANCE_SHARE 1.0 /* as far as the sources are from each other */
#define SINGLE_SOURCE_SHARE                                                                        \
    0.5 /* without LODO evidence, on a device that differs from the source */
#define LEAST_DISTANCE      0.01  /* weight of a source that equals another */
#define CLEARLY             0.3   /* percent by which another setting must be better, and... */
#define SIGNIFICANTLY       3.0   /* standard errors: sources are few, and settings several */
#define WARN_BELOW          90.0  /* percent of predicted quality */
#define SAME_MODEL_DISTANCE 0.025 /* devices of one model: clocks differ by a few percent */

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

/** Device features that the model uses, directly or in relative features; without any, all usable
 *  ones of the target. */
static nitro_status list_features(nitro_context *context, const nitro_device *target,
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
    if (names->count > 0)
        return status;
    for (size_t i = 0; i < target->num_features && status == NITRO_OK; i++)
        if (nitro_device_feature_is_usable(target->features[i].name))
            status = nitro_string_list_add(context, names, target->features[i].name);
    return status;
}

/** Unknown distances last, then in the order of the dataset. */
static int compare_sources(const void *left, const void *right)
{
    const nitro_predicted_quality_source *a = left, *b = right;
    double da = isnan(a->target_distance) ? INFINITY : a->target_distance;
    double db = isnan(b->target_distance) ? INFINITY : b->target_distance;
    if (da != db)
        return da < db ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

void nitro_predicted_quality_sort(nitro_predicted_quality *predicted)
{
    qsort(predicted->sources, predicted->num_sources, sizeof *predicted->sources, compare_sources);
}

/** To the nearest source that one may be validated with; NaN: unknown.
 *  @param[out] may_judge  true if there is such a source. */
static double nearest_distance(const nitro_fit_task *task, nitro_kinship of_target,
                               const bool *usable, size_t device, const nitro_string_list *features,
                               bool *may_judge)
{
    nitro_device *const *devices = task->sources->devices;
    double nearest = NAN;
    for (size_t d = 0; d < task->sources->num_devices; d++) {
        if (d == device || !usable[d] ||
            !nitro_kinship_allows(of_target, devices[device], devices[d]))
            continue;
        *may_judge = true;
        nearest = fmin(nearest, nitro_device_distance(devices[device], devices[d], features));
    }
    return nearest;
}

/** @param[out] may_judge  is there a source that another may be validated with? */
static nitro_status measure_distances(nitro_context *context, const nitro_fit_task *task,
                                      nitro_predicted_quality *predicted, bool *may_judge)
{
    const nitro_dataset *sources = task->sources;
    bool *usable = nitro_calloc(context, sources->num_devices, sizeof *usable);
    nitro_kinship of_target =
        nitro_device_kinship(task->target, sources->devices, sources->num_devices, NULL);
    of_target.hides_architecture = task->lacks_architecture;
    predicted->lacks_stack = !of_target.stack;
    predicted->sources = nitro_calloc(context, sources->num_devices, sizeof *predicted->sources);
    if (!usable || !predicted->sources) {
        free(usable);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t d = 0; d < sources->num_devices; d++)
        usable[d] = nitro_dataset_usable_rows(sources, d) > 0;
    for (size_t d = 0; d < sources->num_devices; d++)
        if (usable[d])
            predicted->sources[predicted->num_sources++] = (nitro_predicted_quality_source){
                .device = d,
                .lodo_quality = NAN,
                .distance =
                    nearest_distance(task, of_target, usable, d, &predicted->features, may_judge),
                .target_distance =
                    nitro_device_distance(task->target, sources->devices[d], &predicted->features)};
    free(usable);
    nitro_predicted_quality_sort(predicted);
    predicted->target_distance =
        predicted->num_sources > 0 ? predicted->sources[0].target_distance : (double)NAN;
    return NITRO_OK;
}

/* ---- LODO evidence --------------------------------------------------------------------------- */

/**
 * Quality falls with distance. The line through the held-out quality at distance 0 that fits the
 * validation devices best goes through their means weighted by distance.
 */
static void weigh_validation(const nitro_lodo *lodo, nitro_predicted_quality_source *source)
{
    source->validation = lodo->weights                       ? lodo->weights[source->device]
                         : source->distance > LEAST_DISTANCE ? source->distance
                                                             : LEAST_DISTANCE;
}

static void take_means(const nitro_lodo *lodo, nitro_predicted_quality *predicted)
{
    double qualities = 0.0, distances = 0.0, weights = 0.0;
    for (size_t i = 0; i < predicted->num_sources; i++) {
        nitro_predicted_quality_source *source = &predicted->sources[i];
        source->lodo_quality = lodo->qualities[source->device];
        weigh_validation(lodo, source);
        if (isnan(source->lodo_quality))
            continue;
        qualities += source->validation * source->lodo_quality;
        distances += source->validation * source->distance;
        weights += source->validation;
    }
    predicted->lodo_quality = qualities / weights;
    predicted->usual_distance = distances / weights;
}

/** Standard error of the mean gain, from the variance within devices and that between them. */
static double standard_error(const nitro_predicted_quality *predicted, const nitro_gain *gains,
                             double mean)
{
    double squares = 0.0, weights = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_gain *gain = &gains[predicted->sources[i].device];
        double weight = predicted->sources[i].validation, apart = gain->mean - mean;
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
        sum += predicted->sources[i].validation * gain->mean;
        weights += predicted->sources[i].validation;
    }
    double mean = sum / weights;
    bool is_clear = mean > CLEARLY && mean > SIGNIFICANTLY * standard_error(predicted, gains, mean);
    return is_clear ? mean : 0.0;
}

/** Confidences by the decisions on validation devices. */
static nitro_status calibrate(nitro_context *context, const nitro_dataset *sources,
                              const nitro_lodo *lodo, const nitro_predicted_quality *predicted,
                              nitro_calibration *calibration)
{
    double *weights = nitro_calloc(context, sources->num_rows, sizeof *weights);
    double mean_weight = 0.0;
    if (!weights)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < predicted->num_sources; i++)
        mean_weight += predicted->sources[i].validation / (double)predicted->num_sources;
    for (size_t row = 0; row < sources->num_rows; row++)
        for (size_t i = 0; i < predicted->num_sources; i++)
            if (predicted->sources[i].device == sources->row_device[row])
                weights[row] = predicted->sources[i].validation / mean_weight;
    nitro_status status =
        nitro_calibration_fit(context, sources->times_ms, lodo->scores, weights, sources->num_rows,
                              sources->schema->num_variants, calibration);
    free(weights);
    return status;
}

static double find_share(const nitro_predicted_quality *predicted)
{
    if (isnan(predicted->target_distance))
        return UNKNOWN_DISTANCE_SHARE;
    if (predicted->target_distance == 0.0)
        return 0.0;
    if (!(predicted->usual_distance > 0.0)) /* equal sources, another target */
        return NITRO_PREDICTED_QUALITY_MAX_SHARE;
    return fmin(predicted->target_distance / predicted->usual_distance,
                NITRO_PREDICTED_QUALITY_MAX_SHARE);
}

static void predict_by_lodo(nitro_predicted_quality *predicted)
{
    predicted->share = find_share(predicted);
    if (isnan(predicted->target_distance)) {
        predicted->warning = "the target shares no device feature with the sources: its distance "
                             "to them is unknown";
    } else if (predicted->target_distance >
               predicted->usual_distance * NITRO_PREDICTED_QUALITY_MAX_SHARE) {
        predicted->warning = "the target is farther from every source than they are from each "
                             "other; the prediction extrapolates";
        for (size_t k = 0; k < predicted->lodo.num_knots; k++)
            predicted->lodo.confidences[k] *= SINGLE_SOURCE_SHARE;
    }
}

/** One source is no evidence for other devices: trust it only on a device like it.
 *  @param[in] may_judge  a source may be validated with another. */
static void predict_without_lodo(bool may_judge, nitro_predicted_quality *predicted)
{
    predicted->lodo = (nitro_calibration){1, {0.0}, {0.0}};
    predicted->share =
        predicted->target_distance <= SAME_MODEL_DISTANCE ? 0.0 : SINGLE_SOURCE_SHARE;
    if (predicted->share > 0.0)
        predicted->warning = predicted->num_sources < 2
                                 ? "there is only one source, so that the quality on another "
                                   "device cannot be validated"
                             : may_judge ? "there are too few inputs to validate the quality on "
                                           "another device"
                                         : "all sources are copies of one device, so that the "
                                           "quality on another device cannot be validated";
}

/** Without LODO evidence, quality is known only of devices like the sources. */
void nitro_predicted_quality_weigh(nitro_predicted_quality *predicted, double share,
                                   nitro_calibration *calibration)
{
    double held_out = predicted->held_out_quality, lodo = predicted->lodo_quality;
    if (share == 0.0 || (isnan(lodo) && predicted->share == 0.0))
        predicted->quality = held_out;
    else if (isnan(held_out) || isnan(lodo))
        predicted->quality = lodo;
    else
        predicted->quality = fmin(fmax(held_out + share * (lodo - held_out), 0.0), 100.0);
    nitro_calibration_blend(&predicted->held_out, &predicted->lodo, share, calibration);
}

void nitro_predicted_quality_warn(nitro_predicted_quality *predicted)
{
    static const char low[] = "the predicted quality is below 90 %; measure some inputs on the "
                              "target (--measure 10)",
                      new_stack[] = "no source is known to have its software stack, so that other "
                                    "variants may be fast there; measure some inputs on it "
                                    "(--measure 10)";
    bool is_low = predicted->quality < WARN_BELOW;
    if (!predicted->warning || predicted->warning == low || predicted->warning == new_stack)
        predicted->warning = is_low ? low : predicted->lacks_stack ? new_stack : NULL;
}

nitro_status nitro_predicted_quality_find(nitro_context *context, const nitro_fit_task *task,
                                          double held_out_quality, const nitro_lodo *lodo,
                                          nitro_model *model, nitro_predicted_quality **predicted)
{
    bool may_judge = false;
    nitro_predicted_quality *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->strategy = task->strategy;
    for (size_t i = 0; i < NITRO_MAX_MEMBERS; i++)
        if (task->members == 0 || task->members >> i & 1)
            made->hyper_settings[i] = task->hyper_settings[i];
    made->held_out = model->calibration;
    made->held_out_quality = held_out_quality;
    made->lodo_quality = made->usual_distance = made->quality = NAN;
    nitro_status status = list_features(context, task->target, model, &made->features);
    if (status == NITRO_OK)
        status = measure_distances(context, task, made, &may_judge);
    if (status == NITRO_OK && lodo) {
        take_means(lodo, made);
        status = calibrate(context, task->sources, lodo, made, &made->lodo);
    }
    if (status != NITRO_OK) {
        nitro_predicted_quality_free(made);
        return status;
    }
    if (lodo)
        predict_by_lodo(made);
    else
        predict_without_lodo(may_judge, made);
    nitro_predicted_quality_weigh(made, made->share, &model->calibration);
    nitro_predicted_quality_warn(made);
    *predicted = made;
    return NITRO_OK;
}

nitro_status nitro_predicted_quality_restore(nitro_context *context, const bool *kept,
                                             const bool *set_aside, size_t num_devices,
                                             nitro_predicted_quality *predicted)
{
    if (!predicted)
        return NITRO_OK;
    size_t num_kept = predicted->num_sources, next = 0;
    nitro_predicted_quality_source *all = nitro_calloc(context, num_devices, sizeof *all);
    size_t *devices = nitro_calloc(context, num_devices, sizeof *devices);
    if (!all || !devices) {
        free(all);
        free(devices);
        return NITRO_ERR_NO_MEMORY;
    }
    memcpy(all, predicted->sources, num_kept * sizeof *all);
    for (size_t d = 0; d < num_devices; d++)
        if (kept[d])
            devices[next++] = d;
        else
            all[predicted->num_sources++] = (nitro_predicted_quality_source){
                .device = d,
                .lodo_quality = NAN,
                .distance = NAN,
                .target_distance = NAN,
                .is_set_aside = set_aside[d],
            };
    for (size_t i = 0; i < num_kept; i++)
        all[i].device = devices[all[i].device];
    free(predicted->sources);
    predicted->sources = all;
    free(devices);
    return NITRO_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set_number(json_t **object, const char *key, double value)
{
    nitro_json_put(object, key, isfinite(value) ? json_real(value) : json_null());
}

static json_t *sources_json(const nitro_predicted_quality *predicted, const nitro_dataset *sources)
{
    json_t *array = json_array();
    for (size_t i = 0; i < predicted->num_sources; i++) {
        const nitro_predicted_quality_source *source = &predicted->sources[i];
        json_t *object = json_pack("{s:s}", "device", sources->devices[source->device]->id);
        set_number(&object, "distance", source->target_distance);
        set_number(&object, "lodo_quality", source->lodo_quality);
        if (predicted->rule)
            set_number(&object, "weight", source->weight);
        if (source->is_set_aside)
            nitro_json_put(&object, "set_aside", json_true());
        nitro_json_append(&array, object);
    }
    return array;
}

/** Settings other than the default, by strategy. */
static json_t *hyper_settings_json(const nitro_predicted_quality *predicted)
{
    json_t *object = json_object();
    const nitro_strategy *strategy = predicted->strategy;
    for (size_t i = 0; i == 0 || i < strategy->num_members; i++) {
        const nitro_strategy *own = strategy->num_members ? strategy->members[i] : strategy;
        if (predicted->hyper_settings[i] > 0)
            nitro_json_put(&object, own->name,
                           json_string(own->hyper_settings[predicted->hyper_settings[i]]));
    }
    return object;
}

json_t *nitro_predicted_quality_json(const nitro_predicted_quality *predicted,
                                     const nitro_dataset *sources)
{
    json_t *object = json_object();
    json_t *hyper_settings = hyper_settings_json(predicted);
    set_number(&object, "quality", predicted->quality);
    set_number(&object, "held_out_quality", predicted->held_out_quality);
    set_number(&object, "lodo_quality", predicted->lodo_quality);
    set_number(&object, "usual_distance", predicted->usual_distance);
    nitro_json_put(&object, "sources", sources_json(predicted, sources));
    nitro_json_put(&object, "distance_features", nitro_json_from_strings(&predicted->features, 0));
    if (predicted->rule)
        nitro_json_put(&object, "source_rule", json_string(predicted->rule));
    if (hyper_settings && json_object_size(hyper_settings) == 0)
        json_decref(hyper_settings);
    else
        nitro_json_put(&object, "hyper_parameters", hyper_settings);
    if (predicted->warning)
        nitro_json_put(&object, "warning", json_string(predicted->warning));
    return object;
}
