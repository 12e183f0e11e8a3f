/* ginkgo_file.c - reads one benchmark file of the Ginkgo project.
 * Generations of files differ in spelling and unit, and do not state their unit. It follows from
 * the times: the fastest variant takes between 0.1 us and 100 s, and but for 100 no number is in
 * that range both as seconds and as nanoseconds. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "store/exchange/ginkgo_internal.h"

#define FASTEST_S  1e-7
#define SLOWEST_S  100.0
#define NS_PER_S   1e9
#define MOST_RATIO 1e6 /* of the slowest variant to the fastest: units are 1e9 apart */

const char *const nitro_ginkgo_features[GINKGO_NUM_FEATURES] = {
    "rows",   "cols",          "nnz",        "row_min",      "row_q1",       "row_median",
    "row_q3", "row_max",       "row_mean",   "row_variance", "row_skewness", "avg_nz_per_row",
    "rlsd",   "max_deviation", "ell_fillin", "density",      "col_max",      "col_sd"};

const char *nitro_ginkgo_reason_text(ginkgo_reason reason)
{
    static const char *const texts[GINKGO_NUM_REASONS] = {
        [GINKGO_USED] = "used",
        [GINKGO_NOT_NAMED_JSON] = "not named *.json",
        [GINKGO_NOT_REGULAR] = "a symbolic link or special file",
        [GINKGO_UNREADABLE] = "cannot be read",
        [GINKGO_TOO_LARGE] = "larger than 4 MiB",
        [GINKGO_TOO_DEEP] = "a folder below the expected depth",
        [GINKGO_ELSEWHERE] = "not at DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json",
        [GINKGO_BAD_DEVICE] = "in a folder whose name is not a valid device id",
        [GINKGO_NOT_JSON] = "not JSON",
        [GINKGO_NO_SPMV] = "no measurement of spmv",
        [GINKGO_NO_SIZES] = "rows, columns or non-zeros missing or 0",
        [GINKGO_BAD_NAME] = "an invalid name of a matrix or variant",
        [GINKGO_TWO_SPELLINGS] = "the same variant in two spellings",
        [GINKGO_TOO_MANY_NAMES] = "more than 512 different variants",
        [GINKGO_NO_TIMES] = "no variant completed with a time above 0",
        [GINKGO_UNIT_UNCLEAR] = "times that are neither in seconds nor in nanoseconds",
        [GINKGO_TWO_UNITS] = "times in different units",
        [GINKGO_AGAIN] = "a repeated matrix of a campaign",
    };
    return texts[reason];
}

void nitro_ginkgo_record_clear(ginkgo_record *record)
{
    free(record->input);
    free(record->times);
    *record = (ginkgo_record){0};
}

/* A finite number, or NaN for anything else. */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    return isfinite(number) ? number : NAN;
}

/* In the order of nitro_ginkgo_features. False: the sizes are missing. */
static bool read_features(const json_t *problem, double *values)
{
    const json_t *row = json_object_get(problem, "row_distribution");
    const json_t *column = json_object_get(problem, "col_distribution");
    double rows = number_of(problem, "rows"), nonzeros = number_of(problem, "nonzeros");
    double columns = number_of(problem, "cols");
    if (isnan(columns))
        columns = number_of(problem, "columns");
    if (!(rows > 0 && columns > 0 && nonzeros > 0))
        return false;
    double mean = number_of(row, "mean"), variance = number_of(row, "variance");
    double longest = number_of(row, "max");
    const double all[GINKGO_NUM_FEATURES] = {
        rows,
        columns,
        nonzeros,
        number_of(row, "min"),
        number_of(row, "q1"),
        number_of(row, "median"),
        number_of(row, "q3"),
        longest,
        mean,
        variance,
        number_of(row, "skewness"),
        nonzeros / rows,
        sqrt(variance) / mean,
        (longest - mean) / mean,
        longest * rows / nonzeros,
        nonzeros / (rows * columns),
        number_of(column, "max"),
        sqrt(number_of(column, "variance")),
    };
    for (size_t i = 0; i < GINKGO_NUM_FEATURES; i++)
        values[i] = isfinite(all[i]) ? all[i] : NAN;
    return true;
}

/* "CuspCsr" becomes "cusp_csr". False: not a valid name. */
static bool spell(const char *from, char *to, size_t size, bool *capital)
{
    size_t used = 0;
    for (const char *at = from; *at; at++) {
        bool upper = isupper((unsigned char)*at);
        if (used + 3 > size)
            return false;
        if (upper && at > from && at[-1] != '_' && !isupper((unsigned char)at[-1]))
            to[used++] = '_';
        to[used++] = (char)tolower((unsigned char)*at);
        *capital = *capital || upper;
    }
    to[used] = '\0';
    return nitro_name_is_valid(to);
}

static bool has_variant(const ginkgo_record *record, size_t variant)
{
    for (size_t i = 0; i < record->num_times; i++)
        if (record->times[i].variant == variant)
            return true;
    return false;
}

/* The time in the file's unit; NaN where the variant did not complete or took no time. */
static double completed_time(const json_t *entry)
{
    double time = number_of(entry, "time");
    const json_t *completed = json_object_get(entry, "completed");
    return json_is_false(completed) || !(time > 0) ? NAN : time;
}

