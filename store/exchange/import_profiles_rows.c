/* import_profiles_rows.c - reads the rows of a table of profiles, in Nitro's form or a profiler's:
 * Nitro's form and Nsight Compute's "raw" page have a column a metric, Nsight Compute's "details"
 * and nvprof's summary a row a metric. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/exchange/import_profiles.h"

#define MAX_VALUE  127 /* bytes of a metric's value */
#define MAX_KERNEL 480 /* bytes kept of a profiler's name; a number may follow */

/* Columns that identify a row; NITRO_NONE: missing. */
typedef struct table {
    size_t device, computation, variant, input, proxy, intensity, origin;
    size_t kernel;
    size_t launch;       /* a profiler's number of the launch */
    size_t metric_name;  /* tables with a row a metric */
    size_t metric_value; /* likewise */
    bool *is_metric;     /* shape [num_columns]: tables with a column a metric */
} table;

/* Columns of profilers with valid metric names that are not metrics. */
static const char *const not_metrics[] = {"ID",     "Context", "Stream",
                                          "Device", "CC",      "Correlation_ID"};

static size_t find_any(const nitro_csv *csv, const char *const *names)
{
    size_t column = NITRO_NONE;
    for (; *names && column == NITRO_NONE; names++)
        column = nitro_csv_column(csv, *names);
    return column;
}

static bool is_not_metric(const char *name)
{
    for (size_t i = 0; i < sizeof(not_metrics) / sizeof(not_metrics[0]); i++)
        if (strcmp(not_metrics[i], name) == 0)
            return true;
    return false;
}

static nitro_status find_metric_columns(import_profiles_job *job, table *t)
{
    const size_t named[] = {t->device, t->computation, t->variant, t->input,
                            t->proxy,  t->intensity,   t->origin,  t->kernel};
    size_t num_columns = nitro_csv_num_columns(job->csv), count = 0;
    t->is_metric = nitro_calloc(job->context, num_columns, sizeof(*t->is_metric));
    if (!t->is_metric)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_columns; i++) {
        const char *name = nitro_csv_column_name(job->csv, i);
        bool is_name = false;
        for (size_t k = 0; k < sizeof(named) / sizeof(named[0]); k++)
            is_name = is_name || named[k] == i;
        t->is_metric[i] = !is_name && nitro_metric_name_is_valid(name) &&
                          !(job->number_kernels && is_not_metric(name));
        count += t->is_metric[i];
        if (!is_name && !t->is_metric[i] && !job->number_kernels)
            return nitro_fail(job->context, NITRO_ERR_FORMAT,
                              "%s:1: column %zu: invalid metric name '%.80s': use 1 to 127 of "
                              "[A-Za-z0-9_.+-]",
                              job->options->path, i + 1, name);
    }
    return count > 0 ? NITRO_OK
                     : nitro_fail(job->context, NITRO_ERR_FORMAT, "%s:1: no column has a metric",
                                  job->options->path);
}

