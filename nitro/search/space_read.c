/* Reads the description of a space: the T1 input format, as far as it describes a space. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "nitro/base/json.h"
#include "nitro/search/space_internal.h"

#define UNSIGNED              "uint"
#define MAX_CONSTRAINTS       1024
#define MAX_EXPRESSION_BYTES  8192
#define MAX_DESCRIPTION_BYTES ((size_t)64 << 20)

typedef struct space_reader {
    nitro_context *context;
    const char *origin;
    nitro_json_place place;
    nitro_string_list strings; /* of values and expressions; a string's number is its position */
    nitro_string_list names;
    bool is_string[NITRO_MAX_PARAMETERS];
    nitro_parameter parameters[NITRO_MAX_PARAMETERS];
    double *numbers[NITRO_MAX_PARAMETERS]; /* what expressions see of each value */
    size_t num_parameters;
    space_constraint *constraints; /* parts of conditions */
    size_t num_constraints;
} space_reader;

static const struct {
    const char *name;
    nitro_parameter_type type;
} type_names[] = {{"int", NITRO_PARAMETER_INTEGER},  {UNSIGNED, NITRO_PARAMETER_INTEGER},
                  {"float", NITRO_PARAMETER_REAL},   {"double", NITRO_PARAMETER_REAL},
                  {"bool", NITRO_PARAMETER_BOOLEAN}, {"string", NITRO_PARAMETER_STRING}};

/* ---- Parameters ------------------------------------------------------------------------------ */

static nitro_status read_type(const space_reader *reader, const json_t *entry,
                              nitro_parameter *parameter)
{
    const char *type;
    nitro_status status = nitro_json_string(&reader->place, entry, "Type", &type);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
        if (strcmp(type, type_names[i].name) == 0) {
            parameter->type = type_names[i].type;
            return NITRO_OK;
        }
    return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                      "%s: parameter '%s' has the unknown type '%s'; known are int, uint, float, "
                      "double, bool and string",
                      reader->origin, parameter->name, type);
}

static nitro_status fail_value(const space_reader *reader, const nitro_parameter *parameter,
                               const char *value, const char *why)
{
    return nitro_fail(reader->context, NITRO_ERR_FORMAT, "%s: parameter '%s': value %s %s",
                      reader->origin, parameter->name, value, why);
}

/* Take one value; strings are known by their position. */
static nitro_status add_value(space_reader *reader, nitro_parameter *parameter, double number,
                              bool is_string)
{
    char text[32];
    const char *shown = text;
    if (is_string)
        shown = reader->strings.items[(size_t)number];
    else
        nitro_format_number(number, text, sizeof(text));
    if (is_string != (parameter->type == NITRO_PARAMETER_STRING))
        return fail_value(reader, parameter, shown, "is not of its type");
    if (parameter->type == NITRO_PARAMETER_INTEGER &&
        (number != nearbyint(number) || fabs(number) > 0x1p53))
        return fail_value(reader, parameter, shown, "is not a whole number up to 2^53");
    if (parameter->type == NITRO_PARAMETER_BOOLEAN && number != 0 && number != 1)
        return fail_value(reader, parameter, shown, "is neither true nor false");
    if (parameter->type == NITRO_PARAMETER_INTEGER)
        snprintf(text, sizeof(text), "%.0f", number);
    size_t count = parameter->num_values;
    nitro_parameter_value *value = &parameter->values[count];
    reader->numbers[reader->num_parameters][count] = number;
    value->number = is_string ? (double)count : number;
    value->text = nitro_strdup(reader->context, shown);
    if (!value->text)
        return NITRO_ERR_NO_MEMORY;
    parameter->num_values++;
    return NITRO_OK;
}

/* The values of a JSON array, as of a list in Python's notation. */
static nitro_status list_json_values(space_reader *reader, const nitro_parameter *parameter,
                                     const json_t *array, nitro_value_list *list)
{
    size_t position;
    json_t *item;
    list->items = nitro_calloc(reader->context, json_array_size(array), sizeof(*list->items));
    if (!list->items)
        return NITRO_ERR_NO_MEMORY;
    json_array_foreach(array, position, item)
    {
        struct nitro_listed_value *value = &list->items[list->count++];
        value->is_string = json_is_string(item);
        if (json_is_string(item)) {
            value->number = (double)reader->strings.count;
            size_t known = nitro_string_list_find(&reader->strings, json_string_value(item));
            if (known != NITRO_NONE)
                value->number = (double)known;
            else if (nitro_string_list_add(reader->context, &reader->strings,
                                           json_string_value(item)) != NITRO_OK)
                return NITRO_ERR_NO_MEMORY;
        } else if (json_is_number(item) || json_is_boolean(item)) {
            value->number = json_is_number(item) ? json_number_value(item) : json_is_true(item);
        } else {
            return fail_value(reader, parameter, "of an array",
                              "is neither a number, a boolean nor a string");
        }
    }
    return NITRO_OK;
}

