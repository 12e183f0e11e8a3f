/* histogram_cases.h - inputs for every variant of histogram on every kind of device: all families,
 * sizes around those of blocks and tiles, and from few to all bins. */
#ifndef NITRO_TESTS_UNIT_HISTOGRAM_CASES_H
#define NITRO_TESTS_UNIT_HISTOGRAM_CASES_H

#include "unit/histogram_inputs.h"
#include "unit/unit.h"

#define HISTOGRAM_NUM_CASES 240

/* Case `index`; `name` has room for 128 bytes. Free it with nitro_histogram_samples_free. */
static inline nitro_histogram *histogram_case(nitro_context *context, size_t index, char *name)
{
    static const char *const families[] = {"uniform",   "gaussian", "image",
                                           "power_law", "crowded",  "constant"};
    static const int64_t all_bins[] = {256, 1, 2, 3, 64, 255, 257, 1000, 4096, 65536};
    static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 255, 1023, 4095, 4096, 4097, 16385};
    const char *family = families[index % 6];
    int64_t num_bins = all_bins[index / 6 % 10];
    nitro_random random;
    nitro_random_seed(&random, index);
    size_t size = nitro_random_below(&random, 18);
    int64_t num_samples = size < sizeof(sizes) / sizeof(sizes[0])
                              ? sizes[size]
                              : (int64_t)nitro_random_below(&random, 40000);
    nitro_histogram *histogram = NULL;
    snprintf(name, 128, "case %zu: %lld samples, %s, in %lld bins", index, (long long)num_samples,
             family, (long long)num_bins);
    assert_ok(context,
              histogram_inputs_make(context, family, index, num_samples, num_bins, &histogram));
    return histogram;
}

#endif
