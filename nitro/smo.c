/* Sequential minimal optimisation for weighted rows. Kept as plain as LIBSVM's loop without
 * shrinking: the kernel is in memory already, so shrinking would save little and cost exactness. */
#include "nitro/smo.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/nitro_backend.h"

#define SMALLEST_CURVATURE 1e-12 /* LIBSVM's TAU */

typedef struct solver {
    const nitro_smo_problem *problem;
    double *alpha;
    double *gradient;
    float *column_i; /* K(x_i, .) of the two chosen rows, gathered */
    float *column_j;
} solver;

static const float *gather(const nitro_smo_problem *problem, size_t row, float *column)
{
    const float *shared = problem->kernel + problem->rows[row] * problem->kernel_size;
    for (size_t k = 0; k < problem->num_rows; k++)
        column[k] = shared[problem->rows[k]];
    return column;
}

static double diagonal(const nitro_smo_problem *problem, size_t row)
{
    return problem->kernel[problem->rows[row] * (problem->kernel_size + 1)];
}

static bool at_upper(const solver *s, size_t row)
{
    return s->alpha[row] >= s->problem->upper_bounds[row];
}

static bool at_lower(const solver *s, size_t row)
{
    return s->alpha[row] <= 0;
}

/* May alpha_row move so that y_row alpha_row grows (up), or shrinks? */
static bool may_move(const solver *s, size_t row, bool up)
{
    return (s->problem->labels[row] > 0) == up ? !at_upper(s, row) : !at_lower(s, row);
}

static double curvature(const solver *s, double kernel_ii, size_t j, float kernel_ij)
{
    double value = kernel_ii + diagonal(s->problem, j) - 2.0 * kernel_ij;
    return value > 0 ? value : SMALLEST_CURVATURE;
}

/* The pair that promises the largest decrease; false at the optimum. */
static bool select_pair(solver *s, size_t *chosen_i, size_t *chosen_j)
{
    const nitro_smo_problem *problem = s->problem;
    double largest_up = -HUGE_VAL, largest_down = -HUGE_VAL;
    size_t i = NITRO_NONE, j = NITRO_NONE;
    for (size_t k = 0; k < problem->num_rows; k++) {
        double violation = -problem->labels[k] * s->gradient[k];
        if (may_move(s, k, true) && violation >= largest_up) {
            largest_up = violation;
            i = k;
        }
    }
    if (i == NITRO_NONE)
        return false;
    const float *column = gather(problem, i, s->column_i);
    double kernel_ii = diagonal(problem, i), best_decrease = HUGE_VAL;
    for (size_t k = 0; k < problem->num_rows; k++) {
        if (!may_move(s, k, false))
            continue;
        double violation = problem->labels[k] * s->gradient[k];
        double difference = largest_up + violation;
        largest_down = fmax(largest_down, violation);
        if (difference <= 0)
            continue;
        double decrease = -(difference * difference) / curvature(s, kernel_ii, k, column[k]);
        if (decrease <= best_decrease) {
            best_decrease = decrease;
            j = k;
        }
    }
    if (j == NITRO_NONE || largest_up + largest_down < problem->tolerance)
        return false;
    *chosen_i = i;
    *chosen_j = j;
    return true;
}

/* Move along y_i a_i + y_j a_j = constant, then back into the box. */
static void step_opposite_labels(solver *s, size_t i, size_t j, double delta)
{
    double upper_i = s->problem->upper_bounds[i], upper_j = s->problem->upper_bounds[j];
    double difference = s->alpha[i] - s->alpha[j];
    s->alpha[i] += delta;
    s->alpha[j] += delta;
    if (difference > 0 && s->alpha[j] < 0) {
        s->alpha[j] = 0;
        s->alpha[i] = difference;
    } else if (difference <= 0 && s->alpha[i] < 0) {
        s->alpha[i] = 0;
        s->alpha[j] = -difference;
    }
    if (difference > upper_i - upper_j && s->alpha[i] > upper_i) {
        s->alpha[i] = upper_i;
        s->alpha[j] = upper_i - difference;
    } else if (difference <= upper_i - upper_j && s->alpha[j] > upper_j) {
        s->alpha[j] = upper_j;
        s->alpha[i] = upper_j + difference;
    }
}

