/* Arbitrary bytes as an image: an error, or samples that every variant counts correctly. */
#include "apps/histogram/samples.h"
#include "fuzz.h"

/* Whatever was accepted must run, and give the right result. */
static void run_variants(nitro_histogram *histogram)
{
    static const nitro_variant *const variants[] = {
        &nitro_histogram_variant_sort_even_share,
        &nitro_histogram_variant_global_atomic_dynamic,
        &nitro_histogram_variant_shared_atomic_dynamic,
    };
    char why[256];
    for (int64_t i = 0; i < histogram->num_samples; i++)
        if (histogram->samples[i] >= histogram->num_bins)
            abort();
    if (variants[0]->run(histogram, variants[0]->user) != 0 ||
        nitro_kit_keep_reference(&nitro_histogram_kit, histogram) != 0)
        abort();
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        if (variants[i]->prepare && variants[i]->prepare(histogram, variants[i]->user) != 0)
            abort();
        if (variants[i]->run(histogram, variants[i]->user) != 0 ||
            nitro_kit_check_result(&nitro_histogram_kit, histogram, why, sizeof(why)) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context;
    nitro_histogram *histogram = NULL;
    nitro_histogram_image image = {.name = "fuzz", .bytes = data, .size = size};
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_histogram_image_parse(context, &image, &histogram) == NITRO_OK)
        run_variants(histogram);
    nitro_histogram_samples_free(histogram);
    nitro_context_free(context);
    return 0;
}
