/* The covariance of the searcher "auto", and fitting its weights to observations. */
#include "search/lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITERATIONS 15
/* Weights that are fitted: one an axis, the noise, the additive share. */
#define MAX_WEIGHTS (3 * NITRO_MAX_PARAMETERS + 2)
/* Deviations of the logarithms from what is expected. */
#define WEIGHT_DEVIATION 1.5
#define NOISE_DEVIATION  1.0
#define SHARE_DEVIATION  1.0 /* of the logit */
#define FIRST_STEP       0.4
#define GREATEST_STEP    1.5

typedef struct fit_work {
    search_lengths *lengths;
    const uint16_t *levels; /* shape [count x num_parameters] */
    const double *values;
    size_t count, num_parameters;
    double *covariance; /* shape [count x count], lower half; then L */
    double *slopes;     /* shape [count x count]: of the joint part by d */
    double *excess;     /* shape [count x count]: additive part less joint part, both of weight 1 */
    double *inverse;    /* L^-1 */
    double *parts;      /* shape [count x count x num_parameters]: summands of the additive part */
    double *solved, *ones, *alpha; /* shape [count] */
} fit_work;

nitro_status search_lengths_init(nitro_context *context, const nitro_space *space, double additive,
                                 double noise, search_lengths *lengths)
{
    *lengths = (search_lengths){.space = space, .additive = additive, .noise = noise};
    nitro_status status = search_axes_make(context, space, &lengths->axes);
    if (status != NITRO_OK)
        return status;
    for (size_t p = 0; p < nitro_space_num_parameters(space); p++)
        lengths->num_varying += nitro_space_parameter(space, p)->num_values > 1;
    lengths->logs = nitro_calloc(context, lengths->axes.count + 2, sizeof(double));
    if (!lengths->logs) {
        search_lengths_release(lengths);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t a = 0; a < lengths->axes.count; a++)
        lengths->logs[a] = log(lengths->axes.items[a].weight);
    lengths->logs[lengths->axes.count] = log(noise);
    lengths->logs[lengths->axes.count + 1] = log(additive / (1 - additive));
    return NITRO_OK;
}

void search_lengths_release(search_lengths *lengths)
{
    search_axes_release(&lengths->axes);
    free(lengths->logs);
    *lengths = (search_lengths){0};
}

static size_t num_levels(const search_lengths *lengths, size_t parameter)
{
    return search_num_levels(lengths->space, parameter);
}

static double axis_distance(const fit_work *work, size_t axis, size_t left, size_t right)
{
    const search_axis *item = &work->lengths->axes.items[axis];
    size_t p = item->parameter;
    size_t from = work->levels[left * work->num_parameters + p];
    size_t to = work->levels[right * work->num_parameters + p];
    return (double)item->squared[from * num_levels(work->lengths, p) + to];
}

/* Covariances of one pair, and what their slopes are made of. */
static void fill_pair(const fit_work *work, const double *weights, size_t left, size_t right)
{
    const search_lengths *lengths = work->lengths;
    size_t at = left * work->count + right;
    double *parts = work->parts + at * work->num_parameters;
    double additive = weights[lengths->axes.count + 1], squared = 0, sum = 0;
    memset(parts, 0, work->num_parameters * sizeof(*parts));
    for (size_t a = 0; a < lengths->axes.count; a++) {
        double distance = weights[a] * axis_distance(work, a, left, right);
        squared += distance;
        parts[lengths->axes.items[a].parameter] += distance;
    }
    double r = sqrt(5 * squared), decay = exp(-r);
    double joint = (1 + r + r * r / 3) * decay, share = 1 / (double)lengths->num_varying;
    for (size_t p = 0; p < work->num_parameters; p++) {
        bool varies = num_levels(lengths, p) > 1;
        parts[p] = varies ? share * exp(-parts[p]) : 0;
        sum += parts[p];
        parts[p] *= additive;
    }
    work->covariance[at] = (1 - additive) * joint + additive * sum;
    work->slopes[at] = -(1 - additive) * 5.0 / 6 * (1 + r) * decay;
    work->excess[at] = sum - joint;
}

