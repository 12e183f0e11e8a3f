/* Evaluates expressions: a stack machine over doubles, NaN where a part is undefined. */
#include <math.h>

#include "nitro/records/expression_program.h"

double expression_modulo(double left, double right)
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

double expression_floor_divide(double left, double right)
{
    return right == 0 ? (double)NAN : nearbyint((left - expression_modulo(left, right)) / right);
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
            end[-1] = expression_apply(step->operation, end[-1], 0);
        } else if (step->operation <= EXPRESSION_NOT_EQUAL) {
            end--;
            end[-1] = expression_apply(step->operation, end[-1], end[0]);
        } else if (step->operation == EXPRESSION_CHAIN) {
            end--;
            bool holds = expression_apply(steps[i + 1].operation, end[-1], end[0]) != 0;
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
