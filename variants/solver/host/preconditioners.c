/* Preconditioners M, about the inverse of A: Jacobi, block Jacobi, approximate inverses on A's
 * pattern, and incomplete factors without fill-in. Where a diagonal element or a small dense system
 * is singular, approximate inverses and blocks fall back to Jacobi's row, and that to 1. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "variants/solver/host/krylov.h"

#define BLOCK NITRO_SOLVER_BLOCK /* divides a chunk */
#define MOST  NITRO_SOLVER_MOST

/* 1 / a_ii */
static double inverse_diagonal(const nitro_solver *system, int64_t row)
{
    int64_t at = row < system->num_rows ? nitro_solver_find_entry(system, row, row) : -1;
    return at < 0 || system->values[at] == 0 ? 1 : 1 / system->values[at];
}

/* ---- Jacobi ---- */

NITRO_KRYLOV_STEP(jacobi_inverses)
{
    double *d = k->factors;
    for (int64_t i = begin * NITRO_ROWS; i < end * NITRO_ROWS; i++) {
        double inverse = inverse_diagonal(k->system, i);
        d[i] = k->preconditioner->is_positive ? fabs(inverse) : inverse;
    }
}

NITRO_KRYLOV_STEP(jacobi_local)
{
    const nitro_rows *restrict d = k->factors, *restrict from = k->from;
    nitro_rows *restrict to = k->to;
    for (int64_t i = begin; i < end; i++)
        to[i] = d[i] * from[i];
}

#define JACOBI .row_bytes = sizeof(double), .set_up_step = &jacobi_inverses, .local = &jacobi_local
const nitro_preconditioner nitro_krylov_jacobi = {JACOBI, .is_diagonal = true};
const nitro_preconditioner nitro_krylov_absolute = {JACOBI, .is_diagonal = true,
                                                    .is_positive = true};

/* ---- Small dense systems ---- */

typedef struct dense {
    int size;
    double a[MOST][MOST];
} dense;

static inline void subtract(double *restrict from, const double *restrict row, double factor,
                            int count)
{
    for (int i = 0; i < count; i++)
        from[i] -= factor * row[i];
}

static void exchange(double *restrict a, double *restrict b, int count)
{
    for (int i = 0; i < count; i++) {
        double first = a[i];
        a[i] = b[i];
        b[i] = first;
    }
}

/* Solves A y = e in place of `count` right sides, shape [size][count], by elimination with row
 * exchanges. */
