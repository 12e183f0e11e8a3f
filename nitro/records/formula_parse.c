/* Parses formulas by recursive descent into postfix steps. Bounded nesting protects the C stack. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/records/formula_program.h"

#define DIGITS             "0123456789"
#define LETTERS            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define PLAIN_CHARACTERS   LETTERS DIGITS "."
#define QUOTED_CHARACTERS  PLAIN_CHARACTERS "+-"
#define MAX_NUMBER_LENGTH  63
#define MAX_NAME_IN_ERRORS 127

typedef struct formula_parser {
    nitro_context *context;
    const char *origin;
    const nitro_string_list *variables;
    nitro_string_list *grows; /* `variables` if names with `prefix` may be added; else NULL */
    const char *prefix;
    nitro_formula *formula; /* has room for one step per byte of text, the maximum */
    const char *at;
    size_t nesting;
} formula_parser;

static const struct formula_function {
    const char *name;
    formula_operation operation;
    bool takes_many; /* two or more arguments, else exactly one */
} functions[] = {
    {"ln", FORMULA_LN, false},
    {"log", FORMULA_LN, false},
    {"log2", FORMULA_LOG2, false},
    {"sqrt", FORMULA_SQRT, false},
    {"min", FORMULA_MIN, true},
    {"max", FORMULA_MAX, true},
    {"signed_log", FORMULA_SIGNED_LOG, false},
};
#define NUM_FUNCTIONS  (sizeof(functions) / sizeof(functions[0]))
#define FUNCTION_NAMES "ln, log, log2, sqrt, min, max and signed_log"

/* ---- Errors ------------------------------------------------------------------------------- */

static nitro_status fail_at(const formula_parser *parser, const char *where, const char *format,
                            ...) NITRO_PRINTF(3, 4);

static nitro_status fail_at(const formula_parser *parser, const char *where, const char *format,
                            ...)
{
    size_t line = 1;
    const char *line_start = parser->formula->text;
    for (const char *at = line_start; at < where; at++)
        if (*at == '\n') {
            line++;
            line_start = at + 1;
        }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return nitro_fail(parser->context, NITRO_ERR_FORMAT, "%s: line %zu, column %zu: %s",
                      parser->origin, line, (size_t)(where - line_start) + 1, message);
}

static nitro_status fail_unexpected(const formula_parser *parser, const char *expected)
{
    unsigned char found = (unsigned char)*parser->at;
    if (found == '\0')
        return fail_at(parser, parser->at, "expected %s, but the formula ends here", expected);
    if (found < 0x20 || found > 0x7E)
        return fail_at(parser, parser->at, "expected %s, but found the byte 0x%02X", expected,
                       (unsigned)found);
    return fail_at(parser, parser->at, "expected %s, but found '%c'", expected, found);
}

static bool needs_backquotes(const char *name)
{
    return !strchr(LETTERS, name[0]) || name[strspn(name, PLAIN_CHARACTERS)] != '\0';
}

static nitro_status fail_unknown(const formula_parser *parser, const char *start, size_t length)
{
    char name[MAX_NAME_IN_ERRORS + 1];
    snprintf(name, sizeof(name), "%.*s", (int)length, start);
    const nitro_string_list *variables = parser->variables;
    const char *known =
        length < sizeof(name)
            ? nitro_closest_name((const char *const *)variables->items, variables->count, name)
            : NULL;
    if (!known)
        return fail_at(parser, start, "unknown name '%s'", name);
    const char *quote = needs_backquotes(known) ? "`" : "";
    return fail_at(parser, start, "unknown name '%s'; the closest known name is %s%.*s%s", name,
                   quote, MAX_NAME_IN_ERRORS, known, quote);
}

/* ---- Text and steps ----------------------------------------------------------------------- */

static void skip_blanks(formula_parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool accept(formula_parser *parser, char wanted)
{
    skip_blanks(parser);
    if (*parser->at != wanted)
        return false;
    parser->at++;
    return true;
}

static void add_step(formula_parser *parser, formula_step step)
{
    parser->formula->steps[parser->formula->num_steps++] = step;
}

static void add_operation(formula_parser *parser, formula_operation operation)
{
    add_step(parser, (formula_step){.operation = operation});
}

/* ---- The grammar of formula.h ----------------------------------------------------- */

static nitro_status parse_sum(formula_parser *parser);

/* A sum in parentheses. */
static nitro_status parse_nested(formula_parser *parser)
{
    if (parser->nesting == NITRO_FORMULA_MAX_NESTING)
        return fail_at(parser, parser->at, "nested more than %d deep: split the formula",
                       NITRO_FORMULA_MAX_NESTING);
    parser->nesting++;
    nitro_status status = parse_sum(parser);
    parser->nesting--;
    return status;
}

static size_t number_length(const char *text)
{
    size_t length = strspn(text, DIGITS);
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, DIGITS);
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
        size_t digits = strspn(text + length + 1 + sign, DIGITS);
        length += digits > 0 ? 1 + sign + digits : 0;
    }
    return length;
}

