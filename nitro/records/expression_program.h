/* expression_program.h - the compiled form of an expression, and the parser that makes it. */
#ifndef NITRO_RECORDS_EXPRESSION_PROGRAM_H
#define NITRO_RECORDS_EXPRESSION_PROGRAM_H

#include <math.h>

#include "nitro/records/expression.h"

typedef enum expression_operation {
    EXPRESSION_CONSTANT, /* push one value */
    EXPRESSION_VARIABLE,
    EXPRESSION_NEGATE, /* replace the top value */
    EXPRESSION_NOT,
    EXPRESSION_ABS,
    EXPRESSION_LN,
    EXPRESSION_LOG2,
    EXPRESSION_SQRT,
    EXPRESSION_SIGNED_LOG,
    EXPRESSION_ADD, /* replace the top two values by one */
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_FLOOR_DIVIDE,
    EXPRESSION_MODULO,
    EXPRESSION_POWER,
    EXPRESSION_MIN,
    EXPRESSION_MAX,
    EXPRESSION_CEIL_DIVIDE,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_EQUAL,
    EXPRESSION_NOT_EQUAL,
    EXPRESSION_CHAIN, /* compare as the next step says; if true, keep the right side and skip that
                         step, else leave 0 and go to `target` */
    EXPRESSION_AND,   /* if the top is 0, go to `target`; else drop it */
    EXPRESSION_OR     /* if the top is not 0, go to `target`; else drop it */
} expression_operation;

typedef struct expression_step {
    expression_operation operation;
    union {
        double constant;
        size_t variable;
        size_t target;
    };
} expression_step;

/* Each level of nesting keeps at most: a comparison's left side, a sum's, a product's, a power's, a
 * function's value so far. */
#define EXPRESSION_MAX_STACK (5 * (NITRO_EXPRESSION_MAX_NESTING + 2))

struct nitro_expression {
    size_t num_steps;
    expression_step steps[]; /* in postfix order */
};

/** As Python's float division: the quotient of what is left without the remainder is whole but for
 *  rounding. */
double expression_modulo(double left, double right);
double expression_floor_divide(double left, double right);

/** Apply an operation before EXPRESSION_CHAIN to one value (`right` is ignored) or two. */
static inline double expression_apply(expression_operation operation, double left, double right)
{
    switch (operation) {
    case EXPRESSION_NEGATE:
        return -left;
    case EXPRESSION_NOT:
        return left == 0;
    case EXPRESSION_ABS:
        return fabs(left);
    case EXPRESSION_LN:
        return log(left);
    case EXPRESSION_LOG2:
        return log2(left);
    case EXPRESSION_SQRT:
        return sqrt(left);
    case EXPRESSION_SIGNED_LOG:
        return copysign(log1p(fabs(left)), left);
    case EXPRESSION_ADD:
        return left + right;
    case EXPRESSION_SUBTRACT:
        return left - right;
    case EXPRESSION_MULTIPLY:
        return left * right;
    case EXPRESSION_DIVIDE:
        return left / right;
    case EXPRESSION_FLOOR_DIVIDE:
        return expression_floor_divide(left, right);
    case EXPRESSION_MODULO:
        return expression_modulo(left, right);
    case EXPRESSION_POWER:
        return pow(left, right);
    case EXPRESSION_MIN:
        return left < right || isnan(left) ? left : right;
    case EXPRESSION_MAX:
        return left > right || isnan(left) ? left : right;
    case EXPRESSION_CEIL_DIVIDE:
        return -expression_floor_divide(-left, right);
    case EXPRESSION_LESS:
        return left < right;
    case EXPRESSION_LESS_EQUAL:
        return left <= right;
    case EXPRESSION_GREATER:
        return left > right;
    case EXPRESSION_GREATER_EQUAL:
        return left >= right;
    case EXPRESSION_EQUAL:
        return left == right;
    case EXPRESSION_NOT_EQUAL:
        return left != right;
    default:
        return (double)NAN;
    }
}

static inline bool expression_pushes(expression_operation operation)
{
    return operation <= EXPRESSION_VARIABLE;
}

static inline bool expression_takes_one(expression_operation operation)
{
    return operation <= EXPRESSION_SIGNED_LOG && !expression_pushes(operation);
}

double expression_run(const expression_step *steps, size_t num_steps, const double *values);

typedef struct expression_parser {
    nitro_context *context;
    const char *origin;
    const char *text;
    const char *at;
    nitro_expression_names names;
    size_t nesting;
    bool is_string; /* is the expression that was parsed last a string? */
    expression_step *steps;
    size_t num_steps, capacity;
} expression_parser;

nitro_status expression_fail(const expression_parser *parser, const char *where, const char *format,
                             ...) NITRO_PRINTF(3, 4);
/** "expected WHAT, but found ...". */
nitro_status expression_fail_unexpected(const expression_parser *parser, const char *expected);
void expression_skip_blanks(expression_parser *parser);
/** Skip blanks, then the token, if it is next: words whole, characters as they are. */
bool expression_accept(expression_parser *parser, const char *token);
/** Length of the name at a position; 0: none. */
size_t expression_name_length(const char *at);
nitro_status expression_add_step(expression_parser *parser, expression_step step);
/** Read a primary of this kind, which is next. */
nitro_status expression_read_number(expression_parser *parser);
nitro_status expression_read_string(expression_parser *parser);
nitro_status expression_read_quoted_name(expression_parser *parser);
/** A variable's name of `length` bytes at `start`, where `parser->at` will be `end`. */
nitro_status expression_read_variable(expression_parser *parser, const char *start, size_t length,
                                      const char *end);
/** Parse an expression from `at` into `steps`, which were emptied; stops at the first character
 * that does not continue it. */
nitro_status expression_parse_next(expression_parser *parser);

#endif
