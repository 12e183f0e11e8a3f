/* Parses expressions by recursive descent into postfix steps. Bounded nesting protects the stack.
 */
#include <stdlib.h>
#include <string.h>

#include "nitro/records/expression_program.h"

static const struct expression_function {
    const char *name;
    expression_operation operation;
    bool takes_many; /* two or more arguments, else exactly one */
} functions[] = {
    {"ln", EXPRESSION_LN, false},
    {"log", EXPRESSION_LN, false},
    {"log2", EXPRESSION_LOG2, false},
    {"sqrt", EXPRESSION_SQRT, false},
    {"signed_log", EXPRESSION_SIGNED_LOG, false},
    {"min", EXPRESSION_MIN, true},
    {"max", EXPRESSION_MAX, true},
    /* Not in formulas: */
    {"abs", EXPRESSION_ABS, false},
    {"ceil_div", EXPRESSION_CEIL_DIVIDE, true},
};
#define NUM_FUNCTIONS         (sizeof(functions) / sizeof(functions[0]))
#define NUM_FORMULA_FUNCTIONS (NUM_FUNCTIONS - 2)
#define FORMULA_FUNCTIONS     "ln, log, log2, sqrt, signed_log, min, max"

/* An operator that is no prefix of a longer one. */
static bool accept_operator(expression_parser *parser, const char *token, const char *not_before)
{
    const char *before = parser->at;
    if (expression_accept(parser, token) &&
        (*parser->at == '\0' || !strchr(not_before, *parser->at)))
        return true;
    parser->at = before;
    return false;
}

static nitro_status add_operation(expression_parser *parser, expression_operation operation)
{
    return expression_add_step(parser, (expression_step){.operation = operation});
}

static nitro_status require_number(const expression_parser *parser, const char *operator)
{
    if (!parser->is_string)
        return NITRO_OK;
    return expression_fail(parser, parser->at,
                           "%s takes numbers; strings can only be compared by "
                           "== and != with strings",
                           operator);
}

/* ---- The grammar of expression.h ------------------------------------------------------------- */

static nitro_status parse_value(expression_parser *parser);
static nitro_status parse_factor(expression_parser *parser);

static nitro_status parse_nested(expression_parser *parser,
                                 nitro_status (*parse)(expression_parser *))
{
    if (parser->nesting == NITRO_EXPRESSION_MAX_NESTING)
        return expression_fail(parser, parser->at, "nested more than %d deep: split the expression",
                               NITRO_EXPRESSION_MAX_NESTING);
    parser->nesting++;
    nitro_status status = parse(parser);
    parser->nesting--;
    return status;
}

/* Arguments after the opening parenthesis; `name` is the position of the function's name. */
static nitro_status parse_arguments(expression_parser *parser, const char *name,
                                    const struct expression_function *function)
{
    size_t count = 0;
    do {
        nitro_status status = parse_nested(parser, parse_value);
        if (status == NITRO_OK)
            status = require_number(parser, function->name);
        count++;
        if (status == NITRO_OK && (count > 1 || !function->takes_many))
            status = add_operation(parser, function->operation);
        if (status != NITRO_OK)
            return status;
    } while (expression_accept(parser, ","));
    if (!expression_accept(parser, ")"))
        return expression_fail_unexpected(parser, "an operator, ',' or ')'");
    if (function->takes_many && count < 2)
        return expression_fail(parser, name, "%s takes two or more arguments, not one",
                               function->name);
    if (!function->takes_many && count > 1)
        return expression_fail(parser, name, "%s takes one argument, not %zu", function->name,
                               count);
    return NITRO_OK;
}

static nitro_status fail_no_function(const expression_parser *parser, const char *start, int length)
{
    const nitro_string_list *names = parser->names.names;
    for (size_t i = 0; i < names->count; i++)
        if (strncmp(names->items[i], start, (size_t)length) == 0 && !names->items[i][length])
            return expression_fail(parser, start,
                                   "'%.*s' is not a function: is an operator missing after it?",
                                   length, start);
    return expression_fail(parser, start, "unknown function '%.*s'; available: %s", length, start,
                           parser->names.is_formula ? FORMULA_FUNCTIONS
                                                    : FORMULA_FUNCTIONS ", abs, ceil_div");
}

