/* csr_vector: SIMD within the row. Eight entries at a time in two sets of accumulators, so that
 * long rows do not depend on one sum, and what is left of them by a mask. Short rows are read as in
 * csr where their neighbours are equally long. Else no processor predicts their lengths: products
 * of all rows of a group are made first, as if they were one row, and then summed by masks. The
 * order of additions is fixed: every vector unit, and every number of threads that cuts no row,
 * gives the same bits. Where x comes from memory, vectors gain little, and rows are read as in csr.
 *
 * Entries and rows are divided among threads along the merge path (Merrill and Garland, SC16), in
 * parts of equal work that may begin inside a row, but only inside rows so long that parts would be
 * uneven otherwise. The part in which a row ends stores its sum; those before carry theirs, and
 * they are added when all parts are done. Runs every matrix. */
#include "variants/spmv/host/spmv_kernels.h"

#define NS_PER_ENTRY 0.35
#define NS_PER_ROW   1.5
#define UNEVEN       16                         /* rows longer than this share of a part are cut */
#define SHORT_ROW    (2 * NITRO_SPMV_LANES - 1) /* entries, at most */
#define GROUP_ROWS   64
#define MOST_EMPTY   0.75 /* share of the rows of a group */

typedef nitro_spmv_pair pair;
typedef nitro_spmv_quad quad;
typedef int64_t octet_bits __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t quad_bits __attribute__((vector_size(32), aligned(8), may_alias));

NITRO_SPMV_INLINE double sum_of_lanes(const nitro_spmv_lanes *even, const nitro_spmv_lanes *odd,
                                      const int unit)
{
    nitro_spmv_lanes sums;
    if (NITRO_SPMV_IS_WIDE(unit))
        sums.whole = even->whole + odd->whole;
    else
        for (int i = 0; i < 2; i++)
            sums.halves[i] = even->halves[i] + odd->halves[i];
    quad v = sums.halves[0] + sums.halves[1];
    return (v[0] + v[1]) + (v[2] + v[3]);
}

NITRO_SPMV_INLINE void prefetch_matrix(const nitro_spmv *spmv, int64_t k, const bool prefetches)
{
    if (prefetches) {
        NITRO_SPMV_PREFETCH(spmv->values, k + NITRO_SPMV_AHEAD);
        NITRO_SPMV_PREFETCH(spmv->columns, k + NITRO_SPMV_AHEAD);
    }
}

/* Adds the last `count` of the eight entries before `end`, all of which are the row's own: no
 * branch depends on how many there are. */
NITRO_SPMV_INLINE void add_rest(nitro_spmv_lanes *sums, const nitro_spmv *spmv, int64_t count,
                                int64_t end, const int unit)
{
    static const int64_t masks[2 * NITRO_SPMV_LANES] = {
        [NITRO_SPMV_LANES] = -1, -1, -1, -1, -1, -1, -1, -1};
    int64_t at = end - NITRO_SPMV_LANES;
    nitro_spmv_lanes products = {{0}};
    nitro_spmv_add(&products, spmv->values + at, spmv->x, spmv->columns + at, unit);
    if (NITRO_SPMV_IS_WIDE(unit))
        sums->whole +=
            (nitro_spmv_octet)((octet_bits)products.whole & *(const octet_bits *)(masks + count));
    else
        for (int i = 0; i < 2; i++)
            sums->halves[i] +=
                (quad)((quad_bits)products.halves[i] & *(const quad_bits *)(masks + count + 4 * i));
}

/* The products of entries [begin, end) with x; then those of up to seven entries of later rows, and
 * eight zeros. */
NITRO_SPMV_INLINE void multiply_entries(const nitro_spmv *spmv, int64_t begin, int64_t end,
                                        double *products, const int unit, const bool prefetches)
{
    const nitro_spmv_lanes none = {{0}};
    int64_t k = begin;
    for (; k < end && k + NITRO_SPMV_LANES <= spmv->num_nonzeros; k += NITRO_SPMV_LANES) {
        nitro_spmv_lanes lanes = none;
        prefetch_matrix(spmv, k, prefetches);
        nitro_spmv_add(&lanes, spmv->values + k, spmv->x, spmv->columns + k, unit);
        nitro_spmv_store(products + (k - begin), &lanes, unit);
    }
    for (; k < end; k++)
        products[k - begin] = spmv->values[k] * spmv->x[spmv->columns[k]];
    nitro_spmv_store(products + (k - begin), &none, unit);
}

