/* Input features of the solver: the paper's (sizes; trace, mean and variance of the diagonal, norm,
 * dominance, bandwidth), the same without scale, and what tells whether methods and preconditioners
 * work: symmetry, signs, spreads, and how much of a row its diagonal block holds. Judged by a
 * sample of rows, one from each of 1024 equal ranges at a place given by a fixed hash. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "variants/solver/solver.h"

#define SAMPLES  1024
#define MIRRORED 8  /* entries of a row whose mirror images are looked up */
#define MOST     64 /* entries looked at of a row */
#define BLOCK    16 /* of block Jacobi */
#define COST     1.5e5

static const nitro_feature sizes[] = {
    {"num_rows", "rows", NITRO_SCALE_SIGNED_LOG, 0},
    {"num_nonzeros", "entries", NITRO_SCALE_SIGNED_LOG, 0},
    {"mean_row", "entries", NITRO_SCALE_SIGNED_LOG, 0},
};

/* Costs are for matrices outside the caches. */
static const nitro_feature sampled[] = {
    {"trace", "1", NITRO_SCALE_SIGNED_LOG, COST}, /* as if all rows were the sampled ones */
    {"diagonal_mean", "1", NITRO_SCALE_SIGNED_LOG, COST},
    {"diagonal_variance", "1", NITRO_SCALE_SIGNED_LOG, COST},
    {"norm", "1", NITRO_SCALE_SIGNED_LOG, COST},  /* greatest sum of a row's |a_ij| */
    {"dominance", "1", NITRO_SCALE_LINEAR, COST}, /* share of rows with |a_ii| >= sum |a_ij| */
    {"bandwidth", "columns", NITRO_SCALE_SIGNED_LOG, COST},    /* greatest i - first column */
    {"relative_diagonal", "1", NITRO_SCALE_LINEAR, COST},      /* mean over norm */
    {"diagonal_deviation", "1", NITRO_SCALE_SIGNED_LOG, COST}, /* over |mean| */
    {"diagonal_spread", "1", NITRO_SCALE_LINEAR, COST},        /* log10(max / min) |a_ii| */
    {"least_dominance", "1", NITRO_SCALE_LINEAR, COST},        /* min |a_ii| / sum |a_ij|, to 4 */
    {"not_positive", "1", NITRO_SCALE_LINEAR, COST},           /* share of a_ii */
    {"asymmetry", "1", NITRO_SCALE_LINEAR, COST}, /* share of entries unlike their mirror image */
    {"row_sum", "1", NITRO_SCALE_LINEAR, COST}, /* mean |sum a_ij| / sum |a_ij|: 0 in Laplacians */
    {"entry_spread", "1", NITRO_SCALE_LINEAR, COST}, /* mean log10(max / min) off the diagonal */
    {"positive_entries", "1", NITRO_SCALE_LINEAR, COST}, /* share off the diagonal */
    {"block_share", "1", NITRO_SCALE_LINEAR, COST},      /* of sum |a_ij| off it in blocks of 16 */
};

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    const nitro_solver *system = argument;
    values[NITRO_SOLVER_NUM_ROWS] = (double)system->num_rows;
    values[NITRO_SOLVER_NUM_NONZEROS] = (double)system->num_nonzeros;
    values[NITRO_SOLVER_MEAN_ROW] =
        system->num_rows > 0 ? (double)system->num_nonzeros / (double)system->num_rows : 0;
    return 0;
}

/* a_ij; 0: not stored. */
static double entry_at(const nitro_solver *system, int64_t i, int64_t j)
{
    int64_t at = nitro_solver_find_entry(system, i, j);
    return at < 0 ? 0 : system->values[at];
}

/* Sums over the sampled rows. */
typedef struct sums {
    double diagonal, squares, least, greatest; /* of a_ii; of |a_ii| > 0 */
    double norm, num_dominant, bandwidth, least_dominance, num_not_positive;
    double num_mirrored, num_unlike, row_sum, spread, num_entries, num_positive;
    double outside, in_blocks;               /* of |a_ij| off the diagonal */
    long double wide_diagonal, wide_squares; /* with the range for all squares of double */
} sums;

static void mirror(const nitro_solver *system, int64_t row, sums *s)
{
    int64_t begin = system->row_offsets[row], end = system->row_offsets[row + 1];
    int64_t step = (end - begin + MIRRORED - 1) / MIRRORED;
    for (int64_t k = begin; k < end; k += step) {
        double image = entry_at(system, system->columns[k], row);
        double scale = fabs(image) + fabs(system->values[k]);
        s->num_unlike += fabs(image - system->values[k]) > 1e-12 * scale;
        s->num_mirrored++;
    }
}

