/*
 * From a dataset to a model: the device's part, the strategy, the calibration. Hides what the
 * default variant is where none was declared, and when a strategy is learnt a second time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "nitro/dataset.h"
#include "nitro/lesson_rows.h"
#include "nitro/promise.h"

/* Of a number that is constant on each device: with two, it but names two sources, and a target is
 * taken for the one or the other. */
#define MIN_DEVICE_VALUES 3
#define MIN_JUDGES        (MIN_DEVICE_VALUES + 1) /* sources: with one left out, so many remain */
#define CLEARLY           0.3 /* percent of quality by which it must be better without */

void nitro_model_log_extrapolation(const nitro_model *model, nitro_log_level level)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < model->device_features.count; i++) {
        const nitro_scaler_column *column = &model->columns[nitro_model_first_device(model) + i];
        if (fabs(model->device_columns[i]) <= 1.0 + NITRO_MODEL_TOLERANCE || used >= sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s (%g; %g to %g)",
                                 used ? ", " : "", model->device_features.items[i],
                                 model->device_values[i], nitro_scaler_invert(column, -1.0),
                                 nitro_scaler_invert(column, 1.0));
    }
    if (used > 0)
        nitro_log(
            model->context, level,
            "target %s lies outside the range of the sources, where a model may choose badly: "
            "%s",
            model->target, names);
}

static nitro_training_set make_set(const nitro_lesson *lesson, const nitro_lesson_rows *rows,
                                   size_t num_variants)
{
    return (nitro_training_set){.num_rows = rows->num_rows,
                                .num_columns = rows->num_columns,
                                .num_variants = num_variants,
                                .columns = rows->columns,
                                .times_ms = rows->times_ms,
                                .row_input = rows->row_input,
                                .row_device = rows->row_device,
                                .seed = lesson->seed,
                                .num_threads = lesson->num_threads,
                                .quick = lesson->quick,
                                .members = lesson->members};
}

/** Train, and calibrate by rows whose input was held out. */
static nitro_status train_strategy(nitro_context *context, const nitro_lesson *lesson,
                                   const nitro_lesson_rows *rows, nitro_model *model,
                                   double *held_out_quality)
{
    size_t num_variants = model->schema->num_variants;
    nitro_training_set set = make_set(lesson, rows, num_variants);
    double *held_out = NULL;
    if (lesson->evidence != NITRO_EVIDENCE_NONE) {
        held_out = nitro_calloc(context, rows->num_rows, num_variants * sizeof *held_out);
        if (!held_out)
            return NITRO_ERR_NO_MEMORY;
    }
    model->strategy = lesson->strategy;
    nitro_status status = lesson->strategy->train(context, &set, &model->predictor, held_out);
    if (status == NITRO_OK)
        status =
            nitro_calibration_fit(context, rows->times_ms, held_out, NULL,
                                  held_out ? rows->num_rows : 0, num_variants, &model->calibration);
    if (status == NITRO_OK && held_out)
        *held_out_quality =
            100.0 * nitro_scores_quality(rows->times_ms, held_out, rows->num_rows, num_variants);
    free(held_out);
    return status;
}

/* ---- Device's part --------------------------------------------------------------------------- */

/** The first source with rows, or the target, that lacks a device feature of the formula. */
static const nitro_device *find_lacking(const nitro_lesson *lesson, const nitro_relative *relative,
                                        size_t index, const char **feature)
{
    const nitro_dataset *sources = lesson->sources;
    for (size_t i = 0; i < nitro_relative_num_device_values(relative); i++) {
        *feature = nitro_relative_device_feature(relative, i);
        if (!nitro_relative_needs(relative, index, i))
            continue;
        if (isnan(nitro_device_value(lesson->target, *feature)))
            return lesson->target;
        for (size_t row = 0; row < sources->num_rows; row++) {
            const nitro_device *device = sources->devices[sources->row_device[row]];
            bool is_next = row == 0 || sources->row_device[row] != sources->row_device[row - 1];
            if (is_next && isnan(nitro_device_value(device, *feature)))
                return device;
        }
    }
    return NULL;
}

