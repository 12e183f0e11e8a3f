/* csr: one row after another, entry by entry in two sums. Rows are divided among threads by their
 * non-zeros. Runs every matrix without conversion: the default. */
#include "variants/spmv/host/spmv_kernels.h"

#define NS_PER_ENTRY 0.5
/* An x of so many columns is prefetched even where the last cache would hold it: programs on the
 * processor's other cores fill that, and rows then take three times as long without. */
#define SHARED_COLS (1 << 19)

NITRO_SPMV_INLINE void multiply_rows(const nitro_spmv *spmv, int64_t begin, int64_t end,
                                     const nitro_spmv_access access)
{
    for (int64_t row = begin; row < end; row++)
        spmv->y[row] =
            nitro_spmv_csr_row(spmv, spmv->row_offsets[row], spmv->row_offsets[row + 1], access);
}

void nitro_spmv_csr_multiply(const nitro_spmv *spmv, int64_t begin, int64_t end)
{
    nitro_spmv_access access = nitro_spmv_find_access(spmv, spmv->num_nonzeros);
    if (access == NITRO_SPMV_SPREAD && spmv->num_cols > SHARED_COLS)
        access = NITRO_SPMV_SCATTERED;
    NITRO_SPMV_CALL_FOR(access, multiply_rows, spmv, begin, end);
}

static void multiply_part(const void *state, int part, int parts)
{
    const nitro_spmv *spmv = state;
    int64_t begin = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part, parts);
    int64_t end = nitro_spmv_split(spmv->row_offsets, spmv->num_rows, part + 1, parts);
    nitro_spmv_csr_multiply(spmv, begin, end);
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    double work = (double)(spmv->num_nonzeros + spmv->num_rows);
    nitro_host_run_parts(multiply_part, spmv, nitro_host_num_parts(NS_PER_ENTRY * work));
    return 0;
}

const nitro_variant nitro_spmv_variant_csr = {
    .name = "csr",
    .version = "5",
    .run = run,
};
