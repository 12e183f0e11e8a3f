/* ATOMIC on the host: all threads add to the counters of one cache line. */
#include "proxies/kernels/proxy_host.h"

NITRO_PROXY_INLINE void loop(nitro_proxy_host_member *member, const unsigned intensity)
{
    const nitro_proxy_operands operands = member->operands;
    atomic_uint *const counters = member->counters;
    uint32_t chains[NITRO_PROXY_CHAINS];
    nitro_proxy_neutral_begin(chains, member->lane);
#define STEP(n)                                                                                    \
    atomic_fetch_add_explicit(&counters[(n) % NITRO_PROXY_HOST_COUNTERS], operands.one,            \
                              memory_order_relaxed)
    for (size_t pass = member->num_passes; pass > 0; pass--)
        NITRO_PROXY_PASS(intensity, chains, operands, STEP)
#undef STEP
    member->result = nitro_proxy_neutral_end(chains);
}

NITRO_PROXY_HOST_LOOPS(loop)

/* Checks that the counters hold the sum of all threads' additions. */
static nitro_status expect(const nitro_proxy_host_member *member, uint32_t *result)
{
    const nitro_proxy_host *host = member->host;
    uint32_t each = (uint32_t)(host->num_members * member->num_passes *
                               (NITRO_PROXY_STEPS(host->intensity) / NITRO_PROXY_HOST_COUNTERS));
    for (size_t i = 0; i < NITRO_PROXY_HOST_COUNTERS; i++)
        if (atomic_load(&host->counters[i]) != each)
            return nitro_fail(host->context, NITRO_ERR_MISMATCH,
                              "counter %zu is %u, and %zu threads together added %u", i,
                              atomic_load(&host->counters[i]), host->num_members, (unsigned)each);
    *result = 0;
    return NITRO_OK;
}

static const nitro_proxy_host_kind kind = {
    .loops = NITRO_PROXY_HOST_LOOP_TABLE,
    .num_passes = 200,
    .expect = expect,
};

NITRO_PROXY_HOST_KERNEL(atomic, "ATOMIC",
                        "additions of all threads to counters in one line of the caches")
