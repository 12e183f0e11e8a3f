/*
 * Bench "labels": do the winners that a tune finds hold? Tunes spmv on generated matrices four
 * times into stores of their own: once and again in blocks, the default, and in one block each, in
 * turns. Cases compare two tunes of a kind; ours is in blocks, the reference in one block:
 *
 *   winners that differ, and those where a winner of one tune loses more than 5 % in the other;
 *   the factor between two times of one variant on one input (90th percentile);
 *   times that differ by no more than both spreads;
 *   the time of a tune over that of all calls of variants (run and prepare) in it (ours: tune,
 *   reference: calls).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "nitro/backend/statistics.h"
#include "nitro/nitro_backend.h"
#include "nitro/runtime/computation.h"
#include "unit/spmv_inputs.h"

#define NUM_INPUTS 30
#define SEED       1
#define CLEARLY    0.05

/* Time in calls of variants' run and prepare, of all processes. */
static _Atomic uint64_t *called_ns;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static nitro_variant plain[NITRO_MAX_VARIANTS];

static int count_call(int (*function)(void *, void *), void *argument, void *user)
{
    uint64_t start = now_ns();
    int failure = function(argument, user);
    atomic_fetch_add_explicit(called_ns, now_ns() - start, memory_order_relaxed);
    return failure;
}

static int run_counted(void *argument, void *user)
{
    const nitro_variant *variant = user;
    return count_call(variant->run, argument, variant->user);
}

static int prepare_counted(void *argument, void *user)
{
    const nitro_variant *variant = user;
    return count_call(variant->prepare, argument, variant->user);
}

static void release_plainly(void *argument, void *user)
{
    const nitro_variant *variant = user;
    variant->release(argument, variant->user);
}

static bool allows_plainly(const double *features, const void *argument, void *user)
{
    const nitro_variant *variant = user;
    return variant->allows(features, argument, variant->user);
}

static void count_calls(nitro_computation *computation)
{
    for (size_t v = 0; v < computation->schema->num_variants; v++) {
        nitro_variant *variant = &computation->variants[v];
        plain[v] = *variant;
        variant->run = run_counted;
        variant->prepare = plain[v].prepare ? prepare_counted : NULL;
        variant->release = plain[v].release ? release_plainly : NULL;
        variant->allows = plain[v].allows ? allows_plainly : NULL;
        variant->user = &plain[v];
    }
}

static char names[NUM_INPUTS][128];
static nitro_input inputs[NUM_INPUTS];

static nitro_status load_generated(nitro_context *context, void *state, void **argument)
{
    size_t index = (size_t)((char(*)[128])state - names);
    char name[128];
    nitro_spmv *spmv = NULL;
    nitro_status status = spmv_inputs_generate(context, SEED, index, name, sizeof(name), &spmv);
    *argument = spmv;
    return status;
}

static void unload_generated(void *argument)
{
    spmv_inputs_free(argument);
}

/* One tune's results. */
typedef struct tune {
    nitro_sample *samples[NUM_INPUTS];
    double elapsed_ms, called_ms;
} tune;

static nitro_status read_samples(nitro_computation *computation, nitro_store *store, tune *made)
{
    nitro_context *context = computation->context;
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    nitro_status status = nitro_device_find(context, "host", false, &device, &kind);
    for (size_t i = 0; i < NUM_INPUTS && status == NITRO_OK; i++)
        status = nitro_store_get_sample(store, computation->schema->computation, device->id,
                                        names[i], &made->samples[i]);
    nitro_device_free(device);
    return status;
}

static nitro_status run_tune(nitro_computation *computation, unsigned max_blocks, tune *made)
{
    nitro_context *context = computation->context;
    char folder[] = "/tmp/nitro-labels-XXXXXX", url[64], command[64];
    nitro_store *store = NULL;
    nitro_tune_options options;
    if (!mkdtemp(folder))
        return nitro_fail(context, NITRO_ERR_IO, "no folder in /tmp");
    snprintf(url, sizeof(url), "sqlite:%s/store.db", folder);
    nitro_tune_options_init(&options);
    options.measure.max_blocks = max_blocks;
    atomic_store(called_ns, 0);
    uint64_t start = now_ns();
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = nitro_tune(computation, store, "host", inputs, NUM_INPUTS, &options);
    made->elapsed_ms = (double)(now_ns() - start) * 1e-6;
    made->called_ms = (double)atomic_load(called_ns) * 1e-6;
    if (status == NITRO_OK)
        status = read_samples(computation, store, made);
    nitro_store_close(store);
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command) == 0 ? status : NITRO_ERR_IO;
}

