/* Input features of transpose and transpose_inplace: the paper's (sides, order, whether they are
 * coprime) and what else sizes say: whether neighbours in a column fall into the same sets of the
 * caches, and how much a step by the sides' common divisor moves. All are free. */
#include <math.h>

#include "variants/transpose/transpose.h"

static const nitro_feature features[] = {
    {"num_rows", "rows", NITRO_SCALE_SIGNED_LOG, 0},
    {"num_cols", "columns", NITRO_SCALE_SIGNED_LOG, 0},
    {"element_bytes", "bytes", NITRO_SCALE_LINEAR, 0},
    {"least_side", "1", NITRO_SCALE_SIGNED_LOG, 0},
    {"aspect", "1", NITRO_SCALE_LINEAR, 0},              /* log2(rows / columns) */
    {"in_stride_zeros", "bits", NITRO_SCALE_LINEAR, 0},  /* bytes of a row, as powers of two */
    {"out_stride_zeros", "bits", NITRO_SCALE_LINEAR, 0}, /* bytes of a row of the result */
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

static int evaluate(const void *argument, double *values, void *user)
{
    const nitro_transpose *t = argument;
    double rows = (double)t->num_rows, cols = (double)t->num_cols;
    values[NITRO_TRANSPOSE_NUM_ROWS] = rows;
    values[NITRO_TRANSPOSE_NUM_COLS] = cols;
    values[NITRO_TRANSPOSE_ELEMENT_BYTES] = t->element_bytes;
    values[NITRO_TRANSPOSE_LEAST_SIDE] = fmin(rows, cols);
    values[NITRO_TRANSPOSE_ASPECT] = rows > 0 && cols > 0 ? log2(rows / cols) : 0;
    values[NITRO_TRANSPOSE_IN_STRIDE] = trailing_zeros(t->num_cols * t->element_bytes);
    values[NITRO_TRANSPOSE_OUT_STRIDE] = trailing_zeros(t->num_rows * t->element_bytes);
    if (user) /* out of place */
        return 0;
    int64_t divisor = nitro_transpose_divisor(t->num_rows, t->num_cols);
    values[NITRO_TRANSPOSE_IS_ROW_MAJOR] = t->is_row_major;
    values[NITRO_TRANSPOSE_IS_COPRIME] = divisor == 1;
    values[NITRO_TRANSPOSE_COMMON_DIVISOR] = (double)divisor;
    return 0;
}

#define BYTES "element_bytes * max(num_rows, 1) * max(num_cols, 1)"

static nitro_status add(nitro_computation *computation, size_t count, void *user)
{
    char per_core[512], per_l2[512];
    nitro_formula_per_core(per_core, sizeof(per_core), BYTES);
    nitro_formula_per_l2(per_l2, sizeof(per_l2), BYTES);
    const nitro_relative_feature relative[] = {
        {.name = "bytes_per_core", .formula = per_core, .scale = NITRO_SCALE_LOG},
        {.name = "work_per_l2", .formula = per_l2, .scale = NITRO_SCALE_LOG},
    };
    nitro_status status =
        nitro_computation_add_features(computation, features, count, evaluate, user);
    for (size_t i = 0; i < sizeof(relative) / sizeof(relative[0]) && status == NITRO_OK; i++)
        status = nitro_computation_add_relative_feature(computation, &relative[i]);
    return status;
}

nitro_status nitro_transpose_add_features(nitro_computation *computation)
{
    static const char out_of_place;
    return add(computation, NITRO_TRANSPOSE_IS_ROW_MAJOR, (void *)&out_of_place);
}

nitro_status nitro_transpose_inplace_add_features(nitro_computation *computation)
{
    return add(computation, NITRO_TRANSPOSE_NUM_FEATURES, NULL);
}