static nitro_status find_columns(import_profiles_job *job, table *t)
{
    static const char *const profilers_kernels[] = {"Kernel Name", "Kernel", "Name", NULL};
    static const char *const values[] = {"Metric Value", "Avg", NULL};
    const nitro_csv *csv = job->csv;
    *t = (table){.device = nitro_csv_column(csv, "device"),
                 .computation = nitro_csv_column(csv, "computation"),
                 .variant = nitro_csv_column(csv, "variant"),
                 .input = nitro_csv_column(csv, "input"),
                 .proxy = nitro_csv_column(csv, "proxy"),
                 .intensity = nitro_csv_column(csv, "intensity"),
                 .origin = nitro_csv_column(csv, "origin"),
                 .kernel = nitro_csv_column(csv, "kernel"),
                 .launch = nitro_csv_column(csv, "ID"),
                 .metric_name = nitro_csv_column(csv, "Metric Name"),
                 .metric_value = find_any(csv, values)};
    job->number_kernels = t->kernel == NITRO_NONE;
    if (job->number_kernels)
        t->kernel = find_any(csv, profilers_kernels);
    if (t->kernel == NITRO_NONE)
        return nitro_fail(job->context, NITRO_ERR_FORMAT,
                          "%s:1: no column of kernels ('kernel' in Nitro's form, 'Kernel Name' in "
                          "Nsight Compute's, 'Kernel' in nvprof's)",
                          job->options->path);
    if (t->metric_name != NITRO_NONE && t->metric_value == NITRO_NONE)
        return nitro_fail(job->context, NITRO_ERR_FORMAT,
                          "%s:1: column 'Metric Name' without a column 'Metric Value' or 'Avg'",
                          job->options->path);
    return t->metric_name == NITRO_NONE ? find_metric_columns(job, t) : NITRO_OK;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* The field, else the option's value; NULL: neither. */
static const char *field_or(const import_profiles_job *job, size_t row, size_t column,
                            const char *given)
{
    const char *field = column == NITRO_NONE ? "" : nitro_csv_field(job->csv, row, column);
    return field[0] ? field : given;
}

static nitro_status fail_at(const import_profiles_job *job, size_t row, const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s:%zu: %s", job->options->path,
                      nitro_csv_line(job->csv, row), problem);
}

/* Put the line before another function's error. */
static nitro_status add_line(const import_profiles_job *job, size_t row, nitro_status status)
{
    char message[1024];
    if (status != NITRO_ERR_ARGUMENT)
        return status;
    nitro_context_last_error(job->context, message, sizeof(message));
    return fail_at(job, row, message);
}

/* A profiler's name, cut before a character that would not fit. */
static char *copy_kernel(const import_profiles_job *job, const char *name)
{
    size_t length = strnlen(name, MAX_KERNEL + 1);
    if (!job->number_kernels || length <= MAX_KERNEL)
        return nitro_strdup(job->context, name);
    length = MAX_KERNEL;
    while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
        length--;
    return nitro_asprintf(job->context, "%.*s", (int)length, name);
}

static nitro_status read_intensity(const import_profiles_job *job, const table *t, size_t row,
                                   double *intensity)
{
    *intensity = NAN;
    nitro_status status = NITRO_OK;
    if (t->intensity != NITRO_NONE)
        status = nitro_csv_number(job->csv, row, t->intensity, intensity);
    if (status == NITRO_OK && isnan(*intensity))
        *intensity = job->options->intensity;
    return status;
}

static nitro_status create_profile(const import_profiles_job *job, const table *t, size_t row,
                                   nitro_profile **profile)
{
    const nitro_profile_import_options *options = job->options;
    const char *variant = field_or(job, row, t->variant, options->variant);
    const char *proxy = field_or(job, row, t->proxy, options->proxy);
    const char *computation = field_or(job, row, t->computation, options->computation);
    const char *input = field_or(job, row, t->input, options->input);
    double intensity;
    nitro_status status = read_intensity(job, t, row, &intensity);
    if (status != NITRO_OK)
        return status;
    /* A file may mix variants and proxies: a row's own fields win over the options. */
    bool own_proxy = t->proxy != NITRO_NONE && nitro_csv_field(job->csv, row, t->proxy)[0];
    bool own_variant = t->variant != NITRO_NONE && nitro_csv_field(job->csv, row, t->variant)[0];
    if (own_proxy != own_variant)
        *(own_proxy ? &variant : &proxy) = NULL;
    if (!variant == !proxy)
        return fail_at(job, row,
                       variant
                           ? "the row has both a variant and a proxy: remove one"
                           : "the row has no variant and no proxy: add one as a column or as an "
                             "option");
    char *kernel = copy_kernel(job, nitro_csv_field(job->csv, row, t->kernel));
    if (!kernel)
        return NITRO_ERR_NO_MEMORY;
    if (proxy)
        status = nitro_profile_create_of_proxy(job->context, proxy, intensity, kernel, profile);
    else if (!computation || !input)
        status =
            fail_at(job, row,
                    "a variant's profile needs a computation and an input: add them as columns "
                    "or as options");
    else
        status = nitro_profile_create_of_variant(job->context, computation, variant, input, kernel,
                                                 profile);
    free(kernel);
    return add_line(job, row, status);
}

