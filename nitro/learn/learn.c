/*
 * Training from a store: find the sources and the target, select device features, train, write the
 * provenance. A target's device features come from the store, else from this machine.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nitro/base/closest.h"
#include "nitro/base/json.h"
#include "nitro/base/require.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"
#include "nitro/learn/data/device_range.h"
#include "nitro/learn/held_out.h"
#include "nitro/learn/select.h"
#include "nitro/learn/target_measurements.h"
#include "nitro/models/model_file.h"

/** One training from a store: filled step by step, freed as a whole. */
typedef struct learn_job {
    nitro_context *context;
    nitro_store *store;
    const char *computation;
    nitro_learn_options options;
    const nitro_strategy *strategy;
    const nitro_dfs_kind *dfs; /* NULL: the source is the target itself, without device features */
    nitro_string_list sources;
    nitro_dataset *dataset;
    nitro_device *target;
    bool target_is_live; /* described by this machine only */
    nitro_string_list device_features;
    nitro_string_list measured; /* inputs of the target that the model was adapted to */
    json_t *dfs_report;         /* NULL: none */
    json_t *feature_report;     /* costs and gains of input features; NULL: none */
} learn_job;

void nitro_learn_options_init(nitro_learn_options *options)
{
    if (!options)
        return;
    const nitro_strategy *best = NULL;
    nitro_strategy_find(NULL, NULL, &best);
    *options = (nitro_learn_options){
        .strategy = best ? best->name : NULL, .dfs_max_subset = 3, .dfs_k = 1};
}

static void free_job(learn_job *job)
{
    nitro_string_list_free(&job->sources);
    nitro_string_list_free(&job->device_features);
    nitro_string_list_free(&job->measured);
    nitro_dataset_free(job->dataset);
    nitro_device_free(job->target);
    json_decref(job->dfs_report);
    json_decref(job->feature_report);
}

static nitro_status require_names(const learn_job *job, const char *member,
                                  const char *const *names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        if (!names[i])
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s[%zu] is NULL, and num_%s is %zu: name each one", member, i,
                              member, count);
    return NITRO_OK;
}

static nitro_status begin(learn_job *job, const nitro_learn_options *options)
{
    nitro_learn_options_init(&job->options);
    if (options)
        job->options = *options;
    options = &job->options;
    nitro_status status = require_names(job, "sources", options->sources, options->num_sources);
    if (status == NITRO_OK)
        status = require_names(job, "measurable", options->measurable, options->num_measurable);
    return status == NITRO_OK ? nitro_strategy_find(job->context, options->strategy, &job->strategy)
                              : status;
}

/** The selection by the options' name or switches; else the strategy's own. */
static nitro_status find_dfs(learn_job *job)
{
    const nitro_learn_options *options = &job->options;
    const char *switched = options->profiling_based_dfs && options->search_based_dfs ? "both"
                           : options->profiling_based_dfs                            ? "profile"
                           : options->search_based_dfs                               ? "cv"
                                                                                     : NULL;
    if (switched && options->dfs && strcmp(switched, options->dfs) != 0)
        return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                          "device-feature selection is '%.80s' by name, but '%s' by "
                          "profiling_based_dfs and search_based_dfs; set only one of them",
                          options->dfs, switched);
    const char *name = switched ? switched : options->dfs;
    return nitro_dfs_find(job->context, name ? name : job->strategy->dfs, &job->dfs);
}

/* ---- Target ---------------------------------------------------------------------------------- */

static nitro_status find_live(learn_job *job, const char *id, bool measure)
{
    const nitro_device_kind *kind = NULL;
    nitro_device_free(job->target);
    job->target = NULL;
    return nitro_device_find(job->context, id, measure, &job->target, &kind);
}

static nitro_status fail_unknown(learn_job *job, const char *id)
{
    char question[128];
    nitro_string_list known = {0};
    (void)nitro_store_list_devices(job->store, NULL, &known);
    (void)nitro_device_list(job->context, &known);
    nitro_suggestion(&known, id, question, sizeof question);
    nitro_string_list_free(&known);
    return nitro_fail(job->context, NITRO_ERR_NOT_FOUND,
                      "device %s is neither in %s nor on this machine%s", id,
                      nitro_store_url(job->store),
                      question[0] ? question
                                  : ": import its device features (nitro store import --devices "
                                    "FILE), or run this on its machine");
}

