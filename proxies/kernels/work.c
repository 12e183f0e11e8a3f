/* Limits of a proxy kernel's work, and the expected results of its neutral steps. */
#include "proxies/kernels/work.h"

nitro_status nitro_proxy_work_check(nitro_context *context, const nitro_proxy_work *work,
                                    const char *device_kind, size_t max_threads)
{
    const struct {
        const char *name;
        size_t value, most;
    } counts[] = {{"intensity", work->intensity, NITRO_PROXY_MAX_INTENSITY},
                  {"num_threads", work->num_threads, max_threads},
                  {"num_passes", work->num_passes, NITRO_PROXY_MAX_PASSES},
                  {"memory_bytes", work->memory_bytes, SIZE_MAX / 4}};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (counts[i].value > counts[i].most)
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "proxy on %s: %s is %zu; the maximum is %zu", device_kind,
                              counts[i].name, counts[i].value, counts[i].most);
    return NITRO_OK;
}

size_t nitro_proxy_work_passes(size_t bytes, size_t pass_bytes)
{
    size_t num_passes = bytes / pass_bytes + (bytes % pass_bytes > 0);
    return num_passes > 0 ? num_passes : 1;
}

uint32_t nitro_proxy_expect_neutral(unsigned intensity, size_t num_passes, uint32_t lane)
{
    static const nitro_proxy_operands operands = NITRO_PROXY_OPERANDS;
    uint32_t chains[NITRO_PROXY_CHAINS];
    unsigned steps = NITRO_PROXY_GROUPS * (NITRO_PROXY_SLOTS - intensity);
    nitro_proxy_neutral_begin(chains, lane);
    for (size_t pass = 0; pass < num_passes; pass++)
        for (unsigned step = 0; step < steps; step++)
            nitro_proxy_neutral_step(chains, step, operands);
    return nitro_proxy_neutral_end(chains);
}
