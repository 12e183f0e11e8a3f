/* Which columns of a table of samples are imported, and in which order: the computation's own names
 * where the store has it, else those that the options give, else all columns as they come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/exchange/import_internal.h"

static bool is_time_column(const char *name)
{
    return strncmp(name, NITRO_IMPORT_TIME_PREFIX, strlen(NITRO_IMPORT_TIME_PREFIX)) == 0;
}

/* Names of all columns of one sort: times, or features. */
static nitro_status list_columns(const import_job *job, bool times, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_csv_num_columns(job->csv) && status == NITRO_OK; i++) {
        const char *name = nitro_csv_column_name(job->csv, i);
        if (i == job->input_column || is_time_column(name) != times)
            continue;
        const char *bare = times ? name + strlen(NITRO_IMPORT_TIME_PREFIX) : name;
        if (nitro_name_is_valid(bare))
            status = nitro_string_list_add(job->context, names, bare);
        else
            status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                                "%s:1: column %zu: '%.80s' is no name of a %s: use 1 to 63 of "
                                "[A-Za-z0-9_.+-], or leave the column out with %s",
                                job->options->samples_path, i + 1, bare,
                                times ? "variant" : "feature", times ? "--variants" : "--features");
    }
    return status;
}

static size_t find_time_column(const nitro_csv *csv, const char *variant)
{
    char name[sizeof(NITRO_IMPORT_TIME_PREFIX) + 64];
    snprintf(name, sizeof(name), NITRO_IMPORT_TIME_PREFIX "%.64s", variant);
    return nitro_csv_column(csv, name);
}

static nitro_status add_features(const import_job *job, const nitro_string_list *names,
                                 nitro_schema *schema)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < names->count && status == NITRO_OK; i++) {
        status =
            nitro_schema_add_feature(job->context, schema, names->items[i], "1", NITRO_SCALE_AUTO);
    }
    return status;
}

static nitro_status add_variants(const import_job *job, const nitro_string_list *names,
                                 nitro_schema *schema)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < names->count && status == NITRO_OK; i++)
        status = nitro_schema_add_variant(job->context, schema, names->items[i]);
    return status;
}

static nitro_status require_log_features(const import_job *job, const nitro_schema *schema)
{
    const nitro_string_list *logs = job->options->log_features;
    for (size_t i = 0; logs && i < logs->count; i++)
        if (nitro_schema_feature(schema, logs->items[i]) == NITRO_NONE)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s: feature '%s' is to be scaled log, but is not among the features",
                              job->options->samples_path, logs->items[i]);
    return NITRO_OK;
}

/* Features that nobody named one by one: those of a computation that is known, where a description
 * says what it is about; those described, where it is new; else all columns. */
static nitro_status list_features(const import_job *job, const nitro_schema *stored,
                                  nitro_string_list *names)
{
    if (!job->description)
        return list_columns(job, false, names);
    const nitro_schema *from = stored ? stored : job->description->names;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < from->num_features && status == NITRO_OK; i++)
        status = nitro_string_list_add(job->context, names, from->features[i].name);
    return status;
}

/* The names that the file and the options give, in their order. */
static nitro_status wanted_schema(const import_job *job, const nitro_schema *stored,
                                  nitro_schema **schema)
{
    const nitro_import_options *options = job->options;
    nitro_string_list features = {0}, variants = {0};
    nitro_schema *wanted = NULL;
    nitro_status status = nitro_schema_create(job->context, options->computation, &wanted);
    if (status == NITRO_OK && !options->features)
        status = list_features(job, stored, &features);
    if (status == NITRO_OK && !options->variants)
        status = list_columns(job, true, &variants);
    if (status == NITRO_OK)
        status = add_features(job, options->features ? options->features : &features, wanted);
    if (status == NITRO_OK)
        status = add_variants(job, options->variants ? options->variants : &variants, wanted);
    if (status == NITRO_OK)
        status = require_log_features(job, wanted);
    if (status == NITRO_OK && wanted->num_variants == 0)
        status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                            "%s:1: no column of times; a variant's times are in a column "
                            "called '" NITRO_IMPORT_TIME_PREFIX "NAME'",
                            options->samples_path);
    nitro_string_list_free(&features);
    nitro_string_list_free(&variants);
    if (status == NITRO_OK)
        *schema = wanted;
    else
        nitro_schema_free(wanted);
    return status;
}

static bool has_same_features(const nitro_schema *a, const nitro_schema *b)
{
    bool same = a->num_features == b->num_features;
    for (size_t i = 0; i < a->num_features && same; i++)
        same = nitro_schema_feature(b, a->features[i].name) != NITRO_NONE;
    return same;
}

static bool has_same_variants(const nitro_schema *a, const nitro_schema *b)
{
    bool same = a->num_variants == b->num_variants;
    for (size_t i = 0; i < a->num_variants && same; i++)
        same = nitro_schema_variant(b, a->variants[i]) != NITRO_NONE;
    return same;
}

/* Columns that the store's names ask for and the file lacks. */
static nitro_status list_missing(const import_job *job, const nitro_schema *stored,
                                 nitro_string_list *missing)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < stored->num_features && status == NITRO_OK; i++)
        if (nitro_csv_column(job->csv, stored->features[i].name) == NITRO_NONE)
            status = nitro_string_list_add(job->context, missing, stored->features[i].name);
    for (size_t i = 0; i < stored->num_variants && status == NITRO_OK; i++) {
        char name[sizeof(NITRO_IMPORT_TIME_PREFIX) + 64];
        snprintf(name, sizeof(name), NITRO_IMPORT_TIME_PREFIX "%s", stored->variants[i]);
        if (nitro_csv_column(job->csv, name) == NITRO_NONE)
            status = nitro_string_list_add(job->context, missing, name);
    }
    return status;
}

