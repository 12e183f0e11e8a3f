/*
 * The methods that an evaluation compares. Each learns from training inputs only, but the reference
 * transfer. Guards are off: a method stands for what its model chooses.
 */
#include <jansson.h>
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/range_guard.h"

/* ---- The methods ----------------------------------------------------------------------------- */

static nitro_status choose_fixed(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                 size_t num_rows, size_t *choices)
{
    (void)rows;
    nitro_dataset *sources = NULL;
    nitro_status status = nitro_evaluation_select_sources(evaluation, target, &sources);
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
    nitro_status status = nitro_evaluation_mark_sources(evaluation, target, &sources);
    for (size_t d = 0; status == NITRO_OK && d < evaluation->dataset->num_devices; d++)
        if (sources[d])
            status = nitro_evaluation_own_model(evaluation, d, &model);
    if (status == NITRO_OK)
        choose_by_votes(evaluation, sources, rows, num_rows, choices);
    free(sources);
    return status;
}

static nitro_status choose_pooled(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                  size_t num_rows, size_t *choices)
{
    const nitro_string_list no_device_features = {0};
    return nitro_evaluation_choose_by_sources(evaluation, evaluation->strategy, target,
                                              &no_device_features, rows, num_rows, choices);
}

static nitro_status choose_full(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                size_t num_rows, size_t *choices)
{
    nitro_string_list candidates = {0};
    nitro_status status = nitro_evaluation_list_candidates(evaluation, target, &candidates);
    if (status == NITRO_OK)
        status = nitro_evaluation_choose_by_sources(evaluation, evaluation->strategy, target,
                                                    &candidates, rows, num_rows, choices);
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
    nitro_status status = nitro_evaluation_list_candidates(evaluation, target, &candidates);
    if (status == NITRO_OK)
        status = nitro_evaluation_select_sources(evaluation, target, &sources);
    if (status == NITRO_OK) {
        nitro_training_task task = nitro_evaluation_make_training_task(
            evaluation, evaluation->strategy, sources, target, &candidates);
        task.quiet = true;
        status = nitro_guard_train(evaluation->context, &task, &model);
    }
    if (status == NITRO_OK)
        nitro_evaluation_choose_by_model(evaluation, model, rows, num_rows, choices);
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
    const char *reason = json_string_value(json_object_get(report, "skipped"));
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
    nitro_status status = nitro_evaluation_list_candidates(evaluation, target, &candidates);
    if (status == NITRO_OK)
        status = nitro_evaluation_select_sources(evaluation, target, &sources);
    if (status == NITRO_OK)
        status = select_features(evaluation, name, sources, target, &candidates, &chosen);
    if (status == NITRO_OK)
        status = nitro_evaluation_choose_by_sources(evaluation, evaluation->strategy, target,
                                                    &chosen, rows, num_rows, choices);
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
        status = nitro_evaluation_choose_by_sources(evaluation, strategy, target,
                                                    &no_device_features, rows, num_rows, choices);
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
    nitro_status status = nitro_evaluation_own_model(evaluation, target, &model);
    if (status == NITRO_OK)
        nitro_evaluation_choose_by_model(evaluation, model, rows, num_rows, choices);
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
    TRANSFER,
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
    [FOREST] = {"forest", "trees that regress 1 - best time / time, no device features", false},
    [AUTO] = {"auto",
              "kernel-ridge (of 1 - best time / time) and forest averaged, or the one that serves "
              "left-out sources clearly better; no device features",
              false},
    [TRANSFER] = {"transfer",
                  "what lost least on the sources on the very same input: how far devices agree",
                  false},
    [NATIVE] = {"native", "an SVM learnt on the target's own training inputs: the ceiling", false},
    [NUM_METHODS] = {NULL, NULL, false},
};

static const nitro_choose_function choosers[NUM_METHODS] = {
    [FIXED] = choose_fixed,
    [MAJORITY] = choose_majority,
    [POOLED] = choose_pooled,
    [FULL] = choose_full,
    [PDFS] = choose_pdfs,
    [CVDFS] = choose_cvdfs,
    [GUARDED] = choose_guarded,
    [SVM_COST] = choose_svm_cost,
    [FOREST] = choose_forest,
    [AUTO] = choose_auto,
    [TRANSFER] = nitro_evaluation_choose_transfer,
    [NATIVE] = choose_native,
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