/** What a formula that names no input feature is on a device. */
static double find_constant(const nitro_relative *relative, size_t index,
                            const nitro_device *device)
{
    const double features[NITRO_MAX_FEATURES] = {0};
    double values[NITRO_RELATIVE_MAX_DEVICE_VALUES], results[NITRO_MAX_FEATURES];
    for (size_t i = 0; i < nitro_relative_num_device_values(relative); i++)
        values[i] = nitro_device_value(device, nitro_relative_device_feature(relative, i));
    nitro_relative_evaluate(relative, features, values, results);
    return results[index];
}

/** Do sources with rows have enough values of it to say more than which source they are? */
static bool tells_devices(const nitro_lesson *lesson, const nitro_relative *relative, size_t index)
{
    const nitro_dataset *sources = lesson->sources;
    double seen[MIN_DEVICE_VALUES];
    size_t count = 0;
    for (size_t row = 0; row < sources->num_rows && count < MIN_DEVICE_VALUES; row++) {
        if (row > 0 && sources->row_device[row] == sources->row_device[row - 1])
            continue;
        double value = find_constant(relative, index, sources->devices[sources->row_device[row]]);
        bool is_new = !isnan(value);
        for (size_t i = 0; i < count; i++)
            is_new = is_new && seen[i] != value;
        if (is_new)
            seen[count++] = value;
    }
    return count == MIN_DEVICE_VALUES;
}

static bool keeps_relative(nitro_context *context, const nitro_lesson *lesson,
                           const nitro_model *model, size_t index)
{
    const char *name = model->schema->relative[index].name, *feature = NULL;
    const nitro_device *lacking = find_lacking(lesson, model->relative, index, &feature);
    if (lacking && !lesson->quiet)
        nitro_log(context, NITRO_LOG_WARNING,
                  "relative feature %s is left out for target %s: device feature %s is not known "
                  "of %s",
                  name, lesson->target->id, feature, lacking->id);
    if (lacking || nitro_relative_needs_input(model->relative, index))
        return !lacking;
    if (lesson->without_device_alone)
        return false;
    bool tells = tells_devices(lesson, model->relative, index);
    if (!tells && !lesson->quiet)
        nitro_log(context, NITRO_LOG_INFO,
                  "relative feature %s is left out for target %s: it tells devices, and sources "
                  "have fewer than %d values of it to learn from",
                  name, lesson->target->id, MIN_DEVICE_VALUES);
    return tells;
}

/** Keep the relative features that all devices have what is needed for, and can be learnt from. */
static nitro_status set_relative(nitro_context *context, const nitro_lesson *lesson,
                                 nitro_model *model)
{
    bool keep[NITRO_MAX_FEATURES] = {false};
    for (size_t i = 0; lesson->use_relative && i < model->schema->num_relative; i++)
        keep[i] = keeps_relative(context, lesson, model, i);
    nitro_schema_keep_relative(model->schema, keep);
    nitro_status status = nitro_model_set_relative(model);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        model->relative_values[i] =
            nitro_device_value(lesson->target, nitro_relative_device_feature(model->relative, i));
    return NITRO_OK;
}

static nitro_status set_device_features(nitro_context *context, const nitro_lesson *lesson,
                                        nitro_model *model)
{
    size_t count = lesson->device_features->count;
    if (count > NITRO_MODEL_MAX_DEVICE_FEATURES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%zu device features are chosen, but a model takes at most %d", count,
                          NITRO_MODEL_MAX_DEVICE_FEATURES);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        const char *name = lesson->device_features->items[i];
        model->device_values[i] = nitro_device_value(lesson->target, name);
        status = nitro_string_list_add(context, &model->device_features, name);
    }
    return status;
}

/** The model file then holds what the model takes for the target's values. */
static void clamp_device(nitro_model *model)
{
    for (size_t i = 0; i < model->device_features.count; i++) {
        if (fabs(model->device_columns[i]) <= 1.0)
            continue;
        model->device_columns[i] = copysign(1.0, model->device_columns[i]);
        model->device_values[i] = nitro_scaler_invert(
            &model->columns[nitro_model_first_device(model) + i], model->device_columns[i]);
    }
}