typedef struct comparison {
    double differ, differ_clearly; /* of the winners, in % */
    double factor;                 /* 90th percentile */
    double covered;                /* of the times, in % */
} comparison;

/* How much slower the one tune's winner is than the other's, in the other. */
static double loss(const nitro_sample *winner_of, const nitro_sample *times_of)
{
    size_t chosen = nitro_sample_best(winner_of), best = nitro_sample_best(times_of);
    return times_of->entries[chosen].median_ms / times_of->entries[best].median_ms - 1;
}

static void compare_times(const nitro_sample *a, const nitro_sample *b, double *factors,
                          size_t *count, size_t *num_covered)
{
    for (size_t v = 0; v < a->num_entries; v++) {
        const nitro_entry *x = &a->entries[v], *y = &b->entries[v];
        if (x->outcome != NITRO_OUTCOME_MEASURED || y->outcome != NITRO_OUTCOME_MEASURED)
            continue;
        factors[(*count)++] = fmax(x->median_ms, y->median_ms) / fmin(x->median_ms, y->median_ms);
        *num_covered += fabs(x->median_ms - y->median_ms) <=
                        x->spread * x->median_ms + y->spread * y->median_ms;
    }
}

static comparison compare(const tune *a, const tune *b)
{
    static double factors[NUM_INPUTS * NITRO_MAX_VARIANTS];
    size_t num_differ = 0, num_clearly = 0, num_factors = 0, num_covered = 0;
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        const nitro_sample *x = a->samples[i], *y = b->samples[i];
        num_differ += nitro_sample_best(x) != nitro_sample_best(y);
        num_clearly += (size_t)(loss(x, y) > CLEARLY) + (size_t)(loss(y, x) > CLEARLY);
        compare_times(x, y, factors, &num_factors, &num_covered);
    }
    nitro_sort(factors, num_factors);
    return (comparison){100.0 * (double)num_differ / NUM_INPUTS,
                        50.0 * (double)num_clearly / NUM_INPUTS,
                        nitro_quantile(factors, num_factors, 0.9),
                        100.0 * (double)num_covered / (double)num_factors};
}

static void report_tunes(bench_report *report, const tune tunes[4])
{
    comparison ours = compare(&tunes[0], &tunes[2]), one = compare(&tunes[1], &tunes[3]);
    bench_add(report, "winners that differ", ours.differ, one.differ, "%", 0);
    bench_add(report, "winners that lose more than 5 %", ours.differ_clearly, one.differ_clearly,
              "%", 0);
    bench_add(report, "factor between times, 90th percentile", ours.factor, one.factor, "", 0);
    bench_add(report, "times within their spreads", ours.covered, one.covered, "%", 0);
    for (size_t i = 0; i < 2; i++)
        bench_add(report,
                  i ? "tune in one block, over variants' calls" : "tune, over variants' calls",
                  tunes[i].elapsed_ms + tunes[i + 2].elapsed_ms,
                  tunes[i].called_ms + tunes[i + 2].called_ms, "ms", 0);
}

static nitro_status run_tunes(nitro_context *context, tune tunes[4])
{
    nitro_computation *computation = NULL;
    nitro_status status = nitro_module_spmv.create(context, &computation);
    for (size_t i = 0; i < NUM_INPUTS && status == NITRO_OK; i++) {
        inputs[i] = (nitro_input){names[i], load_generated, unload_generated, names[i]};
        status = spmv_inputs_generate(context, SEED, i, names[i], sizeof(names[i]), NULL);
    }
    if (status == NITRO_OK)
        count_calls(computation);
    nitro_tune_options options;
    nitro_tune_options_init(&options);
    for (size_t i = 0; i < 4 && status == NITRO_OK; i++)
        status = run_tune(computation, i % 2 ? 1 : options.measure.max_blocks, &tunes[i]);
    nitro_computation_free(computation);
    return status;
}

static int run(bench_report *report)
{
    tune tunes[4] = {0};
    nitro_context *context = NULL;
    char message[1024] = "";
    called_ns =
        mmap(NULL, sizeof(*called_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (called_ns == MAP_FAILED || nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    nitro_status status = run_tunes(context, tunes);
    if (status == NITRO_OK)
        report_tunes(report, tunes);
    else
        nitro_context_last_error(context, message, sizeof(message));
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < NUM_INPUTS; k++)
            nitro_sample_free(tunes[i].samples[k]);
    nitro_context_free(context);
    return status == NITRO_OK ? 0 : bench_fail("%s", message);
}

const bench bench_labels = {
    .name = "labels",
    .description =
        "do winners hold from tune to tune? two tunes in blocks against two in one block",
    .run = run,
};
