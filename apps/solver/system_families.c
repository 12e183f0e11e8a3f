/* Families of systems: discretised diffusion on grids, with jumps, anisotropy, convection, shifts,
 * scaling, and several unknowns a point; Laplacians of random graphs, and unsymmetric random
 * matrices of a given dominance. */
#include <math.h>
#include <stdio.h>

#include "apps/solver/systems.h"

#define SUBDOMAIN 6   /* points in each direction */
#define EDGES     4   /* most edges drawn by a vertex */
#define MOST      2e6 /* non-zeros: failing variants iterate for minutes on larger ones */

const nitro_system_family nitro_system_families[NITRO_SYSTEM_NUM_FAMILIES] = {
    {"poisson2d", .dimensions = 2},
    {"jumps3d", .dimensions = 3, .jumps = 6},
    {"convection2d", .dimensions = 2, .wind = 2},
    {"laplacian", .dimensions = 0, .jumps = 2, .shift = -0.1},
    {"poisson3d", .dimensions = 3},
    {"dominance", .dimensions = 0, .imbalance = 2},
    {"anisotropic2d", .dimensions = 2, .stretch = 3},
    {"blocks2d", .dimensions = 2, .jumps = 2, .unknowns = 3},
    {"convection3d", .dimensions = 3, .jumps = 2, .wind = 4},
    {"indefinite2d", .dimensions = 2, .shift = 0.02},
    {"box3d", .dimensions = 3, .is_box = true, .jumps = 1},
    {"scaled2d", .dimensions = 2, .scaling = 4},
    {"box2d", .dimensions = 2, .is_box = true, .stretch = 2},
    {"scaled-convection3d", .dimensions = 3, .wind = 1, .scaling = 2},
    {"blocks3d", .dimensions = 3, .jumps = 3, .unknowns = 3},
};

/* One input. */
typedef struct plan {
    const nitro_system_family *family;
    int64_t sides[3], points;
    double jumps, stretch, wind, shift, scaling, imbalance;
    uint64_t seed;
} plan;

/* In [0, 1), of a place. */
static double hashed(uint64_t seed, int64_t place)
{
    uint64_t hash = (seed ^ (uint64_t)place) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)(hash >> 11) * 0x1p-53;
}

static int unknowns_of(const nitro_system_family *family)
{
    return family->unknowns > 0 ? family->unknowns : 1;
}

/* Entries of a row. */
static double row_length(const nitro_system_family *family)
{
    int d = family->dimensions;
    double points = d == 0 ? 1 + EDGES + 1 : family->is_box ? pow(3, d) : 2 * d + 1;
    return points * unknowns_of(family);
}

static plan draw(const nitro_system_family *family, nitro_random *random, double size)
{
    plan p = {.family = family, .sides = {1, 1, 1}, .points = 1};
    double points = fmin(size, MOST) / row_length(family) / unknowns_of(family);
    double aspect = pow(2, 2 * nitro_random_uniform(random) - 1);
    int d = family->dimensions;
    for (int i = 0; i < (d > 0 ? d : 1); i++) {
        double side = d > 0 ? pow(points, 1.0 / d) * (i == 0 ? aspect : 1) : points;
        if (i == d - 1 && d > 0)
            side = points / (double)p.points;
        p.sides[i] = side > 1 ? (int64_t)side : 1;
        p.points *= p.sides[i];
    }
    p.jumps = family->jumps * nitro_random_uniform(random);
    p.stretch = pow(10, family->stretch * nitro_random_uniform(random));
    p.wind = family->wind * nitro_random_uniform(random);
    p.shift = family->shift * nitro_random_uniform(random);
    p.scaling = family->scaling * nitro_random_uniform(random);
    p.imbalance =
        pow(family->imbalance > 0 ? family->imbalance : 1, 2 * nitro_random_uniform(random) - 1);
    p.seed = (uint64_t)(nitro_random_uniform(random) * 0x1p53);
    return p;
}

/* ---- Entries ---- */

typedef struct builder {
    const plan *plan;
    nitro_context *context;
    nitro_matrix_entries entries;
    nitro_status status;
} builder;

/* Between two points: the couplings of their unknowns, scaled. */
static void put(builder *b, int64_t row, int64_t column, double value)
{
    static const double coupling[3][3] = {{1, 0.3, 0.2}, {0.3, 1, 0.1}, {0.2, 0.1, 1}};
    const plan *p = b->plan;
    int unknowns = unknowns_of(p->family);
    for (int i = 0; i < unknowns; i++)
        for (int j = 0; j < unknowns && b->status == NITRO_OK; j++) {
            int64_t at = row * unknowns + i, to = column * unknowns + j;
            double scale = pow(10, p->scaling * (hashed(p->seed, at) + hashed(p->seed, to) - 1));
            b->status = nitro_matrix_entries_add(b->context, &b->entries, at, to,
                                                 value * scale * coupling[i][j]);
        }
}

