/* Sequential minimal optimisation for weighted rows: LIBSVM's steps without shrinking, each of them
 * to the last bit. Hides that rows are sorted now and then, so that a step looks at few of them. */
#include "nitro/learn/svm/smo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/svm/smo_active_order.h"
#include "nitro/nitro_backend.h"

#define MOST_COLUMN_BYTES ((size_t)16 << 20)

struct nitro_smo {
    const nitro_smo_problem *problem;
    const nitro_smo_passes *pass;
    nitro_smo_order order;
    float *columns; /* shape [num_slots x padded]: kernel columns in the lineup's order, kept once
                       gathered */
    float *spare_column;
    const float **column_at; /* shape [num_rows], by where the row lies; NULL: not there */
    const float **spare_at;
    size_t num_slots, num_used;
    size_t num_in_vain; /* rows that steps would not have looked at, had rows been sorted */
    bool c_mattered;
};

/* ---- Columns ------------------------------------------------------------------------------- */

static float *slot_begin(const nitro_smo *smo, size_t slot)
{
    return smo->columns + slot * smo->order.rows.padded;
}

/* The last two slots are for columns that there is no room to keep: one for each row of a pair. */
static const float *gather_column(nitro_smo *smo, size_t at, size_t spare)
{
    const nitro_smo_rows *rows = &smo->order.rows;
    size_t count = smo->problem->num_rows;
    bool keep = smo->num_used + 2 < smo->num_slots;
    float *column = slot_begin(smo, keep ? smo->num_used++ : smo->num_slots - 1 - spare);
    smo->problem->gather(smo->problem->user, smo->order.names[at], smo->order.names, count, column);
    memset(column + count, 0, (rows->padded - count) * sizeof *column);
    if (keep)
        smo->column_at[at] = column;
    return column;
}

static inline const float *get_column(nitro_smo *smo, size_t at, size_t spare)
{
    const float *column = smo->column_at[at];
    return column ? column : gather_column(smo, at, spare);
}

static void move_columns(nitro_smo *smo, const size_t *came_from)
{
    size_t count = smo->problem->num_rows;
    for (size_t slot = 0; slot < smo->num_used; slot++) {
        float *column = slot_begin(smo, slot);
        memcpy(smo->spare_column, column, count * sizeof *column);
        for (size_t k = 0; k < count; k++)
            column[k] = smo->spare_column[came_from[k]];
    }
    memcpy(smo->spare_at, smo->column_at, count * sizeof(*smo->spare_at));
    for (size_t k = 0; k < count; k++)
        smo->column_at[k] = smo->spare_at[came_from[k]];
}

/** Nothing has changed, but the passes have not seen the rows as they lie. */
static double initial_gradient(const nitro_smo *smo)
{
    return smo->pass->update(&smo->order.rows, smo->columns, 0.0, smo->columns, 0.0);
}

/** Sort once that would have paid: it takes about as long as looking at so many rows. */
static void keep_sorted(nitro_smo *smo)
{
    size_t sorting = 2 * smo->problem->num_rows * (smo->num_used + 60);
    smo->num_in_vain += nitro_smo_order_excess(&smo->order);
    if (smo->num_in_vain <= sorting)
        return;
    move_columns(smo, nitro_smo_order_sort(&smo->order));
    initial_gradient(smo);
    smo->num_in_vain = 0;
}

/* ---- Steps --------------------------------------------------------------------------------- */

/* Along y_i a_i + y_j a_j = constant, which here is the alphas' difference. */
static void into_box_opposite(nitro_smo *smo, size_t i, size_t j, double difference)
{
    double *alpha = smo->order.alpha;
    double upper_i = smo->order.upper[i], upper_j = smo->order.upper[j];
    if (difference > 0 && alpha[j] < 0) {
        alpha[j] = 0;
        alpha[i] = difference;
    } else if (difference <= 0 && alpha[i] < 0) {
        alpha[i] = 0;
        alpha[j] = -difference;
    }
    smo->c_mattered |= upper_i != upper_j || alpha[i] > upper_i || alpha[j] > upper_j;
    if (difference > upper_i - upper_j && alpha[i] > upper_i) {
        alpha[i] = upper_i;
        alpha[j] = upper_i - difference;
    } else if (difference <= upper_i - upper_j && alpha[j] > upper_j) {
        alpha[j] = upper_j;
        alpha[i] = upper_j + difference;
    }
}

/* Here it is their sum. */
static void into_box_same(nitro_smo *smo, size_t i, size_t j, double sum)
{
    double *alpha = smo->order.alpha;
    double upper_i = smo->order.upper[i], upper_j = smo->order.upper[j];
    smo->c_mattered |= sum > upper_i || sum > upper_j;
    if (sum > upper_i && alpha[i] > upper_i) {
        alpha[i] = upper_i;
        alpha[j] = sum - upper_i;
    } else if (sum <= upper_i && alpha[j] < 0) {
        alpha[j] = 0;
        alpha[i] = sum;
    }
    if (sum > upper_j && alpha[j] > upper_j) {
        alpha[j] = upper_j;
        alpha[i] = sum - upper_j;
    } else if (sum <= upper_j && alpha[i] < 0) {
        alpha[i] = 0;
        alpha[j] = sum;
    }
}

static void settle(nitro_smo *smo, size_t at)
{
    nitro_smo_order_settle(&smo->order, at);
    smo->c_mattered |= smo->order.bounds[at] > 0;
}

