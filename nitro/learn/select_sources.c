/* Training with weighted sources: cross scores, the choice of weights, one fit, its validation. */
#include "nitro/learn/select_sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"
#include "nitro/learn/data/device_similarity.h"
#include "nitro/learn/data/source_checks.h"
#include "nitro/learn/feature_costs.h"
#include "nitro/learn/prepare_costs_fit.h"
#include "nitro/learn/range_ends_fit.h"
#include "nitro/learn/relative_selection.h"
#include "nitro/learn/source_choice.h"

/* Validation is harder than the target's case, since it has one source less: for a target as unlike
 * its nearest source as validation devices are, half of the way from held-out inputs to it had no
 * bias on recorded SpMV data. */
#define LODO_SHARE 0.5
/* Confidences are meant to be right in the mean over targets, not on the hardest one. */
#define CONFIDENCE_SHARE 0.05
#define MAX_MARGINS      2000 /* more do not move the ends of steps */
/* Quality to expect of the dissimilarity to the nearest source alone, percent: a fit over recorded
 * targets and random subsets of the others. The mean of it and of validation errs by 1.8 in the
 * mean, validation alone by 2.3. */
#define SIMILAR_QUALITY    97.0
#define DISSIMILARITY_LOSS 5.0

/* The gain on a source of fewer samples is mostly chance. */
#define LEAST_COMPARED 100

struct nitro_source_weighing {
    nitro_context *context;
    const nitro_training_task *task;
    nitro_string_list hardware;
    bool relative[NITRO_MAX_FEATURES]; /* those that can be used */
    nitro_cross_scores plain, with_relative;
    nitro_source_choice choice;
    nitro_dataset *used;  /* rows of the sources that count */
    double *used_weights; /* shape [used->num_devices] */
};

void nitro_source_weighing_free(nitro_source_weighing *t)
{
    if (!t)
        return;
    nitro_string_list_free(&t->hardware);
    nitro_cross_scores_free(&t->plain);
    nitro_cross_scores_free(&t->with_relative);
    nitro_source_choice_free(&t->choice);
    nitro_dataset_free(t->used);
    free(t->used_weights);
    free(t);
}

static nitro_fit_task fit_task(const nitro_source_weighing *t, bool uses_relative)
{
    const nitro_training_task *task = t->task;
    nitro_fit_task made = {.sources = task->sources,
                           .target = task->target,
                           .device_features = task->device_features,
                           .lacks_architecture = nitro_source_weighing_lacks_architecture(t),
                           .clamps_device = task->guards,
                           .strategy = task->strategy,
                           .memo = task->memo,
                           .listener = task->listener,
                           .seed = task->seed,
                           .num_threads = task->num_threads};
    if (uses_relative)
        memcpy(made.relative, t->relative, sizeof made.relative);
    return made;
}

/** The source that is most like the target; NITRO_NONE if none can be learnt by itself. */
static nitro_status find_nearest(const nitro_source_weighing *t, size_t *nearest)
{
    const nitro_dataset *sources = t->task->sources;
    bool *usable = nitro_calloc(t->context, sources->num_devices, sizeof *usable);
    const nitro_source_set set = {.num_devices = sources->num_devices,
                                  .devices = sources->devices,
                                  .usable = usable,
                                  .hardware = &t->hardware};
    double dissimilarity;
    if (!usable)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < sources->num_devices; d++)
        usable[d] = !isnan(nitro_source_fixed_loss(sources, d));
    *nearest = nitro_source_nearest(&set, t->task->target, &dissimilarity);
    free(usable);
    return NITRO_OK;
}

/** Select those whose device features the target and its nearest source have. Another source that
 * lacks one is not used with them, so that the others keep them. Relative features that are
 * constant on a device tell one source's model nothing. */
static nitro_status select_relative(nitro_source_weighing *t, bool *any)
{
    const nitro_training_task *task = t->task;
    size_t num_dropped = 0, nearest = NITRO_NONE;
    for (size_t i = 0; i < NITRO_MAX_FEATURES; i++)
        t->relative[i] = task->use_relative;
    nitro_status status = find_nearest(t, &nearest);
    if (status == NITRO_OK)
        status = nitro_relative_select(t->context, task->sources, nearest, task->target,
                                       !task->quiet, t->relative);
    if (status == NITRO_OK)
        status = nitro_relative_drop_constant(t->context, task->sources->schema, t->relative,
                                              &num_dropped);
    *any = false;
    for (size_t i = 0; i < task->sources->schema->num_relative; i++)
        *any |= t->relative[i];
    return status;
}

