/* Preconditioners M, about the inverse of A: Jacobi, block Jacobi, approximate inverses on A's
 * pattern, and incomplete factors without fill-in. Where a diagonal element or a small dense system
 * is singular, approximate inverses and blocks fall back to Jacobi's row, and that to 1. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "variants/solver/host/krylov.h"
#include "variants/spmv/host/spmv_kernels.h"

#define BLOCK    16 /* divides NITRO_KRYLOV_CHUNK */
#define MOST     32 /* entries of a row of an approximate inverse: those nearest to the diagonal */
#define SHORT    32 /* a row that is not searched by halves, whose branches are mispredicted */
#define SINGULAR 1e-14 /* a pivot over the greatest entry */

/* Where in a row the first entry at or after a column is. */
static int64_t find(const nitro_solver *system, int64_t row, int64_t column)
{
    int64_t low = system->row_offsets[row], high = system->row_offsets[row + 1];
    if (high - low <= SHORT) {
        int count = 0;
        for (int64_t k = low; k < high; k++)
            count += system->columns[k] < column;
        return low + count;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (system->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place of a_ii; -1: none is stored. */
static int64_t find_diagonal(const nitro_solver *system, int64_t row)
{
    int64_t at = find(system, row, row);
    return at < system->row_offsets[row + 1] && system->columns[at] == row ? at : -1;
}

static double diagonal(const nitro_solver *system, int64_t row)
{
    int64_t at = find_diagonal(system, row);
    double value = at < 0 ? 0 : system->values[at];
    return value != 0 ? value : 1;
}

/* ---- Jacobi ---- */

static int64_t jacobi_bytes(const nitro_solver *system)
{
    return system->num_rows * (int64_t)sizeof(double);
}

static void jacobi_chunk(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *d = k->factors;
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        d[i] = 1 / diagonal(k->system, i);
}

static void absolute_chunk(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *d = k->factors;
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        d[i] = fabs(1 / diagonal(k->system, i));
}

static int jacobi_set_up(nitro_krylov *k)
{
    nitro_krylov_step(k, jacobi_chunk, 0);
    return 0;
}

static int absolute_set_up(nitro_krylov *k)
{
    nitro_krylov_step(k, absolute_chunk, 0);
    return 0;
}

static void jacobi_local(const nitro_krylov *k, const double *restrict r, double *restrict z,
                         int64_t begin, int64_t end)
{
    const double *restrict d = k->factors;
    for (int64_t i = begin; i < end; i++)
        z[i] = d[i] * r[i];
}

const nitro_preconditioner nitro_krylov_jacobi = {jacobi_bytes, jacobi_set_up, jacobi_local, NULL};
const nitro_preconditioner nitro_krylov_absolute = {jacobi_bytes, absolute_set_up, jacobi_local,
                                                    NULL};

/* ---- Small dense systems ---- */

typedef struct dense {
    int size;
    double a[MOST][MOST];
} dense;

NITRO_SPMV_INLINE void subtract(double *restrict from, const double *restrict row, double factor,
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
        if (!(fabs(d->a[pivot][j]) > SINGULAR * greatest))
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

/* y = g of Cholesky's L' g = e_last: the row of the factorised inverse. */
static bool solve_factor(dense *d, double *y)
{
    int n = d->size;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = d->a[i][j];
            for (int c = 0; c < j; c++)
                sum -= d->a[i][c] * d->a[j][c];
            if (i == j && !(sum > SINGULAR * fabs(d->a[i][i])))
                return false;
            d->a[i][j] = i == j ? sqrt(sum) : sum / d->a[j][j];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            y[i] -= d->a[c][i] * y[c];
        y[i] /= d->a[i][i];
    }
    return true;
}

/* A[J, J], transposed; J ascends. */
static void gather(const nitro_solver *system, const int32_t *j, int size, dense *to)
{
    to->size = size;
    memset(to->a, 0, sizeof(to->a));
    for (int row = 0; row < size; row++) {
        int64_t k = find(system, j[row], j[0]), end = system->row_offsets[j[row] + 1];
        for (int column = 0; column < size && k < end; k++) {
            while (column < size && j[column] < system->columns[k])
                column++;
            if (column < size && j[column] == system->columns[k])
                to->a[column][row] = system->values[k];
        }
    }
}

/* ---- Block Jacobi: the inverses of dense blocks, in single precision, by columns ---- */

static int64_t bjacobi_bytes(const nitro_solver *system)
{
    return (system->num_rows + BLOCK - 1) * BLOCK * (int64_t)sizeof(float);
}

static void invert_block(const nitro_solver *system, int64_t first, int size, float *inverse)
{
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
    for (int c = 0; c < size; c++)
        for (int i = 0; i < size; i++) {
            double mirrored = is_symmetric ? rows[i * BLOCK + c] : rows[c * BLOCK + i];
            double value = i == c ? 1 / diagonal(system, first + i) : 0;
            inverse[c * BLOCK + i] =
                (float)(is_regular ? (rows[c * BLOCK + i] + mirrored) / 2 : value);
        }
}

static void bjacobi_chunk(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    (void)sums;
    for (int64_t first = begin; first < end; first += BLOCK) {
        int size = end - first < BLOCK ? (int)(end - first) : BLOCK;
        float *inverse = (float *)k->factors + first * BLOCK;
        memset(inverse, 0, BLOCK * BLOCK * sizeof(*inverse));
        invert_block(k->system, first, size, inverse);
    }
}

static int bjacobi_set_up(nitro_krylov *k)
{
    nitro_krylov_step(k, bjacobi_chunk, 0);
    return 0;
}

static void bjacobi_local(const nitro_krylov *k, const double *r, double *z, int64_t begin,
                          int64_t end)
{
    for (int64_t first = begin; first < end; first += BLOCK) {
        const float *restrict inverse = (const float *)k->factors + first * BLOCK;
        int size = end - first < BLOCK ? (int)(end - first) : BLOCK;
        double sums[BLOCK] = {0};
        for (int c = 0; c < size; c++)
            for (int i = 0; i < BLOCK; i++)
                sums[i] += (double)inverse[c * BLOCK + i] * r[first + c];
        memcpy(z + first, sums, (size_t)size * sizeof(*sums));
    }
}

const nitro_preconditioner nitro_krylov_bjacobi = {bjacobi_bytes, bjacobi_set_up, bjacobi_local,
                                                   NULL};

/* ---- Approximate inverses ---- */

/* A sparse matrix of as many rows, in the factors. */
typedef struct sparse {
    int64_t *offsets;
    double *values;
    int32_t *columns;
} sparse;

static int64_t sparse_bytes(int64_t rows, int64_t entries)
{
    return (rows + 1 + entries) * (int64_t)sizeof(double) +
           (entries + 1) / 2 * 2 * (int64_t)sizeof(int32_t);
}

static sparse lay_out(void *memory, int64_t rows, int64_t entries)
{
    int64_t *offsets = memory;
    double *values = (double *)(offsets + rows + 1);
    return (sparse){offsets, values, (int32_t *)(values + entries)};
}

/* With a diagonal that may not be stored. */
static int64_t most_entries(const nitro_solver *system)
{
    return system->num_nonzeros + system->num_rows;
}

static void multiply(const nitro_krylov *k, const sparse *by, const double *from, double *to,
                     int64_t begin, int64_t end)
{
    const nitro_spmv spmv = {.num_rows = k->n,
                             .num_cols = k->n,
                             .num_nonzeros = k->system->num_nonzeros,
                             .row_offsets = by->offsets,
                             .columns = by->columns,
                             .values = by->values,
                             .x = from,
                             .y = to};
    nitro_spmv_csr_multiply(&spmv, begin, end);
}

/* The window of a row's entries around the diagonal; *diagonal_at is where that is in it. */
static int pattern(const nitro_solver *system, int64_t row, bool is_lower, const int32_t **j,
                   int *diagonal_at)
{
    int64_t begin = system->row_offsets[row], end = system->row_offsets[row + 1];
    int64_t at = find_diagonal(system, row);
    *diagonal_at = -1;
    if (at < 0)
        return 0;
    if (is_lower)
        end = at + 1;
    int64_t before = is_lower ? MOST - 1 : MOST / 2,
            first = at - begin > before ? at - before : begin;
    *j = system->columns + first;
    *diagonal_at = (int)(at - first);
    return end - first < MOST ? (int)(end - first) : MOST;
}

static void count_rows(const nitro_krylov *k, bool is_lower, const sparse *to)
{
    const int32_t *j;
    int at;
    to->offsets[0] = 0;
    for (int64_t i = 0; i < k->n; i++) {
        int size = pattern(k->system, i, is_lower, &j, &at);
        to->offsets[i + 1] = to->offsets[i] + (size > 0 ? size : 1);
    }
}

static void inverse_row(const nitro_solver *system, int64_t row, bool is_lower, const sparse *to)
{
    const int32_t *j = NULL;
    int at, size = pattern(system, row, is_lower, &j, &at);
    double *y = to->values + to->offsets[row], value = diagonal(system, row);
    int32_t *columns = to->columns + to->offsets[row];
    dense local;
    columns[0] = (int32_t)row;
    y[0] = is_lower ? 1 / sqrt(fabs(value)) : 1 / value;
    if (size == 0)
        return;
    memcpy(columns, j, (size_t)size * sizeof(*j));
    memset(y, 0, (size_t)size * sizeof(*y));
    y[at] = 1;
    gather(system, j, size, &local);
    if (is_lower ? solve_factor(&local, y) : solve_dense(&local, y, 1))
        return;
    memset(y, 0, (size_t)size * sizeof(*y));
    y[at] = is_lower ? 1 / sqrt(fabs(value)) : 1 / value;
}

static int64_t isai_bytes(const nitro_solver *system)
{
    return sparse_bytes(system->num_rows, most_entries(system));
}

static void isai_rows(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    const sparse to = lay_out(k->factors, k->n, most_entries(k->system));
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        inverse_row(k->system, i, false, &to);
}

static int isai_set_up(nitro_krylov *k)
{
    const sparse to = lay_out(k->factors, k->n, most_entries(k->system));
    count_rows(k, false, &to);
    nitro_krylov_step(k, isai_rows, 0);
    return 0;
}

/* Which matrix the step multiplies by: k->count times its bytes behind the first one. */
static void multiply_chunk(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    int64_t entries = most_entries(k->system);
    char *memory = (char *)k->factors + k->count * sparse_bytes(k->n, entries);
    const sparse by = lay_out(memory, k->n, entries);
    (void)sums;
    multiply(k, &by, k->from, k->to, begin, end);
}

static void apply_sparse(nitro_krylov *k, int which, const double *from, double *to)
{
    int count = k->count;
    k->count = which;
    k->from = from;
    k->to = to;
    nitro_krylov_step(k, multiply_chunk, 0);
    k->count = count;
}

static void isai_apply(nitro_krylov *k, const double *r, double *z)
{
    apply_sparse(k, 0, r, z);
}

const nitro_preconditioner nitro_krylov_isai = {isai_bytes, isai_set_up, NULL, isai_apply};

/* G, its transpose, and a vector in between. */
static int64_t fsai_bytes(const nitro_solver *system)
{
    return 2 * isai_bytes(system) + jacobi_bytes(system);
}

static void fsai_rows(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    const sparse to = lay_out(k->factors, k->n, most_entries(k->system));
    (void)sums;
    for (int64_t i = begin; i < end; i++)
        inverse_row(k->system, i, true, &to);
}

static void transpose(const sparse *from, int64_t n, const sparse *to)
{
    int64_t count = from->offsets[n];
    memset(to->offsets, 0, (size_t)(n + 1) * sizeof(*to->offsets));
    for (int64_t k = 0; k < count; k++)
        to->offsets[from->columns[k] + 1]++;
    for (int64_t i = 0; i < n; i++)
        to->offsets[i + 1] += to->offsets[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from->offsets[i]; k < from->offsets[i + 1]; k++) {
            int64_t at = to->offsets[from->columns[k]]++;
            to->columns[at] = (int32_t)i;
            to->values[at] = from->values[k];
        }
    memmove(to->offsets + 1, to->offsets, (size_t)n * sizeof(*to->offsets));
    to->offsets[0] = 0;
}

static int fsai_set_up(nitro_krylov *k)
{
    int64_t entries = most_entries(k->system);
    const sparse g = lay_out(k->factors, k->n, entries);
    const sparse transposed =
        lay_out((char *)k->factors + sparse_bytes(k->n, entries), k->n, entries);
    count_rows(k, true, &g);
    nitro_krylov_step(k, fsai_rows, 0);
    transpose(&g, k->n, &transposed);
    return 0;
}

static void fsai_apply(nitro_krylov *k, const double *r, double *z)
{
    double *between = (double *)((char *)k->factors + 2 * isai_bytes(k->system));
    apply_sparse(k, 0, r, between);
    apply_sparse(k, 1, between, z);
}

const nitro_preconditioner nitro_krylov_fsai = {fsai_bytes, fsai_set_up, NULL, fsai_apply};

/* ---- Incomplete factors: L and D U on A's pattern, pivots inverted. Of a symmetric matrix they
 * are Cholesky's L D L', positive definite if all pivots are positive. ---- */

typedef struct factors {
    double *values;  /* shape [num_nonzeros] */
    int64_t *pivots; /* shape [num_rows]: their places */
    int64_t *places; /* shape [num_rows]: of a row's columns, -1: not in it */
} factors;

static int64_t ilu_bytes(const nitro_solver *system)
{
    return (system->num_nonzeros + 2 * system->num_rows) * (int64_t)sizeof(double);
}

static factors factors_of(const nitro_krylov *k)
{
    double *values = k->factors;
    int64_t *pivots = (int64_t *)(values + k->system->num_nonzeros);
    return (factors){values, pivots, pivots + k->n};
}

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

static int factorise(nitro_krylov *k, bool is_positive)
{
    nitro_solver *system = k->system;
    const factors f = factors_of(k);
    memcpy(f.values, system->values, (size_t)system->num_nonzeros * sizeof(*f.values));
    memset(f.places, 0xFF, (size_t)k->n * sizeof(*f.places));
    for (int64_t row = 0; row < k->n; row++) {
        eliminate_row(system, &f, row);
        f.pivots[row] = find_diagonal(system, row);
        double pivot = f.pivots[row] < 0 ? 0 : f.values[f.pivots[row]];
        if (pivot == 0 || !isfinite(1 / pivot) || (is_positive && pivot < 0)) {
            snprintf(system->problem, sizeof(system->problem), "the pivot of row %lld is %g",
                     (long long)row, pivot);
            return isfinite(pivot) ? NITRO_RUN_BREAKDOWN : NITRO_RUN_NOT_FINITE;
        }
        f.values[f.pivots[row]] = 1 / pivot;
    }
    return 0;
}

static int ilu_set_up(nitro_krylov *k)
{
    return factorise(k, false);
}

static int ic_set_up(nitro_krylov *k)
{
    return factorise(k, true);
}

/* One row needs those before it: serial. */
static void ilu_apply(nitro_krylov *k, const double *r, double *z)
{
    const factors f = factors_of(k);
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

const nitro_preconditioner nitro_krylov_ilu0 = {ilu_bytes, ilu_set_up, NULL, ilu_apply};
const nitro_preconditioner nitro_krylov_ic0 = {ilu_bytes, ic_set_up, NULL, ilu_apply};
