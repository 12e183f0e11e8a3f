/* Adaptation: the model's errors on measured inputs, in units of its scores, become a correction.
 */
#include "nitro/learn/adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/correction.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/regret.h"
#include "nitro/learn/predicted_quality.h"

#define CLEAR_LEAD        0.1  /* difference of losses that makes a wrong choice unlikely */
#define LEAST_UNCERTAINTY 0.1  /* weight of an input with a clear choice; a tie has 1 more */
#define NUM_PARTS         5    /* of the measured inputs, held out in turn */
#define HALF_WEIGHT       30.0 /* measured inputs that weigh as much as the sources' calibration */
/* Fewest measured inputs for a calibration of their own. */
#define LEAST_ROWS (NUM_PARTS * NITRO_CALIBRATION_BIN_ROWS)

static nitro_status check_strategy(const nitro_model *model)
{
    if (model->strategy->loss_per_score > 0.0)
        return NITRO_OK;
    return nitro_fail(model->context, NITRO_ERR_ARGUMENT,
                      "strategy %s cannot be adapted by measurements; use auto or forest",
                      model->strategy->name);
}

static double uncertainty(const nitro_model *model, const double *scores)
{
    size_t num_variants = model->schema->num_variants;
    size_t best = nitro_scores_best(scores, num_variants);
    double lead = INFINITY;
    for (size_t v = 0; v < num_variants; v++)
        if (v != best)
            lead = fmin(lead, (scores[best] - scores[v]) * model->strategy->loss_per_score);
    return LEAST_UNCERTAINTY + exp(-lead / CLEAR_LEAD);
}

nitro_status nitro_model_plan_measuring(const nitro_model *model, const nitro_dataset *dataset,
                                        const size_t *rows, size_t num_rows, size_t count,
                                        size_t *chosen)
{
    nitro_context *context = model->context;
    nitro_status status = check_strategy(model);
    if (status != NITRO_OK)
        return status;
    double *columns = nitro_calloc(context, num_rows, (model->num_seen + 1) * sizeof *columns);
    double *weights = nitro_calloc(context, num_rows, sizeof *weights);
    status = columns && weights ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_rows && status == NITRO_OK; i++) {
        const double *input = nitro_dataset_features(dataset, rows[i]);
        double scores[NITRO_MAX_VARIANTS];
        nitro_model_columns(model, input, columns + i * model->num_seen);
        nitro_model_score(model, input, scores);
        weights[i] = uncertainty(model, scores);
    }
    if (status == NITRO_OK)
        status = nitro_correction_plan(context, columns, weights, num_rows, model->num_seen, count,
                                       chosen);
    free(columns);
    free(weights);
    return status;
}

/** Usable rows, as the correction needs them. */
typedef struct measured_rows {
    size_t count;
    double *columns;  /* shape [count x num_seen] */
    double *times_ms; /* shape [count x num_variants] */
    double *scores;   /* shape [count x num_variants]: of the model without correction */
    double *errors;   /* shape [count x num_variants]: to be added to them */
} measured_rows;

static void free_rows(measured_rows *rows)
{
    free(rows->columns);
    free(rows->times_ms);
    free(rows->scores);
    free(rows->errors);
}

static nitro_status collect_rows(const nitro_model *model, const nitro_dataset *dataset,
                                 const size_t *which, size_t num_rows, measured_rows *rows)
{
    nitro_context *context = model->context;
    size_t num_variants = model->schema->num_variants;
    rows->columns = nitro_calloc(context, num_rows + 1, (model->num_seen + 1) * sizeof(double));
    rows->times_ms = nitro_calloc(context, num_rows + 1, num_variants * sizeof(double));
    rows->scores = nitro_calloc(context, num_rows + 1, num_variants * sizeof(double));
    if (!rows->columns || !rows->times_ms || !rows->scores)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_rows; i++) {
        const double *times = nitro_dataset_times(dataset, which[i]);
        double *columns = rows->columns + rows->count * model->num_seen;
        if (nitro_times_count(times, num_variants) < 2 ||
            !nitro_model_columns(model, nitro_dataset_features(dataset, which[i]), columns))
            continue;
        memcpy(rows->times_ms + rows->count * num_variants, times, num_variants * sizeof *times);
        model->strategy->score(model->predictor, columns,
                               rows->scores + rows->count * num_variants);
        rows->count++;
    }
    if (rows->count == 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA,
                          "%s: none of the inputs measured on %s has times of two variants",
                          model->schema->computation, model->target);
    return NITRO_OK;
}

static nitro_status find_losses(const nitro_model *model, measured_rows *rows)
{
    const nitro_training_set set = {.num_rows = rows->count,
                                    .num_columns = model->num_seen,
                                    .num_variants = model->schema->num_variants,
                                    .columns = rows->columns,
                                    .times_ms = rows->times_ms};
    size_t *all = nitro_calloc(model->context, rows->count, sizeof *all);
    if (!all)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < rows->count; i++)
        all[i] = i;
    nitro_status status = nitro_losses_find(model->context, &set, all, rows->count, &rows->errors);
    free(all);
    return status;
}

