/* Measured inputs into a model. Hides how scores become regrets: by the strategy's own scale. */
#include "nitro/adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/correction.h"
#include "nitro/dataset.h"
#include "nitro/promise.h"
#include "nitro/regret.h"

#define CLEAR_LEAD  0.1 /* log regret by which one variant is ahead where little can go wrong */
#define LEAST_DOUBT 0.1 /* what a clear input counts as, beside 1 for a tie */

static nitro_status check_strategy(const nitro_model *model)
{
    if (model->strategy->regret_per_score > 0.0)
        return NITRO_OK;
    return nitro_fail(model->context, NITRO_ERR_ARGUMENT,
                      "scores of strategy %s are no times, so measured inputs cannot correct them: "
                      "use another, such as auto or forest",
                      model->strategy->name);
}

/* ---- Planning -------------------------------------------------------------------------------- */

static double doubt(const nitro_model *model, const double *scores)
{
    size_t num_variants = model->schema->num_variants;
    size_t best = nitro_scores_best(scores, num_variants);
    double lead = INFINITY;
    for (size_t v = 0; v < num_variants; v++)
        if (v != best)
            lead = fmin(lead, (scores[best] - scores[v]) * model->strategy->regret_per_score);
    return LEAST_DOUBT + exp(-lead / CLEAR_LEAD);
}

nitro_status nitro_model_plan_measuring(const nitro_model *model, const double *features,
                                        size_t num_inputs, size_t count, size_t *chosen)
{
    nitro_context *context = model->context;
    nitro_status status = check_strategy(model);
    if (status != NITRO_OK)
        return status;
    double *columns = nitro_calloc(context, num_inputs, (model->num_seen + 1) * sizeof *columns);
    double *weights = nitro_calloc(context, num_inputs, sizeof *weights);
    status = columns && weights ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_inputs && status == NITRO_OK; i++) {
        const double *input = features + i * model->schema->num_features;
        double scores[NITRO_MAX_VARIANTS];
        nitro_model_columns(model, input, columns + i * model->num_seen);
        nitro_model_score(model, input, scores);
        weights[i] = doubt(model, scores);
    }
    if (status == NITRO_OK)
        status = nitro_correction_plan(context, columns, weights, num_inputs, model->num_seen,
                                       count, chosen);
    free(columns);
    free(weights);
    return status;
}

/* ---- Adapting -------------------------------------------------------------------------------- */

/** Rows that teach, as the correction needs them. */
typedef struct measured_rows {
    size_t count;
    double *columns;  /* shape [count x num_seen] */
    double *times_ms; /* shape [count x num_variants] */
    double *scores;   /* shape [count x num_variants]: what the model says */
    double *regrets;  /* shape [count x num_variants]: what is true */
} measured_rows;

static void free_rows(measured_rows *rows)
{
    free(rows->columns);
    free(rows->times_ms);
    free(rows->scores);
    free(rows->regrets);
}

static nitro_status collect_rows(const nitro_model *model, const double *features,
                                 const double *times_ms, size_t num_inputs, measured_rows *rows)
{
    nitro_context *context = model->context;
    size_t num_variants = model->schema->num_variants;
    rows->columns = nitro_calloc(context, num_inputs + 1, (model->num_seen + 1) * sizeof(double));
    rows->times_ms = nitro_calloc(context, num_inputs + 1, num_variants * sizeof(double));
    rows->scores = nitro_calloc(context, num_inputs + 1, num_variants * sizeof(double));
    if (!rows->columns || !rows->times_ms || !rows->scores)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_inputs; i++) {
        const double *times = times_ms + i * num_variants;
        double *columns = rows->columns + rows->count * model->num_seen;
        if (nitro_times_count(times, num_variants) < 2 ||
            !nitro_model_columns(model, features + i * model->schema->num_features, columns))
            continue;
        memcpy(rows->times_ms + rows->count * num_variants, times, num_variants * sizeof *times);
        model->strategy->score(model->predictor, columns,
                               rows->scores + rows->count * num_variants);
        rows->count++;
    }
    if (rows->count == 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA,
                          "%s: none of the %zu inputs measured on %s has times of two variants",
                          model->schema->computation, num_inputs, model->target);
    return NITRO_OK;
}

static nitro_status find_regrets(const nitro_model *model, measured_rows *rows)
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
    nitro_status status = nitro_regrets_cut(model->context, &set, all, rows->count, &rows->regrets);
    free(all);
    return status;
}

nitro_status nitro_model_adapt(nitro_model *model, const double *features, const double *times_ms,
                               size_t num_inputs, unsigned num_threads)
{
    measured_rows rows = {0};
    nitro_correction *correction = NULL;
    size_t num_variants = model->schema->num_variants;
    nitro_status status = check_strategy(model);
    if (status == NITRO_OK)
        status = collect_rows(model, features, times_ms, num_inputs, &rows);
    if (status == NITRO_OK)
        status = find_regrets(model, &rows);
    if (status == NITRO_OK) {
        for (size_t i = 0; i < rows.count * num_variants; i++)
            rows.regrets[i] = -rows.regrets[i] / model->strategy->regret_per_score - rows.scores[i];
        status = nitro_correction_fit(model->context, rows.columns, rows.regrets, rows.count,
                                      model->num_seen, num_variants, num_threads, &correction);
    }
    free_rows(&rows);
    if (status != NITRO_OK)
        return status;
    nitro_correction_free(model->correction);
    model->correction = correction;
    if (model->promise)
        nitro_promise_weigh(model->promise, num_inputs, &model->calibration);
    return NITRO_OK;
}
