/* Modelled times: a known ground truth for tests, and a stand-in for devices that are not
 * available; never a result.
 *
 *      time = launches x LAUNCH_MS
 *           + imbalance x ( max(bytes / bandwidth, operations / throughput, longest thread)
 *                           + (global_atomics x global_atomic + shared_atomics x shared_atomic)
 *                             / (NITRO_COUNTED_ADDITIONS x LANES) )
 *      bandwidth  = ACHIEVED x peak_gbps       throughput = cuda_cores x clock_rate
 *
 * Memory traffic, arithmetic and the longest thread overlap, so the slowest of the three counts;
 * atomics do not overlap with them. The benchmarks' additions all go to
 * one address, one after another; those of a computation are weighted by contention, and without
 * it the LANES of a warp add at once: about 2.5 global additions a nanosecond on the Fermi boards
 * and 20 to 30 on the Kepler boards.
 *
 * Times are multiplied by exp(NOISE x normal), drawn from a hash of seed, computation, device,
 * input and variant, so that they do not depend on the order of calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/model/cost_model.h"

#define LAUNCH_MS 0.005
#define ACHIEVED  0.75
#define LANES     32
#define NOISE     0.03
/* Half the interquartile range of a normal distribution of deviation 1. */
#define QUARTILE     0.6745
#define BYTES_PER_GB 1073741824.0 /* binary gigabytes, as in the paper's Table 1 */

static const nitro_cost_model *const models[] = {
    &nitro_cost_model_spmv,
    &nitro_cost_model_histogram,
};
#define NUM_MODELS (sizeof(models) / sizeof(models[0]))

double nitro_cost_time_ms(const nitro_cost *cost, const nitro_cost_device *device)
{
    double memory_ms = cost->bytes / (ACHIEVED * device->peak_gbps * 1e6);
    double arithmetic_ms = cost->operations / (device->cuda_cores * device->clock_rate * 1e3);
    double busy_ms = fmax(fmax(memory_ms, arithmetic_ms), cost->longest_ns * 1e-6);
    double atomics_ms = (cost->global_atomics * device->global_atomic +
                         cost->shared_atomics * device->shared_atomic) /
                        (NITRO_COUNTED_ADDITIONS * LANES);
    return cost->launches * LAUNCH_MS + cost->imbalance * (busy_ms + atomics_ms);
}

double nitro_cost_noise(double deviation, uint64_t seed, const char *const *parts, size_t count)
{
    uint64_t key = seed;
    for (size_t i = 0; i < count; i++)
        key = nitro_hash(parts[i], strlen(parts[i]), key);
    nitro_random random;
    nitro_random_seed(&random, key);
    return exp(deviation * nitro_random_normal(&random));
}

static const nitro_cost_model *find_model(const char *computation)
{
    for (size_t i = 0; i < NUM_MODELS; i++)
        if (strcmp(models[i]->computation, computation) == 0)
            return models[i];
    return NULL;
}

static const nitro_cost_variant *find_variant(const nitro_cost_model *model, const char *name)
{
    for (const nitro_cost_variant *variant = model->variants; variant->name; variant++)
        if (strcmp(variant->name, name) == 0)
            return variant;
    return NULL;
}

nitro_status nitro_cost_read_device(nitro_context *context, const nitro_device *device,
                                    nitro_cost_device *read)
{
    const struct {
        const char *name;
        double *value;
    } wanted[] = {
        {"global_mem", &read->global_mem},
        {"cuda_cores", &read->cuda_cores},
        {"clock_rate", &read->clock_rate},
        {"l2_cache_size", &read->l2_cache_size},
        {"shared_mem_per_block", &read->shared_mem_per_block},
        {"peak_gbps", &read->peak_gbps},
        {"shared_atomic", &read->shared_atomic},
        {"global_atomic", &read->global_atomic},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        double value = nitro_device_value(device, wanted[i].name);
        if (!(value > 0))
            return nitro_fail(context, NITRO_ERR_NO_DATA,
                              "device %s: the cost model needs device feature %s above 0, and it "
                              "is %s",
                              device->id, wanted[i].name, isnan(value) ? "missing" : "not");
        *wanted[i].value = value;
    }
    return NITRO_OK;
}

