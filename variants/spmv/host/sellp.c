/* sellp: slices of 32 rows, each padded to its own longest row, column-major within the slice, so
 * that SIMD runs over rows and all sums of a slice stay in registers. Slices are divided among
 * threads by their slots. One long row pads 31 others: see `allows`. */
#include "variants/spmv/host/spmv_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_ROWS  NITRO_SPMV_SLICE_ROWS
#define SLICE_LANES (SLICE_ROWS / NITRO_SPMV_LANES)
#define MAX_FILLIN  12
#define NS_PER_SLOT 0.3
#define MAX_SLOTS   INT32_MAX /* 24 GiB */

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

static void clear(nitro_spmv_sellp *sellp)
{
    nitro_host_free(sellp->slice_offsets);
    nitro_host_free(sellp->columns);
    nitro_host_free(sellp->values);
    free(sellp);
}

static int64_t slice_end(const nitro_spmv *spmv, int64_t slice)
{
    int64_t end = (slice + 1) * SLICE_ROWS;
    return end < spmv->num_rows ? end : spmv->num_rows;
}

static int measure_slices(const nitro_spmv *spmv, nitro_spmv_sellp *sellp)
{
    sellp->num_slices = (spmv->num_rows + SLICE_ROWS - 1) / SLICE_ROWS;
    sellp->slice_offsets = nitro_host_allocate(sellp->num_slices + 1, sizeof(int64_t));
    if (!sellp->slice_offsets)
        return 1;
    for (int64_t slice = 0; slice < sellp->num_slices; slice++) {
        int64_t width = 0;
        for (int64_t row = slice * SLICE_ROWS; row < slice_end(spmv, slice); row++) {
            int64_t length = spmv->row_offsets[row + 1] - spmv->row_offsets[row];
            width = length > width ? length : width;
        }
        if (__builtin_mul_overflow(width, SLICE_ROWS, &width) ||
            __builtin_add_overflow(sellp->slice_offsets[slice], width,
                                   &sellp->slice_offsets[slice + 1]))
            return 1;
    }
    sellp->num_slots = sellp->slice_offsets[sellp->num_slices];
    return 0;
}

/* Padding has value 0 and repeats a neighbouring column, whose x is cached. */
static void fill_slice(const nitro_spmv *spmv, int64_t slice, nitro_spmv_sellp *sellp)
{
    int64_t base = sellp->slice_offsets[slice];
    int64_t width = (sellp->slice_offsets[slice + 1] - base) / SLICE_ROWS;
    int32_t column = 0;
    for (int64_t r = 0; r < SLICE_ROWS; r++) {
        int64_t row = slice * SLICE_ROWS + r;
        bool inside = row < spmv->num_rows;
        int64_t begin = inside ? spmv->row_offsets[row] : 0;
        int64_t length = inside ? spmv->row_offsets[row + 1] - begin : 0;
        for (int64_t k = 0; k < width; k++) {
            if (k < length) {
                column = spmv->columns[begin + k];
                sellp->values[base + k * SLICE_ROWS + r] = spmv->values[begin + k];
            }
            sellp->columns[base + k * SLICE_ROWS + r] = column;
        }
    }
}

static void fill_part(const void *state, int part, int parts)
{
    const nitro_spmv *spmv = state;
    const int64_t *offsets = spmv->sellp->slice_offsets;
    int64_t end = nitro_spmv_split(offsets, spmv->sellp->num_slices, part + 1, parts);
    for (int64_t slice = nitro_spmv_split(offsets, spmv->sellp->num_slices, part, parts);
         slice < end; slice++)
        fill_slice(spmv, slice, spmv->sellp);
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (spmv->sellp)
        return 0;
    nitro_spmv_sellp *sellp = calloc(1, sizeof(*sellp));
    if (!sellp || measure_slices(spmv, sellp) != 0)
        goto clear_format;
    sellp->columns = nitro_host_allocate(sellp->num_slots, sizeof(*sellp->columns));
    sellp->values = nitro_host_allocate(sellp->num_slots, sizeof(*sellp->values));
    if (!sellp->columns || !sellp->values)
        goto clear_format;
    spmv->sellp = sellp;
    nitro_host_run_parts(fill_part, spmv,
                         nitro_host_num_parts(NS_PER_SLOT * (double)sellp->num_slots));
    return 0;
clear_format:
    if (sellp)
        clear(sellp);
    return 1;
}

