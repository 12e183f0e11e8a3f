/*
 * The methods that an evaluation compares. Each learns from training inputs only; what several need
 * (one model a device) is learnt once. Guards are off: a method stands for what its model chooses.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/adapt.h"
#include "nitro/dataset.h"
#include "nitro/device_choice.h"
#include "nitro/evaluate.h"
#include "nitro/guard.h"

/* ---- What methods share ---------------------------------------------------------------------- */

/** Is there anything to learn from the device's training inputs? */
static bool teaches(const nitro_evaluation *evaluation, size_t device)
{
    const nitro_dataset *dataset = evaluation->dataset;
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (dataset->row_device[row] == device && evaluation->is_train[dataset->row_input[row]] &&
            nitro_dataset_row_teaches(dataset, row))
            return true;
    return false;
}

/** Are both of one generation, by a device feature or a label of that name? */
static bool is_same_generation(const nitro_device *a, const nitro_device *b)
{
    const char *label_a = nitro_device_label(a, "generation");
    const char *label_b = nitro_device_label(b, "generation");
    if (label_a && label_b && strcmp(label_a, label_b) == 0)
        return true;
    return nitro_device_value(a, "generation") == nitro_device_value(b, "generation");
}

static bool is_source(const nitro_evaluation *evaluation, size_t device, size_t target)
{
    const nitro_device *const *devices = (const nitro_device *const *)evaluation->dataset->devices;
    if (!evaluation->is_source[device] ||
        nitro_device_is_same(evaluation->dataset->devices[device],
                             evaluation->dataset->devices[target]) ||
        !teaches(evaluation, device))
        return false;
    return !evaluation->without_generation || !is_same_generation(devices[device], devices[target]);
}

/** Sources of a target: those named, that teach, never itself. NITRO_ERR_NO_DATA: none. */
static nitro_status mark_sources(const nitro_evaluation *evaluation, size_t target, bool **marks)
{
    const nitro_dataset *dataset = evaluation->dataset;
    bool *made = nitro_calloc(evaluation->context, dataset->num_devices, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    size_t count = 0;
    for (size_t d = 0; d < dataset->num_devices; d++) {
        made[d] = is_source(evaluation, d, target);
        count += made[d];
    }
    if (count > 0) {
        *marks = made;
        return NITRO_OK;
    }
    free(made);
    return nitro_fail(evaluation->context, NITRO_ERR_NO_DATA,
                      "target %s has no source with samples of training inputs%s",
                      dataset->devices[target]->id,
                      evaluation->without_generation ? ", of another generation" : "");
}

/** The training rows of a target's sources. */
static nitro_status select_sources(const nitro_evaluation *evaluation, size_t target,
                                   nitro_dataset **sources)
{
    bool *marks = NULL;
    nitro_status status = mark_sources(evaluation, target, &marks);
    if (status == NITRO_OK)
        status = nitro_dataset_select(evaluation->context, evaluation->dataset, marks,
                                      evaluation->is_train, sources);
    free(marks);
    return status;
}

/** Methods as published ask held-out inputs alone how sure they are: to leave out each source takes
 *  many times as long. */
static nitro_lesson make_lesson(const nitro_evaluation *evaluation, const nitro_strategy *strategy,
                                const nitro_dataset *sources, size_t target,
                                const nitro_string_list *device_features)
{
    return (nitro_lesson){.sources = sources,
                          .target = evaluation->dataset->devices[target],
                          .device_features = device_features,
                          .strategy = strategy,
                          .use_relative = !strategy->without_relative,
                          .evidence = strategy->without_relative ? NITRO_EVIDENCE_INPUTS
                                                                 : NITRO_EVIDENCE_SOURCES,
                          .is_adapted = evaluation->num_measured > 0,
                          .seed = evaluation->seed,
                          .num_threads = evaluation->num_threads};
}

static nitro_status train(const nitro_evaluation *evaluation, const nitro_strategy *strategy,
                          const nitro_dataset *sources, size_t target,
                          const nitro_string_list *device_features, nitro_model **model)
{
    nitro_lesson lesson = make_lesson(evaluation, strategy, sources, target, device_features);
    nitro_status status = nitro_model_train(evaluation->context, &lesson, model);
    if (status == NITRO_OK)
        nitro_model_log_extrapolation(*model, NITRO_LOG_INFO);
    return status;
}

/** The model learnt from a device's own training inputs, made at the first call. */
static nitro_status own_model(nitro_evaluation *evaluation, size_t device,
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
            status = train(evaluation, evaluation->strategy, rows, device, &no_device_features,
                           &evaluation->own[device]);
        nitro_dataset_free(rows);
        free(marks);
    }
    *model = evaluation->own[device];
    return status;
}

