/* Training without any choice: columns from the samples, scaled, into the strategy. */
#include "nitro/learn/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_range.h"
#include "nitro/learn/held_out.h"
#include "nitro/learn/training_memo.h"

/* Factor by which the other variants of a fixed choice are behind, so that none ties with it. */
#define BEHIND_FIXED 1.01

static nitro_status set_relative(const nitro_fit_task *task, nitro_model *model)
{
    nitro_schema_keep_relative(model->schema, task->relative);
    return nitro_model_set_relative(model);
}

static nitro_status set_device_features(nitro_context *context, const nitro_fit_task *task,
                                        nitro_model *model)
{
    size_t count = task->device_features->count;
    if (count > NITRO_MODEL_MAX_DEVICE_FEATURES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%zu device features are chosen, but a model takes at most %d", count,
                          NITRO_MODEL_MAX_DEVICE_FEATURES);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = nitro_string_list_add(context, &model->device_features,
                                       task->device_features->items[i]);
    }
    return status;
}

void nitro_fit_set_target(nitro_model *model, const nitro_device *target, bool clamps_device)
{
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        model->relative_values[i] =
            nitro_device_value(target, nitro_relative_device_feature(model->relative, i));
    for (size_t i = 0; i < model->device_features.count; i++)
        model->device_values[i] = nitro_device_value(target, model->device_features.items[i]);
    nitro_model_scale_device(model);
    if (clamps_device)
        nitro_device_range_clamp(model);
}

static nitro_status make_columns(nitro_context *context, const nitro_fit_task *task,
                                 nitro_model *model, nitro_training_rows *rows)
{
    nitro_status status = set_relative(task, model);
    if (status == NITRO_OK)
        status = set_device_features(context, task, model);
    if (status != NITRO_OK)
        return status;
    nitro_model_choose_seen(model);
    rows->dropped = task->dropped;
    status = nitro_training_rows_collect(context, task->sources, model, rows);
    if (status == NITRO_OK)
        status = nitro_training_rows_scale(context, rows, model);
    if (status != NITRO_OK)
        return status;
    nitro_fit_set_target(model, task->target, task->clamps_device);
    return NITRO_OK;
}

static nitro_status train_strategy(nitro_context *context, const nitro_fit_task *task,
                                   const nitro_training_rows *rows, const double *times_ms,
                                   nitro_model *model, double *held_out_scores)
{
    size_t num_variants = model->schema->num_variants;
    nitro_training_set set = {.num_rows = rows->num_rows,
                              .num_columns = rows->num_columns,
                              .num_variants = num_variants,
                              .columns = rows->columns,
                              .times_ms = times_ms,
                              .row_allowed = rows->row_allowed,
                              .row_input = rows->row_input,
                              .row_device = rows->row_device,
                              .source_weights = task->source_weights,
                              .seed = task->seed,
                              .num_threads = task->num_threads,
                              .quick = task->quick,
                              .members = task->members,
                              .prepared = nitro_training_rows_prepared(rows, num_variants)};
    memcpy(set.hyper_settings, task->hyper_settings, sizeof set.hyper_settings);
    model->strategy = task->strategy;
    nitro_status status =
        nitro_training_memo_train(task->memo, context, task->strategy, &set, &model->predictor,
                                  held_out_scores, &model->borrows_predictor);
    if (status == NITRO_OK)
        status =
            nitro_calibration_fit(context, NULL, NULL, NULL, 0, num_variants, &model->calibration);
    return status;
}

/** The variant of the least total time, as in nitro_held_out_fixed_time. */
static size_t find_fixed(const nitro_training_rows *rows, const nitro_schema *schema)
{
    double totals[NITRO_MAX_VARIANTS] = {0};
    size_t best = 0;
    for (size_t v = 0; v < schema->num_variants; v++)
        for (size_t row = 0; row < rows->num_rows; row++)
            totals[v] += nitro_held_out_fixed_time(rows->times_ms + row * schema->num_variants, v,
                                                   schema->default_variant);
    for (size_t v = 1; v < schema->num_variants; v++)
        best = totals[v] < totals[best] ? v : best;
    return best;
}

/** Times by which the fixed variant is the best, and the others are ranked for inputs that it does
 *  not accept: by their times there over the best ones, or on all inputs where there are none. */
