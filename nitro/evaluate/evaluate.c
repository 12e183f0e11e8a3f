/* The protocol of an evaluation: for every target in turn, methods learn from training inputs of
 * the sources and are scored on test inputs of the target. */
#include "nitro/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "nitro/base/closest.h"
#include "nitro/learn/data/dataset.h"

#define LEAST_PERCENT  0.1 /* a quality of 0 in a geometric mean */
#define CONFIDENT_FROM 0.9

/** The options, and the results so far. */
typedef struct evaluate_run {
    const nitro_evaluate_options *options;
    nitro_evaluation evaluation;
    nitro_string_list devices; /* of the dataset */
    nitro_string_list targets;
    size_t *methods; /* indices in nitro_method_table, ascending */
    size_t num_methods;
    nitro_evaluate_result *results;
    size_t num_results;
    nitro_evaluate_gaps gaps;
    nitro_training_memo *own_memo; /* NULL: the options have one */
    size_t num_done;               /* methods on targets, those without a result too */
} evaluate_run;

void nitro_evaluate_options_init(nitro_evaluate_options *options)
{
    *options = (nitro_evaluate_options){.train_fraction = 0.3};
}

void nitro_source_shares_free(nitro_source_share **shares, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        free((*shares)[i].device);
    free(*shares);
    *shares = NULL;
    *count = 0;
}

void nitro_evaluate_results_free(nitro_evaluate_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(results[i].target);
        free(results[i].added);
        nitro_source_shares_free(&results[i].source_shares, &results[i].num_source_shares);
    }
    free(results);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

const double *nitro_evaluation_times(const nitro_evaluation *evaluation, size_t row)
{
    return evaluation->judged_ms + row * evaluation->dataset->schema->num_variants;
}

void nitro_evaluation_add_share(const nitro_dataset *dataset, double share, double *times_ms)
{
    for (size_t i = 0; i < dataset->num_rows * dataset->schema->num_variants; i++) {
        double prepare_ms = isnan(dataset->prepare_ms[i]) ? 0.0 : dataset->prepare_ms[i];
        times_ms[i] = dataset->times_ms[i] + share * prepare_ms;
    }
}

/** Summarize qualities in percent; sorts them. */
static void summarize(double *qualities, size_t count, nitro_evaluate_result *result)
{
    double sum = 0.0, logarithms = 0.0;
    size_t num_best = 0;
    for (size_t i = 0; i < count; i++) {
        sum += qualities[i];
        logarithms += log(fmax(qualities[i], LEAST_PERCENT));
        num_best += qualities[i] >= 100.0;
    }
    nitro_sort(qualities, count);
    result->mean = sum / (double)count;
    result->geomean = exp(logarithms / (double)count);
    result->p5 = nitro_quantile(qualities, count, 0.05);
    result->min = qualities[0];
    result->accuracy = 100.0 * (double)num_best / (double)count;
}

/** Qualities of choices; of every variant that ran, on every row, where `choices` is NULL. */
static nitro_status judge(const nitro_evaluation *evaluation, const size_t *rows, size_t num_rows,
                          const size_t *choices, nitro_evaluate_result *result)
{
    size_t num_variants = evaluation->dataset->schema->num_variants, count = 0;
    double *qualities =
        nitro_calloc(evaluation->context, num_rows, num_variants * sizeof *qualities);
    if (!qualities)
        return NITRO_ERR_NO_MEMORY;
    bool counts[NITRO_MAX_VARIANTS];
    for (size_t v = 0; v < num_variants; v++)
        counts[v] = choices || nitro_evaluation_ran(evaluation, rows, num_rows, v);
    for (size_t i = 0; i < num_rows; i++) {
        const double *times = nitro_evaluation_times(evaluation, rows[i]);
        for (size_t v = 0; v < num_variants; v++)
            if (choices ? choices[i] == v : counts[v])
                qualities[count++] = 100.0 * nitro_times_quality(times, num_variants, v);
    }
    summarize(qualities, count, result);
    free(qualities);
    return NITRO_OK;
}

