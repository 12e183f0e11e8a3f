/* What only CUDA devices need of a matrix: where the tiles of csr_merge and the blocks of
 * csr_adaptive begin, and where blocks of entries (BSR) are, for cuSPARSE. */
#include <stdlib.h>

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
#define PART(type, its_host, ...)                                                                  \
    {                                                                                              \
        .host = &(its_host), .offset = offsetof(nitro_spmv_cuda, plan), .fields = type##_fields,   \
        .num_fields = sizeof(type##_fields) / sizeof(type##_fields[0]),                            \
        .device_bytes = sizeof(nitro_spmv_cuda_##type), __VA_ARGS__                                \
    }

#define HOST(its_name, type)                                                                       \
    {                                                                                              \
        .name = its_name, .prepare = make_##type, .release = nitro_kit_free_format,                \
        .user = (void *)&nitro_spmv_cuda_part_##type                                               \
    }

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

static int make_tiles(void *argument, void *user)
{
    nitro_spmv_cuda *spmv = argument;
    int64_t steps = spmv->host.num_rows + spmv->host.num_nonzeros;
    int64_t num_tiles = (steps + NITRO_SPMV_CUDA_TILE - 1) / NITRO_SPMV_CUDA_TILE;
    nitro_spmv_cuda_tiles *tiles = spmv->plan = calloc(1, sizeof(*tiles));
    if (!tiles)
        return 1;
    tiles->num_tiles = (int32_t)num_tiles;
    tiles->rows = nitro_host_allocate(num_tiles + 1, sizeof(*tiles->rows));
    if (!tiles->rows) {
        nitro_kit_free_format(argument, user);
        return 1;
    }
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
static const nitro_variant tiles_host = HOST("csr_merge", tiles);
const nitro_kit_part nitro_spmv_cuda_part_tiles = PART(tiles, tiles_host);

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

static int make_blocks(void *argument, void *user)
{
    nitro_spmv_cuda *spmv = argument;
    nitro_spmv_cuda_blocks *blocks = spmv->plan = calloc(1, sizeof(*blocks));
    if (!blocks)
        return 1;
    int64_t num_blocks = divide_rows(&spmv->host, NULL);
    blocks->num_blocks = (int32_t)num_blocks;
    blocks->rows = nitro_host_allocate(num_blocks + 1, sizeof(*blocks->rows));
    if (!blocks->rows) {
        nitro_kit_free_format(argument, user);
        return 1;
    }
    divide_rows(&spmv->host, blocks->rows);
    return 0;
}

static const nitro_field blocks_fields[] = {
    NUMBER(blocks, num_blocks),
    ARRAY(blocks, rows, NITRO_IN, NITRO_INT32, "num_blocks + 1"),
};
static const nitro_variant blocks_host = HOST("csr_adaptive", blocks);
const nitro_kit_part nitro_spmv_cuda_part_blocks = PART(blocks, blocks_host);

/* ---- BSR ---- */

static int compare_columns(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
    return (first > second) - (first < second);
}

/* Goes through the entries by rows of blocks. `places`, shape [columns of blocks], zeroed first: 1
 * + the block that a column of blocks was last seen in. Fills columns and row offsets, if `bsr` has
 * them. @return how many blocks there are. */
static int64_t find_blocks(const nitro_spmv *spmv, int64_t block, int64_t *places,
                           nitro_spmv_cuda_bsr *bsr)
{
    int64_t count = 0;
    for (int64_t block_row = 0; block_row < spmv->num_rows / block; block_row++) {
        int64_t first = count, end = spmv->row_offsets[(block_row + 1) * block];
        for (int64_t k = spmv->row_offsets[block_row * block]; k < end; k++) {
            int64_t column = spmv->columns[k] / block;
            if (places[column] > first)
                continue;
            if (bsr->columns)
                bsr->columns[count] = (int32_t)column;
            places[column] = ++count;
        }
        if (!bsr->columns)
            continue;
        bsr->row_offsets[block_row + 1] = (int32_t)count;
        qsort(bsr->columns + first, (size_t)(count - first), sizeof(*bsr->columns),
              compare_columns);
    }
    return count;
}

static int fill_bsr(const nitro_spmv *spmv, int64_t block, int64_t *places,
                    nitro_spmv_cuda_bsr *bsr)
{
    int64_t num_blocks = find_blocks(spmv, block, places, bsr);
    if (num_blocks * block * block > INT32_MAX)
        return 1;
    bsr->block = (int32_t)block;
    bsr->num_rows = (int32_t)(spmv->num_rows / block);
    bsr->num_blocks = (int32_t)num_blocks;
    bsr->row_offsets = nitro_host_allocate(bsr->num_rows + 1, sizeof(*bsr->row_offsets));
    bsr->columns = nitro_host_allocate(num_blocks, sizeof(*bsr->columns));
    if (!bsr->row_offsets || !bsr->columns)
        return 1;
    for (int64_t i = 0; i < spmv->num_cols / block; i++)
        places[i] = 0;
    find_blocks(spmv, block, places, bsr);
    return 0;
}

/* The size of a block that divides rows and columns and takes least memory. */
static int64_t choose_block(const nitro_spmv *spmv, int64_t *places)
{
    int64_t best = 0, best_bytes = 0;
    for (int64_t block = 2; block <= NITRO_SPMV_CUDA_MAX_BSR; block++) {
        if (spmv->num_rows % block != 0 || spmv->num_cols % block != 0)
            continue;
        nitro_spmv_cuda_bsr nothing = {0};
        for (int64_t i = 0; i < spmv->num_cols / block; i++)
            places[i] = 0;
        int64_t bytes = find_blocks(spmv, block, places, &nothing) *
                        (block * block * (int64_t)sizeof(double) + (int64_t)sizeof(int32_t));
        if (best == 0 || bytes < best_bytes) {
            best = block;
            best_bytes = bytes;
        }
    }
    return best;
}

static int make_bsr(void *argument, void *user)
{
    nitro_spmv_cuda *spmv = argument;
    nitro_spmv_cuda_bsr *bsr = spmv->plan = calloc(1, sizeof(*bsr));
    int64_t *places = nitro_host_allocate(spmv->host.num_cols + 1, sizeof(*places));
    int64_t block = bsr && places ? choose_block(&spmv->host, places) : 0;
    if (block > 0)
        for (int64_t i = 0; i < spmv->host.num_cols / block; i++)
            places[i] = 0;
    int failure = block == 0 || fill_bsr(&spmv->host, block, places, bsr) != 0;
    nitro_host_free(places);
    if (failure)
        nitro_kit_free_format(argument, user);
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
static const nitro_variant bsr_host = HOST("bsr", bsr);
const nitro_kit_part nitro_spmv_cuda_part_bsr = PART(bsr, bsr_host, .is_filled_there = true);
