/* dia: diagonals, without column indices or gathers, for groups of rows with their sums in
 * registers. The diagonals of a group lie one behind the other, so that memory is read as one
 * stream; those of symmetric matrices are arrays of their own, so that one is read for two. For
 * matrices with full diagonals: a slot costs 8 bytes and a non-zero in CSR 12, so a fill-in of more
 * than a few cannot pay. */
#include "variants/spmv/host/spmv_kernels.h"

#include <string.h>

#include "variants/spmv/formats.h"

#define MAX_FILLIN   8
#define MAX_SLOTS    INT32_MAX /* 16 GiB */
#define GROUP_ROWS   NITRO_SPMV_DIA_GROUP_ROWS
#define SAMPLED_ROWS 256 /* to find out whether A is symmetric */
/* Prefetch distances, in elements. */
#define AHEAD_IN_DIAGONAL 128
#define AHEAD_IN_GROUPS   512

#define NS_PER_SLOT  0.17
#define NS_PER_ENTRY 1.0 /* to fill the format */

bool nitro_spmv_allows_dia(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    double fillin = features[NITRO_SPMV_DIA_FILLIN];
    return fillin <= MAX_FILLIN && fillin * features[NITRO_SPMV_NNZ] <= MAX_SLOTS;
}

bool nitro_spmv_dia_pays(const nitro_spmv *spmv, int64_t num_diagonals)
{
    return (double)num_diagonals * (double)spmv->num_rows <=
           2.0 * MAX_FILLIN * (double)spmv->num_nonzeros;
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

/* Where a row's element is in each diagonal, from the diagonal's first element. */
NITRO_SPMV_INLINE int64_t slot_of(const nitro_spmv_dia *dia, int64_t row)
{
    return row / GROUP_ROWS * dia->group_stride + row % GROUP_ROWS;
}

typedef struct filling {
    const nitro_spmv *spmv;
    const int32_t *slots;
    nitro_spmv_dia *dia;
} filling;

static void fill_part(const void *state, int part, int parts)
{
    const filling *f = state;
    const nitro_spmv *spmv = f->spmv;
    int64_t end = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part + 1, parts);
    for (int64_t row = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part, parts); row < end;
         row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++) {
            int64_t diagonal = f->slots[spmv->columns[k] - row + spmv->num_rows] - 1;
            f->dia->values[diagonal * f->dia->stride + slot_of(f->dia, row)] = spmv->values[k];
        }
}

static void list_offsets(const nitro_spmv *spmv, const int32_t *slots, nitro_spmv_dia *dia)
{
    for (int64_t i = 0; i < spmv->num_rows + spmv->num_cols; i++)
        if (slots[i])
            dia->offsets[slots[i] - 1] = i - spmv->num_rows;
}

/* Where each diagonal is read from, by row: behind the offsets. */
static int64_t *starts_of(const nitro_spmv_dia *dia)
{
    return dia->offsets + dia->num_diagonals;
}

int64_t nitro_spmv_share_diagonals(const double *values, int64_t stride, int64_t num_rows,
                                   const int64_t *offsets, int64_t count, int64_t *starts)
{
    int64_t num_arrays = count, above = count - 1;
    for (int64_t d = 0; d < count; d++) {
        int64_t distance = -offsets[d];
        starts[d] = d * stride;
        while (above > d && offsets[above] > distance)
            above--;
        if (above > d && offsets[above] == distance &&
            memcmp(values + starts[d] + distance, values + above * stride,
                   (size_t)(num_rows - distance) * sizeof(*values)) == 0) {
            starts[d] = above * stride - distance;
            num_arrays--;
        }
    }
    return num_arrays;
}