/** Times of choices over the best times, in total. */
static double find_total(const nitro_evaluation *evaluation, const size_t *rows, size_t num_rows,
                         const size_t *choices)
{
    size_t num_variants = evaluation->dataset->schema->num_variants;
    double chosen = 0.0, best = 0.0;
    for (size_t i = 0; i < num_rows; i++) {
        const double *times = nitro_evaluation_times(evaluation, rows[i]);
        double slowest = 0.0;
        for (size_t v = 0; v < num_variants; v++)
            slowest = fmax(slowest, times[v]); /* ignores NaN */
        chosen += isnan(times[choices[i]]) ? slowest : times[choices[i]];
        best += times[nitro_times_best(times, num_variants)];
    }
    return chosen / best;
}

/** Share of confident decisions, and their precision. */
static void judge_confidences(const nitro_evaluation *evaluation, const size_t *rows,
                              size_t num_rows, const size_t *choices, nitro_evaluate_result *result)
{
    size_t num_variants = evaluation->dataset->schema->num_variants;
    size_t num_known = 0, num_confident = 0, num_good = 0;
    for (size_t i = 0; i < num_rows; i++) {
        const double *times = nitro_evaluation_times(evaluation, rows[i]);
        bool confident = evaluation->confidences[i] >= CONFIDENT_FROM;
        num_known += isnan(evaluation->confidences[i]) ? 0 : 1;
        num_confident += confident;
        num_good +=
            confident && nitro_times_quality(times, num_variants, choices[i]) >= NITRO_GOOD_QUALITY
                ? 1
                : 0;
    }
    result->confident =
        num_known > 0 ? 100.0 * (double)num_confident / (double)num_rows : (double)NAN;
    result->confident_precision =
        num_confident > 0 ? 100.0 * (double)num_good / (double)num_confident : (double)NAN;
}

/* ---- One target ------------------------------------------------------------------------------ */

/** For another fold: the devices' own models were trained on other inputs. */
static void forget_own_models(nitro_evaluation *evaluation)
{
    for (size_t d = 0; d < evaluation->dataset->num_devices; d++) {
        nitro_model_free(evaluation->own[d]);
        evaluation->own[d] = NULL;
    }
}

/** The rows of one fold, and what was chosen for them. */
typedef struct fold_part {
    size_t *rows, *choices; /* shape [num_rows] of all folds */
    double *confidences;    /* shape [num_rows]: of all folds, in order */
} fold_part;

static nitro_status choose_fold(nitro_evaluation *evaluation, size_t method, size_t target,
                                size_t fold, const size_t *rows, size_t num_rows, fold_part *part,
                                size_t *choices)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t count = 0;
    for (size_t i = 0; i < dataset->num_inputs; i++)
        evaluation->is_train[i] = evaluation->folds[i] != fold;
    for (size_t i = 0; i < num_rows; i++)
        if (evaluation->folds[dataset->row_input[rows[i]]] == fold) {
            evaluation->confidences[count] = NAN;
            part->rows[count++] = rows[i];
        }
    forget_own_models(evaluation);
    nitro_status status =
        nitro_method_choose(evaluation, method, target, part->rows, count, part->choices);
    for (size_t i = 0, k = 0; status == NITRO_OK && i < num_rows; i++)
        if (evaluation->folds[dataset->row_input[rows[i]]] == fold) {
            choices[i] = part->choices[k];
            part->confidences[i] = evaluation->confidences[k++];
        }
    return status;
}

/** Train on all folds but one, and choose for its rows; for each fold in turn. */
static nitro_status choose_by_folds(nitro_evaluation *evaluation, size_t method, size_t target,
                                    const size_t *rows, size_t num_rows, size_t *choices)
{
    fold_part part = {nitro_calloc(evaluation->context, num_rows, sizeof *part.rows),
                      nitro_calloc(evaluation->context, num_rows, sizeof *part.choices),
                      nitro_calloc(evaluation->context, num_rows, sizeof *part.confidences)};
    nitro_status status =
        part.rows && part.choices && part.confidences ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t fold = 0; fold < evaluation->num_folds && status == NITRO_OK; fold++)
        status = choose_fold(evaluation, method, target, fold, rows, num_rows, &part, choices);
    if (status == NITRO_OK)
        memcpy(evaluation->confidences, part.confidences, num_rows * sizeof *part.confidences);
    free(part.rows);
    free(part.choices);
    free(part.confidences);
    return status;
}

