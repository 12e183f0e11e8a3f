/* A Gaussian process over a list of candidates, kept up observation by observation. */
#include "search/gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates whose sums are formed together: they stay in the first-level cache. */
#define BLOCK 1024

/* e^-x for x >= 0 to 1e-7 or so, by operations that compilers vectorise and that round alike
 * everywhere: 2^-n times a polynomial of the rest. */
static inline float exp_negative(float x)
{
    float scaled = x * -1.44269504f;
    scaled = scaled < -126.0f ? -126.0f : scaled;
    float whole = (float)(int32_t)(scaled - 0.5f);
    float f = (scaled - whole) * 0.69314718f; /* in ln 2 x [-1/2, 1/2] */
    float power =
        1.0f +
        f * (1.0f + f * (0.5f + f * (0.16666667f + f * (0.041666667f +
                                                        f * (0.0083333333f + f * 0.0013888889f)))));
    int32_t bits = ((int32_t)whole + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof(scale));
    return power * scale;
}

static inline float matern_3_2(float squared)
{
    float r = sqrtf(3.0f * squared);
    return (1.0f + r) * exp_negative(r);
}

static inline float matern_5_2(float squared)
{
    float r = sqrtf(5.0f * squared);
    return (1.0f + r + r * r * (1.0f / 3.0f)) * exp_negative(r);
}

/* Expected improvement of a normal variable, in units of its deviation: z Phi(z) + phi(z). */
static double improvement_at(double z)
{
    return z * 0.5 * erfc(-z * 0.70710678118654752) + 0.39894228040143268 * exp(-0.5 * z * z);
}

double search_improvement_rating(double deviation, double z)
{
    double improvement = deviation * improvement_at(z);
    return improvement > 0 ? improvement : fmin(z, 0);
}

double search_improvement_cut(double rating, double deviation)
{
    double low = -40, high = fmax(rating, 0) / deviation + 1; /* it rises with z, and exceeds z */
    if (!(rating > 0))
        return -INFINITY;
    double improvement = rating / deviation;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(improvement_at(middle) < improvement ? &low : &high) = middle;
    }
    return low;
}

nitro_status search_gp_init(nitro_context *context, const search_candidates *candidates,
                            search_covariance covariance, double noise, size_t capacity,
                            search_gp *gp)
{
    size_t num_parameters = candidates->num_parameters, count = candidates->capacity;
    search_gp made = {.candidates = candidates,
                      .covariance = covariance,
                      .noise = noise,
                      .joint = 1,
                      .capacity = capacity};
    made.distances = nitro_calloc(context, num_parameters, sizeof(float *));
    made.summands = nitro_calloc(context, num_parameters, sizeof(float *));
    made.observed = nitro_calloc(context, capacity * num_parameters, sizeof(uint16_t));
    made.lower = nitro_calloc(context, capacity * (capacity + 1) / 2, sizeof(double));
    made.solved_values = nitro_calloc(context, capacity, sizeof(double));
    made.solved_ones = nitro_calloc(context, capacity, sizeof(double));
    made.rows = nitro_calloc(context, capacity * count, sizeof(float));
    made.values_sum = nitro_calloc(context, count, sizeof(float));
    made.ones_sum = nitro_calloc(context, count, sizeof(float));
    made.variance = nitro_calloc(context, count, sizeof(float));
    bool complete = made.distances && made.summands && made.observed && made.lower &&
                    made.solved_values && made.solved_ones && made.rows && made.values_sum &&
                    made.ones_sum && made.variance;
    for (size_t p = 0; complete && p < num_parameters; p++) {
        size_t levels = search_num_levels(candidates->space, p);
        made.distances[p] = nitro_calloc(context, levels * levels, sizeof(float));
        made.summands[p] = nitro_calloc(context, levels * levels, sizeof(float));
        complete = made.distances[p] && made.summands[p];
    }
    *gp = made;
    if (!complete) {
        search_gp_release(gp);
        return NITRO_ERR_NO_MEMORY;
    }
    search_gp_clear(gp);
    return NITRO_OK;
}

void search_gp_release(search_gp *gp)
{
    for (size_t p = 0; gp->distances && gp->summands && p < gp->candidates->num_parameters; p++) {
        free(gp->distances[p]);
        free(gp->summands[p]);
    }
    free(gp->distances);
    free(gp->summands);
    free(gp->observed);
    free(gp->lower);
    free(gp->solved_values);
    free(gp->solved_ones);
    free(gp->rows);
    free(gp->values_sum);
    free(gp->ones_sum);
    free(gp->variance);
    *gp = (search_gp){0};
}

void search_gp_clear(search_gp *gp)
{
    size_t count = gp->candidates->capacity;
    gp->count = gp->num_extended = 0;
    memset(gp->values_sum, 0, count * sizeof(float));
    memset(gp->ones_sum, 0, count * sizeof(float));
    for (size_t c = 0; c < count; c++)
        gp->variance[c] = 1;
}

static double *lower_row(const search_gp *gp, size_t row)
{
    return gp->lower + row * (row + 1) / 2;
}