/* Every origin but "modelled" becomes "imported from FILE". */
static nitro_status set_origin(const import_profiles_job *job, const table *t, size_t row,
                               nitro_profile *profile)
{
    const char *origin = field_or(job, row, t->origin, "");
    const char *kept = strcmp(origin, "modelled") == 0 ? origin : job->origin;
    profile->provenance.origin = nitro_strdup(job->context, kept);
    profile->provenance.library = nitro_strdup(job->context, nitro_version());
    profile->provenance.time_s = job->time_s;
    return profile->provenance.origin && profile->provenance.library ? NITRO_OK
                                                                     : NITRO_ERR_NO_MEMORY;
}

static nitro_status append_profile(import_profiles_job *job, const table *t, size_t row)
{
    const char *device = field_or(job, row, t->device, job->options->device);
    if (!nitro_device_id_is_valid(device))
        return fail_at(job, row,
                       device ? "the device id is invalid: use 1 to 63 of [A-Za-z0-9_.:@+-]"
                              : "the row has no device: add it as a column or as an option");
    import_profile *grown = nitro_grow(job->context, job->items, job->count, &job->capacity,
                                       sizeof(*grown), "profiles");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    job->items = grown;
    import_profile made = {.device = nitro_strdup(job->context, device), .place = job->count};
    nitro_status status =
        made.device ? create_profile(job, t, row, &made.profile) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = set_origin(job, t, row, made.profile);
    if (status == NITRO_OK) {
        job->items[job->count++] = made;
        return NITRO_OK;
    }
    nitro_profile_free(made.profile);
    free(made.device);
    return status;
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static const char *const no_values[] = {"", "n/a", "N/A", "nan", "-nan", "<OVERFLOW>", "no data"};

static const struct {
    const char *unit;
    double factor;
} units[] = {
    {"%", 1}, {"B/s", 1}, {"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12},
};

/* "1,234,567.8" without its commas; each but the first group must have three digits. */
static bool drop_separators(const char *text, char *plain)
{
    const char *comma = strchr(text, ',');
    size_t length = 0;
    if (strlen(text) > MAX_VALUE)
        return false;
    for (const char *at = text; *at; at++) {
        bool group = at > text && isdigit((unsigned char)at[-1]) &&
                     strspn(at + 1, "0123456789") == 3 && (at == comma || at[-4] == ',');
        if (*at == ',' && !group)
            return false;
        if (*at != ',')
            plain[length++] = *at;
    }
    plain[length] = '\0';
    return true;
}

/* "Low (2)": a utilization level from 0 to 10. */
static bool parse_level(const char *text, double *value)
{
    const char *open = strchr(text, '(');
    size_t length = strlen(text);
    char level[8];
    if (!open || !isalpha((unsigned char)text[0]) || text[length - 1] != ')' ||
        length - (size_t)(open - text) - 2 >= sizeof(level))
        return false;
    snprintf(level, sizeof(level), "%.*s", (int)(length - (size_t)(open - text) - 2), open + 1);
    return nitro_parse_number(level, value);
}

/* A metric's value as profilers write it: "1,234", "95.4%", "1.2 GB/s" (to bytes a second),
 * "Low (2)" (2). NaN where the profiler has no value. False: not a value. */
static bool read_value(const char *text, double *value)
{
    char plain[MAX_VALUE + 1];
    for (size_t i = 0; i < sizeof(no_values) / sizeof(no_values[0]); i++) {
        if (strcmp(text, no_values[i]) == 0) {
            *value = NAN;
            return true;
        }
    }
    if (parse_level(text, value))
        return true;
    if (!drop_separators(text, plain))
        return false;
    size_t number = strspn(plain, "+-.0123456789eE");
    const char *unit = plain + number + strspn(plain + number, " ");
    double factor = *unit ? 0 : 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].unit) == 0)
            factor = units[i].factor;
    plain[number] = '\0';
    double read;
    if (factor == 0 || !nitro_parse_number(plain, &read) || !isfinite(read * factor))
        return false;
    *value = read * factor;
    return true;
}

