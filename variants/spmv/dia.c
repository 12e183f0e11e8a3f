/* dia: whole diagonals, no column indices, no gathers. Rows in blocks, so that a block of y stays
 * in the first-level cache while all diagonals are added to it. For matrices whose diagonals are
 * full: a slot costs 8 bytes where CSR pays 12 a non-zero, so beyond a fill-in of a few it cannot
 * win. */
#include "variants/spmv/kernels.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILLIN 8
#define MAX_SLOTS  INT32_MAX /* 16 GiB */
#define BLOCK_ROWS 2048

static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    double fillin = features[NITRO_SPMV_DIA_FILLIN];
    return fillin <= MAX_FILLIN && fillin * features[NITRO_SPMV_NNZ] <= MAX_SLOTS;
}

static void clear(nitro_spmv_dia *dia)
{
    free(dia->offsets);
    free(dia->values);
    free(dia);
}

/* Number the occupied diagonals: slots[column - row + num_rows] becomes 1 + the diagonal's index.
 */
static int64_t number_diagonals(const nitro_spmv *spmv, int32_t *slots)
{
    for (int64_t row = 0; row < spmv->num_rows; row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            slots[spmv->columns[k] - row + spmv->num_rows] = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < spmv->num_rows + spmv->num_cols; i++)
        if (slots[i])
            slots[i] = (int32_t)++count;
    return count;
}

static void fill(const nitro_spmv *spmv, const int32_t *slots, nitro_spmv_dia *dia)
{
    for (int64_t i = 0; i < spmv->num_rows + spmv->num_cols; i++)
        if (slots[i])
            dia->offsets[slots[i] - 1] = i - spmv->num_rows;
    for (int64_t row = 0; row < spmv->num_rows; row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++) {
            int64_t diagonal = slots[spmv->columns[k] - row + spmv->num_rows] - 1;
            dia->values[diagonal * spmv->num_rows + row] = spmv->values[k];
        }
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (spmv->dia)
        return 0;
    int32_t *slots = nitro_spmv_allocate(spmv->num_rows + spmv->num_cols, sizeof(*slots));
    nitro_spmv_dia *dia = calloc(1, sizeof(*dia));
    int64_t num_slots;
    if (!slots || !dia)
        goto free_all;
    dia->num_diagonals = number_diagonals(spmv, slots);
    if (__builtin_mul_overflow(dia->num_diagonals, spmv->num_rows, &num_slots))
        goto free_all;
    dia->offsets = nitro_spmv_allocate(dia->num_diagonals, sizeof(*dia->offsets));
    dia->values = nitro_spmv_allocate(num_slots, sizeof(*dia->values));
    if (!dia->offsets || !dia->values)
        goto free_all;
    fill(spmv, slots, dia);
    free(slots);
    spmv->dia = dia;
    return 0;
free_all:
    free(slots);
    if (dia)
        clear(dia);
    return 1;
}

void nitro_spmv_release_dia(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    if (spmv->dia)
        clear(spmv->dia);
    spmv->dia = NULL;
}

NITRO_SPMV_CLONES
static void add_products(const double *restrict values, const double *restrict x,
                         double *restrict y, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        y[i] += values[i] * x[i];
}

static void multiply_block(const nitro_spmv *spmv, int64_t begin, int64_t end)
{
    const nitro_spmv_dia *dia = spmv->dia;
    memset(spmv->y + begin, 0, (size_t)(end - begin) * sizeof(double));
    for (int64_t d = 0; d < dia->num_diagonals; d++) {
        int64_t offset = dia->offsets[d];
        int64_t first = begin > -offset ? begin : -offset;
        int64_t last = end < spmv->num_cols - offset ? end : spmv->num_cols - offset;
        if (first < last)
            add_products(dia->values + d * spmv->num_rows + first, spmv->x + (first + offset),
                         spmv->y + first, last - first);
    }
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    int64_t num_blocks = (spmv->num_rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    int parts = nitro_spmv_num_parts((spmv->dia->num_diagonals + 1) * spmv->num_rows);
#pragma omp parallel for schedule(static) num_threads(parts) if (parts > 1)
    for (int64_t block = 0; block < num_blocks; block++) {
        int64_t end = (block + 1) * BLOCK_ROWS;
        multiply_block(spmv, block * BLOCK_ROWS, end < spmv->num_rows ? end : spmv->num_rows);
    }
    return 0;
}

const nitro_variant nitro_spmv_variant_dia = {
    .name = "dia",
    .version = "1",
    .run = run,
    .prepare = prepare,
    .release = nitro_spmv_release_dia,
    .allows = allows,
    .time_source = NITRO_TIME_WALL,
};
