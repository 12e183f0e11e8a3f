/* Input features of spmv, in three groups by cost: sizes (free), row lengths (one or a few passes
 * over the row offsets), occupied diagonals (a pass over all non-zeros). Names and definitions are
 * those of the recorded SpMV measurements and of the Nitro paper where they have them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants/spmv/spmv.h"

/*
 * Costs are for 100,000 rows and 1,000,000 non-zeros. Counts can be 0 and skewness negative: signed
 * logarithms. Ratios that are never 0 have plain ones: a signed logarithm is all but linear below
 * 1, so densities of 1e-7 and 1e-3 would look the same.
 */
static const nitro_feature features[NITRO_SPMV_NUM_FEATURES] = {
    /* non-zeros over rows; 0 without rows */
    [NITRO_SPMV_AVG_NZ_PER_ROW] = {"avg_nz_per_row", "1", NITRO_SCALE_SIGNED_LOG, 0},
    [NITRO_SPMV_ROWS] = {"rows", "rows", NITRO_SCALE_SIGNED_LOG, 0},
    [NITRO_SPMV_COLS] = {"cols", "columns", NITRO_SCALE_SIGNED_LOG, 0},
    [NITRO_SPMV_NNZ] = {"nnz", "1", NITRO_SCALE_SIGNED_LOG, 0},
    /* non-zeros over rows times columns; one non-zero at least, so that its logarithm exists */
    [NITRO_SPMV_DENSITY] = {"density", "1", NITRO_SCALE_LOG, 0},
    /* standard deviation of the row length over its mean; 0 without non-zeros */
    [NITRO_SPMV_RLSD] = {"rlsd", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    /* longest row over the mean length, less 1; 0 without non-zeros */
    [NITRO_SPMV_MAX_DEVIATION] = {"max_deviation", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    /* rows times the longest row, over non-zeros; 1 without non-zeros */
    [NITRO_SPMV_ELL_FILLIN] = {"ell_fillin", "1", NITRO_SCALE_LOG, 8e3},
    /* shortest row, quartiles, longest row, central moments (of the population) of the row length
     */
    [NITRO_SPMV_ROW_MIN] = {"row_min", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    [NITRO_SPMV_ROW_Q1] = {"row_q1", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    [NITRO_SPMV_ROW_MEDIAN] = {"row_median", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    [NITRO_SPMV_ROW_Q3] = {"row_q3", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    [NITRO_SPMV_ROW_MAX] = {"row_max", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    [NITRO_SPMV_ROW_VARIANCE] = {"row_variance", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    [NITRO_SPMV_ROW_SKEWNESS] = {"row_skewness", "1", NITRO_SCALE_SIGNED_LOG, 8e3},
    /* occupied diagonals times rows, over non-zeros; 1 without non-zeros */
    [NITRO_SPMV_DIA_FILLIN] = {"dia_fillin", "1", NITRO_SCALE_LOG, 1e6},
};

static double mean_length(const nitro_spmv *spmv)
{
    return spmv->num_rows > 0 ? (double)spmv->num_nonzeros / (double)spmv->num_rows : 0;
}

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    double rows = (double)spmv->num_rows, cols = (double)spmv->num_cols;
    double nonzeros = (double)spmv->num_nonzeros;
    values[NITRO_SPMV_AVG_NZ_PER_ROW] = mean_length(spmv);
    values[NITRO_SPMV_ROWS] = rows;
    values[NITRO_SPMV_COLS] = cols;
    values[NITRO_SPMV_NNZ] = nonzeros;
    values[NITRO_SPMV_DENSITY] = rows > 0 && cols > 0 ? fmax(nonzeros, 1) / rows / cols : 1;
    return 0;
}

/* Rows up to this length are counted in a histogram, whose size bounds the stack use of a decision.
 */
#define COUNTED_LENGTHS 1024

typedef struct row_lengths {
    const int64_t *offsets;
    int64_t num_rows;
    int64_t shortest, longest;
    double variance, skewness;
    int64_t count[COUNTED_LENGTHS]; /* rows of that length */
} row_lengths;

static int64_t length_of(const row_lengths *lengths, int64_t row)
{
    return lengths->offsets[row + 1] - lengths->offsets[row];
}

static void summarise(row_lengths *lengths, double mean)
{
    double squares = 0, cubes = 0;
    lengths->shortest = INT64_MAX;
    for (int64_t row = 0; row < lengths->num_rows; row++) {
        int64_t length = length_of(lengths, row);
        double deviation = (double)length - mean;
        squares += deviation * deviation;
        cubes += deviation * deviation * deviation;
        lengths->shortest = length < lengths->shortest ? length : lengths->shortest;
        lengths->longest = length > lengths->longest ? length : lengths->longest;
        if (length < COUNTED_LENGTHS)
            lengths->count[length]++;
    }
    double rows = (double)lengths->num_rows;
    lengths->variance = squares / rows;
    lengths->skewness = squares > 0 ? cubes / rows / pow(lengths->variance, 1.5) : 0;
}

/* For rows of more than COUNTED_LENGTHS entries: bisection with a pass over the offsets a step, so
 * that a dispatch allocates no memory. */
static int64_t long_length_of_rank(const row_lengths *lengths, int64_t rank)
{
    int64_t low = COUNTED_LENGTHS, high = lengths->longest;
    while (low < high) {
        int64_t middle = low + (high - low) / 2, up_to_middle = 0;
        for (int64_t row = 0; row < lengths->num_rows; row++)
            up_to_middle += length_of(lengths, row) <= middle;
        if (up_to_middle > rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The row length at `rank` (from 0, clamped) in ascending order. */
static double length_of_rank(const row_lengths *lengths, int64_t rank)
{
    if (rank < 0)
        rank = 0;
    if (rank >= lengths->num_rows)
        rank = lengths->num_rows - 1;
    int64_t seen = 0;
    for (int64_t length = 0; length < COUNTED_LENGTHS; length++) {
        seen += lengths->count[length];
        if (seen > rank)
            return (double)length;
    }
    return (double)long_length_of_rank(lengths, rank);
}

/*
 * Quartiles as in the recorded measurements (Ginkgo's matrix statistics): between two ranks around
 * a quarter q of the rows, by the remainder of the division by four. Textbooks swap the weights for
 * remainder 3; these must agree with the recorded values.
 */
static void quartiles(const row_lengths *lengths, double *q1, double *median, double *q3)
{
    static const double below_q1[4] = {-0.5, -0.75, 0, 0.75};
    static const double below_median[4] = {-0.5, 0, 0.5, 1};
    static const double below_q3[4] = {-0.5, 0.75, 1, 1.25};
    double *results[] = {q1, median, q3};
    const double *offsets[] = {below_q1, below_median, below_q3};
    int64_t quarter = lengths->num_rows / 4, remainder = lengths->num_rows % 4;
    for (int i = 0; i < 3; i++) {
        double position = (double)((i + 1) * quarter) + offsets[i][remainder];
        double rank = floor(position), weight = position - rank;
        double lower = length_of_rank(lengths, (int64_t)rank);
        double upper = weight > 0 ? length_of_rank(lengths, (int64_t)rank + 1) : lower;
        *results[i] = (1 - weight) * lower + weight * upper;
    }
}

static int evaluate_row_lengths(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    double mean = mean_length(spmv);
    double values[NITRO_SPMV_NUM_FEATURES] = {[NITRO_SPMV_ELL_FILLIN] = 1};
    row_lengths lengths = {.offsets = spmv->row_offsets, .num_rows = spmv->num_rows};
    if (spmv->num_rows > 0)
        summarise(&lengths, mean);
    if (mean > 0) {
        values[NITRO_SPMV_RLSD] = sqrt(lengths.variance) / mean;
        values[NITRO_SPMV_MAX_DEVIATION] = (double)lengths.longest / mean - 1;
        values[NITRO_SPMV_ELL_FILLIN] = (double)lengths.longest / mean;
    }
    values[NITRO_SPMV_ROW_MIN] = (double)lengths.shortest;
    values[NITRO_SPMV_ROW_MAX] = (double)lengths.longest;
    values[NITRO_SPMV_ROW_VARIANCE] = lengths.variance;
    values[NITRO_SPMV_ROW_SKEWNESS] = lengths.skewness;
    if (spmv->num_rows > 0)
        quartiles(&lengths, &values[NITRO_SPMV_ROW_Q1], &values[NITRO_SPMV_ROW_MEDIAN],
                  &values[NITRO_SPMV_ROW_Q3]);
    memcpy(group, values + NITRO_SPMV_RLSD,
           (NITRO_SPMV_DIA_FILLIN - NITRO_SPMV_RLSD) * sizeof(*group));
    return 0;
}

static int evaluate_diagonals(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    *group = 1;
    if (spmv->num_nonzeros == 0)
        return 0;
    size_t num_diagonals = (size_t)(spmv->num_rows + spmv->num_cols);
    unsigned char *occupied = calloc(num_diagonals, 1);
    if (!occupied)
        return 1;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        unsigned char *diagonals = occupied + (spmv->num_rows - row);
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            diagonals[spmv->columns[k]] = 1;
    }
    size_t count = 0;
    for (size_t i = 0; i < num_diagonals; i++)
        count += occupied[i];
    free(occupied);
    *group = (double)count * (double)spmv->num_rows / (double)spmv->num_nonzeros;
    return 0;
}

/* A matrix in CSR takes 12 bytes a non-zero (value, column) and 8 a row (offset); the vectors take
 * 8 a row and 8 a column. At least 1 of each, so that logarithms are defined for empty matrices. */
#define ROWS  "max(rows, 1)"
#define COLS  "max(cols, 1)"
#define NNZ   "max(nnz, 1)"
#define BYTES "12 * nnz + 16 * " ROWS " + 8 * " COLS

#define LAUNCH_US 5 /* about the time to start a kernel or a team of threads */

static nitro_status add_relative_features(nitro_computation *computation)
{
    char rows[512], nonzeros[512], vector[512], all[512], streaming[512], imbalance[512];
    char balance[512];
    nitro_formula_per_core(rows, sizeof(rows), ROWS);
    nitro_formula_per_core(nonzeros, sizeof(nonzeros), NNZ);
    nitro_formula_per_l2(vector, sizeof(vector), "8 * " COLS);
    nitro_formula_per_l2(all, sizeof(all), BYTES);
    nitro_formula_streaming_time(streaming, sizeof(streaming), BYTES, LAUNCH_US);
    nitro_formula_imbalance(imbalance, sizeof(imbalance), "max(row_max, 1)", NNZ);
    nitro_formula_machine_balance(balance, sizeof(balance), "2", "12"); /* of a non-zero */
    const nitro_relative_feature relative[] = {
        {.name = "rows_per_core", .formula = rows, .replaces = "rows"},
        {.name = "nnz_per_core", .formula = nonzeros, .replaces = "nnz"},
        {.name = "vector_per_l2", .formula = vector, .replaces = "cols"},
        {.name = "work_per_l2", .formula = all},
        {.name = "streaming_per_launch", .formula = streaming},
        {.name = "longest_row_per_core", .formula = imbalance},
        {.name = "machine_balance", .formula = balance},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(relative) / sizeof(relative[0]) && status == NITRO_OK; i++) {
        nitro_relative_feature feature = relative[i];
        feature.scale = NITRO_SCALE_LOG;
        status = nitro_computation_add_relative_feature(computation, &feature);
    }
    return status;
}

nitro_status nitro_spmv_add_features(nitro_computation *computation)
{
    static const struct {
        size_t first, end;
        nitro_features_function evaluate;
    } groups[] = {
        {0, NITRO_SPMV_RLSD, evaluate_sizes},
        {NITRO_SPMV_RLSD, NITRO_SPMV_DIA_FILLIN, evaluate_row_lengths},
        {NITRO_SPMV_DIA_FILLIN, NITRO_SPMV_NUM_FEATURES, evaluate_diagonals},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && status == NITRO_OK; i++)
        status = nitro_computation_add_features(computation, features + groups[i].first,
                                                groups[i].end - groups[i].first, groups[i].evaluate,
                                                NULL);
    return status == NITRO_OK ? add_relative_features(computation) : status;
}
