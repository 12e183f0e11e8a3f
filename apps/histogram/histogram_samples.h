/* histogram_samples.h - allocates histogram arguments; for readers and generators. */
#ifndef NITRO_APPS_HISTOGRAM_HISTOGRAM_SAMPLES_H
#define NITRO_APPS_HISTOGRAM_HISTOGRAM_SAMPLES_H

#include "nitro/nitro_backend.h"
#include "variants/histogram/histogram.h"

/**
 * @param[in]  num_samples  0 to NITRO_HISTOGRAM_MAX_SAMPLES.
 * @param[in]  num_bins     1 to NITRO_HISTOGRAM_MAX_BINS.
 * @param[out] histogram    free it with nitro_histogram_samples_free.
 * @param[out] samples      shape [num_samples], zeros, to be filled with bin numbers; owned by the
 * histogram.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_samples_create(nitro_context *context, int64_t num_samples,
                                            int64_t num_bins, nitro_histogram **histogram,
                                            uint32_t **samples);

/** Also frees what variants and hooks allocated. NULL is allowed. */
void nitro_histogram_samples_free(nitro_histogram *histogram);

#endif
