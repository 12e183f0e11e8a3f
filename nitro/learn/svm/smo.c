/* Sequential minimal optimisation for weighted rows: LIBSVM's steps without shrinking, bit for bit.
 * Kernel columns are kept for all C: with the products of svm_kernel.c CV-DFS on 4 or 5 devices
 * is 1.9 times as fast as without both (nitro-bench smo). */
#include "nitro/learn/svm/smo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

#define MOST_COLUMN_BYTES ((size_t)16 << 20)
#define LINE_BYTES        64

struct nitro_smo {
    const nitro_smo_problem *problem;
    const nitro_smo_passes *pass;
    nitro_smo_rows rows;
    double *alpha, *upper;   /* shape [padded]: upper is C times the weight */
    float *columns;          /* shape [num_slots x padded]: kernel columns */
    const float **column_at; /* shape [num_rows]: a row's column; NULL: not gathered */
    size_t num_slots, num_used;
};

/* The last two slots are for columns that are not kept: one for each row of a pair. */
static const float *gather_column(nitro_smo *smo, size_t row, size_t spare)
{
    const nitro_smo_problem *problem = smo->problem;
    size_t count = problem->num_rows, padded = smo->rows.padded;
    bool keep = smo->num_used + 2 < smo->num_slots;
    size_t slot = keep ? smo->num_used++ : smo->num_slots - 1 - spare;
    float *column = smo->columns + slot * padded;
    problem->gather(problem->user, problem->ids[row], problem->ids, count, column);
    memset(column + count, 0, (padded - count) * sizeof *column);
    if (keep)
        smo->column_at[row] = column;
    return column;
}

static inline const float *get_column(nitro_smo *smo, size_t row, size_t spare)
{
    const float *column = smo->column_at[row];
    return column ? column : gather_column(smo, row, spare);
}

static bool is_full(const nitro_smo *smo, size_t row)
{
    return smo->alpha[row] >= smo->upper[row];
}

/** alpha[row] has changed: find which way it may still move. */
static void set_caps(nitro_smo *smo, size_t row)
{
    bool grows = !is_full(smo, row), shrinks = smo->alpha[row] > 0;
    bool is_positive = smo->problem->labels[row] > 0;
    smo->rows.up_cap[row] = (is_positive ? grows : shrinks) ? INFINITY : -INFINITY;
    smo->rows.down_cap[row] = (is_positive ? shrinks : grows) ? INFINITY : -INFINITY;
}

/* Back into the box along y_i a_i + y_j a_j = constant: here, the alphas' difference. */
static void into_box_opposite(nitro_smo *smo, size_t i, size_t j, double difference)
{
    double *alpha = smo->alpha;
    double upper_i = smo->upper[i], upper_j = smo->upper[j];
    if (difference > 0 && alpha[j] < 0) {
        alpha[j] = 0;
        alpha[i] = difference;
    } else if (difference <= 0 && alpha[i] < 0) {
        alpha[i] = 0;
        alpha[j] = -difference;
    }
    if (difference > upper_i - upper_j && alpha[i] > upper_i) {
        alpha[i] = upper_i;
        alpha[j] = upper_i - difference;
    } else if (difference <= upper_i - upper_j && alpha[j] > upper_j) {
        alpha[j] = upper_j;
        alpha[i] = upper_j + difference;
    }
}

