/* Leave-one-device-out validation. Every input belongs to one of a few parts; every pair of a
 * source and a part is scored by a model that saw neither. */
#include "nitro/learn/lodo.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_similarity.h"
#include "nitro/learn/data/folds.h"
#include "nitro/learn/data/learn_progress.h"
#include "nitro/learn/relative_selection.h"

#define NUM_PARTS   3
#define MAX_ROWS    2000 /* of one model's training set: more hardly change the means */
#define MIN_SOURCES 2

typedef struct lodo_run {
    nitro_context *context;
    const nitro_fit_task *task;
    size_t *part_of; /* shape [num_inputs] */
    bool *usable;    /* shape [num_devices]: has usable rows */
    bool *devices;   /* shape [num_devices]: training set of the next model */
    bool *inputs;    /* shape [num_inputs]: the same */
    nitro_lodo *result;
    size_t num_done, num_models; /* of all sources and parts */
} lodo_run;

void nitro_lodo_free(nitro_lodo *result)
{
    free(result->scores);
    free(result->num_rows);
    free(result->qualities);
    free(result->weights);
    free(result->mix_gains);
    *result = (nitro_lodo){0};
}

static nitro_status prepare(lodo_run *run)
{
    const nitro_dataset *sources = run->task->sources;
    size_t num_variants = sources->schema->num_variants;
    nitro_lodo *result = run->result;
    result->scores =
        nitro_calloc(run->context, sources->num_rows, num_variants * sizeof *result->scores);
    result->num_rows = nitro_calloc(run->context, sources->num_devices, sizeof *result->num_rows);
    result->qualities = nitro_calloc(run->context, sources->num_devices, sizeof *result->qualities);
    if (run->task->strategy->num_members > 0 && run->task->members == 0)
        result->num_mixes = (size_t)1 << run->task->strategy->num_members;
    size_t num_mixes = sources->num_devices * result->num_mixes;
    result->mix_gains = nitro_calloc(run->context, num_mixes + 1, sizeof *result->mix_gains);
    run->part_of = nitro_calloc(run->context, sources->num_inputs, sizeof *run->part_of);
    run->usable = nitro_calloc(run->context, sources->num_devices, sizeof *run->usable);
    run->devices = nitro_calloc(run->context, sources->num_devices, sizeof *run->devices);
    run->inputs = nitro_calloc(run->context, sources->num_inputs, sizeof *run->inputs);
    if (!result->scores || !result->num_rows || !result->qualities || !result->mix_gains ||
        !run->part_of || !run->usable || !run->devices || !run->inputs)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < sources->num_rows * num_variants; i++)
        result->scores[i] = NAN;
    return nitro_inputs_deal(run->context, sources, run->task->seed, NUM_PARTS,
                             MAX_ROWS * NUM_PARTS / (NUM_PARTS - 1) / sources->num_devices,
                             run->part_of);
}

/** Mark the devices with usable rows, and count them. */
static size_t mark_usable(const lodo_run *run)
{
    const nitro_dataset *sources = run->task->sources;
    size_t count = 0;
    for (size_t d = 0; d < sources->num_devices; d++) {
        run->usable[d] = nitro_dataset_usable_rows(sources, d) > 0;
        count += run->usable[d];
    }
    return count;
}

/** Samples of other devices and inputs. */
static nitro_status select_rows(const lodo_run *run, size_t part, nitro_dataset **selected)
{
    for (size_t i = 0; i < run->task->sources->num_inputs; i++)
        run->inputs[i] = run->part_of[i] != part && run->part_of[i] != NITRO_NONE;
    return nitro_dataset_select(run->context, run->task->sources, run->devices, run->inputs,
                                selected);
}

/** Quality, in percent, of the choice of a subset of the ensemble's members among the `allowed`
 *  variants. */
static double judge_mix(const double *own, size_t mix, const double *times, size_t num_variants,
                        uint64_t allowed)
{
    double sums[NITRO_MAX_VARIANTS] = {0};
    for (size_t m = 0; mix >> m; m++)
        for (size_t v = 0; mix >> m & 1 && v < num_variants; v++)
            sums[v] += own[m * num_variants + v];
    nitro_scores_restrict(sums, num_variants, allowed);
    return 100.0 * nitro_times_quality(times, num_variants, nitro_scores_best(sums, num_variants));
}

/* Gains are first sums over a device's rows, and sums of squares in place of the variance. */
static void add_gain(nitro_gain *sum, double gain)
{
    sum->mean += gain;
    sum->variance += gain * gain;
}

static void conclude_gain(nitro_gain *sum, size_t num_rows)
{
    sum->mean /= (double)num_rows; /* NaN without rows */
    sum->variance = (sum->variance / (double)num_rows - sum->mean * sum->mean) / (double)num_rows;
}

/** Add the gain of each subset over all members on one row. */
static void judge_mixes(const lodo_run *run, const nitro_model *model, size_t row, uint64_t allowed)
{
    const nitro_dataset *sources = run->task->sources;
    const double *times = nitro_dataset_times(sources, row);
    size_t num_variants = sources->schema->num_variants, num_mixes = run->result->num_mixes;
    double columns[NITRO_MODEL_MAX_COLUMNS], own[NITRO_MAX_MEMBERS * NITRO_MAX_VARIANTS];
    nitro_model_columns(model, nitro_dataset_features(sources, row), columns);
    model->strategy->score_members(model->predictor, columns, own);
    double all = judge_mix(own, num_mixes - 1, times, num_variants, allowed);
    for (size_t mix = 1; mix < num_mixes; mix++)
        add_gain(&run->result->mix_gains[mix * sources->num_devices + sources->row_device[row]],
                 judge_mix(own, mix, times, num_variants, allowed) - all);
}

