/* csr: one row after another, entry by entry, with prefetching. Rows are divided among threads by
 * their non-zeros. Runs every matrix without conversion: the default. */
#include "variants/spmv/host/spmv_kernels.h"

static void multiply_rows(const nitro_spmv *spmv, int64_t begin, int64_t end)
{
    const double *x = spmv->x;
    for (int64_t row = begin; row < end; row++) {
        int64_t k = spmv->row_offsets[row], row_end = spmv->row_offsets[row + 1];
        NITRO_SPMV_PREFETCH(spmv->values, k + NITRO_SPMV_AHEAD);
        NITRO_SPMV_PREFETCH(spmv->columns, k + NITRO_SPMV_AHEAD);
        double sum = 0;
        for (; k < row_end; k++)
            sum += spmv->values[k] * x[spmv->columns[k]];
        spmv->y[row] = sum;
    }
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    int parts = nitro_spmv_num_parts(spmv->num_nonzeros + spmv->num_rows);
#pragma omp parallel for schedule(static) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; part++)
        multiply_rows(spmv, nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part, parts),
                      nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part + 1, parts));
    return 0;
}

const nitro_variant nitro_spmv_variant_csr = {
    .name = "csr",
    .version = "1",
    .run = run,
    .time_source = NITRO_TIME_WALL,
};