static nitro_status parse_name(expression_parser *parser)
{
    const char *start = parser->at;
    size_t length = expression_name_length(start);
    size_t num_functions = parser->names.is_formula ? NUM_FORMULA_FUNCTIONS : NUM_FUNCTIONS;
    const struct expression_function *function = NULL;
    for (size_t i = 0; i < num_functions; i++)
        if (strlen(functions[i].name) == length && !strncmp(functions[i].name, start, length))
            function = &functions[i];
    parser->at += length;
    if (expression_accept(parser, "("))
        return function ? parse_arguments(parser, start, function)
                        : fail_no_function(parser, start, length < 100 ? (int)length : 100);
    nitro_status status = expression_read_variable(parser, start, length, start + length);
    return status == NITRO_ERR_FORMAT && function
               ? expression_fail(parser, start,
                                 "%s is a function and needs an argument, as in %s(...)",
                                 function->name, function->name)
               : status;
}

static bool accept_truth(expression_parser *parser, double *value)
{
    *value = expression_accept(parser, "True") ? 1 : 0;
    return *value == 1 || expression_accept(parser, "False");
}

static nitro_status parse_primary(expression_parser *parser)
{
    if (expression_accept(parser, "(")) {
        nitro_status status = parse_nested(parser, parse_value);
        if (status == NITRO_OK && !expression_accept(parser, ")"))
            return expression_fail_unexpected(parser, "an operator or ')'");
        return status;
    }
    char next = *parser->at;
    double truth;
    if (next == '`')
        return expression_read_quoted_name(parser);
    if ((next >= '0' && next <= '9') ||
        (next == '.' && parser->at[1] >= '0' && parser->at[1] <= '9'))
        return expression_read_number(parser);
    if (!parser->names.is_formula && (next == '\'' || next == '"'))
        return expression_read_string(parser);
    if (!parser->names.is_formula && accept_truth(parser, &truth)) {
        parser->is_string = false;
        return expression_add_step(
            parser, (expression_step){.operation = EXPRESSION_CONSTANT, .constant = truth});
    }
    if (expression_name_length(parser->at) > 0)
        return parse_name(parser);
    return expression_fail_unexpected(parser, "a number, a name or '('");
}

static nitro_status parse_factor(expression_parser *parser)
{
    bool negate = false, sign = false;
    for (;;) {
        if (expression_accept(parser, "-"))
            negate = !negate;
        else if (!expression_accept(parser, "+"))
            break;
        sign = true;
    }
    nitro_status status = parse_primary(parser);
    if (status == NITRO_OK && !parser->names.is_formula && expression_accept(parser, "**")) {
        status = require_number(parser, "**");
        if (status == NITRO_OK)
            status = parse_nested(parser, parse_factor);
        if (status == NITRO_OK)
            status = require_number(parser, "**");
        if (status == NITRO_OK)
            status = add_operation(parser, EXPRESSION_POWER);
    }
    if (status == NITRO_OK && sign)
        status = require_number(parser, "a sign");
    return status == NITRO_OK && negate ? add_operation(parser, EXPRESSION_NEGATE) : status;
}

static bool accept_product_operator(expression_parser *parser, const char **name,
                                    expression_operation *operation)
{
    bool is_formula = parser->names.is_formula;
    *operation = EXPRESSION_FLOOR_DIVIDE;
    if (!is_formula && expression_accept(parser, *name = "//"))
        return true;
    *operation = EXPRESSION_MULTIPLY;
    if (accept_operator(parser, *name = "*", "*"))
        return true;
    *operation = EXPRESSION_DIVIDE;
    if (expression_accept(parser, *name = "/"))
        return true;
    *operation = EXPRESSION_MODULO;
    return !is_formula && expression_accept(parser, *name = "%");
}

static bool accept_sum_operator(expression_parser *parser, const char **name,
                                expression_operation *operation)
{
    *operation = EXPRESSION_ADD;
    if (expression_accept(parser, *name = "+"))
        return true;
    *operation = EXPRESSION_SUBTRACT;
    return expression_accept(parser, *name = "-");
}

