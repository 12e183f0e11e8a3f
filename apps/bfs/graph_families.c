/* Families of graphs: of few levels with hubs (Kronecker), of few levels (uniform), of many (grids,
 * roads, a path), and extremes. Sizes are of undirected edges, before duplicates are dropped. */
#include <math.h>

#include "apps/bfs/graph.h"

static int64_t draw_vertex(nitro_random *random, const nitro_graph_edges *edges)
{
    return edges->num_vertices > 0
               ? (int64_t)nitro_random_below(random, (uint64_t)edges->num_vertices)
               : 0;
}

/* ---- Random graphs ---- */

void nitro_graph_add_kronecker(nitro_random *random, int scale, double num_edges, bool is_permuted,
                               nitro_graph_edges *edges)
{
    /* an odd multiplier and a rotation permute the numbers below 2^scale */
    uint64_t mask = ((uint64_t)1 << scale) - 1, factor = is_permuted ? 0x9E3779B1 : 1;
    int half = is_permuted ? scale / 2 : 0;
    edges->num_vertices = (int64_t)mask + 1;
    for (double i = 0; i < num_edges; i++) {
        uint64_t ends[2] = {0, 0};
        for (int bit = 0; bit < scale; bit++) {
            double drawn = nitro_random_uniform(random);
            bool down = drawn >= 0.76, right = down ? drawn >= 0.95 : drawn >= 0.57;
            ends[0] |= (uint64_t)down << bit;
            ends[1] |= (uint64_t)right << bit;
        }
        for (int e = 0; e < 2; e++) {
            ends[e] = ends[e] * factor & mask;
            ends[e] = (ends[e] << half | ends[e] >> (scale - half)) & mask;
            ends[e] = ends[e] * factor & mask;
        }
        nitro_graph_add(edges, (int64_t)ends[0], (int64_t)ends[1]);
    }
}

static void build_kronecker(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    double factor = nitro_kit_draw_log(random, 4, 32);
    int scale = (int)log2(fmax(num_edges / factor, 1));
    nitro_graph_add_kronecker(random, scale, num_edges, nitro_random_below(random, 4) > 0, edges);
}

static void build_uniform(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    edges->num_vertices = (int64_t)(num_edges / nitro_kit_draw_log(random, 1, 32));
    for (double i = 0; i < num_edges; i++) {
        int64_t a = draw_vertex(random, edges);
        nitro_graph_add(edges, a, draw_vertex(random, edges));
    }
}

/* A ring with neighbours at both sides, some edges of which lead anywhere. */
static void build_small_world(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    int64_t reach = 1 + (int64_t)nitro_random_below(random, 8);
    double share = nitro_kit_draw_log(random, 1e-4, 0.3);
    edges->num_vertices = (int64_t)(num_edges / (double)reach);
    for (int64_t v = 0; v < edges->num_vertices; v++)
        for (int64_t k = 1; k <= reach; k++)
            nitro_graph_add(edges, v,
                            nitro_random_uniform(random) < share ? draw_vertex(random, edges)
                                                                 : (v + k) % edges->num_vertices);
}

/* ---- Grids, less up to 40 % of their edges ---- */

static void add_some(nitro_random *random, double share, nitro_graph_edges *edges, int64_t a,
                     int64_t b)
{
    if (nitro_random_uniform(random) < share)
        nitro_graph_add(edges, a, b);
}

static void build_grid2d(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    double share = 1 - 0.4 * nitro_random_uniform(random);
    int64_t height = (int64_t)sqrt(num_edges / 2 * nitro_kit_draw_log(random, 0.02, 1));
    int64_t width = height > 0 ? (int64_t)(num_edges / 2) / height : 1;
    edges->num_vertices = height * width;
    for (int64_t v = 0; v < edges->num_vertices; v++) {
        if (v % width + 1 < width)
            add_some(random, share, edges, v, v + 1);
        add_some(random, share, edges, v, v + width);
    }
}

