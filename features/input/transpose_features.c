/* Input features of transpose and transpose_inplace: the paper's (sides, order, whether they are
 * coprime) and what else sizes say: whether neighbours in a column fall into the same sets of the
 * caches, and how much a step by the sides' common divisor moves. All are free. */
#include <math.h>

#include "variants/transpose/transpose.h"

static const nitro_feature sizes[] = {
    {"num_rows", "rows", NITRO_SCALE_SIGNED_LOG, 0},
    {"num_cols", "columns", NITRO_SCALE_SIGNED_LOG, 0},
    {"element_bytes", "bytes", NITRO_SCALE_LINEAR, 0},
    {"least_side", "1", NITRO_SCALE_SIGNED_LOG, 0},
    {"aspect", "1", NITRO_SCALE_LINEAR, 0},              /* log2(rows / columns) */
    {"in_stride_zeros", "bits", NITRO_SCALE_LINEAR, 0},  /* bytes of a row, as powers of two */
    {"out_stride_zeros", "bits", NITRO_SCALE_LINEAR, 0}, /* bytes of a row of the result */
};

static const nitro_feature in_place[] = {
    {"row_major", "1", NITRO_SCALE_LINEAR, 0},
    {"coprime", "1", NITRO_SCALE_LINEAR, 0},
    {"common_divisor", "1", NITRO_SCALE_SIGNED_LOG, 0},
};

/* In how many ways two rows are apart by a power of two: trailing zeros, up to 12 (4096 bytes). */
static double trailing_zeros(int64_t bytes)
{
    int zeros = bytes > 0 ? __builtin_ctzll((unsigned long long)bytes) : 12;
    return zeros < 12 ? zeros : 12;
}

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    const nitro_transpose *t = argument;
    double rows = (double)t->num_rows, cols = (double)t->num_cols;
    values[NITRO_TRANSPOSE_NUM_ROWS] = rows;
    values[NITRO_TRANSPOSE_NUM_COLS] = cols;
    values[NITRO_TRANSPOSE_ELEMENT_BYTES] = t->element_bytes;
    values[NITRO_TRANSPOSE_LEAST_SIDE] = fmin(rows, cols);
    values[NITRO_TRANSPOSE_ASPECT] = rows > 0 && cols > 0 ? log2(rows / cols) : 0;
    values[NITRO_TRANSPOSE_IN_STRIDE] = trailing_zeros(t->num_cols * t->element_bytes);
    values[NITRO_TRANSPOSE_OUT_STRIDE] = trailing_zeros(t->num_rows * t->element_bytes);
    return 0;
}

static int evaluate_in_place(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_transpose *t = argument;
    int64_t divisor = nitro_transpose_divisor(t->num_rows, t->num_cols);
    group[0] = t->is_row_major;
    group[1] = divisor == 1;
    group[2] = (double)divisor;
    return 0;
}

#define BYTES "element_bytes * max(num_rows, 1) * max(num_cols, 1)"

static nitro_status add(nitro_computation *computation, size_t num_groups)
{
    static const nitro_kit_features groups[] = {
        {sizes, sizeof(sizes) / sizeof(sizes[0]), evaluate_sizes},
        {in_place, sizeof(in_place) / sizeof(in_place[0]), evaluate_in_place},
    };
    char per_core[512], per_l2[512];
    nitro_formula_per_core(per_core, sizeof(per_core), BYTES);
    nitro_formula_per_l2(per_l2, sizeof(per_l2), BYTES);
    const nitro_relative_feature relative[] = {
        {.name = "bytes_per_core", .formula = per_core},
        {.name = "work_per_l2", .formula = per_l2},
    };
    return nitro_kit_add_features(computation, groups, num_groups, relative, 2);
}

nitro_status nitro_transpose_add_features(nitro_computation *computation)
{
    return add(computation, 1);
}

nitro_status nitro_transpose_inplace_add_features(nitro_computation *computation)
{
    return add(computation, 2);
}