/* The coefficient at a point. */
static double coefficient(const plan *p, const int64_t *at)
{
    int64_t domain = 0;
    for (int i = 0; i < 3; i++)
        domain = domain * 4096 + at[i] / SUBDOMAIN;
    return pow(10, p->jumps * hashed(p->seed + 1, domain));
}

/* To the neighbour at `step`, which may be outside: there the solution is 0. */
static double add_neighbour(builder *b, int64_t row, const int64_t *at, const int *step)
{
    const plan *p = b->plan;
    int64_t other[3], column = 0;
    int distance = 0;
    bool is_inside = true;
    for (int i = 2; i >= 0; i--) {
        other[i] = at[i] + step[i];
        distance += step[i] * step[i];
        is_inside = is_inside && other[i] >= 0 && other[i] < p->sides[i];
        column = column * p->sides[i] + other[i];
    }
    double here = coefficient(p, at), there = is_inside ? coefficient(p, other) : here;
    double weight = 2 * here * there / (here + there) / distance;
    if (step[0] != 0)
        weight *= p->stretch;
    if (is_inside) /* central differences of the convection */
        put(b, row, column, -weight * (1 + p->wind * (step[0] + 0.5 * step[1]) / 2));
    return weight;
}

static void build_grid(builder *b)
{
    const plan *p = b->plan;
    int d = p->family->dimensions, most = p->family->is_box ? 3 : 1;
    for (int64_t row = 0; row < p->points && b->status == NITRO_OK; row++) {
        int64_t at[3] = {row % p->sides[0], row / p->sides[0] % p->sides[1],
                         row / p->sides[0] / p->sides[1]};
        double diagonal = 0;
        for (int place = 0; place < (d == 3 ? 27 : 9); place++) {
            int step[3] = {place % 3 - 1, place / 3 % 3 - 1, d == 3 ? place / 9 - 1 : 0};
            int moved = (step[0] != 0) + (step[1] != 0) + (step[2] != 0);
            if (moved > 0 && moved <= most)
                diagonal += add_neighbour(b, row, at, step);
        }
        put(b, row, row, diagonal * (1 - p->shift));
    }
}

/* Symmetric: both ends of an edge get it, and a share of it more on the diagonal. Else: a row's own
 * entries, of any sign. */
static void build_graph(builder *b, nitro_random *random)
{
    const plan *p = b->plan;
    bool is_symmetric = p->family->imbalance == 0;
    for (int64_t row = 0; row < p->points && b->status == NITRO_OK; row++) {
        int64_t num_edges = 1 + (int64_t)nitro_random_below(random, EDGES + !is_symmetric);
        double sum = 0;
        for (int64_t i = 0; i < num_edges; i++) {
            int64_t other = (int64_t)nitro_random_below(random, (uint64_t)p->points);
            double weight = is_symmetric ? pow(10, p->jumps * nitro_random_uniform(random))
                                         : 2 * nitro_random_uniform(random) - 1;
            if (other == row)
                continue;
            put(b, row, other, -weight);
            sum += fabs(weight);
            if (is_symmetric) {
                put(b, other, row, -weight);
                put(b, other, other, weight * (1 - p->shift));
            }
        }
        put(b, row, row, is_symmetric ? sum * (1 - p->shift) + 1e-3 : sum * p->imbalance + 1e-3);
    }
}

nitro_status nitro_system_make(nitro_context *context, size_t family, nitro_random *random,
                               double size, char *label, void **data)
{
    const plan p = draw(&nitro_system_families[family], random, size);
    int64_t rows = p.points * unknowns_of(p.family);
    nitro_matrix *matrix;
    snprintf(label, NITRO_KIT_LABEL, "%s-%lldx%lldx%lld", p.family->name, (long long)p.sides[0],
             (long long)p.sides[1], (long long)p.sides[2]);
    if (!data)
        return NITRO_OK;
    builder b = {.plan = &p, .context = context, .entries = {.num_rows = rows, .num_cols = rows}};
    if (p.family->dimensions > 0)
        build_grid(&b);
    else
        build_graph(&b, random);
    if (b.status != NITRO_OK) {
        nitro_matrix_entries_free(&b.entries);
        return b.status;
    }
    nitro_status status = nitro_matrix_create(context, label, &b.entries, &matrix);
    if (status == NITRO_OK)
        *data = matrix;
    return status;
}
