/* Input features of bfs: the paper's (sizes, mean, spread and greatest deviation of degrees),
 * judged by a sample of vertices, one from each of 1024 equal ranges at a place given by a fixed
 * hash; and a search that ends after 1024 vertices, which tells graphs of many levels from those of
 * few. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants/bfs/bfs.h"

#define SAMPLES 1024
#define VISITED 1024  /* vertices of the bounded search */
#define EDGES   16384 /* it looks at */
#define TABLE   4096  /* of visited vertices: a power of two */
#define HEAVY   10    /* of the sampled vertices: one in a hundred */

static const nitro_feature sizes[] = {
    {"num_vertices", "vertices", NITRO_SCALE_SIGNED_LOG, 0},
    {"num_edges", "edges", NITRO_SCALE_SIGNED_LOG, 0},
    {"mean_degree", "edges", NITRO_SCALE_SIGNED_LOG, 0},
};

/* Costs are for graphs outside the caches. */
static const nitro_feature degrees[] = {
    {"degree_sd", "edges", NITRO_SCALE_SIGNED_LOG, 3e4},
    /* (greatest - mean) / mean of the sampled degrees */
    {"max_deviation", "1", NITRO_SCALE_SIGNED_LOG, 3e4},
    /* share of the sampled vertices' edges that the heaviest hundredth has */
    {"heavy_share", "1", NITRO_SCALE_LINEAR, 3e4},
    /* mean |u - v| / num_vertices of a sampled vertex and its first target */
    {"edge_length", "1", NITRO_SCALE_LINEAR, 3e4},
};

static const nitro_feature levels[] = {
    {"levels", "levels", NITRO_SCALE_SIGNED_LOG, 3e4}, /* of the bounded search */
    {"growth", "1", NITRO_SCALE_SIGNED_LOG, 3e4},      /* edges seen a vertex visited */
};

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    const nitro_bfs *bfs = argument;
    values[NITRO_BFS_NUM_VERTICES] = (double)bfs->num_vertices;
    values[NITRO_BFS_NUM_EDGES] = (double)bfs->num_edges;
    values[NITRO_BFS_MEAN_DEGREE] =
        bfs->num_vertices > 0 ? (double)bfs->num_edges / (double)bfs->num_vertices : 0;
    return 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int evaluate_degrees(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_bfs *bfs = argument;
    int64_t n = bfs->num_vertices, count = n < SAMPLES ? n : SAMPLES, sampled[SAMPLES];
    double sum = 0, squares = 0, heavy = 0, length = 0;
    memset(group, 0, sizeof(degrees) / sizeof(degrees[0]) * sizeof(*group));
    for (int64_t i = 0; i < count; i++) {
        int64_t v = nitro_kit_sample(i, count, n);
        sampled[i] = bfs->offsets[v + 1] - bfs->offsets[v];
        sum += (double)sampled[i];
        squares += (double)sampled[i] * (double)sampled[i];
        if (sampled[i] > 0)
            length += fabs((double)(bfs->targets[bfs->offsets[v]] - v)) / (double)n;
    }
    if (sum <= 0)
        return 0;
    qsort(sampled, (size_t)count, sizeof(sampled[0]), compare);
    for (int64_t i = count - 1; i >= 0 && i >= count - HEAVY; i--)
        heavy += (double)sampled[i];
    double mean = sum / (double)count;
    group[0] = sqrt(fmax(squares / (double)count - mean * mean, 0));
    group[1] = ((double)sampled[count - 1] - mean) / mean;
    group[2] = heavy / sum;
    group[3] = length / (double)count;
    return 0;
}

/* Adds to a table of hashes; false: it was there. */
static bool add_vertex(int32_t *table, int32_t vertex)
{
    uint32_t at = (uint32_t)vertex * UINT32_C(0x9E3779B1) >> 20;
    while (table[at] >= 0 && table[at] != vertex)
        at = (at + 1) & (TABLE - 1);
    bool is_new = table[at] < 0;
    table[at] = vertex;
    return is_new;
}

static int evaluate_levels(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_bfs *bfs = argument;
    int32_t table[TABLE], waiting[VISITED];
    int64_t count = 1, num_edges = 0, num_levels = 0;
    group[0] = group[1] = 0;
    if (bfs->num_sources == 0)
        return 0;
    memset(table, 0xFF, sizeof(table));
    waiting[0] = bfs->sources[0];
    add_vertex(table, waiting[0]);
    for (int64_t at = 0, end; at < count && count < VISITED && num_edges < EDGES; num_levels++)
        for (end = count; at < end && count < VISITED && num_edges < EDGES; at++)
            for (int64_t k = bfs->offsets[waiting[at]];
                 k < bfs->offsets[waiting[at] + 1] && count < VISITED && num_edges < EDGES;
                 k++, num_edges++)
                if (add_vertex(table, bfs->targets[k]))
                    waiting[count++] = bfs->targets[k];
    group[0] = (double)num_levels;
    group[1] = (double)num_edges / (double)count;
    return 0;
}

#define EDGES_OF "max(num_edges, 1)"
#define BYTES    "4 * " EDGES_OF " + 12 * max(num_vertices, 1)"

nitro_status nitro_bfs_add_features(nitro_computation *computation)
{
    static const nitro_kit_features groups[] = {
        {sizes, sizeof(sizes) / sizeof(sizes[0]), evaluate_sizes},
        {degrees, sizeof(degrees) / sizeof(degrees[0]), evaluate_degrees},
        {levels, sizeof(levels) / sizeof(levels[0]), evaluate_levels},
    };
    char edges[512], all[512];
    nitro_formula_per_core(edges, sizeof(edges), EDGES_OF);
    nitro_formula_per_l2(all, sizeof(all), "(" BYTES ")");
    const nitro_relative_feature relative[] = {
        {.name = "edges_per_core", .formula = edges, .replaces = "num_edges"},
        {.name = "work_per_l2", .formula = all},
    };
    return nitro_kit_add_features(computation, groups, 3, relative, 2);
}
