/* generate.h - samples of many distributions and sizes, for training sets that need no files. */
#ifndef NITRO_APPS_HISTOGRAM_GENERATE_SAMPLES_H
#define NITRO_APPS_HISTOGRAM_GENERATE_SAMPLES_H

#include "nitro/nitro_backend.h"
#include "variants/histogram/histogram.h"

/**
 * Samples number `index` of the set that `seed` stands for; the families of families.c take turns.
 * Their number is spread evenly by order of magnitude: 1,000 to 4,000,000, one in eight up to
 * 32,000,000. Half of all have 256 bins, the others 2 to 65536. Same seed and index: same samples.
 * @param[out] name       shape [name_size]; family, sizes, index and seed, as in
 *                        "gaussian-52013in256#13-seed1": no two of a set are alike.
 * @param[out] histogram  free it with nitro_histogram_samples_free. NULL: only the name is wanted.
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (the name does not fit), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_generate(nitro_context *context, uint64_t seed, size_t index,
                                      char *name, size_t name_size, nitro_histogram **histogram);

/** How many families take turns: so many inputs in a row show each once. */
size_t nitro_histogram_num_families(void);

/**
 * So many samples of one family: for benchmarks and tests.
 * @return NITRO_OK, NITRO_ERR_NOT_FOUND (no such family), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_histogram_generate_family(nitro_context *context, const char *family,
                                             uint64_t seed, int64_t num_samples, int64_t num_bins,
                                             nitro_histogram **histogram);

#endif