static nitro_status train_as_told(nitro_context *context, const nitro_lesson *lesson,
                                  nitro_model **model)
{
    nitro_model *made = NULL;
    nitro_lesson_rows rows = {0};
    double held_out_quality = NAN;
    nitro_status status = nitro_model_create(context, lesson->sources->schema, lesson->target->id,
                                             lesson->target->kind, &made);
    if (status == NITRO_OK)
        status = set_relative(context, lesson, made);
    if (status == NITRO_OK)
        status = set_device_features(context, lesson, made);
    if (status == NITRO_OK) {
        nitro_model_choose_seen(made);
        status = nitro_lesson_rows_collect(context, lesson, made, &rows);
    }
    if (status == NITRO_OK)
        status = nitro_lesson_rows_scale(context, &rows, made);
    if (status == NITRO_OK) {
        nitro_model_scale_device(made);
        if (lesson->clamps)
            clamp_device(made);
        if (made->schema->default_variant == NITRO_NONE)
            made->schema->default_variant = nitro_dataset_best_fixed(lesson->sources);
        status = train_strategy(context, lesson, &rows, made, &held_out_quality);
    }
    if (status == NITRO_OK && lesson->evidence == NITRO_EVIDENCE_SOURCES)
        status = nitro_promise_find(context, lesson, held_out_quality, made, &made->promise);
    nitro_lesson_rows_free(&rows);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}

/* ---- What left-out sources say --------------------------------------------------------------- */

static bool has_device_alone(const nitro_model *model)
{
    for (size_t i = 0; i < model->relative->count; i++)
        if (!nitro_relative_needs_input(model->relative, i))
            return true;
    return false;
}

/** Relative features that only tell devices stay, unless left-out sources are clearly better served
 *  without: the lesson then asks for none, and the model has none. */
static nitro_status judge_device_alone(nitro_context *context, nitro_lesson *lesson,
                                       nitro_model **model)
{
    nitro_lesson other = *lesson;
    nitro_model *without = NULL;
    const nitro_promise *promise = (*model)->promise;
    if (!promise || promise->num_sources < MIN_JUDGES || !has_device_alone(*model))
        return NITRO_OK;
    other.without_device_alone = other.quiet = true;
    nitro_status status = train_as_told(context, &other, &without);
    if (status != NITRO_OK)
        return status;
    if (without->promise->left_out_quality > promise->left_out_quality + CLEARLY) {
        if (!lesson->quiet)
            nitro_log(context, NITRO_LOG_INFO,
                      "relative features that only tell devices are left out for target %s: on "
                      "sources that were left out, quality is %.1f %% with them and %.1f %% "
                      "without",
                      lesson->target->id, promise->left_out_quality,
                      without->promise->left_out_quality);
        lesson->without_device_alone = true;
        nitro_model *with = *model;
        *model = without;
        without = with;
    }
    nitro_model_free(without);
    return NITRO_OK;
}

static void say_members(nitro_context *context, const nitro_lesson *lesson,
                        const nitro_promise *promise)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t m = 0; m < lesson->strategy->num_members && used < sizeof names; m++)
        if (promise->members >> m & 1)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     lesson->strategy->member_names[m]);
    if (!lesson->quiet)
        nitro_log(context, NITRO_LOG_INFO,
                  "strategy %s is %s alone for target %s: on sources that were left out, quality "
                  "is %.1f %% with all of its strategies and %.1f %% so",
                  lesson->strategy->name, names, lesson->target->id, promise->left_out_quality,
                  promise->members_quality);
}

/** Left-out sources are served better by some members of the strategy: let those alone speak. */
static nitro_status train_again(nitro_context *context, const nitro_lesson *lesson,
                                nitro_model **model)
{
    nitro_lesson chosen = *lesson;
    nitro_model *made = NULL;
    say_members(context, lesson, (*model)->promise);
    chosen.members = (*model)->promise->members;
    chosen.quiet = true; /* it was said the first time */
    nitro_status status = train_as_told(context, &chosen, &made);
    if (status != NITRO_OK)
        return status;
    nitro_model_free(*model);
    *model = made;
    return NITRO_OK;
}

nitro_status nitro_model_train(nitro_context *context, const nitro_lesson *lesson,
                               nitro_model **model)
{
    nitro_model *made = NULL;
    nitro_lesson chosen = *lesson;
    nitro_status status = train_as_told(context, &chosen, &made);
    if (status == NITRO_OK)
        status = judge_device_alone(context, &chosen, &made);
    if (status == NITRO_OK && made->promise && made->promise->members && !lesson->is_adapted)
        status = train_again(context, &chosen, &made);
    if (status == NITRO_OK)
        nitro_model_judge(made, nitro_model_used_features(made));
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
