/* Recognises the JSON formats of recorded evaluations; what their readers share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/search/recording_json.h"

double recording_number(const json_t *object, const char *key)
{
    const json_t *member = json_object_get(object, key);
    return json_is_number(member) ? json_number_value(member) : (double)NAN;
}

double recording_number_or_zero(const json_t *object, const char *key)
{
    double value = recording_number(object, key);
    return isnan(value) ? 0 : value;
}

double recording_unit_ms(const char *unit)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ms", 1},
                 {"milliseconds", 1},
                 {"miliseconds", 1},
                 {"us", 1e-3},
                 {"microseconds", 1e-3},
                 {"ns", 1e-6},
                 {"nanoseconds", 1e-6},
                 {"s", 1e3},
                 {"seconds", 1e3}};
    for (size_t i = 0; unit && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcasecmp(unit, units[i].name) == 0)
            return units[i].ms;
    return 0;
}

double recording_spread(const json_t *numbers, double mean, double unit_ms)
{
    size_t count = json_array_size(numbers), position;
    double sum = 0, squares = 0;
    const json_t *number;
    if (count < 2)
        return (double)NAN;
    json_array_foreach(numbers, position, number) sum += json_number_value(number);
    json_array_foreach(numbers, position, number)
    {
        double difference = json_number_value(number) - sum / (double)count;
        squares += difference * difference;
    }
    return sqrt(squares / (double)count) * unit_ms / mean;
}

static nitro_status read_value(const recording_builder *builder, size_t line, const char *name,
                               const json_t *member, recorded_value *value)
{
    *value = (recorded_value){.is_string = json_is_string(member),
                              .is_boolean = json_is_boolean(member),
                              .text = json_string_value(member)};
    value->number = json_is_boolean(member) ? json_is_true(member) : json_number_value(member);
    if (value->is_string || value->is_boolean || json_is_number(member))
        return NITRO_OK;
    return recording_fail(builder, line, "parameter '%s' %s", name,
                          member ? "is neither a number, a boolean nor a string" : "is missing");
}

nitro_status recording_read_configuration(recording_builder *builder, size_t line,
                                          const json_t *object, recorded_value *values)
{
    if (json_object_size(object) == 0) /* also where it is no object */
        return recording_fail(builder, line, "has no configuration");
    if (builder->num_parameters == 0) {
        const char *name;
        json_t *member;
        json_object_foreach((json_t *)object, name, member)
        {
            nitro_status status = recording_add_parameter(builder, name);
            if (status != NITRO_OK)
                return status;
        }
    }
    if (json_object_size(object) != builder->num_parameters)
        return recording_fail(builder, line, "has %zu parameters, and the first record %zu",
                              json_object_size(object), builder->num_parameters);
    for (size_t p = 0; p < builder->num_parameters; p++) {
        const char *name = builder->parameters[p].name;
        nitro_status status =
            read_value(builder, line, name, json_object_get(object, name), &values[p]);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

/* A Kernel Tuner cache that was not closed lacks }} and may end in a comma: the same with them.
 * NITRO_ERR_FORMAT, without a new message: it is none. */
static nitro_status parse_unclosed(const recording_builder *builder, const char *text, size_t size,
                                   json_t **top)
{
    while (size > 0 && strchr(" \t\r\n", text[size - 1]))
        size--;
    if (size > 0 && text[size - 1] == ',')
        size--;
    char *closed = nitro_calloc(builder->context, size + 3, 1);
    if (!closed)
        return NITRO_ERR_NO_MEMORY;
    memcpy(closed, text, size);
    memcpy(closed + size, "}}", 2);
    json_error_t error;
    json_t *read = nitro_json_parse(closed, size + 2, 0, &error);
    free(closed);
    if (!read && json_error_code(&error) == json_error_out_of_memory)
        return nitro_fail(builder->context, NITRO_ERR_NO_MEMORY, "%s: out of memory",
                          builder->origin);
    if (json_is_object(json_object_get(read, "cache"))) {
        *top = read;
        return NITRO_OK;
    }
    json_decref(read);
    return NITRO_ERR_FORMAT;
}

nitro_status recording_read_json(recording_builder *builder, const char *text, size_t size)
{
    static const struct {
        const char *member;
        nitro_status (*read)(recording_builder *, const json_t *);
    } formats[] = {{"cache", recording_read_kernel_tuner},
                   {"results", recording_read_t4},
                   {"Results", recording_read_ktt}};
    json_t *top = NULL;
    nitro_status status = nitro_json_read(builder->context, builder->origin, text, size, &top);
    if (status == NITRO_ERR_FORMAT)
        status = parse_unclosed(builder, text, size, &top);
    if (status != NITRO_OK)
        return status;
    size_t format = 0, count = sizeof(formats) / sizeof(formats[0]);
    while (format < count && !json_object_get(top, formats[format].member))
        format++;
    builder->line_word = "record";
    if (format < count)
        status = formats[format].read(builder, top);
    else
        status = nitro_fail(builder->context, NITRO_ERR_FORMAT,
                            "%s: no recorded evaluations: neither a Kernel Tuner cache (member "
                            "cache), nor T4 results (results), nor KTT output (Results)",
                            builder->origin);
    json_decref(top);
    return status;
}
