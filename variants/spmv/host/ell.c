/* ell: every row padded to the longest, so that SIMD runs over rows; groups of 64 rows, each stored
 * column-major, with their sums in registers. For matrices with rows of similar length: a slot
 * costs 12 bytes, as a non-zero does in CSR. */
#include "variants/spmv/host/spmv_kernels.h"

#include <string.h>

#define MAX_FILLIN 8
#define MAX_SLOTS  INT32_MAX /* 24 GiB */
#define GROUP_ROWS NITRO_SPMV_ELL_GROUP_ROWS
#define AHEAD      512 /* prefetch distance, of the matrix */

#define NS_PER_SLOT 0.3

typedef struct product {
    const nitro_spmv *spmv;
    nitro_spmv_ell *ell;
    nitro_spmv_access access;
} product;

static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    double fillin = features[NITRO_SPMV_ELL_FILLIN];
    return fillin <= MAX_FILLIN && fillin * features[NITRO_SPMV_NNZ] <= MAX_SLOTS;
}

void nitro_spmv_ell_set_layout(nitro_spmv_ell *ell, int64_t num_rows, bool in_groups)
{
    int64_t num_groups = (num_rows + GROUP_ROWS - 1) / GROUP_ROWS;
    ell->stride = in_groups ? GROUP_ROWS : nitro_spmv_stride(num_rows);
    ell->group_stride = in_groups ? ell->width * GROUP_ROWS : GROUP_ROWS;
    ell->num_slots = ell->width * (in_groups ? num_groups * GROUP_ROWS : ell->stride);
}

NITRO_SPMV_INLINE int64_t first_slot(const nitro_spmv_ell *ell, int64_t row)
{
    return row / GROUP_ROWS * ell->group_stride + row % GROUP_ROWS;
}

static void fill_part(const void *state, int part, int parts)
{
    const product *p = state;
    const nitro_spmv *spmv = p->spmv;
    nitro_spmv_ell *ell = p->ell;
    int32_t column = 0; /* padding repeats a neighbouring column, whose x is cached */
    int64_t end = nitro_host_split_evenly(spmv->num_rows, part + 1, parts);
    for (int64_t row = nitro_host_split_evenly(spmv->num_rows, part, parts); row < end; row++) {
        int64_t begin = spmv->row_offsets[row], length = spmv->row_offsets[row + 1] - begin;
        int64_t first = first_slot(ell, row);
        for (int64_t k = 0; k < ell->width; k++) {
            if (k < length) {
                column = spmv->columns[begin + k];
                ell->values[first + k * ell->stride] = spmv->values[begin + k];
            }
            ell->columns[first + k * ell->stride] = column;
        }
    }
}

void nitro_spmv_ell_fill(const nitro_spmv *spmv, nitro_spmv_ell *ell)
{
    nitro_host_run_parts(fill_part, &(product){.spmv = spmv, .ell = ell},
                         nitro_host_num_parts(NS_PER_SLOT * (double)ell->num_slots));
}

/* `sums` of num_lanes * LANES rows, all in registers: num_lanes is known when this is compiled. */
NITRO_SPMV_INLINE void multiply_group(const product *p, int64_t row, double *restrict sums,
                                      const int num_lanes, const int unit,
                                      const nitro_spmv_access access)
{
    const double *restrict values = p->ell->values, *restrict x = p->spmv->x;
    const int32_t *restrict columns = p->ell->columns;
    int64_t num_slots = p->ell->num_slots, slot = first_slot(p->ell, row);
    nitro_spmv_lanes lanes[GROUP_ROWS / NITRO_SPMV_LANES] = {{{0}}};
    for (int64_t k = 0; k < p->ell->width; k++, slot += GROUP_ROWS) {
#pragma GCC unroll 8
        for (int64_t i = 0; i < num_lanes; i++) {
            int64_t at = slot + i * NITRO_SPMV_LANES;
            if (access != NITRO_SPMV_CACHED)
                NITRO_SPMV_PREFETCH(values, at + AHEAD);
            if (access != NITRO_SPMV_CACHED && i % 2 == 0)
                NITRO_SPMV_PREFETCH(columns, at + AHEAD);
            if (access == NITRO_SPMV_SCATTERED)
                nitro_spmv_prefetch_x_ahead(x, columns, at, num_slots, NITRO_SPMV_LANES);
            nitro_spmv_add(&lanes[i], values + at, x, columns + at, unit);
        }
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < num_lanes; i++)
        nitro_spmv_store(sums + i * NITRO_SPMV_LANES, &lanes[i], unit);
}

NITRO_SPMV_INLINE void multiply_rows(const product *p, int64_t row, int64_t end, const int unit,
                                     const nitro_spmv_access access)
{
    double *restrict y = p->spmv->y;
    for (; row + GROUP_ROWS <= end; row += GROUP_ROWS)
        multiply_group(p, row, y + row, GROUP_ROWS / NITRO_SPMV_LANES, unit, access);
    for (; row + NITRO_SPMV_LANES <= end; row += NITRO_SPMV_LANES)
        multiply_group(p, row, y + row, 1, unit, access);
    if (row < end) {
        double sums[NITRO_SPMV_LANES];
        multiply_group(p, row, sums, 1, unit, access);
        memcpy(y + row, sums, (size_t)(end - row) * sizeof(*y));
    }
}

NITRO_SPMV_INLINE void multiply_part(const void *state, int part, int parts, const int unit)
{
    const product *p = state;
    int64_t num_rows = p->spmv->num_rows, num_groups = (num_rows + GROUP_ROWS - 1) / GROUP_ROWS;
    int64_t begin = nitro_host_split_evenly(num_groups, part, parts) * GROUP_ROWS;
    int64_t end = nitro_host_split_evenly(num_groups, part + 1, parts) * GROUP_ROWS;
    end = end < num_rows ? end : num_rows;
    NITRO_SPMV_CALL_FOR(p->access, multiply_rows, p, begin, end, unit);
}
NITRO_SPMV_COMPILE(multiply_part)

void nitro_spmv_ell_multiply(const nitro_spmv *spmv, nitro_spmv_ell *ell)
{
    int64_t num_slots = ell->width * spmv->num_rows;
    const product p = {spmv, ell, nitro_spmv_find_access(spmv, num_slots)};
    nitro_spmv_run_parts(multiply_part_units, &ell->gather_votes, &p, p.access,
                         nitro_host_num_parts(NS_PER_SLOT * (double)(num_slots + spmv->num_rows)));
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

int nitro_spmv_make_ell(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    nitro_spmv_ell *ell = spmv->ell;
    ell->width = longest_row(spmv);
    nitro_spmv_ell_set_layout(ell, spmv->num_rows, !part->is_filled_there);
    if (nitro_kit_allocate_format(part, spmv) != 0)
        return NITRO_ERR_NO_MEMORY;
    if (ell->values)
        nitro_spmv_ell_fill(spmv, ell);
    return 0;
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    nitro_spmv_ell_multiply(spmv, spmv->ell);
    return 0;
}

const nitro_variant nitro_spmv_variant_ell = {
    .name = "ell",
    .version = "6",
    .run = run,
    .allows = allows,
    .allows_reads = "ell_fillin,nnz",
    NITRO_SPMV_FORMAT(ell),
};
