/* hybrid: the regular part in ELL, the rest in COO, split for least memory: an ELL slot costs 12
 * bytes in every row, a COO entry 16, so slot k pays while more than 3/4 of the rows have a k-th
 * entry. Never larger than COO alone: runs every matrix. */
#include "variants/spmv/host/spmv_kernels.h"

/* The largest width whose last slot is filled by more than 12/16 of the rows. It cannot exceed
 * 16/12 of the mean length, so longer rows are counted together. */
static int choose_width(const nitro_spmv *spmv, int64_t *width)
{
    int64_t rows = spmv->num_rows;
    int64_t limit = rows > 0 ? spmv->num_nonzeros / rows * 4 / 3 + 3 : 0;
    int64_t *shorter = nitro_host_allocate(limit + 2, sizeof(*shorter)); /* rows of that length */
    if (!shorter)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t row = 0; row < rows; row++) {
        int64_t length = spmv->row_offsets[row + 1] - spmv->row_offsets[row];
        shorter[length < limit ? length : limit + 1]++;
    }
    int64_t filled = rows;
    *width = 0;
    for (int64_t k = 1; k <= limit; k++) {
        filled -= shorter[k - 1];
        if (filled * 16 <= rows * 12)
            break;
        *width = k;
    }
    nitro_host_free(shorter);
    return 0;
}

/* Where the entries beyond the first ell.width of each row begin among all of them. */
static int find_rest(const nitro_spmv *spmv, nitro_spmv_hybrid *hybrid)
{
    hybrid->num_offsets = spmv->num_rows + 1;
    hybrid->rest_offsets = nitro_host_allocate(hybrid->num_offsets, sizeof(*hybrid->rest_offsets));
    if (!hybrid->rest_offsets)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        int64_t length = spmv->row_offsets[row + 1] - spmv->row_offsets[row];
        int64_t rest = length - hybrid->ell.width;
        hybrid->rest_offsets[row + 1] = hybrid->rest_offsets[row] + (rest > 0 ? rest : 0);
    }
    hybrid->coo.num_entries = hybrid->rest_offsets[spmv->num_rows];
    return 0;
}

static void fill_rest(const nitro_spmv *spmv, int64_t width, nitro_spmv_coo *coo)
{
    int32_t *columns = (int32_t *)coo->columns; /* owned here; const for readers */
    double *values = (double *)coo->values;
    int64_t at = 0;
    for (int64_t row = 0; row < spmv->num_rows; row++)
        for (int64_t k = spmv->row_offsets[row] + width; k < spmv->row_offsets[row + 1]; k++) {
            coo->rows[at] = (int32_t)row;
            columns[at] = spmv->columns[k];
            values[at++] = spmv->values[k];
        }
}

int nitro_spmv_make_hybrid(void *argument, const nitro_kit_part *part)
{
    nitro_spmv *spmv = argument;
    nitro_spmv_hybrid *hybrid = spmv->hybrid;
    if (choose_width(spmv, &hybrid->ell.width) != 0 || find_rest(spmv, hybrid) != 0)
        return NITRO_ERR_NO_MEMORY;
    nitro_spmv_ell_set_layout(&hybrid->ell, spmv->num_rows, !part->is_filled_there);
    if (nitro_kit_allocate_format(part, spmv) != 0)
        return NITRO_ERR_NO_MEMORY;
    if (part->is_filled_there)
        return 0;
    nitro_spmv_ell_fill(spmv, &hybrid->ell);
    fill_rest(spmv, hybrid->ell.width, &hybrid->coo);
    nitro_host_free(hybrid->rest_offsets);
    hybrid->rest_offsets = NULL;
    hybrid->num_offsets = 0;
    return 0;
}

static int run(void *argument, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    bool has_ell = spmv->hybrid->ell.width > 0;
    if (has_ell)
        nitro_spmv_ell_multiply(spmv, &spmv->hybrid->ell);
    nitro_spmv_coo_add(spmv, &spmv->hybrid->coo, !has_ell);
    return 0;
}

const nitro_variant nitro_spmv_variant_hybrid = {
    .name = "hybrid",
    .version = "6",
    .run = run,
    NITRO_SPMV_FORMAT(hybrid),
};