/** Choose and judge. NITRO_ERR_NO_DATA where the method has nothing to learn from;
 *  NITRO_ERR_ARGUMENT where there are more device features than it takes. */
static nitro_status apply(nitro_evaluation *evaluation, size_t method, size_t target,
                          const size_t *rows, size_t num_rows, nitro_evaluate_result *result)
{
    result->confident = result->confident_precision = result->total = result->predicted = NAN;
    evaluation->predicted = NAN;
    const nitro_evaluate_case one = {.target = evaluation->dataset->devices[target]->id,
                                     .method = result->method,
                                     .has_choice = true};
    if (!nitro_method_chooses(method)) {
        nitro_evaluation_show_cases(evaluation, one, rows, num_rows, NULL);
        return judge(evaluation, rows, num_rows, NULL, result);
    }
    size_t *choices = nitro_calloc(evaluation->context, num_rows, sizeof *choices);
    if (!choices)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_rows; i++)
        evaluation->confidences[i] = NAN;
    nitro_status status =
        evaluation->num_folds > 0
            ? choose_by_folds(evaluation, method, target, rows, num_rows, choices)
            : nitro_method_choose(evaluation, method, target, rows, num_rows, choices);
    if (status == NITRO_OK)
        status = judge(evaluation, rows, num_rows, choices, result);
    if (status == NITRO_OK) {
        judge_confidences(evaluation, rows, num_rows, choices, result);
        result->total = find_total(evaluation, rows, num_rows, choices);
        result->predicted = evaluation->predicted;
        nitro_evaluation_show_cases(evaluation, one, rows, num_rows, choices);
        result->source_shares = evaluation->shares;
        result->num_source_shares = evaluation->num_shares;
        evaluation->shares = NULL;
        evaluation->num_shares = 0;
    }
    nitro_source_shares_free(&evaluation->shares, &evaluation->num_shares);
    free(choices);
    return status;
}

/** For a method that has nothing to learn from, or more device features than it takes: the last
 *  error says which. */
static nitro_status add_gap(evaluate_run *run, size_t method, size_t target, const size_t *rows,
                            size_t num_rows)
{
    nitro_evaluation *evaluation = &run->evaluation;
    const nitro_evaluate_case one = {.target = evaluation->dataset->devices[target]->id,
                                     .method = nitro_method_table()[method].name};
    nitro_status status =
        nitro_evaluate_gaps_add(evaluation->context, &run->gaps, one.method, one.target);
    return status == NITRO_OK ? nitro_evaluation_show_defaults(evaluation, one, rows, num_rows)
                              : status;
}

static nitro_status add_result(evaluate_run *run, size_t method, size_t target, size_t num_measured,
                               const size_t *rows, size_t num_rows)
{
    nitro_context *context = run->evaluation.context;
    run->evaluation.num_measured = num_measured;
    run->evaluation.all_measured = false;
    const nitro_device *device = run->evaluation.dataset->devices[target];
    nitro_evaluate_result result = {.method = nitro_method_table()[method].name,
                                    .modelled = strcmp(device->kind, "model") == 0,
                                    .inputs = num_rows};
    nitro_status status = apply(&run->evaluation, method, target, rows, num_rows, &result);
    if (status == NITRO_ERR_NO_DATA || status == NITRO_ERR_ARGUMENT)
        return add_gap(run, method, target, rows, num_rows);
    if (status != NITRO_OK)
        return status;
    result.measured = run->evaluation.num_measured;
    result.target = nitro_strdup(context, device->id);
    if (!result.target)
        return NITRO_ERR_NO_MEMORY;
    run->results[run->num_results++] = result;
    return NITRO_OK;
}

