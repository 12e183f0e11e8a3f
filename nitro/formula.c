/* Evaluation of formulas. Hides what undefined means: the first step without a finite value ends
 * it, so that no minimum, maximum or quotient can make a number of what has none. */
#include <math.h>
#include <stdlib.h>

#include "nitro/formula_program.h"

static double apply_to_one(formula_operation operation, double value)
{
    switch (operation) {
    case FORMULA_NEGATE:
        return -value;
    case FORMULA_LN:
        return log(value);
    case FORMULA_LOG2:
        return log2(value);
    case FORMULA_SQRT:
        return sqrt(value);
    case FORMULA_SIGNED_LOG:
        return copysign(log1p(fabs(value)), value);
    default:
        return NAN;
    }
}

static double apply_to_two(formula_operation operation, double left, double right)
{
    switch (operation) {
    case FORMULA_ADD:
        return left + right;
    case FORMULA_SUBTRACT:
        return left - right;
    case FORMULA_MULTIPLY:
        return left * right;
    case FORMULA_DIVIDE:
        return left / right;
    case FORMULA_MIN:
        return left < right ? left : right;
    case FORMULA_MAX:
        return left > right ? left : right;
    default:
        return NAN;
    }
}

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
            top[-1] = apply_to_one(step->operation, top[-1]);
        } else {
            top--;
            top[-1] = apply_to_two(step->operation, top[-1], top[0]);
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
