/* Reads T4 results, the tuners' common format of evaluations. */
#include <math.h>
#include <string.h>

#include "nitro/search/recording_json.h"

const recorded_outcome recorded_t4_outcomes[] = {
    {"correct", NITRO_OUTCOME_MEASURED},  {"compile", NITRO_OUTCOME_FAILED},
    {"runtime", NITRO_OUTCOME_CRASHED},   {"correctness", NITRO_OUTCOME_WRONG_RESULT},
    {"timeout", NITRO_OUTCOME_TIMED_OUT}, {"constraints", NITRO_OUTCOME_NOT_ALLOWED},
    {NULL, NITRO_OUTCOME_MISSING}};

static nitro_status read_invalidity(const recording_builder *builder, size_t line,
                                    const json_t *record, nitro_outcome *outcome)
{
    const char *name = json_string_value(json_object_get(record, "invalidity"));
    if (recording_find_outcome(recorded_t4_outcomes, name, outcome))
        return NITRO_OK;
    return recording_fail(builder, line,
                          "invalidity '%s' is not among correct, compile, runtime, correctness, "
                          "timeout and constraints",
                          name ? name : "(none)");
}

/* Milliseconds in the objective's unit; "time" and "TotalDuration" without one are in `unit_ms`. */
static nitro_status read_unit(const recording_builder *builder, size_t line, const char *objective,
                              const json_t *measurement, double default_ms, double *unit_ms)
{
    const char *unit = json_string_value(json_object_get(measurement, "unit"));
    *unit_ms = recording_unit_ms(unit);
    if (*unit_ms == 0 && (!unit || *unit == '\0') &&
        (strcasecmp(objective, "time") == 0 || strcasecmp(objective, "TotalDuration") == 0))
        *unit_ms = default_ms;
    if (*unit_ms > 0)
        return NITRO_OK;
    return recording_fail(builder, line,
                          "the objective '%s' is no time (its unit is '%s'): only times can be "
                          "searched",
                          objective, unit ? unit : "");
}

static const json_t *find_measurement(const json_t *record, const char *name)
{
    const json_t *measurement;
    size_t position;
    json_array_foreach(json_object_get(record, "measurements"), position, measurement)
    {
        const char *found = json_string_value(json_object_get(measurement, "name"));
        if (found && strcmp(found, name) == 0)
            return measurement;
    }
    return NULL;
}

static double sum(const json_t *numbers)
{
    double total = 0;
    const json_t *number;
    size_t position;
    json_array_foreach(numbers, position, number) total += json_number_value(number);
    return total;
}

static void read_times(const json_t *record, double unit_ms, nitro_search_answer *answer)
{
    const json_t *times = json_object_get(record, "times");
    const json_t *runtimes = json_object_get(times, "runtimes");
    double benchmark = recording_number(times, "benchmark");
    answer->spread = recording_spread(runtimes, answer->time_ms, unit_ms);
    answer->cost_ms = recording_number_or_zero(times, "compilation") +
                      recording_number_or_zero(times, "compilation_time") +
                      recording_number_or_zero(times, "framework") +
                      recording_number_or_zero(times, "validation") +
                      (isnan(benchmark) ? sum(runtimes) : benchmark);
    answer->cost_ms *= unit_ms;
}

static nitro_status add_counters(recording_builder *builder, const json_t *record,
                                 const json_t *objective)
{
    const json_t *measurement;
    size_t position;
    json_array_foreach(json_object_get(record, "measurements"), position, measurement)
    {
        const char *name = json_string_value(json_object_get(measurement, "name"));
        const json_t *value = json_object_get(measurement, "value");
        nitro_status status = NITRO_OK;
        if (measurement != objective && name && json_is_number(value))
            status = recording_add_counter(builder, name, json_number_value(value));
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

static nitro_status read_record(recording_builder *builder, size_t line, const json_t *record,
                                double default_ms)
{
    recorded_value values[NITRO_MAX_PARAMETERS];
    recorded_row row = {.line = line};
    const char *objective =
        json_string_value(json_array_get(json_object_get(record, "objectives"), 0));
    objective = objective ? objective : "time";
    const json_t *measurement = find_measurement(record, objective);
    double unit_ms = default_ms;
    nitro_status status = read_invalidity(builder, line, record, &row.answer.outcome);
    if (status == NITRO_OK && measurement)
        status = read_unit(builder, line, objective, measurement, default_ms > 0 ? default_ms : 1,
                           &unit_ms);
    if (status != NITRO_OK && row.answer.outcome == NITRO_OUTCOME_MEASURED)
        return status;
    status = recording_read_configuration(builder, line, json_object_get(record, "configuration"),
                                          values);
    if (status != NITRO_OK)
        return status;
    row.answer.time_ms = row.answer.outcome == NITRO_OUTCOME_MEASURED
                             ? recording_number(measurement, "value") * unit_ms
                             : (double)NAN;
    read_times(record, default_ms > 0 ? default_ms : unit_ms > 0 ? unit_ms : 1, &row.answer);
    status = recording_add_row(builder, &row, values);
    return status == NITRO_OK ? add_counters(builder, record, measurement) : status;
}

nitro_status recording_read_t4(recording_builder *builder, const json_t *top)
{
    const json_t *results = json_object_get(top, "results"), *record;
    const char *unit =
        json_string_value(json_object_get(json_object_get(top, "metadata"), "timeunit"));
    double unit_ms = recording_unit_ms(unit);
    size_t position;
    if (!json_is_array(results))
        return nitro_fail(builder->context, NITRO_ERR_FORMAT, "%s: results is no array",
                          builder->origin);
    if (unit && *unit && unit_ms == 0)
        return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                          "%s: metadata has the unknown timeunit '%s'", builder->origin, unit);
    json_array_foreach(results, position, record)
    {
        nitro_status status = read_record(builder, position + 1, record, unit_ms);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}
