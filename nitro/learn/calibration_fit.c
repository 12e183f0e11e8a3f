/* Calibrations from held-out rows: binned isotonic regression, and steps for another device. */
#include <math.h>
#include <stdlib.h>

#include "nitro/backend/statistics.h"
#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/scores/calibration.h"

#define MAX_BINS (NITRO_CALIBRATION_MAX_KNOTS / 3) /* a blend has the knots of up to three */
enum { NUM_STEPS = 3 };

/* Shares of the decisions up to the end of each step. */
static const double step_ends[NUM_STEPS] = {0.35, 0.7, 1.0};

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
        double margin = nitro_calibration_margin(row_scores, num_variants, UINT64_MAX);
        if (isnan(row_scores[0]) || !isfinite(margin)) /* infinite: of a single variant */
            continue;
        outcomes[count++] = (row_outcome){
            margin, weights ? weights[row] : 1.0,
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

/** Bins of equal count, merged. @param[out] bins  shape [num_bins]; returns how many. */
static size_t make_bins(const row_outcome *outcomes, size_t count, size_t num_bins,
                        margin_bin *bins)
{
    size_t made = 0;
    for (size_t b = 0; b < num_bins; b++) {
        size_t first = b * count / num_bins, end = (b + 1) * count / num_bins;
        if (first == end)
            continue;
        margin_bin sum = {0};
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

/* ---- Steps ----------------------------------------------------------------------------------- */

static size_t collect_device(const nitro_decisions *decisions, size_t device, row_outcome *outcomes)
{
    size_t num_variants = decisions->num_variants, count = 0;
    for (size_t row = 0; row < decisions->num_rows; row++)
        if (decisions->row_device[row] == device)
            count += collect(decisions->times_ms + row * num_variants,
                             decisions->scores + row * num_variants, NULL, 1, num_variants,
                             outcomes + count);
    qsort(outcomes, count, sizeof *outcomes, compare_outcomes);
    return count;
}

/** Fractions of good decisions in each step of a device.
 *  @param[out] fractions  shape [NUM_STEPS], `stride` apart. */
static void find_fractions(const row_outcome *outcomes, size_t count, size_t stride,
                           double *fractions)
{
    size_t first = 0;
    for (size_t s = 0; s < NUM_STEPS; s++) {
        size_t end = (size_t)(step_ends[s] * (double)count), num_good = 0;
        for (size_t i = first; i < end; i++)
            num_good += outcomes[i].good ? 1 : 0;
        fractions[s * stride] = (double)num_good / (double)(end - first);
        first = end;
    }
}

/** Does the margin lie behind the last knot? */
static bool is_new(const nitro_calibration *calibration, double margin)
{
    size_t count = calibration->num_knots;
    return count == 0 || margin > calibration->margins[count - 1];
}

static void add_knot(double margin, double confidence, nitro_calibration *calibration)
{
    if (!is_new(calibration, margin))
        return;
    calibration->margins[calibration->num_knots] = margin;
    calibration->confidences[calibration->num_knots++] = confidence;
}

/** A knot at each end of each step, at the margins of the same shares of decisions; equal margins
 *  are of one step. */
static void place_steps(const double *confidences, const double *margins, size_t num_margins,
                        nitro_calibration *calibration)
{
    double least = 0.0;
    size_t first = 0;
    calibration->num_knots = 0;
    for (size_t s = 0; s < NUM_STEPS; s++) {
        size_t end = (size_t)(step_ends[s] * (double)num_margins);
        least = fmax(least, confidences[s]);
        while (first < end && !is_new(calibration, margins[first]))
            first++;
        if (first < end) {
            add_knot(margins[first], least, calibration);
            add_knot(margins[end - 1], least, calibration);
        }
        first = end;
    }
}

/** @param[out] fractions  shape [NUM_STEPS x num_devices]: of the devices with enough decisions.
 *  @return how many these are. */
static size_t find_all_fractions(const nitro_decisions *decisions, row_outcome *outcomes,
                                 double *fractions)
{
    size_t num_used = 0;
    for (size_t d = 0; d < decisions->num_devices; d++) {
        size_t count = collect_device(decisions, d, outcomes);
        if (count >= NUM_STEPS * NITRO_CALIBRATION_BIN_ROWS)
            find_fractions(outcomes, count, decisions->num_devices, fractions + num_used++);
    }
    return num_used;
}

nitro_status nitro_calibration_fit_steps(nitro_context *context, const nitro_decisions *decisions,
                                         const double *margins, size_t num_margins,
                                         nitro_calibration *calibration)
{
    double confidences[NUM_STEPS];
    row_outcome *outcomes = nitro_calloc(context, decisions->num_rows, sizeof *outcomes);
    double *fractions =
        nitro_calloc(context, decisions->num_devices, NUM_STEPS * sizeof *fractions);
    nitro_status status = outcomes && fractions ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    size_t num_used = 0;
    if (status == NITRO_OK)
        num_used = find_all_fractions(decisions, outcomes, fractions);
    for (size_t s = 0; s < NUM_STEPS && num_used > 0; s++) {
        nitro_sort(fractions + s * decisions->num_devices, num_used);
        confidences[s] = nitro_quantile(fractions + s * decisions->num_devices, num_used, 0.5);
    }
    if (num_used > 0)
        place_steps(confidences, margins, num_margins, calibration);
    else if (status == NITRO_OK)
        *calibration = (nitro_calibration){1, {0.0}, {1.0 / (double)decisions->num_variants}};
    free(outcomes);
    free(fractions);
    return status;
}