static nitro_status list_values(space_reader *reader, const nitro_parameter *parameter,
                                const json_t *values, nitro_value_list *list)
{
    if (json_is_array(values))
        return list_json_values(reader, parameter, values, list);
    if (!json_is_string(values))
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "%s: parameter '%s' has no Values: give a list, as in \"[1, 2, 4]\"",
                          reader->origin, parameter->name);
    char *origin = nitro_asprintf(reader->context, "%s: values of parameter '%s'", reader->origin,
                                  parameter->name);
    if (!origin)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_value_list_parse(reader->context, origin, json_string_value(values),
                                                 &reader->strings, list);
    free(origin);
    return status;
}

static nitro_status check_distinct(const space_reader *reader, const nitro_parameter *parameter,
                                   const double *numbers)
{
    double *sorted = nitro_calloc(reader->context, parameter->num_values, sizeof(*sorted));
    if (!sorted)
        return NITRO_ERR_NO_MEMORY;
    memcpy(sorted, numbers, parameter->num_values * sizeof(*sorted));
    nitro_sort(sorted, parameter->num_values);
    nitro_status status = NITRO_OK;
    for (size_t v = 1; v < parameter->num_values && status == NITRO_OK; v++)
        for (size_t i = 0; sorted[v - 1] == sorted[v] && i < parameter->num_values; i++)
            if (numbers[i] == sorted[v]) {
                status = fail_value(reader, parameter, parameter->values[i].text,
                                    "is listed twice; list each value once");
                break;
            }
    free(sorted);
    return status;
}

static nitro_status fill_parameter(space_reader *reader, const json_t *entry,
                                   nitro_parameter *parameter)
{
    nitro_value_list list = {0};
    size_t index = reader->num_parameters;
    nitro_status status = read_type(reader, entry, parameter);
    if (status == NITRO_OK)
        status = list_values(reader, parameter, json_object_get(entry, "Values"), &list);
    if (status == NITRO_OK && (list.count == 0 || list.count > NITRO_MAX_PARAMETER_VALUES))
        status =
            nitro_fail(reader->context, NITRO_ERR_FORMAT,
                       "%s: parameter '%s' has %zu values; 1 to %d are possible", reader->origin,
                       parameter->name, list.count, NITRO_MAX_PARAMETER_VALUES);
    if (status == NITRO_OK) {
        parameter->values = nitro_calloc(reader->context, list.count, sizeof(*parameter->values));
        reader->numbers[index] = nitro_calloc(reader->context, list.count, sizeof(double));
        status = parameter->values && reader->numbers[index] ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    for (size_t v = 0; status == NITRO_OK && v < list.count; v++)
        status = add_value(reader, parameter, list.items[v].number, list.items[v].is_string);
    bool is_unsigned = status == NITRO_OK &&
                       strcmp(json_string_value(json_object_get(entry, "Type")), UNSIGNED) == 0;
    for (size_t v = 0; is_unsigned && status == NITRO_OK && v < parameter->num_values; v++)
        if (parameter->values[v].number < 0)
            status = fail_value(reader, parameter, parameter->values[v].text,
                                "is negative, and its type is " UNSIGNED);
    if (status == NITRO_OK)
        status = check_distinct(reader, parameter, reader->numbers[index]);
    free(list.items);
    return status;
}

static nitro_status read_parameter(space_reader *reader, const json_t *entry)
{
    const char *name;
    if (reader->num_parameters == NITRO_MAX_PARAMETERS)
        return nitro_fail(reader->context, NITRO_ERR_UNSUPPORTED,
                          "%s: more than %d tuning parameters", reader->origin,
                          NITRO_MAX_PARAMETERS);
    nitro_status status = nitro_json_string(&reader->place, entry, "Name", &name);
    if (status != NITRO_OK)
        return status;
    if (name[0] == '\0' || strlen(name) > 127 || !nitro_text_is_valid(name, 127))
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "%s: a tuning parameter's Name is empty, longer than 127 bytes or no "
                          "text",
                          reader->origin);
    if (nitro_string_list_find(&reader->names, name) != NITRO_NONE)
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "%s: two tuning parameters are named '%s'", reader->origin, name);
    nitro_parameter *parameter = &reader->parameters[reader->num_parameters];
    status = nitro_string_list_add(reader->context, &reader->names, name);
    if (status == NITRO_OK) {
        parameter->name = nitro_strdup(reader->context, name);
        status = parameter->name ? fill_parameter(reader, entry, parameter) : NITRO_ERR_NO_MEMORY;
        reader->is_string[reader->num_parameters] = parameter->type == NITRO_PARAMETER_STRING;
        reader->num_parameters++; /* also where it failed: it is freed with the others */
    }
    return status;
}