static nitro_status choose(nitro_source_weighing *t)
{
    bool any = false;
    const nitro_cross_scores *cross[2] = {&t->plain, &t->plain};
    nitro_fit_task task = fit_task(t, false);
    nitro_status status = nitro_device_hardware_features(t->context, t->task->sources->schema,
                                                         t->task->target, &t->hardware);
    if (status == NITRO_OK)
        status = select_relative(t, &any);
    if (status == NITRO_OK)
        status = nitro_cross_scores_run(t->context, &task, &t->plain);
    if (status == NITRO_OK && any) {
        task = fit_task(t, true);
        status = nitro_cross_scores_run(t->context, &task, &t->with_relative);
        cross[1] = &t->with_relative;
    }
    return status == NITRO_OK
               ? nitro_source_choose(t->context, &task, cross, &t->hardware, &t->choice)
               : status;
}

static void log_set_aside(const nitro_source_weighing *t)
{
    const nitro_dataset *sources = t->task->sources;
    for (size_t d = 0; d < sources->num_devices; d++)
        if (t->choice.set_aside[d] && !t->task->quiet)
            nitro_log(t->context, NITRO_LOG_WARNING, "source %s is not used: %s; check them",
                      sources->devices[d]->id,
                      t->choice.is_disputed[d]
                          ? "its times contradict those of near sources, which agree with each "
                            "other, beyond what their distance explains"
                          : "its times do not depend on its inputs as those of the others do");
}

static void log_choice(const nitro_source_weighing *t)
{
    const nitro_dataset *sources = t->task->sources;
    char names[512] = "";
    for (size_t d = 0; d < sources->num_devices; d++)
        if (t->choice.weights[d] > 0.0)
            nitro_message_list_add(names, sizeof names, "%s %.0f %%", sources->devices[d]->id,
                                   100.0 * t->choice.weights[d]);
    nitro_log(t->context, NITRO_LOG_INFO, "sources of target %s, by rule %s%s: %s",
              t->task->target->id, nitro_source_rule_name(t->choice.rule),
              t->choice.uses_relative ? "" : ", without relative features", names);
}

static nitro_status select_used(nitro_source_weighing *t)
{
    const nitro_dataset *sources = t->task->sources;
    size_t count = 0;
    bool *marks = nitro_calloc(t->context, sources->num_devices, sizeof *marks);
    t->used_weights = nitro_calloc(t->context, sources->num_devices, sizeof(double));
    nitro_status status = marks && t->used_weights ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < sources->num_devices && status == NITRO_OK; d++)
        if (t->choice.weights[d] > 0.0) {
            marks[d] = true;
            t->used_weights[count++] = t->choice.weights[d];
        }
    if (status == NITRO_OK)
        status = nitro_dataset_select(t->context, sources, marks, NULL, &t->used);
    free(marks);
    return status;
}

/** The share of validation devices in confidences: all of it for a target that is far, or whose
 *  vendor has no source, since its sources' own models tell nothing of it. */
static double confidence_share(const nitro_source_weighing *t,
                               const nitro_predicted_quality *predicted)
{
    const nitro_dataset *sources = t->task->sources;
    bool has_vendor =
        nitro_device_kinship(t->task->target, sources->devices, sources->num_devices, NULL).vendor;
    return t->choice.is_far || !has_vendor ? 1.0 : CONFIDENCE_SHARE / LODO_SHARE * predicted->share;
}

/** By validation and by dissimilarity. */
static void predict(const nitro_source_weighing *t, nitro_predicted_quality *predicted,
                    nitro_calibration *calibration)
{
    nitro_calibration by_lodo;
    nitro_predicted_quality_weigh(predicted, predicted->share, &by_lodo);
    double by_validation = predicted->quality;
    nitro_predicted_quality_weigh(predicted, confidence_share(t, predicted), calibration);
    double by_dissimilarity = SIMILAR_QUALITY - DISSIMILARITY_LOSS * t->choice.dissimilarity;
    predicted->quality =
        isnan(by_validation) ? by_dissimilarity : 0.5 * (by_validation + by_dissimilarity);
}

/** Show weights and similarity, and take the mean over validation devices in the target's situation
 * as the prediction. */