/* Here, their sum. */
static void into_box_same(nitro_smo *smo, size_t i, size_t j, double sum)
{
    double *alpha = smo->alpha;
    double upper_i = smo->upper[i], upper_j = smo->upper[j];
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

/* The pair's new alphas; by how much y times alpha changes. */
static void step(nitro_smo *smo, size_t i, size_t j, float kernel_ij, double *change_i,
                 double *change_j)
{
    double curvature = 2.0 - 2.0 * (double)kernel_ij;
    double label_i = smo->problem->labels[i], label_j = smo->problem->labels[j];
    double old_i = smo->alpha[i], old_j = smo->alpha[j];
    curvature = curvature > 0 ? curvature : NITRO_SMO_SMALLEST_CURVATURE;
    double length = (smo->rows.violation[i] - smo->rows.violation[j]) / curvature;
    double new_i = old_i + label_i * length, new_j = old_j - label_j * length;
    smo->alpha[i] = new_i;
    smo->alpha[j] = new_j;
    if (new_i < 0 || new_j < 0 || new_i > smo->upper[i] || new_j > smo->upper[j]) {
        if (label_i != label_j)
            into_box_opposite(smo, i, j, old_i - old_j);
        else
            into_box_same(smo, i, j, old_i + old_j);
    }
    *change_i = label_i * (smo->alpha[i] - old_i);
    *change_j = label_j * (smo->alpha[j] - old_j);
    set_caps(smo, i);
    set_caps(smo, j);
}

/** All alphas 0, and the violations of that. */
static void start(nitro_smo *smo, double c)
{
    const nitro_smo_problem *problem = smo->problem;
    for (size_t k = 0; k < problem->num_rows; k++) {
        smo->alpha[k] = 0.0;
        smo->upper[k] = problem->weights ? c * problem->weights[k] : c;
        smo->rows.violation[k] = problem->labels[k];
        set_caps(smo, k);
    }
}

/* LIBSVM's bound on the number of steps. */
static size_t most_steps(size_t num_rows)
{
    size_t scaled = num_rows > SIZE_MAX / 100 ? SIZE_MAX : 100 * num_rows;
    return scaled > 10000000 ? scaled : 10000000;
}

/** Does every pair violate the optimality conditions by less than the tolerance? */
static bool is_optimal(const nitro_smo *smo, size_t second, double largest)
{
    const nitro_smo_rows *rows = &smo->rows;
    double tolerance = smo->problem->tolerance;
    if (!(largest - rows->violation[second] < tolerance))
        return false;
    for (size_t k = 0; k < smo->problem->num_rows; k++)
        if (rows->down_cap[k] > 0 && !(largest - rows->violation[k] < tolerance))
            return false;
    return true;
}

static void iterate(nitro_smo *smo)
{
    const nitro_smo_rows *rows = &smo->rows;
    double largest = smo->pass->update(rows, smo->columns, 0.0, smo->columns, 0.0);
    double change_i, change_j;
    for (size_t steps = most_steps(smo->problem->num_rows); steps > 0; steps--) {
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

/* Free support vectors all give the same threshold; their mean is taken, or the middle without any.
 */
static double threshold(const nitro_smo *smo)
{
    double upper = HUGE_VAL, lower = -HUGE_VAL, sum = 0;
    size_t num_free = 0;
    for (size_t row = 0; row < smo->problem->num_rows; row++) {
        double value = -smo->rows.violation[row];
        bool full = is_full(smo, row);
        if (!full && smo->alpha[row] > 0) {
            num_free++;
            sum += value;
        } else if (full == (smo->problem->labels[row] < 0)) {
            upper = fmin(upper, value);
        } else {
            lower = fmax(lower, value);
        }
    }
    return num_free > 0 ? sum / (double)num_free : (upper + lower) / 2;
}

void nitro_smo_solve(nitro_smo *smo, double c, double *coefficients, double *rho)
{
    start(smo, c);
    iterate(smo);
    *rho = threshold(smo);
    for (size_t row = 0; row < smo->problem->num_rows; row++)
        coefficients[row] = smo->problem->labels[row] * smo->alpha[row];
}

/** Aligned to cache lines, so that no load of a vector needs two of them; not zeroed. */
static void *allocate(nitro_context *context, size_t count, size_t size)
{
    size_t bytes = 0;
    void *memory = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - LINE_BYTES)
        memory = aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (!memory)
        nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu times %zu bytes", count, size);
    return memory;
}

static nitro_status allocate_all(nitro_context *context, nitro_smo *smo)
{
    size_t count = smo->problem->num_rows;
    size_t padded = (count + NITRO_SMO_BLOCK - 1) / NITRO_SMO_BLOCK * NITRO_SMO_BLOCK;
    size_t most_slots = MOST_COLUMN_BYTES / (padded * sizeof(float));
    smo->num_slots = (most_slots < count ? most_slots : count) + 2;
    double *doubles = allocate(context, 5 * padded, sizeof *doubles);
    float *floats = allocate(context, 2 * padded, sizeof *floats);
    smo->alpha = doubles;
    smo->rows.down_cap = floats;
    smo->columns = allocate(context, smo->num_slots, padded * sizeof(float));
    smo->column_at = nitro_calloc(context, count, sizeof *smo->column_at);
    if (!doubles || !floats || !smo->columns || !smo->column_at)
        return NITRO_ERR_NO_MEMORY;
    smo->upper = doubles + padded;
    smo->rows = (nitro_smo_rows){.padded = padded,
                                 .violation = doubles + 2 * padded,
                                 .up_cap = doubles + 3 * padded,
                                 .extremes = doubles + 4 * padded,
                                 .down_cap = floats,
                                 .decrease = floats + padded};
    memset(smo->columns, 0, padded * sizeof(float)); /* the first update reads it */
    for (size_t k = count; k < padded; k++) {
        smo->rows.violation[k] = INFINITY;
        smo->rows.up_cap[k] = -INFINITY;
        smo->rows.down_cap[k] = -INFINITY;
    }
    return NITRO_OK;
}

nitro_status nitro_smo_create(nitro_context *context, const nitro_smo_problem *problem,
                              nitro_smo **smo)
{
    nitro_smo *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->problem = problem;
    made->pass = problem->passes ? problem->passes : nitro_smo_choose_passes();
    nitro_status status = allocate_all(context, made);
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
    free(smo->rows.down_cap);
    free(smo->columns);
    free(smo->column_at);
    free(smo);
}
