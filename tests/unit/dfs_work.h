/* dfs_work.h - samples of a computation with a known cost model on synthetic devices, for tests and
 * benchmarks of device-feature selection. Needs no cmocka: functions return NULL on failure. */
#ifndef NITRO_TESTS_UNIT_DFS_WORK_H
#define NITRO_TESTS_UNIT_DFS_WORK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"

/**
 * Device features of cost models and the bounds of their log-uniform draws: GPUs of 2010 to 2020.
 * Atomics are of old or new hardware, as in the paper's Table 1, alternating (shared) or in turns
 * of two (global), so that they differ from chance. They and the bandwidth decide between
 * histograms.
 */
static const struct {
    const char *name;
    double low, high;
    double new_low, new_high; /* 0: drawn as for old hardware */
    size_t turn;
} dfs_work_features[] = {{"global_mem", 2, 32, 0, 0, 1},
                         {"cuda_cores", 448, 5120, 0, 0, 1},
                         {"clock_rate", 700, 1600, 0, 0, 1},
                         {"l2_cache_size", 512, 6144, 0, 0, 1},
                         {"shared_mem_per_block", 48, 96, 0, 0, 1},
                         {"peak_gbps", 80, 900, 0, 0, 1},
                         {"shared_atomic", 0.19, 0.36, 0.006, 0.011, 1},
                         {"global_atomic", 0.40, 0.49, 0.034, 0.063, 2}};
enum { DFS_WORK_FEATURES = 8, DFS_WORK_MAX_VARIANTS = 6 };

static inline double dfs_work_draw(nitro_random *random, double low, double high)
{
    return low * pow(high / low, nitro_random_uniform(random));
}

static inline const nitro_device_kind *dfs_work_kind(void)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (*kind && strcmp((*kind)->name, "model") != 0)
        kind++;
    return *kind;
}

/** With the first variants of the histogram: atomics alone decide between the first two, bandwidth
 *  too with the third. */
static inline nitro_schema *dfs_work_schema(nitro_context *context, size_t num_variants)
{
    static const char *const features[] = {"num_elements", "elements_per_bin", "sub_sample_sd"};
    static const char *const variants[DFS_WORK_MAX_VARIANTS] = {
        "shared_atomic_dynamic",    "global_atomic_dynamic",    "sort_dynamic",
        "shared_atomic_even_share", "global_atomic_even_share", "sort_even_share"};
    nitro_schema *schema = NULL;
    if (nitro_schema_create(context, "histogram", &schema) != NITRO_OK)
        return NULL;
    for (size_t f = 0; f < 3; f++)
        nitro_schema_add_feature(context, schema, features[f], "1", NITRO_SCALE_AUTO);
    for (size_t v = 0; v < num_variants; v++)
        nitro_schema_add_variant(context, schema, variants[v]);
    return schema;
}

static inline nitro_device *dfs_work_device(nitro_context *context, nitro_random *random,
                                            size_t index)
{
    char id[48];
    nitro_device *device = NULL;
    snprintf(id, sizeof(id), "model:made-up-%02zu", index);
    if (nitro_device_create(context, id, "model", &device) != NITRO_OK)
        return NULL;
    for (size_t f = 0; f < DFS_WORK_FEATURES; f++) {
        bool is_new = dfs_work_features[f].new_high > 0 && index / dfs_work_features[f].turn % 2;
        double low = is_new ? dfs_work_features[f].new_low : dfs_work_features[f].low;
        double high = is_new ? dfs_work_features[f].new_high : dfs_work_features[f].high;
        nitro_device_set(context, device, dfs_work_features[f].name,
                         dfs_work_draw(random, low, high), NITRO_VALUE_RECORDED, 0);
    }
    return device;
}

static inline void dfs_work_input(nitro_random *random, double *features)
{
    double elements = floor(dfs_work_draw(random, 1e4, 5e7));
    double bins = pow(2, floor(3 + 14 * nitro_random_uniform(random)));
    bool crowded = nitro_random_uniform(random) < 0.3;
    features[0] = elements;
    features[1] = elements / bins;
    features[2] = 0.2886751 * (crowded ? dfs_work_draw(random, 1e-4, 0.3)
                                       : fmin(1, 1.6 * nitro_random_uniform(random)));
}

/** One input on all devices; 0 on success. */
static inline int dfs_work_append(nitro_context *context, uint64_t seed, size_t input,
                                  const double *features, nitro_dataset *dataset)
{
    size_t num_variants = dataset->schema->num_variants;
    for (size_t d = 0; d < dataset->num_devices; d++) {
        nitro_sample *sample = NULL;
        double times_ms[DFS_WORK_MAX_VARIANTS];
        if (nitro_sample_create(context, dataset->inputs[input], 3, num_variants, &sample) !=
            NITRO_OK)
            return -1;
        memcpy(sample->features, features, 3 * sizeof(*features));
        nitro_status status =
            dfs_work_kind()->simulate(context, dataset->devices[d], dataset->schema, seed, sample);
        for (size_t v = 0; v < num_variants; v++)
            times_ms[v] = sample->entries[v].median_ms;
        nitro_sample_free(sample);
        if (status != NITRO_OK)
            return -1;
        nitro_dataset_append(dataset, d, input, features, times_ms);
    }
    return 0;
}

/** All inputs on all devices, both drawn by the seed. */
static inline nitro_dataset *dfs_work_dataset(nitro_context *context, uint64_t seed,
                                              size_t num_devices, size_t num_inputs,
                                              size_t num_variants)
{
    nitro_random random;
    nitro_dataset *dataset = calloc(1, sizeof(*dataset));
    nitro_random_seed(&random, seed);
    dataset->schema = dfs_work_schema(context, num_variants);
    dataset->devices = calloc(num_devices, sizeof(*dataset->devices));
    dataset->inputs = calloc(num_inputs, sizeof(*dataset->inputs));
    dataset->num_devices = num_devices;
    dataset->num_inputs = num_inputs;
    bool good = dataset->schema &&
                nitro_dataset_allocate(context, num_devices * num_inputs, dataset) == NITRO_OK;
    for (size_t d = 0; good && d < num_devices; d++)
        good = (dataset->devices[d] = dfs_work_device(context, &random, d)) != NULL;
    for (size_t i = 0; good && i < num_inputs; i++) {
        char name[32];
        double features[3];
        snprintf(name, sizeof(name), "input%05zu", i);
        dataset->inputs[i] = strdup(name);
        dfs_work_input(&random, features);
        good = dfs_work_append(context, seed, i, features, dataset) == 0;
    }
    if (good)
        return dataset;
    nitro_dataset_free(dataset);
    return NULL;
}

/** The first `count` of the device features, as candidates. */
static inline void dfs_work_candidates(nitro_context *context, size_t count,
                                       nitro_string_list *candidates)
{
    for (size_t f = 0; f < count; f++)
        nitro_string_list_add(context, candidates, dfs_work_features[f].name);
}

/** All subsets of up to `most` of `count` candidates, and that of none; returns how many. */
static inline size_t dfs_work_subsets(size_t count, int most, uint64_t *subsets)
{
    size_t num_subsets = 0;
    for (uint64_t subset = 0; subset < UINT64_C(1) << count; subset++)
        if (__builtin_popcountll(subset) <= most)
            subsets[num_subsets++] = subset;
    return num_subsets;
}

#endif
