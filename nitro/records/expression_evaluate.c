/* Evaluates expressions: a stack machine over doubles, NaN where a part is undefined. */
#include <math.h>

#include "nitro/records/expression_program.h"

/* As Python's float division: the quotient of what is left without the remainder is whole but for
 * rounding. */
static double modulo(double left, double right)
{
    if (fabs(left) < 0x1p31 && fabs(right) < 0x1p31 && right != 0) { /* fmod() is slow */
        int32_t whole_left = (int32_t)left, whole_right = (int32_t)right;
        if (whole_left == left && whole_right == right) {
            int32_t rest = whole_left % whole_right;
            return rest != 0 && (rest < 0) != (whole_right < 0) ? rest + whole_right : rest;
        }
    }
    double remainder = fmod(left, right);
    return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

static double floor_divide(double left, double right)
{
    return right == 0 ? (double)NAN : nearbyint((left - modulo(left, right)) / right);
}

static double apply_one(expression_operation operation, double value)
{
    switch (operation) {
    case EXPRESSION_NEGATE:
        return -value;
    case EXPRESSION_NOT:
        return value == 0;
    case EXPRESSION_ABS:
        return fabs(value);
    case EXPRESSION_LN:
        return log(value);
    case EXPRESSION_LOG2:
        return log2(value);
    case EXPRESSION_SQRT:
        return sqrt(value);
    default: /* EXPRESSION_SIGNED_LOG */
        return copysign(log1p(fabs(value)), value);
    }
}

static double apply_two(expression_operation operation, double left, double right)
{
    switch (operation) {
    case EXPRESSION_ADD:
        return left + right;
    case EXPRESSION_SUBTRACT:
        return left - right;
    case EXPRESSION_MULTIPLY:
        return left * right;
    case EXPRESSION_DIVIDE:
        return left / right;
    case EXPRESSION_FLOOR_DIVIDE:
        return floor_divide(left, right);
    case EXPRESSION_MODULO:
        return modulo(left, right);
    case EXPRESSION_POWER:
        return pow(left, right);
    case EXPRESSION_MIN:
        return left < right ? left : right;
    case EXPRESSION_MAX:
        return left > right ? left : right;
    case EXPRESSION_CEIL_DIVIDE:
        return -floor_divide(-left, right);
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
    default: /* EXPRESSION_NOT_EQUAL */
        return left != right;
    }
}

double expression_run(const expression_step *steps, size_t num_steps, const double *values)
{
    double stack[EXPRESSION_MAX_STACK];
    double *end = stack; /* behind the top */
    for (size_t i = 0; i < num_steps; i++) {
        const expression_step *step = &steps[i];
        if (step->operation == EXPRESSION_CONSTANT) {
            *end++ = step->constant;
        } else if (step->operation == EXPRESSION_VARIABLE) {
            *end++ = values[step->variable];
        } else if (step->operation <= EXPRESSION_SIGNED_LOG) {
            end[-1] = apply_one(step->operation, end[-1]);
        } else if (step->operation <= EXPRESSION_NOT_EQUAL) {
            end--;
            end[-1] = apply_two(step->operation, end[-1], end[0]);
        } else if (step->operation == EXPRESSION_CHAIN) {
            end--;
            bool holds = apply_two(steps[i + 1].operation, end[-1], end[0]) != 0;
            end[-1] = holds ? end[0] : 0;
            i = holds ? i + 1 : step->target - 1;
            continue;
        } else if ((end[-1] == 0) == (step->operation == EXPRESSION_AND)) {
            i = step->target - 1;
            continue;
        } else {
            end--;
            continue;
        }
        if (!isfinite(end[-1]))
            return (double)NAN;
    }
    return stack[0];
}

double nitro_expression_evaluate(const nitro_expression *expression, const double *values)
{
    return expression_run(expression->steps, expression->num_steps, values);
}
