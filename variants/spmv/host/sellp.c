/* sellp: slices of 32 rows, each padded to its own longest row, column-major within the slice, so
 * that SIMD runs over rows and all sums of a slice stay in registers. Slices are divided among
 * threads by their slots. One long row pads 31 others: see `allows`.
 *
 * sell_c_sigma (Kreutzer et al., SISC 2014): rows are sorted by length first, within windows, so
 * that those of a slice are about equally long. Threads that share a window write to the same cache
 * lines of y, hence windows of small matrices are smaller. */
#include "variants/spmv/host/spmv_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_ROWS  NITRO_SPMV_SLICE_ROWS
#define SLICE_LANES (SLICE_ROWS / NITRO_SPMV_LANES)
#define MAX_FILLIN  12
#define NS_PER_SLOT 0.3
#define MAX_SLOTS   INT32_MAX /* 24 GiB */
#define LONG_ROW    1024      /* entries */
#define NS_PER_ROW  5         /* to sort */

/*
 * The features bound the slots: a slice's longest row is at most its mean plus the root of the
 * squared deviations in it, and by Cauchy-Schwarz over slices the fill-in is then at most
 * 1 + sqrt(SLICE_ROWS) * rlsd. Slices are also never wider than ELL.
 */
static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    double by_deviation = 1 + sqrt(SLICE_ROWS) * features[NITRO_SPMV_RLSD];
    double fillin = fmin(by_deviation, features[NITRO_SPMV_ELL_FILLIN]);
    return fillin <= MAX_FILLIN && fillin * features[NITRO_SPMV_NNZ] <= MAX_SLOTS;
}

/* There are about sixteen windows, but each has 256 rows at least, and 4096 at most, whose x and y
 * stay in a near cache. */
#define NUM_WINDOWS 16
#define LEAST_ROWS  256
#define MOST_ROWS   4096