static void choose_by_model(const nitro_evaluation *evaluation, const nitro_model *model,
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

/* ---- The methods ----------------------------------------------------------------------------- */

static nitro_status choose_fixed(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                 size_t num_rows, size_t *choices)
{
    (void)rows;
    nitro_dataset *sources = NULL;
    nitro_status status = select_sources(evaluation, target, &sources);
    if (status != NITRO_OK)
        return status;
    size_t variant = nitro_dataset_best_fixed(sources);
    for (size_t i = 0; i < num_rows; i++)
        choices[i] = variant;
    nitro_dataset_free(sources);
    return NITRO_OK;
}

/** Add up what each source's model says: its one-vs-one votes say more than its winner. */
static void choose_by_votes(const nitro_evaluation *evaluation, const bool *sources,
                            const size_t *rows, size_t num_rows, size_t *choices)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t num_variants = dataset->schema->num_variants;
    for (size_t i = 0; i < num_rows; i++) {
        double scores[NITRO_MAX_VARIANTS], sums[NITRO_MAX_VARIANTS] = {0};
        for (size_t d = 0; d < dataset->num_devices; d++) {
            if (!sources[d])
                continue;
            nitro_model_score(evaluation->own[d], nitro_dataset_features(dataset, rows[i]), scores);
            for (size_t v = 0; v < num_variants; v++)
                sums[v] += scores[v];
        }
        choices[i] = nitro_scores_best(sums, num_variants);
    }
}

static nitro_status choose_majority(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                    size_t num_rows, size_t *choices)
{
    bool *sources = NULL;
    const nitro_model *model = NULL;
    nitro_status status = mark_sources(evaluation, target, &sources);
    for (size_t d = 0; status == NITRO_OK && d < evaluation->dataset->num_devices; d++)
        if (sources[d])
            status = own_model(evaluation, d, &model);
    if (status == NITRO_OK)
        choose_by_votes(evaluation, sources, rows, num_rows, choices);
    free(sources);
    return status;
}

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
            nitro_dataset_row_teaches(dataset, row))
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

static nitro_status adapt(nitro_evaluation *evaluation, size_t target, nitro_model *model)
{
    size_t *rows = NULL, num_rows = 0;
    nitro_status status = collect_measured(evaluation, target, &rows, &num_rows);
    if (status != NITRO_OK)
        return status;
    if (evaluation->num_measured > num_rows)
        evaluation->num_measured = num_rows;
    status = adapt_to_rows(evaluation, rows, num_rows, evaluation->num_measured, model);
    free(rows);
    return status;
}

static nitro_status choose_by_sources(nitro_evaluation *evaluation, const nitro_strategy *strategy,
                                      size_t target, const nitro_string_list *device_features,
                                      const size_t *rows, size_t num_rows, size_t *choices)
{
    nitro_dataset *sources = NULL;
    nitro_model *model = NULL;
    nitro_status status = select_sources(evaluation, target, &sources);
    if (status == NITRO_OK)
        status = train(evaluation, strategy, sources, target, device_features, &model);
    if (status == NITRO_OK && evaluation->num_measured > 0)
        status = adapt(evaluation, target, model);
    if (status == NITRO_OK)
        choose_by_model(evaluation, model, rows, num_rows, choices);
    nitro_model_free(model);
    nitro_dataset_free(sources);
    return status;
}

static nitro_status choose_pooled(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                  size_t num_rows, size_t *choices)
{
    const nitro_string_list no_device_features = {0};
    return choose_by_sources(evaluation, evaluation->strategy, target, &no_device_features, rows,
                             num_rows, choices);
}

