/*
 * Bench "histogram": every variant over the plain loop of one thread, and the best of them over the
 * OpenMP loop that everybody writes (a private table a thread, added up in a critical section). On
 * 16 million samples, 64 MB: more than caches hold. Medians, in turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/histogram_inputs.h"

#define NUM_SAMPLES (16 << 20)
#define MIN_ROUNDS  11
#define BUDGET_MS   4000

static const nitro_variant *const variants[] = {
    &nitro_histogram_variant_sort_even_share,
    &nitro_histogram_variant_sort_dynamic,
    &nitro_histogram_variant_global_atomic_even_share,
    &nitro_histogram_variant_global_atomic_dynamic,
    &nitro_histogram_variant_shared_atomic_even_share,
    &nitro_histogram_variant_shared_atomic_dynamic,
};
enum { NUM_VARIANTS = sizeof(variants) / sizeof(variants[0]), NUM_PLAIN = 2 };

typedef struct counting {
    nitro_histogram *histogram;
    const nitro_variant *variant;
} counting;

static void count_plainly(void *state)
{
    const nitro_histogram *histogram = ((counting *)state)->histogram;
    memset(histogram->counts, 0, (size_t)histogram->num_bins * sizeof(*histogram->counts));
    for (int64_t i = 0; i < histogram->num_samples; i++)
        histogram->counts[histogram->samples[i]]++;
}

static void count_with_openmp(void *state)
{
    const nitro_histogram *histogram = ((counting *)state)->histogram;
    size_t bytes = (size_t)histogram->num_bins * sizeof(*histogram->counts);
    memset(histogram->counts, 0, bytes);
#pragma omp parallel
    {
        uint32_t *own = calloc(1, bytes);
        if (!own)
            abort();
#pragma omp for nowait
        for (int64_t i = 0; i < histogram->num_samples; i++)
            own[histogram->samples[i]]++;
#pragma omp critical
        for (int64_t bin = 0; bin < histogram->num_bins; bin++)
            histogram->counts[bin] += own[bin];
        free(own);
    }
}

static void count_by_variant(void *state)
{
    const counting *c = state;
    c->variant->run(c->histogram, c->variant->user);
}

static void report_input(bench_report *report, const char *input, const bench_subject *subjects)
{
    const bench_subject *best = &subjects[NUM_PLAIN];
    char name[128];
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        const bench_subject *subject = &subjects[NUM_PLAIN + i];
        snprintf(name, sizeof(name), "%s/%s over plain loop", input, variants[i]->name);
        bench_add(report, name, subject->median_ms, subjects[0].median_ms, "ms", subject->spread);
        best = subject->median_ms < best->median_ms ? subject : best;
    }
    snprintf(name, sizeof(name), "%s/best over plain OpenMP", input);
    bench_add(report, name, best->median_ms, subjects[1].median_ms, "ms", best->spread);
}

/* Results are seen to be right before any of them is timed. */
static int measure_input(bench_report *report, const char *input, nitro_histogram *histogram)
{
    char why[256];
    counting countings[NUM_PLAIN + NUM_VARIANTS] = {{histogram, NULL}, {histogram, NULL}};
    bench_subject subjects[NUM_PLAIN + NUM_VARIANTS] = {
        {.run = count_plainly, .state = &countings[0]},
        {.run = count_with_openmp, .state = &countings[1]}};
    count_plainly(&countings[0]);
    if (nitro_kit_keep_reference(&nitro_histogram_kit, histogram) != 0)
        return bench_fail("the plain loop is wrong");
    for (size_t i = 0; i < NUM_VARIANTS; i++) {
        countings[NUM_PLAIN + i] = (counting){histogram, variants[i]};
        subjects[NUM_PLAIN + i] =
            (bench_subject){.run = count_by_variant, .state = &countings[NUM_PLAIN + i]};
        if (variants[i]->prepare && variants[i]->prepare(histogram, variants[i]->user) != 0)
            return bench_fail("%s: cannot prepare (out of memory?)", variants[i]->name);
    }
    for (size_t i = 1; i < NUM_PLAIN + NUM_VARIANTS; i++) {
        subjects[i].run(subjects[i].state);
        if (nitro_kit_check_result(&nitro_histogram_kit, histogram, why, sizeof(why)) != 0)
            return bench_fail("%s: %s", i < NUM_PLAIN ? "OpenMP" : variants[i - NUM_PLAIN]->name,
                              why);
    }
    if (bench_measure(subjects, NUM_PLAIN + NUM_VARIANTS, MIN_ROUNDS, BUDGET_MS) != 0)
        return 1;
    report_input(report, input, subjects);
    return 0;
}

static int run(bench_report *report)
{
    return histogram_inputs_measure(report, NUM_SAMPLES, measure_input);
}

const bench bench_histogram = {
    .name = "histogram",
    .description =
        "times of counting 16 Mi samples over the plain loop of one thread, and the best "
        "over the plain OpenMP loop",
    .run = run,
};