static void step_same_label(solver *s, size_t i, size_t j, double delta)
{
    double upper_i = s->problem->upper_bounds[i], upper_j = s->problem->upper_bounds[j];
    double sum = s->alpha[i] + s->alpha[j];
    s->alpha[i] -= delta;
    s->alpha[j] += delta;
    if (sum > upper_i && s->alpha[i] > upper_i) {
        s->alpha[i] = upper_i;
        s->alpha[j] = sum - upper_i;
    } else if (sum <= upper_i && s->alpha[j] < 0) {
        s->alpha[j] = 0;
        s->alpha[i] = sum;
    }
    if (sum > upper_j && s->alpha[j] > upper_j) {
        s->alpha[j] = upper_j;
        s->alpha[i] = sum - upper_j;
    } else if (sum <= upper_j && s->alpha[i] < 0) {
        s->alpha[i] = 0;
        s->alpha[j] = sum;
    }
}

static void step(solver *s, size_t i, size_t j)
{
    const nitro_smo_problem *problem = s->problem;
    const signed char *labels = problem->labels;
    const float *column_j = gather(problem, j, s->column_j);
    double bend = curvature(s, diagonal(problem, i), j, s->column_i[j]);
    double old_i = s->alpha[i], old_j = s->alpha[j];
    if (labels[i] != labels[j])
        step_opposite_labels(s, i, j, (-s->gradient[i] - s->gradient[j]) / bend);
    else
        step_same_label(s, i, j, (s->gradient[i] - s->gradient[j]) / bend);
    double change_i = s->alpha[i] - old_i, change_j = s->alpha[j] - old_j;
    for (size_t k = 0; k < problem->num_rows; k++) {
        double q_ik = (double)(labels[i] * labels[k]) * s->column_i[k];
        double q_jk = (double)(labels[j] * labels[k]) * column_j[k];
        s->gradient[k] += q_ik * change_i + q_jk * change_j;
    }
}

/* Between the bounds every row gives the same threshold; take their mean, else the middle. */
static double threshold(const solver *s)
{
    double upper = HUGE_VAL, lower = -HUGE_VAL, sum = 0;
    size_t num_free = 0;
    for (size_t k = 0; k < s->problem->num_rows; k++) {
        double violation = s->problem->labels[k] * s->gradient[k];
        if (!at_upper(s, k) && !at_lower(s, k)) {
            num_free++;
            sum += violation;
        } else if (at_upper(s, k) == (s->problem->labels[k] < 0)) {
            upper = fmin(upper, violation);
        } else {
            lower = fmax(lower, violation);
        }
    }
    return num_free > 0 ? sum / (double)num_free : (upper + lower) / 2;
}

/* LIBSVM's bound on the number of steps: enough for every problem seen, and an end for the others.
 */
static size_t most_steps(size_t num_rows)
{
    size_t scaled = num_rows > SIZE_MAX / 100 ? SIZE_MAX : 100 * num_rows;
    return scaled > 10000000 ? scaled : 10000000;
}

nitro_status nitro_smo_solve(nitro_context *context, const nitro_smo_problem *problem,
                             double *coefficients, double *rho)
{
    size_t count = problem->num_rows;
    solver s = {.problem = problem,
                .alpha = nitro_calloc(context, count, sizeof(double)),
                .gradient = nitro_calloc(context, count, sizeof(double)),
                .column_i = nitro_calloc(context, count, sizeof(float)),
                .column_j = nitro_calloc(context, count, sizeof(float))};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (!s.alpha || !s.gradient || !s.column_i || !s.column_j)
        goto free_solver;
    for (size_t k = 0; k < count; k++)
        s.gradient[k] = -1;
    size_t i, j;
    for (size_t steps = most_steps(count); steps > 0 && select_pair(&s, &i, &j); steps--)
        step(&s, i, j);
    *rho = threshold(&s);
    for (size_t k = 0; k < count; k++)
        coefficients[k] = problem->labels[k] * s.alpha[k];
    status = NITRO_OK;
free_solver:
    free(s.alpha);
    free(s.gradient);
    free(s.column_i);
    free(s.column_j);
    return status;
}
