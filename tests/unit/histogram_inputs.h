/* histogram_inputs.h - inputs of histogram of one family, of any size. */
#ifndef NITRO_TESTS_UNIT_HISTOGRAM_INPUTS_H
#define NITRO_TESTS_UNIT_HISTOGRAM_INPUTS_H

#include <string.h>

#include "apps/histogram/samples.h"

/* Of a family that there is. Free it with nitro_histogram_samples_free. */
static inline nitro_status histogram_inputs_make(nitro_context *context, const char *family,
                                                 uint64_t seed, int64_t num_samples,
                                                 int64_t num_bins, nitro_histogram **histogram)
{
    const nitro_histogram_family *chosen = nitro_histogram_families;
    nitro_random random;
    uint32_t *samples;
    while (strcmp(chosen->name, family) != 0)
        chosen++;
    nitro_random_seed(&random, seed);
    nitro_status status =
        nitro_histogram_samples_create(context, num_samples, num_bins, histogram, &samples);
    return status == NITRO_OK ? chosen->fill(context, &random, samples, num_samples, num_bins)
                              : status;
}

#endif
