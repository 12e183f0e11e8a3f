/* Models of single sources, trained without one part of the inputs at a time, and their scores of
 * that part on every device. */
#include "nitro/learn/cross_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/folds.h"
#include "nitro/learn/data/learn_progress.h"

#define NUM_PARTS  3
#define MAX_INPUTS 900 /* in all parts: more hardly change means over a device */

typedef struct cross_run {
    nitro_context *context;
    const nitro_fit_task *task;
    size_t *part_of; /* shape [num_inputs] */
    bool *devices;   /* shape [num_devices]: the one to train on */
    bool *inputs;    /* shape [num_inputs]: those to train on */
    nitro_cross_scores *result;
} cross_run;

void nitro_cross_scores_free(nitro_cross_scores *cross)
{
    free(cross->scores);
    free(cross->known);
    free(cross->allowed);
    free(cross->losses);
    *cross = (nitro_cross_scores){0};
}

static double *scores_at(const nitro_cross_scores *cross, size_t source, size_t row)
{
    return cross->scores + (source * cross->num_rows + row) * cross->num_variants;
}

const double *nitro_cross_scores_of(const nitro_cross_scores *cross, size_t source, size_t row)
{
    return scores_at(cross, source, row);
}

void nitro_cross_scores_mix(const nitro_cross_scores *cross, const double *weights, size_t row,
                            double *scores)
{
    double totals[NITRO_MAX_VARIANTS] = {0};
    bool any = false;
    for (size_t v = 0; v < cross->num_variants; v++)
        scores[v] = 0.0;
    for (size_t d = 0; d < cross->num_devices; d++) {
        const double *own = scores_at(cross, d, row);
        if (!(weights[d] > 0.0) || isnan(own[0]))
            continue;
        any = true;
        for (size_t v = 0; v < cross->num_variants; v++)
            if (cross->known[d] >> v & 1) {
                scores[v] += weights[d] * own[v];
                totals[v] += weights[d];
            }
    }
    for (size_t v = 0; v < cross->num_variants; v++)
        scores[v] = !any ? (double)NAN : totals[v] > 0.0 ? scores[v] / totals[v] : -INFINITY;
    nitro_scores_restrict(scores, cross->num_variants, cross->allowed[row]);
}

/** Score the held-out part of all devices, each as the model's target. */
static void score_part(const cross_run *run, nitro_model *model, size_t source, size_t part)
{
    const nitro_dataset *sources = run->task->sources;
    size_t target = NITRO_NONE;
    for (size_t row = 0; row < sources->num_rows; row++) {
        if (run->part_of[sources->row_input[row]] != part ||
            !nitro_dataset_row_is_usable(sources, row))
            continue;
        if (sources->row_device[row] != target) {
            target = sources->row_device[row];
            nitro_fit_set_target(model, sources->devices[target], run->task->clamps_device);
        }
        nitro_model_score(model, nitro_dataset_features(sources, row),
                          scores_at(run->result, source, row));
    }
}

static nitro_status run_part(const cross_run *run, size_t source, size_t part)
{
    const nitro_dataset *sources = run->task->sources;
    nitro_dataset *own = NULL;
    nitro_model *model = NULL;
    for (size_t i = 0; i < sources->num_inputs; i++)
        run->inputs[i] = run->part_of[i] != part && run->part_of[i] != NITRO_NONE;
    nitro_status status =
        nitro_dataset_select(run->context, sources, run->devices, run->inputs, &own);
    if (status == NITRO_OK) {
        nitro_fit_task task = *run->task;
        task.sources = own;
        task.target = sources->devices[source];
        task.source_weights = NULL;
        task.quick = true;
        status = nitro_fit(run->context, &task, &model, NULL);
    }
    if (status == NITRO_OK)
        score_part(run, model, source, part);
    nitro_model_free(model);
    nitro_dataset_free(own);
    return status == NITRO_ERR_NO_DATA ? NITRO_OK : status;
}

/** Quality of the model's choice among the variants that its source measured and the row allows;
 *  NaN: the row has no scores, or no time of these. */
