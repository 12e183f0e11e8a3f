/*
 * A stream of mixed SpMV inputs, really run: every variant is timed on every generated matrix, a
 * model (auto) learns from three quarters, and the last quarter is the stream. Its total is made of
 * those medians and of what nitro_select took; conversions of formats do not count, for no one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/dispatch_peers.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/select.h"
#include "nitro/runtime/computation.h"
#include "nitro/runtime/model/model.h"

#define NUM_MATRICES 96
#define EVERY        4 /* one of four matrices is in the stream, the others are training inputs */
#define REPETITIONS  5

typedef struct stream {
    nitro_context *context;
    nitro_computation *computation;
    nitro_dataset dataset; /* of this machine: training inputs and the stream */
    double select_ms;      /* of all decisions on the stream */
    size_t num_outside;    /* of these: the guard sent them to the default variant */
} stream;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static double run_once(const nitro_variant *variant, void *argument)
{
    double before = now_ms();
    return variant->run(argument, variant->user) == 0 ? now_ms() - before : NAN;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/** Median of some runs; NaN where the variant does not take the input. */
static double time_variant(const nitro_variant *variant, const double *features, void *argument)
{
    double times[REPETITIONS];
    if (variant->allows && !variant->allows(features, argument, variant->user))
        return NAN;
    if (variant->prepare && variant->prepare(argument, variant->user) != 0)
        return NAN;
    run_once(variant, argument);
    for (size_t i = 0; i < REPETITIONS; i++)
        times[i] = run_once(variant, argument);
    qsort(times, REPETITIONS, sizeof *times, compare);
    return times[REPETITIONS / 2];
}

static nitro_status measure(stream *s, const nitro_module *module, size_t index)
{
    char name[512];
    void *argument = NULL;
    double features[NITRO_MAX_FEATURES], times_ms[NITRO_MAX_VARIANTS];
    nitro_status status = module->generate(s->context, 1, index, name, sizeof name, &argument);
    if (status != NITRO_OK)
        return status;
    status = nitro_computation_evaluate(s->computation, argument, features);
    for (size_t v = 0; status == NITRO_OK && v < s->dataset.schema->num_variants; v++)
        times_ms[v] = time_variant(&s->computation->variants[v], features, argument);
    if (status == NITRO_OK)
        nitro_dataset_append(&s->dataset, 0, index, features, times_ms);
    module->unload(argument);
    return status;
}

static nitro_status learn(stream *s, nitro_model **model)
{
    bool is_train[NUM_MATRICES];
    nitro_string_list none = {0};
    nitro_dataset *train = NULL;
    nitro_training_task task = {
        .target = s->dataset.devices[0], .device_features = &none, .seed = 1};
    for (size_t i = 0; i < NUM_MATRICES; i++)
        is_train[i] = i % EVERY != 1;
    nitro_status status = nitro_dataset_select(s->context, &s->dataset, NULL, is_train, &train);
    if (status == NITRO_OK)
        status = nitro_strategy_find(s->context, "auto", &task.strategy);
    task.sources = train;
    if (status == NITRO_OK)
        status = nitro_model_train(s->context, &task, model);
    nitro_dataset_free(train);
    return status;
}

/** One variant's total on the stream or the training inputs; where it does not run, the first's. */
static double total_of(const stream *s, size_t variant, bool on_stream)
{
    double sum = 0.0;
    for (size_t i = 0; i < NUM_MATRICES; i++) {
        if ((i % EVERY == 1) != on_stream)
            continue;
        const double *times = nitro_dataset_times(&s->dataset, i);
        sum += isnan(times[variant]) ? times[0] : times[variant];
    }
    return sum;
}

static double total_by_nitro(stream *s)
{
    double sum = 0.0;
    for (size_t i = 1; i < NUM_MATRICES; i += EVERY) {
        const double *times = nitro_dataset_times(&s->dataset, i);
        nitro_decision decision = {0};
        double before = now_ms();
        nitro_select_features(s->computation, nitro_dataset_features(&s->dataset, i),
                              s->dataset.schema->num_features, &decision);
        s->select_ms += now_ms() - before;
        s->num_outside += decision.reason == NITRO_REASON_OUTSIDE;
        double time = times[decision.variant];
        sum += isnan(time) ? times[0] : time;
    }
    return sum + s->select_ms;
}

static double total_by_oracle(const stream *s)
{
    double sum = 0.0;
    for (size_t i = 1; i < NUM_MATRICES; i += EVERY) {
        const double *times = nitro_dataset_times(&s->dataset, i);
        sum += times[nitro_times_best(times, s->dataset.schema->num_variants)];
    }
    return sum;
}

static void report_totals(stream *s, bench_report *report)
{
    size_t best = 0;
    for (size_t v = 1; v < s->dataset.schema->num_variants; v++)
        if (total_of(s, v, false) < total_of(s, best, false)) /* chosen where Nitro learns, too */
            best = v;
    double oracle = total_by_oracle(s), nitro = total_by_nitro(s);
    char name[96];
    bench_add(report, "24 matrices: default variant; oracle",
              total_of(s, s->dataset.schema->default_variant, true), oracle, "ms", 0.0);
    snprintf(name, sizeof name, "24 matrices: best fixed (%s); oracle",
             s->dataset.schema->variants[best]);
    bench_add(report, name, total_of(s, best, true), oracle, "ms", 0.0);
    bench_add(report, "24 matrices: Nitro (auto) with decisions; oracle", nitro, oracle, "ms", 0.0);
    bench_add(report, "24 matrices: decisions of these; oracle", s->select_ms, oracle, "ms", 0.0);
}

static nitro_status prepare(stream *s, const nitro_module *module)
{
    nitro_dataset *d = &s->dataset;
    nitro_status status = module->create(s->context, &s->computation);
    if (status == NITRO_OK)
        status = nitro_schema_of(s->computation, &d->schema);
    if (status == NITRO_OK)
        nitro_schema_keep_relative(d->schema, (const bool[NITRO_MAX_FEATURES]){false});
    d->num_devices = 1;
    d->num_inputs = NUM_MATRICES;
    d->devices = calloc(1, sizeof *d->devices);
    d->inputs = calloc(NUM_MATRICES, sizeof *d->inputs);
    if (!d->devices || !d->inputs)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < NUM_MATRICES; i++)
        d->inputs[i] = nitro_asprintf(s->context, "matrix %zu", i);
    if (status == NITRO_OK)
        status = nitro_device_create(s->context, "host", "host", &d->devices[0]);
    if (status == NITRO_OK)
        status = nitro_dataset_allocate(s->context, NUM_MATRICES, d);
    return status;
}