/* Operands joined by left-associative operators on numbers. */
static nitro_status
parse_joined(expression_parser *parser, nitro_status (*parse)(expression_parser *),
             bool (*accept)(expression_parser *, const char **, expression_operation *))
{
    const char *name;
    expression_operation operation;
    nitro_status status = parse(parser);
    while (status == NITRO_OK && accept(parser, &name, &operation)) {
        status = require_number(parser, name);
        if (status == NITRO_OK)
            status = parse(parser);
        if (status == NITRO_OK)
            status = require_number(parser, name);
        if (status == NITRO_OK)
            status = add_operation(parser, operation);
    }
    return status;
}

static nitro_status parse_product(expression_parser *parser)
{
    return parse_joined(parser, parse_factor, accept_product_operator);
}

static nitro_status parse_sum(expression_parser *parser)
{
    return parse_joined(parser, parse_product, accept_sum_operator);
}

static bool accept_comparison(expression_parser *parser, expression_operation *operation)
{
    static const struct {
        const char *token;
        expression_operation operation;
    } comparisons[] = {
        {"<=", EXPRESSION_LESS_EQUAL}, {">=", EXPRESSION_GREATER_EQUAL}, {"==", EXPRESSION_EQUAL},
        {"!=", EXPRESSION_NOT_EQUAL},  {"<", EXPRESSION_LESS},           {">", EXPRESSION_GREATER},
    };
    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
        if (expression_accept(parser, comparisons[i].token)) {
            *operation = comparisons[i].operation;
            return true;
        }
    return false;
}

/* The right side of a comparison, whose left one is a string or not. */
static nitro_status parse_compared(expression_parser *parser, expression_operation operation)
{
    bool left_is_string = parser->is_string;
    const char *at = parser->at;
    nitro_status status = parse_sum(parser);
    if (status != NITRO_OK)
        return status;
    if (left_is_string != parser->is_string)
        return expression_fail(parser, at, "compares a string with a number");
    if (left_is_string && operation != EXPRESSION_EQUAL && operation != EXPRESSION_NOT_EQUAL)
        return expression_fail(parser, at, "strings can only be compared by == and !=");
    return NITRO_OK;
}

/* a < b < c becomes: a, b, CHAIN, LESS, c, LESS. */
static nitro_status parse_comparison(expression_parser *parser)
{
    size_t last_chain = NITRO_NONE;
    expression_operation operation, next;
    nitro_status status = parse_sum(parser);
    if (status != NITRO_OK || !accept_comparison(parser, &operation))
        return status;
    for (;;) {
        status = parse_compared(parser, operation);
        bool more = status == NITRO_OK && accept_comparison(parser, &next);
        if (more) { /* chains are linked through `target` until their end is known */
            status = expression_add_step(
                parser, (expression_step){.operation = EXPRESSION_CHAIN, .target = last_chain});
            last_chain = parser->num_steps - 1;
        }
        if (status == NITRO_OK)
            status = add_operation(parser, operation);
        if (status != NITRO_OK)
            return status;
        if (!more)
            break;
        operation = next;
    }
    parser->is_string = false;
    while (last_chain != NITRO_NONE) {
        size_t before = parser->steps[last_chain].target;
        parser->steps[last_chain].target = parser->num_steps;
        last_chain = before;
    }
    return NITRO_OK;
}

static nitro_status parse_not(expression_parser *parser)
{
    bool negate = false, any = false;
    while (expression_accept(parser, "not")) {
        negate = !negate;
        any = true;
    }
    nitro_status status = parse_comparison(parser);
    if (status == NITRO_OK && any)
        status = require_number(parser, "not");
    if (status == NITRO_OK && any)
        status = add_operation(parser, EXPRESSION_NOT);
    return status == NITRO_OK && any && !negate ? add_operation(parser, EXPRESSION_NOT) : status;
}

/* Operands joined by "and" or "or", which jump over their right side. */
static nitro_status parse_logical(expression_parser *parser, const char *token,
                                  expression_operation operation,
                                  nitro_status (*parse)(expression_parser *))
{
    nitro_status status = parse(parser);
    while (status == NITRO_OK && expression_accept(parser, token)) {
        status = require_number(parser, token);
        size_t jump = parser->num_steps;
        if (status == NITRO_OK)
            status = add_operation(parser, operation);
        if (status == NITRO_OK)
            status = parse(parser);
        if (status == NITRO_OK)
            status = require_number(parser, token);
        if (status == NITRO_OK)
            parser->steps[jump].target = parser->num_steps;
    }
    return status;
}

