/* Random histogram inputs. Draws the family (in turn), the size, the bins and the samples in this
 * order, so that an input's name is known before its samples are. */
#include "apps/histogram/generate_samples.h"

#include <stdio.h>
#include <string.h>

#include "apps/builtin_module.h"
#include "apps/histogram/histogram_samples.h"
#include "apps/histogram/sample_family.h"

#define MIN_SAMPLES   1e3
#define USUAL_SAMPLES 4e6

size_t nitro_histogram_num_families(void)
{
    size_t count = 0;
    while (nitro_histogram_families[count].name)
        count++;
    return count;
}

static int64_t draw_num_bins(nitro_random *random)
{
    static const int64_t others[] = {2, 16, 64, 100, 1024, 4096, 16384, 65536};
    size_t count = sizeof(others) / sizeof(others[0]);
    if (nitro_random_uniform(random) < 0.5)
        return 256;
    return others[nitro_random_below(random, count)];
}

static nitro_status make(nitro_context *context, const nitro_histogram_family *family,
                         nitro_random *random, int64_t num_samples, int64_t num_bins,
                         nitro_histogram **histogram)
{
    nitro_histogram *made;
    uint32_t *samples;
    nitro_status status =
        nitro_histogram_samples_create(context, num_samples, num_bins, &made, &samples);
    if (status != NITRO_OK)
        return status;
    status = family->fill(context, random, samples, num_samples, num_bins);
    if (status != NITRO_OK) {
        nitro_histogram_samples_free(made);
        return status;
    }
    *histogram = made;
    return NITRO_OK;
}

nitro_status nitro_histogram_generate(nitro_context *context, uint64_t seed, size_t index,
                                      double most_samples, char *name, size_t name_size,
                                      nitro_histogram **histogram)
{
    const nitro_histogram_family *family =
        &nitro_histogram_families[index % nitro_histogram_num_families()];
    nitro_random random;
    nitro_random_seed(&random, seed ^ ((uint64_t)index + 1) * UINT64_C(0x9E3779B97F4A7C15));
    int64_t num_samples = (int64_t)nitro_module_draw_size(
        &random, index, MIN_SAMPLES, USUAL_SAMPLES, NITRO_HISTOGRAM_BASE_SAMPLES, most_samples);
    int64_t num_bins = draw_num_bins(&random);
    char text[128];
    int length =
        snprintf(text, sizeof(text), "%s-%lldin%lld#%zu-seed%llu", family->name,
                 (long long)num_samples, (long long)num_bins, index, (unsigned long long)seed);
    if ((size_t)length >= name_size)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the name '%s' needs %d bytes, there is room for %zu", text, length + 1,
                          name_size);
    if (histogram) {
        nitro_status status = make(context, family, &random, num_samples, num_bins, histogram);
        if (status != NITRO_OK)
            return status;
    }
    snprintf(name, name_size, "%s", text);
    return NITRO_OK;
}

nitro_status nitro_histogram_generate_family(nitro_context *context, const char *family,
                                             uint64_t seed, int64_t num_samples, int64_t num_bins,
                                             nitro_histogram **histogram)
{
    nitro_random random;
    nitro_random_seed(&random, seed);
    for (size_t i = 0; nitro_histogram_families[i].name; i++)
        if (strcmp(nitro_histogram_families[i].name, family) == 0)
            return make(context, &nitro_histogram_families[i], &random, num_samples, num_bins,
                        histogram);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND, "unknown family of samples '%s'", family);
}
