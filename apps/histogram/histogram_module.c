/* The computation histogram: its argument, variants, check and inputs, and the modules of all kinds
 * of devices. */
#include <stdio.h>
#include <string.h>

#include "apps/histogram/samples.h"
#include "variants/histogram/histogram_cuda.h"
#include "variants/histogram/histogram_opencl.h"

static const nitro_field fields[] = {
    NITRO_NUMBER(nitro_histogram, num_samples),
    NITRO_NUMBER(nitro_histogram, num_bins),
    NITRO_ARRAY(nitro_histogram, samples, NITRO_IN, NITRO_UINT32, "num_samples",
                NITRO_ON_DEVICE(nitro_histogram_cuda, samples)),
    NITRO_ARRAY(nitro_histogram, counts, NITRO_OUT, NITRO_UINT32, "num_bins",
                NITRO_ON_DEVICE(nitro_histogram_cuda, counts)),
    {.name = "queues",
     .role = NITRO_SCRATCH,
     .element = NITRO_UINT32,
     .offset = NITRO_NOWHERE,
     .count = "16",
     NITRO_ON_DEVICE(nitro_histogram_cuda, queues)},
};

/* On CUDA devices. */
static const nitro_variant block_sort_even_share = {.name = "block_sort_even_share"},
                           block_sort_dynamic = {.name = "block_sort_dynamic"};

static const nitro_variant *const variants[] = {
    &nitro_histogram_variant_sort_even_share,
    &nitro_histogram_variant_sort_dynamic,
    &nitro_histogram_variant_global_atomic_even_share,
    &nitro_histogram_variant_global_atomic_dynamic,
    &nitro_histogram_variant_shared_atomic_even_share,
    &nitro_histogram_variant_shared_atomic_dynamic,
    &block_sort_even_share,
    &block_sort_dynamic,
};

static int count(void *argument, double *magnitudes)
{
    (void)magnitudes;
    nitro_histogram *histogram = argument;
    memset(histogram->counts, 0, (size_t)histogram->num_bins * sizeof(*histogram->counts));
    for (int64_t i = 0; i < histogram->num_samples; i++)
        histogram->counts[histogram->samples[i]]++;
    return 0;
}

/* ---- Inputs ---- */

nitro_status nitro_histogram_samples_create(nitro_context *context, int64_t num_samples,
                                            int64_t num_bins, nitro_histogram **histogram,
                                            uint32_t **samples)
{
    const nitro_histogram sizes = {.num_samples = num_samples, .num_bins = num_bins};
    void *made;
    nitro_status status = nitro_kit_allocate(context, &nitro_histogram_kit, &sizes, &made);
    if (status == NITRO_OK) {
        *histogram = made;
        *samples = (uint32_t *)(*histogram)->samples; /* const for the variants */
    }
    return status;
}

void nitro_histogram_samples_free(nitro_histogram *histogram)
{
    nitro_kit_free(&nitro_histogram_kit, false, histogram);
}

static nitro_status load(nitro_context *context, const char *path, void **data)
{
    nitro_histogram *histogram;
    nitro_status status = nitro_histogram_image_read(context, path, &histogram);
    if (status == NITRO_OK)
        *data = histogram;
    return status;
}

/* Half of all inputs have 256 bins. */
static int64_t draw_num_bins(nitro_random *random)
{
    static const int64_t others[] = {2, 16, 64, 100, 1024, 4096, 16384, 65536};
    size_t num_others = sizeof(others) / sizeof(others[0]);
    if (nitro_random_uniform(random) < 0.5)
        return 256;
    return others[nitro_random_below(random, num_others)];
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    const nitro_histogram_family *chosen = &nitro_histogram_families[family];
    nitro_histogram *made;
    uint32_t *samples;
    int64_t num_samples = (int64_t)size, num_bins = draw_num_bins(random);
    snprintf(label, NITRO_KIT_LABEL, "%s-%lldin%lld", chosen->name, (long long)num_samples,
             (long long)num_bins);
    if (!data)
        return NITRO_OK;
    nitro_status status =
        nitro_histogram_samples_create(context, num_samples, num_bins, &made, &samples);
    if (status != NITRO_OK)
        return status;
    status = chosen->fill(context, random, samples, num_samples, num_bins);
    if (status == NITRO_OK)
        *data = made;
    else
        nitro_histogram_samples_free(made);
    return status;
}

static const nitro_kit_inputs inputs = {
    .load = load,
    .make = make,
    .num_families = NITRO_HISTOGRAM_NUM_FAMILIES,
    .least_size = 1e3,
    .usual_size = 4e6,
    .base_size = 32e6,
    .unit_bytes = sizeof(uint32_t),
};

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_histogram *histogram = argument;
    snprintf(text, size, "%lld samples in %lld bins", (long long)histogram->num_samples,
             (long long)histogram->num_bins);
}

/* ---- The computation ---- */

#define ABOUT "how often each value occurs (grayscale PGM and PNG images)"

/* On the host and on CUDA devices; on another kind of device. */
#define KIT(its_device)                                                                            \
    {                                                                                              \
        .name = "histogram", .description = ABOUT, .argument_bytes = sizeof(nitro_histogram),      \
        .kept = offsetof(nitro_histogram, kept), .room = offsetof(nitro_histogram, room),          \
        .fields = fields, .num_fields = sizeof(fields) / sizeof(fields[0]), .variants = variants,  \
        .num_variants = sizeof(variants) / sizeof(variants[0]),                                    \
        .usual = "shared_atomic_even_share", .add_features = nitro_histogram_add_features,         \
        .reference = count, .inputs = &inputs, .describe = describe, .device = its_device          \
    }

const nitro_kit nitro_histogram_kit = KIT(&nitro_histogram_cuda_device);
const nitro_kit nitro_histogram_opencl_kit = KIT(&nitro_histogram_opencl_device);

NITRO_KIT_MODULES(nitro_module_histogram, nitro_histogram_kit, "histogram", ABOUT)
NITRO_KIT_KERNEL_MODULE(nitro_module_histogram_opencl, nitro_histogram_opencl_kit, "histogram",
                        ABOUT ", on OpenCL devices", "opencl")
