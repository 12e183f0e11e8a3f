/* What every device-feature selection chooses for every target, from the sources' training inputs
 * of the first seed, and how long it takes. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/backend/study.h"
#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"

/** One study of selections: filled step by step, freed as a whole. */
typedef struct selection_run {
    nitro_context *context;
    nitro_store *store;
    const char *computation;
    const nitro_study_options *options;
    nitro_string_list devices; /* of the dataset: all with samples */
    nitro_dataset *dataset;
    bool *is_train, *is_test; /* shape [num_inputs] */
    size_t num_train;
    size_t num_targets, num_kinds;
    nitro_study_selection *selections; /* shape [num_targets x num_kinds] */
    size_t count;
} selection_run;

void nitro_study_selections_free(nitro_study_selection *selections, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(selections[i].target);
        free(selections[i].report);
        free(selections[i].refusal);
        nitro_string_list_free(&selections[i].chosen);
    }
    free(selections);
}

static void free_run(selection_run *run)
{
    nitro_study_selections_free(run->selections, run->count);
    nitro_dataset_free(run->dataset);
    nitro_string_list_free(&run->devices);
    free(run->is_train);
    free(run->is_test);
}

static bool is_listed(const nitro_string_list *list, const char *id)
{
    return !list || nitro_string_list_find(list, id) != NITRO_NONE;
}

/** The training rows of a target's sources. */
static nitro_status select_sources(const selection_run *run, size_t target, nitro_dataset **sources)
{
    bool *marks = nitro_calloc(run->context, run->devices.count, sizeof *marks);
    size_t count = 0;
    if (!marks)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < run->devices.count; d++) {
        marks[d] = d != target && is_listed(run->options->sources, run->devices.items[d]);
        count += marks[d];
    }
    nitro_status status =
        count > 0 ? nitro_dataset_select(run->context, run->dataset, marks, run->is_train, sources)
                  : nitro_fail(run->context, NITRO_ERR_NO_DATA, "target %s has no source",
                               run->devices.items[target]);
    free(marks);
    return status;
}

/** Choose and time it. NITRO_ERR_NO_DATA and NITRO_ERR_NOT_BUILT: it is skipped, with a reason. */
static nitro_status choose(selection_run *run, const nitro_dfs_task *task,
                           nitro_study_selection *selection)
{
    json_t *report = NULL;
    double start_ms = nitro_clock_wall_ms(run->context);
    nitro_status status = selection->kind->select(run->context, task, &selection->chosen, &report);
    double elapsed_ms = nitro_clock_wall_ms(run->context) - start_ms;
    if (status == NITRO_ERR_NO_DATA || status == NITRO_ERR_NOT_BUILT) {
        char message[1024];
        nitro_context_last_error(run->context, message, sizeof message);
        selection->elapsed_ms = NAN;
        selection->refusal = nitro_strdup(run->context, message);
        return selection->refusal ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    selection->elapsed_ms = elapsed_ms;
    if (status == NITRO_OK && report) {
        selection->report = nitro_json_print(report, JSON_COMPACT | JSON_REAL_PRECISION(12));
        if (!selection->report)
            status = nitro_fail(run->context, NITRO_ERR_NO_MEMORY,
                                "out of memory: report of selection %s", selection->kind->name);
    }
    json_decref(report);
    return status;
}

static nitro_status report(selection_run *run, const char *target, const char *kind)
{
    const nitro_study_options *options = run->options;
    size_t total = run->num_targets * run->num_kinds;
    if (!options->progress ||
        options->progress(options->progress_user, run->count, total, target, kind))
        return NITRO_OK;
    return nitro_fail(run->context, NITRO_ERR_INTERRUPTED,
                      "%s: stopped after %zu of %zu selections", run->computation, run->count,
                      total);
}

static nitro_status choose_by_all(selection_run *run, const nitro_dataset *sources, size_t target)
{
    nitro_string_list candidates = {0};
    const nitro_device *device = run->dataset->devices[target];
    nitro_status status =
        nitro_device_candidates(run->context, (const nitro_device *const *)sources->devices,
                                sources->num_devices, device, &candidates);
    nitro_learn_options learn;
    nitro_learn_options_init(&learn);
    const nitro_dfs_task task = {.sources = sources,
                                 .target = device,
                                 .candidates = &candidates,
                                 .store = run->store,
                                 .max_subset = learn.dfs_max_subset,
                                 .k = learn.dfs_k,
                                 .seed = run->options->seed,
                                 .num_threads = run->options->num_threads};
    for (size_t k = 0; k < run->num_kinds && status == NITRO_OK; k++) {
        nitro_study_selection *selection = &run->selections[run->count++];
        *selection = (nitro_study_selection){.target = nitro_strdup(run->context, device->id),
                                             .kind = nitro_builtin_dfs_kinds()[k],
                                             .sources = sources->num_devices,
                                             .inputs = run->num_train,
                                             .candidates = candidates.count};
        status = selection->target ? choose(run, &task, selection) : NITRO_ERR_NO_MEMORY;
        if (status == NITRO_OK)
            status = report(run, device->id, selection->kind->name);
    }
    nitro_string_list_free(&candidates);
    return status;
}

static nitro_status load(selection_run *run)
{
    nitro_evaluate_options how;
    nitro_evaluate_options_init(&how);
    how.train_fraction = run->options->train_fraction;
    how.seed = run->options->seed;
    nitro_status status = nitro_store_list_devices(run->store, run->computation, &run->devices);
    if (status == NITRO_OK)
        status = nitro_dataset_load(run->store, run->computation,
                                    (const char *const *)run->devices.items, run->devices.count,
                                    &run->dataset);
    if (status != NITRO_OK)
        return status;
    while (nitro_builtin_dfs_kinds()[run->num_kinds])
        run->num_kinds++;
    for (size_t d = 0; d < run->devices.count; d++)
        run->num_targets += is_listed(run->options->targets, run->devices.items[d]);
    run->is_train = nitro_calloc(run->context, run->dataset->num_inputs, sizeof(bool));
    run->is_test = nitro_calloc(run->context, run->dataset->num_inputs, sizeof(bool));
    run->selections =
        nitro_calloc(run->context, run->num_targets, run->num_kinds * sizeof *run->selections);
    if (!run->is_train || !run->is_test || !run->selections)
        return NITRO_ERR_NO_MEMORY;
    status = nitro_evaluate_split(run->context, run->dataset, &how, run->is_train, run->is_test);
    for (size_t i = 0; status == NITRO_OK && i < run->dataset->num_inputs; i++)
        run->num_train += run->is_train[i];
    return status;
}

nitro_status nitro_study_select(nitro_store *store, const char *computation,
                                const nitro_study_options *options,
                                nitro_study_selection **selections, size_t *count)
{
    selection_run run = {.context = nitro_store_context(store),
                         .store = store,
                         .computation = computation,
                         .options = options};
    nitro_status status = load(&run);
    for (size_t d = 0; d < run.devices.count && status == NITRO_OK; d++) {
        nitro_dataset *sources = NULL;
        if (!is_listed(options->targets, run.devices.items[d]))
            continue;
        status = select_sources(&run, d, &sources);
        if (status == NITRO_OK)
            status = choose_by_all(&run, sources, d);
        nitro_dataset_free(sources);
    }
    if (status == NITRO_OK) {
        *selections = run.selections;
        *count = run.count;
        run.selections = NULL;
        run.count = 0;
    }
    free_run(&run);
    return status;
}
