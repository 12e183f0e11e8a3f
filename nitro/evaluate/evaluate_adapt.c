/*
 * Models adapted to a target's measured inputs. Hides that nothing is measured here: the target's
 * training samples stand for what the model asks for.
 */
#include <stdlib.h>
#include <string.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/adapt.h"
#include "nitro/learn/data/dataset.h"

/** Training inputs of the target, as if they had been measured there. */
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

/** Let the model choose from the rows, and adapt it to what it chose. */
static nitro_status adapt_to_rows(const nitro_evaluation *evaluation, const size_t *rows,
                                  size_t num_rows, size_t count, nitro_model *model)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t num_features = dataset->schema->num_features;
    size_t num_variants = dataset->schema->num_variants;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    double *features = nitro_calloc(evaluation->context, num_rows, num_features * sizeof(double));
    double *picked = nitro_calloc(evaluation->context, count, num_features * sizeof(double));
    double *times = nitro_calloc(evaluation->context, count, num_variants * sizeof(double));
    size_t *chosen = nitro_calloc(evaluation->context, count, sizeof *chosen);
    if (features && picked && times && chosen) {
        for (size_t i = 0; i < num_rows; i++)
            memcpy(features + i * num_features, nitro_dataset_features(dataset, rows[i]),
                   num_features * sizeof(double));
        status = nitro_model_plan_measuring(model, features, num_rows, count, chosen);
    }
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        memcpy(picked + i * num_features, features + chosen[i] * num_features,
               num_features * sizeof(double));
        memcpy(times + i * num_variants, nitro_dataset_times(dataset, rows[chosen[i]]),
               num_variants * sizeof(double));
    }
    if (status == NITRO_OK)
        status = nitro_model_adapt(model, picked, times, count, evaluation->num_threads);
    free(features);
    free(picked);
    free(times);
    free(chosen);
    return status;
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
    status = adapt_to_rows(evaluation, rows, num_rows, evaluation->num_measured, model);
    free(rows);
    return status;
}
