/* Gram matrices by tiles whose sums stay in registers. Each element is summed over the rows in
 * order, so that processors with and without AVX2 get the same bits. */
#include "nitro/learn/kernel/gram_matrix.h"

#include <string.h>

#include "nitro/base/parallel.h"

enum { TILE_ROWS = 4, TILE_COLUMNS = 8, BLOCK_ROWS = 128 /* of a tile's columns, in the cache */ };

typedef struct gram_job {
    const double *rows;
    size_t count, size;
    double *gram;
} gram_job;

typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));

/** Add the products of rows `from` to `end` to one tile. */
static inline __attribute__((always_inline)) void add_tile(const gram_job *job, size_t from,
                                                           size_t end, size_t i, size_t j)
{
    lanes sums[TILE_ROWS][TILE_COLUMNS / 4];
    double *tile = job->gram + i * job->size + j;
    for (size_t r = 0; r < TILE_ROWS; r++)
        memcpy(sums[r], tile + r * job->size, sizeof sums[r]);
    for (size_t row = from; row < end; row++) {
        const double *left = job->rows + row * job->size + i;
        const lanes *right = (const lanes *)(job->rows + row * job->size + j);
        for (size_t r = 0; r < TILE_ROWS; r++)
            for (size_t c = 0; c < TILE_COLUMNS / 4; c++)
                sums[r][c] += left[r] * right[c];
    }
    for (size_t r = 0; r < TILE_ROWS; r++)
        memcpy(tile + r * job->size, sums[r], sizeof sums[r]);
}

/** The same for tiles that the end of the matrix cuts off. */
static void add_edge(const gram_job *job, size_t from, size_t end, size_t i, size_t j)
{
    for (size_t r = i; r < i + TILE_ROWS && r < job->size; r++)
        for (size_t row = from; row < end; row++)
            for (size_t c = j; c < job->size && c < j + TILE_COLUMNS; c++)
                job->gram[r * job->size + c] +=
                    job->rows[row * job->size + r] * job->rows[row * job->size + c];
}

/** TILE_ROWS rows of the result, from a tile that has the diagonal on. */
static inline __attribute__((always_inline)) void fill(const gram_job *job, size_t i)
{
    for (size_t from = 0; from < job->count; from += BLOCK_ROWS) {
        size_t end = from + BLOCK_ROWS < job->count ? from + BLOCK_ROWS : job->count;
        for (size_t j = i / TILE_COLUMNS * TILE_COLUMNS; j < job->size; j += TILE_COLUMNS)
            if (i + TILE_ROWS <= job->size && j + TILE_COLUMNS <= job->size)
                add_tile(job, from, end, i, j);
            else
                add_edge(job, from, end, i, j);
    }
}

static nitro_status fill_plain(void *user, size_t tile)
{
    fill(user, tile * TILE_ROWS);
    return NITRO_OK;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static nitro_status fill_avx2(void *user, size_t tile)
{
    fill(user, tile * TILE_ROWS);
    return NITRO_OK;
}
#endif

nitro_status nitro_gram_matrix(const double *rows, size_t count, size_t size, unsigned num_threads,
                               double *gram)
{
    gram_job job = {rows, count, size, gram};
    size_t num_tiles = (size + TILE_ROWS - 1) / TILE_ROWS;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return nitro_parallel_run(num_threads, num_tiles, fill_avx2, &job);
#endif
    return nitro_parallel_run(num_threads, num_tiles, fill_plain, &job);
}