/* Has entry k, of this row, an equal one across the main diagonal, or no place for one? */
static bool is_mirrored(const nitro_spmv *spmv, int64_t row, int64_t k)
{
    int64_t across = spmv->columns[k];
    if (across >= spmv->num_rows || row >= spmv->num_cols)
        return true;
    for (int64_t i = spmv->row_offsets[across]; i < spmv->row_offsets[across + 1]; i++)
        if (spmv->columns[i] == row)
            return spmv->values[i] == spmv->values[k];
    return false;
}

bool nitro_spmv_seems_symmetric(const nitro_spmv *spmv)
{
    for (int64_t i = 0; i < SAMPLED_ROWS && spmv->num_rows > 0; i++) {
        int64_t row = nitro_host_split_evenly(spmv->num_rows, (int)i, SAMPLED_ROWS);
        int64_t begin = spmv->row_offsets[row], end = spmv->row_offsets[row + 1];
        if (begin < end && !(is_mirrored(spmv, row, begin) && is_mirrored(spmv, row, end - 1)))
            return false;
    }
    return true;
}

static void choose_layout(const nitro_spmv *spmv, nitro_spmv_dia *dia)
{
    int64_t num_groups = (spmv->num_rows + GROUP_ROWS - 1) / GROUP_ROWS;
    if (nitro_spmv_seems_symmetric(spmv)) {
        dia->stride = nitro_spmv_stride(spmv->num_rows);
        dia->group_stride = GROUP_ROWS;
        dia->num_slots = dia->num_diagonals * dia->stride;
    } else {
        dia->stride = GROUP_ROWS;
        dia->group_stride = dia->num_diagonals * GROUP_ROWS;
        dia->num_slots = num_groups * dia->group_stride;
    }
}

static int make(nitro_spmv *spmv, const nitro_kit_part *part, int32_t *slots)
{
    nitro_spmv_dia *dia = spmv->dia;
    dia->num_diagonals = number_diagonals(spmv, slots);
    if (!nitro_spmv_dia_pays(spmv, dia->num_diagonals))
        return 1;
    choose_layout(spmv, dia);
    dia->offsets = nitro_host_allocate(2 * dia->num_diagonals, sizeof(*dia->offsets));
    if (!dia->offsets || nitro_kit_allocate_format(part, spmv) != 0)
        return NITRO_ERR_NO_MEMORY;
    list_offsets(spmv, slots, dia);
    nitro_host_run_parts(fill_part, &(filling){spmv, slots, dia},
                         nitro_host_num_parts(NS_PER_ENTRY * (double)spmv->num_nonzeros));
    if (dia->group_stride == GROUP_ROWS)
        nitro_spmv_share_diagonals(dia->values, dia->stride, spmv->num_rows, dia->offsets,
                                   dia->num_diagonals, starts_of(dia));
    else
        for (int64_t d = 0; d < dia->num_diagonals; d++)
            starts_of(dia)[d] = d * dia->stride;
    return 0;
}

int nitro_spmv_make_dia(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    int32_t *slots = nitro_host_allocate(spmv->num_rows + spmv->num_cols, sizeof(*slots));
    int failure = slots ? make(spmv, part, slots) : NITRO_ERR_NO_MEMORY;
    nitro_host_free(slots);
    return failure;
}

/* Does this diagonal cross every row of the group? */
NITRO_SPMV_INLINE bool is_inside(const nitro_spmv *spmv, int64_t offset, int64_t row)
{
    return row + offset >= 0 && row + GROUP_ROWS + offset <= spmv->num_cols;
}

/* y of a group of rows, in registers, from the diagonals that cross all of them. `ahead`: prefetch
 * distance, 0 for none. */
