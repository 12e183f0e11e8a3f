/* Modelled profiles: metrics derived from the cost model's work; like modelled times a known ground
 * truth for tests, and never a result. Metrics have nvprof's names.
 *
 *     I = operations + global_atomics + shared_atomics    instructions of single threads
 *     T = modelled time, M = bytes / bandwidth, A = I / (cuda_cores x clock_rate)
 *
 *     inst_issued              I / WARP
 *     flop_count_sp, _dp       the flops; inst_fp_32, _64 half of them: fused multiply-additions
 *     flop_sp_, _dp_efficiency percent of 2 flops a core and cycle, over T
 *     atomic_transactions      global and shared additions (a proxy stands for both), over WARP;
 *                              l2_atomic_transactions the same
 *     (l2_)atomic_throughput   atomic_transactions over T
 *     gld_, gst_, l2_, dram_   transactions of SECTOR bytes, READS of them loads
 *     l2_utilization           M / T, of 10
 *     stall_memory_dependency  percent of M in M + A + what atomics take
 *     shared_load_, _store_    shared accesses over WARP, READS of them loads
 *     shared_store_throughput  shared stores over T
 *
 * Each is multiplied by exp(NOISE x normal), drawn as the times' noise is. The proxies run STEPS
 * instructions, and each step of intensity adds work of their kind (see the table). The maximum
 * intensity is what real kernels reach, as for hardware proxies. */
#include "features/device/model/cost_model.h"

#define WARP   32.0
#define SECTOR 32.0
#define READS  0.75
#define NOISE  0.05
#define STEPS  67108864.0 /* long enough to make launch time negligible */
#define OUTPUT 0.004      /* bytes an instruction, written by every proxy */

typedef struct cost_proxy {
    const char *name;
    /* Work of each kind an instruction, at intensity 1. */
    double flops_sp, flops_dp, global_atomics, bytes, shared_accesses;
} cost_proxy;

static const cost_proxy proxies[] = {
    {.name = "SP-GFLOP", .flops_sp = 0.3},          {.name = "DP-GFLOP", .flops_dp = 0.3},
    {.name = "ATOMIC", .global_atomics = 0.02},     {.name = "MEM-BW", .bytes = 0.06},
    {.name = "SH-MEM-BW", .shared_accesses = 0.05},
};
#define NUM_PROXIES (sizeof(proxies) / sizeof(proxies[0]))

typedef struct cost_metric {
    const char *name;
    double value;
} cost_metric;

enum { NUM_METRICS = 21 };

static void count_metrics(const nitro_cost *cost, const nitro_cost_device *device,
                          cost_metric *metrics)
{
    const nitro_cost streaming = {.bytes = cost->bytes, .imbalance = 1};
    const nitro_cost atomics = {.global_atomics = cost->global_atomics,
                                .shared_atomics = cost->shared_atomics,
                                .imbalance = 1};
    double instructions = cost->operations + cost->global_atomics + cost->shared_atomics;
    double seconds = 1e-3 * nitro_cost_time_ms(cost, device);
    double memory = 1e-3 * nitro_cost_time_ms(&streaming, device);
    double arithmetic = instructions / (device->cuda_cores * device->clock_rate * 1e6);
    double waiting = 1e-3 * nitro_cost_time_ms(&atomics, device);
    double peak = 2 * device->cuda_cores * device->clock_rate * 1e6;
    double additions = (cost->global_atomics + cost->shared_atomics) / WARP;
    double loads = READS * cost->bytes / SECTOR, stores = (1 - READS) * cost->bytes / SECTOR;
    double shared = cost->shared_accesses / WARP;
    const cost_metric counted[NUM_METRICS] = {
        {"inst_issued", instructions / WARP},
        {"flop_count_sp", cost->flops_sp},
        {"flop_count_dp", cost->flops_dp},
        {"inst_fp_32", cost->flops_sp / 2},
        {"inst_fp_64", cost->flops_dp / 2},
        {"flop_sp_efficiency", 100 * cost->flops_sp / seconds / peak},
        {"flop_dp_efficiency", 100 * cost->flops_dp / seconds / peak},
        {"atomic_transactions", additions},
        {"atomic_throughput", additions / seconds},
        {"l2_atomic_transactions", additions},
        {"l2_atomic_throughput", additions / seconds},
        {"gld_transactions", loads},
        {"gst_transactions", stores},
        {"l2_read_transactions", loads},
        {"l2_write_transactions", stores},
        {"dram_read_transactions", loads},
        {"dram_write_transactions", stores},
        {"l2_utilization", 10 * memory / seconds},
        {"stall_memory_dependency", 100 * memory / (memory + arithmetic + waiting)},
        {"shared_load_transactions", READS * shared},
        {"shared_store_transactions", (1 - READS) * shared},
    };
    for (size_t i = 0; i < NUM_METRICS; i++)
        metrics[i] = counted[i];
}