/** The target as the store has it, else as this machine describes it, maybe under another id
 *  ("host"). */
static nitro_status find_target(learn_job *job, const char *id)
{
    nitro_status status = nitro_store_get_device(job->store, id, &job->target);
    if (status != NITRO_ERR_NOT_FOUND)
        return status;
    status = find_live(job, id, false);
    if (status == NITRO_ERR_NOT_FOUND)
        return fail_unknown(job, id);
    if (status != NITRO_OK)
        return status;
    nitro_device *stored = NULL;
    status = nitro_store_get_device(job->store, job->target->id, &stored);
    if (status == NITRO_OK) {
        nitro_device_free(job->target);
        job->target = stored;
    }
    job->target_is_live = status == NITRO_ERR_NOT_FOUND;
    return job->target_is_live ? NITRO_OK : status;
}

/** Does the target lack a usable feature that all sources have? */
static bool lacks_features(const learn_job *job)
{
    const nitro_device *first = job->dataset->devices[0];
    for (size_t i = 0; i < first->num_features; i++) {
        const char *name = first->features[i].name;
        bool common =
            nitro_device_feature_is_usable(name) && isnan(nitro_device_value(job->target, name));
        for (size_t s = 1; common && s < job->dataset->num_devices; s++)
            common = !isnan(nitro_device_value(job->dataset->devices[s], name));
        if (common)
            return true;
    }
    return false;
}

/** Run microbenchmarks, which take seconds, only on a live target that needs them. */
static nitro_status complete_target(learn_job *job)
{
    if (!job->target_is_live || !lacks_features(job))
        return NITRO_OK;
    char id[64];
    snprintf(id, sizeof id, "%s", job->target->id);
    return find_live(job, id, true);
}

/* ---- Sources --------------------------------------------------------------------------------- */

/** The named devices but the target, as in nitro_evaluate. */
static nitro_status add_named_sources(learn_job *job)
{
    const char *target = job->target->id;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->options.num_sources && status == NITRO_OK; i++) {
        const char *source = job->options.sources[i];
        if (strcmp(source, target) == 0)
            continue;
        if (nitro_string_list_find(&job->sources, source) != NITRO_NONE)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT, "source %s is named twice", source);
        status = nitro_string_list_add(job->context, &job->sources, source);
    }
    return status;
}

/** Skip a device that cannot be read, and the target itself under another id. */
static nitro_status add_source(learn_job *job, const char *id)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_store_get_device(job->store, id, &device);
    if (status == NITRO_ERR_FORMAT) {
        char message[1024];
        nitro_context_last_error(job->context, message, sizeof message);
        nitro_log(job->context, NITRO_LOG_WARNING, "source %s skipped: %s", id, message);
        return NITRO_OK;
    }
    if (status == NITRO_OK && !nitro_device_is_same(device, job->target))
        status = nitro_string_list_add(job->context, &job->sources, id);
    nitro_device_free(device);
    return status;
}

static nitro_status add_all_sources(learn_job *job)
{
    nitro_string_list all = {0};
    nitro_schema *schema = NULL; /* fails for an unknown computation, which has no devices either */
    nitro_status status = nitro_store_get_schema(job->store, job->computation, &schema);
    nitro_schema_free(schema);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(job->store, job->computation, &all);
    for (size_t i = 0; i < all.count && status == NITRO_OK; i++)
        status = add_source(job, all.items[i]);
    nitro_string_list_free(&all);
    return status;
}

/** Sources in byte order, whatever the order of the options. */
static nitro_status choose_sources(learn_job *job)
{
    nitro_status status = job->options.sources ? add_named_sources(job) : add_all_sources(job);
    nitro_string_list_sort(&job->sources);
    if (status == NITRO_OK && job->options.sources && job->options.num_sources == 0)
        return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                          "the list of sources is empty: name a source, or leave the list out for "
                          "all devices in %s",
                          nitro_store_url(job->store));
    if (status == NITRO_OK && job->sources.count == 0 && job->options.sources)
        return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                          "%s is the target and cannot be its own source: name another source",
                          job->target->id);
    if (status == NITRO_OK && job->sources.count == 0)
        return nitro_fail(
            job->context, NITRO_ERR_NO_DATA,
            "%s: %s has no samples of another device than the target %s: tune on a source "
            "device first, or import its samples",
            job->computation, nitro_store_url(job->store), job->target->id);
    return status;
}