NITRO_SPMV_INLINE void multiply_group(const nitro_spmv *spmv, int64_t row, int64_t slot,
                                      const int unit, const int ahead)
{
    const nitro_spmv_dia *dia = spmv->dia;
    nitro_spmv_lanes lanes[GROUP_ROWS / NITRO_SPMV_LANES] = {{{0}}};
    for (int64_t d = 0; d < dia->num_diagonals; d++) {
        int64_t offset = dia->offsets[d];
        if (!is_inside(spmv, offset, row))
            continue;
        const double *values = dia->values + (starts_of(dia)[d] + slot);
        const double *x = spmv->x + (row + offset);
        for (int64_t i = 0; i < GROUP_ROWS / NITRO_SPMV_LANES; i++) {
            int64_t at = i * NITRO_SPMV_LANES;
            if (ahead)
                NITRO_SPMV_PREFETCH(values, at + ahead);
            nitro_spmv_add_products(&lanes[i], values + at, x + at, unit);
        }
    }
    for (int64_t i = 0; i < GROUP_ROWS / NITRO_SPMV_LANES; i++)
        nitro_spmv_store(spmv->y + row + i * NITRO_SPMV_LANES, &lanes[i], unit);
}

/* Add one diagonal's products in rows [begin, end) of a group to y. */
NITRO_SPMV_INLINE void add_diagonal(const nitro_spmv *spmv, int64_t d, int64_t begin, int64_t end)
{
    const nitro_spmv_dia *dia = spmv->dia;
    int64_t offset = dia->offsets[d];
    int64_t start = starts_of(dia)[d] + slot_of(dia, begin) - begin;
    int64_t first = begin > -offset ? begin : -offset;
    int64_t last = end < spmv->num_cols - offset ? end : spmv->num_cols - offset;
    for (int64_t row = first; row < last; row++)
        spmv->y[row] += dia->values[start + row] * spmv->x[row + offset];
}

NITRO_SPMV_INLINE void multiply_rows(const nitro_spmv *spmv, int64_t row, int64_t end,
                                     const int unit, const int ahead)
{
    const nitro_spmv_dia *dia = spmv->dia;
    int64_t slot = slot_of(dia, row);
    for (; row + GROUP_ROWS <= end; row += GROUP_ROWS, slot += dia->group_stride) {
        multiply_group(spmv, row, slot, unit, ahead);
        for (int64_t d = 0; d < dia->num_diagonals; d++)
            if (!is_inside(spmv, dia->offsets[d], row))
                add_diagonal(spmv, d, row, row + GROUP_ROWS);
    }
    for (int64_t r = row; r < end; r++)
        spmv->y[r] = 0;
    for (int64_t d = 0; d < dia->num_diagonals && row < end; d++)
        add_diagonal(spmv, d, row, end);
}

NITRO_SPMV_INLINE void multiply_part(const void *state, int part, int parts, const int unit)
{
    const nitro_spmv *spmv = state;
    int64_t num_groups = (spmv->num_rows + GROUP_ROWS - 1) / GROUP_ROWS;
    int64_t begin = nitro_host_split_evenly(num_groups, part, parts) * GROUP_ROWS;
    int64_t end = nitro_host_split_evenly(num_groups, part + 1, parts) * GROUP_ROWS;
    end = end < spmv->num_rows ? end : spmv->num_rows;
    if (!nitro_spmv_prefetches(spmv->dia->num_slots))
        multiply_rows(spmv, begin, end, unit, 0);
    else if (spmv->dia->group_stride == GROUP_ROWS)
        multiply_rows(spmv, begin, end, unit, AHEAD_IN_DIAGONAL);
    else
        multiply_rows(spmv, begin, end, unit, AHEAD_IN_GROUPS);
}
NITRO_SPMV_COMPILE(multiply_part)

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    double slots = (double)(spmv->dia->num_diagonals + 1) * (double)spmv->num_rows;
    nitro_host_run_parts(multiply_part_units[nitro_spmv_unit()], spmv,
                         nitro_host_num_parts(NS_PER_SLOT * slots));
    return 0;
}

const nitro_variant nitro_spmv_variant_dia = {
    .name = "dia",
    .version = "3",
    .run = run,
    .allows = nitro_spmv_allows_dia,
    .allows_reads = "dia_fillin,nnz",
    NITRO_SPMV_FORMAT(dia),
};
