/* Describes a CUDA device by its facts: queried values in the paper's units, published
 * specifications, and computed values where nothing is published. Where a value is both published
 * and computed, a label gives the difference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "features/device/cuda/cuda_kind.h"

#define GB 0x1p30
#define KB 1024.0

/* The first value, or the second where the first is missing or 0. */
static double either(double first, double second)
{
    return first > 0 ? first : second;
}

typedef struct computed {
    double cuda_cores, clock_mhz, mem_clock_mhz, bus_bits;
    double peak_gbps, peak_gflops_sp, peak_gflops_dp;
} computed;

static computed compute(const nitro_facts *facts, const nitro_cuda_architecture *architecture)
{
    const double *values = facts->values;
    double per_sm = architecture ? architecture->cores_per_sm : NAN;
    double ratio = either(values[NITRO_CUDA_SP_TO_DP_RATIO],
                          architecture ? architecture->sp_to_dp_ratio : NAN);
    computed made = {
        .cuda_cores = either(values[NITRO_CUDA_NVML_CUDA_CORES], 0),
        .clock_mhz = either(values[NITRO_CUDA_CLOCK_RATE_KHZ] / 1e3,
                            values[NITRO_CUDA_NVML_MAX_SM_CLOCK_MHZ]),
        .mem_clock_mhz = either(values[NITRO_CUDA_MEM_CLOCK_RATE_KHZ] / 1e3,
                                values[NITRO_CUDA_NVML_MAX_MEM_CLOCK_MHZ]),
        .bus_bits = either(values[NITRO_CUDA_MEM_BUS_WIDTH_BITS],
                           values[NITRO_CUDA_NVML_MEM_BUS_WIDTH_BITS]),
    };
    if (isfinite(per_sm))
        made.cuda_cores = per_sm * values[NITRO_CUDA_SM_COUNT];
    /* Two transfers a memory clock, as drivers report clocks of all memories; two operations (a
     * fused multiply-add) a core and clock. */
    made.peak_gbps = 2 * made.mem_clock_mhz * made.bus_bits / 8 / 1e3;
    made.peak_gflops_sp = 2 * made.cuda_cores * made.clock_mhz / 1e3;
    made.peak_gflops_dp = made.peak_gflops_sp / ratio;
    return made;
}

static bool agrees(double published, double told)
{
    return !isfinite(published) || !isfinite(told) || fabs(published - told) < 1e-6;
}

/* `found` has only missing values if nothing is published of this card. A card of the same name
 * with other specifications is another card, described in `other`; so is a MIG slice. */
static nitro_status find_card(nitro_context *context, const nitro_facts *facts, double capability,
                              double bus_bits, nitro_cuda_card *found, char *other,
                              size_t other_size)
{
    nitro_cuda_card *cards = NULL;
    size_t count = 0;
    nitro_status status = nitro_cuda_cards_read(context, &cards, &count);
    if (status != NITRO_OK)
        return status;
    const nitro_cuda_card *card = nitro_cuda_card_find(cards, count, facts->texts[NITRO_CUDA_NAME]);
    *found = (nitro_cuda_card){.peak_gbps = NAN, .peak_gflops_sp = NAN, .peak_gflops_dp = NAN};
    other[0] = '\0';
    if (card && agrees(card->compute_capability, capability) &&
        agrees(card->sm_count, facts->values[NITRO_CUDA_SM_COUNT]) &&
        agrees(card->mem_bus_width, bus_bits))
        *found = *card;
    else if (card)
        snprintf(other, other_size,
                 "of another card of this name: compute capability %g, %g SMs, a bus of %g bits",
                 card->compute_capability, card->sm_count, card->mem_bus_width);
    free(cards);
    return NITRO_OK;
}

/* Unknown values are missing; so is 0. */
static nitro_status set(nitro_context *context, nitro_device *device, const char *feature,
                        double value, nitro_value_source source)
{
    return nitro_device_set(context, device, feature, value > 0 && isfinite(value) ? value : NAN,
                            source, 0);
}

static nitro_status set_queried(nitro_context *context, const nitro_facts *facts,
                                const computed *made, double capability, nitro_device *device)
{
    const double *told = facts->values;
    const struct {
        const char *name;
        double value;
        nitro_value_source source;
    } values[] = {
        {"global_mem", told[NITRO_CUDA_GLOBAL_MEM_BYTES] / GB, NITRO_VALUE_QUERY},
        {"cuda_cores", made->cuda_cores, NITRO_VALUE_COMPUTED},
        {"clock_rate", made->clock_mhz, NITRO_VALUE_QUERY},
        {"mem_clock_rate", made->mem_clock_mhz, NITRO_VALUE_QUERY},
        {"mem_bus_width", made->bus_bits, NITRO_VALUE_QUERY},
        {"l2_cache_size", told[NITRO_CUDA_L2_CACHE_SIZE_BYTES] / KB, NITRO_VALUE_QUERY},
        {"shared_mem_per_block", told[NITRO_CUDA_SHARED_MEM_PER_BLOCK_BYTES] / KB,
         NITRO_VALUE_QUERY},
        {"copy_engines", told[NITRO_CUDA_COPY_ENGINES], NITRO_VALUE_QUERY},
        {"compute_capability", capability, NITRO_VALUE_QUERY},
        {"sm_count", told[NITRO_CUDA_SM_COUNT], NITRO_VALUE_QUERY},
        {"shared_mem_per_sm", told[NITRO_CUDA_SHARED_MEM_PER_SM_BYTES] / KB, NITRO_VALUE_QUERY},
        {"registers_per_sm", told[NITRO_CUDA_REGISTERS_PER_SM], NITRO_VALUE_QUERY},
        {"threads_per_sm", told[NITRO_CUDA_THREADS_PER_SM], NITRO_VALUE_QUERY},
        {"threads_per_block", told[NITRO_CUDA_THREADS_PER_BLOCK], NITRO_VALUE_QUERY},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && status == NITRO_OK; i++)
        status = set(context, device, values[i].name, values[i].value, values[i].source);
    return status;
}