int bench_dispatch_stream(bench_report *report, nitro_context *context)
{
    stream *s = calloc(1, sizeof *s);
    nitro_model *model = NULL;
    const nitro_module *module = nitro_builtin_modules()[0];
    if (!s)
        return bench_fail("out of memory");
    s->context = context;
    nitro_status status = prepare(s, module);
    for (size_t i = 0; status == NITRO_OK && i < NUM_MATRICES; i++)
        status = measure(s, module, i);
    if (status == NITRO_OK)
        status = learn(s, &model);
    if (status == NITRO_OK)
        status = nitro_computation_attach_model(s->computation, model);
    if (status == NITRO_OK)
        report_totals(s, report);
    nitro_computation_free(s->computation);
    s->dataset.num_rows = 0;
    for (size_t i = 0; s->dataset.inputs && i < NUM_MATRICES; i++)
        free(s->dataset.inputs[i]);
    nitro_schema_free(s->dataset.schema);
    nitro_device_free(s->dataset.devices ? s->dataset.devices[0] : NULL);
    free(s->dataset.devices);
    free(s->dataset.inputs);
    free(s->dataset.row_device);
    free(s->dataset.row_input);
    free(s->dataset.features);
    free(s->dataset.times_ms);
    free(s);
    return status == NITRO_OK ? 0 : bench_fail("the stream of SpMV inputs cannot be measured");
}
