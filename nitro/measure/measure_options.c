/* Options of measuring: defaults, valid ranges, and whether a device supports them. */
#include <unistd.h>

#include "nitro/measure/blocks.h"
#include "nitro/measure/measure_input.h"
#include "nitro/runtime/computation.h"

#define MAX_REPETITIONS 1000000

void nitro_measure_options_init(nitro_measure_options *options)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    size_t memory_bytes = pages > 0 && page_bytes > 0 ? (size_t)pages * (size_t)page_bytes : 0;
    *options = (nitro_measure_options){
        .warmups = 1,
        .min_repetitions = 10,
        .max_repetitions = 100,
        .max_blocks = NITRO_DEFAULT_BLOCKS,
        .steady_spread = 0.02,
        .budget_ms = 250,
        .timeout_ms = 30000,
        .memory_limit_bytes = memory_bytes / 4 * 3,
    };
}

nitro_status nitro_measure_options_check(nitro_context *context,
                                         const nitro_measure_options *options)
{
    unsigned least = options->min_repetitions;
    unsigned most = options->max_repetitions;
    if (least < 1 || most < least || most > MAX_REPETITIONS)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "measuring: %u to %u repetitions: give 1 <= min <= max <= %d", least,
                          most, MAX_REPETITIONS);
    if (!(options->steady_spread >= 0))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "measuring: a steady spread of %g: give 0 or more",
                          options->steady_spread);
    if (!(options->budget_ms > 0))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "measuring: a budget of %g ms a variant: give more than 0",
                          options->budget_ms);
    if (!(options->timeout_ms > 0))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "measuring: a time limit of %g ms a call: give more than 0",
                          options->timeout_ms);
    if (options->cache != NITRO_CACHE_WARM && options->cache != NITRO_CACHE_COLD)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "measuring: nitro_cache %d: give NITRO_CACHE_WARM or _COLD",
                          (int)options->cache);
    return NITRO_OK;
}

nitro_status nitro_measure_device_check(const nitro_computation *computation,
                                        const nitro_measure_options *options)
{
    const char *name = computation->schema->computation, *wanted = computation->device_kind;
    const nitro_device_kind *kind = nitro_device_kind_find(computation->context, wanted);
    const nitro_device_access *access = kind ? kind->access : NULL;
    if (!kind)
        return nitro_fail(computation->context, NITRO_ERR_NOT_FOUND, "%s: unknown device kind %s",
                          name, wanted);
    for (size_t v = 0; v < computation->schema->num_variants; v++)
        if (nitro_variant_time_source(&computation->variants[v], wanted) == NITRO_TIME_DEVICE &&
            !(access && access->start && access->stop))
            return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                              "%s: variant %s is timed by the device's clock (NITRO_TIME_DEVICE), "
                              "and devices of kind %s have none: set the computation's kind "
                              "(nitro_computation_set_device_kind), or another time source",
                              name, computation->variants[v].name, wanted);
    if (options->cache == NITRO_CACHE_COLD && !(access && access->flush))
        return nitro_fail(
            computation->context, NITRO_ERR_ARGUMENT,
            "%s: caches of devices of kind %s cannot be flushed here: measure with warm caches",
            name, wanted);
    return NITRO_OK;
}