/** Device features that a target's sources and itself have. */
static nitro_status list_candidates(const nitro_evaluation *evaluation, size_t target,
                                    nitro_string_list *candidates)
{
    const nitro_dataset *dataset = evaluation->dataset;
    bool *marks = NULL;
    nitro_status status = mark_sources(evaluation, target, &marks);
    if (status != NITRO_OK)
        return status;
    const nitro_device **sources =
        nitro_calloc(evaluation->context, dataset->num_devices, sizeof *sources);
    size_t count = 0;
    for (size_t d = 0; sources && d < dataset->num_devices; d++)
        if (marks[d])
            sources[count++] = dataset->devices[d];
    status = sources ? nitro_device_candidates(evaluation->context, sources, count,
                                               dataset->devices[target], candidates)
                     : NITRO_ERR_NO_MEMORY;
    free(sources);
    free(marks);
    return status;
}

static nitro_status choose_full(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                size_t num_rows, size_t *choices)
{
    nitro_string_list candidates = {0};
    nitro_status status = list_candidates(evaluation, target, &candidates);
    if (status == NITRO_OK)
        status = choose_by_sources(evaluation, evaluation->strategy, target, &candidates, rows,
                                   num_rows, choices);
    nitro_string_list_free(&candidates);
    return status;
}

/** What tune-from-source makes of the same: guards are on. */
static nitro_status choose_guarded(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                   size_t num_rows, size_t *choices)
{
    nitro_string_list candidates = {0};
    nitro_dataset *sources = NULL;
    nitro_model *model = NULL;
    nitro_status status = list_candidates(evaluation, target, &candidates);
    if (status == NITRO_OK)
        status = select_sources(evaluation, target, &sources);
    if (status == NITRO_OK) {
        nitro_lesson lesson =
            make_lesson(evaluation, evaluation->strategy, sources, target, &candidates);
        lesson.quiet = true;
        status = nitro_guard_train(evaluation->context, &lesson, &model);
    }
    if (status == NITRO_OK)
        choose_by_model(evaluation, model, rows, num_rows, choices);
    nitro_model_free(model);
    nitro_dataset_free(sources);
    nitro_string_list_free(&candidates);
    return status;
}

/** Device features by the selection of this name; NITRO_ERR_NO_DATA where it steps aside. Sources
 * without training inputs stay in the dataset's list: they are no pretend targets. */
static nitro_status select_features(const nitro_evaluation *evaluation, const char *name,
                                    const nitro_dataset *sources, size_t target,
                                    const nitro_string_list *candidates, nitro_string_list *chosen)
{
    const nitro_dfs_kind *dfs = NULL;
    nitro_learn_options defaults;
    nitro_learn_options_init(&defaults);
    const nitro_dfs_task task = {.sources = sources,
                                 .target = evaluation->dataset->devices[target],
                                 .candidates = candidates,
                                 .store = evaluation->store,
                                 .max_subset = defaults.dfs_max_subset,
                                 .k = defaults.dfs_k,
                                 .seed = evaluation->seed,
                                 .num_threads = evaluation->num_threads};
    json_t *report = NULL;
    nitro_status status = nitro_dfs_find(evaluation->context, name, &dfs);
    if (status == NITRO_OK)
        status = dfs->select(evaluation->context, &task, chosen, &report);
    const char *reason = json_string_value(json_object_get(report, "stepped_aside"));
    if (status == NITRO_OK && reason)
        status =
            nitro_fail(evaluation->context, NITRO_ERR_NO_DATA, "selection %s: %s", name, reason);
    json_decref(report);
    return status;
}

/** The paper's SVM, with the device features that a selection chooses. */
static nitro_status choose_by_selection(nitro_evaluation *evaluation, const char *name,
                                        size_t target, const size_t *rows, size_t num_rows,
                                        size_t *choices)
{
    nitro_string_list candidates = {0}, chosen = {0};
    nitro_dataset *sources = NULL;
    nitro_status status = list_candidates(evaluation, target, &candidates);
    if (status == NITRO_OK)
        status = select_sources(evaluation, target, &sources);
    if (status == NITRO_OK)
        status = select_features(evaluation, name, sources, target, &candidates, &chosen);
    if (status == NITRO_OK)
        status = choose_by_sources(evaluation, evaluation->strategy, target, &chosen, rows,
                                   num_rows, choices);
    nitro_dataset_free(sources);
    nitro_string_list_free(&candidates);
    nitro_string_list_free(&chosen);
    return status;
}