static size_t count_rows(const nitro_dataset *dataset, size_t device)
{
    size_t count = 0;
    for (size_t row = 0; row < dataset->num_rows; row++)
        count += dataset->row_device[row] == device;
    return count;
}

static nitro_status load_sources(learn_job *job)
{
    nitro_status status =
        nitro_dataset_load(job->store, job->computation, (const char *const *)job->sources.items,
                           job->sources.count, &job->dataset);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < job->sources.count; i++)
        if (count_rows(job->dataset, i) == 0)
            return nitro_fail(job->context, NITRO_ERR_NO_DATA,
                              "%s has no usable samples of %s on device %s",
                              nitro_store_url(job->store), job->computation, job->sources.items[i]);
    nitro_dataset_log_warnings(job->context, job->dataset);
    return NITRO_OK;
}

static nitro_status select_device_features(learn_job *job, const nitro_string_list *candidates)
{
    const nitro_dfs_task task = {.sources = job->dataset,
                                 .target = job->target,
                                 .candidates = candidates,
                                 .store = job->store,
                                 .max_subset = job->options.dfs_max_subset,
                                 .k = job->options.dfs_k,
                                 .proxies_path = job->options.proxies,
                                 .listener = &job->options,
                                 .seed = job->options.seed,
                                 .num_threads = job->options.num_threads};
    nitro_status status =
        job->dfs->select(job->context, &task, &job->device_features, &job->dfs_report);
    const json_t *both = json_object_get(job->dfs_report, "profile");
    const char *reason =
        json_string_value(json_object_get(both ? both : job->dfs_report, "skipped"));
    if (status == NITRO_OK && reason)
        nitro_log(job->context, NITRO_LOG_WARNING,
                  "device-feature selection by profiles skipped, %s: %s",
                  both ? "the search is among all features" : "all features are kept", reason);
    return status;
}

static nitro_status choose_device_features(learn_job *job)
{
    nitro_string_list candidates = {0};
    nitro_status status =
        nitro_device_candidates(job->context, (const nitro_device *const *)job->dataset->devices,
                                job->dataset->num_devices, job->target, &candidates);
    if (status == NITRO_OK)
        status = select_device_features(job, &candidates);
    nitro_string_list_free(&candidates);
    return status;
}

/* ---- Provenance ------------------------------------------------------------------------------ */

static json_t *describe_sources(const nitro_dataset *dataset)
{
    json_t *array = json_array();
    for (size_t i = 0; i < dataset->num_devices; i++) {
        char records[NITRO_DIGEST_SIZE], state[NITRO_DIGEST_SIZE];
        snprintf(records, sizeof records, "%016" PRIx64, nitro_dataset_device_digest(dataset, i));
        nitro_device_digest(dataset->devices[i], state);
        nitro_json_append(&array,
                          json_pack("{s:s, s:s, s:I, s:s, s:s}", "device", dataset->devices[i]->id,
                                    "kind", dataset->devices[i]->kind, "samples",
                                    (json_int_t)count_rows(dataset, i), "records", records,
                                    "device_digest", state));
    }
    return array;
}

