/* Module of "histogram" on the host: loads, generates and names inputs for the command line. */
#include <stdio.h>

#include "apps/builtin_module.h"
#include "apps/histogram/generate_samples.h"
#include "apps/histogram/histogram_modules.h"
#include "apps/histogram/histogram_samples.h"
#include "apps/histogram/image.h"
#include "variants/histogram/histogram.h"

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    return nitro_module_create_computation(context, "histogram", nitro_histogram_add_variants,
                                           nitro_histogram_add_features, computation);
}

static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    nitro_histogram *histogram;
    nitro_status status = nitro_histogram_image_read(context, path, &histogram);
    if (status == NITRO_OK)
        *argument = histogram;
    return status;
}

static nitro_status generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument)
{
    nitro_histogram *histogram = NULL;
    double bytes = 0.0;
    nitro_status status = nitro_module_generate_limit(context, "histogram", &bytes);
    if (status == NITRO_OK)
        status = nitro_histogram_generate(context, seed, index, bytes / sizeof(uint32_t), name,
                                          name_size, argument ? &histogram : NULL);
    if (status == NITRO_OK && argument)
        *argument = histogram;
    return status;
}

static void unload(void *argument)
{
    nitro_histogram_samples_free(argument);
}

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_histogram *histogram = argument;
    snprintf(text, size, "%lld samples in %lld bins", (long long)histogram->num_samples,
             (long long)histogram->num_bins);
}

const nitro_module nitro_module_histogram = {
    .version = NITRO_MODULE_VERSION,
    .name = "histogram",
    .description = "how often each value occurs (grayscale PGM and PNG images)",
    .create = create,
    .load = load,
    .generate = generate,
    .unload = unload,
    .describe = describe,
};
