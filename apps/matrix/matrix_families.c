/* Matrix families: patterns of applications (stencils, bands, blocks, power laws), and patterns
 * that are the best or worst case of a format (full diagonals, few long rows, rows of increasing
 * length). A row's random columns are drawn one from each of as many equal ranges as it has
 * entries, so they ascend without duplicates. */
#include <math.h>
#include <stdio.h>

#include "apps/matrix/matrix_inputs.h"

/* ---- Drawing ---- */

/* Log-uniform between low and high. */
static int64_t draw_log_int(nitro_random *random, int64_t low, int64_t high)
{
    return (int64_t)nitro_kit_draw_log(random, (double)low, (double)high + 0.999);
}

static int64_t at_least(int64_t value, int64_t least)
{
    return value > least ? value : least;
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

static void set_square(nitro_matrix_shape *shape, int64_t num_rows)
{
    shape->num_rows = shape->num_cols = num_rows;
}

#define LABEL(shape, ...) snprintf((shape)->label, sizeof((shape)->label), __VA_ARGS__)

/* ---- Placing entries ---- */

static void put(nitro_matrix_builder *builder, int64_t row, int64_t column)
{
    if (builder->status != NITRO_OK || column < 0 || column >= builder->entries->num_cols)
        return;
    double value = 2 * nitro_random_uniform(builder->random) - 1;
    builder->status =
        nitro_matrix_entries_add(builder->context, builder->entries, row, column, value);
}

/* `length` entries at random columns below `width`. */
static void put_random(nitro_matrix_builder *builder, int64_t row, int64_t length, int64_t width)
{
    length = at_most(length, width);
    for (int64_t i = 0; i < length; i++) {
        int64_t low = width * i / length, high = width * (i + 1) / length;
        uint64_t drawn = nitro_random_below(builder->random, (uint64_t)(high - low));
        put(builder, row, low + (int64_t)drawn);
    }
}

/* ---- Stencils: a x b x c points ---- */

static void plan_grid(nitro_random *random, double points, int dimensions,
                      nitro_matrix_shape *shape)
{
    double aspect = nitro_kit_draw_log(random, 0.25, 4);
    double side = dimensions == 2 ? sqrt(points) : cbrt(points);
    shape->a = at_least((int64_t)(side * sqrt(aspect)), 3);
    shape->b = at_least((int64_t)(side / sqrt(aspect)), 3);
    shape->c = 1;
    if (dimensions == 3)
        shape->c = at_least((int64_t)(points / (double)(shape->a * shape->b)), 3);
    set_square(shape, shape->a * shape->b * shape->c);
    if (dimensions == 2)
        LABEL(shape, "%lldx%lld", (long long)shape->a, (long long)shape->b);
    else
        LABEL(shape, "%lldx%lldx%lld", (long long)shape->a, (long long)shape->b,
              (long long)shape->c);
}

static void plan_star2d(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    plan_grid(random, nonzeros / 5, 2, shape);
}

static void plan_box2d(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    plan_grid(random, nonzeros / 9, 2, shape);
}

static void plan_star3d(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    plan_grid(random, nonzeros / 7, 3, shape);
}

static void plan_box3d(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    plan_grid(random, nonzeros / 27, 3, shape);
}

/* A point and its neighbours; `most` is how many coordinates a neighbour may differ in. */
static void put_neighbours(const nitro_matrix_shape *shape, nitro_matrix_builder *builder,
                           int64_t row, int most)
{
    int64_t x = row % shape->a, y = row / shape->a % shape->b, z = row / shape->a / shape->b;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                bool inside = x + dx >= 0 && x + dx < shape->a && y + dy >= 0 &&
                              y + dy < shape->b && z + dz >= 0 && z + dz < shape->c;
                if (inside && (dx != 0) + (dy != 0) + (dz != 0) <= most)
                    put(builder, row, row + dx + shape->a * (dy + shape->b * dz));
            }
}

static void build_star(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++)
        put_neighbours(shape, builder, row, 1);
}

static void build_box(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++)
        put_neighbours(shape, builder, row, 3);
}

/* ---- Band: all of 2a + 1 diagonals, or `ratio` of a row's entries in it ---- */

static void plan_band(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 1, 32);
    shape->ratio = 1;
    set_square(shape, at_least((int64_t)(nonzeros / (double)(2 * shape->a + 1)), shape->a + 1));
    LABEL(shape, "%lldwide-%lld", (long long)(2 * shape->a + 1), (long long)shape->num_rows);
}

static void plan_sparse_band(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 8, 256);
    shape->ratio = nitro_kit_draw_log(random, 0.04, 0.6);
    double length = fmax((double)(2 * shape->a + 1) * shape->ratio, 1);
    set_square(shape, at_least((int64_t)(nonzeros / length), 2 * shape->a + 1));
    LABEL(shape, "%lldwide-%.0fpct-%lld", (long long)(2 * shape->a + 1), 100 * shape->ratio,
          (long long)shape->num_rows);
}

