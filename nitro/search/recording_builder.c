/* Collects recorded evaluations row by row, then orders them by configuration. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/search/recording.h"

nitro_status recording_fail(const recording_builder *builder, size_t line, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    nitro_text_clean(message, "");
    return nitro_fail(builder->context, NITRO_ERR_FORMAT, "%s: %s %zu: %s", builder->origin,
                      builder->line_word, line, message);
}

bool recording_find_outcome(const recorded_outcome *known, const char *name, nitro_outcome *outcome)
{
    while (known->name && (!name || strcmp(known->name, name) != 0))
        known++;
    if (known->name)
        *outcome = known->outcome;
    return known->name != NULL;
}

void recording_builder_free(recording_builder *builder)
{
    for (size_t p = 0; p < builder->num_parameters; p++) {
        recorded_parameter *parameter = &builder->parameters[p];
        for (size_t v = 0; v < parameter->count; v++)
            free((char *)parameter->values[v].value.text);
        free(parameter->values);
        free(parameter->name);
    }
    free(builder->rows);
    free(builder->ids);
    free(builder->counters);
    free(builder->device);
    nitro_string_list_free(&builder->counter_names);
}

/* Room for one more element of an array that doubles. */
static nitro_status make_room(const recording_builder *builder, void *array, size_t count,
                              size_t *capacity, size_t element)
{
    void *grown =
        nitro_grow(builder->context, *(void **)array, count, capacity, element, "recorded values");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    *(void **)array = grown;
    return NITRO_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int compare_values(const recorded_value *a, const recorded_value *b)
{
    if (a->is_string != b->is_string)
        return a->is_string ? 1 : -1;
    if (a->is_string)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}

/* Where the value stands, or would. */
static size_t find_value(const recorded_parameter *parameter, const recorded_value *value)
{
    size_t low = 0, high = parameter->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_values(&parameter->values[middle].value, value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Insert a value unless it is there; its identifier is its order of occurrence. */
static nitro_status learn_value(const recording_builder *builder, recorded_parameter *parameter,
                                const recorded_value *value, uint16_t *id)
{
    size_t at = find_value(parameter, value);
    if (at < parameter->count && compare_values(&parameter->values[at].value, value) == 0) {
        parameter->values[at].value.is_boolean &= value->is_boolean;
        *id = parameter->values[at].id;
        return NITRO_OK;
    }
    if (parameter->count == NITRO_MAX_PARAMETER_VALUES)
        return nitro_fail(builder->context, NITRO_ERR_UNSUPPORTED,
                          "%s: parameter '%s' has more than %d values", builder->origin,
                          parameter->name, NITRO_MAX_PARAMETER_VALUES);
    nitro_status status = make_room(builder, &parameter->values, parameter->count,
                                    &parameter->capacity, sizeof(*parameter->values));
    recorded_value copy = *value;
    copy.text = value->is_string ? nitro_strdup(builder->context, value->text) : NULL;
    if (status != NITRO_OK || (value->is_string && !copy.text))
        return NITRO_ERR_NO_MEMORY;
    memmove(parameter->values + at + 1, parameter->values + at,
            (parameter->count - at) * sizeof(*parameter->values));
    *id = (uint16_t)parameter->count++;
    parameter->values[at] = (struct recorded_distinct){copy, *id};
    return NITRO_OK;
}

/* The values of the space's parameter come first, so that identifiers are value indices. */
static nitro_status learn_space_values(const recording_builder *builder,
                                       recorded_parameter *parameter)
{
    const nitro_parameter *known = nitro_space_parameter(builder->space, parameter->in_space);
    for (size_t v = 0; v < known->num_values; v++) {
        bool is_string = known->type == NITRO_PARAMETER_STRING;
        recorded_value value = {.is_string = is_string,
                                .is_boolean = known->type == NITRO_PARAMETER_BOOLEAN,
                                .number = known->values[v].number,
                                .text = known->values[v].text};
        uint16_t id;
        nitro_status status = learn_value(builder, parameter, &value, &id);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

nitro_status recording_add_parameter(recording_builder *builder, const char *name)
{
    if (builder->num_parameters == NITRO_MAX_PARAMETERS)
        return nitro_fail(builder->context, NITRO_ERR_UNSUPPORTED,
                          "%s: more than %d tuning parameters", builder->origin,
                          NITRO_MAX_PARAMETERS);
    if (name[0] == '\0' || !nitro_text_is_valid(name, 127))
        return nitro_fail(builder->context, NITRO_ERR_FORMAT,
                          "%s: a parameter's name is empty, longer than 127 bytes or no text",
                          builder->origin);
    for (size_t p = 0; p < builder->num_parameters; p++)
        if (strcmp(builder->parameters[p].name, name) == 0)
            return nitro_fail(builder->context, NITRO_ERR_FORMAT, "%s: two parameters '%s'",
                              builder->origin, name);
    recorded_parameter *parameter = &builder->parameters[builder->num_parameters];
    parameter->name = nitro_strdup(builder->context, name);
    if (!parameter->name)
        return NITRO_ERR_NO_MEMORY;
    builder->num_parameters++;
    parameter->in_space =
        builder->space ? nitro_space_find_parameter(builder->space, name) : NITRO_NONE;
    return parameter->in_space == NITRO_NONE ? NITRO_OK : learn_space_values(builder, parameter);
}

static void show_value(const recorded_value *value, char *text, size_t size)
{
    if (value->is_string)
        snprintf(text, size, "%s", value->text);
    else
        nitro_format_number(value->number, text, size);
}

/* The identifier of a value, in the form that the space's parameter has it. */
static nitro_status identify(const recording_builder *builder, size_t line,
                             recorded_parameter *parameter, recorded_value value, uint16_t *id)
{
    char text[128];
    if (parameter->in_space == NITRO_NONE)
        return learn_value(builder, parameter, &value, id);
    const nitro_parameter *known = nitro_space_parameter(builder->space, parameter->in_space);
    show_value(&value, text, sizeof(text));
    if (known->type == NITRO_PARAMETER_STRING && !value.is_string)
        value = (recorded_value){.is_string = true, .text = value.text ? value.text : text};
    if (known->type != NITRO_PARAMETER_STRING && value.is_string &&
        (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0))
        value = (recorded_value){.number = strcasecmp(text, "true") == 0};
    size_t at = find_value(parameter, &value);
    if (at == parameter->count || compare_values(&parameter->values[at].value, &value) != 0) {
        recording_fail(builder, line,
                       "parameter '%s' has the value %s, which the space does not have: is the "
                       "file of another space?",
                       parameter->name, text);
        return NITRO_ERR_FORMAT;
    }
    *id = parameter->values[at].id;
    return NITRO_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

nitro_status recording_add_row(recording_builder *builder, const recorded_row *row,
                               const recorded_value *values)
{
    const nitro_search_answer *answer = &row->answer;
    if (answer->outcome == NITRO_OUTCOME_MEASURED &&
        !(answer->time_ms > 0 && isfinite(answer->time_ms)))
        return recording_fail(builder, row->line,
                              "the time is missing, NaN, infinite, zero or negative, but no "
                              "status says that the configuration failed");
    if (answer->cost_ms < 0)
        return recording_fail(builder, row->line,
                              "the time that the evaluation took, with compiling, is negative");
    if (builder->num_rows == UINT32_MAX)
        return nitro_fail(builder->context, NITRO_ERR_UNSUPPORTED, "%s: too many evaluations",
                          builder->origin);
    size_t capacity = builder->row_capacity, width = builder->num_parameters;
    nitro_status status = make_room(builder, &builder->rows, builder->num_rows,
                                    &builder->row_capacity, sizeof(*builder->rows));
    if (status == NITRO_OK) /* grows with the rows */
        status = make_room(builder, &builder->ids, builder->num_rows, &capacity,
                           (width ? width : 1) * sizeof(*builder->ids));
    for (size_t p = 0; p < width && status == NITRO_OK; p++)
        status = identify(builder, row->line, &builder->parameters[p], values[p],
                          &builder->ids[builder->num_rows * width + p]);
    if (status == NITRO_OK)
        builder->rows[builder->num_rows++] = *row;
    return status;
}

nitro_status recording_add_counter(recording_builder *builder, const char *name, double value)
{
    size_t last = builder->num_counters ? builder->counters[builder->num_counters - 1].counter : 0;
    size_t counter = last + 1; /* rows have their counters in one order, mostly */
    if (counter >= builder->counter_names.count ||
        strcmp(builder->counter_names.items[counter], name) != 0)
        counter = nitro_string_list_find(&builder->counter_names, name);
    if (counter == NITRO_NONE) {
        counter = builder->counter_names.count;
        nitro_status status =
            nitro_string_list_add(builder->context, &builder->counter_names, name);
        if (status != NITRO_OK)
            return status;
    }
    nitro_status status = make_room(builder, &builder->counters, builder->num_counters,
                                    &builder->counter_capacity, sizeof(*builder->counters));
    if (status == NITRO_OK)
        builder->counters[builder->num_counters++] =
            (recorded_counter){builder->num_rows - 1, counter, value};
    return status;
}
