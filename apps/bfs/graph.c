/* Graphs of edges in any order, by counting: linear time. */
#include "apps/bfs/graph.h"

#include <stdlib.h>
#include <string.h>

#include "apps/matrix/matrix_market.h"

#define NUM_SOURCES 8

void nitro_graph_add(nitro_graph_edges *edges, int64_t a, int64_t b)
{
    int64_t n = edges->num_vertices;
    if (edges->has_failed || a < 0 || b < 0 || a >= n || b >= n || a == b)
        return;
    if (edges->count == edges->capacity) {
        int64_t more = edges->capacity < 512 ? 1024 : edges->capacity * 2;
        int32_t *ends = reallocarray(edges->ends, (size_t)more, 2 * sizeof(*ends));
        edges->has_failed = !ends;
        if (!ends)
            return;
        edges->ends = ends;
        edges->capacity = more;
    }
    edges->ends[2 * edges->count] = (int32_t)a;
    edges->ends[2 * edges->count++ + 1] = (int32_t)b;
}

/* From counts of each vertex's edges, at [v + 1], to where they begin. */
static void sum_up(int64_t *offsets, int64_t n)
{
    for (int64_t v = 0; v < n; v++)
        offsets[v + 1] += offsets[v];
}

/* Both directions of every edge: targets grouped by vertex. `next`, shape [n + 1], is zero. */
static void group_edges(const nitro_graph_edges *edges, int64_t *next, int32_t *targets)
{
    for (int64_t i = 0; i < 2 * edges->count; i++)
        next[edges->ends[i] + 1]++;
    sum_up(next, edges->num_vertices);
    for (int64_t i = 0; i < 2 * edges->count; i++)
        targets[next[edges->ends[i]]++] = edges->ends[i ^ 1];
}

/* A symmetric graph transposed is itself, and its targets ascend; duplicates are dropped.
 * `ends`, shape [n], is where groups end; `offsets`, shape [n + 1], receives where they begin. */
static int64_t sort_edges(const int32_t *grouped, const int64_t *ends, int64_t n, int64_t *offsets,
                          int64_t *next, int32_t *targets)
{
    int64_t count = 0;
    for (int64_t v = 0; v < n; v++)
        next[v] = v > 0 ? ends[v - 1] : 0;
    for (int64_t v = 0; v < n; v++)
        for (int64_t k = v > 0 ? ends[v - 1] : 0; k < ends[v]; k++)
            targets[next[grouped[k]]++] = (int32_t)v;
    for (int64_t v = 0; v < n; v++) {
        int64_t begin = v > 0 ? ends[v - 1] : 0;
        offsets[v] = count;
        for (int64_t k = begin; k < ends[v]; k++)
            if (count == offsets[v] || targets[count - 1] != targets[k])
                targets[count++] = targets[k];
    }
    offsets[n] = count;
    return count;
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

static nitro_status take(nitro_context *context, int64_t n, const int64_t *offsets,
                         const int32_t *targets, nitro_bfs **bfs)
{
    int32_t sources[NUM_SOURCES];
    nitro_bfs sizes = {.num_vertices = n, .num_edges = offsets[n]};
    void *made;
    sizes.num_sources = choose_sources(offsets, n, sources);
    nitro_status status = nitro_kit_allocate(context, &nitro_bfs_kit, &sizes, &made);
    if (status != NITRO_OK)
        return status;
    *bfs = made;
    memcpy((int64_t *)(*bfs)->offsets, offsets, (size_t)(n + 1) * sizeof(*offsets));
    memcpy((int32_t *)(*bfs)->targets, targets, (size_t)offsets[n] * sizeof(*targets));
    memcpy((int32_t *)(*bfs)->sources, sources, (size_t)sizes.num_sources * sizeof(*sources));
    return NITRO_OK;
}

nitro_status nitro_graph_create(nitro_context *context, nitro_graph_edges *edges, nitro_bfs **bfs)
{
    int64_t n = edges->num_vertices;
    if (n > NITRO_BFS_MAX_VERTICES || edges->count > INT32_MAX / 2) {
        free(edges->ends);
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "bfs: a graph of %lld vertices and %lld edges; there may be %d vertices, "
                          "and %d edges",
                          (long long)n, (long long)edges->count, NITRO_BFS_MAX_VERTICES,
                          INT32_MAX / 2);
    }
    size_t most = 2 * (size_t)edges->count + 1, vertices = (size_t)n + 1;
    int64_t *ends = calloc(vertices, sizeof(*ends)), *next = calloc(vertices, sizeof(*next));
    int64_t *offsets = calloc(vertices, sizeof(*offsets));
    int32_t *grouped = calloc(most, sizeof(*grouped)), *targets = calloc(most, sizeof(*targets));
    nitro_status status = NITRO_OK;
    if (edges->has_failed || !ends || !next || !offsets || !grouped || !targets) {
        status = nitro_fail(context, NITRO_ERR_NO_MEMORY,
                            "out of memory for a graph of %lld vertices and %lld edges",
                            (long long)n, (long long)edges->count);
    } else {
        group_edges(edges, ends, grouped);
        sort_edges(grouped, ends, n, offsets, next, targets);
        status = take(context, n, offsets, targets, bfs);
    }
    free(edges->ends);
    free(ends);
    free(next);
    free(offsets);
    free(grouped);
    free(targets);
    return status;
}

nitro_status nitro_graph_load(nitro_context *context, const char *path, void **data)
{
    nitro_matrix *matrix;
    nitro_bfs *bfs;
    nitro_status status = nitro_matrix_market_read(context, path, &matrix);
    if (status != NITRO_OK)
        return status;
    nitro_graph_edges edges = {.num_vertices = matrix->num_rows};
    if (matrix->num_rows != matrix->num_cols) {
        status = nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: a matrix of %lld x %lld is no graph: it must be square", path,
                            (long long)matrix->num_rows, (long long)matrix->num_cols);
    } else {
        for (int64_t row = 0; row < matrix->num_rows; row++)
            for (int64_t k = matrix->row_offsets[row]; k < matrix->row_offsets[row + 1]; k++)
                nitro_graph_add(&edges, row, matrix->columns[k]);
        status = nitro_graph_create(context, &edges, &bfs);
    }
    nitro_matrix_free(matrix);
    if (status == NITRO_OK)
        *data = bfs;
    return status;
}