/* "--features a,b --variants v,w", without the one whose set is the same anyway. */
static nitro_status print_options(const import_job *job, const nitro_schema *stored,
                                  const nitro_schema *wanted, nitro_store_text *text)
{
    nitro_status status = NITRO_OK;
    size_t num_features = has_same_features(stored, wanted) ? 0 : stored->num_features;
    size_t num_variants = has_same_variants(stored, wanted) ? 0 : stored->num_variants;
    for (size_t i = 0; i < num_features && status == NITRO_OK; i++) {
        status = nitro_store_text_add(job->context, text, i ? "," : " --features ");
        if (status == NITRO_OK)
            status = nitro_store_text_add(job->context, text, stored->features[i].name);
    }
    for (size_t i = 0; i < num_variants && status == NITRO_OK; i++) {
        status = nitro_store_text_add(job->context, text, i ? "," : " --variants ");
        if (status == NITRO_OK)
            status = nitro_store_text_add(job->context, text, stored->variants[i]);
    }
    return status;
}

/* Both sets, and what would make them one. */
static nitro_status fail_other_names(const import_job *job, const nitro_schema *stored,
                                     const nitro_schema *wanted)
{
    nitro_string_list missing = {0};
    nitro_store_text options = {0};
    char *names = NULL;
    char both[3072];
    nitro_schema_require_same(job->context, stored, "the store", wanted,
                              job->options->samples_path);
    nitro_context_last_error(job->context, both, sizeof(both));
    nitro_status status = list_missing(job, stored, &missing);
    if (status == NITRO_OK)
        status = print_options(job, stored, wanted, &options);
    if (status == NITRO_OK && !(names = nitro_store_print_some(job->context, &missing)))
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && missing.count == 0)
        status = nitro_fail(job->context, NITRO_ERR_MISMATCH,
                            "%s The file has the store's columns too; import these alone with%s",
                            both, options.bytes);
    else if (status == NITRO_OK)
        status = nitro_fail(job->context, NITRO_ERR_MISMATCH,
                            "%s The file has no column %s. Import it as another computation, or "
                            "choose columns for all devices with --features and --variants",
                            both, names);
    free(names);
    nitro_store_text_free(&options);
    nitro_string_list_free(&missing);
    return status;
}

/* What the description says of the names, then what the options say. */
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

/* The stored names where there are some: the file's columns are then found by name. */
static nitro_status choose_schema(import_job *job)
{
    nitro_schema *wanted = NULL, *stored = NULL;
    nitro_status status = nitro_store_get_schema(job->store, job->options->computation, &stored);
    if (status == NITRO_OK || status == NITRO_ERR_NOT_FOUND)
        status = wanted_schema(job, stored, &wanted);
    if (status != NITRO_OK || !stored) {
        nitro_schema_free(stored);
        job->schema = wanted;
        return status == NITRO_OK ? describe(job) : status;
    }
    if (!(has_same_features(stored, wanted) && has_same_variants(stored, wanted)))
        status = fail_other_names(job, stored, wanted);
    nitro_schema_free(wanted);
    job->schema = stored;
    return status == NITRO_OK ? describe(job) : status;
}

/* With the columns that there are: of a file with other separators that is one, and long. */
static nitro_status fail_no_column(const import_job *job, const char *prefix, const char *name)
{
    nitro_string_list columns = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_csv_num_columns(job->csv) && status == NITRO_OK; i++)
        status = nitro_string_list_add(job->context, &columns, nitro_csv_column_name(job->csv, i));
    char *names = status == NITRO_OK ? nitro_store_print_some(job->context, &columns) : NULL;
    status = NITRO_ERR_NO_MEMORY;
    if (names)
        status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                            "%s:1: there is no column '%s%s'; separated by commas there is: %s",
                            job->options->samples_path, prefix, name, names);
    free(names);
    nitro_string_list_free(&columns);
    return status;
}

static nitro_status find_columns(import_job *job)
{
    const nitro_schema *schema = job->schema;
    for (size_t i = 0; i < schema->num_features; i++) {
        const char *name = schema->features[i].name;
        job->feature_columns[i] = nitro_csv_column(job->csv, name);
        if (job->feature_columns[i] == NITRO_NONE)
            return fail_no_column(job, "", name);
        if (job->feature_columns[i] == job->input_column)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s: the column 'input' names the inputs; it cannot be a feature",
                              job->options->samples_path);
    }
    for (size_t i = 0; i < schema->num_variants; i++) {
        job->time_columns[i] = find_time_column(job->csv, schema->variants[i]);
        if (job->time_columns[i] == NITRO_NONE)
            return fail_no_column(job, NITRO_IMPORT_TIME_PREFIX, schema->variants[i]);
    }
    return NITRO_OK;
}

nitro_status nitro_import_choose_columns(import_job *job)
{
    job->input_column = nitro_csv_column(job->csv, "input");
    if (job->input_column == NITRO_NONE)
        return fail_no_column(job, "", "input");
    nitro_status status = choose_schema(job);
    return status == NITRO_OK ? find_columns(job) : status;
}