/* Covariances of a block of candidates with a configuration. */
static void covariances(const search_gp *gp, const uint16_t *levels, size_t begin, size_t count,
                        float *into)
{
    const search_candidates *candidates = gp->candidates;
    memset(into, 0, count * sizeof(float));
    for (size_t p = 0; p < candidates->num_parameters; p++) {
        const float *table =
            gp->distances[p] + levels[p] * search_num_levels(gp->candidates->space, p);
        const uint16_t *column = candidates->levels + p * candidates->capacity + begin;
        for (size_t c = 0; c < count; c++)
            into[c] += table[column[c]];
    }
    if (gp->covariance == SEARCH_MATERN_3_2)
        for (size_t c = 0; c < count; c++)
            into[c] = gp->joint * matern_3_2(into[c]);
    else
        for (size_t c = 0; c < count; c++)
            into[c] = gp->joint * matern_5_2(into[c]);
    for (size_t p = 0; gp->joint < 1 && p < candidates->num_parameters; p++) {
        const float *table =
            gp->summands[p] + levels[p] * search_num_levels(gp->candidates->space, p);
        const uint16_t *column = candidates->levels + p * candidates->capacity + begin;
        for (size_t c = 0; c < count; c++)
            into[c] += table[column[c]];
    }
}

static double covariance_of(const search_gp *gp, const uint16_t *left, const uint16_t *right)
{
    float squared = 0, sum = 0;
    for (size_t p = 0; p < gp->candidates->num_parameters; p++) {
        size_t at = left[p] * search_num_levels(gp->candidates->space, p) + right[p];
        squared += gp->distances[p][at];
        sum += gp->summands[p][at];
    }
    float joint = gp->covariance == SEARCH_MATERN_3_2 ? matern_3_2(squared) : matern_5_2(squared);
    return (double)(gp->joint * joint + sum);
}

/* The new row of L; its diagonal element is last. */
static void solve_lower(search_gp *gp, const uint16_t *levels, double *row)
{
    size_t num_parameters = gp->candidates->num_parameters;
    double rest = 1 + gp->noise;
    for (size_t i = 0; i < gp->count; i++) {
        const double *other = lower_row(gp, i);
        double sum = covariance_of(gp, levels, gp->observed + i * num_parameters);
        for (size_t j = 0; j < i; j++)
            sum -= row[j] * other[j];
        row[i] = sum / other[i];
        rest -= row[i] * row[i];
    }
    row[gp->count] = sqrt(rest > 1e-10 ? rest : 1e-10);
}

static void solve_value(const search_gp *gp, size_t row, double value, double *solved)
{
    const double *lower = lower_row(gp, row);
    for (size_t j = 0; j < row; j++)
        value -= lower[j] * solved[j];
    solved[row] = value / lower[row];
}

/* A block of a new row of W, and what it adds to the sums. */
static void extend_block(search_gp *gp, size_t row, size_t begin, size_t count)
{
    size_t stride = gp->candidates->capacity;
    const double *lower = lower_row(gp, row);
    float *new_row = gp->rows + row * stride + begin;
    covariances(gp, gp->observed + row * gp->candidates->num_parameters, begin, count, new_row);
    for (size_t i = 0; i < row; i++) {
        const float *old_row = gp->rows + i * stride + begin;
        float factor = (float)lower[i];
        for (size_t c = 0; c < count; c++)
            new_row[c] -= factor * old_row[c];
    }
    float inverse = (float)(1 / lower[row]);
    float value = (float)gp->solved_values[row], one = (float)gp->solved_ones[row];
    float *variance = gp->variance + begin, *values_sum = gp->values_sum + begin,
          *ones_sum = gp->ones_sum + begin;
    for (size_t c = 0; c < count; c++) {
        float w = new_row[c] * inverse;
        new_row[c] = w;
        variance[c] -= w * w;
        values_sum[c] += value * w;
        ones_sum[c] += one * w;
    }
}

/* What the first `num_summed` observations add to the values' sums of a block. */
static void sum_block(search_gp *gp, size_t num_summed, size_t begin, size_t count)
{
    float *values_sum = gp->values_sum + begin;
    memset(values_sum, 0, count * sizeof(float));
    for (size_t i = 0; i < num_summed; i++) {
        const float *row = gp->rows + i * gp->candidates->capacity + begin;
        float value = (float)gp->solved_values[i];
        for (size_t c = 0; c < count; c++)
            values_sum[c] += value * row[c];
    }
}

bool search_gp_observe(search_gp *gp, const uint16_t *indices, double value)
{
    if (gp->count == gp->capacity)
        return false;
    size_t row = gp->count, num_parameters = gp->candidates->num_parameters;
    uint16_t *levels = gp->observed + row * num_parameters;
    for (size_t p = 0; p < num_parameters; p++)
        levels[p] = search_level(gp->candidates->space, p, indices[p]);
    solve_lower(gp, levels, lower_row(gp, row));
    solve_value(gp, row, value, gp->solved_values);
    solve_value(gp, row, 1, gp->solved_ones);
    gp->count++;
    return true;
}

/* Blocks outside, rows inside: W is read from memory once, however many rows are new. */
static void update(search_gp *gp, bool sums_again)
{
    size_t width = gp->candidates->count;
    for (size_t begin = 0; begin < width; begin += BLOCK) {
        size_t count = width - begin < BLOCK ? width - begin : BLOCK;
        if (sums_again)
            sum_block(gp, gp->num_extended, begin, count);
        for (size_t row = gp->num_extended; row < gp->count; row++)
            extend_block(gp, row, begin, count);
    }
    gp->num_extended = gp->count;
}

void search_gp_update(search_gp *gp)
{
    update(gp, false);
}

void search_gp_set_values(search_gp *gp, const double *values)
{
    for (size_t i = 0; i < gp->count; i++)
        solve_value(gp, i, values[i], gp->solved_values);
    update(gp, true);
}
