/* Reads Kernel Tuner's cache: an object of evaluations by configuration; times in milliseconds. */
#include <math.h>
#include <string.h>

#include "nitro/search/recording_json.h"

#define OLD_INVALID_TIME 1e20 /* of early versions */

static nitro_status read_parameters(recording_builder *builder, const json_t *top)
{
    const json_t *keys = json_object_get(top, "tune_params_keys"), *key;
    size_t position;
    json_array_foreach(keys, position, key)
    {
        if (!json_is_string(key))
            return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                              "%s: tune_params_keys[%zu] is no string", builder->origin, position);
        nitro_status status = recording_add_parameter(builder, json_string_value(key));
        if (status != NITRO_OK)
            return status;
    }
    if (builder->num_parameters > 0)
        return NITRO_OK;
    return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                      "%s: a Kernel Tuner cache without tune_params_keys", builder->origin);
}

static nitro_outcome outcome_of(const json_t *evaluation)
{
    const json_t *time = json_object_get(evaluation, "time");
    const char *error = json_string_value(json_object_get(evaluation, "__error__"));
    if (json_is_string(time))
        error = json_string_value(time);
    if (!error)
        return json_number_value(time) == OLD_INVALID_TIME ? NITRO_OUTCOME_FAILED
                                                           : NITRO_OUTCOME_MEASURED;
    if (strcmp(error, "RuntimeFailedConfig") == 0)
        return NITRO_OUTCOME_CRASHED;
    return strcmp(error, "InvalidConfig") == 0 ? NITRO_OUTCOME_NOT_ALLOWED : NITRO_OUTCOME_FAILED;
}

static nitro_status read_evaluation(recording_builder *builder, size_t line,
                                    const json_t *evaluation)
{
    recorded_value values[NITRO_MAX_PARAMETERS];
    recorded_row row = {.line = line};
    nitro_search_answer *answer = &row.answer;
    json_t *configuration = json_object();
    if (!configuration)
        return nitro_fail(builder->context, NITRO_ERR_NO_MEMORY, "out of memory: %s",
                          builder->origin);
    for (size_t p = 0; p < builder->num_parameters; p++) {
        const char *name = builder->parameters[p].name;
        json_object_set(configuration, name, json_object_get(evaluation, name));
    }
    answer->outcome = outcome_of(evaluation);
    answer->time_ms = answer->outcome == NITRO_OUTCOME_MEASURED
                          ? recording_number(evaluation, "time")
                          : (double)NAN;
    answer->spread = recording_spread(json_object_get(evaluation, "times"), answer->time_ms, 1);
    answer->cost_ms = recording_number(evaluation, "compile_time") +
                      recording_number_or_zero(evaluation, "benchmark_time") +
                      recording_number_or_zero(evaluation, "verification_time") +
                      recording_number_or_zero(evaluation, "framework_time");
    nitro_status status = recording_read_configuration(builder, line, configuration, values);
    if (status == NITRO_OK)
        status = recording_add_row(builder, &row, values);
    json_decref(configuration);
    return status;
}

nitro_status recording_read_kernel_tuner(recording_builder *builder, const json_t *top)
{
    const char *key, *device = json_string_value(json_object_get(top, "device_name"));
    json_t *evaluation;
    size_t line = 0;
    nitro_status status = read_parameters(builder, top);
    if (status != NITRO_OK)
        return status;
    if (!json_is_object(json_object_get(top, "cache")))
        return nitro_fail(builder->context, NITRO_ERR_FORMAT, "%s: cache is no object",
                          builder->origin);
    builder->device = nitro_strdup(builder->context, device);
    if (device && !builder->device)
        return NITRO_ERR_NO_MEMORY;
    json_object_foreach(json_object_get(top, "cache"), key, evaluation)
    {
        line++;
        status = json_is_object(evaluation)
                     ? read_evaluation(builder, line, evaluation)
                     : recording_fail(builder, line, "cache entry '%s' is no object", key);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}
