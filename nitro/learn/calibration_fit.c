/* Calibrations from held-out rows by binned isotonic regression. */
#include <math.h>
#include <stdlib.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/scores/calibration.h"

#define MAX_BINS (NITRO_CALIBRATION_MAX_KNOTS / 3) /* a blend has the knots of up to three */
enum { NUM_STEPS = 3 };

typedef struct row_outcome {
    double margin, weight;
    bool good;
} row_outcome;

/** Rows of neighbouring margins. */
typedef struct margin_bin {
    double margins, hits, rows; /* sums */
    double first, last;         /* margins */
} margin_bin;

static int compare_outcomes(const void *left, const void *right)
{
    const row_outcome *a = left, *b = right;
    int order = (a->margin > b->margin) - (a->margin < b->margin);
    return order ? order : a->good - b->good;
}

bool nitro_calibration_is_good(const double *times_ms, const double *scores, size_t num_variants)
{
    size_t chosen = nitro_scores_best(scores, num_variants);
    return nitro_times_quality(times_ms, num_variants, chosen) >= NITRO_GOOD_QUALITY;
}

static size_t collect(const double *times_ms, const double *scores, const double *weights,
                      size_t num_rows, size_t num_variants, row_outcome *outcomes)
{
    size_t count = 0;
    for (size_t row = 0; row < num_rows; row++) {
        const double *row_scores = scores + row * num_variants;
        if (isnan(row_scores[0]))
            continue;
        outcomes[count++] = (row_outcome){
            nitro_calibration_margin(row_scores, num_variants, UINT64_MAX),
            weights ? weights[row] : 1.0,
            nitro_calibration_is_good(times_ms + row * num_variants, row_scores, num_variants)};
    }
    return count;
}

static double fraction(const margin_bin *bin)
{
    return (bin->hits + 1.0) / (bin->rows + 2.0);
}

/** Append a bin, merging it with those before while fractions or margins do not ascend. */
static size_t push(margin_bin *bins, size_t count, margin_bin added)
{
    while (count > 0 &&
           (fraction(&bins[count - 1]) >= fraction(&added) ||
            bins[count - 1].margins / bins[count - 1].rows >= added.margins / added.rows)) {
        count--;
        added.margins += bins[count].margins;
        added.hits += bins[count].hits;
        added.rows += bins[count].rows;
        added.first = bins[count].first;
    }
    bins[count] = added;
    return count + 1;
}

/** Bins of equal count, merged. @param[out] bins  shape [num_bins]; returns how many. */
static size_t make_bins(const row_outcome *outcomes, size_t count, size_t num_bins,
                        margin_bin *bins)
{
    size_t made = 0;
    for (size_t b = 0; b < num_bins; b++) {
        size_t first = b * count / num_bins, end = (b + 1) * count / num_bins;
        if (first == end)
            continue;
        margin_bin sum = {.first = outcomes[first].margin, .last = outcomes[end - 1].margin};
        for (size_t i = first; i < end; i++) {
            sum.margins += outcomes[i].weight * outcomes[i].margin;
            sum.hits += outcomes[i].weight * outcomes[i].good;
            sum.rows += outcomes[i].weight;
        }
        made = push(bins, made, sum);
    }
    return made;
}

/** A knot in the middle of each bin. */
static void fit_knots(const row_outcome *outcomes, size_t count, nitro_calibration *calibration)
{
    size_t num_bins = count / NITRO_CALIBRATION_BIN_ROWS;
    margin_bin bins[MAX_BINS];
    num_bins = num_bins > MAX_BINS ? MAX_BINS : num_bins ? num_bins : 1;
    calibration->num_knots = make_bins(outcomes, count, num_bins, bins);
    for (size_t k = 0; k < calibration->num_knots; k++) {
        calibration->margins[k] = bins[k].margins / bins[k].rows;
        calibration->confidences[k] = fraction(&bins[k]);
    }
}

/** A knot at each end of each bin. */
static void fit_steps(const row_outcome *outcomes, size_t count, nitro_calibration *calibration)
{
    margin_bin bins[NUM_STEPS];
    size_t num_bins = make_bins(outcomes, count, NUM_STEPS, bins), knots = 0;
    for (size_t b = 0; b < num_bins; b++)
        for (size_t end = 0; end < 2; end++) {
            double margin = end ? bins[b].last : bins[b].first;
            if (knots > 0 && margin <= calibration->margins[knots - 1])
                continue;
            calibration->margins[knots] = margin;
            calibration->confidences[knots++] = fraction(&bins[b]);
        }
    calibration->num_knots = knots;
}

static nitro_status fit(nitro_context *context, const double *times_ms, const double *scores,
                        const double *weights, size_t num_rows, size_t num_variants,
                        void (*fit_outcomes)(const row_outcome *, size_t, nitro_calibration *),
                        nitro_calibration *calibration)
{
    row_outcome *outcomes = nitro_calloc(context, num_rows, sizeof *outcomes);
    if (!outcomes)
        return NITRO_ERR_NO_MEMORY;
    size_t count = collect(times_ms, scores, weights, num_rows, num_variants, outcomes);
    qsort(outcomes, count, sizeof *outcomes, compare_outcomes);
    if (count > 0)
        fit_outcomes(outcomes, count, calibration);
    else
        *calibration = (nitro_calibration){1, {0.0}, {1.0 / (double)num_variants}};
    free(outcomes);
    return NITRO_OK;
}

nitro_status nitro_calibration_fit(nitro_context *context, const double *times_ms,
                                   const double *scores, const double *weights, size_t num_rows,
                                   size_t num_variants, nitro_calibration *calibration)
{
    return fit(context, times_ms, scores, weights, num_rows, num_variants, fit_knots, calibration);
}

nitro_status nitro_calibration_fit_steps(nitro_context *context, const double *times_ms,
                                         const double *scores, const double *weights,
                                         size_t num_rows, size_t num_variants,
                                         nitro_calibration *calibration)
{
    return fit(context, times_ms, scores, weights, num_rows, num_variants, fit_steps, calibration);
}