/** Without measured inputs, then with more and more, until there are no more. */
static nitro_status add_curve(evaluate_run *run, size_t method, size_t target, const size_t *rows,
                              size_t num_rows)
{
    const nitro_evaluate_options *options = run->options;
    const bool *all_measured = &run->evaluation.all_measured;
    nitro_status status = add_result(run, method, target, 0, rows, num_rows);
    if (!nitro_method_adapts(method) || run->evaluation.is_own)
        return status;
    for (size_t i = 0; i < options->num_measured && status == NITRO_OK && !*all_measured; i++)
        if (options->measured[i] > 0)
            status = add_result(run, method, target, options->measured[i], rows, num_rows);
    return status;
}

/** One method on one target, for nitro_evaluation_grow_sources. */
typedef struct source_curve {
    evaluate_run *run;
    size_t method, target, num_rows;
    const size_t *rows;
} source_curve;

static nitro_status add_point(void *user, const char *order, size_t num_sources, const char *added)
{
    const source_curve *curve = user;
    evaluate_run *run = curve->run;
    size_t before = run->num_results;
    nitro_status status =
        add_result(run, curve->method, curve->target, 0, curve->rows, curve->num_rows);
    if (status != NITRO_OK || run->num_results == before)
        return status;
    nitro_evaluate_result *result = &run->results[before];
    result->order = order;
    result->num_sources = num_sources;
    result->added = nitro_strdup(run->evaluation.context, added);
    return result->added ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status report(evaluate_run *run, size_t target, size_t method)
{
    const nitro_evaluate_options *options = run->options;
    size_t total = run->targets.count * run->num_methods;
    const char *device = run->evaluation.dataset->devices[target]->id;
    run->num_done++;
    if (!options->progress || options->progress(options->progress_user, run->num_done, total,
                                                device, nitro_method_table()[method].name))
        return NITRO_OK;
    return nitro_fail(run->evaluation.context, NITRO_ERR_INTERRUPTED,
                      "%s: stopped after %zu of %zu evaluations",
                      run->evaluation.dataset->schema->computation, run->num_done, total);
}

static nitro_status evaluate_method(evaluate_run *run, size_t method, size_t target,
                                    const size_t *rows, size_t num_rows)
{
    source_curve curve = {run, method, target, num_rows, rows};
    if (!run->options->source_curve)
        return add_curve(run, method, target, rows, num_rows);
    nitro_status status =
        nitro_evaluation_grow_sources(&run->evaluation, target, add_point, &curve);
    return status == NITRO_ERR_NO_DATA ? add_gap(run, method, target, rows, num_rows) : status;
}

/** Take results of an earlier run. @return false: there are none */
static bool recall(evaluate_run *run, const char *method, const char *target, nitro_status *status)
{
    const nitro_evaluate_watch *watch = run->evaluation.watch;
    nitro_evaluate_result *results = run->results + run->num_results;
    size_t count = 0;
    if (!watch || !watch->known || !watch->known(watch->user, target, method, results, &count))
        return false;
    for (size_t i = 0; i < count && *status == NITRO_OK; i++) {
        results[i].method = method;
        results[i].target = nitro_strdup(run->evaluation.context, target);
        if (results[i].target)
            run->num_results++;
        else
            *status = NITRO_ERR_NO_MEMORY;
    }
    return true;
}

/** One method on a target, unless an earlier run did. */
static nitro_status visit(evaluate_run *run, size_t method, size_t target, const size_t *rows,
                          size_t num_rows)
{
    const nitro_evaluate_watch *watch = run->evaluation.watch;
    const char *name = nitro_method_table()[method].name;
    const char *device = run->evaluation.dataset->devices[target]->id;
    size_t first = run->num_results;
    nitro_status status = NITRO_OK;
    if (!recall(run, name, device, &status))
        status = evaluate_method(run, method, target, rows, num_rows);
    if (status == NITRO_OK && watch && watch->finished)
        watch->finished(watch->user, device, name, run->results + first, run->num_results - first);
    return status;
}

static nitro_status evaluate_target(evaluate_run *run, size_t target)
{
    nitro_evaluation *evaluation = &run->evaluation;
    const nitro_dataset *dataset = evaluation->dataset;
    size_t *rows = nitro_calloc(evaluation->context, dataset->num_rows, sizeof *rows);
    if (!rows)
        return NITRO_ERR_NO_MEMORY;
    size_t num_rows = 0;
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (dataset->row_device[row] == target && evaluation->is_test[dataset->row_input[row]] &&
            nitro_dataset_row_is_usable(dataset, row))
            rows[num_rows++] = row;
    nitro_status status = NITRO_OK;
    if (num_rows == 0)
        nitro_log(evaluation->context, NITRO_LOG_WARNING,
                  "no results on %s: none of the test inputs has times of two variants there",
                  dataset->devices[target]->id);
    for (size_t i = 0; status == NITRO_OK && i < run->num_methods; i++) {
        if (num_rows > 0)
            status = visit(run, run->methods[i], target, rows, num_rows);
        if (status == NITRO_OK)
            status = report(run, target, run->methods[i]);
    }
    free(rows);
    return status;
}

/* ---- Options --------------------------------------------------------------------------------- */

static nitro_status add_device(nitro_context *context, const nitro_string_list *known,
                               const char *computation, const char *id, nitro_string_list *list)
{
    char question[128];
    if (nitro_string_list_find(known, id) == NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "device %s has no samples of %s in this store%s", id, computation,
                          nitro_suggestion(known, id, question, sizeof question));
    if (nitro_string_list_find(list, id) != NITRO_NONE)
        return NITRO_OK;
    return nitro_string_list_add(context, list, id);
}

/** Copy the named devices after a check; all known ones where `named` is NULL. */
static nitro_status add_devices(nitro_context *context, const nitro_string_list *known,
                                const char *computation, const nitro_string_list *named,
                                nitro_string_list *list)
{
    const nitro_string_list *from = named ? named : known;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < from->count && status == NITRO_OK; i++)
        status = add_device(context, known, computation, from->items[i], list);
    return status;
}