static nitro_status read_parameters(space_reader *reader, const json_t *configuration_space)
{
    json_t *entries, *entry;
    size_t position;
    nitro_status status = nitro_json_member(&reader->place, configuration_space, "TuningParameters",
                                            JSON_ARRAY, &entries);
    if (status != NITRO_OK)
        return status;
    if (json_array_size(entries) == 0)
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "%s: the space has no TuningParameters", reader->origin);
    json_array_foreach(entries, position, entry)
    {
        char field[64];
        snprintf(field, sizeof(field), "ConfigurationSpace.TuningParameters[%zu]", position);
        reader->place.field = field;
        status = json_is_object(entry) ? read_parameter(reader, entry)
                                       : nitro_fail(reader->context, NITRO_ERR_FORMAT,
                                                    "%s: %s is no object", reader->origin, field);
        reader->place.field = "";
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

static nitro_status add_parts(space_reader *reader, const char *text, nitro_expression *expression)
{
    nitro_expression **parts;
    size_t count;
    nitro_status status = nitro_expression_split(reader->context, expression, &parts, &count);
    nitro_expression_free(expression);
    if (status != NITRO_OK)
        return status;
    space_constraint *grown = realloc(reader->constraints, (reader->num_constraints + count) *
                                                               sizeof(*reader->constraints));
    if (grown)
        reader->constraints = grown;
    else
        status = nitro_fail(reader->context, NITRO_ERR_NO_MEMORY, "out of memory: constraints");
    for (size_t i = 0; i < count; i++) {
        if (grown)
            grown[reader->num_constraints++] = (space_constraint){text, parts[i]};
        else
            nitro_expression_free(parts[i]);
    }
    free(parts);
    return status;
}

static nitro_status read_condition(space_reader *reader, const json_t *entry, size_t position)
{
    const nitro_expression_names names = {
        .names = &reader->names, .is_string = reader->is_string, .strings = &reader->strings};
    char origin[256];
    const char *text = json_string_value(entry);
    snprintf(origin, sizeof(origin), "%s: condition %zu", reader->origin, position + 1);
    reader->place.field = origin;
    nitro_status status =
        text ? NITRO_OK
             : nitro_json_string(
                   &(nitro_json_place){.context = reader->context, .path = origin, .field = ""},
                   entry, "Expression", &text);
    reader->place.field = "";
    if (status != NITRO_OK)
        return status;
    if (strlen(text) > MAX_EXPRESSION_BYTES)
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "%s: the expression is longer than %d bytes", origin,
                          MAX_EXPRESSION_BYTES);
    nitro_expression *expression = NULL;
    status = nitro_expression_parse(reader->context, origin, text, &names, &expression);
    return status == NITRO_OK ? add_parts(reader, text, expression) : status;
}

static nitro_status read_conditions(space_reader *reader, const json_t *configuration_space)
{
    const json_t *entries = json_object_get(configuration_space, "Conditions");
    json_t *entry;
    size_t position;
    if (!entries)
        return NITRO_OK;
    if (!json_is_array(entries) || json_array_size(entries) > MAX_CONSTRAINTS)
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "%s: Conditions is no array of at most %d conditions", reader->origin,
                          MAX_CONSTRAINTS);
    json_array_foreach(entries, position, entry)
    {
        nitro_status status = read_condition(reader, entry, position);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void free_reader(space_reader *reader)
{
    for (size_t p = 0; p < reader->num_parameters; p++) {
        space_parameter_clear(&reader->parameters[p]);
        free(reader->numbers[p]);
    }
    for (size_t c = 0; c < reader->num_constraints; c++)
        nitro_expression_free(reader->constraints[c].expression);
    free(reader->constraints);
    nitro_string_list_free(&reader->strings);
    nitro_string_list_free(&reader->names);
}

static nitro_status read_space(space_reader *reader, const json_t *top, nitro_space **space)
{
    json_t *configuration_space;
    nitro_status status = nitro_json_member(&reader->place, top, "ConfigurationSpace", JSON_OBJECT,
                                            &configuration_space);
    if (status == NITRO_OK)
        status = read_parameters(reader, configuration_space);
    if (status == NITRO_OK)
        status = read_conditions(reader, configuration_space);
    if (status != NITRO_OK)
        return status;
    nitro_space *made =
        nitro_space_allocate(reader->context, reader->parameters, reader->num_parameters);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    status = nitro_space_build(reader->context, made, reader->origin, reader->numbers,
                               reader->constraints, reader->num_constraints);
    if (status == NITRO_OK)
        *space = made;
    else
        nitro_space_free(made);
    return status;
}

nitro_status nitro_space_parse(nitro_context *context, const char *origin, const char *text,
                               size_t size, nitro_space **space)
{
    json_t *top = NULL;
    nitro_status status = nitro_json_read(context, origin, text, size, &top);
    if (status != NITRO_OK)
        return status;
    if (!json_is_object(top)) {
        json_decref(top);
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: no JSON object", origin);
    }
    space_reader *reader = nitro_calloc(context, 1, sizeof(*reader));
    status = NITRO_ERR_NO_MEMORY;
    if (reader) {
        reader->context = context;
        reader->origin = origin;
        reader->place = (nitro_json_place){.context = context, .path = origin, .field = ""};
        status = read_space(reader, top, space);
        free_reader(reader);
        free(reader);
    }
    json_decref(top);
    return status;
}

nitro_status nitro_space_read(nitro_context *context, const char *path, nitro_space **space)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read_gzip(context, path, MAX_DESCRIPTION_BYTES, &text, &size);
    if (status != NITRO_OK)
        return status;
    status = nitro_space_parse(context, path, text, size, space);
    free(text);
    return status;
}
