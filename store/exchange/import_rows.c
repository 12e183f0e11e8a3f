/* import_rows.c - the rows of a table as samples, one at a time. The first time through, inputs are
 * compared with each other and with the store's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/exchange/import_internal.h"

enum { MAX_NAMED_INPUTS = 8 };

static nitro_status fail_field(const import_job *job, size_t row, size_t column,
                               const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s:%zu: column %zu ('%.100s'): '%.80s' %s",
                      job->options->samples_path, nitro_csv_line(job->csv, row), column + 1,
                      nitro_csv_column_name(job->csv, column),
                      nitro_csv_field(job->csv, row, column), problem);
}

static bool is_log_by_option(const import_job *job, size_t feature)
{
    const nitro_string_list *logs = job->options->log_features;
    return logs && nitro_string_list_find(logs, job->schema->features[feature].name) != NITRO_NONE;
}

static nitro_status read_features(const import_job *job, size_t row, nitro_sample *sample)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->schema->num_features && status == NITRO_OK; i++) {
        size_t column = job->feature_columns[i];
        status = nitro_csv_number(job->csv, row, column, &sample->features[i]);
        if (status == NITRO_OK && job->schema->features[i].scale == NITRO_SCALE_LOG &&
            sample->features[i] <= 0)
            status =
                fail_field(job, row, column,
                           is_log_by_option(job, i)
                               ? "is not above 0, as --log requires; import it without --log, and "
                                 "a suitable scale is chosen"
                               : "is not above 0, but the store scales this feature "
                                 "logarithmically");
    }
    return status;
}

/* A time, nothing where it is missing, or the outcome that left none; the entry is one without a
 * time. */
static nitro_status read_time(const import_job *job, size_t row, size_t column, nitro_entry *entry)
{
    const char *field = nitro_csv_field(job->csv, row, column);
    if (field[0] == '\0' || (nitro_outcome_from_name(field, &entry->outcome) &&
                             entry->outcome != NITRO_OUTCOME_MEASURED))
        return NITRO_OK;
    entry->outcome = NITRO_OUTCOME_MEASURED;
    return nitro_parse_number(field, &entry->median_ms) && entry->median_ms > 0
               ? NITRO_OK
               : fail_field(job, row, column,
                            "is not a time: use a number above 0, nothing where the time is "
                            "missing, or not-allowed where a constraint excludes the variant");
}

/* NaN where it is unknown. */
static nitro_status read_cost(const import_job *job, size_t row, size_t column, double *cost_ms)
{
    *cost_ms = NAN;
    if (column == NITRO_NONE || nitro_csv_field(job->csv, row, column)[0] == '\0')
        return NITRO_OK;
    return nitro_parse_number(nitro_csv_field(job->csv, row, column), cost_ms) && *cost_ms >= 0
               ? NITRO_OK
               : fail_field(job, row, column,
                            "is not a cost: use a number of milliseconds that is not negative, or "
                            "nothing where the cost is unknown");
}

static nitro_status read_times(const import_job *job, size_t row, nitro_sample *sample)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->schema->num_variants && status == NITRO_OK; i++) {
        nitro_entry *entry = &sample->entries[i];
        entry->median_ms = NAN;
        entry->outcome = NITRO_OUTCOME_MISSING;
        if (job->time_columns[i] != NITRO_NONE)
            status = read_time(job, row, job->time_columns[i], entry);
        if (status == NITRO_OK)
            status = read_cost(job, row, job->prepare_columns[i], &entry->prepare_ms);
    }
    return status;
}

static nitro_status read_feature_costs(const import_job *job, size_t row, nitro_sample *sample)
{
    double costs_ms[NITRO_MAX_FEATURES];
    size_t num_features = job->schema->num_features;
    bool is_known = false;
    for (size_t i = 0; i < num_features; i++) {
        nitro_status status = read_cost(job, row, job->feature_cost_columns[i], &costs_ms[i]);
        if (status != NITRO_OK)
            return status;
        is_known = is_known || !isnan(costs_ms[i]);
    }
    return nitro_sample_set_feature_costs(job->context, sample, costs_ms,
                                          is_known ? num_features : 0);
}

/* The sample is made for the first row, and used again for the others. */
static nitro_status name_sample(import_job *job, const char *input)
{
    if (!job->sample) {
        nitro_status status = nitro_sample_create(job->context, input, job->schema->num_features,
                                                  job->schema->num_variants, &job->sample);
        return status == NITRO_OK
                   ? nitro_provenance_copy(job->context, &job->provenance, &job->sample->provenance)
                   : status;
    }
    return nitro_text_replace(job->context, &job->sample->input, input);
}