/** Losses become errors. */
static nitro_status find_errors(const nitro_model *model, measured_rows *rows)
{
    nitro_status status = find_losses(model, rows);
    for (size_t i = 0; status == NITRO_OK && i < rows->count * model->schema->num_variants; i++)
        rows->errors[i] = -rows->errors[i] / model->strategy->loss_per_score - rows->scores[i];
    return status;
}

/** Correct the scores of one part of the rows by the others. `kept` has room for all. */
static nitro_status correct_part(const nitro_model *model, const measured_rows *rows, size_t part,
                                 unsigned num_threads, measured_rows *kept, double *scores)
{
    size_t num_seen = model->num_seen, num_variants = model->schema->num_variants;
    nitro_kernel_pair *correction = NULL;
    kept->count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (i % NUM_PARTS == part)
            continue;
        memcpy(kept->columns + kept->count * num_seen, rows->columns + i * num_seen,
               num_seen * sizeof(double));
        memcpy(kept->errors + kept->count * num_variants, rows->errors + i * num_variants,
               num_variants * sizeof(double));
        kept->count++;
    }
    nitro_status status =
        nitro_correction_fit(model->context, kept->columns, kept->errors, kept->count, num_seen,
                             num_variants, num_threads, &correction);
    for (size_t i = part; i < rows->count && status == NITRO_OK; i += NUM_PARTS)
        nitro_kernel_pair_add(correction, 1.0, rows->columns + i * num_seen,
                              scores + i * num_variants);
    nitro_kernel_pair_free(correction);
    return status;
}

/** Scores of each row, shape [count x num_variants], corrected by rows of other parts. */
static nitro_status hold_out(const nitro_model *model, const measured_rows *rows,
                             unsigned num_threads, double *scores)
{
    size_t num_variants = model->schema->num_variants;
    measured_rows kept = {0};
    kept.columns =
        nitro_calloc(model->context, rows->count, (model->num_seen + 1) * sizeof(double));
    kept.errors = nitro_calloc(model->context, rows->count, num_variants * sizeof(double));
    nitro_status status = kept.columns && kept.errors ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    memcpy(scores, rows->scores, rows->count * num_variants * sizeof *scores);
    size_t num_parts = rows->count < NUM_PARTS ? rows->count : NUM_PARTS;
    for (size_t part = 0; rows->count > 1 && part < num_parts && status == NITRO_OK; part++)
        status = correct_part(model, rows, part, num_threads, &kept, scores);
    free_rows(&kept);
    return status;
}

/** Measured inputs weigh the kinds of evidence; many of them give a calibration of their own. */
static nitro_status calibrate_model(nitro_model *model, const measured_rows *rows,
                                    unsigned num_threads)
{
    size_t num_variants = model->schema->num_variants;
    nitro_calibration measured;
    double *scores = nitro_calloc(model->context, rows->count, num_variants * sizeof *scores);
    nitro_status status = scores ? hold_out(model, rows, num_threads, scores) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && model->predicted)
        nitro_predicted_quality_weigh_measured(model->predicted, rows->times_ms, scores,
                                               rows->count, num_variants, &model->calibration);
    if (status == NITRO_OK && rows->count >= LEAST_ROWS) {
        status = nitro_calibration_fit(model->context, rows->times_ms, scores, NULL, rows->count,
                                       num_variants, &measured);
        if (status == NITRO_OK)
            nitro_calibration_blend(&model->calibration, &measured,
                                    (double)rows->count / ((double)rows->count + HALF_WEIGHT),
                                    &model->calibration);
    }
    free(scores);
    return status;
}

nitro_status nitro_model_adapt(nitro_model *model, const nitro_dataset *measured,
                               const size_t *which, size_t num_rows, unsigned num_threads)
{
    measured_rows rows = {0};
    nitro_kernel_pair *correction = NULL;
    nitro_status status = check_strategy(model);
    if (status == NITRO_OK)
        status = collect_rows(model, measured, which, num_rows, &rows);
    if (status == NITRO_OK)
        status = find_errors(model, &rows);
    if (status == NITRO_OK)
        status = nitro_correction_fit(model->context, rows.columns, rows.errors, rows.count,
                                      model->num_seen, model->schema->num_variants, num_threads,
                                      &correction);
    if (status == NITRO_OK)
        status = calibrate_model(model, &rows, num_threads);
    free_rows(&rows);
    if (status != NITRO_OK) {
        nitro_kernel_pair_free(correction);
        return status;
    }
    nitro_kernel_pair_free(model->correction);
    nitro_compiled_free(model->compiled); /* made without this correction */
    model->compiled = NULL;
    model->correction = correction;
    nitro_model_judge(model, nitro_model_used_features(model));
    return NITRO_OK;
}
