/* Calibrations from held-out rows by binned isotonic regression. */
#include <math.h>
#include <stdlib.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/scores/calibration.h"

#define MAX_BINS (NITRO_CALIBRATION_MAX_KNOTS / 3) /* a blend has the knots of up to three */

typedef struct row_outcome {
    double margin, weight;
    bool good;
} row_outcome;

/** Rows of neighbouring margins. */
typedef struct margin_bin {
    double margins, hits, rows; /* sums */
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
    }
    bins[count] = added;
    return count + 1;
}

static void fit_knots(const row_outcome *outcomes, size_t count, nitro_calibration *calibration)
{
    size_t num_bins = count / NITRO_CALIBRATION_BIN_ROWS;
    if (num_bins > MAX_BINS)
        num_bins = MAX_BINS;
    if (num_bins == 0)
        num_bins = 1;
    margin_bin bins[MAX_BINS];
    size_t num_knots = 0;
    for (size_t b = 0; b < num_bins; b++) {
        margin_bin sum = {0};
        for (size_t i = b * count / num_bins; i < (b + 1) * count / num_bins; i++) {
            sum.margins += outcomes[i].weight * outcomes[i].margin;
            sum.hits += outcomes[i].weight * outcomes[i].good;
            sum.rows += outcomes[i].weight;
        }
        num_knots = push(bins, num_knots, sum);
    }
    calibration->num_knots = num_knots;
    for (size_t k = 0; k < num_knots; k++) {
        calibration->margins[k] = bins[k].margins / bins[k].rows;
        calibration->confidences[k] = fraction(&bins[k]);
    }
}

nitro_status nitro_calibration_fit(nitro_context *context, const double *times_ms,
                                   const double *scores, const double *weights, size_t num_rows,
                                   size_t num_variants, nitro_calibration *calibration)
{
    row_outcome *outcomes = nitro_calloc(context, num_rows, sizeof *outcomes);
    if (!outcomes)
        return NITRO_ERR_NO_MEMORY;
    size_t count = collect(times_ms, scores, weights, num_rows, num_variants, outcomes);
    qsort(outcomes, count, sizeof *outcomes, compare_outcomes);
    if (count > 0)
        fit_knots(outcomes, count, calibration);
    else
        *calibration = (nitro_calibration){1, {0.0}, {1.0 / (double)num_variants}};
    free(outcomes);
    return NITRO_OK;
}