static nitro_status read_row(import_job *job, size_t row)
{
    const char *input = nitro_csv_field(job->csv, row, job->input_column);
    if (!nitro_input_name_is_valid(input))
        return fail_field(job, row, job->input_column,
                          "is not a valid input name: use 1 to 511 bytes of UTF-8 without control "
                          "characters");
    nitro_status status = name_sample(job, input);
    if (status == NITRO_OK)
        status = read_features(job, row, job->sample);
    if (status == NITRO_OK)
        status = read_times(job, row, job->sample);
    return status == NITRO_OK ? read_feature_costs(job, row, job->sample) : status;
}

nitro_status nitro_import_rewind(import_job *job)
{
    job->has_rows = false;
    job->num_impossible = 0;
    return nitro_csv_rewind(job->csv);
}

/* The next row of the table; `more`: there is one. */
static nitro_status next_row(import_job *job, bool *more)
{
    nitro_status status = NITRO_OK;
    *more = true;
    if (!job->has_rows || job->next_row == nitro_csv_num_rows(job->csv)) {
        status = nitro_csv_next(job->csv, more);
        job->next_row = 0;
        job->has_rows = true;
    }
    *more = *more && status == NITRO_OK && nitro_csv_num_rows(job->csv) > 0;
    return *more ? read_row(job, job->next_row++) : status;
}

/* Features that were computed wrongly would mislead every model: the row is refused. */
static nitro_status refuse(import_job *job, const size_t pair[2])
{
    if (job->num_impossible++ > 0 || job->impossible_input)
        return NITRO_OK;
    memcpy(job->impossible, pair, sizeof job->impossible);
    job->impossible_input = nitro_strdup(job->context, job->sample->input);
    return job->impossible_input ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_import_next(void *user, const nitro_sample **sample)
{
    import_job *job = user;
    bool more = true;
    size_t pair[2];
    nitro_status status = next_row(job, &more);
    while (status == NITRO_OK && more &&
           nitro_import_is_impossible(job->schema, job->sample->features, pair)) {
        status = refuse(job, pair);
        if (status == NITRO_OK)
            status = next_row(job, &more);
    }
    if (status == NITRO_OK)
        *sample = more ? job->sample : NULL;
    return status;
}

/* ---- Inputs that differ -----------------------------------------------------------------------
 */

/* An input by 128 bits of hash, and its line; 0: a free place. */
typedef struct seen_input {
    uint64_t hash[2];
    size_t line;
} seen_input;

/* Open addressing, at most half full. */
typedef struct seen_inputs {
    seen_input *places; /* shape [capacity], a power of two */
    size_t count, capacity;
} seen_inputs;

static seen_input *find_place(const seen_inputs *seen, const uint64_t hash[2])
{
    size_t place = hash[0] & (seen->capacity - 1);
    while (seen->places[place].line != 0 &&
           (seen->places[place].hash[0] != hash[0] || seen->places[place].hash[1] != hash[1]))
        place = (place + 1) & (seen->capacity - 1);
    return &seen->places[place];
}

static nitro_status make_place(nitro_context *context, seen_inputs *seen)
{
    seen_inputs larger = {.count = seen->count,
                          .capacity = seen->capacity ? 2 * seen->capacity : 1024};
    if (2 * seen->count < seen->capacity)
        return NITRO_OK;
    larger.places = nitro_calloc(context, larger.capacity, sizeof(*larger.places));
    if (!larger.places)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->places[i].line != 0)
            *find_place(&larger, seen->places[i].hash) = seen->places[i];
    free(seen->places);
    *seen = larger;
    return NITRO_OK;
}

/* Remember the current row's input. */
static nitro_status require_new(const import_job *job, seen_inputs *seen)
{
    const char *input = job->sample->input;
    const size_t size = strlen(input), line = nitro_csv_line(job->csv, job->next_row - 1);
    const uint64_t hash[2] = {nitro_hash(input, size, 0), nitro_hash(input, size, 1)};
    nitro_status status = make_place(job->context, seen);
    if (status != NITRO_OK)
        return status;
    seen_input *place = find_place(seen, hash);
    if (place->line != 0)
        return nitro_fail(job->context, NITRO_ERR_FORMAT,
                          "%s:%zu: %s '%.100s' has a row on line %zu already",
                          job->options->samples_path, line,
                          nitro_csv_column_name(job->csv, job->input_column), input, place->line);
    *place = (seen_input){{hash[0], hash[1]}, line};
    seen->count++;
    return NITRO_OK;
}

/* ---- The first time through -------------------------------------------------------------------
 */