static void conclude(const nitro_source_weighing *t, nitro_model *model)
{
    nitro_predicted_quality *predicted = model->predicted;
    const nitro_source_choice *choice = &t->choice;
    const nitro_source_set set = {.hardware = &t->hardware,
                                  .architecture_loss = choice->architecture_loss};
    double distances = 0.0, weights = 0.0;
    predicted->rule = nitro_source_rule_name(choice->rule);
    for (size_t i = 0; i < predicted->num_sources; i++) {
        nitro_predicted_quality_source *source = &predicted->sources[i];
        source->weight = choice->weights[source->device];
        source->is_set_aside = choice->set_aside[source->device];
        source->distance = choice->nearest[source->device];
        source->target_distance = nitro_source_dissimilarity(
            &set, t->task->sources->devices[source->device], t->task->target);
        if (isnan(source->lodo_quality))
            continue;
        distances += source->validation * source->distance;
        weights += source->validation;
    }
    nitro_predicted_quality_sort(predicted);
    predicted->usual_distance = distances / weights;
    predicted->target_distance = choice->dissimilarity;
    double ratio = predicted->target_distance / predicted->usual_distance; /* NaN or infinity: 2 */
    predicted->share = choice->is_far ? 1.0 : LODO_SHARE * (ratio < 2.0 ? ratio : 2.0);
    predicted->warning = NULL;
    predict(t, predicted, &model->calibration);
    if (choice->is_far)
        predicted->warning = "the target is farther from every source than they are from each "
                             "other; the prediction extrapolates";
    nitro_predicted_quality_warn(predicted);
}

/** Mean quality of held-out inputs, each row weighted as its source, in percent. */
static double held_out_quality(const nitro_source_weighing *t, const nitro_fit_evidence *evidence,
                               size_t num_variants)
{
    const nitro_training_rows *rows = &evidence->rows;
    double sum = 0.0, total = 0.0;
    for (size_t row = 0; row < rows->num_rows; row++) {
        const double *scores = evidence->held_out_scores + row * num_variants;
        double weight = t->used_weights[rows->row_device[row]];
        if (isnan(scores[0]))
            continue;
        sum += weight * nitro_times_quality(rows->times_ms + row * num_variants, num_variants,
                                            nitro_scores_best(scores, num_variants));
        total += weight;
    }
    return 100.0 * sum / total;
}

/** Margins of the model's decisions on the target, ascending: on a part of the inputs that it
 * learnt from.
 *  @param[out] count  of them: at least one. */
static double *find_margins(const nitro_source_weighing *t, const nitro_model *model, size_t *count)
{
    const nitro_dataset *used = t->used;
    size_t num_variants = used->schema->num_variants, step = used->num_rows / MAX_MARGINS + 1;
    double *margins = nitro_calloc(t->context, used->num_rows, sizeof *margins);
    uint64_t known = 0;
    for (size_t d = 0; d < used->num_devices; d++)
        known |= nitro_dataset_known_variants(used, d);
    *count = 0;
    for (size_t row = 0; row < used->num_rows && margins; row++) {
        double scores[NITRO_MAX_VARIANTS];
        if (!nitro_dataset_row_is_usable(used, row) || (*count > 0 && row % step != 0))
            continue;
        nitro_model_score(model, nitro_dataset_features(used, row), scores);
        margins[(*count)++] = nitro_calibration_margin(
            scores, num_variants, nitro_dataset_row_variants(used, row, known));
    }
    if (margins)
        nitro_sort(margins, *count);
    return margins;
}

/** Scores of all sources' rows, each by its source's own model; NaN of sources set aside. */
static double *own_scores(const nitro_source_weighing *t)
{
    const nitro_dataset *sources = t->task->sources;
    const nitro_cross_scores *cross = t->choice.uses_relative ? &t->with_relative : &t->plain;
    size_t num_variants = sources->schema->num_variants;
    double *scores = nitro_calloc(t->context, sources->num_rows, num_variants * sizeof *scores);
    for (size_t row = 0; row < sources->num_rows && scores; row++) {
        size_t source = sources->row_device[row];
        double *own = scores + row * num_variants;
        memcpy(own, nitro_cross_scores_of(cross, source, row), num_variants * sizeof *own);
        if (t->choice.set_aside[source])
            own[0] = NAN;
        nitro_scores_restrict(own, num_variants, cross->allowed[row]);
    }
    return scores;
}

/** Confidences by decisions of each source's own model, and by those on validation devices, as far
 *  as these exist (else that of a blind guess). The median over sources: how hard a device is to
 *  predict is its own, and its neighbours do not tell. */
