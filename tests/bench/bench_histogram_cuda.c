/*
 * Bench "histogram_cuda": every CUDA variant over CUB's DeviceHistogram, on 64 million samples that
 * lie on the device, 256 MB: more than its caches hold. A time is that of a batch of counts and of
 * waiting for the last, over their number: launches and the wait hide behind the work. Medians, in
 * turns. Results are compared with CUB's before anything is timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/histogram_inputs.h"
#include "bench/peers/histogram_cub.h"
#include "variants/histogram/histogram_cuda.h"

#define NUM_SAMPLES (64 << 20)
#define BATCH       20
#define MIN_ROUNDS  15
#define BUDGET_MS   2000

#define MAX_VARIANTS 8

static const nitro_kit_device *const device = &nitro_histogram_cuda_device;

typedef struct counting {
    nitro_histogram_cuda *histogram;
    const nitro_variant *variant; /* NULL: CUB */
    void *room;
    size_t room_bytes;
} counting;

static int count_once(counting *c)
{
    nitro_histogram_cuda *histogram = c->histogram;
    if (c->variant)
        return c->variant->run(histogram, c->variant->user);
    int error = histogram_cub_count(c->room, &c->room_bytes, histogram->samples,
                                    (int)histogram->host.num_samples, histogram->counts,
                                    (int)histogram->host.num_bins);
    if (error != 0)
        snprintf(histogram->cuda.problem, sizeof(histogram->cuda.problem),
                 "CUB's DeviceHistogram: CUDA error %d", error);
    return error;
}

static void count_batch(void *state)
{
    counting *c = state;
    for (int i = 0; i < BATCH; i++)
        if (count_once(c) != 0)
            abort();
    if (device->memory->wait(&c->histogram->cuda) != 0)
        abort();
}

static int count_and_fetch(counting *c)
{
    const nitro_histogram *host = &c->histogram->host;
    return count_once(c) != 0 ||
           device->memory->download(&c->histogram->cuda, c->histogram->counts, host->num_bins,
                                    sizeof(*host->counts), host->counts) != 0;
}

static int prepare(nitro_histogram_cuda *histogram, counting *countings)
{
    nitro_cuda *cuda = &histogram->cuda;
    counting *cub = &countings[0];
    *cub = (counting){.histogram = histogram};
    if (nitro_histogram_cuda_upload(histogram) != 0 || count_once(cub) != 0 ||
        device->memory->allocate(cuda, (int64_t)cub->room_bytes, 1, &cub->room) != 0 ||
        count_and_fetch(cub) != 0)
        return 1;
    if (nitro_kit_keep_reference(&nitro_histogram_kit, &histogram->host) != 0)
        return bench_fail("CUB's counts are not those of the host");
    for (size_t i = 0; i < device->num_variants; i++) {
        const nitro_variant *variant = device->variants[i];
        int (*make_ready)(void *, void *) = variant->prepare ? variant->prepare : device->prepare;
        countings[1 + i] = (counting){.histogram = histogram, .variant = variant};
        if ((make_ready && make_ready(histogram, variant->user) != 0) ||
            count_and_fetch(&countings[1 + i]) != 0)
            return 1;
        if (nitro_kit_check_result(&nitro_histogram_kit, &histogram->host, cuda->problem,
                                   sizeof(cuda->problem)) != 0)
            return 1;
    }
    return 0;
}

static int measure_input(bench_report *report, const char *input, nitro_histogram_cuda *histogram)
{
    counting countings[1 + MAX_VARIANTS] = {{0}}; /* CUB's, then the variants' */
    bench_subject subjects[1 + MAX_VARIANTS];
    int failed = prepare(histogram, countings);
    if (failed)
        bench_fail("%s: %s", input, histogram->cuda.problem);
    for (size_t i = 0; i <= device->num_variants; i++)
        subjects[i] = (bench_subject){.run = count_batch, .state = &countings[i]};
    if (!failed)
        failed = bench_measure(subjects, 1 + device->num_variants, MIN_ROUNDS, BUDGET_MS);
    for (size_t i = 1; i <= device->num_variants && !failed; i++) {
        char name[128];
        snprintf(name, sizeof(name), "%s/%s over CUB", input, device->variants[i - 1]->name);
        bench_add(report, name, subjects[i].median_ms / BATCH, subjects[0].median_ms / BATCH, "ms",
                  subjects[i].spread);
    }
    device->memory->free(countings[0].room);
    return failed;
}

static int upload_and_measure(bench_report *report, const char *input, nitro_histogram *samples)
{
    nitro_histogram_cuda histogram = {.host = *samples};
    int failed = measure_input(report, input, &histogram);
    nitro_kit_release_device(&nitro_histogram_kit, &histogram);
    return failed;
}

static int run(bench_report *report)
{
    return histogram_inputs_measure(report, NUM_SAMPLES, upload_and_measure);
}

const bench bench_histogram_cuda = {
    .name = "histogram_cuda",
    .description = "times of counting 64 Mi samples on a GPU over those of CUB's DeviceHistogram",
    .run = run,
};