/* Adds the first `count` of eight products. */
NITRO_SPMV_INLINE void add_first(nitro_spmv_lanes *sums, const double *products, int64_t count,
                                 const int unit)
{
    static const int64_t masks[2 * NITRO_SPMV_LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const int64_t *mask = masks + NITRO_SPMV_LANES - count;
    if (NITRO_SPMV_IS_WIDE(unit))
        sums->whole +=
            (nitro_spmv_octet)(*(const octet_bits *)products & *(const octet_bits *)mask);
    else
        for (int i = 0; i < 2; i++)
            sums->halves[i] +=
                (quad)(*(const quad_bits *)(products + 4 * i) & *(const quad_bits *)(mask + 4 * i));
}

/* The sum of a short row's products. */
NITRO_SPMV_INLINE double sum_short(const double *products, int64_t count, const int unit)
{
    nitro_spmv_lanes even = {{0}}, odd = {{0}};
    if (count > NITRO_SPMV_LANES) {
        add_first(&odd, products + NITRO_SPMV_LANES, count - NITRO_SPMV_LANES, unit);
        count = NITRO_SPMV_LANES;
    }
    add_first(&even, products, count, unit);
    return sum_of_lanes(&even, &odd, unit);
}

/* The sum of eight entries or more. */
NITRO_SPMV_INLINE double sum_many(const nitro_spmv *spmv, int64_t begin, int64_t end,
                                  const int unit, const bool prefetches)
{
    const int32_t *restrict columns = spmv->columns;
    const double *restrict values = spmv->values, *restrict x = spmv->x;
    nitro_spmv_lanes even = {{0}}, odd = {{0}};
    int64_t k = begin;
    for (; k + 2 * NITRO_SPMV_LANES <= end; k += 2 * NITRO_SPMV_LANES) {
        prefetch_matrix(spmv, k, prefetches);
        if (prefetches)
            NITRO_SPMV_PREFETCH(values, k + NITRO_SPMV_LANES + NITRO_SPMV_AHEAD);
        nitro_spmv_add(&even, values + k, x, columns + k, unit);
        nitro_spmv_add(&odd, values + k + NITRO_SPMV_LANES, x, columns + k + NITRO_SPMV_LANES,
                       unit);
    }
    if (k + NITRO_SPMV_LANES <= end) {
        nitro_spmv_add(&even, values + k, x, columns + k, unit);
        k += NITRO_SPMV_LANES;
    }
    if (k < end)
        add_rest(&odd, spmv, end - k, end, unit);
    return sum_of_lanes(&even, &odd, unit);
}

/* The sum of entries [k, end) of a row. */
NITRO_SPMV_INLINE double sum_entries(const nitro_spmv *spmv, int64_t k, int64_t end, const int unit,
                                     const bool prefetches)
{
    if (end - k > SHORT_ROW)
        return sum_many(spmv, k, end, unit, prefetches);
    return nitro_spmv_csr_row(spmv, k, end, prefetches ? NITRO_SPMV_STREAMED : NITRO_SPMV_CACHED);
}

typedef struct product {
    const nitro_spmv *spmv;
    nitro_spmv_access access;
    int parts; /* may begin inside a row; what these are divided into for turns may not */
    nitro_spmv_carry *carried; /* one for each that is run */
} product;

/* Rows of unequal lengths, within a group. */
NITRO_SPMV_INLINE void multiply_unequal(const nitro_spmv *spmv, int64_t row, int64_t end,
                                        const int unit, const bool prefetches)
{
    const int64_t *offsets = spmv->row_offsets;
    double *restrict y = spmv->y, products[GROUP_ROWS * SHORT_ROW + 2 * NITRO_SPMV_LANES];
    while (row < end) {
        int64_t first = offsets[row], last = row;
        while (last < end && offsets[last + 1] - offsets[last] <= SHORT_ROW)
            last++;
        if (last == row) {
            y[row] = sum_many(spmv, first, offsets[row + 1], unit, prefetches);
            row++;
            continue;
        }
        multiply_entries(spmv, first, offsets[last], products, unit, prefetches);
        for (; row < last; row++)
            y[row] =
                sum_short(products + (offsets[row] - first), offsets[row + 1] - offsets[row], unit);
    }
}

/* Do rows differ in length, but not because most of them are empty? */
NITRO_SPMV_INLINE bool are_unequal(const int64_t *offsets, int64_t row, int64_t end)
{
    int64_t first = offsets[row + 1] - offsets[row], num_rows = end - row;
    int64_t num_others = 0, num_empty = 0;
    for (; row < end; row++) {
        int64_t length = offsets[row + 1] - offsets[row];
        num_others += length != first;
        num_empty += length == 0;
    }
    return num_others > 0 && (double)num_empty < MOST_EMPTY * (double)num_rows;
}

/* How a row is summed depends on its whole group, and so not on where a part begins or ends. */
NITRO_SPMV_INLINE void multiply_rows(const nitro_spmv *spmv, int64_t row, int64_t end,
                                     const int unit, const bool prefetches)
{
    const int64_t *offsets = spmv->row_offsets;
    while (row < end) {
        int64_t group = row / GROUP_ROWS * GROUP_ROWS, group_end = group + GROUP_ROWS;
        group_end = group_end < spmv->num_rows ? group_end : spmv->num_rows;
        int64_t last = group_end < end ? group_end : end;
        if (are_unequal(offsets, group, group_end)) {
            multiply_unequal(spmv, row, last, unit, prefetches);
            row = last;
        }
        for (; row < last; row++)
            spmv->y[row] = sum_entries(spmv, offsets[row], offsets[row + 1], unit, prefetches);
    }
}

/* Where a part begins: at entry `k` of `row`. */
typedef struct position {
    int64_t row, k;
} position;

static position begin_of(const product *p, int part, int parts)
{
    const nitro_spmv *spmv = p->spmv;
    const int64_t *offsets = spmv->row_offsets;
    int64_t row = nitro_spmv_split(offsets, spmv->num_rows, part, parts);
    position at = {row, offsets[row]};
    int turns = parts / p->parts, turn = part % turns;
    if (turn != 0) {
        position next = begin_of(p, part - turn + turns, parts);
        return row > next.row ? next : at;
    }
    if (part == 0 || part == parts || row == 0)
        return at;
    int64_t work = spmv->num_nonzeros + spmv->num_rows;
    int64_t length = offsets[row] - offsets[row - 1];
    if (length <= work / p->parts / UNEVEN)
        return at;
    int64_t k = nitro_host_split_evenly(work, part, parts) - (row - 1);
    return k < offsets[row] ? (position){row - 1, k} : at;
}

NITRO_SPMV_INLINE void multiply_part(const void *state, int part, int parts, const int unit)
{
    const product *p = state;
    const nitro_spmv *spmv = p->spmv;
    const int64_t *offsets = spmv->row_offsets;
    position begin = begin_of(p, part, parts), end = begin_of(p, part + 1, parts);
    p->carried[part].row = -1;
    if (begin.k > offsets[begin.row] && begin.row < end.row) {
        spmv->y[begin.row] = sum_entries(spmv, begin.k, offsets[begin.row + 1], unit, true);
        begin.row++;
        begin.k = offsets[begin.row];
    }
    if (p->access == NITRO_SPMV_SCATTERED)
        nitro_spmv_csr_multiply(spmv, begin.row, end.row);
    else if (p->access == NITRO_SPMV_CACHED)
        multiply_rows(spmv, begin.row, end.row, unit, false);
    else
        multiply_rows(spmv, begin.row, end.row, unit, true);
    int64_t rest = begin.row < end.row ? offsets[end.row] : begin.k;
    if (rest < end.k)
        p->carried[part] = (nitro_spmv_carry){end.row, sum_entries(spmv, rest, end.k, unit, true)};
}
NITRO_SPMV_COMPILE(multiply_part)

static int run(void *argument, void *user)
{
    (void)user;
    nitro_spmv *spmv = argument;
    nitro_spmv_carry carried[NITRO_HOST_MAX_PARTS];
    int parts = nitro_host_num_parts(NS_PER_ENTRY * (double)spmv->num_nonzeros +
                                     NS_PER_ROW * (double)spmv->num_rows);
    const product p = {spmv, nitro_spmv_find_access(spmv, spmv->num_nonzeros), parts, carried};
    parts = nitro_spmv_run_parts(multiply_part_units, &spmv->gather_votes, &p, p.access, parts);
    nitro_spmv_add_carried(carried, parts, spmv->y);
    return 0;
}

const nitro_variant nitro_spmv_variant_csr_vector = {
    .name = "csr_vector",
    .version = "8",
    .run = run,
};
