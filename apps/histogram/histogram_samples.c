/* Allocates a histogram argument that owns its samples and counts. */
#include "apps/histogram/histogram_samples.h"

#include <stdlib.h>

nitro_status nitro_histogram_samples_create(nitro_context *context, int64_t num_samples,
                                            int64_t num_bins, nitro_histogram **histogram,
                                            uint32_t **samples)
{
    nitro_histogram *made = nitro_calloc(context, 1, sizeof(*made));
    uint32_t *room = nitro_host_allocate(num_samples, sizeof(*room));
    uint32_t *counts = nitro_host_allocate(num_bins, sizeof(*counts));
    if (!made || !room || !counts) {
        free(made);
        free(room);
        free(counts);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "out of memory for %lld samples and %lld bins", (long long)num_samples,
                          (long long)num_bins);
    }
    *made = (nitro_histogram){
        .num_samples = num_samples, .num_bins = num_bins, .samples = room, .counts = counts};
    *histogram = made;
    *samples = room;
    return NITRO_OK;
}

void nitro_histogram_samples_free(nitro_histogram *histogram)
{
    if (!histogram)
        return;
    nitro_histogram_release(histogram);
    free((void *)histogram->samples); /* const for the variants; owned here */
    free(histogram->counts);
    free(histogram);
}
