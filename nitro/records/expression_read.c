/* Reads an expression's tokens: numbers, strings, names; and the errors, which name line and
 * column. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/records/expression_program.h"

#define DIGITS            "0123456789"
#define LETTERS           "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_CHARACTERS   LETTERS DIGITS "."
#define MAX_NUMBER_LENGTH 63
#define MAX_NAME_LENGTH   127

/* ---- Errors ---------------------------------------------------------------------------------- */

nitro_status expression_fail(const expression_parser *parser, const char *where, const char *format,
                             ...)
{
    char message[512];
    size_t line = 1;
    const char *line_start = parser->text;
    for (const char *at = line_start; at < where; at++)
        if (*at == '\n') {
            line++;
            line_start = at + 1;
        }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    nitro_text_clean(message, "");
    return nitro_fail(parser->context, NITRO_ERR_FORMAT, "%s: line %zu, column %zu: %s",
                      parser->origin, line, (size_t)(where - line_start) + 1, message);
}

nitro_status expression_fail_unexpected(const expression_parser *parser, const char *expected)
{
    unsigned char found = (unsigned char)*parser->at;
    if (found == '\0')
        return expression_fail(parser, parser->at, "expected %s, but the text ends here", expected);
    if (found < 0x20 || found > 0x7E)
        return expression_fail(parser, parser->at, "expected %s, but found the byte 0x%02X",
                               expected, (unsigned)found);
    return expression_fail(parser, parser->at, "expected %s, but found '%c'", expected, found);
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

size_t expression_name_length(const char *at)
{
    return *at && strchr(LETTERS, *at) ? strspn(at, NAME_CHARACTERS) : 0;
}

void expression_skip_blanks(expression_parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

bool expression_accept(expression_parser *parser, const char *token)
{
    expression_skip_blanks(parser);
    size_t length = strlen(token);
    if (strncmp(parser->at, token, length) != 0)
        return false;
    if (strchr(LETTERS, *token) && expression_name_length(parser->at) != length)
        return false;
    parser->at += length;
    return true;
}

/* ---- Primaries ------------------------------------------------------------------------------- */

nitro_status expression_add_step(expression_parser *parser, expression_step step)
{
    expression_step *steps =
        nitro_grow(parser->context, parser->steps, parser->num_steps, &parser->capacity,
                   sizeof(*steps), "steps of an expression");
    if (!steps)
        return NITRO_ERR_NO_MEMORY;
    parser->steps = steps;
    parser->steps[parser->num_steps++] = step;
    return NITRO_OK;
}

nitro_status expression_read_number(expression_parser *parser)
{
    const char *start = parser->at;
    size_t length = strspn(start, DIGITS);
    if (start[length] == '.')
        length += 1 + strspn(start + length + 1, DIGITS);
    if (start[length] == 'e' || start[length] == 'E') {
        size_t sign = start[length + 1] == '+' || start[length + 1] == '-';
        size_t digits = strspn(start + length + 1 + sign, DIGITS);
        length += digits > 0 ? 1 + sign + digits : 0;
    }
    if (length > MAX_NUMBER_LENGTH)
        return expression_fail(parser, start, "a number of %zu characters; %d is the limit", length,
                               MAX_NUMBER_LENGTH);
    char number[MAX_NUMBER_LENGTH + 1];
    double value;
    snprintf(number, sizeof(number), "%.*s", (int)length, start);
    if (!nitro_parse_number(number, &value))
        return expression_fail(parser, start, "'%s' is not a finite number", number);
    parser->at += length;
    parser->is_string = false;
    return expression_add_step(
        parser, (expression_step){.operation = EXPRESSION_CONSTANT, .constant = value});
}

nitro_status expression_read_string(expression_parser *parser)
{
    const char *start = parser->at + 1;
    size_t length = strcspn(start, *parser->at == '\'' ? "'" : "\"");
    if (start[length] == '\0' || memchr(start, '\\', length))
        return expression_fail(parser, parser->at,
                               "expected a string that ends and has no backslash");
    char *text = strndup(start, length);
    if (!text)
        return nitro_fail(parser->context, NITRO_ERR_NO_MEMORY, "out of memory: string");
    nitro_string_list *strings = parser->names.strings;
    size_t position = nitro_string_list_find(strings, text);
    nitro_status status = NITRO_OK;
    if (position == NITRO_NONE) {
        position = strings->count;
        status = nitro_string_list_add(parser->context, strings, text);
    }
    free(text);
    parser->at = start + length + 1;
    parser->is_string = true;
    if (status != NITRO_OK)
        return status;
    return expression_add_step(
        parser, (expression_step){.operation = EXPRESSION_CONSTANT, .constant = (double)position});
}

static nitro_status fail_unknown(const expression_parser *parser, const char *start,
                                 const char *name)
{
    const nitro_string_list *names = parser->names.names;
    const char *closest = nitro_closest_name((const char *const *)names->items, names->count, name);
    if (!closest)
        return expression_fail(parser, start, "unknown name '%s'", name);
    const char *quote = closest[expression_name_length(closest)] == '\0' ? "'" : "`";
    return expression_fail(parser, start, "unknown name '%s'; did you mean %s%s%s?", name, quote,
                           closest, quote);
}

/* Add a name with the allowed prefix; other names stay unknown. */
static nitro_status grow_names(expression_parser *parser, const char *name)
{
    const nitro_expression_names *names = &parser->names;
    size_t length = names->grows ? strlen(names->prefix) : 0;
    if (!names->grows || strncmp(name, names->prefix, length) != 0 ||
        !(length ? nitro_name_is_valid(name + length) : nitro_metric_name_is_valid(name)))
        return NITRO_OK;
    return nitro_string_list_add(parser->context, names->grows, name);
}

nitro_status expression_read_variable(expression_parser *parser, const char *start, size_t length,
                                      const char *end)
{
    static const char *const keywords[] = {"and", "or", "not", "for", "in", "if", "else"};
    char name[MAX_NAME_LENGTH + 1];
    if (length > MAX_NAME_LENGTH)
        return expression_fail(parser, start, "name '%.60s...' is longer than %d bytes", start,
                               MAX_NAME_LENGTH);
    snprintf(name, sizeof(name), "%.*s", (int)length, start);
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (!parser->names.is_formula && strcmp(name, keywords[i]) == 0)
            return expression_fail(parser, start, "expected a value, but found '%s'", name);
    size_t variable = nitro_string_list_find(parser->names.names, name);
    if (variable == NITRO_NONE) {
        nitro_status status = grow_names(parser, name);
        if (status != NITRO_OK)
            return status;
        variable = nitro_string_list_find(parser->names.names, name);
    }
    if (variable == NITRO_NONE)
        return fail_unknown(parser, start, name);
    parser->at = end;
    parser->is_string = parser->names.is_string && parser->names.is_string[variable];
    return expression_add_step(
        parser, (expression_step){.operation = EXPRESSION_VARIABLE, .variable = variable});
}

nitro_status expression_read_quoted_name(expression_parser *parser)
{
    const char *start = parser->at + 1;
    size_t length = strcspn(start, "`");
    if (length == 0 || start[length] == '\0')
        return expression_fail(parser, parser->at, "expected a name between two backquotes");
    return expression_read_variable(parser, start, length, start + length + 1);
}
