/* Declaring a computation: variants, input features, hooks. Attaching a model closes the
 * declaration, since the model was checked against it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/require.h"
#include "nitro/records/schema.h"
#include "nitro/runtime/computation.h"
#include "nitro/runtime/model/model.h"

static void free_model(void *model)
{
    nitro_model_free(model);
}

nitro_status nitro_computation_create(nitro_context *context, const char *name,
                                      nitro_computation **computation)
{
    NITRO_REQUIRE(context, context && computation);
    nitro_computation *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_schema_create(context, name, &created->schema);
    if (status == NITRO_OK)
        status = nitro_rcu_pointer_create(context, free_model, &created->model);
    if (status != NITRO_OK) {
        nitro_schema_free(created->schema);
        free(created);
        return status;
    }
    created->context = context;
    atomic_flag_clear(&created->warned);
    strcpy(created->device_kind, "host");
    created->reference = NITRO_NONE;
    created->forced = NITRO_NONE;
    created->memo_size = NITRO_MEMO_DEFAULT_ENTRIES;
    created->epoch = 1;
    *computation = created;
    return NITRO_OK;
}

void nitro_computation_free(nitro_computation *computation)
{
    if (!computation)
        return;
    nitro_recorder_end(computation->recorder);
    nitro_thread_pool_free(computation->pool);
    nitro_rcu_pointer_free(computation->model);
    nitro_memo_free(computation->memo);
    nitro_decision_log_free(computation->decision_log);
    nitro_monitor_free(computation->monitor);
    for (size_t i = 0; i < computation->schema->num_variants; i++)
        free((char *)computation->variants[i].version); /* owned copy, const for users */
    nitro_schema_free(computation->schema);
    free(computation);
}

static nitro_status require_open(const nitro_computation *computation, const char *what)
{
    if (!computation->closed)
        return NITRO_OK;
    return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                      "%s: cannot %s: a model is attached or calls are monitored already; declare "
                      "everything first",
                      computation->schema->computation, what);
}

/** All features of the groups that a constraint reads. */
static nitro_status find_reads(const nitro_computation *computation, const nitro_variant *variant,
                               uint64_t *reads)
{
    const char *reader = variant->name ? variant->name : "(null)";
    nitro_string_list names = {0};
    uint64_t found = variant->allows_reads ? 0 : UINT64_MAX;
    nitro_status status = NITRO_OK;
    if (variant->allows_reads && variant->allows_reads[0])
        status = nitro_string_list_split(computation->context, &names, variant->allows_reads);
    if (status == NITRO_ERR_ARGUMENT)
        status = nitro_fail(computation->context, status,
                            "%s: the constraint of variant '%.80s' reads '%.200s', a list with an "
                            "empty item; write \"rows,nnz\", or \"\" if it reads no feature",
                            computation->schema->computation, reader, variant->allows_reads);
    for (size_t i = 0; i < names.count && status == NITRO_OK; i++) {
        size_t feature = nitro_schema_feature(computation->schema, names.items[i]);
        if (feature == NITRO_NONE)
            status = nitro_fail(computation->context, NITRO_ERR_NOT_FOUND,
                                "%s: the constraint of variant '%.80s' reads feature '%.80s', "
                                "which is not declared; declare features first",
                                computation->schema->computation, reader, names.items[i]);
        else
            found |= UINT64_C(1) << feature;
    }
    nitro_string_list_free(&names);
    if (status == NITRO_OK)
        *reads = variant->allows_reads ? nitro_computation_whole_groups(computation, found) : found;
    return status;
}