static double judge(const nitro_dataset *sources, const nitro_cross_scores *cross, size_t source,
                    size_t row)
{
    uint64_t known = cross->known[source] & cross->allowed[row];
    double times[NITRO_MAX_VARIANTS], scores[NITRO_MAX_VARIANTS];
    memcpy(scores, scores_at(cross, source, row), cross->num_variants * sizeof *scores);
    for (size_t v = 0; v < cross->num_variants; v++)
        times[v] = known >> v & 1 ? nitro_dataset_times(sources, row)[v] : (double)NAN;
    if (isnan(scores[0]) || nitro_times_count(times, cross->num_variants) == 0)
        return NAN;
    nitro_scores_restrict(scores, cross->num_variants, known);
    return nitro_times_quality(times, cross->num_variants,
                               nitro_scores_best(scores, cross->num_variants));
}

static void find_losses(const nitro_dataset *sources, size_t source, nitro_cross_scores *result)
{
    double *losses = result->losses + source * result->num_devices;
    for (size_t d = 0; d < result->num_devices; d++) {
        double sum = 0.0, count = 0.0;
        for (size_t row = 0; row < result->num_rows; row++) {
            double quality =
                sources->row_device[row] == d ? judge(sources, result, source, row) : (double)NAN;
            if (isnan(quality))
                continue;
            sum += 1.0 - quality;
            count += 1.0;
        }
        losses[d] = 100.0 * sum / count; /* NaN without rows */
    }
}

static nitro_status run_all(cross_run *run)
{
    const nitro_dataset *sources = run->task->sources;
    nitro_status status = nitro_inputs_deal(run->context, sources, run->task->seed, NUM_PARTS,
                                            MAX_INPUTS, run->part_of);
    for (size_t d = 0; d < sources->num_devices && status == NITRO_OK; d++) {
        run->devices[d] = true;
        for (size_t part = 0; part < NUM_PARTS && status == NITRO_OK; part++) {
            status = run_part(run, d, part);
            if (status == NITRO_OK)
                status =
                    nitro_learn_tell(run->context, run->task->listener, "sources by themselves",
                                     d * NUM_PARTS + part + 1, sources->num_devices * NUM_PARTS);
        }
        run->devices[d] = false;
        find_losses(sources, d, run->result);
    }
    return status;
}

nitro_status nitro_cross_scores_run(nitro_context *context, const nitro_fit_task *task,
                                    nitro_cross_scores *result)
{
    const nitro_dataset *sources = task->sources;
    nitro_cross_scores made = {.num_devices = sources->num_devices,
                               .num_rows = sources->num_rows,
                               .num_variants = sources->schema->num_variants};
    size_t num_scores = made.num_devices * made.num_rows * made.num_variants;
    cross_run run = {.context = context, .task = task, .result = &made};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    made.scores = nitro_calloc(context, num_scores, sizeof *made.scores);
    made.losses = nitro_calloc(context, made.num_devices, made.num_devices * sizeof(double));
    made.known = nitro_calloc(context, made.num_devices, sizeof *made.known);
    made.allowed = nitro_calloc(context, made.num_rows, sizeof *made.allowed);
    run.part_of = nitro_calloc(context, sources->num_inputs, sizeof *run.part_of);
    run.devices = nitro_calloc(context, sources->num_devices, sizeof *run.devices);
    run.inputs = nitro_calloc(context, sources->num_inputs, sizeof *run.inputs);
    if (made.scores && made.losses && made.known && made.allowed && run.part_of && run.devices &&
        run.inputs) {
        for (size_t i = 0; i < num_scores; i++)
            made.scores[i] = NAN;
        for (size_t d = 0; d < made.num_devices; d++)
            made.known[d] = nitro_dataset_known_variants(sources, d);
        for (size_t row = 0; row < made.num_rows; row++)
            made.allowed[row] =
                nitro_dataset_row_variants(sources, row, made.known[sources->row_device[row]]);
        status = run_all(&run);
    }
    free(run.part_of);
    free(run.devices);
    free(run.inputs);
    if (status == NITRO_OK)
        *result = made;
    else
        nitro_cross_scores_free(&made);
    return status;
}
