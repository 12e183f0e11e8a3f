/* Reads lists of parameter values: Python's list displays, list(range()), comprehensions, sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/records/expression_program.h"

typedef struct list_reader {
    expression_parser parser;
    nitro_value_list *list;
} list_reader;

static nitro_status add_value(list_reader *reader, double number, bool is_string)
{
    nitro_value_list *list = reader->list;
    if (list->count == NITRO_MAX_PARAMETER_VALUES)
        return expression_fail(&reader->parser, reader->parser.at,
                               "more than %d values: a parameter has at most that many",
                               NITRO_MAX_PARAMETER_VALUES);
    struct nitro_listed_value *items = nitro_grow(reader->parser.context, list->items, list->count,
                                                  &list->capacity, sizeof(*items), "values");
    if (!items)
        return NITRO_ERR_NO_MEMORY;
    list->items = items;
    list->items[list->count++] = (struct nitro_listed_value){number, is_string};
    return NITRO_OK;
}

/* Run what was parsed last and add its value. */
static nitro_status add_result(list_reader *reader, const char *at, const double *variable)
{
    const expression_parser *parser = &reader->parser;
    double value = expression_run(parser->steps, parser->num_steps, variable);
    if (isnan(value))
        return expression_fail(parser, at, "the value is undefined%s",
                               variable ? " for a value of the comprehension's variable" : "");
    return add_value(reader, value, parser->is_string);
}

static nitro_status parse_whole(expression_parser *parser, double *value)
{
    expression_skip_blanks(parser);
    const char *at = parser->at;
    nitro_status status = expression_parse_next(parser);
    if (status != NITRO_OK)
        return status;
    *value = expression_run(parser->steps, parser->num_steps, NULL);
    if (parser->is_string || isnan(*value) || *value != nearbyint(*value) || fabs(*value) > 0x1p53)
        return expression_fail(parser, at, "range() takes whole numbers up to 2^53");
    return NITRO_OK;
}

/* The rest of range(...), after its parenthesis. */
static nitro_status parse_range(list_reader *reader)
{
    expression_parser *parser = &reader->parser;
    double bounds[3] = {0, 0, 1};
    size_t count = 0;
    do {
        nitro_status status = parse_whole(parser, &bounds[count++]);
        if (status != NITRO_OK)
            return status;
    } while (count < 3 && expression_accept(parser, ","));
    if (!expression_accept(parser, ")"))
        return expression_fail_unexpected(parser, "')'");
    double start = count == 1 ? 0 : bounds[0], end = count == 1 ? bounds[0] : bounds[1];
    if (bounds[2] == 0)
        return expression_fail(parser, parser->at, "the step of range() is 0");
    for (double value = start; bounds[2] > 0 ? value < end : value > end; value += bounds[2]) {
        nitro_status status = add_value(reader, value, false);
        if (status != NITRO_OK)
            return status;
    }
    return NITRO_OK;
}

static nitro_status parse_lists(list_reader *reader);

/* `for NAME in LIST`, of which the expression in [start, end) has the name as its variable. */
static nitro_status parse_comprehension(list_reader *reader, const char *expression,
                                        const char *name, size_t name_length)
{
    expression_parser *parser = &reader->parser;
    nitro_value_list values = {0}, *outer = reader->list;
    parser->at = name + name_length;
    if (!expression_accept(parser, "in"))
        return expression_fail_unexpected(parser, "'in'");
    reader->list = &values;
    nitro_status status = parse_lists(reader);
    reader->list = outer;
    const char *end = parser->at;
    nitro_string_list variable = {0};
    char *text = nitro_asprintf(parser->context, "%.*s", (int)name_length, name);
    if (status == NITRO_OK)
        status =
            text ? nitro_string_list_add(parser->context, &variable, text) : NITRO_ERR_NO_MEMORY;
    const nitro_string_list *no_names = parser->names.names;
    bool is_string = values.count > 0 && values.items[0].is_string;
    parser->names.names = &variable;
    parser->names.is_string = &is_string;
    parser->at = expression;
    if (status == NITRO_OK)
        status = expression_parse_next(parser);
    for (size_t i = 0; status == NITRO_OK && i < values.count; i++)
        status = values.items[i].is_string == is_string
                     ? add_result(reader, expression, &values.items[i].number)
                     : expression_fail(parser, expression, "mixes strings and numbers");
    parser->names.names = no_names;
    parser->names.is_string = NULL;
    parser->at = end;
    nitro_string_list_free(&variable);
    free(values.items);
    free(text);
    return status;
}