/** Index of a method in nitro_method_table, or NITRO_NONE. */
static size_t find_method(const char *name)
{
    const nitro_method_info *table = nitro_method_table();
    for (size_t i = 0; table[i].name; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return NITRO_NONE;
}

/** Is the method among those of an evaluation that names none? */
static bool is_usual(const nitro_method_info *method, const nitro_evaluate_options *options,
                     bool has_profiles)
{
    if (options->extrapolate)
        return method->extrapolates;
    if (options->source_curve)
        return strcmp(method->name, "auto") == 0;
    return !method->only_named && (has_profiles || !method->needs_profiles);
}

static nitro_status find_methods(nitro_store *store, const char *computation, evaluate_run *run)
{
    const nitro_string_list *names = run->options->methods;
    nitro_context *context = nitro_store_context(store);
    size_t num_profiles = 0;
    const nitro_method_info *table = nitro_method_table();
    size_t count = 0;
    while (table[count].name)
        count++;
    run->methods = nitro_calloc(context, count, sizeof *run->methods);
    if (!run->methods)
        return NITRO_ERR_NO_MEMORY;
    for (size_t n = 0; names && n < names->count; n++)
        if (find_method(names->items[n]) == NITRO_NONE)
            return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                              "there is no method '%.80s'; 'nitro help evaluate' lists them",
                              names->items[n]);
    nitro_status status = nitro_store_count_profiles(store, NULL, computation, &num_profiles);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        bool wanted = names ? nitro_string_list_find(names, table[i].name) != NITRO_NONE
                            : is_usual(&table[i], run->options, num_profiles > 0);
        if (wanted)
            run->methods[run->num_methods++] = i;
    }
    return status;
}