nitro_status nitro_computation_add_variant(nitro_computation *computation,
                                           const nitro_variant *variant)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && variant);
    nitro_context *context = computation->context;
    nitro_schema *schema = computation->schema;
    nitro_status status = require_open(computation, "add a variant");
    if (status != NITRO_OK)
        return status;
    if (!variant->run)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: variant '%.80s' has no run function",
                          schema->computation, variant->name ? variant->name : "(null)");
    const char *version = variant->version ? variant->version : "1";
    if (!nitro_name_is_valid(version))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: variant '%.80s': '%.80s' is not a valid version: use 1 to 63 of "
                          "[A-Za-z0-9_.+-]",
                          schema->computation, variant->name ? variant->name : "(null)", version);
    if ((unsigned)variant->time_source > NITRO_TIME_WALL)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: variant '%.80s': its time source %d is none of nitro_time_source",
                          schema->computation, variant->name ? variant->name : "(null)",
                          (int)variant->time_source);
    uint64_t reads = 0;
    if (!variant->allows && variant->allows_reads)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: variant '%.80s' has `allows_reads` but no constraint `allows`; give "
                          "both or neither",
                          schema->computation, variant->name ? variant->name : "(null)");
    if (variant->allows)
        status = find_reads(computation, variant, &reads);
    if (status != NITRO_OK)
        return status;
    char *version_copy = nitro_strdup(context, version);
    if (!version_copy)
        return NITRO_ERR_NO_MEMORY;
    status = nitro_schema_add_variant(context, schema, variant->name);
    if (status != NITRO_OK) {
        free(version_copy);
        return status;
    }
    size_t index = schema->num_variants - 1;
    computation->variants[index] = *variant;
    computation->variants[index].name = schema->variants[index];
    computation->variants[index].version = version_copy;
    computation->variants[index].allows_reads = NULL; /* kept in `reads` */
    computation->reads[index] = reads;
    computation->has_constraints = computation->has_constraints || variant->allows;
    if (index == 0)
        schema->default_variant = 0;
    return NITRO_OK;
}

/* Of a feature with a valid name: what a store would refuse only after it was measured. */
static nitro_status check_feature(const nitro_computation *computation,
                                  const nitro_feature *feature)
{
    const char *problem = NULL;
    nitro_scale scale;
    if (feature->unit && !nitro_text_is_valid(feature->unit, NITRO_STORE_MAX_TEXT))
        problem = "its unit is not UTF-8 without control characters, or too long";
    else if (!nitro_scale_from_name(nitro_scale_name(feature->scale), &scale))
        problem = "its scale is none of nitro_scale";
    else if (!isfinite(feature->cost_ns) || feature->cost_ns < 0)
        problem = "its cost_ns is not a finite number of at least 0";
    return problem ? nitro_fail(computation->context, NITRO_ERR_ARGUMENT, "%s: feature '%s': %s",
                                computation->schema->computation, feature->name, problem)
                   : NITRO_OK;
}

/* All features of a group are declared, or none. */
static void drop_features(nitro_schema *schema, size_t count_before)
{
    while (schema->num_features > count_before) {
        nitro_feature_info *last = &schema->features[--schema->num_features];
        free(last->name);
        free(last->unit);
    }
}

nitro_status nitro_computation_add_features(nitro_computation *computation,
                                            const nitro_feature *features, size_t count,
                                            nitro_features_function evaluate, void *user)
{
    NITRO_REQUIRE(computation ? computation->context : NULL,
                  computation && (features || count == 0));
    nitro_schema *schema = computation->schema;
    nitro_status status = require_open(computation, "add features");
    if (status != NITRO_OK)
        return status;
    if (!evaluate || count == 0)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: a feature group needs a function and at least one feature",
                          schema->computation);
    size_t first = schema->num_features;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = nitro_schema_add_feature(computation->context, schema, features[i].name,
                                          features[i].unit, features[i].scale);
        if (status == NITRO_OK)
            status = check_feature(computation, &features[i]);
        if (status == NITRO_OK)
            computation->feature_costs_ns[first + i] = features[i].cost_ns;
    }
    if (status == NITRO_OK && computation->memo) /* its entries have all features */
        status = nitro_computation_set_memo_size(computation, computation->memo_size);
    if (status != NITRO_OK) {
        drop_features(schema, first);
        return status;
    }
    computation->groups[computation->num_groups++] =
        (nitro_feature_group){.evaluate = evaluate, .user = user, .first = first, .count = count};
    return NITRO_OK;
}

nitro_status nitro_computation_add_relative_feature(nitro_computation *computation,
                                                    const nitro_relative_feature *feature)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && feature);
    nitro_status status = require_open(computation, "add a relative feature");
    if (status != NITRO_OK)
        return status;
    return nitro_schema_add_relative(computation->context, computation->schema, feature);
}

