/* Sample distributions. They vary how samples spread over bins (uniform, clustered, constant) and
 * how they are ordered (random, in runs, as in a photograph): contention between additions, and
 * load imbalance between threads. */
#include <math.h>
#include <stdlib.h>

#include "apps/histogram/samples.h"

static int64_t within(int64_t bin, int64_t num_bins)
{
    return bin < 0 ? 0 : bin < num_bins ? bin : num_bins - 1;
}

static uint32_t draw_below(nitro_random *random, int64_t bound)
{
    return (uint32_t)((nitro_random_next(random) >> 32) * (uint64_t)bound >> 32);
}

static nitro_status fill_uniform(nitro_context *context, nitro_random *random, uint32_t *samples,
                                 int64_t num_samples, int64_t num_bins)
{
    (void)context;
    for (int64_t i = 0; i < num_samples; i++)
        samples[i] = draw_below(random, num_bins);
    return NITRO_OK;
}

#define NUM_QUANTILES 4096

static void fill_from(const uint32_t *quantiles, nitro_random *random, uint32_t *samples,
                      int64_t num_samples)
{
    for (int64_t i = 0; i < num_samples; i++)
        samples[i] = quantiles[nitro_random_next(random) % NUM_QUANTILES];
}

/* Normal distribution: standard deviation 1/50 to 1/5 of the bins. */
static nitro_status fill_gaussian(nitro_context *context, nitro_random *random, uint32_t *samples,
                                  int64_t num_samples, int64_t num_bins)
{
    (void)context;
    uint32_t quantiles[NUM_QUANTILES];
    double bins = (double)num_bins;
    double mean = bins * (0.3 + 0.4 * nitro_random_uniform(random));
    double deviation = bins * 0.02 * pow(10, nitro_random_uniform(random));
    for (size_t i = 0; i < NUM_QUANTILES; i++) {
        double value = floor(mean + deviation * nitro_random_normal(random));
        quantiles[i] = (uint32_t)within((int64_t)value, num_bins);
    }
    fill_from(quantiles, random, samples, num_samples);
    return NITRO_OK;
}

/* Power law: bin b with probability proportional to 1 / (b + 1)^exponent. */
static nitro_status fill_power_law(nitro_context *context, nitro_random *random, uint32_t *samples,
                                   int64_t num_samples, int64_t num_bins)
{
    (void)context;
    uint32_t quantiles[NUM_QUANTILES];
    double less_one = 0.1 + 1.4 * nitro_random_uniform(random); /* exponents of 1.1 to 2.5 */
    double tail = pow((double)num_bins + 1, -less_one);
    for (size_t i = 0; i < NUM_QUANTILES; i++) {
        double share = ((double)i + 0.5) / NUM_QUANTILES;
        double value = pow(1 - share * (1 - tail), -1 / less_one) - 1;
        quantiles[i] = (uint32_t)within((int64_t)value, num_bins);
    }
    fill_from(quantiles, random, samples, num_samples);
    return NITRO_OK;
}

static nitro_status fill_constant(nitro_context *context, nitro_random *random, uint32_t *samples,
                                  int64_t num_samples, int64_t num_bins)
{
    (void)context;
    uint32_t bin = draw_below(random, num_bins);
    for (int64_t i = 0; i < num_samples; i++)
        samples[i] = bin;
    return NITRO_OK;
}

/* Uniform samples with one range of a single value: load imbalance between threads. */
static nitro_status fill_crowded(nitro_context *context, nitro_random *random, uint32_t *samples,
                                 int64_t num_samples, int64_t num_bins)
{
    double share = 0.2 + 0.6 * nitro_random_uniform(random);
    int64_t length = (int64_t)(share * (double)num_samples);
    int64_t begin = (int64_t)(nitro_random_uniform(random) * (double)(num_samples - length));
    uint32_t bin = draw_below(random, num_bins);
    nitro_status status = fill_uniform(context, random, samples, num_samples, num_bins);
    for (int64_t i = begin; i < begin + length; i++)
        samples[i] = bin;
    return status;
}