/* L, in place; returns ln |K|. */
static double factorise(double *matrix, size_t n)
{
    double logs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= matrix[i * n + k] * matrix[j * n + k];
            if (i > j)
                matrix[i * n + j] = sum / matrix[j * n + j];
            else {
                sum = fmax(sum, 1e-12);
                matrix[i * n + i] = sqrt(sum);
                logs += log(sum);
            }
        }
    return logs;
}

/* Row by row: the rows above are finished. */
static void invert_lower(const double *lower, size_t n, double *inverse)
{
    for (size_t i = 0; i < n; i++) {
        double *row = inverse + i * n;
        memset(row, 0, n * sizeof(*row));
        for (size_t k = 0; k < i; k++) {
            double factor = lower[i * n + k];
            for (size_t j = 0; j <= k; j++)
                row[j] -= factor * inverse[k * n + j];
        }
        for (size_t j = 0; j < i; j++)
            row[j] /= lower[i * n + i];
        row[i] = 1 / lower[i * n + i];
    }
}

/* Variance of the values about their generalised mean, in units of the covariance. */
static double solve_values(const fit_work *work)
{
    size_t n = work->count;
    double ones = 0, cross = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        work->solved[i] = work->ones[i] = work->alpha[i] = 0;
        for (size_t j = 0; j <= i; j++) {
            work->solved[i] += work->inverse[i * n + j] * work->values[j];
            work->ones[i] += work->inverse[i * n + j];
        }
        ones += work->ones[i] * work->ones[i];
        cross += work->ones[i] * work->solved[i];
    }
    for (size_t i = 0; i < n; i++) {
        work->solved[i] -= cross / ones * work->ones[i];
        squares += work->solved[i] * work->solved[i];
        for (size_t j = 0; j <= i; j++)
            work->alpha[j] += work->inverse[i * n + j] * work->solved[i];
    }
    return squares / (double)n + 1e-12;
}

static void add_pair_slopes(const fit_work *work, const double *weights, double variance,
                            size_t left, size_t right, double *slopes)
{
    const search_lengths *lengths = work->lengths;
    size_t n = work->count, at = left * n + right;
    double inverse = 0;
    for (size_t k = left; k < n; k++) /* of K^-1 */
        inverse += work->inverse[k * n + left] * work->inverse[k * n + right];
    double weight = inverse - work->alpha[left] * work->alpha[right] / variance;
    if (left == right) {
        slopes[lengths->axes.count] += 0.5 * weight * weights[lengths->axes.count];
        return;
    }
    for (size_t a = 0; a < lengths->axes.count; a++) {
        size_t p = lengths->axes.items[a].parameter;
        double slope = work->slopes[at] - work->parts[at * work->num_parameters + p];
        slopes[a] += weight * slope * weights[a] * axis_distance(work, a, left, right);
    }
    double share = weights[lengths->axes.count + 1];
    slopes[lengths->axes.count + 1] += weight * share * (1 - share) * work->excess[at];
}

/* Minus the logarithm of the prior, up to a constant, its slopes, and the weights themselves. */
static double evaluate_prior(const search_lengths *lengths, const double *logs, double *weights,
                             double *slopes)
{
    size_t num_axes = lengths->axes.count;
    double value = 0;
    for (size_t a = 0; a < num_axes + 2; a++) {
        double expected = log(a < num_axes ? lengths->axes.items[a].weight : lengths->noise);
        double deviation = a < num_axes ? WEIGHT_DEVIATION : NOISE_DEVIATION;
        weights[a] = exp(logs[a]);
        if (a == num_axes + 1) {
            expected = log(lengths->additive / (1 - lengths->additive));
            deviation = SHARE_DEVIATION;
            weights[a] = 1 / (1 + exp(-logs[a]));
        }
        double off = (logs[a] - expected) / deviation;
        value += 0.5 * off * off;
        slopes[a] = off / deviation;
    }
    return value;
}

/* Minus the logarithm of the posterior, and its slopes, shape [axes + 2]. */
static double evaluate(const fit_work *work, const double *logs, double *slopes)
{
    size_t n = work->count, num_axes = work->lengths->axes.count;
    double weights[MAX_WEIGHTS];
    double value = evaluate_prior(work->lengths, logs, weights, slopes);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            fill_pair(work, weights, i, j);
        work->covariance[i * n + i] += weights[num_axes];
    }
    value += 0.5 * factorise(work->covariance, n);
    invert_lower(work->covariance, n, work->inverse);
    double variance = solve_values(work);
    value += 0.5 * (double)n * log(variance);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            add_pair_slopes(work, weights, variance, i, j, slopes);
    return value;
}