static nitro_status read_features(nitro_context *context, const nitro_cost_model *model,
                                  const nitro_schema *schema, const nitro_sample *sample,
                                  double *values)
{
    for (size_t i = 0; model->features[i]; i++) {
        size_t index = nitro_schema_feature(schema, model->features[i]);
        if (index == NITRO_NONE)
            return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                              "the cost model of %s needs input feature %s, which this computation "
                              "does not declare",
                              model->computation, model->features[i]);
        values[i] = sample->features[index];
        if (!isfinite(values[i]) || values[i] < 0)
            return nitro_fail(context, NITRO_ERR_BAD_FEATURE,
                              "input '%s': the cost model needs feature %s finite and not "
                              "negative, not %g",
                              sample->input, model->features[i], values[i]);
    }
    return NITRO_OK;
}

/* The variant's version stays: it is that of the code that would have run. */
static void set_entry(nitro_entry *entry, nitro_outcome outcome, double time_ms, char *detail)
{
    bool measured = outcome == NITRO_OUTCOME_MEASURED;
    free(entry->detail);
    entry->outcome = outcome;
    entry->median_ms = time_ms;
    entry->spread = measured ? NOISE * QUARTILE : NAN;
    entry->prepare_ms = NAN;
    entry->count = measured;
    entry->detail = detail;
}

static nitro_status set_too_large(nitro_context *context, nitro_entry *entry, double need_bytes,
                                  double have_bytes)
{
    char *detail = nitro_asprintf(context, "needs %.3g GB of the device's %.3g GB",
                                  need_bytes / BYTES_PER_GB, have_bytes / BYTES_PER_GB);
    if (!detail)
        return NITRO_ERR_NO_MEMORY;
    set_entry(entry, NITRO_OUTCOME_OUT_OF_MEMORY, NAN, detail);
    return NITRO_OK;
}

static nitro_status require_variants(nitro_context *context, const nitro_cost_model *model,
                                     const nitro_schema *schema)
{
    for (size_t i = 0; i < schema->num_variants; i++)
        if (!find_variant(model, schema->variants[i]))
            return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                              "the cost model of %s has no variant %s", schema->computation,
                              schema->variants[i]);
    return NITRO_OK;
}

/* Modelled times must not mix with a real device's. */
nitro_status nitro_cost_require_modelled(nitro_context *context, const nitro_device *device)
{
    if (strcmp(device->kind, "model") == 0)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_ARGUMENT,
                      "device %s is of kind %s: times are modelled only for kind model", device->id,
                      device->kind);
}

nitro_status nitro_cost_price(nitro_context *context, const nitro_device *device,
                              const nitro_schema *schema, const nitro_sample *sample,
                              nitro_cost_device *board, nitro_cost *costs)
{
    const nitro_cost_model *model = find_model(schema->computation);
    double features[NITRO_COST_MAX_FEATURES];
    nitro_status status = nitro_cost_require_modelled(context, device);
    if (status == NITRO_OK && !model)
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "no cost model of computation %s: modelled devices know spmv and "
                            "histogram",
                            schema->computation);
    if (status == NITRO_OK)
        status = require_variants(context, model, schema);
    if (status == NITRO_OK)
        status = nitro_cost_read_device(context, device, board);
    if (status == NITRO_OK)
        status = read_features(context, model, schema, sample, features);
    for (size_t i = 0; i < schema->num_variants && status == NITRO_OK; i++) {
        const nitro_cost_variant *variant = find_variant(model, schema->variants[i]);
        costs[i] =
            variant->price ? variant->price(features, board) : (nitro_cost){.is_absent = true};
    }
    return status;
}

nitro_status nitro_cost_simulate(nitro_context *context, const nitro_device *device,
                                 const nitro_schema *schema, uint64_t seed, nitro_sample *sample)
{
    nitro_cost_device board;
    nitro_cost costs[NITRO_MAX_VARIANTS];
    nitro_status status = nitro_cost_price(context, device, schema, sample, &board, costs);
    double have_bytes = status == NITRO_OK ? board.global_mem * BYTES_PER_GB : 0;
    for (size_t i = 0; i < schema->num_variants && status == NITRO_OK; i++) {
        const char *const parts[] = {schema->computation, device->id, sample->input,
                                     schema->variants[i]};
        if (costs[i].is_absent)
            set_entry(&sample->entries[i], NITRO_OUTCOME_NOT_ALLOWED, NAN, NULL);
        else if (costs[i].memory_bytes > have_bytes)
            status = set_too_large(context, &sample->entries[i], costs[i].memory_bytes, have_bytes);
        else
            set_entry(&sample->entries[i], NITRO_OUTCOME_MEASURED,
                      nitro_cost_time_ms(&costs[i], &board) *
                          nitro_cost_noise(NOISE, seed, parts, 4),
                      NULL);
    }
    return status;
}
