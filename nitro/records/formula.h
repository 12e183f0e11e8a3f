/*
 * formula.h - formulas over named variables, for relative features. Internal to nitro/.
 *
 *     ln(nnz / (2048 * device.sm_count))          min(rows, cols) / `row-max`
 *
 * A formula is an expression (expression.h) of arithmetic alone: "+", "-", "*", "/", parentheses
 * and these functions. Names that contain + or - or begin with a digit or a dot need backquotes:
 * row-max is a difference and `row-max` a name.
 *
 *   ln(x), log(x)   natural logarithm          min(x, y, ...)   two or more
 *   log2(x)         logarithm to base 2        max(x, y, ...)   two or more
 *   sqrt(x)         square root                signed_log(x)    sign(x) ln(1 + |x|)
 *
 * A formula is undefined (NaN) if any part of it is: a variable that is NaN or infinite, a division
 * by zero, a logarithm of zero or less, a root of less than zero, an overflow. So max(ln(x), 0) is
 * undefined for x = 0, and ln(max(x, 1)) is 0.
 */
#ifndef NITRO_RECORDS_FORMULA_H
#define NITRO_RECORDS_FORMULA_H

#include "nitro/records/expression.h"

/** Maximum length. */
#define NITRO_FORMULA_MAX_BYTES 4096

/**
 * Read a formula.
 * @param[in]  origin     names the text in errors, as in "spmv.json: relative feature
 * 'rows_thread'".
 * @param[in]  variables  the names that may occur; the first of equal ones counts.
 * @param[out] formula    written on success only; holds no reference to the arguments.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY; NITRO_ERR_FORMAT: the error names origin, line and column
 *         (both from 1, columns in bytes), and for an unknown name the closest known one.
 */
nitro_status nitro_formula_parse(nitro_context *context, const char *origin, const char *text,
                                 const nitro_string_list *variables, nitro_expression **formula);
/**
 * The same if not all names are known beforehand: an unknown `prefix` followed by a valid name
 * (without prefix: a valid metric name) is appended to `variables`, possibly also on failure.
 */
nitro_status nitro_formula_parse_open(nitro_context *context, const char *origin, const char *text,
                                      const char *prefix, nitro_string_list *variables,
                                      nitro_expression **formula);

#endif