static bool solve_dense(dense *d, double *y, const int count)
{
    int n = d->size;
    double greatest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            greatest = fmax(greatest, fabs(d->a[i][j]));
    for (int j = 0; j < n; j++) {
        int pivot = j;
        for (int i = j + 1; i < n; i++)
            pivot = fabs(d->a[i][j]) > fabs(d->a[pivot][j]) ? i : pivot;
        if (!(fabs(d->a[pivot][j]) > NITRO_SOLVER_SINGULAR * greatest))
            return false;
        if (pivot != j) {
            exchange(d->a[j], d->a[pivot], n);
            exchange(y + j * count, y + pivot * count, count);
        }
        for (int i = j + 1; i < n; i++) {
            double factor = d->a[i][j] / d->a[j][j];
            if (factor != 0) {
                subtract(d->a[i] + j, d->a[j] + j, factor, n - j);
                subtract(y + i * count, y + j * count, factor, count);
            }
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            subtract(y + i * count, y + c * count, d->a[i][c], count);
        for (int c = 0; c < count; c++)
            y[i * count + c] /= d->a[i][i];
    }
    return true;
}

/* A[J, J], transposed; J ascends. */
static void gather(const nitro_solver *system, const int32_t *j, int size, dense *to)
{
    to->size = size;
    for (int row = 0; row < size; row++)
        memset(to->a[row], 0, (size_t)size * sizeof(double));
    for (int row = 0; row < size; row++) {
        int64_t k = nitro_solver_find(system, j[row], j[0]), end = system->row_offsets[j[row] + 1];
        for (int column = 0; column < size && k < end; k++) {
            while (column < size && j[column] < system->columns[k])
                column++;
            if (column < size && j[column] == system->columns[k])
                to->a[column][row] = system->values[k];
        }
    }
}

/* ---- Block Jacobi: the inverses of dense blocks, in single precision, by columns ---- */

static void invert_block(const nitro_solver *system, int64_t first, float *inverse)
{
    int size = system->num_rows - first < BLOCK ? (int)(system->num_rows - first) : BLOCK;
    double rows[BLOCK * BLOCK] = {0}; /* of the transposed block's inverse: columns */
    int32_t j[BLOCK] = {0};
    dense block;
    bool is_symmetric = true;
    for (int i = 0; i < size; i++) {
        j[i] = (int32_t)(first + i);
        rows[i * BLOCK + i] = 1;
    }
    gather(system, j, size, &block);
    for (int c = 0; c < size; c++)
        for (int i = 0; i < c; i++)
            is_symmetric = is_symmetric && block.a[i][c] == block.a[c][i];
    bool is_regular = solve_dense(&block, rows, BLOCK);
    memset(inverse, 0, BLOCK * BLOCK * sizeof(*inverse));
    for (int c = 0; c < size; c++)
        for (int i = 0; i < size; i++) {
            double mirrored = rows[is_symmetric ? i * BLOCK + c : c * BLOCK + i];
            double value = i == c ? inverse_diagonal(system, first + i) : 0;
            inverse[c * BLOCK + i] =
                (float)(is_regular ? (rows[c * BLOCK + i] + mirrored) / 2 : value);
        }
}

NITRO_KRYLOV_STEP(bjacobi_inverses)
{
    for (int64_t first = begin * NITRO_ROWS; first < end * NITRO_ROWS; first += BLOCK)
        invert_block(k->system, first, (float *)k->factors + first * BLOCK);
}

NITRO_KRYLOV_STEP(bjacobi_local)
{
    typedef float quarter __attribute__((vector_size(16), may_alias));
    for (int64_t i = begin; i < end; i += BLOCK / NITRO_ROWS) {
        const float *inverse = (const float *)k->factors + i * NITRO_ROWS * BLOCK;
        const double *from = (const double *)(k->from + i);
        int groups = end - i < BLOCK / NITRO_ROWS ? (int)(end - i) : BLOCK / NITRO_ROWS;
        nitro_rows first = {0}, second = {0}, third = {0}, fourth = {0};
        for (int c = 0; c < groups * NITRO_ROWS; c++, inverse += BLOCK) {
            const quarter *column = (const quarter *)inverse;
            first += __builtin_convertvector(column[0], nitro_rows) * from[c];
            second += __builtin_convertvector(column[1], nitro_rows) * from[c];
            third += __builtin_convertvector(column[2], nitro_rows) * from[c];
            fourth += __builtin_convertvector(column[3], nitro_rows) * from[c];
        }
        const nitro_rows all[] = {first, second, third, fourth};
        memcpy(k->to + i, all, (size_t)groups * sizeof(*all));
    }
}

const nitro_preconditioner nitro_krylov_bjacobi = {
    .row_bytes = BLOCK * sizeof(float), .set_up_step = &bjacobi_inverses, .local = &bjacobi_local};

/* ---- Factors and inverses on A's pattern ---- */

typedef struct factors {
    double *values;  /* shape [num_nonzeros] */
    int64_t *pivots; /* shape [num_rows]: places of the diagonal's elements; -1: none is stored */
    union {
        int64_t *places; /* shape [num_rows]: of a row's columns, -1: not in it */
        double *between; /* shape [num_rows]: of two products */
    };
} factors;

#define ON_PATTERN .entry_bytes = sizeof(double), .row_bytes = 2 * sizeof(int64_t)

static factors factors_of(const nitro_krylov *k)
{
    double *values = k->factors;
    int64_t *pivots = (int64_t *)(values + k->system->num_nonzeros);
    return (factors){values, pivots, {pivots + k->n}};
}

/* ---- Approximate inverses: rows m of M with m A[J, J] = e, J the pattern of A's row. The
 * factorised one is G' G: rows of G likewise on the lower triangle, over the root of the diagonal's
 * element (Kolotilina and Yeremin, 1993); the upper triangle has the transpose. ---- */

enum { WHOLE, LOWER, UPPER };

static void inverse_row(const nitro_solver *system, const factors *f, int64_t row, bool is_lower)
{
    int64_t pivot = f->pivots[row], before = is_lower ? MOST - 1 : MOST / 2;
    int64_t first = system->row_offsets[row], end = system->row_offsets[row + 1];
    double y[MOST] = {0};
    dense local;
    if (pivot < 0)
        return;
    if (is_lower)
        end = pivot + 1;
    first = pivot - first > before ? pivot - before : first;
    int size = end - first < MOST ? (int)(end - first) : MOST;
    double *own = &y[pivot - first];
    *own = 1;
    gather(system, system->columns + first, size, &local);
    if (!solve_dense(&local, y, 1) || (is_lower && !(*own > 0))) {
        memset(y, 0, sizeof(y));
        *own = inverse_diagonal(system, row);
    }
    double root = is_lower ? sqrt(fabs(*own)) : 1;
    for (int i = 0; i < size; i++) {
        f->values[first + i] = y[i] / root;
        int32_t other = system->columns[first + i];
        int64_t mirrored = is_lower ? nitro_solver_find_entry(system, other, row) : -1;
        if (mirrored >= 0)
            f->values[mirrored] = y[i] / root;
    }
}

NITRO_KRYLOV_STEP(inverse_rows)
{
    const factors f = factors_of(k);
    for (int64_t i = begin * NITRO_ROWS; i < end * NITRO_ROWS && i < k->n; i++) {
        f.pivots[i] = nitro_solver_find_entry(k->system, i, i);
        inverse_row(k->system, &f, i, k->preconditioner->is_positive);
    }
}

static int inverse_set_up(nitro_krylov *k)
{
    memset(k->factors, 0, (size_t)k->system->num_nonzeros * sizeof(double));
    return 0;
}

/* A row without a diagonal element is 1. k->part: of which part. */
NITRO_KRYLOV_STEP(inverse_product)
{
    const factors f = factors_of(k);
    const double *restrict from = (const double *)k->from;
    const int32_t *restrict columns = k->system->columns;
    double *restrict to = (double *)k->to;
    for (int64_t i = begin * NITRO_ROWS; i < end * NITRO_ROWS && i < k->n; i++) {
        int64_t pivot = f.pivots[i];
        int64_t at = k->part == UPPER ? pivot : k->system->row_offsets[i];
        int64_t last = k->part == LOWER ? pivot + 1 : k->system->row_offsets[i + 1];
        double sum = pivot < 0 ? from[i] : 0;
        for (; at < last && pivot >= 0; at++)
            sum += f.values[at] * from[columns[at]];
        to[i] = sum;
    }
}

static void multiply_by(nitro_krylov *k, int part, const void *from, void *to)
{
    k->part = part;
    k->from = from;
    k->to = to;
    nitro_krylov_do(k, inverse_product, 0);
}

static void inverse_apply(nitro_krylov *k, const nitro_rows *from, nitro_rows *to)
{
    const factors f = factors_of(k);
    if (!k->preconditioner->is_positive) {
        multiply_by(k, WHOLE, from, to);
        return;
    }
    multiply_by(k, LOWER, from, f.between);
    multiply_by(k, UPPER, f.between, to);
}

#define INVERSE                                                                                    \
    ON_PATTERN, .set_up = inverse_set_up, .set_up_step = &inverse_rows, .apply = inverse_apply
const nitro_preconditioner nitro_krylov_isai = {INVERSE};
const nitro_preconditioner nitro_krylov_fsai = {INVERSE, .is_positive = true};

/* ---- Incomplete factors: L and D U on A's pattern, pivots inverted. Of a symmetric matrix they
 * are Cholesky's L D L', positive definite if all pivots are positive. ---- */

static void eliminate_row(const nitro_solver *system, const factors *f, int64_t row)
{
    const int32_t *columns = system->columns;
    int64_t begin = system->row_offsets[row], end = system->row_offsets[row + 1];
    for (int64_t k = begin; k < end; k++)
        f->places[columns[k]] = k;
    for (int64_t k = begin; k < end && columns[k] < row; k++) {
        int64_t above = f->pivots[columns[k]], stop = system->row_offsets[columns[k] + 1];
        f->values[k] *= f->values[above];
        for (int64_t at = above + 1; at < stop; at++)
            if (f->places[columns[at]] >= 0)
                f->values[f->places[columns[at]]] -= f->values[k] * f->values[at];
    }
    for (int64_t k = begin; k < end; k++)
        f->places[columns[k]] = -1;
}

int nitro_solver_refuse_pivot(nitro_solver *system, int64_t row, double pivot)
{
    snprintf(system->problem, sizeof(system->problem), "the pivot of row %lld is %g",
             (long long)row, pivot);
    return isfinite(pivot) ? NITRO_RUN_BREAKDOWN : NITRO_RUN_NOT_FINITE;
}

static int factorise(nitro_krylov *k)
{
    nitro_solver *system = k->system;
    const factors f = factors_of(k);
    memcpy(f.values, system->values, (size_t)system->num_nonzeros * sizeof(*f.values));
    memset(f.places, 0xFF, (size_t)k->n * sizeof(*f.places));
    for (int64_t row = 0; row < k->n; row++) {
        eliminate_row(system, &f, row);
        f.pivots[row] = nitro_solver_find_entry(system, row, row);
        double pivot = f.pivots[row] < 0 ? 0 : f.values[f.pivots[row]];
        if (pivot == 0 || !isfinite(1 / pivot) || (k->preconditioner->is_positive && pivot < 0))
            return nitro_solver_refuse_pivot(system, row, pivot);
        f.values[f.pivots[row]] = 1 / pivot;
    }
    return 0;
}

/* One row needs those before it: serial. */
static void solve_factors(nitro_krylov *k, const nitro_rows *from, nitro_rows *to)
{
    const factors f = factors_of(k);
    const double *r = (const double *)from;
    double *z = (double *)to;
    const int64_t *offsets = k->system->row_offsets;
    const int32_t *columns = k->system->columns;
    for (int64_t row = 0; row < k->n; row++) {
        double sum = r[row];
        for (int64_t at = offsets[row]; at < f.pivots[row]; at++)
            sum -= f.values[at] * z[columns[at]];
        z[row] = sum;
    }
    for (int64_t row = k->n - 1; row >= 0; row--) {
        double sum = z[row];
        for (int64_t at = f.pivots[row] + 1; at < offsets[row + 1]; at++)
            sum -= f.values[at] * z[columns[at]];
        z[row] = sum * f.values[f.pivots[row]];
    }
}

#define FACTORS ON_PATTERN, .set_up = factorise, .apply = solve_factors
const nitro_preconditioner nitro_krylov_ilu0 = {FACTORS};
const nitro_preconditioner nitro_krylov_ic0 = {FACTORS, .is_positive = true};
