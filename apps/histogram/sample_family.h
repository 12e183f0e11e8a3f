/* sample_family.h - interface of one sample distribution to generate_samples.c. */
#ifndef NITRO_APPS_HISTOGRAM_SAMPLE_FAMILY_H
#define NITRO_APPS_HISTOGRAM_SAMPLE_FAMILY_H

#include "nitro/nitro_backend.h"
#include "variants/histogram/histogram.h"

typedef struct nitro_histogram_family {
    const char *name;
    /** Fill `samples`, shape [num_samples], zeros before, with numbers below num_bins. */
    nitro_status (*fill)(nitro_context *context, nitro_random *random, uint32_t *samples,
                         int64_t num_samples, int64_t num_bins);
} nitro_histogram_family;

/** All families, ended by a NULL name. */
extern const nitro_histogram_family nitro_histogram_families[];

#endif