static ginkgo_reason read_times(nitro_context *context, const json_t *spmv,
                                nitro_string_list *names, ginkgo_record *record)
{
    const char *key;
    json_t *entry;
    size_t most = json_object_size(spmv);
    most = most < GINKGO_MAX_NAMES ? most : GINKGO_MAX_NAMES;
    record->times = nitro_calloc(context, most, sizeof(*record->times));
    if (!record->times)
        return GINKGO_NO_MEMORY;
    json_object_foreach((json_t *)spmv, key, entry)
    {
        char name[64];
        if (!json_is_object(entry))
            continue; /* not a measurement */
        if (!spell(key, name, sizeof(name), &record->capital))
            return GINKGO_BAD_NAME;
        size_t variant = nitro_string_list_find(names, name);
        if (variant == NITRO_NONE) {
            variant = names->count;
            if (variant == GINKGO_MAX_NAMES)
                return GINKGO_TOO_MANY_NAMES;
            if (nitro_string_list_add(context, names, name) != NITRO_OK)
                return GINKGO_NO_MEMORY;
        }
        if (has_variant(record, variant))
            return GINKGO_TWO_SPELLINGS;
        record->times[record->num_times++] = (ginkgo_time){variant, completed_time(entry)};
    }
    return GINKGO_USED;
}

/* Find the unit (see the head of this file), and convert to milliseconds. */
static ginkgo_reason decide_unit(ginkgo_record *record)
{
    double fastest = INFINITY, slowest = 0;
    for (size_t i = 0; i < record->num_times; i++) {
        fastest = fmin(fastest, record->times[i].time_ms);
        slowest = fmax(slowest, record->times[i].time_ms);
    }
    if (slowest <= 0)
        return GINKGO_NO_TIMES;
    bool seconds = fastest >= FASTEST_S && fastest < SLOWEST_S;
    bool nanoseconds = fastest >= FASTEST_S * NS_PER_S && fastest <= SLOWEST_S * NS_PER_S;
    if (!seconds && !nanoseconds)
        return GINKGO_UNIT_UNCLEAR;
    if (slowest / fastest > MOST_RATIO)
        return GINKGO_TWO_UNITS;
    record->fastest = fastest;
    record->unit = seconds ? "s" : "ns";
    for (size_t i = 0; i < record->num_times; i++)
        record->times[i].time_ms =
            seconds ? record->times[i].time_ms * 1e3 : record->times[i].time_ms / 1e6;
    return GINKGO_USED;
}

static ginkgo_reason read_record(nitro_context *context, const char *path_name, const json_t *value,
                                 nitro_string_list *names, ginkgo_record *record)
{
    const json_t *problem = json_object_get(value, "problem");
    const json_t *spmv = json_object_get(value, "spmv");
    const char *group = json_string_value(json_object_get(problem, "group"));
    const char *name = json_string_value(json_object_get(problem, "name"));
    if (!json_is_object(spmv) || json_object_size(spmv) == 0)
        return GINKGO_NO_SPMV;
    if (!read_features(problem, record->features))
        return GINKGO_NO_SIZES;
    record->input = group && name ? nitro_asprintf(context, "%s/%s", group, name)
                                  : nitro_strdup(context, path_name);
    if (!record->input)
        return GINKGO_NO_MEMORY;
    if (!nitro_input_name_is_valid(record->input))
        return GINKGO_BAD_NAME;
    ginkgo_reason reason = read_times(context, spmv, names, record);
    return reason == GINKGO_USED ? decide_unit(record) : reason;
}

static nitro_status visit_value(nitro_context *context, const char *path_name, const json_t *value,
                                nitro_string_list *names, ginkgo_visit visit, void *user)
{
    ginkgo_record record = {0};
    ginkgo_reason reason = read_record(context, path_name, value, names, &record);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (reason != GINKGO_NO_MEMORY)
        status = visit(user, reason, NULL, reason == GINKGO_USED ? &record : NULL);
    nitro_ginkgo_record_clear(&record);
    return status;
}

nitro_status nitro_ginkgo_parse(nitro_context *context, const char *path_name, const char *text,
                                size_t size, nitro_string_list *names, ginkgo_visit visit,
                                void *user)
{
    json_error_t error;
    nitro_status status = NITRO_OK;
    json_t *root = nitro_json_parse(text, size, JSON_DECODE_INT_AS_REAL, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", path_name);
    if (!root) {
        char *detail = nitro_asprintf(context, "line %d: %s", error.line, error.text);
        status = detail ? visit(user, GINKGO_NOT_JSON, detail, NULL) : NITRO_ERR_NO_MEMORY;
        free(detail);
        return status;
    }
    if (!json_is_array(root))
        status = visit_value(context, path_name, root, names, visit, user);
    else if (json_array_size(root) == 0)
        status = visit(user, GINKGO_NO_SPMV, "an empty array", NULL);
    for (size_t i = 0; i < json_array_size(root) && status == NITRO_OK; i++)
        status = visit_value(context, path_name, json_array_get(root, i), names, visit, user);
    json_decref(root);
    return status;
}