static nitro_status find_variant(const nitro_computation *computation, const char *name,
                                 size_t *index)
{
    const nitro_schema *schema = computation->schema;
    size_t found = name ? nitro_schema_variant(schema, name) : NITRO_NONE;
    if (found != NITRO_NONE) {
        *index = found;
        return NITRO_OK;
    }
    char *names = nitro_schema_print_variants(schema);
    nitro_fail(computation->context, NITRO_ERR_NOT_FOUND, "%s: no variant '%.80s'; declared: %s",
               schema->computation, name ? name : "(null)", names && names[0] ? names : "none");
    free(names);
    return NITRO_ERR_NOT_FOUND;
}

nitro_status nitro_computation_set_default(nitro_computation *computation, const char *variant)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && variant);
    nitro_status status = require_open(computation, "set the default variant");
    if (status != NITRO_OK)
        return status;
    computation->epoch++; /* invalidates decisions for the old one */
    return find_variant(computation, variant, &computation->schema->default_variant);
}

nitro_status nitro_computation_set_reference(nitro_computation *computation, const char *variant)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && variant);
    return find_variant(computation, variant, &computation->reference);
}

nitro_status nitro_computation_force(nitro_computation *computation, const char *variant)
{
    NITRO_REQUIRE(NULL, computation);
    size_t forced = NITRO_NONE;
    nitro_status status = variant ? find_variant(computation, variant, &forced) : NITRO_OK;
    if (status == NITRO_OK)
        computation->forced = forced;
    return status;
}

nitro_status nitro_computation_set_device_kind(nitro_computation *computation, const char *kind)
{
    NITRO_REQUIRE(NULL, computation);
    if (!nitro_name_is_valid(kind))
        return nitro_fail(
            computation->context, NITRO_ERR_ARGUMENT,
            "%s: '%.80s' is not a valid device kind: use 1 to 63 of [A-Za-z0-9_.+-], such "
            "as host or cuda",
            computation->schema->computation, kind ? kind : "(null)");
    snprintf(computation->device_kind, sizeof(computation->device_kind), "%s", kind);
    return NITRO_OK;
}

const char *nitro_computation_device_kind(const nitro_computation *computation)
{
    return computation ? computation->device_kind : NULL;
}

nitro_status nitro_computation_set_hooks(nitro_computation *computation, const nitro_hooks *hooks)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && hooks);
    computation->hooks = *hooks;
    return NITRO_OK;
}

nitro_status nitro_computation_set_problem(nitro_computation *computation,
                                           nitro_problem_text_function problem, void *user)
{
    NITRO_REQUIRE(NULL, computation);
    computation->problem = problem;
    computation->problem_user = user;
    return NITRO_OK;
}

const char *nitro_computation_problem(const nitro_computation *computation, const void *argument)
{
    const char *why =
        computation->problem ? computation->problem(argument, computation->problem_user) : NULL;
    return why ? why : "";
}

nitro_status nitro_computation_set_min_confidence(nitro_computation *computation,
                                                  double min_confidence)
{
    NITRO_REQUIRE(NULL, computation);
    if (!(min_confidence >= 0 && min_confidence <= 1))
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: the minimum confidence %g is not in [0, 1]",
                          computation->schema->computation, min_confidence);
    computation->min_confidence = min_confidence;
    computation->epoch++;
    return NITRO_OK;
}

nitro_status nitro_computation_set_uses(nitro_computation *computation, double uses)
{
    NITRO_REQUIRE(NULL, computation);
    if (!(uses >= 1.0))
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: %g uses of an input: give at least 1, or INFINITY for no limit",
                          computation->schema->computation, uses);
    computation->share = (float)(1.0 / uses);
    return NITRO_OK;
}

nitro_status nitro_query_set_options(const nitro_computation *computation,
                                     const nitro_call_options *options, nitro_query *query)
{
    query->share = computation->share;
    query->failed = 0;
    return options ? nitro_share_of_uses(computation->context, computation->schema->computation,
                                         options->uses, &query->share)
                   : NITRO_OK;
}

