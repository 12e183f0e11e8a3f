/* import_columns.c - chooses the columns of a table of samples that are imported, and their order:
 * the schema that the store has, else what the options list, else all columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/exchange/import_internal.h"

enum { COLUMN_BYTES = sizeof(NITRO_IMPORT_TIME_PREFIX) + 64 };

/* Features and variants are handled alike; `times`: variants. */
static size_t num_names(const nitro_schema *schema, bool times)
{
    return times ? schema->num_variants : schema->num_features;
}

static const char *name_at(const nitro_schema *schema, bool times, size_t i)
{
    return times ? schema->variants[i] : schema->features[i].name;
}

nitro_status nitro_import_list_names(nitro_context *context, const nitro_schema *schema, bool times,
                                     nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_names(schema, times) && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, names, name_at(schema, times, i));
    return status;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_time_column(const char *name)
{
    return has_prefix(name, NITRO_IMPORT_TIME_PREFIX);
}

static bool is_cost_column(const char *name)
{
    return has_prefix(name, NITRO_IMPORT_PREPARE_PREFIX) ||
           has_prefix(name, NITRO_IMPORT_FEATURE_COST_PREFIX);
}

/* Names of all columns of times, or of all features. */
static nitro_status list_columns(const import_job *job, bool times, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_csv_num_columns(job->csv) && status == NITRO_OK; i++) {
        const char *name = nitro_csv_column_name(job->csv, i);
        if (i == job->input_column || is_time_column(name) != times || is_cost_column(name))
            continue;
        const char *bare = times ? name + strlen(NITRO_IMPORT_TIME_PREFIX) : name;
        if (nitro_name_is_valid(bare))
            status = nitro_string_list_add(job->context, names, bare);
        else
            status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                                "%s:1: column %zu: invalid %s name '%.80s': use 1 to 63 of "
                                "[A-Za-z0-9_.+-], or choose other columns with %s",
                                job->options->samples_path, i + 1, times ? "variant" : "feature",
                                bare, times ? "--variants" : "--features");
    }
    return status;
}

/* The column of a feature or of a variant's times; NITRO_NONE. @param[out] column  its name. */
static size_t find_column(const nitro_csv *csv, bool times, const char *name,
                          char column[COLUMN_BYTES])
{
    snprintf(column, COLUMN_BYTES, "%s%.64s", times ? NITRO_IMPORT_TIME_PREFIX : "", name);
    return nitro_csv_column(csv, column);
}

static nitro_status require_log_features(const import_job *job, const nitro_schema *schema)
{
    const nitro_string_list *logs = job->options->log_features;
    for (size_t i = 0; logs && i < logs->count; i++)
        if (nitro_schema_feature(schema, logs->items[i]) == NITRO_NONE)
            return nitro_fail(
                job->context, NITRO_ERR_ARGUMENT,
                "%s: no feature '%s' to scale logarithmically: list features of the import "
                "with --log",
                job->options->samples_path, logs->items[i]);
    return NITRO_OK;
}

/* Add the names in the options, else the file's. Features without a list are with a description
 * those of the store, else those that the description lists. */
static nitro_status add_names(const import_job *job, const nitro_schema *stored, bool times,
                              nitro_schema *schema)
{
    const nitro_string_list *given = times ? job->options->variants : job->options->features;
    nitro_string_list found = {0};
    nitro_status status = NITRO_OK;
    if (!given && (times || !job->description))
        status = list_columns(job, times, &found);
    else if (!given)
        status = nitro_import_list_names(job->context, stored ? stored : job->description->names,
                                         false, &found);
    const nitro_string_list *names = given ? given : &found;
    for (size_t i = 0; i < names->count && status == NITRO_OK; i++)
        status = times ? nitro_schema_add_variant(job->context, schema, names->items[i])
                       : nitro_schema_add_feature(job->context, schema, names->items[i], "1",
                                                  NITRO_SCALE_AUTO);
    nitro_string_list_free(&found);
    return status;
}

/* The schema by the file and the options, in their order; free it also after an error. */
static nitro_status wanted_schema(const import_job *job, const nitro_schema *stored,
                                  nitro_schema **schema)
{
    nitro_status status = nitro_schema_create(job->context, job->options->computation, schema);
    if (status == NITRO_OK)
        status = add_names(job, stored, false, *schema);
    if (status == NITRO_OK)
        status = add_names(job, stored, true, *schema);
    if (status == NITRO_OK)
        status = require_log_features(job, *schema);
    if (status == NITRO_OK && (*schema)->num_variants == 0)
        status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                            "%s:1: no column of times; name the column of a variant's times "
                            "'" NITRO_IMPORT_TIME_PREFIX "VARIANT'",
                            job->options->samples_path);
    return status;
}

