/* csr_vector: SIMD within the row. Eight entries at a time in two sets of accumulators, so that
 * long rows do not depend on one sum, with prefetching. The order of additions is fixed: every
 * vector unit gives the same bits. Runs every matrix. */
#include "variants/spmv/host/spmv_kernels.h"

/* Shorter vectors, for what is left of a row. */
typedef nitro_spmv_pair pair;
typedef double quad __attribute__((vector_size(32)));
typedef double pair_unaligned __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad_unaligned __attribute__((vector_size(32), aligned(8), may_alias));
#define LOAD_PAIR(from) (*(const pair_unaligned *)(from))
#define LOAD_QUAD(from) (*(const quad_unaligned *)(from))

NITRO_SPMV_INLINE double sum_of_lanes(const nitro_spmv_lanes *lanes)
{
    nitro_spmv_lanes v = *lanes;
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

NITRO_SPMV_INLINE void query_ahead(const double *values, const int32_t *columns, int64_t k)
{
    NITRO_SPMV_PREFETCH(values, k + NITRO_SPMV_AHEAD);
    NITRO_SPMV_PREFETCH(columns, k + NITRO_SPMV_AHEAD);
}

/* The sum of whole groups of eight entries; `*k` moves on to the rest. */
NITRO_SPMV_INLINE double multiply_lanes(const double *restrict values,
                                        const int32_t *restrict columns, const double *restrict x,
                                        int64_t *k, int64_t end)
{
    nitro_spmv_lanes even = {0}, odd = {0};
    int64_t at = *k;
    for (; at + 2 * NITRO_SPMV_LANES <= end; at += 2 * NITRO_SPMV_LANES) {
        const int32_t *next = columns + at + NITRO_SPMV_LANES;
        query_ahead(values, columns, at);
        NITRO_SPMV_PREFETCH(values, at + NITRO_SPMV_LANES + NITRO_SPMV_AHEAD);
        even += NITRO_SPMV_LOAD(values + at) * NITRO_SPMV_GATHER(x, columns + at);
        odd += NITRO_SPMV_LOAD(values + at + NITRO_SPMV_LANES) * NITRO_SPMV_GATHER(x, next);
    }
    if (at + NITRO_SPMV_LANES <= end) {
        query_ahead(values, columns, at);
        even += NITRO_SPMV_LOAD(values + at) * NITRO_SPMV_GATHER(x, columns + at);
        at += NITRO_SPMV_LANES;
    }
    *k = at;
    even += odd;
    return sum_of_lanes(&even);
}

/* The sum of the last `count` entries of a row, seven at most: four, two and one at a time. */
NITRO_SPMV_INLINE double multiply_rest(const double *restrict values,
                                       const int32_t *restrict columns, const double *restrict x,
                                       int64_t count)
{
    pair sums = {0};
    if (count & 4) {
        quad products =
            LOAD_QUAD(values) * (quad){x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]};
        sums = (pair){products[0], products[1]} + (pair){products[2], products[3]};
        values += 4;
        columns += 4;
    }
    if (count & 2) {
        sums += LOAD_PAIR(values) * (pair){x[columns[0]], x[columns[1]]};
        values += 2;
        columns += 2;
    }
    double sum = sums[0] + sums[1];
    return count & 1 ? sum + values[0] * x[columns[0]] : sum;
}

NITRO_SPMV_INLINE double row_sum(const int64_t *restrict row_offsets,
                                 const int32_t *restrict columns, const double *restrict values,
                                 const double *restrict x, int64_t row)
{
    int64_t k = row_offsets[row], row_end = row_offsets[row + 1];
    query_ahead(values, columns, k);
    double sum = 0;
    if (row_end - k >= NITRO_SPMV_LANES)
        sum = multiply_lanes(values, columns, x, &k, row_end);
    if (k < row_end)
        sum += multiply_rest(values + k, columns + k, x, row_end - k);
    return sum;
}

NITRO_SPMV_CLONES
static void multiply_rows(const int64_t *restrict row_offsets, const int32_t *restrict columns,
                          const double *restrict values, const double *restrict x,
                          double *restrict y, int64_t begin, int64_t end)
{
    for (int64_t row = begin; row < end; row++)
        y[row] = row_sum(row_offsets, columns, values, x, row);
}

/* The same for two rows at a time, with non-temporal stores. `begin` is even. */
NITRO_SPMV_CLONES
static void stream_rows(const int64_t *restrict row_offsets, const int32_t *restrict columns,
                        const double *restrict values, const double *restrict x, double *restrict y,
                        int64_t begin, int64_t end)
{
    int64_t row = begin;
    for (; row + 2 <= end; row += 2) {
        pair sums = {row_sum(row_offsets, columns, values, x, row),
                     row_sum(row_offsets, columns, values, x, row + 1)};
        NITRO_SPMV_STREAM(y + row, sums);
    }
    if (row < end)
        y[row] = row_sum(row_offsets, columns, values, x, row);
    NITRO_SPMV_FENCE();
}

static void multiply_part(const nitro_spmv *spmv, int part, int parts)
{
    int64_t begin = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part, parts);
    int64_t end = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part + 1, parts);
    if (!nitro_spmv_streams(spmv->y, spmv->num_rows)) {
        multiply_rows(spmv->row_offsets, spmv->columns, spmv->values, spmv->x, spmv->y, begin, end);
        return;
    }
    begin += begin % 2; /* pairs of rows belong to one part */
    end += end % 2 && end < spmv->num_rows;
    stream_rows(spmv->row_offsets, spmv->columns, spmv->values, spmv->x, spmv->y, begin, end);
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    int parts = nitro_spmv_num_parts(spmv->num_nonzeros + spmv->num_rows);
#pragma omp parallel for schedule(static) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; part++)
        multiply_part(spmv, part, parts);
    return 0;
}

const nitro_variant nitro_spmv_variant_csr_vector = {
    .name = "csr_vector",
    .version = "1",
    .run = run,
    .time_source = NITRO_TIME_WALL,
};
