/* Evaluates formulas. Evaluation stops at the first step without a finite value, so that min, max
 * and division propagate undefined values.
 */
#include <math.h>
#include <stdlib.h>

#include "nitro/records/formula_program.h"

double nitro_formula_evaluate(const nitro_formula *formula, const double *values)
{
    double stack[FORMULA_MAX_VALUES];
    double *top = stack; /* one past the last value */
    for (size_t i = 0; i < formula->num_steps; i++) {
        const formula_step *step = &formula->steps[i];
        if (step->operation == FORMULA_CONSTANT) {
            *top++ = step->constant;
        } else if (step->operation == FORMULA_VARIABLE) {
            *top++ = values[step->variable];
        } else if (step->operation < FORMULA_ADD) {
            top[-1] = formula_apply(step->operation, top[-1], top[-1]);
        } else {
            top--;
            top[-1] = formula_apply(step->operation, top[-1], top[0]);
        }
        if (!isfinite(top[-1]))
            return NAN;
    }
    return stack[0];
}

bool nitro_formula_uses(const nitro_formula *formula, size_t variable)
{
    for (size_t i = 0; i < formula->num_steps; i++)
        if (formula->steps[i].operation == FORMULA_VARIABLE &&
            formula->steps[i].variable == variable)
            return true;
    return false;
}

const char *nitro_formula_text(const nitro_formula *formula)
{
    return formula->text;
}

void nitro_formula_free(nitro_formula *formula)
{
    if (!formula)
        return;
    free(formula->steps);
    free(formula->text);
    free(formula);
}
