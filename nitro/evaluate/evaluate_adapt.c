/* Adaptation in an evaluation: the target's training samples stand for measurements. */
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/adapt.h"
#include "nitro/learn/data/dataset.h"

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