/* Where the first `for` of this list stands, or NULL: nested brackets and strings are skipped. */
static const char *find_for(const char *at)
{
    for (int depth = 0; *at && depth >= 0; at++) {
        size_t name_length = expression_name_length(at);
        if (*at == '\'' || *at == '"')
            at += strcspn(at + 1, *at == '"' ? "\"" : "'") + (at[1] ? 1 : 0);
        if (*at == '\0')
            return NULL;
        if (*at == '[' || *at == '(')
            depth++;
        else if (*at == ']' || *at == ')')
            depth--;
        else if (depth == 0 && *at == ',')
            return NULL;
        else if (depth == 0 && name_length == 3 && strncmp(at, "for", 3) == 0)
            return at;
        else if (name_length > 0)
            at += name_length - 1;
    }
    return NULL;
}

/* The rest of a list after its bracket. */
static nitro_status parse_items(list_reader *reader)
{
    expression_parser *parser = &reader->parser;
    if (expression_accept(parser, "]"))
        return NITRO_OK;
    const char *each = find_for(parser->at);
    if (each) {
        const char *expression = parser->at;
        parser->at = each + strlen("for");
        expression_skip_blanks(parser);
        size_t length = expression_name_length(parser->at);
        nitro_status status = length > 0
                                  ? parse_comprehension(reader, expression, parser->at, length)
                                  : expression_fail_unexpected(parser, "a name");
        if (status == NITRO_OK && !expression_accept(parser, "]"))
            return expression_fail_unexpected(parser, "']'");
        return status;
    }
    do {
        expression_skip_blanks(parser);
        const char *at = parser->at;
        if (expression_accept(parser, "]")) /* after a last comma */
            return NITRO_OK;
        nitro_status status = expression_parse_next(parser);
        if (status == NITRO_OK)
            status = add_result(reader, at, NULL);
        if (status != NITRO_OK)
            return status;
    } while (expression_accept(parser, ","));
    return expression_accept(parser, "]") ? NITRO_OK
                                          : expression_fail_unexpected(parser, "',' or ']'");
}

static nitro_status parse_list(list_reader *reader)
{
    expression_parser *parser = &reader->parser;
    if (parser->nesting == NITRO_EXPRESSION_MAX_NESTING)
        return expression_fail(parser, parser->at, "nested more than %d deep",
                               NITRO_EXPRESSION_MAX_NESTING);
    parser->nesting++;
    nitro_status status = NITRO_OK;
    bool as_list = expression_accept(parser, "list");
    if (as_list && !expression_accept(parser, "("))
        status = expression_fail_unexpected(parser, "'('");
    else if (as_list || expression_accept(parser, "(")) {
        status = parse_lists(reader);
        if (status == NITRO_OK && !expression_accept(parser, ")"))
            status = expression_fail_unexpected(parser, "')'");
    } else if (expression_accept(parser, "range")) {
        status = expression_accept(parser, "(") ? parse_range(reader)
                                                : expression_fail_unexpected(parser, "'('");
    } else if (expression_accept(parser, "[")) {
        status = parse_items(reader);
    } else {
        status = expression_fail_unexpected(parser, "'[', list( or range(");
    }
    parser->nesting--;
    return status;
}

static nitro_status parse_lists(list_reader *reader)
{
    nitro_status status = parse_list(reader);
    while (status == NITRO_OK && expression_accept(&reader->parser, "+"))
        status = parse_list(reader);
    return status;
}

nitro_status nitro_value_list_parse(nitro_context *context, const char *origin, const char *text,
                                    nitro_string_list *strings, nitro_value_list *list)
{
    static const nitro_string_list no_names = {0};
    nitro_value_list values = {0};
    list_reader reader = {.parser = {.context = context,
                                     .origin = origin,
                                     .text = text,
                                     .at = text,
                                     .names = {.names = &no_names, .strings = strings}},
                          .list = &values};
    nitro_status status = parse_lists(&reader);
    expression_skip_blanks(&reader.parser);
    if (status == NITRO_OK && *reader.parser.at != '\0')
        status = expression_fail_unexpected(&reader.parser, "'+' or the end");
    free(reader.parser.steps);
    if (status == NITRO_OK)
        *list = values;
    else
        free(values.items);
    return status;
}
