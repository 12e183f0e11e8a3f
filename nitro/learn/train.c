/*
 * From a dataset to a model, as a lesson tells: the device's part, the rows, the strategy, the
 * calibration, the promise. Hides what the default variant is where none was declared.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/train.h"
#include "nitro/learn/training_rows.h"

static nitro_training_set make_set(const nitro_training_task *task, const nitro_training_rows *rows,
                                   size_t num_variants)
{
    nitro_training_set set = {.num_rows = rows->num_rows,
                              .num_columns = rows->num_columns,
                              .num_variants = num_variants,
                              .columns = rows->columns,
                              .times_ms = rows->times_ms,
                              .row_input = rows->row_input,
                              .row_device = rows->row_device,
                              .seed = task->seed,
                              .num_threads = task->num_threads,
                              .quick = task->quick,
                              .members = task->members};
    memcpy(set.hyper_settings, task->hyper_settings, sizeof set.hyper_settings);
    return set;
}

/** Train, and calibrate by rows whose input was held out. */
static nitro_status train_strategy(nitro_context *context, const nitro_training_task *task,
                                   const nitro_training_rows *rows, nitro_model *model,
                                   double *held_out_quality)
{
    size_t num_variants = model->schema->num_variants;
    nitro_training_set set = make_set(task, rows, num_variants);
    double *held_out = NULL;
    if (task->evidence != NITRO_EVIDENCE_NONE) {
        held_out = nitro_calloc(context, rows->num_rows, num_variants * sizeof *held_out);
        if (!held_out)
            return NITRO_ERR_NO_MEMORY;
    }
    model->strategy = task->strategy;
    nitro_status status = task->strategy->train(context, &set, &model->predictor, held_out);
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

nitro_status nitro_model_train_as_told(nitro_context *context, const nitro_training_task *task,
                                       nitro_model **model)
{
    nitro_model *made = NULL;
    nitro_training_rows rows = {0};
    double held_out_quality = NAN;
    nitro_status status = nitro_model_create(context, task->sources->schema, task->target->id,
                                             task->target->kind, &made);
    if (status == NITRO_OK)
        status = nitro_model_set_device(context, task, made);
    if (status == NITRO_OK) {
        nitro_model_choose_seen(made);
        status = nitro_training_rows_collect(context, task, made, &rows);
    }
    if (status == NITRO_OK)
        status = nitro_training_rows_scale(context, &rows, made);
    if (status == NITRO_OK) {
        nitro_model_scale_device(made);
        if (task->clamps)
            nitro_model_clamp_device(made);
        if (made->schema->default_variant == NITRO_NONE)
            made->schema->default_variant = nitro_dataset_best_fixed(task->sources);
        status = train_strategy(context, task, &rows, made, &held_out_quality);
    }
    if (status == NITRO_OK)
        made->free_predicted = nitro_predicted_quality_free;
    if (status == NITRO_OK && task->evidence == NITRO_EVIDENCE_SOURCES)
        status =
            nitro_predicted_quality_find(context, task, held_out_quality, made, &made->predicted);
    nitro_training_rows_free(&rows);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