nitro_status nitro_computation_set_memo_size(nitro_computation *computation, size_t num_entries)
{
    NITRO_REQUIRE(NULL, computation);
    nitro_memo *memo = NULL;
    if (num_entries > 0) {
        nitro_status status = nitro_memo_create(computation->context, num_entries,
                                                computation->schema->num_features, &memo);
        if (status != NITRO_OK)
            return status;
    }
    nitro_memo_free(computation->memo);
    computation->memo = memo;
    computation->memo_size = num_entries;
    return NITRO_OK;
}

void nitro_computation_memo_statistics(const nitro_computation *computation,
                                       nitro_memo_statistics *statistics)
{
    if (!statistics)
        return;
    *statistics = (nitro_memo_statistics){0};
    if (computation && computation->memo)
        nitro_memo_count(computation->memo, statistics);
}

nitro_status nitro_computation_monitor(nitro_computation *computation,
                                       const nitro_monitor_options *options)
{
    NITRO_REQUIRE(NULL, computation);
    nitro_monitor *monitor = NULL;
    const nitro_monitored monitored = {computation->context,  computation->schema,
                                       computation->variants, computation->device_kind,
                                       &computation->hooks,   computation->model};
    nitro_status status = options ? nitro_monitor_create(&monitored, options, &monitor) : NITRO_OK;
    if (status != NITRO_OK)
        return status;
    nitro_recorder_end(computation->recorder);
    computation->recorder = NULL;
    nitro_monitor_free(computation->monitor);
    computation->monitor = monitor;
    computation->closed = computation->closed || monitor;
    return NITRO_OK;
}

void nitro_computation_monitor_statistics(const nitro_computation *computation,
                                          nitro_monitor_statistics *statistics)
{
    if (!statistics)
        return;
    *statistics = (nitro_monitor_statistics){0};
    if (computation && computation->monitor)
        nitro_monitor_count(computation->monitor, statistics);
}

nitro_status nitro_computation_set_feature_options(nitro_computation *computation,
                                                   const nitro_feature_options *options)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && options);
    nitro_thread_pool *pool = NULL;
    if (options->num_threads > NITRO_MAX_FEATURES ||
        !(options->budget_us >= 0 && options->budget_us <= 1e12))
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: %u threads and a budget of %g us to evaluate features: use at most "
                          "%d, and 0 to 1e12 us",
                          computation->schema->computation, options->num_threads,
                          options->budget_us, NITRO_MAX_FEATURES);
    if (options->num_threads > 0) {
        nitro_status status =
            nitro_thread_pool_create(computation->context, options->num_threads, &pool);
        if (status != NITRO_OK)
            return status;
    }
    nitro_thread_pool_free(computation->pool);
    computation->pool = pool;
    computation->feature_options = *options;
    return NITRO_OK;
}

const void *nitro_computation_code(const nitro_computation *computation)
{
    const void *code = NULL;
    if (computation->schema->num_variants > 0)
        memcpy(&code, &computation->variants[0].run, sizeof code);
    return code;
}

nitro_status nitro_schema_of(const nitro_computation *computation, nitro_schema **schema)
{
    return nitro_schema_copy(computation->context, computation->schema, schema);
}

const char *nitro_computation_name(const nitro_computation *computation)
{
    return computation ? computation->schema->computation : NULL;
}

size_t nitro_computation_num_variants(const nitro_computation *computation)
{
    return computation ? computation->schema->num_variants : 0;
}

size_t nitro_computation_num_features(const nitro_computation *computation)
{
    return computation ? computation->schema->num_features : 0;
}

const char *nitro_computation_variant_name(const nitro_computation *computation, size_t index)
{
    return index < nitro_computation_num_variants(computation)
               ? computation->schema->variants[index]
               : NULL;
}

const char *nitro_computation_variant_version(const nitro_computation *computation, size_t index)
{
    return index < computation->schema->num_variants ? computation->variants[index].version : NULL;
}

const char *nitro_computation_feature_name(const nitro_computation *computation, size_t index)
{
    return index < nitro_computation_num_features(computation)
               ? computation->schema->features[index].name
               : NULL;
}

const char *nitro_computation_reference(const nitro_computation *computation)
{
    const nitro_schema *schema = computation->schema;
    if (!computation->hooks.check_result || schema->num_variants == 0)
        return NULL;
    bool declared = computation->reference != NITRO_NONE;
    return schema->variants[declared ? computation->reference : schema->default_variant];
}
