/* Reads recorded evaluations from CSV: parameters, then time_ms, status and more. */
#include <math.h>

#include "nitro/search/recording.h"

/* Columns with a meaning; those before time_ms are parameters, all others counters. */
typedef struct known_columns {
    size_t time, status, deviation, compile, total;
} known_columns;

static const recorded_outcome statuses[] = {{"ok", NITRO_OUTCOME_MEASURED},
                                            {"compile_error", NITRO_OUTCOME_FAILED},
                                            {"runtime_error", NITRO_OUTCOME_CRASHED},
                                            {"wrong_result", NITRO_OUTCOME_WRONG_RESULT},
                                            {"timeout", NITRO_OUTCOME_TIMED_OUT},
                                            {"device_limits", NITRO_OUTCOME_NOT_ALLOWED},
                                            {NULL, NITRO_OUTCOME_MISSING}};

static nitro_status read_status(const recording_builder *builder, const nitro_csv *csv, size_t row,
                                size_t column, nitro_outcome *outcome)
{
    const char *name = column == NITRO_NONE ? "ok" : nitro_csv_field(csv, row, column);
    if (recording_find_outcome(statuses, name, outcome))
        return NITRO_OK;
    return recording_fail(builder, nitro_csv_line(csv, row),
                          "unknown status '%s'; known are ok, compile_error, runtime_error, "
                          "wrong_result, timeout and device_limits",
                          name);
}

static nitro_status read_optional(const nitro_csv *csv, size_t row, size_t column, double *value)
{
    *value = (double)NAN;
    return column == NITRO_NONE ? NITRO_OK : nitro_csv_number(csv, row, column, value);
}

static nitro_status read_row(recording_builder *builder, const nitro_csv *csv, size_t row,
                             const known_columns *known)
{
    recorded_value values[NITRO_MAX_PARAMETERS] = {{0}};
    recorded_row read = {.line = nitro_csv_line(csv, row)};
    nitro_search_answer *answer = &read.answer;
    double deviation = 0;
    for (size_t p = 0; p < builder->num_parameters; p++) {
        values[p].text = nitro_csv_field(csv, row, p);
        values[p].is_string = !nitro_parse_number(values[p].text, &values[p].number);
    }
    nitro_status status = read_status(builder, csv, row, known->status, &answer->outcome);
    if (status == NITRO_OK)
        status = nitro_csv_number(csv, row, known->time, &answer->time_ms);
    if (status == NITRO_OK)
        status = read_optional(csv, row, known->deviation, &deviation);
    if (status == NITRO_OK)
        status = read_optional(csv, row, known->total != NITRO_NONE ? known->total : known->compile,
                               &answer->cost_ms);
    if (status != NITRO_OK)
        return status;
    if (answer->outcome != NITRO_OUTCOME_MEASURED)
        answer->time_ms = (double)NAN;
    answer->spread = deviation / answer->time_ms;
    status = recording_add_row(builder, &read, values);
    for (size_t c = known->time + 1; status == NITRO_OK && c < nitro_csv_num_columns(csv); c++) {
        double value;
        if (c == known->status || c == known->deviation || c == known->compile || c == known->total)
            continue;
        status = nitro_csv_number(csv, row, c, &value);
        if (status == NITRO_OK)
            status = recording_add_counter(builder, nitro_csv_column_name(csv, c), value);
    }
    return status;
}

static nitro_status read_table(recording_builder *builder, const nitro_csv *csv)
{
    known_columns known = {nitro_csv_column(csv, "time_ms"), nitro_csv_column(csv, "status"),
                           nitro_csv_column(csv, "time_sd_ms"), nitro_csv_column(csv, "compile_ms"),
                           nitro_csv_column(csv, "total_ms")};
    if (known.time == NITRO_NONE)
        return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                          "%s: has no column time_ms: the columns of a recorded space are its "
                          "parameters, then time_ms, status and others",
                          builder->origin);
    nitro_status status = NITRO_OK;
    for (size_t p = 0; p < known.time && status == NITRO_OK; p++)
        status = recording_add_parameter(builder, nitro_csv_column_name(csv, p));
    for (size_t row = 0; row < nitro_csv_num_rows(csv) && status == NITRO_OK; row++)
        status = read_row(builder, csv, row, &known);
    return status;
}

nitro_status recording_read_csv(recording_builder *builder, const char *text, size_t size)
{
    nitro_csv *csv = NULL;
    nitro_status status = nitro_csv_parse(builder->context, builder->origin, text, size, &csv);
    if (status == NITRO_OK)
        status = read_table(builder, csv);
    nitro_csv_free(csv);
    return status;
}
