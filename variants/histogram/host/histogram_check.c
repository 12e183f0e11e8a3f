/* Checks results against a plain loop, bin by bin: counts are exact. Overwrites the result after
 * each check, so that a variant that does not write all of it is detected. */
#include <stdio.h>
#include <string.h>

#include "variants/histogram/host/histogram_kernels.h"

static void spoil(nitro_histogram *histogram)
{
    memset(histogram->counts, 0xee, (size_t)histogram->num_bins * sizeof(*histogram->counts));
}

static int compare(const nitro_histogram *histogram, char *why, size_t size)
{
    int64_t first = -1, num_wrong = 0;
    for (int64_t bin = histogram->num_bins - 1; bin >= 0; bin--)
        if (histogram->counts[bin] != histogram->reference[bin]) {
            first = bin;
            num_wrong++;
        }
    if (num_wrong == 0)
        return 0;
    snprintf(why, size, "bin %lld has %u samples instead of %u; %lld of %lld bins are wrong",
             (long long)first, histogram->counts[first], histogram->reference[first],
             (long long)num_wrong, (long long)histogram->num_bins);
    return 1;
}

int nitro_histogram_check_result(void *argument, char *why, size_t size, void *user)
{
    (void)user;
    nitro_histogram *histogram = argument;
    if (!histogram->reference) {
        snprintf(why, size, "there is no reference to compare with");
        return 1;
    }
    int wrong = compare(histogram, why, size);
    spoil(histogram);
    return wrong;
}

int nitro_histogram_keep_reference(void *argument, void *user)
{
    nitro_histogram *histogram = argument;
    if (!histogram->reference)
        histogram->reference = nitro_host_allocate(histogram->num_bins, sizeof(uint32_t));
    if (!histogram->reference)
        return 1;
    memset(histogram->reference, 0, (size_t)histogram->num_bins * sizeof(uint32_t));
    for (int64_t i = 0; i < histogram->num_samples; i++)
        histogram->reference[histogram->samples[i]]++;
    char why[256];
    return nitro_histogram_check_result(histogram, why, sizeof(why), user);
}