static nitro_status load_devices(nitro_store *store, const char *computation,
                                 const nitro_evaluate_options *options, evaluate_run *run)
{
    nitro_context *context = run->evaluation.context;
    nitro_string_list known = {0}, sources = {0};
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_get_schema(store, computation, &schema); /* is it there? */
    nitro_schema_free(schema);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(store, computation, &known);
    if (status == NITRO_OK)
        status = add_devices(context, &known, computation, options->targets, &run->targets);
    if (status == NITRO_OK)
        status = add_devices(context, &known, computation, options->sources, &sources);
    if (status == NITRO_OK)
        status = add_devices(context, &known, computation, &run->targets, &run->devices);
    if (status == NITRO_OK)
        status = add_devices(context, &known, computation, &sources, &run->devices);
    /* Byte order: models do not depend on the order in which devices were named. */
    nitro_string_list_sort(&run->devices);
    if (status == NITRO_OK)
        status = nitro_dataset_load(store, computation, (const char *const *)run->devices.items,
                                    run->devices.count, &run->evaluation.dataset);
    if (status == NITRO_OK) {
        run->evaluation.is_source = nitro_calloc(context, run->devices.count, sizeof(bool));
        status = run->evaluation.is_source ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    for (size_t d = 0; status == NITRO_OK && d < run->devices.count; d++)
        run->evaluation.is_source[d] =
            nitro_string_list_find(&sources, run->devices.items[d]) != NITRO_NONE;
    nitro_string_list_free(&known);
    nitro_string_list_free(&sources);
    return status;
}

static nitro_status allocate_parts(evaluate_run *run)
{
    nitro_evaluation *evaluation = &run->evaluation;
    const nitro_dataset *dataset = evaluation->dataset;
    evaluation->is_train =
        nitro_calloc(evaluation->context, dataset->num_inputs, sizeof *evaluation->is_train);
    evaluation->is_test =
        nitro_calloc(evaluation->context, dataset->num_inputs, sizeof *evaluation->is_test);
    evaluation->own =
        nitro_calloc(evaluation->context, dataset->num_devices, sizeof *evaluation->own);
    evaluation->confidences =
        nitro_calloc(evaluation->context, dataset->num_rows, sizeof *evaluation->confidences);
    evaluation->judged_ms = nitro_calloc(evaluation->context, dataset->num_rows,
                                         dataset->schema->num_variants * sizeof(double));
    size_t num_points =
        run->options->source_curve ? 2 * dataset->num_devices : run->options->num_measured + 1;
    run->results = nitro_calloc(evaluation->context, run->targets.count * run->num_methods,
                                num_points * sizeof *run->results);
    if (!evaluation->is_train || !evaluation->is_test || !evaluation->own ||
        !evaluation->confidences || !evaluation->judged_ms || !run->results)
        return NITRO_ERR_NO_MEMORY;
    nitro_evaluation_add_share(dataset, evaluation->share, evaluation->judged_ms);
    evaluation->memo = run->options->memo;
    if (evaluation->memo)
        return NITRO_OK;
    nitro_status status = nitro_training_memo_create(evaluation->context, &run->own_memo);
    evaluation->memo = run->own_memo;
    return status;
}

static void free_run(evaluate_run *run)
{
    nitro_evaluation *evaluation = &run->evaluation;
    for (size_t d = 0; evaluation->own && d < evaluation->dataset->num_devices; d++)
        nitro_model_free(evaluation->own[d]);
    free(evaluation->own);
    nitro_training_memo_free(run->own_memo);
    free(evaluation->confidences);
    free(evaluation->judged_ms);
    free(evaluation->folds);
    free(evaluation->is_source);
    free(evaluation->is_train);
    free(evaluation->is_test);
    nitro_dataset_free(evaluation->dataset);
    nitro_string_list_free(&run->devices);
    nitro_string_list_free(&run->targets);
    free(run->methods);
    nitro_evaluate_gaps_free(&run->gaps);
    nitro_evaluate_results_free(run->results, run->num_results);
}

/** Several devices: training and test inputs. One device: the same by lists, else folds. */
static nitro_status divide_inputs(evaluate_run *run)
{
    nitro_evaluation *evaluation = &run->evaluation;
    const nitro_dataset *dataset = evaluation->dataset;
    const nitro_evaluate_options *options = run->options;
    if (options->extrapolate)
        return nitro_evaluate_split_by_size(evaluation->context, dataset, options,
                                            evaluation->is_train, evaluation->is_test);
    evaluation->is_own = dataset->num_devices == 1 && evaluation->is_source[0];
    if (!evaluation->is_own || options->train_inputs || options->test_inputs)
        return nitro_evaluate_split(evaluation->context, dataset, options, evaluation->is_train,
                                    evaluation->is_test);
    for (size_t i = 0; i < dataset->num_inputs; i++)
        evaluation->is_test[i] = true;
    evaluation->folds =
        nitro_calloc(evaluation->context, dataset->num_inputs, sizeof *evaluation->folds);
    return evaluation->folds ? nitro_evaluate_deal(evaluation->context, dataset, options,
                                                   evaluation->folds, &evaluation->num_folds)
                             : NITRO_ERR_NO_MEMORY;
}

/** Uses count only by what preparing costs. */
static void check_uses(const nitro_evaluation *evaluation)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t known = 0;
    for (size_t i = 0; i < dataset->num_rows * dataset->schema->num_variants; i++)
        known += dataset->prepare_ms[i] > 0.0; /* NaN is not */
    if (evaluation->share > 0.0 && known == 0)
        nitro_log(evaluation->context, NITRO_LOG_WARNING,
                  "%s: no sample has a cost of preparing, so that the number of uses makes no "
                  "difference",
                  dataset->schema->computation);
}

