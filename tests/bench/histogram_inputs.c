/* What histogram is measured on. The decision here: bins of an image with samples that are spread,
 * as in an image, all in one bin and in few of them; and more bins. */
#include "bench/histogram_inputs.h"

#include <stdio.h>

#include "unit/histogram_inputs.h"

int histogram_inputs_measure(bench_report *report, int64_t num_samples,
                             histogram_measure_function measure)
{
    static const struct {
        const char *family;
        int64_t num_bins;
    } inputs[] = {{"uniform", 256},   {"image", 256},    {"constant", 256},
                  {"power_law", 256}, {"uniform", 4096}, {"uniform", 65536}};
    nitro_context *context;
    int failed = 0;
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]) && !failed; i++) {
        nitro_histogram *histogram = NULL;
        char name[64];
        snprintf(name, sizeof(name), "%s in %lld bins", inputs[i].family,
                 (long long)inputs[i].num_bins);
        if (histogram_inputs_make(context, inputs[i].family, 1, num_samples, inputs[i].num_bins,
                                  &histogram) != NITRO_OK)
            failed = bench_fail("out of memory: %s", name);
        else
            failed = measure(report, name, histogram);
        nitro_histogram_samples_free(histogram);
    }
    nitro_context_free(context);
    return failed;
}
