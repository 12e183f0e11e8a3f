/* Sequential minimal optimisation for weighted rows. Kept as plain as LIBSVM's loop without
 * shrinking; hides that rows are looked at several at once, which changes no sum and no tie. */
#include "nitro/smo.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/nitro_backend.h"
#include "nitro/smo_pass.h"

#define MOST_COLUMN_BYTES ((size_t)16 << 20)
#define NO_SLOT           SIZE_MAX

struct nitro_smo {
    const nitro_smo_problem *problem;
    nitro_smo_rows rows;
    double *alpha;       /* shape [rows.padded] */
    double *upper;       /* shape [rows.padded]: C times the weight */
    float *columns;      /* shape [num_slots x rows.padded]: kernel columns, kept once gathered */
    size_t *column_slot; /* shape [num_rows]: NO_SLOT: not there */
    size_t num_slots, num_used;
    bool c_mattered;
};

/* ---- Columns ------------------------------------------------------------------------------- */

/* The last two slots are for columns that there is no room to keep: one for each row of a pair. */
static const float *get_column(nitro_smo *smo, size_t row, size_t spare)
{
    size_t slot = smo->column_slot[row];
    if (slot == NO_SLOT) {
        bool keep = smo->num_used + 2 < smo->num_slots;
        slot = keep ? smo->num_used++ : smo->num_slots - 1 - spare;
        smo->problem->gather(smo->problem->user, row, smo->columns + slot * smo->rows.padded);
        if (keep)
            smo->column_slot[row] = slot;
    }
    return smo->columns + slot * smo->rows.padded;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static bool at_upper(const nitro_smo *smo, size_t row)
{
    return smo->alpha[row] >= smo->upper[row];
}

static bool at_lower(const nitro_smo *smo, size_t row)
{
    return smo->alpha[row] <= 0;
}

/* May alpha_row move so that y_row alpha_row grows (up), or shrinks? */
static bool may_move(const nitro_smo *smo, size_t row, bool up)
{
    return (smo->problem->labels[row] > 0) == up ? !at_upper(smo, row) : !at_lower(smo, row);
}

static void set_gates(nitro_smo *smo, size_t row)
{
    smo->rows.up_gate[row] = may_move(smo, row, true) ? 0.0 : -INFINITY;
    smo->rows.down_gate[row] = may_move(smo, row, false) ? 0.0 : -INFINITY;
    smo->c_mattered |= at_upper(smo, row);
}

/* Move along y_i a_i + y_j a_j = constant, then back into the box. */
static void step_opposite_labels(nitro_smo *smo, size_t i, size_t j, double delta)
{
    double *alpha = smo->alpha, upper_i = smo->upper[i], upper_j = smo->upper[j];
    double difference = alpha[i] - alpha[j];
    alpha[i] += delta;
    alpha[j] += delta;
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

static void step_same_label(nitro_smo *smo, size_t i, size_t j, double delta)
{
    double *alpha = smo->alpha, upper_i = smo->upper[i], upper_j = smo->upper[j];
    double sum = alpha[i] + alpha[j];
    smo->c_mattered |= sum > upper_i || sum > upper_j;
    alpha[i] -= delta;
    alpha[j] += delta;
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

/* Where the pair's alphas go; by how much the y alphas change. */
static void step(nitro_smo *smo, size_t i, size_t j, float kernel_ij, double *change_i,
                 double *change_j)
{
    const signed char *labels = smo->problem->labels;
    double bend = 2.0 - 2.0 * (double)kernel_ij;
    double old_i = smo->alpha[i], old_j = smo->alpha[j];
    double gradient_i = -labels[i] * smo->rows.violation[i];
    double gradient_j = -labels[j] * smo->rows.violation[j];
    bend = bend > 0 ? bend : NITRO_SMO_SMALLEST_CURVATURE;
    if (labels[i] != labels[j])
        step_opposite_labels(smo, i, j, (-gradient_i - gradient_j) / bend);
    else
        step_same_label(smo, i, j, (gradient_i - gradient_j) / bend);
    *change_i = labels[i] * (smo->alpha[i] - old_i);
    *change_j = labels[j] * (smo->alpha[j] - old_j);
    set_gates(smo, i);
    set_gates(smo, j);
}

/* ---- The loop ------------------------------------------------------------------------------ */

/* LIBSVM's bound on the number of steps: enough for every problem seen, and an end for the others.
 */
static size_t most_steps(size_t num_rows)
{
    size_t scaled = num_rows > SIZE_MAX / 100 ? SIZE_MAX : 100 * num_rows;
    return scaled > 10000000 ? scaled : 10000000;
}

/* Returns the largest violation that may grow. */
static double start(nitro_smo *smo, double c)
{
    const nitro_smo_problem *problem = smo->problem;
    double largest = -INFINITY;
    smo->c_mattered = false;
    for (size_t k = 0; k < problem->num_rows; k++) {
        smo->alpha[k] = 0.0;
        smo->upper[k] = problem->weights ? c * problem->weights[k] : c;
        smo->rows.violation[k] = problem->labels[k];
        set_gates(smo, k);
        smo->rows.climb[k] = smo->rows.violation[k] + smo->rows.up_gate[k];
        largest = fmax(largest, smo->rows.climb[k]);
    }
    return largest;
}

/* Ties go to the last row, as in LIBSVM. */
static void iterate(nitro_smo *smo, double largest)
{
    const nitro_smo_passes *pass = nitro_smo_choose_passes();
    const nitro_smo_rows *rows = &smo->rows;
    for (size_t steps = most_steps(smo->problem->num_rows); steps > 0; steps--) {
        size_t i = pass->find_last(rows->climb, rows->padded, largest);
        if (!isfinite(largest) || i == SIZE_MAX)
            break;
        const float *column_i = get_column(smo, i, 0);
        double difference, change_i, change_j;
        double most = pass->promise(rows, column_i, largest, &difference);
        if (most <= 0.0 || difference < smo->problem->tolerance)
            break;
        size_t j = pass->find_last(rows->decrease, rows->padded, most);
        step(smo, i, j, column_i[j], &change_i, &change_j);
        largest = pass->update(rows, column_i, change_i, get_column(smo, j, 1), change_j);
    }
}

/* Between the bounds every row gives the same threshold; take their mean, else the middle. */
static double threshold(const nitro_smo *smo)
{
    double upper = HUGE_VAL, lower = -HUGE_VAL, sum = 0;
    size_t num_free = 0;
    for (size_t k = 0; k < smo->problem->num_rows; k++) {
        double value = -smo->rows.violation[k];
        if (!at_upper(smo, k) && !at_lower(smo, k)) {
            num_free++;
            sum += value;
        } else if (at_upper(smo, k) == (smo->problem->labels[k] < 0)) {
            upper = fmin(upper, value);
        } else {
            lower = fmax(lower, value);
        }
    }
    return num_free > 0 ? sum / (double)num_free : (upper + lower) / 2;
}

void nitro_smo_solve(nitro_smo *smo, double c, double *coefficients, double *rho, bool *c_mattered)
{
    iterate(smo, start(smo, c));
    *rho = threshold(smo);
    for (size_t k = 0; k < smo->problem->num_rows; k++)
        coefficients[k] = smo->problem->labels[k] * smo->alpha[k];
    *c_mattered = smo->c_mattered;
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* One block for all arrays of doubles. */
static nitro_status allocate_rows(nitro_context *context, nitro_smo *smo)
{
    size_t count = smo->problem->num_rows;
    size_t padded = (count + NITRO_SMO_LANES - 1) / NITRO_SMO_LANES * NITRO_SMO_LANES;
    smo->alpha = nitro_calloc(context, 7 * padded, sizeof(double));
    if (!smo->alpha)
        return NITRO_ERR_NO_MEMORY;
    smo->upper = smo->alpha + padded;
    smo->rows = (nitro_smo_rows){.padded = padded,
                                 .violation = smo->upper + padded,
                                 .up_gate = smo->upper + 2 * padded,
                                 .down_gate = smo->upper + 3 * padded,
                                 .climb = smo->upper + 4 * padded,
                                 .decrease = smo->upper + 5 * padded};
    for (size_t k = count; k < padded; k++)
        smo->rows.up_gate[k] = smo->rows.down_gate[k] = smo->rows.climb[k] = -INFINITY;
    return NITRO_OK;
}

static nitro_status allocate_columns(nitro_context *context, nitro_smo *smo)
{
    size_t count = smo->problem->num_rows, column_bytes = smo->rows.padded * sizeof(float);
    size_t most_slots = MOST_COLUMN_BYTES / column_bytes;
    smo->num_slots = (most_slots < count ? most_slots : count) + 2;
    smo->columns = nitro_calloc(context, smo->num_slots, column_bytes);
    smo->column_slot = nitro_calloc(context, count, sizeof(size_t));
    if (!smo->columns || !smo->column_slot)
        return NITRO_ERR_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        smo->column_slot[k] = NO_SLOT;
    return NITRO_OK;
}

nitro_status nitro_smo_create(nitro_context *context, const nitro_smo_problem *problem,
                              nitro_smo **smo)
{
    nitro_smo *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->problem = problem;
    nitro_status status = allocate_rows(context, made);
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
    free(smo->alpha);
    free(smo->columns);
    free(smo->column_slot);
    free(smo);
}
