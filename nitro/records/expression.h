/*
 * expression.h - constraints and values of tuning-parameter spaces, and formulas (formula.h).
 * Internal to nitro/.
 *
 *     32 <= block_size_x * block_size_y <= 1024 and not (KWG % KWI)
 *
 * expression:  conjunction { "or" conjunction }
 * conjunction: negation { "and" negation }
 * negation:    { "not" } comparison
 * comparison:  sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }, where a < b < c is a < b and
 *              b < c
 * sum:         product { ("+" | "-") product }
 * product:     factor { ("*" | "/" | "//" | "%") factor }
 * factor:      { "+" | "-" } primary [ "**" factor ]
 * primary:     number | "True" | "False" | string | name | "(" expression ")" | function "("
 *              expression { "," expression } ")"
 * string:      characters between two ' or two "
 * name:        letter or "_", then letters, digits, "_" and "."; or any characters between
 *              backquotes. A name followed by "(" is a function's, so a variable may be called
 * "min".
 *
 * Blanks, tabs and newlines may separate tokens. The meaning is Python's: "/" is real, "//" floors,
 * "%" has the sign of its right side, "and" and "or" do not evaluate a right side that does not
 * matter. Functions are those of formula.h, abs, and ceil_div(a, b), a / b rounded up. Strings can
 * be compared by == and !=, and nothing else. An expression is undefined (NaN) where a part that is
 * evaluated is: a division by zero, a logarithm of zero or less, an overflow.
 */
#ifndef NITRO_RECORDS_EXPRESSION_H
#define NITRO_RECORDS_EXPRESSION_H

#include "nitro/nitro_backend.h"

#define NITRO_EXPRESSION_MAX_NESTING 64

/** What an expression may contain. */
typedef struct nitro_expression_names {
    const nitro_string_list *names; /* the first of equal ones counts */
    const bool *is_string;          /* shape [number of names]; NULL: none is */
    nitro_string_list *strings;     /* literals are added; a string's value is its position here */
    bool is_formula;                /* arithmetic alone: no strings, conditions, "//", "%", "**" */
    nitro_string_list *grows; /* `names` if unknown ones with `prefix` may be added, else NULL */
    const char *prefix;
} nitro_expression_names;

typedef struct nitro_expression nitro_expression;

/**
 * Read an expression.
 * @param[in] origin  names the text in errors, as in "gemm.json: condition 2".
 * @return NITRO_OK; NITRO_ERR_FORMAT: the error names origin, line and column; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_expression_parse(nitro_context *context, const char *origin, const char *text,
                                    const nitro_expression_names *names,
                                    nitro_expression **expression);
void nitro_expression_free(nitro_expression *expression);

/** The value, or NaN if undefined; a condition holds where it is neither NaN nor 0.
 * @param[in] values  shape [number of names]; only those that occur are read. */
double nitro_expression_evaluate(const nitro_expression *expression, const double *values);

/** Does the name of this index occur? */
bool nitro_expression_uses(const nitro_expression *expression, size_t name);

/**
 * The parts of a conjunction at the outermost level: the expression holds where all of them do.
 * @param[out] parts  shape [count]; the caller frees the array and each part.
 */
nitro_status nitro_expression_split(nitro_context *context, const nitro_expression *expression,
                                    nitro_expression ***parts, size_t *count);

/** A list of values, as in `[1, 2] + list(range(4, 32, 4)) + [2**i for i in range(5, 8)]`. */
typedef struct nitro_value_list {
    size_t count, capacity;
    struct nitro_listed_value {
        double number; /* of a string: its position in `strings` */
        bool is_string;
    } * items;
} nitro_value_list;

/**
 * Read a list: sums of lists, of list(range(...)) and of comprehensions over one variable.
 * @param[in,out] strings  as of nitro_expression_names.
 * @return as nitro_expression_parse; more than NITRO_MAX_PARAMETER_VALUES values are an error.
 */
nitro_status nitro_value_list_parse(nitro_context *context, const char *origin, const char *text,
                                    nitro_string_list *strings, nitro_value_list *list);

#endif
