/* The models that an evaluation's methods choose by. A device's own model is trained once. To adapt
 * a model, the target's training samples stand for measurements. */
#include <math.h>
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/adapt.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_range.h"

/** Methods as published are calibrated by held-out inputs only: LODO validation takes many times as
 *  long. */
nitro_status nitro_evaluation_train(const nitro_evaluation *evaluation,
                                    const nitro_evaluation_training *how,
                                    const nitro_dataset *sources, size_t target,
                                    nitro_model **model)
{
    /* As nitro_learn_own: on one device, device values are constant. */
    bool compares_devices = !how->strategy->without_relative && !evaluation->is_own;
    const nitro_training_task task = {.sources = sources,
                                      .target = evaluation->dataset->devices[target],
                                      .device_features = how->device_features,
                                      .strategy = how->strategy,
                                      .use_relative = compares_devices && !how->without_relative,
                                      .lodo = compares_devices,
                                      .guards = how->guards && !evaluation->is_own,
                                      .as_published = how->strategy->without_relative,
                                      .range_ends = how->range_ends,
                                      .quiet = how->guards || how->is_quiet,
                                      .weighs_sources = !evaluation->equal_sources,
                                      .all_members = evaluation->num_measured > 0,
                                      .memo = evaluation->memo,
                                      .seed = evaluation->seed,
                                      .num_threads = evaluation->num_threads};
    nitro_status status = nitro_model_train(evaluation->context, &task, model);
    if (status == NITRO_OK && !how->guards && !how->is_quiet)
        nitro_device_range_log_extrapolation(*model, NITRO_LOG_INFO);
    return status;
}

nitro_status nitro_evaluation_select_own(const nitro_evaluation *evaluation, size_t device,
                                         nitro_dataset **rows)
{
    const nitro_dataset *dataset = evaluation->dataset;
    bool *marks = nitro_calloc(evaluation->context, dataset->num_devices, sizeof *marks);
    if (!marks)
        return NITRO_ERR_NO_MEMORY;
    marks[device] = true;
    nitro_status status =
        nitro_dataset_select(evaluation->context, dataset, marks, evaluation->is_train, rows);
    free(marks);
    return status;
}

nitro_status nitro_evaluation_own_model(nitro_evaluation *evaluation, size_t device,
                                        const nitro_model **model)
{
    const nitro_string_list no_device_features = {0};
    const nitro_evaluation_training how = {.strategy = evaluation->strategy,
                                           .device_features = &no_device_features};
    nitro_status status = NITRO_OK;
    if (!evaluation->own[device]) {
        nitro_dataset *rows = NULL;
        status = nitro_evaluation_select_own(evaluation, device, &rows);
        if (status == NITRO_OK)
            status =
                nitro_evaluation_train(evaluation, &how, rows, device, &evaluation->own[device]);
        nitro_dataset_free(rows);
    }
    *model = evaluation->own[device];
    return status;
}

/** The target's training rows. */
static nitro_status collect_measured(const nitro_evaluation *evaluation, size_t target,
                                     size_t **rows, size_t *count)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t found = 0;
    size_t *made = nitro_calloc(evaluation->context, dataset->num_rows, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (dataset->row_device[row] == target && evaluation->is_train[dataset->row_input[row]] &&
            nitro_dataset_row_is_usable(dataset, row))
            made[found++] = row;
    if (found == 0) {
        free(made);
        return nitro_fail(evaluation->context, NITRO_ERR_NO_DATA,
                          "target %s has no samples of training inputs that could be measured",
                          dataset->devices[target]->id);
    }
    *rows = made;
    *count = found;
    return NITRO_OK;
}

nitro_status nitro_evaluation_adapt(nitro_evaluation *evaluation, size_t target, nitro_model *model)
{
    size_t *rows = NULL, num_rows = 0;
    nitro_status status = collect_measured(evaluation, target, &rows, &num_rows);
    if (status != NITRO_OK)
        return status;
    evaluation->all_measured = evaluation->num_measured >= num_rows;
    if (evaluation->all_measured)
        evaluation->num_measured = num_rows;
    size_t count = evaluation->num_measured;
    size_t *chosen = nitro_calloc(evaluation->context, count, sizeof *chosen);
    status = chosen ? nitro_model_plan_measuring(model, evaluation->dataset, rows, num_rows, count,
                                                 chosen)
                    : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        chosen[i] = rows[chosen[i]];
    if (status == NITRO_OK)
        status =
            nitro_model_adapt(model, evaluation->dataset, chosen, count, evaluation->num_threads);
    free(chosen);
    free(rows);
    return status;
}

/** The variants with times, which are those that accept the input. */
static uint64_t find_allowed(const double *times_ms, size_t num_variants)
{
    uint64_t allowed = 0;
    for (size_t v = 0; v < num_variants; v++)
        allowed |= isnan(times_ms[v]) ? 0 : UINT64_C(1) << v;
    return allowed;
}

void nitro_evaluation_choose_by_model(const nitro_evaluation *evaluation, const nitro_model *model,
                                      const size_t *rows, size_t num_rows, bool decides,
                                      size_t *choices)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t num_variants = dataset->schema->num_variants;
    double scores[NITRO_MAX_VARIANTS];
    uint64_t known =
        num_rows > 0 ? nitro_dataset_known_variants(dataset, dataset->row_device[rows[0]]) : 0;
    for (size_t i = 0; i < num_rows; i++) {
        const double *features = nitro_dataset_features(dataset, rows[i]);
        uint64_t allowed = find_allowed(nitro_dataset_times(dataset, rows[i]), num_variants);
        nitro_decision decision;
        if ((nitro_model_decide_few_uses(model, evaluation->share, features, UINT64_MAX,
                                         &decision) &&
             (allowed >> decision.variant & 1)) ||
            (decides && nitro_model_decide_uses(model, features, allowed, evaluation->share, 0.0,
                                                &decision) == NITRO_OK)) {
            choices[i] = decision.variant;
            evaluation->confidences[i] = decision.confidence;
            continue;
        }
        nitro_model_score_uses(model, features, evaluation->share, scores);
        nitro_scores_restrict(scores, num_variants,
                              nitro_dataset_row_variants(dataset, rows[i], known));
        choices[i] = nitro_scores_best(scores, num_variants);
        evaluation->confidences[i] = nitro_calibration_confidence(
            &model->calibration, nitro_calibration_margin(scores, num_variants, UINT64_MAX));
    }
}
