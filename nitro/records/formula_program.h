/* formula_program.h - the compiled form of a formula: postfix steps on a stack of values. */
#ifndef NITRO_RECORDS_FORMULA_PROGRAM_H
#define NITRO_RECORDS_FORMULA_PROGRAM_H

#include <math.h>

#include "nitro/records/formula.h"

typedef enum formula_operation {
    FORMULA_CONSTANT, /* push one value */
    FORMULA_VARIABLE,
    FORMULA_NEGATE, /* replace the top value */
    FORMULA_LN,
    FORMULA_LOG2,
    FORMULA_SQRT,
    FORMULA_SIGNED_LOG,
    FORMULA_ADD, /* replace the top two values by one */
    FORMULA_SUBTRACT,
    FORMULA_MULTIPLY,
    FORMULA_DIVIDE,
    FORMULA_MIN,
    FORMULA_MAX
} formula_operation;

typedef struct formula_step {
    formula_operation operation;
    union {
        double constant;
        size_t variable;
    };
} formula_step;

/* Maximum stack depth. Each level of nesting keeps at most three values: the left sides of a sum
 * and a product, and the current min or max. */
#define FORMULA_MAX_VALUES (3 * (NITRO_FORMULA_MAX_NESTING + 1))

struct nitro_formula {
    char *text;
    size_t num_steps;
    formula_step *steps; /* shape [num_steps], in postfix order */
};

/** Apply an operation to one value (`right` is ignored) or two; NaN if an operand is NaN or the
 * result is not finite. */
static inline double formula_apply(formula_operation operation, double left, double right)
{
    double value = NAN;
    switch (operation) {
    case FORMULA_NEGATE:
        return -left;
    case FORMULA_LN:
        value = log(left);
        break;
    case FORMULA_LOG2:
        value = log2(left);
        break;
    case FORMULA_SQRT:
        value = sqrt(left);
        break;
    case FORMULA_SIGNED_LOG:
        return copysign(log1p(fabs(left)), left);
    case FORMULA_ADD:
        value = left + right;
        break;
    case FORMULA_SUBTRACT:
        value = left - right;
        break;
    case FORMULA_MULTIPLY:
        value = left * right;
        break;
    case FORMULA_DIVIDE:
        value = left / right;
        break;
    case FORMULA_MIN:
        value = left < right || isnan(left) ? left : right;
        break;
    case FORMULA_MAX:
        value = left > right || isnan(left) ? left : right;
        break;
    default:
        break;
    }
    return isfinite(value) ? value : (double)NAN;
}

#endif
