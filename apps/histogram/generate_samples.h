/* generate_samples.h - random histogram inputs of many distributions and sizes: training sets
 * without files. */
#ifndef NITRO_APPS_HISTOGRAM_GENERATE_SAMPLES_H
#define NITRO_APPS_HISTOGRAM_GENERATE_SAMPLES_H

#include "nitro/nitro_backend.h"
#include "variants/histogram/histogram.h"

/**
 * Input number `index` of the set of `seed`; families (sample_families.c) take turns. Sizes are
 * log-uniform in 1,000 to 4,000,000 samples, one in eight up to `most_samples`, and a few of the
 * first have the largest if that is above NITRO_HISTOGRAM_BASE_SAMPLES. Half of all inputs have 256
 * bins, the others 2 to 65536. Deterministic in seed, index and most_samples.
 * @param[out] name       shape [name_size]; family, sizes, index and seed, as in
 *                        "gaussian-52013in256#13-seed1": unique within a set.
 * @param[out] histogram  free it with nitro_histogram_samples_free. NULL: only the name is made.
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (the name does not fit), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_generate(nitro_context *context, uint64_t seed, size_t index,
                                      double most_samples, char *name, size_t name_size,
                                      nitro_histogram **histogram);

#define NITRO_HISTOGRAM_BASE_SAMPLES 32e6

/** Number of families: so many consecutive inputs contain each once. */
size_t nitro_histogram_num_families(void);

/**
 * `num_samples` samples of one family, for benchmarks and tests.
 * @return NITRO_OK, NITRO_ERR_NOT_FOUND (no such family), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_generate_family(nitro_context *context, const char *family,
                                             uint64_t seed, int64_t num_samples, int64_t num_bins,
                                             nitro_histogram **histogram);

#endif