static nitro_status set_metric(import_profiles_job *job, size_t row, size_t column,
                               const char *metric)
{
    nitro_profile *profile = job->items[job->count - 1].profile;
    const char *text = nitro_csv_field(job->csv, row, column);
    double value;
    if (!read_value(text, &value))
        return nitro_fail(
            job->context, NITRO_ERR_FORMAT,
            "%s:%zu: column %zu ('%.100s'): '%.60s' is not a metric's value; for plain "
            "numbers run Nsight Compute with --print-units base",
            job->options->path, nitro_csv_line(job->csv, row), column + 1,
            nitro_csv_column_name(job->csv, column), text);
    if (isnan(value)) {
        job->report.missing++;
        return NITRO_OK;
    }
    if (!isnan(nitro_profile_value(profile, metric)))
        return nitro_fail(job->context, NITRO_ERR_FORMAT,
                          "%s:%zu: metric %s occurs twice for one launch of kernel '%.80s'",
                          job->options->path, nitro_csv_line(job->csv, row), metric,
                          profile->kernel);
    job->report.values++;
    return add_line(job, row, nitro_profile_set(job->context, profile, metric, value));
}

/* Nsight Compute's second line has units, and no kernel. */
static bool is_line_of_units(const import_profiles_job *job, const table *t, size_t row)
{
    return job->number_kernels && nitro_csv_field(job->csv, row, t->kernel)[0] == '\0';
}

static nitro_status read_columns(import_profiles_job *job, const table *t, size_t row)
{
    nitro_status status = append_profile(job, t, row);
    for (size_t i = 0; status == NITRO_OK && i < nitro_csv_num_columns(job->csv); i++)
        if (t->is_metric[i])
            status = set_metric(job, row, i, nitro_csv_column_name(job->csv, i));
    return status;
}

static bool same_field(const import_profiles_job *job, size_t column, size_t row)
{
    return column == NITRO_NONE || strcmp(nitro_csv_field(job->csv, row, column),
                                          nitro_csv_field(job->csv, row - 1, column)) == 0;
}

/* Rows of one launch are adjacent. */
static bool continues_launch(const import_profiles_job *job, const table *t, size_t row)
{
    const size_t columns[] = {t->device, t->computation, t->variant, t->input,
                              t->proxy,  t->intensity,   t->kernel,  t->launch};
    bool same = row > 0 && job->count > 0;
    for (size_t i = 0; same && i < sizeof(columns) / sizeof(columns[0]); i++)
        same = same_field(job, columns[i], row);
    return same;
}

static nitro_status read_one_metric(import_profiles_job *job, const table *t, size_t row)
{
    const char *metric = nitro_csv_field(job->csv, row, t->metric_name);
    nitro_status status = continues_launch(job, t, row) ? NITRO_OK : append_profile(job, t, row);
    if (status != NITRO_OK)
        return status;
    /* The page "details" also has rows with advice and no metric. */
    return nitro_metric_name_is_valid(metric) ? set_metric(job, row, t->metric_value, metric)
                                              : NITRO_OK;
}

nitro_status nitro_import_profile_rows(import_profiles_job *job)
{
    table t;
    nitro_status status = find_columns(job, &t);
    for (size_t row = 0; status == NITRO_OK && row < nitro_csv_num_rows(job->csv); row++) {
        if (is_line_of_units(job, &t, row))
            continue;
        status = t.metric_name == NITRO_NONE ? read_columns(job, &t, row)
                                             : read_one_metric(job, &t, row);
    }
    if (status == NITRO_OK && job->count == 0)
        status = nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: the file has no profile",
                            job->options->path);
    free(t.is_metric);
    return status;
}
