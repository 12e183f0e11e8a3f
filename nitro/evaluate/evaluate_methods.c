/*
 * The methods that an evaluation compares. Each learns from training inputs only, except for the
 * oracles `transfer` and `mixture`. Decisions are those of the models, without run-time guards
 * except where a method says so.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"

static nitro_status choose_fixed(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                 size_t num_rows, size_t *choices)
{
    (void)rows;
    nitro_dataset *sources = NULL;
    nitro_status status = nitro_evaluation_select_sources(evaluation, target, &sources);
    if (status != NITRO_OK)
        return status;
    nitro_evaluation_add_share(sources, evaluation->share, sources->times_ms);
    size_t variant = nitro_dataset_best_fixed(
        sources, nitro_dataset_known_variants(evaluation->dataset, target));
    for (size_t i = 0; i < num_rows; i++)
        choices[i] = variant;
    nitro_dataset_free(sources);
    return NITRO_OK;
}

static nitro_status choose_declared(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                    size_t num_rows, size_t *choices)
{
    (void)target;
    (void)rows;
    size_t declared = evaluation->dataset->schema->default_variant;
    for (size_t i = 0; i < num_rows; i++)
        choices[i] = declared == NITRO_NONE ? 0 : declared;
    return NITRO_OK;
}

/** Add the one-vs-one votes of each source's model, which hold more information than its winner. */
static void choose_by_votes(const nitro_evaluation *evaluation, const bool *sources,
                            const size_t *rows, size_t num_rows, size_t *choices)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t num_variants = dataset->schema->num_variants;
    uint64_t known =
        num_rows > 0 ? nitro_dataset_known_variants(dataset, dataset->row_device[rows[0]]) : 0;
    for (size_t i = 0; i < num_rows; i++) {
        double scores[NITRO_MAX_VARIANTS], sums[NITRO_MAX_VARIANTS] = {0};
        for (size_t d = 0; d < dataset->num_devices; d++) {
            if (!sources[d])
                continue;
            nitro_model_score(evaluation->own[d], nitro_dataset_features(dataset, rows[i]), scores);
            for (size_t v = 0; v < num_variants; v++)
                sums[v] += scores[v];
        }
        nitro_scores_restrict(sums, num_variants,
                              nitro_dataset_row_variants(dataset, rows[i], known));
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

/** What a method trains on all sources' samples. */
typedef struct model_method {
    const char *strategy;
    const char *dfs; /* device-feature selection: "none" takes all features, "omit" no feature */
    bool guards;     /* as in nitro_training_task, and quiet */
    bool decides;    /* as in a program: outside the training range by range ends */
    bool is_own;     /* train on the target's own inputs instead */
    bool is_nearest; /* train on the source that is most like the target */
} model_method;

/** Device features by the selection of this name; NITRO_ERR_NO_DATA where it is skipped. */
static nitro_status select_features(const nitro_evaluation *evaluation, const char *name,
                                    const nitro_dataset *sources, size_t target,
                                    nitro_string_list *chosen)
{
    nitro_context *context = evaluation->context;
    const nitro_device *device = evaluation->dataset->devices[target];
    const nitro_dfs_kind *dfs = NULL;
    nitro_string_list candidates = {0};
    json_t *report = NULL;
    nitro_learn_options defaults;
    nitro_learn_options_init(&defaults);
    const nitro_dfs_task task = {.sources = sources,
                                 .target = device,
                                 .candidates = &candidates,
                                 .store = evaluation->store,
                                 .max_subset = defaults.dfs_max_subset,
                                 .k = defaults.dfs_k,
                                 .seed = evaluation->seed,
                                 .num_threads = evaluation->num_threads};
    nitro_status status =
        nitro_device_candidates(context, (const nitro_device *const *)sources->devices,
                                sources->num_devices, device, &candidates);
    if (status == NITRO_OK)
        status = nitro_dfs_find(context, name, &dfs);
    if (status == NITRO_OK)
        status = dfs->select(context, &task, chosen, &report);
    const char *reason = json_string_value(json_object_get(report, "skipped"));
    if (status == NITRO_OK && reason)
        status = nitro_fail(context, NITRO_ERR_NO_DATA, "selection %s: %s", name, reason);
    json_decref(report);
    nitro_string_list_free(&candidates);
    return status;
}

/** Keep what the model expects, and what its sources count. */
static nitro_status note_prediction(nitro_evaluation *evaluation, const nitro_dataset *sources,
                                    const nitro_model *model)
{
    const nitro_predicted_quality *predicted = model->predicted;
    evaluation->predicted = predicted ? predicted->quality : (double)NAN;
    nitro_source_shares_free(&evaluation->shares, &evaluation->num_shares); /* of another fold */
    if (!predicted || !predicted->rule)
        return NITRO_OK;
    evaluation->shares =
        nitro_calloc(evaluation->context, predicted->num_sources, sizeof *evaluation->shares);
    for (size_t i = 0; evaluation->shares && i < predicted->num_sources; i++) {
        const nitro_predicted_quality_source *source = &predicted->sources[i];
        char *device = nitro_strdup(evaluation->context, sources->devices[source->device]->id);
        if (!device)
            return NITRO_ERR_NO_MEMORY;
        evaluation->shares[evaluation->num_shares++] = (nitro_source_share){device, source->weight};
    }
    return evaluation->shares ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/** Train the method's model, adapt it to evaluation->num_measured inputs, and let it choose. */
static nitro_status choose_by_model(nitro_evaluation *evaluation, const model_method *method,
                                    size_t target, const size_t *rows, size_t num_rows,
                                    size_t *choices)
{
    nitro_string_list features = {0};
    nitro_dataset *sources = NULL;
    nitro_model *model = NULL;
    nitro_evaluation_training how = {
        .device_features = &features, .guards = method->guards, .range_ends = method->decides};
    nitro_status status = nitro_strategy_find(evaluation->context, method->strategy, &how.strategy);
    if (status == NITRO_OK)
        status = method->is_own ? nitro_evaluation_select_own(evaluation, target, &sources)
                 : method->is_nearest
                     ? nitro_evaluation_select_nearest(evaluation, target, &sources)
                     : nitro_evaluation_select_sources(evaluation, target, &sources);
    if (status == NITRO_OK && strcmp(method->dfs, "omit") != 0)
        status = select_features(evaluation, method->dfs, sources, target, &features);
    if (status == NITRO_OK)
        status = nitro_evaluation_train(evaluation, &how, sources, target, &model);
    if (status == NITRO_OK && evaluation->num_measured > 0)
        status = nitro_evaluation_adapt(evaluation, target, model);
    if (status == NITRO_OK) {
        nitro_evaluation_choose_by_model(evaluation, model, rows, num_rows, method->decides,
                                         choices);
        status = note_prediction(evaluation, sources, model);
    }
    nitro_model_free(model);
    nitro_dataset_free(sources);
    nitro_string_list_free(&features);
    return status;
}

static nitro_status choose_native(nitro_evaluation *evaluation, size_t target, const size_t *rows,
                                  size_t num_rows, size_t *choices)
{
    const nitro_model *model = NULL;
    nitro_status status = nitro_evaluation_own_model(evaluation, target, &model);
    if (status == NITRO_OK)
        nitro_evaluation_choose_by_model(evaluation, model, rows, num_rows, false, choices);
    return status;
}

enum {
    RANDOM,
    DECLARED,
    FIXED,
    MAJORITY,
    POOLED,
    FULL,
    PDFS,
    CVDFS,
    GUARDED,
    SVM_COST,
    TREE,
    FOREST,
    AUTO,
    AUTO_DECIDED,
    NEAREST,
    TRANSFER,
    MIXTURE,
    NATIVE,
    OWN,
    OWN_DECIDED,
    NUM_METHODS
};

static const nitro_method_info infos[] = {
    [RANDOM] = {"random",
                "the expected quality of a uniform random choice among the variants that run",
                .is_reference = true},
    [DECLARED] = {"default", "the declared default variant", .extrapolates = true,
                  .only_named = true, .is_reference = true},
    [FIXED] = {"fixed", "the single variant with the best mean quality on the sources (SBS)",
               .extrapolates = true, .is_reference = true},
    [MAJORITY] = {"majority", "one SVM per source, with their one-vs-one votes added"},
    [POOLED] = {"pooled", "one SVM on all sources' samples, without device features"},
    [FULL] = {"full", "one SVM on all sources' samples, with all device features"},
    [PDFS] = {"pdfs",
              "one SVM on all sources' samples, with device features selected by profiles (P-DFS)",
              .needs_profiles = true},
    [CVDFS] = {"cvdfs", "one SVM on all sources' samples, with device features selected by CV-DFS"},
    [GUARDED] = {"guarded", "full with the guards of tune-from-source"},
    [SVM_COST] = {"svm-cost", "SVMs weighted by the cost of wrong choices, no device features"},
    [TREE] = {"tree", "one pruned decision tree of the same losses, no device features"},
    [FOREST] = {"forest", "trees that regress 1 - best time / time, no device features"},
    [AUTO] =
        {"auto",
         "kernel-ridge (of 1 - best time / time) and boosted averaged, or the one that is clearly "
         "better in LODO validation; no device features",
         .extrapolates = true},
    [NEAREST] = {"nearest", "auto on the one source that is most like the target",
                 .only_named = true},
    [AUTO_DECIDED] = {"auto-guarded",
                      "auto as a program decides: guarded outside the training range",
                      .extrapolates = true, .only_named = true},
    [TRANSFER] =
        {"transfer",
         "per-input source oracle: the variant that loses least on the sources on the same input",
         .is_reference = true},
    [MIXTURE] = {"mixture",
                 "source-weight oracle: the mean of the sources' own models whose weights are best "
                 "on the target's test inputs",
                 .only_named = true, .is_reference = true},
    [NATIVE] = {"native", "target-trained: an SVM on the target's own training inputs",
                .is_reference = true},
    [OWN] = {"own", "auto on the target's own training inputs", .extrapolates = true,
             .only_named = true, .is_reference = true},
    [OWN_DECIDED] = {"own-guarded", "the same as a program decides", .extrapolates = true,
                     .only_named = true, .is_reference = true},
    [NUM_METHODS] = {NULL, NULL},
};

/** Methods that train one model. */
static const model_method models[NUM_METHODS] = {
    [POOLED] = {"svm", "omit"},
    [FULL] = {"svm", "none"},
    [PDFS] = {"svm", "profile"},
    [CVDFS] = {"svm", "cv"},
    [GUARDED] = {"svm", "none", .guards = true},
    [SVM_COST] = {"svm-cost", "omit"},
    [TREE] = {"tree", "omit"},
    [FOREST] = {"forest", "omit"},
    [AUTO] = {"auto", "omit"},
    [AUTO_DECIDED] = {"auto", "omit", .decides = true},
    [NEAREST] = {"auto", "omit", .is_nearest = true},
    [OWN] = {"auto", "omit", .is_own = true},
    [OWN_DECIDED] = {"auto", "omit", .decides = true, .is_own = true},
};

/** All other methods but random. */
static nitro_status (*const choosers[NUM_METHODS])(nitro_evaluation *, size_t, const size_t *,
                                                   size_t, size_t *) = {
    [DECLARED] = choose_declared,
    [FIXED] = choose_fixed,
    [MAJORITY] = choose_majority,
    [TRANSFER] = nitro_evaluation_choose_transfer,
    [MIXTURE] = nitro_evaluation_choose_mixture,
    [NATIVE] = choose_native,
};

bool nitro_method_adapts(size_t method)
{
    return method == SVM_COST || method == TREE || method == FOREST || method == AUTO;
}

bool nitro_method_chooses(size_t method)
{
    return method != RANDOM;
}

nitro_status nitro_method_choose(nitro_evaluation *evaluation, size_t method, size_t target,
                                 const size_t *rows, size_t num_rows, size_t *choices)
{
    return choosers[method]
               ? choosers[method](evaluation, target, rows, num_rows, choices)
               : choose_by_model(evaluation, &models[method], target, rows, num_rows, choices);
}

const nitro_method_info *nitro_method_table(void)
{
    return infos;
}