static void build_grid3d(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    double share = 1 - 0.4 * nitro_random_uniform(random);
    int64_t side = (int64_t)cbrt(num_edges / 3), plane = side * side;
    edges->num_vertices = plane * side;
    for (int64_t v = 0; v < edges->num_vertices; v++) {
        if (v % side + 1 < side)
            add_some(random, share, edges, v, v + 1);
        if (v % plane + side < plane)
            add_some(random, share, edges, v, v + side);
        add_some(random, share, edges, v, v + plane);
    }
}

/* A grid whose edges are chains: mean degree 2.1 to 2.8. */
static void build_road(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    int64_t inner = 1 + (int64_t)nitro_random_below(random, 8); /* vertices of a chain */
    int64_t side = (int64_t)sqrt(num_edges / 2 / (double)(inner + 1)), corners = side * side;
    edges->num_vertices = corners * (1 + 2 * inner);
    for (int64_t v = 0; v < corners; v++)
        for (int64_t to = 0; to < 2; to++) {
            int64_t before = v, first = corners + (2 * v + to) * inner;
            int64_t last =
                to == 0 ? (v % side + 1 < side ? v + 1 : -1) : (v + side < corners ? v + side : -1);
            if (nitro_random_uniform(random) < 0.1)
                last = -1; /* a dead end */
            for (int64_t k = 0; k < inner; k++, before = first + k - 1)
                nitro_graph_add(edges, before, first + k);
            nitro_graph_add(edges, before, last);
        }
}

/* ---- Extremes ---- */

static void build_tree(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    int64_t children = 2 + (int64_t)nitro_random_below(random, 15);
    edges->num_vertices = (int64_t)num_edges + 1;
    for (int64_t v = 1; v < edges->num_vertices; v++)
        nitro_graph_add(edges, v, (v - 1) / children);
}

static void build_path(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    (void)random;
    edges->num_vertices = (int64_t)fmin(num_edges, 2e4) + 1; /* a level each */
    for (int64_t v = 1; v < edges->num_vertices; v++)
        nitro_graph_add(edges, v, v - 1);
}

static void build_star(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    int64_t hubs = 1 + (int64_t)nitro_random_below(random, 4);
    edges->num_vertices = (int64_t)num_edges + hubs;
    for (int64_t v = 0; v < edges->num_vertices; v++)
        nitro_graph_add(edges, v, draw_vertex(random, edges) % hubs);
}

/* Uniform graphs without edges between them, and isolated vertices. */
static void build_components(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    int64_t size = (int64_t)nitro_kit_draw_log(random, 10, 10000);
    edges->num_vertices = (int64_t)(num_edges / nitro_kit_draw_log(random, 1, 8));
    for (double i = 0; i < num_edges; i++) {
        int64_t a = draw_vertex(random, edges);
        int64_t b = a / size * size + (int64_t)nitro_random_below(random, (uint64_t)size);
        nitro_graph_add(edges, a, b);
    }
}

/* Vertices of about equal degrees with neighbours nearby, as in meshes. */
static void build_mesh(nitro_random *random, double num_edges, nitro_graph_edges *edges)
{
    int64_t reach = 2 + (int64_t)nitro_random_below(random, 60);
    edges->num_vertices = (int64_t)(num_edges / 6);
    for (double i = 0; i < num_edges; i++) {
        int64_t a = draw_vertex(random, edges);
        nitro_graph_add(edges, a, a + 1 + (int64_t)nitro_random_below(random, (uint64_t)reach));
    }
}

const nitro_graph_family nitro_graph_families[NITRO_GRAPH_NUM_FAMILIES] = {
    {"kronecker", build_kronecker},
    {"road", build_road},
    {"uniform", build_uniform},
    {"grid2d", build_grid2d},
    {"small_world", build_small_world},
    {"mesh", build_mesh},
    {"grid3d", build_grid3d},
    {"components", build_components},
    {"tree", build_tree},
    {"path", build_path},
    {"star", build_star},
};