int64_t nitro_spmv_window_rows(int64_t num_rows)
{
    int64_t rows = (num_rows / NUM_WINDOWS / SLICE_ROWS + 1) * SLICE_ROWS;
    rows = rows > LEAST_ROWS ? rows : LEAST_ROWS;
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

/*
 * Sorted, the longest row of a slice is no longer than the shortest of the slice before: beyond the
 * first slice of each window the slots are no more than the window's entries. Nor are they ever
 * more than unsorted.
 */
static bool allows_sorted(const double *features, const void *argument, void *user)
{
    double rows = features[NITRO_SPMV_ROWS];
    double windows = ceil(rows / (double)nitro_spmv_window_rows((int64_t)rows));
    double slots = features[NITRO_SPMV_NNZ] + windows * SLICE_ROWS * features[NITRO_SPMV_ROW_MAX];
    return (slots <= MAX_FILLIN * features[NITRO_SPMV_NNZ] && slots <= MAX_SLOTS) ||
           allows(features, argument, user);
}

/* A format and its matrix. */
typedef struct product {
    const nitro_spmv *spmv;
    nitro_spmv_sellp *sellp;
    nitro_spmv_access access;
} product;

/* ---- Order of the rows ---- */

/* By falling length. */
static int64_t bucket_of(int64_t length)
{
    return length < LONG_ROW ? LONG_ROW - length : 0;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

static int64_t length_of(const nitro_spmv *spmv, int64_t row)
{
    return spmv->row_offsets[row + 1] - spmv->row_offsets[row];
}

static void sort_long_rows(const nitro_spmv *spmv, int32_t *rows, int64_t count)
{
    uint64_t keys[MOST_ROWS];
    for (int64_t i = 0; i < count; i++)
        keys[i] = (uint64_t)(INT32_MAX - length_of(spmv, rows[i])) << 32 | (uint64_t)rows[i];
    qsort(keys, (size_t)count, sizeof(*keys), compare_keys);
    for (int64_t i = 0; i < count; i++)
        rows[i] = (int32_t)(keys[i] & UINT32_MAX);
}

/* Longer rows first, equal ones in order: counted by length, all long ones as one. */
static void sort_window(const nitro_spmv *spmv, int64_t begin, int64_t end, int32_t *rows)
{
    int32_t starts[LONG_ROW + 2] = {0};
    for (int64_t row = begin; row < end; row++)
        starts[bucket_of(length_of(spmv, row)) + 1]++;
    for (int64_t bucket = 0; bucket <= LONG_ROW; bucket++)
        starts[bucket + 1] += starts[bucket];
    for (int64_t row = begin; row < end; row++)
        rows[begin + starts[bucket_of(length_of(spmv, row))]++] = (int32_t)row;
    sort_long_rows(spmv, rows + begin, starts[0]);
}

static void sort_part(const void *state, int part, int parts)
{
    const product *p = state;
    int64_t rows = p->spmv->num_rows, window_rows = nitro_spmv_window_rows(rows);
    int64_t num_windows = (rows + window_rows - 1) / window_rows;
    int64_t end = nitro_host_split_evenly(num_windows, part + 1, parts);
    for (int64_t w = nitro_host_split_evenly(num_windows, part, parts); w < end; w++) {
        int64_t window_end = (w + 1) * window_rows;
        sort_window(p->spmv, w * window_rows, window_end < rows ? window_end : rows,
                    p->sellp->rows);
    }
}

/* Are the rows sorted as they come, as those of equal length are? */
static bool come_sorted(const nitro_spmv *spmv)
{
    int64_t window_rows = nitro_spmv_window_rows(spmv->num_rows);
    for (int64_t row = 1; row < spmv->num_rows; row++)
        if (row % window_rows != 0 && length_of(spmv, row) > length_of(spmv, row - 1))
            return false;
    return true;
}

static int sort_rows(const nitro_spmv *spmv, nitro_spmv_sellp *sellp)
{
    if (come_sorted(spmv))
        return 0; /* they stay in order, and y is written as in sellp */
    sellp->num_sorted = spmv->num_rows;
    sellp->rows = nitro_host_allocate(spmv->num_rows, sizeof(*sellp->rows));
    if (!sellp->rows)
        return NITRO_ERR_NO_MEMORY;
    nitro_host_run_parts(sort_part, &(product){.spmv = spmv, .sellp = sellp},
                         nitro_host_num_parts(NS_PER_ROW * (double)spmv->num_rows));
    return 0;
}

/* ---- Filling ---- */

/* The entries of what is the `position`-th row of the format; none past the end. */
static int64_t find_row(const product *p, int64_t position, int64_t *length)
{
    *length = 0;
    if (position >= p->spmv->num_rows)
        return 0;
    int64_t row = p->sellp->num_sorted > 0 ? p->sellp->rows[position] : position;
    *length = p->spmv->row_offsets[row + 1] - p->spmv->row_offsets[row];
    return p->spmv->row_offsets[row];
}

static int measure_slices(const nitro_spmv *spmv, nitro_spmv_sellp *sellp)
{
    const product p = {.spmv = spmv, .sellp = sellp};
    sellp->num_slices = (spmv->num_rows + SLICE_ROWS - 1) / SLICE_ROWS;
    sellp->slice_offsets = nitro_host_allocate(sellp->num_slices + 1, sizeof(int64_t));
    if (!sellp->slice_offsets)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t slice = 0; slice < sellp->num_slices; slice++) {
        int64_t width = 0, length;
        for (int64_t r = 0; r < SLICE_ROWS; r++) {
            find_row(&p, slice * SLICE_ROWS + r, &length);
            width = length > width ? length : width;
        }
        if (__builtin_mul_overflow(width, SLICE_ROWS, &width) ||
            __builtin_add_overflow(sellp->slice_offsets[slice], width,
                                   &sellp->slice_offsets[slice + 1]))
            return NITRO_ERR_NO_MEMORY;
    }
    sellp->num_slots = sellp->slice_offsets[sellp->num_slices];
    return 0;
}

/* Padding has value 0 and repeats a neighbouring column, whose x is cached. */
static void fill_slice(const product *p, int64_t slice)
{
    nitro_spmv_sellp *sellp = p->sellp;
    int64_t base = sellp->slice_offsets[slice];
    int64_t width = (sellp->slice_offsets[slice + 1] - base) / SLICE_ROWS;
    int32_t column = 0;
    for (int64_t r = 0; r < SLICE_ROWS; r++) {
        int64_t length, begin = find_row(p, slice * SLICE_ROWS + r, &length);
        for (int64_t k = 0; k < width; k++) {
            if (k < length) {
                column = p->spmv->columns[begin + k];
                sellp->values[base + k * SLICE_ROWS + r] = p->spmv->values[begin + k];
            }
            sellp->columns[base + k * SLICE_ROWS + r] = column;
        }
    }
}

static void fill_part(const void *state, int part, int parts)
{
    const product *p = state;
    const int64_t *offsets = p->sellp->slice_offsets;
    int64_t end = nitro_spmv_split(offsets, p->sellp->num_slices, part + 1, parts);
    for (int64_t slice = nitro_spmv_split(offsets, p->sellp->num_slices, part, parts); slice < end;
         slice++)
        fill_slice(p, slice);
}

static int make(nitro_spmv *spmv, const nitro_kit_part *part, nitro_spmv_sellp *sellp)
{
    if (measure_slices(spmv, sellp) != 0 || nitro_kit_allocate_format(part, spmv) != 0)
        return NITRO_ERR_NO_MEMORY;
    if (sellp->values)
        nitro_host_run_parts(fill_part, &(product){.spmv = spmv, .sellp = sellp},
                             nitro_host_num_parts(NS_PER_SLOT * (double)sellp->num_slots));
    return 0;
}

int nitro_spmv_make_sellp(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    return make(spmv, part, spmv->sellp);
}

int nitro_spmv_make_sell_c_sigma(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    int failure = sort_rows(spmv, spmv->sell_c_sigma);
    return failure ? failure : make(spmv, part, spmv->sell_c_sigma);
}

/* ---- The product ---- */

/* The sums of all rows of a slice, also of those past the end of the matrix. */
NITRO_SPMV_INLINE void multiply_slice(const product *p, int64_t slice, double *restrict sums,
                                      const int unit, const nitro_spmv_access access)
{
    const double *restrict values = p->sellp->values, *restrict x = p->spmv->x;
    const int32_t *restrict columns = p->sellp->columns;
    int64_t num_slots = p->sellp->num_slots, end = p->sellp->slice_offsets[slice + 1];
    nitro_spmv_lanes lanes[SLICE_LANES] = {{{0}}};
    for (int64_t slot = p->sellp->slice_offsets[slice]; slot < end; slot += SLICE_ROWS)
        for (int64_t i = 0; i < SLICE_LANES; i++) {
            int64_t at = slot + i * NITRO_SPMV_LANES;
            if (access != NITRO_SPMV_CACHED)
                NITRO_SPMV_PREFETCH(values, at + 2 * NITRO_SPMV_AHEAD);
            if (access != NITRO_SPMV_CACHED && i % 2 == 0)
                NITRO_SPMV_PREFETCH(columns, at + 2 * NITRO_SPMV_AHEAD);
            if (access == NITRO_SPMV_SCATTERED)
                nitro_spmv_prefetch_x_ahead(x, columns, at, num_slots, NITRO_SPMV_LANES);
            nitro_spmv_add(&lanes[i], values + at, x, columns + at, unit);
        }
    for (int64_t i = 0; i < SLICE_LANES; i++)
        nitro_spmv_store(sums + i * NITRO_SPMV_LANES, &lanes[i], unit);
}

NITRO_SPMV_INLINE void multiply_slices(const product *p, int64_t begin, int64_t end, const int unit,
                                       const nitro_spmv_access access)
{
    const nitro_spmv_sellp *sellp = p->sellp;
    int64_t num_rows = p->spmv->num_rows;
    double *y = p->spmv->y, sums[SLICE_ROWS];
    for (int64_t slice = begin; slice < end; slice++) {
        int64_t row = slice * SLICE_ROWS;
        int64_t rest = num_rows - row, count = rest < SLICE_ROWS ? rest : SLICE_ROWS;
        bool in_order = sellp->num_sorted == 0, in_place = in_order && count == SLICE_ROWS;
        multiply_slice(p, slice, in_place ? y + row : sums, unit, access);
        if (in_place)
            continue;
        if (in_order)
            memcpy(y + row, sums, (size_t)count * sizeof(*y));
        else
            for (int64_t r = 0; r < count; r++)
                y[sellp->rows[row + r]] = sums[r];
    }
}

NITRO_SPMV_INLINE void multiply_part(const void *state, int part, int parts, const int unit)
{
    const product *p = state;
    const int64_t *offsets = p->sellp->slice_offsets;
    int64_t num_slices = p->sellp->num_slices;
    int64_t begin = nitro_spmv_split(offsets, num_slices, part, parts);
    int64_t end = nitro_spmv_split(offsets, num_slices, part + 1, parts);
    NITRO_SPMV_CALL_FOR(p->access, multiply_slices, p, begin, end, unit);
}
NITRO_SPMV_COMPILE(multiply_part)

static int multiply(const nitro_spmv *spmv, nitro_spmv_sellp *sellp)
{
    int64_t num_slots = sellp->slice_offsets[sellp->num_slices];
    const product p = {spmv, sellp, nitro_spmv_find_access(spmv, num_slots)};
    int parts = nitro_host_num_parts(NS_PER_SLOT * (double)(num_slots + spmv->num_rows));
    nitro_spmv_run_parts(multiply_part_units, &sellp->gather_votes, &p, p.access, parts);
    return 0;
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    return multiply(spmv, spmv->sellp);
}

static int run_sorted(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    return multiply(spmv, spmv->sell_c_sigma);
}

const nitro_variant nitro_spmv_variant_sellp = {
    .name = "sellp",
    .version = "6",
    .run = run,
    NITRO_SPMV_FORMAT(sellp),
    .allows = allows,
    .allows_reads = "rlsd,ell_fillin,nnz",
};

const nitro_variant nitro_spmv_variant_sell_c_sigma = {
    .name = "sell_c_sigma",
    .version = "5",
    .run = run_sorted,
    NITRO_SPMV_FORMAT(sell_c_sigma),
    .allows = allows_sorted,
    .allows_reads = "rlsd,ell_fillin,nnz,rows,row_max",
};