typedef struct checking {
    import_job *job;
    seen_inputs seen;
    nitro_string_list known;   /* the store's inputs, sorted */
    nitro_string_list present; /* the first of them that the table has too */
    size_t num_rows;
    size_t num_incomplete; /* rows that lack a feature; the first one is of: */
    char *incomplete_input;
    size_t incomplete_feature;
} checking;

static nitro_status check_known(checking *self)
{
    import_job *job = self->job;
    if (!nitro_store_sorted_list_has(&self->known, job->sample->input)) {
        job->report.added++;
        return NITRO_OK;
    }
    if (job->report.replaced++ >= MAX_NAMED_INPUTS)
        return NITRO_OK;
    return nitro_string_list_add(job->context, &self->present, job->sample->input);
}

/* Count what the row lacks. */
static nitro_status count_missing(checking *self)
{
    nitro_import_report *report = &self->job->report;
    const nitro_sample *sample = self->job->sample;
    size_t feature = 0, num_times = 0;
    for (size_t i = 0; i < sample->num_entries; i++) {
        num_times += sample->entries[i].outcome == NITRO_OUTCOME_MEASURED;
        report->missing_values += sample->entries[i].outcome == NITRO_OUTCOME_MISSING;
    }
    report->without_times += num_times == 0;
    while (feature < sample->num_features && !isnan(sample->features[feature]))
        feature++;
    if (feature == sample->num_features || self->num_incomplete++ > 0)
        return NITRO_OK;
    self->incomplete_feature = feature;
    self->incomplete_input = nitro_strdup(self->job->context, sample->input);
    return self->incomplete_input ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status check_all(checking *self)
{
    import_job *job = self->job;
    const nitro_sample *sample = NULL;
    nitro_status status = nitro_import_next(job, &sample);
    for (; status == NITRO_OK && sample; self->num_rows++) {
        status = require_new(job, &self->seen);
        if (status == NITRO_OK)
            status = check_known(self);
        if (status == NITRO_OK)
            status = count_missing(self);
        if (status == NITRO_OK)
            status = nitro_import_next(job, &sample);
    }
    if (status == NITRO_OK && self->num_rows == 0)
        return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: the table has no rows",
                          job->options->samples_path);
    return status;
}

/* Samples with a missing feature are stored for their times, but not used for training. */
static void warn_of_missing_features(const checking *self)
{
    const import_job *job = self->job;
    if (self->num_incomplete > 0)
        nitro_log(
            job->context, NITRO_LOG_WARNING,
            "%s: %zu of %zu inputs lack a feature and are not used for training (first: %s of "
            "input '%s')",
            job->options->samples_path, self->num_incomplete, self->num_rows,
            job->schema->features[self->incomplete_feature].name, self->incomplete_input);
}

static void warn_of_impossible(const import_job *job)
{
    if (job->num_impossible > 0)
        nitro_log(job->context, NITRO_LOG_WARNING,
                  "%s: %zu input%s refused, since %s cannot be above %s (first: input '%s'): "
                  "compute these statistics anew",
                  job->options->samples_path, job->num_impossible,
                  job->num_impossible > 1 ? "s are" : " is",
                  job->schema->features[job->impossible[0]].name,
                  job->schema->features[job->impossible[1]].name, job->impossible_input);
}

static nitro_status fail_present(const checking *self)
{
    const import_job *job = self->job;
    const size_t count = job->report.replaced;
    char *names = nitro_store_print_some_of(job->context, &self->present, count);
    nitro_status status =
        names
            ? nitro_fail(job->context, NITRO_ERR_EXISTS,
                         "%s: the store already has %zu of the %zu inputs for device %s "
                         "(%s); nothing was imported. Use --replace to replace them; to keep both "
                         "campaigns, name another --device (ginkgo: --campaign NAME)",
                         job->options->samples_path, count, self->num_rows, job->options->device,
                         names)
            : NITRO_ERR_NO_MEMORY;
    free(names);
    return status;
}

nitro_status nitro_import_check_rows(import_job *job)
{
    const nitro_import_options *options = job->options;
    checking self = {.job = job};
    nitro_status status = nitro_import_rewind(job);
    if (status == NITRO_OK)
        status =
            nitro_store_list_inputs(job->store, options->computation, options->device, &self.known);
    nitro_string_list_sort(&self.known);
    if (status == NITRO_OK)
        status = check_all(&self);
    if (status == NITRO_OK)
        warn_of_missing_features(&self);
    if (status == NITRO_OK)
        warn_of_impossible(job);
    if (status == NITRO_OK && self.present.count > 0 && !options->replace)
        status = fail_present(&self);
    free(self.seen.places);
    free(self.incomplete_input);
    nitro_string_list_free(&self.known);
    nitro_string_list_free(&self.present);
    return status;
}
