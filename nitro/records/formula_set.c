/* Evaluates formulas together: values are numbered (constants, variables, results), and equal
 * subexpressions share a value.
 */
#include "nitro/records/formula_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/records/expression_program.h"

#define MAX_PLACES 512

/* One value: a constant, a variable, or an operation on two earlier values. */
typedef struct set_step {
    expression_operation operation;
    uint16_t left, right; /* values; `right` is `left` for unary operations */
} set_step;

struct nitro_formula_set {
    size_t num_constants, num_variables, num_steps, count;
    double constants[MAX_PLACES];
    uint16_t variables[MAX_PLACES]; /* which ones are read */
    set_step steps[MAX_PLACES];
    uint16_t results[NITRO_MAX_FEATURES]; /* shape [count]: places */
};

typedef struct set_place {
    set_step step;   /* CONSTANT, VARIABLE: no operands */
    double constant; /* CONSTANT */
    size_t variable; /* VARIABLE */
} set_place;

typedef struct set_maker {
    set_place places[MAX_PLACES];
    size_t num_places;
    size_t num_open;
    const double *known;
    bool is_full;
} set_maker;

static bool are_same(const set_place *a, const set_place *b)
{
    return a->step.operation == b->step.operation && a->step.left == b->step.left &&
           a->step.right == b->step.right && a->variable == b->variable &&
           memcmp(&a->constant, &b->constant, sizeof a->constant) == 0;
}

static uint16_t find_place(set_maker *maker, const set_place *wanted)
{
    for (size_t i = 0; i < maker->num_places; i++)
        if (are_same(&maker->places[i], wanted))
            return (uint16_t)i;
    if (maker->num_places == MAX_PLACES) {
        maker->is_full = true;
        return 0;
    }
    maker->places[maker->num_places] = *wanted;
    return (uint16_t)maker->num_places++;
}

static uint16_t add_constant(set_maker *maker, double value)
{
    set_place place = {.step.operation = EXPRESSION_CONSTANT, .constant = value};
    return find_place(maker, &place);
}

static uint16_t add_variable(set_maker *maker, size_t variable)
{
    if (variable >= maker->num_open) {
        double value = maker->known[variable - maker->num_open];
        return add_constant(maker, isfinite(value) ? value : (double)NAN);
    }
    set_place place = {.step.operation = EXPRESSION_VARIABLE, .variable = variable};
    return find_place(maker, &place);
}

/* NaN where undefined, which no later operation of a formula makes a number again. */
static double apply(expression_operation operation, double left, double right)
{
    double value = expression_apply(operation, left, right);
    return isfinite(value) ? value : (double)NAN;
}

static uint16_t add_operation(set_maker *maker, expression_operation operation, uint16_t left,
                              uint16_t right)
{
    const set_place *a = &maker->places[left], *b = &maker->places[right];
    if (a->step.operation == EXPRESSION_CONSTANT && b->step.operation == EXPRESSION_CONSTANT)
        return add_constant(maker, apply(operation, a->constant, b->constant));
    set_place place = {.step = {operation, left, right}};
    return find_place(maker, &place);
}

/** The value of a formula. */
static uint16_t add_formula(set_maker *maker, const nitro_expression *formula)
{
    uint16_t stack[EXPRESSION_MAX_STACK] = {0}, *top = stack;
    for (size_t i = 0; i < formula->num_steps && !maker->is_full; i++) {
        const expression_step *step = &formula->steps[i];
        if (step->operation == EXPRESSION_CONSTANT) {
            *top++ = add_constant(maker, step->constant);
        } else if (step->operation == EXPRESSION_VARIABLE) {
            *top++ = add_variable(maker, step->variable);
        } else if (expression_takes_one(step->operation)) {
            top[-1] = add_operation(maker, step->operation, top[-1], top[-1]);
        } else {
            top--;
            top[-1] = add_operation(maker, step->operation, top[-1], top[0]);
        }
    }
    return stack[0];
}

static void lay_out(const set_maker *maker, nitro_formula_set *set)
{
    uint16_t moved[MAX_PLACES];
    for (size_t i = 0; i < maker->num_places; i++)
        if (maker->places[i].step.operation == EXPRESSION_CONSTANT) {
            moved[i] = (uint16_t)set->num_constants;
            set->constants[set->num_constants++] = maker->places[i].constant;
        }
    for (size_t i = 0; i < maker->num_places; i++)
        if (maker->places[i].step.operation == EXPRESSION_VARIABLE) {
            moved[i] = (uint16_t)(set->num_constants + set->num_variables);
            set->variables[set->num_variables++] = (uint16_t)maker->places[i].variable;
        }
    for (size_t i = 0; i < maker->num_places; i++) {
        set_step step = maker->places[i].step;
        if (step.operation == EXPRESSION_CONSTANT || step.operation == EXPRESSION_VARIABLE)
            continue;
        moved[i] = (uint16_t)(set->num_constants + set->num_variables + set->num_steps);
        set->steps[set->num_steps++] =
            (set_step){step.operation, moved[step.left], moved[step.right]};
    }
    for (size_t i = 0; i < set->count; i++)
        set->results[i] = moved[set->results[i]];
}

nitro_status nitro_formula_set_create(nitro_context *context, nitro_expression *const *formulas,
                                      size_t count, size_t num_open, const double *known,
                                      nitro_formula_set **set)
{
    set_maker *maker = nitro_calloc(context, 1, sizeof *maker);
    nitro_formula_set *made = nitro_calloc(context, 1, sizeof *made);
    nitro_status status = maker && made ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    *set = NULL;
    if (status == NITRO_OK && count <= NITRO_MAX_FEATURES) {
        maker->num_open = num_open;
        maker->known = known;
        made->count = count;
        for (size_t i = 0; i < count; i++)
            made->results[i] = add_formula(maker, formulas[i]);
        if (!maker->is_full) {
            lay_out(maker, made);
            *set = made;
            made = NULL;
        }
    }
    free(maker);
    nitro_formula_set_free(made);
    return status;
}

void nitro_formula_set_free(nitro_formula_set *set)
{
    free(set);
}

void nitro_formula_set_evaluate(const nitro_formula_set *set, const double *variables,
                                double *values)
{
    double places[MAX_PLACES], *next = places;
    for (size_t i = 0; i < set->num_constants; i++)
        *next++ = set->constants[i];
    for (size_t i = 0; i < set->num_variables; i++) {
        double value = variables[set->variables[i]];
        *next++ = isfinite(value) ? value : (double)NAN;
    }
    for (size_t i = 0; i < set->num_steps; i++) {
        const set_step *step = &set->steps[i];
        *next++ = apply(step->operation, places[step->left], places[step->right]);
    }
    for (size_t i = 0; i < set->count; i++)
        values[i] = places[set->results[i]];
}
