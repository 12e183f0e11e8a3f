/* Table of the variants of histogram, in declared order: on ties the first wins. */
#include <stdlib.h>

#include "variants/histogram/host/histogram_kernels.h"

nitro_status nitro_histogram_add_variants(nitro_computation *computation)
{
    static const nitro_variant *const variants[] = {
        &nitro_histogram_variant_sort_even_share,
        &nitro_histogram_variant_sort_dynamic,
        &nitro_histogram_variant_global_atomic_even_share,
        &nitro_histogram_variant_global_atomic_dynamic,
        &nitro_histogram_variant_shared_atomic_even_share,
        &nitro_histogram_variant_shared_atomic_dynamic,
    };
    static const nitro_hooks hooks = {
        .keep_reference = nitro_histogram_keep_reference,
        .check_result = nitro_histogram_check_result,
    };
    const char *usual = nitro_histogram_variant_shared_atomic_even_share.name;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]) && status == NITRO_OK; i++)
        status = nitro_computation_add_variant(computation, variants[i]);
    if (status == NITRO_OK)
        status = nitro_computation_set_default(computation, usual);
    if (status == NITRO_OK)
        status = nitro_computation_set_reference(computation, usual);
    if (status == NITRO_OK)
        status = nitro_computation_set_hooks(computation, &hooks);
    return status;
}

void nitro_histogram_release(nitro_histogram *histogram)
{
    free(histogram->tables.words);
    free(histogram->reference);
    histogram->tables = (nitro_histogram_tables){0};
    histogram->reference = NULL;
}