void nitro_spmv_release_sellp(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (spmv->sellp)
        clear(spmv->sellp);
    spmv->sellp = NULL;
}

/* The sums of all rows of a slice, also of those past the end of the matrix. */
NITRO_SPMV_INLINE void multiply_slice(const double *restrict values,
                                      const int32_t *restrict columns, int64_t num_slots,
                                      const double *restrict x, nitro_spmv_lanes lanes[SLICE_LANES],
                                      nitro_spmv_add *add, const bool prefetches)
{
    for (int64_t i = 0; i < SLICE_LANES; i++)
        lanes[i] = (nitro_spmv_lanes){0};
    for (int64_t slot = 0; slot < num_slots; slot += SLICE_ROWS)
        for (int64_t i = 0; i < SLICE_LANES; i++) {
            int64_t at = slot + i * NITRO_SPMV_LANES;
            if (prefetches)
                NITRO_SPMV_PREFETCH(values, at + 2 * NITRO_SPMV_AHEAD);
            if (prefetches && i % 2 == 0)
                NITRO_SPMV_PREFETCH(columns, at + 2 * NITRO_SPMV_AHEAD);
            add(&lanes[i], values + at, x, columns + at);
        }
}

NITRO_SPMV_INLINE void store_slice(double *y, const nitro_spmv_lanes lanes[SLICE_LANES],
                                   bool streams)
{
    for (int64_t i = 0; i < SLICE_LANES; i++, y += NITRO_SPMV_LANES) {
        if (!streams) {
            NITRO_SPMV_STORE(y, lanes[i]);
            continue;
        }
        for (int64_t l = 0; l < NITRO_SPMV_LANES; l += 2) {
            nitro_spmv_pair sums = {lanes[i][l], lanes[i][l + 1]};
            NITRO_SPMV_STREAM(y + l, sums);
        }
    }
}

NITRO_SPMV_INLINE void multiply_slices(const nitro_spmv *spmv, int64_t begin, int64_t end,
                                       nitro_spmv_add *add, const bool prefetches)
{
    const nitro_spmv_sellp *sellp = spmv->sellp;
    int64_t num_rows = spmv->num_rows;
    double *y = spmv->y;
    bool streams = nitro_spmv_streams(y, num_rows);
    for (int64_t slice = begin; slice < end; slice++) {
        int64_t base = sellp->slice_offsets[slice], row = slice * SLICE_ROWS;
        nitro_spmv_lanes lanes[SLICE_LANES];
        multiply_slice(sellp->values + base, sellp->columns + base,
                       sellp->slice_offsets[slice + 1] - base, spmv->x, lanes, add, prefetches);
        if (row + SLICE_ROWS <= num_rows)
            store_slice(y + row, lanes, streams);
        else
            memcpy(y + row, lanes, (size_t)(num_rows - row) * sizeof(*y));
    }
    if (streams)
        NITRO_SPMV_FENCE();
}

NITRO_SPMV_INLINE void multiply_part(const void *state, int part, int parts, nitro_spmv_add *add)
{
    const nitro_spmv *spmv = state;
    const int64_t *offsets = spmv->sellp->slice_offsets;
    int64_t num_slices = spmv->sellp->num_slices;
    int64_t begin = nitro_spmv_split(offsets, num_slices, part, parts);
    int64_t end = nitro_spmv_split(offsets, num_slices, part + 1, parts);
    if (nitro_spmv_prefetches(offsets[num_slices]))
        multiply_slices(spmv, begin, end, add, true);
    else
        multiply_slices(spmv, begin, end, add, false);
}
NITRO_SPMV_COMPILE(multiply_part)

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    double slots = (double)spmv->sellp->slice_offsets[spmv->sellp->num_slices];
    int parts = nitro_host_num_parts(NS_PER_SLOT * (slots + (double)spmv->num_rows));
    nitro_host_run_parts(multiply_part_units[nitro_spmv_unit()], spmv, parts);
    return 0;
}

const nitro_variant nitro_spmv_variant_sellp = {
    .name = "sellp",
    .version = "2",
    .run = run,
    .prepare = prepare,
    .release = nitro_spmv_release_sellp,
    .allows = allows,
    .allows_reads = "rlsd,ell_fillin,nnz",
};