/* Where the pair's alphas go; by how much the y alphas change. */
static void step(nitro_smo *smo, size_t i, size_t j, float kernel_ij, double *change_i,
                 double *change_j)
{
    const nitro_smo_order *l = &smo->order;
    double curvature = 2.0 - 2.0 * (double)kernel_ij, label_i = l->labels[i],
           label_j = l->labels[j];
    double old_i = l->alpha[i], old_j = l->alpha[j];
    curvature = curvature > 0 ? curvature : NITRO_SMO_SMALLEST_CURVATURE;
    double length = (l->rows.violation[i] - l->rows.violation[j]) / curvature;
    double new_i = old_i + label_i * length, new_j = old_j - label_j * length;
    l->alpha[i] = new_i;
    l->alpha[j] = new_j;
    if (new_i < 0 || new_j < 0 || new_i > l->upper[i] || new_j > l->upper[j]) {
        if (label_i != label_j)
            into_box_opposite(smo, i, j, old_i - old_j);
        else
            into_box_same(smo, i, j, old_i + old_j);
        new_i = l->alpha[i];
        new_j = l->alpha[j];
    }
    *change_i = label_i * (new_i - old_i);
    *change_j = label_j * (new_j - old_j);
    settle(smo, i);
    settle(smo, j);
}

/* ---- The loop ------------------------------------------------------------------------------ */

/* LIBSVM's bound on the number of steps: enough for every problem seen, and an end for the others.
 */
static size_t most_steps(size_t num_rows)
{
    size_t scaled = num_rows > SIZE_MAX / 100 ? SIZE_MAX : 100 * num_rows;
    return scaled > 10000000 ? scaled : 10000000;
}

/** Does every pair violate the optimality conditions by less than the tolerance? */
static bool is_optimal(const nitro_smo *smo, size_t second, double largest)
{
    const nitro_smo_rows *rows = &smo->order.rows;
    double tolerance = smo->problem->tolerance;
    if (!(largest - rows->violation[second] < tolerance))
        return false;
    for (size_t k = rows->down_begin; k < rows->padded; k++)
        if (rows->down_cap[k] > 0 && !(largest - rows->violation[k] < tolerance))
            return false;
    return true;
}

static void iterate(nitro_smo *smo)
{
    const nitro_smo_rows *rows = &smo->order.rows;
    double largest = initial_gradient(smo), change_i, change_j;
    for (size_t steps = most_steps(smo->problem->num_rows); steps > 0; steps--) {
        keep_sorted(smo);
        if (!isfinite(largest))
            break;
        size_t i = smo->pass->find_first(rows, largest);
        const float *column_i = get_column(smo, i, 0);
        size_t j = smo->pass->find_second(rows, column_i, largest);
        if (j == SIZE_MAX || is_optimal(smo, j, largest))
            break;
        step(smo, i, j, column_i[j], &change_i, &change_j);
        largest = smo->pass->update(rows, column_i, change_i, get_column(smo, j, 1), change_j);
    }
}

/* Between the bounds every row gives the same threshold; take their mean, else the middle. Added up
 * in the problem's order. */
static double threshold(const nitro_smo_order *l)
{
    double upper = HUGE_VAL, lower = -HUGE_VAL, sum = 0;
    size_t num_free = 0;
    for (size_t row = 0; row < l->problem->num_rows; row++) {
        size_t k = l->lies_at[row];
        double value = -l->rows.violation[k];
        if (l->bounds[k] == 0) {
            num_free++;
            sum += value;
        } else if ((l->bounds[k] > 0) == (l->labels[k] < 0)) {
            upper = fmin(upper, value);
        } else {
            lower = fmax(lower, value);
        }
    }
    return num_free > 0 ? sum / (double)num_free : (upper + lower) / 2;
}

void nitro_smo_solve(nitro_smo *smo, double c, double *coefficients, double *rho, bool *c_mattered)
{
    const nitro_smo_problem *problem = smo->problem;
    smo->c_mattered = false;
    smo->num_in_vain = 0;
    nitro_smo_order_start(&smo->order, c);
    iterate(smo);
    *rho = threshold(&smo->order);
    for (size_t row = 0; row < problem->num_rows; row++)
        coefficients[row] = problem->labels[row] * smo->order.alpha[smo->order.lies_at[row]];
    *c_mattered = smo->c_mattered;
}

/* ---- Memory -------------------------------------------------------------------------------- */

static nitro_status allocate_columns(nitro_context *context, nitro_smo *smo)
{
    size_t count = smo->problem->num_rows, padded = smo->order.rows.padded;
    size_t most_slots = MOST_COLUMN_BYTES / (padded * sizeof(float));
    smo->num_slots = (most_slots < count ? most_slots : count) + 2;
    smo->columns = nitro_smo_alloc(context, smo->num_slots, padded * sizeof(float));
    smo->spare_column = nitro_calloc(context, padded, sizeof(float));
    smo->column_at = nitro_calloc(context, 2 * count, sizeof *smo->column_at);
    if (!smo->columns || !smo->spare_column || !smo->column_at)
        return NITRO_ERR_NO_MEMORY;
    smo->spare_at = smo->column_at + count;
    memset(smo->columns, 0, padded * sizeof(float)); /* surveys read it before it is gathered */
    return NITRO_OK;
}

nitro_status nitro_smo_create(nitro_context *context, const nitro_smo_problem *problem,
                              nitro_smo **smo)
{
    nitro_smo *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->problem = problem;
    made->pass = nitro_smo_choose_passes();
    nitro_status status = nitro_smo_order_create(context, problem, &made->order);
    if (status == NITRO_OK)
        status = allocate_columns(context, made);
    if (status == NITRO_OK)
        *smo = made;
    else
        nitro_smo_free(made);
    return status;
}

void nitro_smo_free(nitro_smo *smo)
{
    if (!smo)
        return;
    nitro_smo_order_free(&smo->order);
    free(smo->columns);
    free(smo->spare_column);
    free(smo->column_at);
    free(smo);
}
