/* ell: every row padded to the longest, column-major, so that SIMD runs over rows. Rows in blocks,
 * so that a block of y stays in the first-level cache while all slots are added to it. For matrices
 * whose rows are of about one length: a slot costs 12 bytes, as a non-zero does in CSR. */
#include "variants/spmv/kernels.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILLIN 8
#define MAX_SLOTS  INT32_MAX /* 24 GiB */
#define BLOCK_ROWS 512

static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    double fillin = features[NITRO_SPMV_ELL_FILLIN];
    return fillin <= MAX_FILLIN && fillin * features[NITRO_SPMV_NNZ] <= MAX_SLOTS;
}

int nitro_spmv_ell_fill(const nitro_spmv *spmv, int64_t width, nitro_spmv_ell *ell)
{
    int64_t rows = spmv->num_rows, num_slots;
    if (__builtin_mul_overflow(width, rows, &num_slots))
        return 1;
    ell->width = width;
    ell->columns = nitro_spmv_allocate(num_slots, sizeof(*ell->columns));
    ell->values = nitro_spmv_allocate(num_slots, sizeof(*ell->values));
    if (!ell->columns || !ell->values) {
        nitro_spmv_ell_clear(ell);
        return 1;
    }
    int32_t column = 0; /* padding repeats a column near by: its x is in the cache */
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = spmv->row_offsets[row], length = spmv->row_offsets[row + 1] - begin;
        for (int64_t k = 0; k < width; k++) {
            if (k < length) {
                column = spmv->columns[begin + k];
                ell->values[k * rows + row] = spmv->values[begin + k];
            }
            ell->columns[k * rows + row] = column;
        }
    }
    return 0;
}

void nitro_spmv_ell_clear(nitro_spmv_ell *ell)
{
    free(ell->columns);
    free(ell->values);
    ell->columns = NULL;
    ell->values = NULL;
}

NITRO_SPMV_CLONES
static void add_products(const double *restrict values, const int32_t *restrict columns,
                         const double *restrict x, double *restrict y, int64_t count)
{
    int64_t i = 0;
    for (; i + NITRO_SPMV_LANES <= count; i += NITRO_SPMV_LANES)
        *(nitro_spmv_lanes_unaligned *)(y + i) =
            NITRO_SPMV_LOAD(y + i) +
            NITRO_SPMV_LOAD(values + i) * NITRO_SPMV_GATHER(x, columns + i);
    for (; i < count; i++)
        y[i] += values[i] * x[columns[i]];
}

void nitro_spmv_ell_multiply(const nitro_spmv_ell *ell, int64_t num_rows, const double *x,
                             double *y)
{
    int64_t num_blocks = (num_rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    int parts = nitro_spmv_num_parts((ell->width + 1) * num_rows);
#pragma omp parallel for schedule(static) num_threads(parts) if (parts > 1)
    for (int64_t block = 0; block < num_blocks; block++) {
        int64_t row = block * BLOCK_ROWS;
        int64_t count = num_rows - row < BLOCK_ROWS ? num_rows - row : BLOCK_ROWS;
        memset(y + row, 0, (size_t)count * sizeof(*y));
        for (int64_t k = 0; k < ell->width; k++)
            add_products(ell->values + k * num_rows + row, ell->columns + k * num_rows + row, x,
                         y + row, count);
    }
}

static int64_t longest_row(const nitro_spmv *spmv)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        int64_t length = spmv->row_offsets[row + 1] - spmv->row_offsets[row];
        if (length > longest)
            longest = length;
    }
    return longest;
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (spmv->ell)
        return 0;
    nitro_spmv_ell *ell = calloc(1, sizeof(*ell));
    if (!ell || nitro_spmv_ell_fill(spmv, longest_row(spmv), ell) != 0) {
        free(ell);
        return 1;
    }
    spmv->ell = ell;
    return 0;
}

void nitro_spmv_release_ell(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (spmv->ell)
        nitro_spmv_ell_clear(spmv->ell);
    free(spmv->ell);
    spmv->ell = NULL;
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    nitro_spmv_ell_multiply(spmv->ell, spmv->num_rows, spmv->x, spmv->y);
    return 0;
}

const nitro_variant nitro_spmv_variant_ell = {
    .name = "ell",
    .version = "1",
    .run = run,
    .prepare = prepare,
    .release = nitro_spmv_release_ell,
    .allows = allows,
    .time_source = NITRO_TIME_WALL,
};
