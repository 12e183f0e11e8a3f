/* The models that an evaluation's methods choose by. A device's own model is trained once. */
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/device_range.h"

/** Methods as published are calibrated by held-out inputs only: LODO validation takes many times as
 *  long. */
nitro_status nitro_evaluation_train(const nitro_evaluation *evaluation,
                                    const nitro_strategy *strategy, const nitro_dataset *sources,
                                    size_t target, const nitro_string_list *device_features,
                                    bool guards, nitro_model **model)
{
    const nitro_training_task task = {.sources = sources,
                                      .target = evaluation->dataset->devices[target],
                                      .device_features = device_features,
                                      .strategy = strategy,
                                      .use_relative = !strategy->without_relative,
                                      .lodo = !strategy->without_relative,
                                      .guards = guards,
                                      .quiet = guards,
                                      .all_members = evaluation->num_measured > 0,
                                      .seed = evaluation->seed,
                                      .num_threads = evaluation->num_threads};
    nitro_status status = nitro_model_train(evaluation->context, &task, model);
    if (status == NITRO_OK && !guards)
        nitro_device_range_log_extrapolation(*model, NITRO_LOG_INFO);
    return status;
}

nitro_status nitro_evaluation_own_model(nitro_evaluation *evaluation, size_t device,
                                        const nitro_model **model)
{
    const nitro_dataset *dataset = evaluation->dataset;
    const nitro_string_list no_device_features = {0};
    nitro_status status = NITRO_OK;
    if (!evaluation->own[device]) {
        nitro_dataset *rows = NULL;
        bool *marks = nitro_calloc(evaluation->context, dataset->num_devices, sizeof *marks);
        if (!marks)
            return NITRO_ERR_NO_MEMORY;
        marks[device] = true;
        status =
            nitro_dataset_select(evaluation->context, dataset, marks, evaluation->is_train, &rows);
        if (status == NITRO_OK)
            status = nitro_evaluation_train(evaluation, evaluation->strategy, rows, device,
                                            &no_device_features, false, &evaluation->own[device]);
        nitro_dataset_free(rows);
        free(marks);
    }
    *model = evaluation->own[device];
    return status;
}

void nitro_evaluation_choose_by_model(const nitro_evaluation *evaluation, const nitro_model *model,
                                      const size_t *rows, size_t num_rows, size_t *choices)
{
    size_t num_variants = evaluation->dataset->schema->num_variants;
    double scores[NITRO_MAX_VARIANTS];
    for (size_t i = 0; i < num_rows; i++) {
        nitro_model_score(model, nitro_dataset_features(evaluation->dataset, rows[i]), scores);
        choices[i] = nitro_scores_best(scores, num_variants);
        evaluation->confidences[i] = nitro_calibration_confidence(
            &model->calibration, nitro_calibration_margin(scores, num_variants, UINT64_MAX));
    }
}
