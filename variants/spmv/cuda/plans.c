/* What CUDA devices need of a matrix before they fill a format: its diagonals, where the tiles of
 * csr_merge and the blocks of csr_adaptive begin, and how many blocks of entries (BSR) there are,
 * for cuSPARSE. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

/* On the host as on the device: the same struct. */
#define NUMBER(type, member)                                                                       \
    {                                                                                              \
        .name = #member, .role = NITRO_SCALAR, .element = NITRO_INT32,                             \
        .offset = offsetof(nitro_spmv_cuda_##type, member),                                        \
        NITRO_ON_DEVICE(nitro_spmv_cuda_##type, member)                                            \
    }
#define ARRAY(type, member, role, element, count)                                                  \
    NITRO_ARRAY(nitro_spmv_cuda_##type, member, role, element, count,                              \
                NITRO_ON_DEVICE(nitro_spmv_cuda_##type, member))
/* A format with what kit and spmv ask of its variant on the host. */
#define FORMAT(type, its_name, its_allows, is_plan)                                                \
    static const nitro_variant type##_host = {.name = its_name,                                    \
                                              .prepare = nitro_spmv_prepare_format,                \
                                              .release = nitro_kit_free_format,                    \
                                              .allows = its_allows,                                \
                                              .user = (void *)&nitro_spmv_cuda_part_##type};       \
    const nitro_spmv_format nitro_spmv_cuda_part_##type = {                                        \
        .part = {.host = &type##_host,                                                             \
                 .offset = offsetof(nitro_spmv_cuda, plan),                                        \
                 .fields = type##_fields,                                                          \
                 .num_fields = sizeof(type##_fields) / sizeof(type##_fields[0]),                   \
                 .device_bytes = sizeof(nitro_spmv_cuda_##type),                                   \
                 .is_filled_there = is_plan},                                                      \
        .bytes = sizeof(nitro_spmv_cuda_##type),                                                   \
        .make = make_##type,                                                                       \
    };

/* ---- dia ---- */

/* A multiple of what a warp reads at once. */
#define STRIDE 32

static int list_diagonals(nitro_spmv_cuda *spmv, const unsigned char *found,
                          nitro_spmv_cuda_dia *dia)
{
    int64_t num_rows = spmv->host.num_rows, end = num_rows + spmv->host.num_cols, count = 0;
    for (int64_t i = 0; i < end; i++)
        count += found[i];
    if (!nitro_spmv_dia_pays(&spmv->host, count))
        return nitro_cuda_fail(&spmv->cuda, "dia: %lld diagonals are too many", (long long)count);
    dia->num_diagonals = (int32_t)count;
    dia->stride = (int32_t)((num_rows + STRIDE - 1) / STRIDE * STRIDE);
    dia->offsets = nitro_host_allocate(count, sizeof(*dia->offsets));
    if (!dia->offsets)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t i = 0, d = 0; i < end; i++)
        if (found[i])
            dia->offsets[d++] = (int32_t)(i - num_rows);
    return 0;
}

static int make_dia(void *argument, const nitro_kit_part *part)
{
    (void)part;
    nitro_spmv_cuda *spmv = argument;
    unsigned char *found = nitro_host_allocate(spmv->host.num_rows + spmv->host.num_cols, 1);
    int failure = found ? nitro_spmv_cuda_find_diagonals(spmv, found) : NITRO_ERR_NO_MEMORY;
    if (!failure)
        failure = list_diagonals(spmv, found, spmv->plan);
    nitro_host_free(found);
    return failure;
}

static const nitro_field dia_fields[] = {
    NUMBER(dia, num_diagonals),
    NUMBER(dia, stride),
    ARRAY(dia, offsets, NITRO_IN, NITRO_INT32, "num_diagonals"),
    ARRAY(dia, values, NITRO_IN, NITRO_FLOAT64, "num_diagonals * stride"),
};
FORMAT(dia, "dia", nitro_spmv_allows_dia, true)

/* ---- csr_merge ---- */

/* How many rows end before step `step` of the merge of row ends and entries. */
static int64_t find_row(const nitro_spmv *spmv, int64_t step)
{
    int64_t low = step > spmv->num_nonzeros ? step - spmv->num_nonzeros : 0;
    int64_t high = step < spmv->num_rows ? step : spmv->num_rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (spmv->row_offsets[middle + 1] <= step - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int make_tiles(void *argument, const nitro_kit_part *part)
{
    (void)part;
    nitro_spmv_cuda *spmv = argument;
    int64_t steps = spmv->host.num_rows + spmv->host.num_nonzeros;
    int64_t num_tiles = (steps + NITRO_SPMV_CUDA_TILE - 1) / NITRO_SPMV_CUDA_TILE;
    nitro_spmv_cuda_tiles *tiles = spmv->plan;
    tiles->num_tiles = (int32_t)num_tiles;
    tiles->rows = nitro_host_allocate(num_tiles + 1, sizeof(*tiles->rows));
    if (!tiles->rows)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t tile = 0; tile <= num_tiles; tile++) {
        int64_t step = tile < num_tiles ? tile * NITRO_SPMV_CUDA_TILE : steps;
        tiles->rows[tile] = (int32_t)find_row(&spmv->host, step);
    }
    return 0;
}

static const nitro_field tiles_fields[] = {
    NUMBER(tiles, num_tiles),
    ARRAY(tiles, rows, NITRO_IN, NITRO_INT32, "num_tiles + 1"),
    ARRAY(tiles, carry_rows, NITRO_SCRATCH, NITRO_INT32, "num_tiles"),
    ARRAY(tiles, carries, NITRO_SCRATCH, NITRO_FLOAT64, "num_tiles"),
};
FORMAT(tiles, "csr_merge", NULL, false)

/* ---- csr_adaptive ---- */

/* `rows`, shape [num_blocks + 1], is written where it is not NULL. @return num_blocks */
static int64_t divide_rows(const nitro_spmv *spmv, int32_t *rows)
{
    int64_t num_blocks = 0;
    for (int64_t row = 0; row < spmv->num_rows; num_blocks++) {
        int64_t end = row + 1;
        while (end < spmv->num_rows && end - row < NITRO_SPMV_CUDA_BLOCK &&
               spmv->row_offsets[end + 1] - spmv->row_offsets[row] <= NITRO_SPMV_CUDA_STREAM)
            end++;
        if (rows)
            rows[num_blocks] = (int32_t)row;
        row = end;
    }
    if (rows)
        rows[num_blocks] = (int32_t)spmv->num_rows;
    return num_blocks;
}

static int make_blocks(void *argument, const nitro_kit_part *part)
{
    (void)part;
    nitro_spmv_cuda *spmv = argument;
    nitro_spmv_cuda_blocks *blocks = spmv->plan;
    int64_t num_blocks = divide_rows(&spmv->host, NULL);
    blocks->num_blocks = (int32_t)num_blocks;
    blocks->rows = nitro_host_allocate(num_blocks + 1, sizeof(*blocks->rows));
    if (!blocks->rows)
        return NITRO_ERR_NO_MEMORY;
    divide_rows(&spmv->host, blocks->rows);
    return 0;
}

static const nitro_field blocks_fields[] = {
    NUMBER(blocks, num_blocks),
    ARRAY(blocks, rows, NITRO_IN, NITRO_INT32, "num_blocks + 1"),
};
FORMAT(blocks, "csr_adaptive", NULL, false)

/* ---- BSR ---- */

/* Row offsets of blocks. @return how many bytes the blocks take */
static int64_t add_up(const int32_t *counts, int64_t block, nitro_spmv_cuda_bsr *bsr)
{
    int32_t sum = 0; /* no more than there are entries */
    for (int32_t row = 0; row < bsr->num_rows; row++) {
        bsr->row_offsets[row] = sum;
        sum += counts[row];
    }
    bsr->row_offsets[bsr->num_rows] = sum;
    bsr->num_blocks = sum;
    return sum * (block * block * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t));
}

static int count_blocks(nitro_spmv_cuda *spmv, int64_t block, int32_t *counts,
                        nitro_spmv_cuda_bsr *bsr, int64_t *bytes)
{
    int failure = nitro_spmv_cuda_count_blocks(spmv, (int)block, counts);
    if (failure)
        return failure;
    bsr->block = (int32_t)block;
    bsr->num_rows = (int32_t)(spmv->host.num_rows / block);
    *bytes = add_up(counts, block, bsr);
    return 0;
}

/* The size of a block that divides rows and columns and takes least memory. */
static int find_blocks(nitro_spmv_cuda *spmv, int32_t *counts, nitro_spmv_cuda_bsr *bsr)
{
    int64_t best = 0, best_bytes = 0, bytes;
    int failure;
    for (int64_t block = 2; block <= NITRO_SPMV_CUDA_MAX_BSR; block++) {
        if (spmv->host.num_rows % block != 0 || spmv->host.num_cols % block != 0)
            continue;
        failure = count_blocks(spmv, block, counts, bsr, &bytes);
        if (failure)
            return failure;
        if (best == 0 || bytes < best_bytes) {
            best = block;
            best_bytes = bytes;
        }
    }
    if (best == 0)
        return nitro_cuda_fail(&spmv->cuda, "bsr: no blocks divide %lld x %lld",
                               (long long)spmv->host.num_rows, (long long)spmv->host.num_cols);
    failure = best != bsr->block ? count_blocks(spmv, best, counts, bsr, &bytes) : 0;
    if (failure)
        return failure;
    if (bsr->num_blocks * best * best > INT32_MAX)
        return nitro_cuda_fail(&spmv->cuda, "bsr: %d blocks of %d x %d are too many",
                               bsr->num_blocks, bsr->block, bsr->block);
    return 0;
}

static int make_bsr(void *argument, const nitro_kit_part *part)
{
    (void)part;
    nitro_spmv_cuda *spmv = argument;
    int64_t most_rows = spmv->host.num_rows / 2 + 1;
    nitro_spmv_cuda_bsr *bsr = spmv->plan;
    int32_t *counts = nitro_host_allocate(most_rows, sizeof(*counts));
    bsr->row_offsets = nitro_host_allocate(most_rows, sizeof(*bsr->row_offsets));
    int failure = bsr->row_offsets && counts ? find_blocks(spmv, counts, bsr) : NITRO_ERR_NO_MEMORY;
    nitro_host_free(counts);
    return failure;
}

static const nitro_field bsr_fields[] = {
    NUMBER(bsr, block),
    NUMBER(bsr, num_rows),
    NUMBER(bsr, num_blocks),
    ARRAY(bsr, row_offsets, NITRO_IN, NITRO_INT32, "num_rows + 1"),
    ARRAY(bsr, columns, NITRO_IN, NITRO_INT32, "num_blocks"),
    ARRAY(bsr, values, NITRO_IN, NITRO_FLOAT64, "num_blocks * block * block"),
};
FORMAT(bsr, "bsr", NULL, true)