static void build_band(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++)
        for (int64_t column = row - shape->a; column <= row + shape->a; column++)
            if (shape->ratio >= 1 || nitro_random_uniform(builder->random) < shape->ratio)
                put(builder, row, column);
}

/* ---- Diagonals: a full ones, far apart ---- */

static void plan_diagonals(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 1, 40);
    set_square(shape, at_least((int64_t)(1.3 * nonzeros / (double)shape->a), 2 * shape->a));
    LABEL(shape, "%lldof-%lld", (long long)shape->a, (long long)shape->num_rows);
}

static void build_diagonals(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    int64_t offsets[40];
    for (int64_t d = 0; d < shape->a; d++) { /* from half the matrix below to half of it above */
        int64_t low = shape->num_rows * d / shape->a, high = shape->num_rows * (d + 1) / shape->a;
        uint64_t drawn = nitro_random_below(builder->random, (uint64_t)(high - low));
        offsets[d] = shape->a == 1 ? 0 : low + (int64_t)drawn - shape->num_rows / 2;
    }
    for (int64_t row = 0; row < shape->num_rows; row++)
        for (int64_t d = 0; d < shape->a; d++)
            put(builder, row, row + offsets[d]);
}

/* ---- Random columns ---- */

/* a entries in every row, square. */
static void plan_regular(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 2, 64);
    set_square(shape, at_least((int64_t)(nonzeros / (double)shape->a), shape->a));
    LABEL(shape, "%lldeach-%lld", (long long)shape->a, (long long)shape->num_rows);
}

/* a entries in every row, up to 20 times wider than high or the other way round. */
static void plan_rectangular(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 2, 64);
    shape->num_rows = at_least((int64_t)(nonzeros / (double)shape->a), 1);
    shape->num_cols = at_least(
        (int64_t)((double)shape->num_rows * nitro_kit_draw_log(random, 0.05, 20)), shape->a);
    LABEL(shape, "%lldeach-%lldx%lld", (long long)shape->a, (long long)shape->num_rows,
          (long long)shape->num_cols);
}

/* Few rows, long ones. */
static void plan_few_rows(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->num_rows = draw_log_int(random, 4, 400);
    shape->a = at_least((int64_t)(nonzeros / (double)shape->num_rows), 1);
    shape->num_cols = (int64_t)((double)shape->a * nitro_kit_draw_log(random, 1, 8));
    LABEL(shape, "%lldx%lld", (long long)shape->num_rows, (long long)shape->num_cols);
}

static void build_regular(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++)
        put_random(builder, row, shape->a, shape->num_cols);
}

/* 0 to 2a entries in a row. */
static void build_uniform(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++) {
        uint64_t length = nitro_random_below(builder->random, (uint64_t)(2 * shape->a + 1));
        put_random(builder, row, (int64_t)length, shape->num_cols);
    }
}

static void plan_uniform(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    plan_regular(random, nonzeros, shape);
    LABEL(shape, "%lldmean-%lld", (long long)shape->a, (long long)shape->num_rows);
}

/* Their mean where the tail is so heavy that the cut decides: the integral of P(length > x). */
static double mean_of_cut_tail(double least, double most, double ratio)
{
    double share = 2 - ratio;
    return fabs(share) < 1e-6 ? least * (1 + log(most / least))
                              : least * (1 + (pow(most / least, share) - 1) / share);
}

/* Row lengths by a power law: a * u^(-1 / (ratio - 1)), cut at b. */
static void plan_power_law(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->ratio = 1.8 + 1.4 * nitro_random_uniform(random);
    shape->a = draw_log_int(random, 1, 8);
    double mean = shape->ratio > 2.2
                      ? (double)shape->a * (shape->ratio - 1) / (shape->ratio - 2)
                      : mean_of_cut_tail((double)shape->a, fmax(nonzeros / 16, 16), shape->ratio);
    set_square(shape, at_least((int64_t)(nonzeros / mean), 16));
    shape->b = at_least(at_most(shape->num_rows, (int64_t)(nonzeros / 16)), shape->a);
    LABEL(shape, "%.2f-from%lld-%lld", shape->ratio, (long long)shape->a,
          (long long)shape->num_rows);
}

static void build_power_law(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++) {
        double u = 1 - nitro_random_uniform(builder->random);
        double length = (double)shape->a * pow(u, -1 / (shape->ratio - 1));
        put_random(builder, row, (int64_t)fmin(length, (double)shape->b), shape->num_cols);
    }
}

/* `ratio` of the rows have a entries, the others none. A row's offset and vector elements take 1.5
 * times the memory of a non-zero, and the size is one in memory, but for the smallest ones. */
static void plan_mostly_empty(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 1, 16);
    shape->ratio = nitro_kit_draw_log(random, 0.02, 0.5);
    double nonzeros_per_row = (double)shape->a * shape->ratio;
    set_square(shape, at_least((int64_t)(nonzeros / (nonzeros_per_row + 1.5)),
                               (int64_t)(300 / nonzeros_per_row)));
    LABEL(shape, "%.0fpct-%lld", 100 * shape->ratio, (long long)shape->num_rows);
}

