/* Graphs of edges in any order: patterns of symmetric matrices. */
#include "apps/bfs/graph.h"

#include <stdlib.h>
#include <string.h>

#include "apps/matrix/matrix_inputs.h"
#include "apps/matrix/matrix_market.h"

#define NUM_SOURCES 8

void nitro_graph_add(nitro_graph_edges *edges, int64_t a, int64_t b)
{
    int64_t n = edges->num_vertices;
    if (edges->has_failed || a < 0 || b < 0 || a >= n || b >= n || a == b)
        return;
    edges->entries.is_pattern = true;
    edges->has_failed = nitro_matrix_entries_add(NULL, &edges->entries, a, b, 1) != NITRO_OK ||
                        nitro_matrix_entries_add(NULL, &edges->entries, b, a, 1) != NITRO_OK;
}

/* The first vertices with neighbours from hashed places on. */
static int64_t choose_sources(const int64_t *offsets, int64_t n, int32_t *sources)
{
    int64_t count = 0;
    for (int64_t s = 0; s < NUM_SOURCES && n > 0 && offsets[n] > 0; s++) {
        uint64_t hash = ((uint64_t)s + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
        int64_t v = (int64_t)(hash * (uint64_t)n >> 32);
        while (offsets[v + 1] == offsets[v])
            v = v + 1 < n ? v + 1 : 0;
        sources[count++] = (int32_t)v;
    }
    return count;
}

static nitro_status adopt(nitro_context *context, nitro_matrix *matrix, nitro_bfs **bfs)
{
    int32_t sources[NUM_SOURCES];
    nitro_bfs taken = {.num_vertices = matrix->num_rows,
                       .num_edges = matrix->num_nonzeros,
                       .offsets = matrix->row_offsets,
                       .targets = matrix->columns};
    void *made;
    taken.num_sources = choose_sources(taken.offsets, taken.num_vertices, sources);
    nitro_status status = nitro_kit_allocate(context, &nitro_bfs_kit, &taken, &made);
    if (status != NITRO_OK) {
        nitro_matrix_free(matrix);
        return status;
    }
    free(matrix);
    *bfs = made;
    memcpy((int32_t *)(*bfs)->sources, sources, (size_t)taken.num_sources * sizeof(*sources));
    return NITRO_OK;
}

nitro_status nitro_graph_create(nitro_context *context, nitro_graph_edges *edges, nitro_bfs **bfs)
{
    nitro_matrix_entries *entries = &edges->entries;
    nitro_status status = NITRO_OK;
    nitro_matrix *matrix;
    entries->num_rows = entries->num_cols = edges->num_vertices;
    entries->is_pattern = true;
    if (edges->num_vertices > NITRO_BFS_MAX_VERTICES || entries->count > INT32_MAX)
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "bfs: a graph of %lld vertices and %lld edges; there may be %d "
                            "vertices, and %d edges",
                            (long long)edges->num_vertices, (long long)entries->count / 2,
                            NITRO_BFS_MAX_VERTICES, INT32_MAX / 2);
    else if (edges->has_failed)
        status = nitro_fail(context, NITRO_ERR_NO_MEMORY,
                            "out of memory for a graph of %lld vertices and %lld edges",
                            (long long)edges->num_vertices, (long long)entries->count / 2);
    if (status != NITRO_OK) {
        nitro_matrix_entries_free(entries);
        return status;
    }
    status = nitro_matrix_create(context, "the graph", entries, &matrix);
    return status == NITRO_OK ? adopt(context, matrix, bfs) : status;
}

nitro_status nitro_graph_load(nitro_context *context, const char *path, void **data)
{
    nitro_matrix *matrix;
    nitro_bfs *bfs;
    nitro_status status = nitro_matrix_market_read(context, path, &matrix);
    if (status != NITRO_OK)
        return status;
    nitro_graph_edges edges = {.num_vertices = matrix->num_rows};
    status = nitro_matrix_check_square(context, path, matrix, "a graph");
    for (int64_t row = 0; row < matrix->num_rows && status == NITRO_OK; row++)
        for (int64_t k = matrix->row_offsets[row]; k < matrix->row_offsets[row + 1]; k++)
            nitro_graph_add(&edges, row, matrix->columns[k]);
    nitro_matrix_free(matrix);
    if (status == NITRO_OK)
        status = nitro_graph_create(context, &edges, &bfs);
    if (status == NITRO_OK)
        *data = bfs;
    return status;
}