static void rank_by_fixed(const nitro_training_rows *rows, size_t num_variants, size_t fixed,
                          double *times)
{
    double sums[NITRO_MAX_VARIANTS] = {0}, bests[NITRO_MAX_VARIANTS] = {0};
    bool is_always = true;
    for (size_t row = 0; row < rows->num_rows; row++)
        is_always = is_always && !isnan(rows->times_ms[row * num_variants + fixed]);
    for (size_t row = 0; row < rows->num_rows; row++) {
        const double *of = rows->times_ms + row * num_variants;
        for (size_t v = 0; v < num_variants && (is_always || isnan(of[fixed])); v++) {
            sums[v] += isnan(of[v]) ? 0.0 : of[v];
            bests[v] += isnan(of[v]) ? 0.0 : of[nitro_times_best(of, num_variants)];
        }
    }
    for (size_t v = 0; v < num_variants; v++)
        times[v] = bests[v] > 0.0 ? BEHIND_FIXED * sums[v] / bests[v] : (double)NAN;
    times[fixed] = 1.0;
}

/** Train with the same times in every row. */
static nitro_status train_fixed(nitro_context *context, const nitro_fit_task *task,
                                const nitro_training_rows *rows, nitro_model *model,
                                double *held_out_scores)
{
    size_t num_variants = model->schema->num_variants, count = rows->num_rows * num_variants;
    double *times = nitro_calloc(context, count, sizeof *times);
    if (!times)
        return NITRO_ERR_NO_MEMORY;
    rank_by_fixed(rows, num_variants, find_fixed(rows, model->schema), times);
    for (size_t i = num_variants; i < count; i++)
        times[i] = times[i - num_variants];
    nitro_status status = train_strategy(context, task, rows, times, model, held_out_scores);
    free(times);
    return status;
}

static nitro_status restrict_held_out(nitro_context *context, const nitro_dataset *sources,
                                      nitro_fit_evidence *evidence)
{
    const nitro_training_rows *rows = &evidence->rows;
    size_t num_variants = sources->schema->num_variants;
    uint64_t *known = nitro_calloc(context, sources->num_devices, sizeof *known);
    if (!known)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < sources->num_devices; d++)
        known[d] = nitro_dataset_known_variants(sources, d);
    for (size_t row = 0; row < rows->num_rows; row++)
        nitro_scores_restrict(evidence->held_out_scores + row * num_variants, num_variants,
                              nitro_dataset_row_variants(sources, rows->row_source[row],
                                                         known[rows->row_device[row]]));
    free(known);
    return NITRO_OK;
}

void nitro_fit_evidence_free(nitro_fit_evidence *evidence)
{
    nitro_training_rows_free(&evidence->rows);
    free(evidence->held_out_scores);
}

nitro_status nitro_fit(nitro_context *context, const nitro_fit_task *task, nitro_model **model,
                       nitro_fit_evidence *evidence)
{
    nitro_model *made = NULL;
    nitro_fit_evidence found = {0};
    size_t num_variants = task->sources->schema->num_variants;
    nitro_status status = nitro_model_create(context, task->sources->schema, task->target->id,
                                             task->target->kind, &made);
    if (status == NITRO_OK)
        status = make_columns(context, task, made, &found.rows);
    if (status == NITRO_OK && evidence) {
        found.held_out_scores =
            nitro_calloc(context, found.rows.num_rows, num_variants * sizeof(double));
        status = found.held_out_scores ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK && made->schema->default_variant == NITRO_NONE)
        made->schema->default_variant = nitro_dataset_best_fixed(task->sources, UINT64_MAX);
    if (status == NITRO_OK)
        status = task->is_fixed
                     ? train_fixed(context, task, &found.rows, made, found.held_out_scores)
                     : train_strategy(context, task, &found.rows, found.rows.times_ms, made,
                                      found.held_out_scores);
    if (status == NITRO_OK && evidence)
        status = restrict_held_out(context, task->sources, &found);
    if (status == NITRO_OK) {
        nitro_model_judge(made, nitro_model_used_features(made));
        *model = made;
        if (evidence)
            *evidence = found;
    } else {
        nitro_model_free(made);
    }
    if (status != NITRO_OK || !evidence)
        nitro_fit_evidence_free(&found);
    return status;
}