static bool has_same_names(const nitro_schema *a, const nitro_schema *b, bool times)
{
    bool same = num_names(a, times) == num_names(b, times);
    for (size_t i = 0; same && i < num_names(a, times); i++)
        same = (times ? nitro_schema_variant(b, a->variants[i])
                      : nitro_schema_feature(b, a->features[i].name)) != NITRO_NONE;
    return same;
}

/* Are all variants the store's, two at least, and those of the store that the file has? Others of
 * the store's are missing values of this device. */
static bool has_some_variants(const import_job *job, const nitro_schema *stored,
                              const nitro_schema *wanted)
{
    char column[COLUMN_BYTES];
    bool known = wanted->num_variants >= 2 || wanted->num_variants == stored->num_variants;
    for (size_t v = 0; known && v < wanted->num_variants; v++)
        known = nitro_schema_variant(stored, wanted->variants[v]) != NITRO_NONE;
    for (size_t v = 0; known && v < stored->num_variants; v++)
        known = nitro_schema_variant(wanted, stored->variants[v]) != NITRO_NONE ||
                find_column(job->csv, true, stored->variants[v], column) == NITRO_NONE;
    return known;
}

/* Columns of the stored schema that the file lacks. */
static nitro_status list_missing(const import_job *job, const nitro_schema *stored, bool times,
                                 nitro_string_list *missing)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_names(stored, times) && status == NITRO_OK; i++) {
        char column[COLUMN_BYTES];
        if (find_column(job->csv, times, name_at(stored, times, i), column) == NITRO_NONE)
            status = nitro_string_list_add(job->context, missing, column);
    }
    return status;
}

/* "--features a,b": chooses the stored names; "" where they are chosen anyway. */
static char *print_option(const import_job *job, const nitro_schema *stored,
                          const nitro_schema *wanted, bool times)
{
    bool same = has_same_names(stored, wanted, times);
    char *text = nitro_strdup(job->context, same ? "" : times ? " --variants " : " --features ");
    for (size_t i = 0; text && !same && i < num_names(stored, times); i++) {
        char *longer =
            nitro_asprintf(job->context, "%s%s%s", text, i ? "," : "", name_at(stored, times, i));
        free(text);
        text = longer;
    }
    return text;
}

/* The error shows both schemas, and the options that would make them one. */
static nitro_status fail_other_names(const import_job *job, const nitro_schema *stored,
                                     const nitro_schema *wanted)
{
    nitro_string_list missing = {0};
    char both[3072];
    nitro_schema_require_same(job->context, stored, "the store", wanted,
                              job->options->samples_path);
    nitro_context_last_error(job->context, both, sizeof(both));
    nitro_status status = list_missing(job, stored, false, &missing);
    if (status == NITRO_OK)
        status = list_missing(job, stored, true, &missing);
    char *features = print_option(job, stored, wanted, false);
    char *variants = print_option(job, stored, wanted, true);
    char *names = nitro_store_print_some(job->context, &missing);
    if (status == NITRO_OK && !(features && variants && names))
        status = NITRO_ERR_NO_MEMORY;
    else if (status == NITRO_OK && missing.count == 0)
        status = nitro_fail(job->context, NITRO_ERR_MISMATCH,
                            "%s The file also has the store's columns; import these alone with%s%s",
                            both, features, variants);
    else if (status == NITRO_OK)
        status = nitro_fail(job->context, NITRO_ERR_MISMATCH,
                            "%s The file has no column %s. Import it as another computation, or "
                            "choose columns for all devices with --features and --variants",
                            both, names);
    free(features);
    free(variants);
    free(names);
    nitro_string_list_free(&missing);
    return status;
}

/* Apply the description to the schema, then the options. */
static nitro_status describe(import_job *job)
{
    nitro_schema *schema = job->schema;
    const nitro_string_list *logs = job->options->log_features;
    nitro_status status = NITRO_OK;
    if (job->description)
        status = nitro_description_apply(job->context, job->description, schema);
    for (size_t i = 0; logs && i < logs->count && status == NITRO_OK; i++)
        schema->features[nitro_schema_feature(schema, logs->items[i])].scale = NITRO_SCALE_LOG;
    return status;
}

/* The stored schema where there is one: the file's columns are then found by name. */
static nitro_status choose_schema(import_job *job)
{
    nitro_schema *wanted = NULL, *stored = NULL;
    nitro_status status = nitro_store_get_schema(job->store, job->options->computation, &stored);
    if (status == NITRO_OK || status == NITRO_ERR_NOT_FOUND)
        status = wanted_schema(job, stored, &wanted);
    if (status == NITRO_OK && stored &&
        (!has_same_names(stored, wanted, false) || !has_some_variants(job, stored, wanted)))
        status = fail_other_names(job, stored, wanted);
    job->schema = stored ? stored : wanted;
    job->is_stored = stored != NULL;
    if (stored)
        nitro_schema_free(wanted);
    return status == NITRO_OK ? describe(job) : status;
}

