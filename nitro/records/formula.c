/* Formulas: expressions of arithmetic alone. */
#include <stdlib.h>
#include <string.h>

#include "nitro/records/formula.h"

struct nitro_formula {
    nitro_expression *program;
};

static nitro_status parse(nitro_context *context, const char *origin, const char *text,
                          const nitro_expression_names *names, nitro_formula **formula)
{
    size_t length = strlen(text);
    if (length > NITRO_FORMULA_MAX_BYTES)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: a formula of %zu bytes; %d is the limit: split it", origin, length,
                          NITRO_FORMULA_MAX_BYTES);
    nitro_formula *parsed = nitro_calloc(context, 1, sizeof(*parsed));
    if (!parsed)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_expression_parse(context, origin, text, names, &parsed->program);
    if (status == NITRO_OK)
        *formula = parsed;
    else
        nitro_formula_free(parsed);
    return status;
}

nitro_status nitro_formula_parse(nitro_context *context, const char *origin, const char *text,
                                 const nitro_string_list *variables, nitro_formula **formula)
{
    const nitro_expression_names names = {.names = variables, .is_formula = true};
    return parse(context, origin, text, &names, formula);
}

nitro_status nitro_formula_parse_open(nitro_context *context, const char *origin, const char *text,
                                      const char *prefix, nitro_string_list *variables,
                                      nitro_formula **formula)
{
    const nitro_expression_names names = {
        .names = variables, .is_formula = true, .grows = variables, .prefix = prefix};
    return parse(context, origin, text, &names, formula);
}

void nitro_formula_free(nitro_formula *formula)
{
    if (!formula)
        return;
    nitro_expression_free(formula->program);
    free(formula);
}

double nitro_formula_evaluate(const nitro_formula *formula, const double *values)
{
    return nitro_expression_evaluate(formula->program, values);
}

bool nitro_formula_uses(const nitro_formula *formula, size_t variable)
{
    return nitro_expression_uses(formula->program, variable);
}

const nitro_expression *nitro_formula_program(const nitro_formula *formula)
{
    return formula->program;
}