static void build_mostly_empty(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++)
        if (nitro_random_uniform(builder->random) < shape->ratio)
            put_random(builder, row, shape->a, shape->num_cols);
}

/* ---- Dense blocks of a x a: one on the diagonal and b random ones in every block row ---- */

static void plan_blocks(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 2, 32);
    shape->b = (int64_t)nitro_random_below(random, 7);
    double blocks = nonzeros / (double)(shape->a * shape->a * (shape->b + 1));
    set_square(shape, shape->a * at_least((int64_t)blocks, shape->b + 1));
    LABEL(shape, "%lldx%lld-%lldeach-%lld", (long long)shape->a, (long long)shape->a,
          (long long)shape->b + 1, (long long)shape->num_rows);
}

static void build_blocks(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    int64_t num_blocks = shape->num_rows / shape->a;
    for (int64_t block = 0; block < num_blocks; block++) {
        int64_t others[8];
        for (int64_t i = 0; i < shape->b; i++)
            others[i] = (int64_t)nitro_random_below(builder->random, (uint64_t)num_blocks);
        others[shape->b] = block;
        for (int64_t row = block * shape->a; row < (block + 1) * shape->a; row++)
            for (int64_t i = 0; i <= shape->b; i++)
                for (int64_t column = 0; column < shape->a; column++)
                    put(builder, row, others[i] * shape->a + column);
    }
}

/* ---- Uneven rows ---- */

/* a entries in every row, and b rows of a share `ratio` of all columns. */
static void plan_long_rows(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 2, 12);
    shape->b = draw_log_int(random, 1, 16);
    shape->ratio = nitro_kit_draw_log(random, 0.02, 1);
    double per_row = (double)shape->a + (double)shape->b * shape->ratio;
    set_square(shape, at_least((int64_t)(nonzeros / per_row), 2 * shape->b));
    LABEL(shape, "%lldof%.0fpct-%lld", (long long)shape->b, 100 * shape->ratio,
          (long long)shape->num_rows);
}

static void build_long_rows(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    int64_t apart = shape->num_rows / shape->b;
    int64_t length = at_least((int64_t)(shape->ratio * (double)shape->num_cols), shape->a);
    for (int64_t row = 0; row < shape->num_rows; row++)
        put_random(builder, row, row % apart == apart / 2 ? length : shape->a, shape->num_cols);
}

/* Row lengths that grow from 1 to a in b steps. */
static void plan_steps(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 8, 256);
    shape->b = draw_log_int(random, 2, 16);
    set_square(shape, at_least((int64_t)(2 * nonzeros / (double)(shape->a + 1)), shape->a));
    LABEL(shape, "%lldto%lld-%lld", (long long)shape->b, (long long)shape->a,
          (long long)shape->num_rows);
}

static void build_steps(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++) {
        int64_t step = row * shape->b / shape->num_rows;
        int64_t length = 1 + (shape->a - 1) * step / (shape->b - 1);
        put_random(builder, row, length, shape->num_cols);
    }
}

/* A diagonal, and a first rows and columns full. */
static void plan_arrow(nitro_random *random, double nonzeros, nitro_matrix_shape *shape)
{
    shape->a = draw_log_int(random, 1, 8);
    set_square(shape, at_least((int64_t)(nonzeros / (double)(2 * shape->a + 1)), 2 * shape->a));
    LABEL(shape, "%lldthick-%lld", (long long)shape->a, (long long)shape->num_rows);
}

static void build_arrow(const nitro_matrix_shape *shape, nitro_matrix_builder *builder)
{
    for (int64_t row = 0; row < shape->num_rows; row++) {
        int64_t full = row < shape->a ? shape->num_cols : shape->a;
        for (int64_t column = 0; column < full; column++)
            put(builder, row, column);
        if (row >= shape->a)
            put(builder, row, row);
    }
}

const nitro_matrix_family nitro_matrix_families[NITRO_MATRIX_NUM_FAMILIES] = {
    {"stencil2d-5pt", plan_star2d, build_star},
    {"power-law", plan_power_law, build_power_law},
    {"band", plan_band, build_band},
    {"uniform", plan_uniform, build_uniform},
    {"stencil3d-27pt", plan_box3d, build_box},
    {"long-rows", plan_long_rows, build_long_rows},
    {"blocks", plan_blocks, build_blocks},
    {"few-rows", plan_few_rows, build_regular},
    {"diagonals", plan_diagonals, build_diagonals},
    {"steps", plan_steps, build_steps},
    {"stencil2d-9pt", plan_box2d, build_box},
    {"sparse-band", plan_sparse_band, build_band},
    {"regular", plan_regular, build_regular},
    {"mostly-empty", plan_mostly_empty, build_mostly_empty},
    {"stencil3d-7pt", plan_star3d, build_star},
    {"rectangular", plan_rectangular, build_regular},
    {"arrow", plan_arrow, build_arrow},
};
