/* Writes evaluations of a search in the formats that other tuners read. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/memory_stream.h"
#include "nitro/base/json.h"
#include "nitro/search/recording.h"

static json_t *value_json(const nitro_parameter *parameter, size_t index)
{
    const nitro_parameter_value *value = &parameter->values[index];
    switch (parameter->type) {
    case NITRO_PARAMETER_STRING:
        return json_string(value->text);
    case NITRO_PARAMETER_BOOLEAN:
        return json_boolean(value->number != 0);
    case NITRO_PARAMETER_REAL:
        return json_real(value->number);
    default:
        return json_integer((json_int_t)value->number);
    }
}

static json_t *configuration_json(const nitro_evaluations *evaluations, uint64_t configuration)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    json_t *object = json_object();
    nitro_space_indices(evaluations->space, configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(evaluations->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(evaluations->space, p);
        nitro_json_put(&object, parameter->name, value_json(parameter, indices[p]));
    }
    return object;
}

static bool is_measured(const nitro_search_answer *answer)
{
    return answer->outcome == NITRO_OUTCOME_MEASURED;
}

/* What an evaluation cost beside its run, in ms. */
static double overhead_ms(const nitro_search_answer *answer)
{
    double cost = isnan(answer->cost_ms) ? 0 : answer->cost_ms;
    return is_measured(answer) ? fmax(0, cost - answer->time_ms) : cost;
}

/* ---- T4 -------------------------------------------------------------------------------------- */

static const char *invalidity_of(nitro_outcome outcome)
{
    for (const recorded_outcome *known = recorded_t4_outcomes; known->name; known++)
        if (known->outcome == outcome)
            return known->name;
    return "runtime";
}

static json_t *measurements_json(const nitro_evaluations *evaluations,
                                 const nitro_search_answer *answer)
{
    json_t *measurements = json_array();
    if (is_measured(answer))
        nitro_json_append(&measurements, json_pack("{s:s, s:f, s:s}", "name", "time", "value",
                                                   answer->time_ms, "unit", "ms"));
    for (size_t c = 0; answer->counters && c < evaluations->num_counters; c++)
        if (isfinite(answer->counters[c]))
            nitro_json_append(&measurements,
                              json_pack("{s:s, s:f, s:s}", "name", evaluations->counter_names[c],
                                        "value", answer->counters[c], "unit", ""));
    return measurements;
}

static json_t *t4_record(const nitro_evaluations *evaluations, const nitro_search_answer *answer)
{
    json_t *runtimes = is_measured(answer) ? json_pack("[f]", answer->time_ms) : json_array();
    json_t *times =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "compilation_time", overhead_ms(answer),
                  "benchmark", is_measured(answer) ? answer->time_ms : 0.0, "framework", 0.0,
                  "search_algorithm", 0.0, "validation", 0.0, "runtimes", runtimes);
    return json_pack("{s:o, s:[s], s:o, s:s, s:f, s:o}", "configuration",
                     configuration_json(evaluations, answer->configuration), "objectives", "time",
                     "times", times, "invalidity", invalidity_of(answer->outcome), "correctness",
                     is_measured(answer) ? 1.0 : 0.0, "measurements",
                     measurements_json(evaluations, answer));
}

static json_t *t4_json(const nitro_evaluations *evaluations)
{
    json_t *results = json_array();
    for (size_t i = 0; i < evaluations->num_answers; i++)
        nitro_json_append(&results, t4_record(evaluations, &evaluations->answers[i]));
    return json_pack("{s:s, s:{s:s, s:s, s:s}, s:o}", "schema_version", "1.0.0", "metadata",
                     "timeunit", "milliseconds", "kernel", evaluations->name, "device",
                     evaluations->device, "results", results);
}

/* ---- Kernel Tuner's cache -------------------------------------------------------------------- */

/* Values as Python prints them, with commas between them. NULL: out of memory. */
static char *cache_key(const nitro_evaluations *evaluations, uint64_t configuration)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    char *key = NULL;
    size_t size;
    FILE *out = nitro_memory_stream(&key, &size);
    if (!out)
        return NULL;
    nitro_space_indices(evaluations->space, configuration, indices);
    for (size_t p = 0; p < nitro_space_num_parameters(evaluations->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(evaluations->space, p);
        const nitro_parameter_value *value = &parameter->values[indices[p]];
        const char *text = value->text, *end = "";
        if (parameter->type == NITRO_PARAMETER_BOOLEAN)
            text = value->number != 0 ? "True" : "False";
        else if (parameter->type == NITRO_PARAMETER_REAL && !strpbrk(text, ".e"))
            end = ".0";
        fprintf(out, "%s%s%s", p ? "," : "", text, end);
    }
    if (fclose(out) == 0)
        return key;
    free(key);
    return NULL;
}

static json_t *cache_entry(const nitro_evaluations *evaluations, const nitro_search_answer *answer)
{
    json_t *entry = configuration_json(evaluations, answer->configuration);
    if (is_measured(answer)) {
        nitro_json_put(&entry, "time", json_real(answer->time_ms));
        nitro_json_put(&entry, "times", json_pack("[f]", answer->time_ms));
    } else {
        const char *error = answer->outcome == NITRO_OUTCOME_FAILED ? "CompilationFailedConfig"
                            : answer->outcome == NITRO_OUTCOME_NOT_ALLOWED ? "InvalidConfig"
                                                                           : "RuntimeFailedConfig";
        nitro_json_put(&entry, "time", json_string(error));
    }
    nitro_json_put(&entry, "compile_time", json_real(overhead_ms(answer)));
    nitro_json_put(&entry, "verification_time", json_real(0));
    nitro_json_put(&entry, "benchmark_time", json_real(is_measured(answer) ? answer->time_ms : 0));
    nitro_json_put(&entry, "strategy_time", json_real(0));
    nitro_json_put(&entry, "framework_time", json_real(0));
    return entry;
}

static json_t *kernel_tuner_json(const nitro_evaluations *evaluations)
{
    json_t *keys = json_array(), *parameters = json_object(), *cache = json_object();
    for (size_t p = 0; p < nitro_space_num_parameters(evaluations->space); p++) {
        const nitro_parameter *parameter = nitro_space_parameter(evaluations->space, p);
        json_t *values = json_array();
        for (size_t v = 0; v < parameter->num_values; v++)
            nitro_json_append(&values, value_json(parameter, v));
        nitro_json_append(&keys, json_string(parameter->name));
        nitro_json_put(&parameters, parameter->name, values);
    }
    for (size_t i = 0; i < evaluations->num_answers; i++) {
        const nitro_search_answer *answer = &evaluations->answers[i];
        char *key = cache_key(evaluations, answer->configuration);
        nitro_json_put(&cache, key, cache_entry(evaluations, answer));
        free(key);
    }
    /* Kernel Tuner takes a cache for closed whose last characters are }}}. */
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:s, s:o}", "device_name", evaluations->device,
                     "kernel_name", evaluations->name, "problem_size", 1, "tune_params_keys", keys,
                     "tune_params", parameters, "objective", "time", "cache", cache);
}

nitro_status nitro_evaluations_write(nitro_context *context, const char *path,
                                     nitro_evaluations_format format,
                                     const nitro_evaluations *evaluations)
{
    json_t *top =
        format == NITRO_EVALUATIONS_T4 ? t4_json(evaluations) : kernel_tuner_json(evaluations);
    char *text = top ? nitro_json_print(top, JSON_COMPACT) : NULL;
    json_decref(top);
    if (!text)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", path);
    nitro_status status = nitro_file_write(context, path, text, strlen(text));
    free(text);
    return status;
}
