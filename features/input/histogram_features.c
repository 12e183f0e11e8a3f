/* Input features of histogram, the paper's three: number of samples, samples a bin, and their
 * spread over bins in a subsample: if few bins are busy, additions contend.
 *
 * sub_sample_sd is the (population) standard deviation of the bin numbers in a subsample over the
 * number of bins: 0.29 for a uniform distribution, 0 if all samples are in one bin. The subsample
 * is everything up to SUB_SAMPLES samples; of more, one from each of SUB_SAMPLES equal ranges, at
 * a position given by a fixed hash, so that the feature is deterministic and does not alias with
 * periodic inputs such as the rows of an image. */
#include <math.h>

#include "variants/histogram/histogram.h"

#define SUB_SAMPLES 1024

static const nitro_feature features[NITRO_HISTOGRAM_NUM_FEATURES] = {
    [NITRO_HISTOGRAM_NUM_ELEMENTS] = {"num_elements", "samples", NITRO_SCALE_SIGNED_LOG, 0},
    [NITRO_HISTOGRAM_ELEMENTS_PER_BIN] = {"elements_per_bin", "1", NITRO_SCALE_SIGNED_LOG, 0},
    /* costs are for samples outside the caches */
    [NITRO_HISTOGRAM_SUB_SAMPLE_SD] = {"sub_sample_sd", "1", NITRO_SCALE_LINEAR, 1e4},
};

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    const nitro_histogram *histogram = argument;
    double elements = (double)histogram->num_samples;
    values[NITRO_HISTOGRAM_NUM_ELEMENTS] = elements;
    values[NITRO_HISTOGRAM_ELEMENTS_PER_BIN] = elements / (double)histogram->num_bins;
    return 0;
}

static int evaluate_spread(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_histogram *histogram = argument;
    int64_t num_samples = histogram->num_samples;
    int64_t count = num_samples < SUB_SAMPLES ? num_samples : SUB_SAMPLES;
    uint64_t sum = 0, squares = 0; /* exact: 1024 squares of 16-bit numbers */
    for (int64_t i = 0; i < count; i++) {
        uint64_t bin = histogram->samples[nitro_kit_sample(i, count, num_samples)];
        sum += bin;
        squares += bin * bin;
    }
    if (count == 0) {
        *group = 0;
        return 0;
    }
    double variance = (double)((uint64_t)count * squares - sum * sum);
    *group = sqrt(variance) / (double)count / (double)histogram->num_bins;
    return 0;
}

#define ELEMENTS "max(num_elements, 1)"
#define BINS     "max(num_elements, 1) / max(elements_per_bin, 1 / 65536)" /* at most the maximum */
#define BYTES    "4 * " ELEMENTS

#define LAUNCH_US 5 /* about the time to start a kernel or a team of threads */

nitro_status nitro_histogram_add_features(nitro_computation *computation)
{
    static const nitro_kit_features groups[] = {
        {features, NITRO_HISTOGRAM_SUB_SAMPLE_SD, evaluate_sizes},
        {features + NITRO_HISTOGRAM_SUB_SAMPLE_SD, 1, evaluate_spread},
    };
    char elements[512], all[512], streaming[512];
    nitro_formula_per_core(elements, sizeof(elements), ELEMENTS);
    nitro_formula_per_l2(all, sizeof(all), BYTES);
    nitro_formula_streaming_time(streaming, sizeof(streaming), BYTES, LAUNCH_US);
    const nitro_relative_feature relative[] = {
        {.name = "elements_per_core", .formula = elements, .replaces = "num_elements"},
        {.name = "work_per_l2", .formula = all},
        {.name = "streaming_per_launch", .formula = streaming},
        /* above 1, a block's table does not fit */
        {.name = "bins_per_shared_mem",
         .formula = "4 * " BINS " / (1024 * device.shared_mem_per_block)"},
    };
    return nitro_kit_add_features(computation, groups, 2, relative,
                                  sizeof(relative) / sizeof(relative[0]));
}
