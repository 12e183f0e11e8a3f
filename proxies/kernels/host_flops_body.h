/* host_flops_body.h - the loops of SP-GFLOP and DP-GFLOP on the host, for the type REAL: scalar
 * multiplications and additions in turn, on independent chains. None are fused, so that every step
 * is one instruction on every processor. All factors and terms are 1, unknown to the compiler: the
 * chains count their additions. */
#include "proxies/kernels/proxy_host.h"

NITRO_PROXY_INLINE void loop(nitro_proxy_host_member *member, const unsigned intensity)
{
    const nitro_proxy_operands operands = member->operands;
    const REAL one = (REAL)operands.one;
    uint32_t chains[NITRO_PROXY_CHAINS], sum = 0;
    REAL sums[NITRO_PROXY_SUMS];
    nitro_proxy_neutral_begin(chains, member->lane);
    for (uint32_t i = 0; i < NITRO_PROXY_SUMS; i++)
        sums[i] = (REAL)(member->lane + i);
#define STEP(n)                                                                                    \
    sums[(n) / 2 % NITRO_PROXY_SUMS] = (n) % 2 == 0 ? sums[(n) / 2 % NITRO_PROXY_SUMS] * one       \
                                                    : sums[(n) / 2 % NITRO_PROXY_SUMS] + one
    for (size_t pass = member->num_passes; pass > 0; pass--)
        NITRO_PROXY_PASS(intensity, chains, operands, STEP)
#undef STEP
    for (uint32_t i = 0; i < NITRO_PROXY_SUMS; i++)
        sum += (uint32_t)sums[i];
    member->result = sum + nitro_proxy_neutral_end(chains);
}

NITRO_PROXY_HOST_LOOPS(loop)

static nitro_status expect(const nitro_proxy_host_member *member, uint32_t *result)
{
    uint32_t sum =
        (uint32_t)(member->num_passes * (NITRO_PROXY_STEPS(member->host->intensity) / 2));
    for (uint32_t i = 0; i < NITRO_PROXY_SUMS; i++)
        sum += member->lane + i;
    *result = sum;
    return NITRO_OK;
}

static const nitro_proxy_host_kind kind = {
    .loops = NITRO_PROXY_HOST_LOOP_TABLE,
    .num_passes = 20000,
    .expect = expect,
};
