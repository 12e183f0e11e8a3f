/* Input features of spmv, in three groups by cost: sizes (free), row lengths (one pass over the
 * row offsets), occupied diagonals (a sample of the rows). Names and definitions are
 * those of the recorded SpMV measurements and of the Nitro paper where they have them. */
#include <math.h>
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
    [NITRO_SPMV_RLSD] = {"rlsd", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    /* longest row over the mean length, less 1; 0 without non-zeros */
    [NITRO_SPMV_MAX_DEVIATION] = {"max_deviation", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    /* rows times the longest row, over non-zeros; 1 without non-zeros */
    [NITRO_SPMV_ELL_FILLIN] = {"ell_fillin", "1", NITRO_SCALE_LOG, 4e3},
    /* shortest row, quartiles, longest row, central moments (of the population) of the row length
     */
    [NITRO_SPMV_ROW_MIN] = {"row_min", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    [NITRO_SPMV_ROW_Q1] = {"row_q1", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    [NITRO_SPMV_ROW_MEDIAN] = {"row_median", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    [NITRO_SPMV_ROW_Q3] = {"row_q3", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    [NITRO_SPMV_ROW_MAX] = {"row_max", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    [NITRO_SPMV_ROW_VARIANCE] = {"row_variance", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    [NITRO_SPMV_ROW_SKEWNESS] = {"row_skewness", "1", NITRO_SCALE_SIGNED_LOG, 4e3},
    /* occupied diagonals (estimated for more than 16384 non-zeros) times rows, over non-zeros; 1
     * without non-zeros */
    [NITRO_SPMV_DIA_FILLIN] = {"dia_fillin", "1", NITRO_SCALE_LOG, 8e3},
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

/*
 * Row lengths: one pass over the row offsets counts the rows of every length below
 * COUNTED_LENGTHS; moments and quartiles follow from the counts. Successive rows are counted in
 * different tables, since rows of equal length would wait for each other's additions. Groups of
 * rows shorter than SHORT_LENGTHS are counted in a vector register where the processor can. Longer
 * rows are rare, and looked at again block by block while their offsets are in the cache.
 */
#define COUNTED_LENGTHS 512
#define SHORT_LENGTHS   8
#define GROUP_ROWS      64
#define LEAST_ROWS      512 /* for groups to pay */
#define NUM_TABLES      4
#define BLOCK_ROWS      2048
#define NS_PER_ROW      0.4  /* on one thread */
#define NS_PER_SHORT    0.15 /* counted in a group */
#define PART_ROWS       65536
#define MAX_PARTS       64

/* Rows of COUNTED_LENGTHS entries or more. */
typedef struct long_rows {
    int64_t count, shortest, longest;
    double squares, cubes; /* sums of powers of deviations from the mean */
} long_rows;

typedef struct row_lengths {
    const int64_t *offsets;
    int64_t num_rows;
    double mean;
    bool has_groups; /* mostly short rows, and enough of them */
    int64_t shortest, longest;
    double variance, skewness;
    int64_t count[COUNTED_LENGTHS]; /* rows of that length */
} row_lengths;

/* Counters of one thread; the last counts all long rows. */
typedef uint32_t length_tables[NUM_TABLES][COUNTED_LENGTHS + 1];

static inline void count_row(uint32_t *table, const int64_t *offsets)
{
    uint64_t length = (uint64_t)(offsets[1] - offsets[0]);
    table[length < COUNTED_LENGTHS ? length : COUNTED_LENGTHS]++;
}

static void count_in_tables(const int64_t *offsets, int64_t begin, int64_t end,
                            length_tables tables)
{
    int64_t row = begin;
    for (; row + NUM_TABLES <= end; row += NUM_TABLES) {
        count_row(tables[0], offsets + row);
        count_row(tables[1], offsets + row + 1);
        count_row(tables[2], offsets + row + 2);
        count_row(tables[3], offsets + row + 3);
    }
    for (; row < end; row++)
        count_row(tables[0], offsets + row);
}

#ifdef __x86_64__
typedef uint64_t four_words __attribute__((vector_size(32)));

/* Counts GROUP_ROWS rows if all of them are short; otherwise none, and returns false. Byte n of a
 * word counts the rows of length n. */
__attribute__((target("avx2"))) static bool count_group(const int64_t *offsets, uint32_t *table)
{
    const four_words one = {1, 1, 1, 1};
    four_words counts = {0}, bits = {0};
    for (int row = 0; row < GROUP_ROWS; row += 4) {
        four_words begins, lengths;
        memcpy(&begins, offsets + row, sizeof(begins));
        memcpy(&lengths, offsets + row + 1, sizeof(lengths));
        lengths -= begins;
        bits |= lengths;
        counts += one << (8 * lengths & 63);
    }
    if ((bits[0] | bits[1] | bits[2] | bits[3]) >= SHORT_LENGTHS)
        return false;
    uint64_t count = counts[0] + counts[1] + counts[2] + counts[3];
    for (int length = 0; length < SHORT_LENGTHS; length++)
        table[length] += (uint32_t)(count >> 8 * length & 255);
    return true;
}
#else
static bool count_group(const int64_t *offsets, uint32_t *table)
{
    (void)offsets, (void)table;
    return false;
}
#endif

/* Gives up on groups where more of them have a longer row than have not. */
static void count_block(const row_lengths *lengths, int64_t begin, int64_t end,
                        length_tables tables)
{
    const int64_t *offsets = lengths->offsets;
    int64_t row = begin;
    int lead = lengths->has_groups ? 2 : -1;
    for (; lead >= 0 && row + GROUP_ROWS <= end; row += GROUP_ROWS) {
        bool is_counted = count_group(offsets + row, tables[0]);
        lead += is_counted ? 1 : -1;
        if (!is_counted)
            count_in_tables(offsets, row, row + GROUP_ROWS, tables);
    }
    count_in_tables(offsets, row, end, tables);
}

static int64_t num_long(length_tables tables)
{
    int64_t sum = 0;
    for (int t = 0; t < NUM_TABLES; t++)
        sum += tables[t][COUNTED_LENGTHS];
    return sum;
}

static void add_long_rows(const row_lengths *lengths, int64_t begin, int64_t end, long_rows *rows)
{
    for (int64_t row = begin; row < end; row++) {
        int64_t length = lengths->offsets[row + 1] - lengths->offsets[row];
        if (length < COUNTED_LENGTHS)
            continue;
        double deviation = (double)length - lengths->mean;
        rows->squares += deviation * deviation;
        rows->cubes += deviation * deviation * deviation;
        rows->shortest = rows->count == 0 || length < rows->shortest ? length : rows->shortest;
        rows->longest = length > rows->longest ? length : rows->longest;
        rows->count++;
    }
}

static void count_part(const row_lengths *lengths, int64_t begin, int64_t end, length_tables tables,
                       long_rows *rows)
{
    *rows = (long_rows){0};
    for (int64_t row = begin; row < end; row += BLOCK_ROWS) {
        int64_t block_end = row + BLOCK_ROWS < end ? row + BLOCK_ROWS : end;
        int64_t before = num_long(tables);
        count_block(lengths, row, block_end, tables);
        if (num_long(tables) > before)
            add_long_rows(lengths, row, block_end, rows);
    }
}

typedef struct counting {
    row_lengths *lengths;
    long_rows *parts; /* shape [num_parts]; they do not depend on the number of threads */
    int num_parts;
} counting;

/* The parts of one thread. */
static void count_parts(const void *state, int thread, int num_threads)
{
    const counting *c = state;
    row_lengths *lengths = c->lengths;
    length_tables tables = {{0}};
    int end = (int)nitro_host_split_evenly(c->num_parts, thread + 1, num_threads);
    for (int p = (int)nitro_host_split_evenly(c->num_parts, thread, num_threads); p < end; p++)
        count_part(lengths, nitro_host_split_evenly(lengths->num_rows, p, c->num_parts),
                   nitro_host_split_evenly(lengths->num_rows, p + 1, c->num_parts), tables,
                   &c->parts[p]);
    for (int64_t length = 0; length < COUNTED_LENGTHS; length++) {
        int64_t count = 0;
        for (int t = 0; t < NUM_TABLES; t++)
            count += tables[t][length];
        if (count > 0)
            __atomic_fetch_add(&lengths->count[length], count, __ATOMIC_RELAXED);
    }
}

static void summarise(row_lengths *lengths)
{
    long_rows parts[MAX_PARTS];
    int64_t most = lengths->num_rows / PART_ROWS + 1;
    int num_parts = most < MAX_PARTS ? (int)most : MAX_PARTS;
    double squares = 0, cubes = 0, rows = (double)lengths->num_rows;
    lengths->has_groups = nitro_host_simd_bits() >= 256 && lengths->mean < SHORT_LENGTHS &&
                          lengths->num_rows >= LEAST_ROWS;
    nitro_host_run_parts(
        count_parts, &(counting){lengths, parts, num_parts},
        nitro_host_num_parts((lengths->has_groups ? NS_PER_SHORT : NS_PER_ROW) * rows));
    lengths->shortest = INT64_MAX;
    for (int64_t length = 0; length < COUNTED_LENGTHS; length++) {
        if (lengths->count[length] == 0)
            continue;
        double deviation = (double)length - lengths->mean;
        double square = deviation * deviation * (double)lengths->count[length];
        squares += square;
        cubes += square * deviation;
        lengths->shortest = length < lengths->shortest ? length : lengths->shortest;
        lengths->longest = length;
    }
    for (int p = 0; p < num_parts; p++) {
        if (parts[p].count == 0)
            continue;
        squares += parts[p].squares;
        cubes += parts[p].cubes;
        if (parts[p].shortest < lengths->shortest)
            lengths->shortest = parts[p].shortest;
        if (parts[p].longest > lengths->longest)
            lengths->longest = parts[p].longest;
    }
    lengths->variance = squares / rows;
    lengths->skewness = squares > 0 ? cubes / rows / pow(lengths->variance, 1.5) : 0;
}

/* For long rows: bisection with a pass over the offsets a step, so that a dispatch allocates no
 * memory. A quarter of the rows is long then, so that these passes are short beside the matrix. */
static int64_t long_length_of_rank(const row_lengths *lengths, int64_t rank)
{
    int64_t low = COUNTED_LENGTHS, high = lengths->longest;
    while (low < high) {
        int64_t middle = low + (high - low) / 2, up_to_middle = 0;
        for (int64_t row = 0; row < lengths->num_rows; row++)
            up_to_middle += lengths->offsets[row + 1] - lengths->offsets[row] <= middle;
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
    row_lengths lengths = {.offsets = spmv->row_offsets, .num_rows = spmv->num_rows, .mean = mean};
    if (spmv->num_rows > 0)
        summarise(&lengths);
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

/*
 * Occupied diagonals: exact for up to EXACT_ENTRIES non-zeros (and EXACT_DIAGONALS rows and
 * columns). Of larger matrices, rows are sampled, one from each of equal ranges at a place given by
 * a fixed hash, and the diagonals that no sampled row crosses are estimated from those seen once
 * (f1) and twice (f2), as unseen species in a sample of share q without replacement (Chao and Lin,
 * Biometrics 68, 2012):
 *
 *     diagonals = seen + f1^2 / (2 f2 + q / (1 - q) f1)
 *
 * A diagonal with entries in a share p of the rows is missed by n sampled rows with probability
 * (1 - p)^n. On 360 generated matrices the estimate was within 5 % of the exact count for 97 % of
 * those with a fill-in of at most 10 (dia accepts 8) and within 35 % for all of them; elsewhere it
 * was within a factor of two.
 */
#define EXACT_ENTRIES   16384
#define EXACT_DIAGONALS 65536
#define SAMPLED_ENTRIES 3072
#define AHEAD_ROWS      16
#define LOG_SLOTS       13
#define NUM_SLOTS       (1 << LOG_SLOTS)
#define MAX_SAMPLED     (NUM_SLOTS / 3 * 2)

typedef struct diagonal_sample {
    int64_t num_entries;
    int64_t seen[4];           /* diagonals seen at least so often; [0] is unused */
    uint64_t slots[NUM_SLOTS]; /* 4 x the diagonal, and how often seen, 3 at most */
} diagonal_sample;

static uint64_t mix(uint64_t number)
{
    return number * UINT64_C(0x9E3779B97F4A7C15);
}

static void see_diagonal(diagonal_sample *sample, uint64_t diagonal)
{
    size_t at = (size_t)(mix(diagonal) >> (64 - LOG_SLOTS));
    while (sample->slots[at] != 0 && sample->slots[at] >> 2 != diagonal)
        at = (at + 1) % NUM_SLOTS;
    uint64_t times = sample->slots[at] & 3;
    if (times < 3) {
        sample->slots[at] = diagonal << 2 | (times + 1);
        sample->seen[times + 1]++;
    }
}

/* Up to `most` consecutive entries of a row: where they begin. */
static int64_t find_entries(const nitro_spmv *spmv, int64_t row, int64_t most, int64_t *begin)
{
    int64_t count = spmv->row_offsets[row + 1] - spmv->row_offsets[row];
    *begin = spmv->row_offsets[row];
    if (count <= most)
        return count;
    *begin += (int64_t)(mix((uint64_t)row) % (uint64_t)(count - most + 1));
    return most;
}

/* One row of each of `count` equal ranges. */
static void choose_rows(const nitro_spmv *spmv, int64_t count, int64_t *rows)
{
    int64_t whole = spmv->num_rows / count, rest = spmv->num_rows - whole * count;
    int64_t carry = 0, end = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t begin = end; /* num_rows * i / count, without its division */
        carry += rest;
        end += whole + (carry >= count);
        carry -= carry >= count ? count : 0;
        uint64_t place = (mix((uint64_t)i + 1) >> 32) * (uint64_t)(end - begin) >> 32;
        rows[i] = begin + (int64_t)place;
        __builtin_prefetch(&spmv->row_offsets[rows[i]]);
    }
}

/* Rows are far from each other, and so are their entries: both are prefetched some rows ahead. */
static void see_rows(const nitro_spmv *spmv, diagonal_sample *sample)
{
    double density = mean_length(spmv);
    double wanted = SAMPLED_ENTRIES / fmax(density, 1);
    int64_t count = wanted < (double)spmv->num_rows ? (int64_t)wanted + 1 : spmv->num_rows;
    int64_t most = (int64_t)fmin(2 * density + 8, MAX_SAMPLED / 4);
    int64_t rows[SAMPLED_ENTRIES + 1];
    choose_rows(spmv, count, rows);
    for (int64_t i = 0; i < count && sample->num_entries + most <= MAX_SAMPLED; i++) {
        int64_t ahead, begin;
        find_entries(spmv, rows[i + AHEAD_ROWS < count ? i + AHEAD_ROWS : i], most, &ahead);
        __builtin_prefetch(&spmv->columns[ahead]);
        int64_t num_entries = find_entries(spmv, rows[i], most, &begin);
        for (int64_t k = begin; k < begin + num_entries; k++)
            see_diagonal(sample, (uint64_t)(spmv->num_rows - rows[i] + spmv->columns[k]));
        sample->num_entries += num_entries;
    }
}

static double estimate_diagonals(const nitro_spmv *spmv)
{
    diagonal_sample sample = {0};
    see_rows(spmv, &sample);
    double seen = (double)sample.seen[1];
    double once = seen - (double)sample.seen[2];
    double twice = (double)(sample.seen[2] - sample.seen[3]);
    double share = (double)sample.num_entries / (double)spmv->num_nonzeros;
    if (once <= 0 || share >= 1)
        return fmax(seen, 1);
    double unseen = once * once / (2 * twice + share / (1 - share) * once);
    return fmin(seen + unseen, (double)(spmv->num_rows + spmv->num_cols - 1));
}

static double count_diagonals(const nitro_spmv *spmv)
{
    unsigned char occupied[EXACT_DIAGONALS];
    int64_t num_diagonals = spmv->num_rows + spmv->num_cols, count = 0;
    memset(occupied, 0, (size_t)num_diagonals);
    for (int64_t row = 0; row < spmv->num_rows; row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            occupied[spmv->num_rows - row + spmv->columns[k]] = 1;
    for (int64_t i = 0; i < num_diagonals; i++)
        count += occupied[i];
    return (double)count;
}

static int evaluate_diagonals(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_spmv *spmv = argument;
    bool is_small =
        spmv->num_nonzeros <= EXACT_ENTRIES && spmv->num_rows + spmv->num_cols <= EXACT_DIAGONALS;
    double nonzeros = (double)spmv->num_nonzeros, rows = (double)spmv->num_rows;
    *group = 1;
    if (nonzeros > 0)
        *group = (is_small ? count_diagonals(spmv) : estimate_diagonals(spmv)) * rows / nonzeros;
    return 0;
}

/* A matrix in CSR takes 12 bytes a non-zero (value, column) and 8 a row (offset); the vectors take
 * 8 a row and 8 a column. At least 1 of each, so that logarithms are defined for empty matrices. */
#define ROWS  "max(rows, 1)"
#define COLS  "max(cols, 1)"
#define NNZ   "max(nnz, 1)"
#define BYTES "12 * nnz + 16 * " ROWS " + 8 * " COLS

#define LAUNCH_US 5 /* about the time to start a kernel or a team of threads */

nitro_status nitro_spmv_add_features(nitro_computation *computation)
{
    static const nitro_kit_features groups[] = {
        {features, NITRO_SPMV_RLSD, evaluate_sizes},
        {features + NITRO_SPMV_RLSD, NITRO_SPMV_DIA_FILLIN - NITRO_SPMV_RLSD, evaluate_row_lengths},
        {features + NITRO_SPMV_DIA_FILLIN, 1, evaluate_diagonals},
    };
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
    return nitro_kit_add_features(computation, groups, 3, relative,
                                  sizeof(relative) / sizeof(relative[0]));
}