static nitro_status choose_pdfs(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                size_t num_rows, size_t *choices)
{
    return choose_by_selection(evaluation, "profile", target, rows, num_rows, choices);
}

static nitro_status choose_cvdfs(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                 size_t num_rows, size_t *choices)
{
    return choose_by_selection(evaluation, "cv", target, rows, num_rows, choices);
}

/** By another strategy; no device features, as these strategies do best (their dfs: "omit"). */
static nitro_status choose_by_strategy(nitro_evaluation *evaluation, const char *name,
                                       size_t target, const size_t *rows, size_t num_rows,
                                       size_t *choices)
{
    const nitro_string_list no_device_features = {0};
    const nitro_strategy *strategy = NULL;
    nitro_status status = nitro_strategy_find(evaluation->context, name, &strategy);
    if (status == NITRO_OK)
        status = choose_by_sources(evaluation, strategy, target, &no_device_features, rows,
                                   num_rows, choices);
    return status;
}

static nitro_status choose_svm_cost(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                    size_t num_rows, size_t *choices)
{
    return choose_by_strategy(evaluation, "svm-cost", target, rows, num_rows, choices);
}

static nitro_status choose_forest(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                  size_t num_rows, size_t *choices)
{
    return choose_by_strategy(evaluation, "forest", target, rows, num_rows, choices);
}

static nitro_status choose_auto(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                size_t num_rows, size_t *choices)
{
    return choose_by_strategy(evaluation, "auto", target, rows, num_rows, choices);
}

static nitro_status choose_native(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                  size_t num_rows, size_t *choices)
{
    const nitro_model *model = NULL;
    nitro_status status = own_model(evaluation, target, &model);
    if (status == NITRO_OK)
        choose_by_model(evaluation, model, rows, num_rows, choices);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

enum {
    RANDOM,
    FIXED,
    MAJORITY,
    POOLED,
    FULL,
    PDFS,
    CVDFS,
    GUARDED,
    SVM_COST,
    FOREST,
    AUTO,
    NATIVE,
    NUM_METHODS
};

static const nitro_method_info infos[] = {
    [RANDOM] = {"random", "every variant that runs here equally likely: the exact expectation",
                false},
    [FIXED] = {"fixed", "the one variant of the best mean quality on the sources", false},
    [MAJORITY] = {"majority", "one SVM a source, their one-vs-one votes added", false},
    [POOLED] = {"pooled", "one SVM on all sources' samples, without device features", false},
    [FULL] = {"full", "one SVM on all sources' samples, with all device features", false},
    [PDFS] = {"pdfs", "one SVM on all sources' samples, with the device features of profiles",
              true},
    [CVDFS] = {"cvdfs", "one SVM on all sources' samples, with the device features of a search",
               false},
    [GUARDED] = {"guarded", "full with the guards that tune-from-source has", false},
    [SVM_COST] = {"svm-cost", "SVMs weighted by what wrong choices cost, no device features",
                  false},
    [FOREST] = {"forest", "trees that regress log(time / best time), no device features", false},
    [AUTO] = {"auto",
              "svm-cost, forest and kernel-ridge averaged, or what serves left-out sources clearly "
              "better; no device features",
              false},
    [NATIVE] = {"native", "an SVM learnt on the target's own training inputs: the ceiling", false},
    [NUM_METHODS] = {NULL, NULL, false},
};

static const nitro_choose_function choosers[NUM_METHODS] = {
    [FIXED] = choose_fixed,     [MAJORITY] = choose_majority, [POOLED] = choose_pooled,
    [FULL] = choose_full,       [PDFS] = choose_pdfs,         [CVDFS] = choose_cvdfs,
    [GUARDED] = choose_guarded, [SVM_COST] = choose_svm_cost, [FOREST] = choose_forest,
    [AUTO] = choose_auto,       [NATIVE] = choose_native,
};

static const bool adapts[NUM_METHODS] = {[SVM_COST] = true, [FOREST] = true, [AUTO] = true};

bool nitro_method_adapts(size_t method)
{
    return adapts[method];
}

const nitro_method_info *nitro_method_table(void)
{
    return infos;
}

nitro_choose_function nitro_method_chooser(size_t method)
{
    return choosers[method];
}