static nitro_status parse_and(expression_parser *parser)
{
    return parse_logical(parser, "and", EXPRESSION_AND, parse_not);
}

static nitro_status parse_or(expression_parser *parser)
{
    return parse_logical(parser, "or", EXPRESSION_OR, parse_and);
}

static nitro_status parse_value(expression_parser *parser)
{
    return parser->names.is_formula ? parse_sum(parser) : parse_or(parser);
}

nitro_status expression_parse_next(expression_parser *parser)
{
    parser->num_steps = 0;
    return parse_value(parser);
}

/* ---- Whole expressions ----------------------------------------------------------------------- */

static nitro_expression *copy_steps(nitro_context *context, const expression_step *steps,
                                    size_t count)
{
    nitro_expression *expression =
        nitro_calloc(context, 1, sizeof(*expression) + count * sizeof(*steps));
    if (!expression)
        return NULL;
    memcpy(expression->steps, steps, count * sizeof(*steps));
    expression->num_steps = count;
    return expression;
}

nitro_status nitro_expression_parse(nitro_context *context, const char *origin, const char *text,
                                    const nitro_expression_names *names,
                                    nitro_expression **expression)
{
    expression_parser parser = {
        .context = context, .origin = origin, .text = text, .at = text, .names = *names};
    nitro_status status = expression_parse_next(&parser);
    expression_skip_blanks(&parser);
    if (status == NITRO_OK && *parser.at != '\0')
        status = expression_fail_unexpected(&parser, "an operator");
    if (status == NITRO_OK)
        status = require_number(&parser, "a condition");
    nitro_expression *parsed = NULL;
    if (status == NITRO_OK) {
        parsed = copy_steps(context, parser.steps, parser.num_steps);
        status = parsed ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    free(parser.steps);
    if (status == NITRO_OK)
        *expression = parsed;
    return status;
}

void nitro_expression_free(nitro_expression *expression)
{
    free(expression);
}

bool nitro_expression_uses(const nitro_expression *expression, size_t name)
{
    for (size_t i = 0; i < expression->num_steps; i++)
        if (expression->steps[i].operation == EXPRESSION_VARIABLE &&
            expression->steps[i].variable == name)
            return true;
    return false;
}

/* Does this step join two parts at the outermost level? Then it ends the expression, directly or by
 * way of other such steps. */
static bool ends_expression(const nitro_expression *expression, size_t step)
{
    while (step < expression->num_steps && expression->steps[step].operation == EXPRESSION_AND)
        step = expression->steps[step].target;
    return step == expression->num_steps;
}

static nitro_expression *copy_part(nitro_context *context, const nitro_expression *expression,
                                   size_t start, size_t end)
{
    nitro_expression *part = copy_steps(context, expression->steps + start, end - start);
    for (size_t i = 0; part && i < part->num_steps; i++)
        if (part->steps[i].operation >= EXPRESSION_CHAIN)
            part->steps[i].target -= start;
    return part;
}

nitro_status nitro_expression_split(nitro_context *context, const nitro_expression *expression,
                                    nitro_expression ***parts, size_t *count)
{
    nitro_expression **split = nitro_calloc(context, expression->num_steps, sizeof(*split));
    size_t made = 0, start = 0, inside = 0; /* before `inside`: within an "or" or a chain */
    if (!split)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i <= expression->num_steps; i++) {
        if (i < expression->num_steps && expression->steps[i].operation >= EXPRESSION_CHAIN &&
            expression->steps[i].operation != EXPRESSION_AND &&
            expression->steps[i].target > inside)
            inside = expression->steps[i].target;
        if (i < inside || !ends_expression(expression, i))
            continue;
        if (i < expression->num_steps && expression->steps[i].operation != EXPRESSION_AND)
            continue;
        split[made] = copy_part(context, expression, start, i);
        if (!split[made]) {
            while (made > 0)
                nitro_expression_free(split[--made]);
            free(split);
            return NITRO_ERR_NO_MEMORY;
        }
        made++;
        start = i + 1;
    }
    *parts = split;
    *count = made;
    return NITRO_OK;
}