static nitro_status evaluate_targets(evaluate_run *run)
{
    nitro_status status = NITRO_OK;
    for (size_t t = 0; t < run->targets.count && status == NITRO_OK; t++) {
        size_t target = nitro_string_list_find(&run->devices, run->targets.items[t]);
        status = evaluate_target(run, target);
    }
    nitro_evaluate_gaps_log(run->evaluation.context, &run->gaps);
    if (status == NITRO_OK && run->num_results == 0)
        return nitro_fail(
            run->evaluation.context, NITRO_ERR_NO_DATA,
            "%s: no method could be judged on any target, for the reasons that the warnings give",
            run->evaluation.dataset->schema->computation);
    return status;
}

nitro_status nitro_evaluate(nitro_store *store, const char *computation,
                            const nitro_evaluate_options *options, nitro_evaluate_result **results,
                            size_t *count)
{
    nitro_context *context = nitro_store_context(store);
    evaluate_run run = {.options = options,
                        .evaluation = {.context = context,
                                       .store = store,
                                       .seed = options->seed,
                                       .without_generation = options->without_generation,
                                       .equal_sources = options->equal_sources,
                                       .num_threads = options->num_threads,
                                       .watch = options->watch}};
    if (options->watch && options->watch->begin)
        options->watch->begin(options->watch->user, options->seed);
    if (options->uses != 0.0 && !(options->uses >= 1.0))
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: %g uses of an input, but at least 1",
                          computation, options->uses);
    run.evaluation.share = options->uses > 0.0 ? 1.0 / options->uses : 0.0;
    nitro_status status = find_methods(store, computation, &run);
    if (status == NITRO_OK)
        status = nitro_strategy_find(context, "svm", &run.evaluation.strategy);
    if (status == NITRO_OK)
        status = load_devices(store, computation, options, &run);
    if (status == NITRO_OK)
        status = allocate_parts(&run);
    if (status == NITRO_OK)
        status = divide_inputs(&run);
    if (status == NITRO_OK) {
        nitro_dataset_log_warnings(context, run.evaluation.dataset);
        check_uses(&run.evaluation);
        status = evaluate_targets(&run);
    }
    if (status == NITRO_OK) {
        *results = run.results;
        *count = run.num_results;
        run.results = NULL;
        run.num_results = 0;
    }
    free_run(&run);
    return status;
}