/* Fills in metrics and provenance, and passes on and frees the profile. */
static nitro_status hand_on(nitro_context *context, const nitro_device *device,
                            const nitro_cost *cost, const nitro_cost_device *board, uint64_t seed,
                            nitro_profile *profile, nitro_profile_function function, void *user)
{
    cost_metric metrics[NUM_METRICS];
    char intensity[32];
    nitro_status status = NITRO_OK;
    nitro_format_number(profile->intensity, intensity, sizeof(intensity));
    const char *run = profile->input ? profile->input : intensity;
    count_metrics(cost, board, metrics);
    for (size_t i = 0; i < NUM_METRICS && status == NITRO_OK; i++) {
        const char *const parts[] = {device->id, profile->name, run, metrics[i].name};
        status = nitro_profile_set(context, profile, metrics[i].name,
                                   metrics[i].value * nitro_cost_noise(NOISE, seed, parts, 4));
    }
    if (status == NITRO_OK) {
        profile->provenance.origin = nitro_strdup(context, "modelled");
        profile->provenance.library = nitro_strdup(context, nitro_version());
        bool complete = profile->provenance.origin && profile->provenance.library;
        status = complete ? function(user, device->id, profile) : NITRO_ERR_NO_MEMORY;
    }
    nitro_profile_free(profile);
    return status;
}

static nitro_status run_proxy(nitro_context *context, const nitro_device *device,
                              const cost_proxy *proxy, const nitro_cost_device *board,
                              uint64_t seed, nitro_profile_function function, void *user)
{
    nitro_status status = NITRO_OK;
    for (int i = 0; i <= NITRO_MAX_INTENSITY && status == NITRO_OK; i++) {
        double work = i * STEPS;
        const nitro_cost cost = {.launches = 1,
                                 .operations = STEPS,
                                 .bytes = OUTPUT * STEPS + proxy->bytes * work,
                                 .global_atomics = proxy->global_atomics * work,
                                 .imbalance = 1,
                                 .flops_sp = proxy->flops_sp * work,
                                 .flops_dp = proxy->flops_dp * work,
                                 .shared_accesses = proxy->shared_accesses * work};
        nitro_profile *profile = NULL;
        status = nitro_profile_create_of_proxy(context, proxy->name, i, proxy->name, &profile);
        if (status == NITRO_OK)
            status = hand_on(context, device, &cost, board, seed, profile, function, user);
    }
    return status;
}

static nitro_status run_proxies(nitro_context *context, const nitro_device *device, uint64_t seed,
                                nitro_profile_function function, void *user)
{
    nitro_cost_device board;
    nitro_status status = nitro_cost_require_modelled(context, device);
    if (status == NITRO_OK)
        status = nitro_cost_read_device(context, device, &board);
    for (size_t i = 0; i < NUM_PROXIES && status == NITRO_OK; i++)
        status = run_proxy(context, device, &proxies[i], &board, seed, function, user);
    return status;
}

nitro_status nitro_cost_simulate_profiles(nitro_context *context, const nitro_device *device,
                                          const nitro_schema *schema, const nitro_sample *sample,
                                          uint64_t seed, nitro_profile_function function,
                                          void *user)
{
    nitro_cost_device board;
    nitro_cost costs[NITRO_MAX_VARIANTS];
    if (!schema)
        return run_proxies(context, device, seed, function, user);
    nitro_status status = nitro_cost_price(context, device, schema, sample, &board, costs);
    for (size_t i = 0; i < schema->num_variants && status == NITRO_OK; i++) {
        const char *name = schema->variants[i];
        nitro_profile *profile = NULL;
        if (costs[i].is_absent)
            continue;
        status = nitro_profile_create_of_variant(context, schema->computation, name, sample->input,
                                                 name, &profile);
        if (status == NITRO_OK)
            status = hand_on(context, device, &costs[i], &board, seed, profile, function, user);
    }
    return status;
}
