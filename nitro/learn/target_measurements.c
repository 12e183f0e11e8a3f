/* Inputs measured on the target: chosen by the model, measured by the caller, read from the store.
 */
#include "nitro/learn/target_measurements.h"

#include <stdlib.h>
#include <string.h>

#include "nitro/learn/adapt.h"
#include "nitro/learn/data/dataset.h"

/** One adaptation, filled step by step. */
typedef struct measured_job {
    nitro_context *context;
    nitro_store *store;
    const nitro_dataset *sources;
    const nitro_learn_options *options;
    nitro_model *model;
    nitro_string_list measurable; /* sorted */
    size_t num_inputs;
    size_t *rows; /* shape [num_inputs]: of the sources, one for each candidate */
    nitro_string_list chosen;
} measured_job;

static void free_job(measured_job *job)
{
    nitro_string_list_free(&job->measurable);
    nitro_string_list_free(&job->chosen);
    free(job->rows);
}

static nitro_status list_measurable(measured_job *job)
{
    const nitro_learn_options *options = job->options;
    nitro_status status = NITRO_OK;
    if (!options->measurable)
        status = nitro_store_list_inputs(job->store, nitro_model_computation(job->model),
                                         nitro_model_target(job->model), &job->measurable);
    for (size_t i = 0; options->measurable && i < options->num_measurable && status == NITRO_OK;
         i++)
        status = nitro_string_list_add(job->context, &job->measurable, options->measurable[i]);
    nitro_string_list_sort(&job->measurable);
    return status;
}

/** Inputs of the sources, since their features are known without measuring. */
static nitro_status list_candidates(measured_job *job)
{
    const nitro_dataset *sources = job->sources;
    job->rows = nitro_calloc(job->context, sources->num_inputs, sizeof *job->rows);
    bool *seen = nitro_calloc(job->context, sources->num_inputs, sizeof *seen);
    bool allocated = job->rows && seen;
    for (size_t row = 0; allocated && row < sources->num_rows; row++) {
        size_t input = sources->row_input[row];
        if (seen[input] || !nitro_store_sorted_list_has(&job->measurable, sources->inputs[input]))
            continue;
        seen[input] = true;
        job->rows[job->num_inputs++] = row;
    }
    free(seen);
    if (!allocated)
        return NITRO_ERR_NO_MEMORY;
    if (job->num_inputs > 0)
        return NITRO_OK;
    if (job->measurable.count == 0)
        return nitro_fail(job->context, NITRO_ERR_NO_DATA,
                          "%s: no input can be measured on %s: name inputs of the sources%s",
                          nitro_model_computation(job->model), nitro_model_target(job->model),
                          job->options->measurable ? "" : ", or import samples of the target");
    return nitro_fail(job->context, NITRO_ERR_NO_DATA,
                      "%s: none of the %zu inputs that can be measured on %s is known from the "
                      "sources: name inputs of the sources%s",
                      nitro_model_computation(job->model), job->measurable.count,
                      nitro_model_target(job->model),
                      job->options->measurable ? "" : ", or import samples of the target");
}

static nitro_status choose_inputs(measured_job *job)
{
    size_t count = job->options->num_measured;
    if (count > job->num_inputs) {
        nitro_log(
            job->context, NITRO_LOG_WARNING,
            "%zu inputs were to be measured on %s, but only %zu of the sources' inputs can be",
            count, nitro_model_target(job->model), job->num_inputs);
        count = job->num_inputs;
    }
    size_t *chosen = nitro_calloc(job->context, count, sizeof *chosen);
    if (!chosen)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_model_plan_measuring(job->model, job->sources, job->rows,
                                                     job->num_inputs, count, chosen);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_string_list_add(
            job->context, &job->chosen,
            job->sources->inputs[job->sources->row_input[job->rows[chosen[i]]]]);
    free(chosen);
    return status;
}

static nitro_status measure(const measured_job *job)
{
    if (!job->options->measure)
        return NITRO_OK;
    return job->options->measure(job->options->measure_user, (const char *const *)job->chosen.items,
                                 job->chosen.count);
}

/** The dataset's row of an input, or NITRO_NONE. */
static size_t find_row(const nitro_dataset *dataset, const char *input)
{
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (strcmp(dataset->inputs[dataset->row_input[row]], input) == 0)
            return row;
    return NITRO_NONE;
}

static nitro_status adapt_to_rows(measured_job *job, const nitro_dataset *measured,
                                  nitro_string_list *inputs)
{
    size_t count = 0;
    size_t *rows = nitro_calloc(job->context, job->chosen.count, sizeof *rows);
    nitro_status status = rows ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < job->chosen.count && status == NITRO_OK; i++) {
        size_t row = find_row(measured, job->chosen.items[i]);
        if (row == NITRO_NONE || !nitro_dataset_row_is_usable(measured, row))
            continue;
        rows[count++] = row;
        status = nitro_string_list_add(job->context, inputs, job->chosen.items[i]);
    }
    if (status == NITRO_OK)
        status = nitro_model_adapt(job->model, measured, rows, count, job->options->num_threads);
    free(rows);
    return status;
}

static nitro_status adapt(measured_job *job, nitro_string_list *inputs)
{
    const char *target = nitro_model_target(job->model);
    nitro_dataset *measured = NULL;
    nitro_status status =
        nitro_dataset_load(job->store, nitro_model_computation(job->model), &target, 1, &measured);
    if (status == NITRO_OK) {
        job->model->untried &= ~measured->tried;
        status = adapt_to_rows(job, measured, inputs);
    }
    nitro_dataset_free(measured);
    return status;
}

nitro_status nitro_measured_adapt(nitro_context *context, nitro_store *store,
                                  const nitro_dataset *sources, const nitro_learn_options *options,
                                  nitro_model *model, nitro_string_list *inputs)
{
    measured_job job = {
        .context = context, .store = store, .sources = sources, .options = options, .model = model};
    nitro_status status = list_measurable(&job);
    if (status == NITRO_OK)
        status = list_candidates(&job);
    if (status == NITRO_OK)
        status = choose_inputs(&job);
    if (status == NITRO_OK)
        status = measure(&job);
    if (status == NITRO_OK)
        status = adapt(&job, inputs);
    free_job(&job);
    return status;
}