/* The published value, or the computed one. */
static nitro_status set_peak(nitro_context *context, const char *feature, double published,
                             double made, nitro_device *device)
{
    bool is_published = isfinite(published);
    nitro_status status = set(context, device, feature, is_published ? published : made,
                              is_published ? NITRO_VALUE_STATIC : NITRO_VALUE_COMPUTED);
    if (status != NITRO_OK || !is_published || !(made > 0) || !isfinite(made))
        return status;
    char name[64], text[96];
    snprintf(name, sizeof(name), "%s_computed", feature);
    snprintf(text, sizeof(text), "%.6g (differs from the published value by %+.1f%%)", made,
             100 * (made / published - 1));
    return nitro_device_set_label(context, device, name, text);
}

static nitro_status set_peaks(nitro_context *context, const computed *made,
                              const nitro_cuda_card *card, nitro_device *device)
{
    nitro_status status = set_peak(context, "peak_gbps", card->peak_gbps, made->peak_gbps, device);
    if (status == NITRO_OK)
        status =
            set_peak(context, "peak_gflops_sp", card->peak_gflops_sp, made->peak_gflops_sp, device);
    if (status == NITRO_OK)
        status =
            set_peak(context, "peak_gflops_dp", card->peak_gflops_dp, made->peak_gflops_dp, device);
    return status;
}

static const char *on_or_off(double value)
{
    return isnan(value) ? "" : value > 0 ? "on" : "off";
}

/* "12.4" for 12040; "" if unknown. */
static void format_version(double version, char *text, size_t size)
{
    text[0] = '\0';
    if (version > 0)
        snprintf(text, size, "%.0f.%.0f", floor(version / 1000), floor(fmod(version, 1000) / 10));
}

static nitro_status set_labels(nitro_context *context, const nitro_facts *facts,
                               const nitro_cuda_architecture *architecture,
                               const nitro_cuda_card *card, const char *other, nitro_device *device)
{
    char supported[32], built[32], driver[NITRO_FACTS_TEXT_SIZE + 48], toolkit[48], power[48] = "";
    format_version(facts->values[NITRO_CUDA_DRIVER_VERSION], supported, sizeof(supported));
    format_version(facts->values[NITRO_CUDA_RUNTIME_VERSION], built, sizeof(built));
    snprintf(driver, sizeof(driver), "%s%s%s", facts->texts[NITRO_CUDA_DRIVER],
             facts->texts[NITRO_CUDA_DRIVER][0] ? ", CUDA " : "CUDA ", supported);
    snprintf(toolkit, sizeof(toolkit), "CUDA %s", built);
    if (facts->values[NITRO_CUDA_NVML_POWER_LIMIT_MW] > 0)
        snprintf(power, sizeof(power), "%g W", facts->values[NITRO_CUDA_NVML_POWER_LIMIT_MW] / 1e3);
    const struct {
        const char *name, *text;
    } labels[] = {
        {"vendor", "NVIDIA"},
        {"model", facts->texts[NITRO_CUDA_NAME]},
        {"architecture", architecture ? architecture->name : card->architecture},
        {"chip", card->chip},
        {"driver", facts->texts[NITRO_CUDA_DRIVER][0] || supported[0] ? driver : ""},
        {"toolkit", built[0] ? toolkit : ""},
        {"pci", facts->texts[NITRO_CUDA_PCI]},
        {"ecc", on_or_off(facts->values[NITRO_CUDA_ECC])},
        {"mig", on_or_off(facts->values[NITRO_CUDA_NVML_MIG])},
        {"power_limit", power},
        {"specification", other},
    };
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]) && status == NITRO_OK; i++)
        if (labels[i].text[0])
            status = nitro_device_set_label(context, device, labels[i].name, labels[i].text);
    return status;
}

nitro_status nitro_cuda_describe(nitro_context *context, const nitro_facts *facts,
                                 nitro_device *device)
{
    double major = facts->values[NITRO_CUDA_COMPUTE_CAPABILITY_MAJOR];
    double minor = facts->values[NITRO_CUDA_COMPUTE_CAPABILITY_MINOR];
    double capability = major + minor / 10;
    const nitro_cuda_architecture *architecture = nitro_cuda_architecture_find(major, minor);
    computed made = compute(facts, architecture);
    nitro_cuda_card card;
    char other[128];
    nitro_status status =
        find_card(context, facts, capability, made.bus_bits, &card, other, sizeof(other));
    if (status == NITRO_OK)
        status = set_labels(context, facts, architecture, &card, other, device);
    if (status == NITRO_OK)
        status = set_queried(context, facts, &made, capability, device);
    if (status == NITRO_OK && architecture)
        status = set(context, device, "generation", architecture->generation, NITRO_VALUE_COMPUTED);
    return status == NITRO_OK ? set_peaks(context, &made, &card, device) : status;
}