static nitro_status parse_number(formula_parser *parser)
{
    const char *start = parser->at;
    size_t length = number_length(start);
    char number[MAX_NUMBER_LENGTH + 1];
    double value;
    if (length > MAX_NUMBER_LENGTH)
        return fail_at(parser, start, "a number of %zu characters; %d is the limit", length,
                       MAX_NUMBER_LENGTH);
    memcpy(number, start, length);
    number[length] = '\0';
    if (!nitro_parse_number(number, &value))
        return fail_at(parser, start, "'%s' is not a finite number", number);
    parser->at += length;
    add_step(parser, (formula_step){.operation = FORMULA_CONSTANT, .constant = value});
    return NITRO_OK;
}

static const struct formula_function *find_function(const char *name, size_t length)
{
    for (size_t i = 0; i < NUM_FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return &functions[i];
    return NULL;
}

static size_t find_variable(const nitro_string_list *variables, const char *name, size_t length)
{
    for (size_t i = 0; i < variables->count; i++)
        if (strncmp(variables->items[i], name, length) == 0 && variables->items[i][length] == '\0')
            return i;
    return NITRO_NONE;
}

/* Add a name with the allowed prefix; other names stay unknown. */
static nitro_status grow_variables(formula_parser *parser, const char *start, size_t length)
{
    char name[MAX_NAME_IN_ERRORS + 1];
    if (!parser->grows || length >= sizeof(name))
        return NITRO_OK;
    snprintf(name, sizeof(name), "%.*s", (int)length, start);
    size_t prefix_length = strlen(parser->prefix);
    bool valid = prefix_length ? nitro_name_is_valid(name + prefix_length)
                               : nitro_metric_name_is_valid(name);
    if (strncmp(name, parser->prefix, prefix_length) != 0 || !valid)
        return NITRO_OK;
    return nitro_string_list_add(parser->context, parser->grows, name);
}

static nitro_status add_variable(formula_parser *parser, const char *start, size_t length)
{
    nitro_status status = NITRO_OK;
    if (find_variable(parser->variables, start, length) == NITRO_NONE)
        status = grow_variables(parser, start, length);
    if (status != NITRO_OK)
        return status;
    size_t variable = find_variable(parser->variables, start, length);
    if (variable == NITRO_NONE)
        return fail_unknown(parser, start, length);
    add_step(parser, (formula_step){.operation = FORMULA_VARIABLE, .variable = variable});
    return NITRO_OK;
}

static nitro_status parse_quoted_name(formula_parser *parser)
{
    const char *quote = parser->at;
    size_t length = strspn(quote + 1, QUOTED_CHARACTERS);
    if (length == 0 || quote[1 + length] != '`')
        return fail_at(parser, quote, "expected a name of [A-Za-z0-9_.+-] between two backquotes");
    parser->at += length + 2;
    return add_variable(parser, quote + 1, length);
}

/* Parse arguments after the opening parenthesis; `name` is the position of the function's name. */
static nitro_status parse_arguments(formula_parser *parser, const char *name,
                                    const struct formula_function *function)
{
    size_t count = 0;
    do {
        nitro_status status = parse_nested(parser);
        if (status != NITRO_OK)
            return status;
        count++;
        if (count > 1 || !function->takes_many)
            add_operation(parser, function->operation);
    } while (accept(parser, ','));
    if (!accept(parser, ')'))
        return fail_unexpected(parser, "an operator, ',' or ')'");
    if (function->takes_many && count < 2)
        return fail_at(parser, name, "%s takes two or more arguments, not one", function->name);
    if (!function->takes_many && count > 1)
        return fail_at(parser, name, "%s takes one argument, not %zu", function->name, count);
    return NITRO_OK;
}

static nitro_status fail_no_function(const formula_parser *parser, const char *start, size_t length,
                                     bool is_variable)
{
    int shown = length < MAX_NAME_IN_ERRORS ? (int)length : MAX_NAME_IN_ERRORS;
    if (is_variable)
        return fail_at(parser, start, "'%.*s' is not a function: is an operator missing after it?",
                       shown, start);
    return fail_at(parser, start, "unknown function '%.*s'; available: " FUNCTION_NAMES, shown,
                   start);
}

static nitro_status parse_word(formula_parser *parser)
{
    const char *start = parser->at;
    size_t length = strspn(start, PLAIN_CHARACTERS);
    const struct formula_function *function = find_function(start, length);
    bool is_variable = find_variable(parser->variables, start, length) != NITRO_NONE;
    parser->at += length;
    if (accept(parser, '('))
        return function ? parse_arguments(parser, start, function)
                        : fail_no_function(parser, start, length, is_variable);
    if (function && !is_variable)
        return fail_at(parser, start, "%s is a function and needs an argument, as in %s(...)",
                       function->name, function->name);
    return add_variable(parser, start, length);
}

static nitro_status parse_primary(formula_parser *parser)
{
    skip_blanks(parser);
    const char *at = parser->at;
    if (*at == '\0')
        return fail_unexpected(parser, "a number, a name or '('");
    if (strchr(DIGITS, at[0]) || (at[0] == '.' && at[1] && strchr(DIGITS, at[1])))
        return parse_number(parser);
    if (strchr(LETTERS, at[0]))
        return parse_word(parser);
    if (at[0] == '`')
        return parse_quoted_name(parser);
    if (!accept(parser, '('))
        return fail_unexpected(parser, "a number, a name or '('");
    nitro_status status = parse_nested(parser);
    if (status == NITRO_OK && !accept(parser, ')'))
        status = fail_unexpected(parser, "an operator or ')'");
    return status;
}

static nitro_status parse_factor(formula_parser *parser)
{
    bool is_negative = false, is_signed;
    do {
        bool has_minus = accept(parser, '-');
        is_negative = is_negative != has_minus;
        is_signed = has_minus || accept(parser, '+');
    } while (is_signed);
    nitro_status status = parse_primary(parser);
    if (status == NITRO_OK && is_negative)
        add_operation(parser, FORMULA_NEGATE);
    return status;
}

static nitro_status parse_product(formula_parser *parser)
{
    nitro_status status = parse_factor(parser);
    while (status == NITRO_OK) {
        bool divides = accept(parser, '/');
        if (!divides && !accept(parser, '*'))
            break;
        status = parse_factor(parser);
        if (status == NITRO_OK)
            add_operation(parser, divides ? FORMULA_DIVIDE : FORMULA_MULTIPLY);
    }
    return status;
}

static nitro_status parse_sum(formula_parser *parser)
{
    nitro_status status = parse_product(parser);
    while (status == NITRO_OK) {
        bool subtracts = accept(parser, '-');
        if (!subtracts && !accept(parser, '+'))
            break;
        status = parse_product(parser);
        if (status == NITRO_OK)
            add_operation(parser, subtracts ? FORMULA_SUBTRACT : FORMULA_ADD);
    }
    return status;
}

static nitro_status parse_all(formula_parser *parser)
{
    nitro_status status = parse_sum(parser);
    if (status == NITRO_OK && *parser->at != '\0')
        status = fail_unexpected(parser, "an operator");
    return status;
}

/* `parser` is initialised except formula and place. */
static nitro_status parse_text(formula_parser *parser, const char *text, nitro_formula **formula)
{
    nitro_context *context = parser->context;
    size_t length = strlen(text);
    if (length > NITRO_FORMULA_MAX_BYTES)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: a formula of %zu bytes; %d is the limit: split it", parser->origin,
                          length, NITRO_FORMULA_MAX_BYTES);
    nitro_formula *parsed = nitro_calloc(context, 1, sizeof(*parsed));
    if (!parsed)
        return NITRO_ERR_NO_MEMORY;
    parsed->text = nitro_strdup(context, text);
    parsed->steps = nitro_calloc(context, length, sizeof(*parsed->steps));
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (!parsed->text || !parsed->steps)
        goto free_formula;
    parser->formula = parsed;
    parser->at = parsed->text;
    status = parse_all(parser);
    if (status != NITRO_OK)
        goto free_formula;
    *formula = parsed;
    return NITRO_OK;

free_formula:
    nitro_formula_free(parsed);
    return status;
}

nitro_status nitro_formula_parse(nitro_context *context, const char *origin, const char *text,
                                 const nitro_string_list *variables, nitro_formula **formula)
{
    formula_parser parser = {.context = context, .origin = origin, .variables = variables};
    return parse_text(&parser, text, formula);
}

nitro_status nitro_formula_parse_open(nitro_context *context, const char *origin, const char *text,
                                      const char *prefix, nitro_string_list *variables,
                                      nitro_formula **formula)
{
    formula_parser parser = {.context = context,
                             .origin = origin,
                             .variables = variables,
                             .grows = variables,
                             .prefix = prefix};
    return parse_text(&parser, text, formula);
}