static void add_row(const nitro_solver *system, int64_t row, sums *s)
{
    int64_t begin = system->row_offsets[row], end = system->row_offsets[row + 1];
    double diagonal = entry_at(system, row, row), size = fabs(diagonal), sum = diagonal;
    double off = 0, least = INFINITY, greatest = 0;
    int64_t step = (end - begin + MOST - 1) / MOST;
    for (int64_t k = begin; k < end; k += step) {
        double entry = system->values[k], weight = fabs(entry) * (double)step;
        if (system->columns[k] == row || entry == 0)
            continue;
        off += weight;
        sum += entry * (double)step;
        least = fmin(least, fabs(entry));
        greatest = fmax(greatest, fabs(entry));
        s->num_entries++;
        s->num_positive += entry > 0;
        s->in_blocks += system->columns[k] / BLOCK == row / BLOCK ? weight / (off + size) : 0;
    }
    s->diagonal += diagonal;
    s->squares += diagonal * diagonal;
    s->wide_diagonal += (long double)diagonal;
    s->wide_squares += (long double)diagonal * (long double)diagonal;
    s->num_not_positive += !(diagonal > 0);
    if (size > 0) {
        s->least = fmin(s->least, size);
        s->greatest = fmax(s->greatest, size);
    }
    s->norm = fmax(s->norm, off + size);
    s->num_dominant += size >= off;
    s->least_dominance = fmin(s->least_dominance, off > 0 ? size / off : 4);
    s->row_sum += off + size > 0 ? fabs(sum) / (off + size) : 0;
    s->spread += greatest > 0 ? log10(fmin(greatest / least, DBL_MAX)) : 0;
    if (end > begin)
        s->bandwidth = fmax(s->bandwidth, (double)(row - system->columns[begin]));
    mirror(system, row, s);
}

static int evaluate_sampled(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_solver *system = argument;
    int64_t n = system->num_rows, count = n < SAMPLES ? n : SAMPLES;
    sums s = {.least = INFINITY, .least_dominance = 4};
    double *values = group - NITRO_SOLVER_TRACE, rows = (double)count;
    memset(group, 0, sizeof(sampled) / sizeof(sampled[0]) * sizeof(*group));
    if (n == 0)
        return 0;
    for (int64_t i = 0; i < count; i++)
        add_row(system, nitro_kit_sample(i, count, n), &s);
    double mean = s.diagonal / rows, variance = fmax(s.squares / rows - mean * mean, 0);
    double deviation = mean != 0 ? sqrt(variance) / fabs(mean) : 0;
    if (!isnormal(s.squares)) {
        long double wide_mean = s.wide_diagonal / rows;
        long double wide = fmaxl(s.wide_squares / rows - wide_mean * wide_mean, 0);
        variance = (double)fminl(wide, DBL_MAX);
        deviation = wide_mean != 0 ? (double)fminl(sqrtl(wide) / fabsl(wide_mean), DBL_MAX) : 0;
    }
    values[NITRO_SOLVER_TRACE] = mean * (double)n;
    values[NITRO_SOLVER_DIAGONAL_MEAN] = mean;
    values[NITRO_SOLVER_DIAGONAL_VARIANCE] = variance;
    values[NITRO_SOLVER_NORM] = s.norm;
    values[NITRO_SOLVER_DOMINANCE] = s.num_dominant / rows;
    values[NITRO_SOLVER_BANDWIDTH] = s.bandwidth;
    values[NITRO_SOLVER_RELATIVE_DIAGONAL] = s.norm > 0 ? mean / s.norm : 0;
    values[NITRO_SOLVER_DIAGONAL_DEVIATION] = fmin(deviation, DBL_MAX);
    values[NITRO_SOLVER_DIAGONAL_SPREAD] =
        s.greatest > 0 ? log10(fmin(s.greatest / s.least, DBL_MAX)) : 0;
    values[NITRO_SOLVER_LEAST_DOMINANCE] = fmin(s.least_dominance, 4);
    values[NITRO_SOLVER_NOT_POSITIVE] = s.num_not_positive / rows;
    values[NITRO_SOLVER_ASYMMETRY] = s.num_mirrored > 0 ? s.num_unlike / s.num_mirrored : 0;
    values[NITRO_SOLVER_ROW_SUM] = s.row_sum / rows;
    values[NITRO_SOLVER_ENTRY_SPREAD] = s.spread / rows;
    values[NITRO_SOLVER_POSITIVE_ENTRIES] = s.num_entries > 0 ? s.num_positive / s.num_entries : 0;
    values[NITRO_SOLVER_BLOCK_SHARE] = s.in_blocks / rows;
    for (int i = NITRO_SOLVER_TRACE; i <= NITRO_SOLVER_NORM; i++) /* of finite elements */
        if (isinf(values[i]))
            values[i] = copysign(DBL_MAX, values[i]);
    return 0;
}

#define BYTES "12 * max(num_nonzeros, 1) + 80 * max(num_rows, 1)"

nitro_status nitro_solver_add_features(nitro_computation *computation)
{
    static const nitro_kit_features groups[] = {
        {sizes, sizeof(sizes) / sizeof(sizes[0]), evaluate_sizes},
        {sampled, sizeof(sampled) / sizeof(sampled[0]), evaluate_sampled},
    };
    char per_core[512], per_l2[512];
    nitro_formula_per_core(per_core, sizeof(per_core), "max(num_nonzeros, 1)");
    nitro_formula_per_l2(per_l2, sizeof(per_l2), "(" BYTES ")");
    const nitro_relative_feature relative[] = {
        {.name = "entries_per_core", .formula = per_core, .replaces = "num_nonzeros"},
        {.name = "work_per_l2", .formula = per_l2},
    };
    return nitro_kit_add_features(computation, groups, 2, relative, 2);
}
