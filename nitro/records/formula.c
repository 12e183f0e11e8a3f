/* Formulas: expressions of arithmetic alone. */
#include <string.h>

#include "nitro/records/formula.h"

static nitro_status parse(nitro_context *context, const char *origin, const char *text,
                          const nitro_expression_names *names, nitro_expression **formula)
{
    size_t length = strlen(text);
    if (length > NITRO_FORMULA_MAX_BYTES)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: a formula of %zu bytes; %d is the limit: split it", origin, length,
                          NITRO_FORMULA_MAX_BYTES);
    return nitro_expression_parse(context, origin, text, names, formula);
}

nitro_status nitro_formula_parse(nitro_context *context, const char *origin, const char *text,
                                 const nitro_string_list *variables, nitro_expression **formula)
{
    const nitro_expression_names names = {.names = variables, .is_formula = true};
    return parse(context, origin, text, &names, formula);
}

nitro_status nitro_formula_parse_open(nitro_context *context, const char *origin, const char *text,
                                      const char *prefix, nitro_string_list *variables,
                                      nitro_expression **formula)
{
    const nitro_expression_names names = {
        .names = variables, .is_formula = true, .grows = variables, .prefix = prefix};
    return parse(context, origin, text, &names, formula);
}
