/* coo: entry by entry, in parts of exactly equal numbers of entries, which may split rows: for
 * matrices with a few very long rows. A part adds to the rows that begin in it; its sum of a row
 * that began earlier is carried, and added when all parts are done. */
#include "variants/spmv/host/spmv_kernels.h"

#include <string.h>

#define NS_PER_ENTRY 0.7
#define NS_PER_ROW   0.3 /* zeroing */

typedef struct product {
    const nitro_spmv *spmv;
    const nitro_spmv_coo *coo;
    nitro_spmv_access access;
    bool zero_first;
    nitro_spmv_carry *carried; /* shape [parts] */
} product;

/* The sum of one row's entries from *k on; advances *k past them. */
NITRO_SPMV_INLINE double row_sum(const nitro_spmv_coo *coo, const double *x, int64_t *k,
                                 int64_t end, const nitro_spmv_access access)
{
    int64_t at = *k;
    int32_t row = coo->rows[at];
    NITRO_SPMV_PREFETCH(coo->values, at + NITRO_SPMV_AHEAD);
    NITRO_SPMV_PREFETCH(coo->columns, at + NITRO_SPMV_AHEAD);
    NITRO_SPMV_PREFETCH(coo->rows, at + NITRO_SPMV_AHEAD);
    double sum = 0;
    do {
        if (access == NITRO_SPMV_SCATTERED)
            nitro_spmv_prefetch_x_ahead(x, coo->columns, at, coo->num_entries, 1);
        sum += coo->values[at] * x[coo->columns[at]];
    } while (++at < end && coo->rows[at] == row);
    *k = at;
    return sum;
}

NITRO_SPMV_INLINE nitro_spmv_carry add_entries(const product *p, int64_t begin, int64_t end,
                                               const nitro_spmv_access access)
{
    const nitro_spmv_coo *coo = p->coo;
    const double *x = p->spmv->x;
    double *y = p->spmv->y;
    nitro_spmv_carry carried = {.row = -1};
    int64_t k = begin;
    if (begin > 0 && begin < end && coo->rows[begin] == coo->rows[begin - 1]) {
        carried.row = coo->rows[begin];
        carried.sum = row_sum(coo, x, &k, end, access);
    }
    while (k < end) {
        int32_t row = coo->rows[k];
        y[row] += row_sum(coo, x, &k, end, access);
    }
    return carried;
}

/* Zero the rows that begin in entries [begin, end), and the empty rows before each; the last part
 * also zeroes empty rows at the end. */
static void zero_rows(const nitro_spmv_coo *coo, double *y, int64_t num_rows, int64_t begin,
                      int64_t end)
{
    int64_t first = begin > 0 ? coo->rows[begin - 1] + 1 : 0;
    int64_t last = end == coo->num_entries ? num_rows : end > 0 ? coo->rows[end - 1] + 1 : 0;
    if (first < last)
        memset(y + first, 0, (size_t)(last - first) * sizeof(*y));
}

static void add_part(const void *state, int part, int parts)
{
    const product *p = state;
    int64_t begin = nitro_host_split_evenly(p->coo->num_entries, part, parts);
    int64_t end = nitro_host_split_evenly(p->coo->num_entries, part + 1, parts);
    if (p->zero_first && (begin < end || part == parts - 1))
        zero_rows(p->coo, p->spmv->y, p->spmv->num_rows, begin, end);
    p->carried[part] = p->access == NITRO_SPMV_SCATTERED
                           ? add_entries(p, begin, end, NITRO_SPMV_SCATTERED)
                           : add_entries(p, begin, end, NITRO_SPMV_STREAMED);
}

void nitro_spmv_coo_add(const nitro_spmv *spmv, const nitro_spmv_coo *coo, bool zero_first)
{
    nitro_spmv_carry carried[NITRO_HOST_MAX_PARTS];
    const product p = {spmv, coo, nitro_spmv_find_access(spmv, coo->num_entries), zero_first,
                       carried};
    int parts = nitro_host_num_parts(NS_PER_ENTRY * (double)coo->num_entries +
                                     (zero_first ? NS_PER_ROW * (double)spmv->num_rows : 0));
    nitro_host_run_parts(add_part, &p, parts);
    nitro_spmv_add_carried(carried, parts, spmv->y);
}

static void fill_part(const void *state, int part, int parts)
{
    const nitro_spmv *spmv = state;
    int64_t end = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part + 1, parts);
    for (int64_t row = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part, parts); row < end;
         row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            spmv->coo->rows[k] = (int32_t)row;
}

int nitro_spmv_make_coo(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    *spmv->coo = (nitro_spmv_coo){
        .num_entries = spmv->num_nonzeros, .columns = spmv->columns, .values = spmv->values};
    if (nitro_kit_allocate_format(part, spmv) != 0)
        return NITRO_ERR_NO_MEMORY;
    if (spmv->coo->rows)
        nitro_host_run_parts(fill_part, spmv,
                             nitro_host_num_parts(NS_PER_ENTRY * (double)spmv->num_nonzeros));
    return 0;
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    nitro_spmv_coo_add(spmv, spmv->coo, true);
    return 0;
}

const nitro_variant nitro_spmv_variant_coo = {
    .name = "coo",
    .version = "3",
    .run = run,
    NITRO_SPMV_FORMAT(coo),
};