static void score_rows(lodo_run *run, const nitro_model *model, size_t source, size_t part)
{
    const nitro_dataset *sources = run->task->sources;
    size_t num_variants = sources->schema->num_variants;
    const uint64_t known = nitro_dataset_known_variants(sources, source);
    nitro_lodo *result = run->result;
    for (size_t row = 0; row < sources->num_rows; row++) {
        if (sources->row_device[row] != source || run->part_of[sources->row_input[row]] != part ||
            !nitro_dataset_row_is_usable(sources, row))
            continue;
        const uint64_t allowed = nitro_dataset_row_variants(sources, row, known);
        double *scores = result->scores + row * num_variants;
        nitro_model_score(model, nitro_dataset_features(sources, row), scores);
        nitro_scores_restrict(scores, num_variants, allowed);
        size_t chosen = nitro_scores_best(scores, num_variants);
        result->qualities[source] +=
            100.0 * nitro_times_quality(nitro_dataset_times(sources, row), num_variants, chosen);
        result->num_rows[source]++;
        if (result->num_mixes > 0)
            judge_mixes(run, model, row, allowed);
    }
}

/** Parts without any row to train on are skipped. */
static nitro_status validate_part(lodo_run *run, size_t source, size_t part)
{
    nitro_dataset *others = NULL;
    nitro_model *model = NULL;
    nitro_status status = select_rows(run, part, &others);
    if (status == NITRO_OK) {
        nitro_fit_task task = *run->task;
        task.sources = others;
        task.target = run->task->sources->devices[source];
        task.quick = true;
        status = nitro_relative_select(run->context, others, NITRO_NONE, task.target, false,
                                       task.relative);
        if (status == NITRO_OK)
            status = nitro_fit(run->context, &task, &model, NULL);
    }
    if (status == NITRO_OK)
        score_rows(run, model, source, part);
    nitro_model_free(model);
    nitro_dataset_free(others);
    return status == NITRO_ERR_NO_DATA ? NITRO_OK : status;
}

/** Learn from the usable devices that may speak for the source. */
static nitro_status validate_source(lodo_run *run, size_t source)
{
    nitro_device *const *devices = run->task->sources->devices;
    const size_t num_devices = run->task->sources->num_devices;
    nitro_kinship of_target =
        nitro_device_kinship(run->task->target, devices, num_devices, run->usable);
    nitro_status status = NITRO_OK;
    of_target.hides_architecture = run->task->lacks_architecture;
    for (size_t d = 0; d < num_devices; d++)
        run->devices[d] = run->usable[d] && d != source &&
                          nitro_kinship_allows(of_target, devices[source], devices[d]);
    for (size_t part = 0; part < NUM_PARTS && status == NITRO_OK; part++) {
        status = validate_part(run, source, part);
        if (status == NITRO_OK)
            status = nitro_learn_tell(run->context, run->task->listener, "LODO validation",
                                      ++run->num_done, run->num_models);
    }
    return status;
}

static nitro_status validate_each(lodo_run *run)
{
    const nitro_dataset *sources = run->task->sources;
    nitro_status status = NITRO_OK;
    size_t num_scored = 0;
    run->num_models = mark_usable(run) * NUM_PARTS;
    if (run->num_models < MIN_SOURCES * NUM_PARTS)
        return nitro_fail(
            run->context, NITRO_ERR_NO_DATA,
            "%s: fewer than %d source devices have usable samples: LODO validation is not possible",
            sources->schema->computation, MIN_SOURCES);
    for (size_t d = 0; d < sources->num_devices && status == NITRO_OK; d++) {
        if (run->usable[d])
            status = validate_source(run, d);
        run->result->qualities[d] /= (double)run->result->num_rows[d]; /* NaN without rows */
        for (size_t mix = 0; mix < run->result->num_mixes; mix++)
            conclude_gain(&run->result->mix_gains[mix * sources->num_devices + d],
                          run->result->num_rows[d]);
        num_scored += run->result->num_rows[d];
    }
    if (status == NITRO_OK && num_scored == 0)
        return nitro_fail(run->context, NITRO_ERR_NO_DATA, "%s: too few inputs for LODO validation",
                          sources->schema->computation);
    return status;
}

nitro_status nitro_lodo_run(nitro_context *context, const nitro_fit_task *task, nitro_lodo *result)
{
    nitro_lodo made = {0};
    lodo_run run = {.context = context, .task = task, .result = &made};
    nitro_status status = prepare(&run);
    if (status == NITRO_OK)
        status = validate_each(&run);
    free(run.part_of);
    free(run.usable);
    free(run.devices);
    free(run.inputs);
    if (status == NITRO_OK)
        *result = made;
    else
        nitro_lodo_free(&made);
    return status;
}

void nitro_lodo_compare(const nitro_dataset *sources, const nitro_lodo *base,
                        const nitro_lodo *other, nitro_gain *gains)
{
    size_t num_variants = sources->schema->num_variants;
    for (size_t d = 0; d < sources->num_devices; d++)
        gains[d] = (nitro_gain){0};
    for (size_t row = 0; row < sources->num_rows; row++) {
        const double *times = nitro_dataset_times(sources, row);
        const double *before = base->scores + row * num_variants;
        const double *after = other->scores + row * num_variants;
        if (isnan(before[0]) || isnan(after[0]))
            continue;
        double gain =
            nitro_times_quality(times, num_variants, nitro_scores_best(after, num_variants)) -
            nitro_times_quality(times, num_variants, nitro_scores_best(before, num_variants));
        add_gain(&gains[sources->row_device[row]], 100.0 * gain);
    }
    for (size_t d = 0; d < sources->num_devices; d++)
        conclude_gain(&gains[d], base->num_rows[d]);
}