/** Without times, host or thread count: the same samples and options give the same bytes. */
static nitro_status note_provenance(const learn_job *job, nitro_model *model)
{
    char digest[17], seed[21];
    snprintf(digest, sizeof digest, "%016" PRIx64, nitro_dataset_digest(job->dataset));
    snprintf(seed, sizeof seed, "%" PRIu64, job->options.seed);
    /* On other devices' inputs, LODO validation tells more. */
    const nitro_held_out *held_out = model->held_out;
    bool has_held_out = !job->dfs && held_out && held_out->num_rows > 0 &&
                        isfinite(held_out->model.time + held_out->best_fixed.time +
                                 held_out->usual.time + held_out->replaced.time);
    json_t *made = json_pack("{s:s, s:o, s:s, s:s, s:O*, s:O*, s:s}", "library", nitro_version(),
                             "sources", describe_sources(job->dataset), "records", digest, "dfs",
                             job->dfs ? job->dfs->name : "own-samples", "dfs_report",
                             job->dfs_report, "features", job->feature_report, "seed", seed);
    if (model->predicted)
        nitro_json_put(&made, "predicted_quality",
                       nitro_predicted_quality_json(model->predicted, job->dataset));
    if (has_held_out)
        nitro_json_put(&made, "held_out", nitro_held_out_json(held_out, model->schema));
    if (job->measured.count > 0)
        nitro_json_put(&made, "measured", nitro_json_from_strings(&job->measured, 0));
    nitro_model_set_provenance(model, made);
    if (!model->provenance)
        return nitro_fail(job->context, NITRO_ERR_NO_MEMORY, "out of memory: model provenance");
    return NITRO_OK;
}

static nitro_status train(learn_job *job, nitro_model **model)
{
    nitro_training_task task = {.sources = job->dataset,
                                .target = job->target,
                                .device_features = &job->device_features,
                                .strategy = job->strategy,
                                /* On one device, device values are constant: no information. */
                                .use_relative = job->dfs && !job->strategy->without_relative,
                                .lodo = job->dfs != NULL,
                                .guards = job->dfs && !job->options.unguarded,
                                .feature_report = &job->feature_report,
                                .weighs_sources = job->dfs && !job->options.equal_sources,
                                .all_members = job->dfs && job->options.num_measured > 0,
                                .range_ends = true,
                                .listener = &job->options,
                                .seed = job->options.seed,
                                .num_threads = job->options.num_threads};
    nitro_model *made = NULL;
    nitro_status status = nitro_model_train(job->context, &task, &made);
    if (status == NITRO_OK) {
        for (size_t v = 0; v < made->schema->num_variants; v++)
            made->untried |= (~job->dataset->tried >> v & 1) << v;
        nitro_device_range_log_extrapolation(made, NITRO_LOG_WARNING);
        if (job->dfs && job->options.num_measured > 0)
            status = nitro_measured_adapt(job->context, job->store, job->dataset, &job->options,
                                          made, &job->measured);
    }
    if (status == NITRO_OK && made->predicted && made->predicted->warning)
        nitro_log(job->context, NITRO_LOG_WARNING, "target %s: %s", made->target,
                  made->predicted->warning);
    if (status == NITRO_OK)
        status = note_provenance(job, made);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

nitro_status nitro_tune_from_source(nitro_context *context, nitro_store *store,
                                    const char *computation, const char *target,
                                    const nitro_learn_options *options, nitro_model **model)
{
    NITRO_REQUIRE(context, context && store && computation && target && model);
    learn_job job = {.context = context, .store = store, .computation = computation};
    nitro_status status = begin(&job, options);
    if (status == NITRO_OK)
        status = find_dfs(&job);
    if (status == NITRO_OK)
        status = find_target(&job, target);
    if (status == NITRO_OK)
        status = choose_sources(&job);
    if (status == NITRO_OK)
        status = load_sources(&job);
    if (status == NITRO_OK)
        status = complete_target(&job);
    if (status == NITRO_OK)
        status = choose_device_features(&job);
    if (status == NITRO_OK)
        status = train(&job, model);
    free_job(&job);
    return status;
}

nitro_status nitro_learn_own(nitro_context *context, nitro_store *store, const char *computation,
                             const char *device, const nitro_learn_options *options,
                             nitro_model **model)
{
    NITRO_REQUIRE(context, context && store && computation && device && model);
    learn_job job = {.context = context, .store = store, .computation = computation};
    nitro_status status = begin(&job, options);
    if (status == NITRO_OK)
        status = find_target(&job, device);
    if (status == NITRO_OK)
        status = nitro_string_list_add(context, &job.sources, job.target->id);
    if (status == NITRO_OK)
        status = load_sources(&job);
    if (status == NITRO_OK)
        status = train(&job, model);
    free_job(&job);
    return status;
}