static nitro_status calibrate(const nitro_source_weighing *t, const nitro_model *model,
                              nitro_calibration *own, nitro_calibration *lodo)
{
    const nitro_dataset *sources = t->task->sources;
    nitro_decisions decisions = {.times_ms = sources->times_ms,
                                 .row_device = sources->row_device,
                                 .num_rows = sources->num_rows,
                                 .num_devices = sources->num_devices,
                                 .num_variants = sources->schema->num_variants};
    size_t num_margins;
    double *margins = find_margins(t, model, &num_margins), *scores = own_scores(t);
    nitro_status status = margins && scores ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    decisions.scores = scores;
    if (status == NITRO_OK)
        status = nitro_calibration_fit_steps(t->context, &decisions, margins, num_margins, own);
    decisions.scores = t->choice.lodo.scores;
    if (status == NITRO_OK)
        status = nitro_calibration_fit_steps(t->context, &decisions, margins, num_margins, lodo);
    free(margins);
    free(scores);
    return status;
}

/** Calibrate by held-out inputs, then for the target. */
static nitro_status validate(const nitro_source_weighing *t, const nitro_fit_evidence *evidence,
                             nitro_model *model)
{
    const nitro_training_rows *rows = &evidence->rows;
    const nitro_fit_task all = fit_task(t, t->choice.uses_relative);
    nitro_calibration lodo;
    double held_out = held_out_quality(t, evidence, model->schema->num_variants);
    nitro_status status = calibrate(t, model, &model->calibration, &lodo);
    if (status == NITRO_OK)
        status =
            nitro_prepare_costs_fit(t->context, t->used, rows, evidence->held_out_scores, model);
    if (status == NITRO_OK)
        status = nitro_predicted_quality_find(t->context, &all, held_out, &t->choice.lodo, model,
                                              &model->predicted);
    model->free_predicted = nitro_predicted_quality_free;
    if (status == NITRO_OK) {
        if (!t->choice.is_far) /* every validation device counts the same */
            model->predicted->lodo = lodo;
        conclude(t, model);
    }
    return status;
}

static nitro_status fit(const nitro_source_weighing *t, nitro_model **model)
{
    nitro_fit_evidence evidence = {0};
    nitro_model *made = NULL;
    nitro_fit_task task = fit_task(t, t->choice.uses_relative);
    task.sources = t->used;
    task.source_weights = t->used_weights;
    nitro_status status = nitro_fit(t->context, &task, &made, &evidence);
    if (status != NITRO_OK)
        return status;
    if (!t->task->quiet)
        nitro_training_rows_log_skipped(made, t->used, &evidence.rows);
    nitro_feature_costs_charge(t->used, nitro_model_used_features(made), &evidence.rows);
    status = validate(t, &evidence, made);
    nitro_fit_evidence_free(&evidence);
    task.source_weights = NULL; /* of all devices: its trials leave some out */
    if (status == NITRO_OK && t->task->range_ends)
        status = nitro_range_ends_fit(t->context, &task, made);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}

nitro_status nitro_source_weighing_run(nitro_context *context, const nitro_training_task *task,
                                       nitro_source_weighing **weighing)
{
    nitro_source_weighing *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->context = context;
    made->task = task;
    nitro_status status = choose(made);
    if (status == NITRO_OK) {
        log_set_aside(made);
        *weighing = made;
    } else {
        nitro_source_weighing_free(made);
    }
    return status;
}

nitro_status nitro_source_weighing_train(nitro_source_weighing *weighing, nitro_model **model)
{
    if (!weighing->task->quiet)
        log_choice(weighing);
    nitro_status status = select_used(weighing);
    return status == NITRO_OK ? fit(weighing, model) : status;
}

const bool *nitro_source_weighing_set_aside(const nitro_source_weighing *weighing)
{
    return weighing->choice.set_aside;
}

bool nitro_source_weighing_lacks_architecture(const nitro_source_weighing *weighing)
{
    return weighing->choice.architecture_loss > 0.0 && !weighing->choice.by_architecture;
}

bool nitro_source_weighing_is_better(const nitro_source_weighing *weighing,
                                     const nitro_predicted_quality *together)
{
    const nitro_source_choice *choice = &weighing->choice;
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (size_t i = 0; i < together->num_sources; i++) {
        const nitro_predicted_quality_source *source = &together->sources[i];
        double gain = choice->lodo.qualities[source->device] - source->lodo_quality;
        if (isnan(gain) || !choice->is_comparable[source->device] ||
            (!choice->by_architecture && choice->lodo.num_rows[source->device] < LEAST_COMPARED))
            continue;
        sum += gain;
        squares += gain * gain;
        count += 1.0;
    }
    return choice->by_architecture ? sum > 0.0 : nitro_source_gain_is_clear(count, sum, squares);
}