#define NUM_OCTAVES 7
#define FIRST_CELLS 2    /* of the coarsest octave, along a row */
#define GRAIN       0.02 /* noise of each pixel by itself */
#define CONTRAST    2    /* the sum of octaves is bell-shaped; stretched to the whole range */
#define MAX_GRID    (FIRST_CELLS << (NUM_OCTAVES - 1))
#define GRID_PITCH  (MAX_GRID + 1)

typedef struct octave {
    int cells; /* a row; rows of cells are as high as cells are wide */
    double strength;
    float grid[GRID_PITCH][GRID_PITCH]; /* values at the corners of cells */
} octave;

static void draw_octaves(nitro_random *random, octave *octaves)
{
    double strength = 1, sum = 0;
    for (int o = 0; o < NUM_OCTAVES; o++, strength /= 2) {
        octaves[o].cells = FIRST_CELLS << o;
        octaves[o].strength = strength;
        sum += strength;
        for (int y = 0; y <= octaves[o].cells; y++)
            for (int x = 0; x <= octaves[o].cells; x++)
                octaves[o].grid[y][x] = (float)nitro_random_uniform(random);
    }
    for (int o = 0; o < NUM_OCTAVES; o++)
        octaves[o].strength /= sum;
}

/* Add an octave to one row of pixels, at height `y` in [0, 1). */
static void add_octave(const octave *o, double y, double *row, int64_t width)
{
    double cell_y = y * o->cells;
    int top = (int)cell_y;
    double below = cell_y - top, step = (double)o->cells / (double)width;
    const float *upper = o->grid[top], *lower = o->grid[top + 1];
    for (int64_t x = 0; x < width; x++) {
        double cell_x = (double)x * step;
        int left = (int)cell_x;
        double beside = cell_x - left;
        double above = upper[left] + beside * (upper[left + 1] - upper[left]);
        double under = lower[left] + beside * (lower[left + 1] - lower[left]);
        row[x] += o->strength * (above + below * (under - above));
    }
}

static uint32_t bin_of(double value, nitro_random *random, int64_t num_bins)
{
    double grain = GRAIN * (nitro_random_uniform(random) - 0.5);
    double stretched = 0.5 + CONTRAST * (value - 0.5) + grain;
    return (uint32_t)within((int64_t)floor(stretched * (double)num_bins), num_bins);
}

static nitro_status fill_image(nitro_context *context, nitro_random *random, uint32_t *samples,
                               int64_t num_samples, int64_t num_bins)
{
    int64_t width = (int64_t)ceil(sqrt((double)num_samples));
    octave *octaves = nitro_calloc(context, NUM_OCTAVES, sizeof(*octaves));
    double *row = nitro_calloc(context, (size_t)width, sizeof(*row));
    nitro_status status = octaves && row ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        draw_octaves(random, octaves);
    for (int64_t begin = 0; begin < num_samples && status == NITRO_OK; begin += width) {
        int64_t end = begin + width < num_samples ? begin + width : num_samples;
        for (int64_t x = 0; x < width; x++)
            row[x] = 0;
        for (int o = 0; o < NUM_OCTAVES; o++)
            add_octave(&octaves[o], (double)(begin / width) / (double)width, row, width);
        for (int64_t i = begin; i < end; i++)
            samples[i] = bin_of(row[i - begin], random, num_bins);
    }
    free(octaves);
    free(row);
    return status;
}

const nitro_histogram_family nitro_histogram_families[NITRO_HISTOGRAM_NUM_FAMILIES] = {
    {"uniform", fill_uniform},     {"gaussian", fill_gaussian}, {"image", fill_image},
    {"power_law", fill_power_law}, {"crowded", fill_crowded},   {"constant", fill_constant},
};
