/* Module of "histogram" on CUDA devices. Inputs are the host module's; `prepare_input` copies them
 * to the device, so that loading an input only for its features needs no device. */
#include <stdlib.h>

#include "apps/builtin_module.h"
#include "apps/histogram/histogram_modules.h"
#include "apps/histogram/histogram_samples.h"
#include "variants/histogram/histogram_cuda.h"

/* The CUDA argument, and the host argument whose arrays it borrows. */
typedef struct input {
    nitro_histogram_cuda
        histogram; /* must be first: variants use a pointer to this struct as one to it */
    nitro_histogram *samples;
} input;

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    return nitro_module_create_computation(context, "histogram", nitro_histogram_cuda_add_variants,
                                           nitro_histogram_add_features, computation);
}

/* Takes ownership of the samples, also on error. */
static nitro_status wrap(nitro_context *context, nitro_histogram *samples, void **argument)
{
    input *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made) {
        nitro_histogram_samples_free(samples);
        return NITRO_ERR_NO_MEMORY;
    }
    made->histogram.host = *samples;
    made->samples = samples;
    *argument = made;
    return NITRO_OK;
}

static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    void *samples;
    nitro_status status = nitro_module_histogram.load(context, path, &samples);
    return status == NITRO_OK ? wrap(context, samples, argument) : status;
}

static nitro_status generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument)
{
    void *samples;
    nitro_status status = nitro_module_histogram.generate(context, seed, index, name, name_size,
                                                          argument ? &samples : NULL);
    return status == NITRO_OK && argument ? wrap(context, samples, argument) : status;
}

static void unload(void *argument)
{
    input *loaded = argument;
    nitro_histogram_cuda_release(&loaded->histogram);
    nitro_histogram_samples_free(loaded->samples);
    free(loaded);
}

static void describe(const void *argument, char *text, size_t size)
{
    /* of the host's part, the first member */
    nitro_module_histogram.describe(argument, text, size);
}

const nitro_module nitro_module_histogram_cuda = {
    .version = NITRO_MODULE_VERSION,
    .name = "histogram",
    .description = "how often each value occurs (grayscale PGM and PNG images), on CUDA devices",
    .device_kind = "cuda",
    .create = create,
    .load = load,
    .generate = generate,
    .unload = unload,
    .describe = describe,
};