/* Rprop: steps by the signs of the slopes alone, so that their scales do not matter. */
static void descend(const fit_work *work)
{
    search_lengths *lengths = work->lengths;
    size_t num_axes = lengths->axes.count, count = num_axes + 2;
    double logs[MAX_WEIGHTS], slopes[MAX_WEIGHTS];
    double last[MAX_WEIGHTS] = {0}, steps[MAX_WEIGHTS];
    double least = INFINITY;
    memcpy(logs, lengths->logs, count * sizeof(*logs));
    for (size_t a = 0; a < count; a++)
        steps[a] = FIRST_STEP;
    for (int i = 0; i < ITERATIONS; i++) {
        double value = evaluate(work, logs, slopes);
        if (value < least) {
            least = value;
            memcpy(lengths->logs, logs, count * sizeof(*logs));
        }
        for (size_t a = 0; a < count; a++) {
            double low = a < num_axes ? 1e-4 : a == num_axes ? 1e-6 : 1e-2;
            double high = a < num_axes ? 100 : a == num_axes ? 0.5 : 100;
            if (slopes[a] * last[a] > 0)
                steps[a] = fmin(1.3 * steps[a], GREATEST_STEP);
            else if (slopes[a] * last[a] < 0)
                steps[a] *= 0.5;
            logs[a] -= slopes[a] > 0 ? steps[a] : slopes[a] < 0 ? -steps[a] : 0;
            logs[a] = fmin(fmax(logs[a], log(low)), log(high));
            last[a] = slopes[a];
        }
    }
}

nitro_status search_lengths_fit(nitro_context *context, search_lengths *lengths,
                                const uint16_t *indices, const double *values, size_t count)
{
    size_t width = nitro_space_num_parameters(lengths->space);
    double *room = nitro_calloc(context, count * (count * (4 + width) + 3), sizeof(*room));
    uint16_t *levels = nitro_calloc(context, count * width, sizeof(*levels));
    if (!room || !levels) {
        free(room);
        free(levels);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count * width; i++)
        levels[i] = search_level(lengths->space, i % width, indices[i]);
    size_t square = count * count;
    double *vectors = room + square * (4 + width);
    fit_work work = {.lengths = lengths,
                     .levels = levels,
                     .values = values,
                     .count = count,
                     .num_parameters = width,
                     .covariance = room,
                     .slopes = room + square,
                     .excess = room + 2 * square,
                     .inverse = room + 3 * square,
                     .parts = room + 4 * square,
                     .solved = vectors,
                     .ones = vectors + count,
                     .alpha = vectors + 2 * count};
    descend(&work);
    free(room);
    free(levels);
    return NITRO_OK;
}

void search_lengths_apply(const search_lengths *lengths, search_gp *gp)
{
    double additive = 1 / (1 + exp(-lengths->logs[lengths->axes.count + 1]));
    double share = additive / (double)lengths->num_varying;
    gp->noise = exp(lengths->logs[lengths->axes.count]);
    gp->joint = (float)(1 - additive);
    for (size_t p = 0; p < nitro_space_num_parameters(lengths->space); p++) {
        size_t square = num_levels(lengths, p) * num_levels(lengths, p);
        memset(gp->distances[p], 0, square * sizeof(float));
        memset(gp->summands[p], 0, square * sizeof(float));
    }
    for (size_t a = 0; a < lengths->axes.count; a++) {
        const search_axis *axis = &lengths->axes.items[a];
        size_t square = num_levels(lengths, axis->parameter) * num_levels(lengths, axis->parameter);
        float weight = (float)exp(lengths->logs[a]);
        for (size_t i = 0; i < square; i++)
            gp->distances[axis->parameter][i] += weight * axis->squared[i];
    }
    for (size_t p = 0; p < nitro_space_num_parameters(lengths->space); p++) {
        size_t square = num_levels(lengths, p) * num_levels(lengths, p);
        for (size_t i = 0; square > 1 && i < square; i++)
            gp->summands[p][i] = (float)(share * exp(-(double)gp->distances[p][i]));
    }
}