/* The error lists the columns: a file with other separators has a single long one. */
static nitro_status fail_no_column(const import_job *job, const char *name)
{
    nitro_string_list columns = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_csv_num_columns(job->csv) && status == NITRO_OK; i++)
        status = nitro_string_list_add(job->context, &columns, nitro_csv_column_name(job->csv, i));
    char *names = status == NITRO_OK ? nitro_store_print_some(job->context, &columns) : NULL;
    status = names ? nitro_fail(job->context, NITRO_ERR_FORMAT,
                                "%s:1: no column '%s'; the columns, separated by commas, are: %s",
                                job->options->samples_path, name, names)
                   : NITRO_ERR_NO_MEMORY;
    free(names);
    nitro_string_list_free(&columns);
    return status;
}

/* The store's variants that the file lacks are missing values, if it has two others. */
static nitro_status find_times(import_job *job)
{
    const nitro_schema *schema = job->schema;
    char column[COLUMN_BYTES];
    size_t num_found = 0;
    for (size_t i = 0; i < schema->num_variants; i++) {
        job->time_columns[i] = find_column(job->csv, true, schema->variants[i], column);
        num_found += job->time_columns[i] != NITRO_NONE;
    }
    for (size_t i = 0; i < schema->num_variants; i++) {
        if (job->time_columns[i] != NITRO_NONE)
            continue;
        if (!job->is_stored || num_found < 2) {
            find_column(job->csv, true, schema->variants[i], column);
            return fail_no_column(job, column);
        }
        nitro_log(job->context, NITRO_LOG_WARNING,
                  "%s: no times of variant %s: it counts as not measured on device %s",
                  job->options->samples_path, schema->variants[i], job->options->device);
    }
    return NITRO_OK;
}

/* Costs of variants and features that are not imported are left out, too. */
static nitro_status find_costs(import_job *job)
{
    for (size_t i = 0; i < NITRO_MAX_VARIANTS; i++)
        job->prepare_columns[i] = NITRO_NONE;
    for (size_t i = 0; i < NITRO_MAX_FEATURES; i++)
        job->feature_cost_columns[i] = NITRO_NONE;
    for (size_t i = 0; i < nitro_csv_num_columns(job->csv); i++) {
        const char *name = nitro_csv_column_name(job->csv, i);
        if (!is_cost_column(name))
            continue;
        bool of_variant = has_prefix(name, NITRO_IMPORT_PREPARE_PREFIX);
        const char *bare = strchr(name, ':') + 1;
        char column[COLUMN_BYTES];
        size_t of = find_column(job->csv, of_variant, bare, column);
        if (of == NITRO_NONE || of == job->input_column)
            return nitro_fail(job->context, NITRO_ERR_FORMAT,
                              of == NITRO_NONE
                                  ? "%s:1: column %zu ('%.100s') is the cost of '%s', but there is "
                                    "no such column"
                                  : "%s:1: column %zu ('%.100s') is the cost of '%s', but that "
                                    "column has the names of inputs",
                              job->options->samples_path, i + 1, name, column);
        size_t *columns = of_variant ? job->prepare_columns : job->feature_cost_columns;
        size_t place = of_variant ? nitro_schema_variant(job->schema, bare)
                                  : nitro_schema_feature(job->schema, bare);
        if (place != NITRO_NONE)
            columns[place] = i;
    }
    return NITRO_OK;
}

static nitro_status find_columns(import_job *job)
{
    const nitro_schema *schema = job->schema;
    char column[COLUMN_BYTES];
    for (size_t i = 0; i < schema->num_features; i++) {
        job->feature_columns[i] = find_column(job->csv, false, schema->features[i].name, column);
        if (job->feature_columns[i] == NITRO_NONE)
            return fail_no_column(job, column);
        if (job->feature_columns[i] == job->input_column)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s: the column 'input' has the names of inputs: it cannot be a "
                              "feature",
                              job->options->samples_path);
    }
    nitro_status status = find_times(job);
    return status == NITRO_OK ? find_costs(job) : status;
}

nitro_status nitro_import_choose_columns(import_job *job)
{
    job->input_column = nitro_csv_column(job->csv, "input");
    if (job->input_column == NITRO_NONE)
        return fail_no_column(job, "input");
    nitro_status status = choose_schema(job);
    return status == NITRO_OK ? find_columns(job) : status;
}
