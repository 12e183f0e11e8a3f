/* host_exchange_body.h - the loops of MEM-BW and SH-MEM-BW on the host: each thread exchanges a
 * word with successive words of its memory, a load and a store each. The two proxies differ in the
 * amount of memory. */
#include "proxies/kernels/proxy_host.h"

NITRO_PROXY_INLINE void loop(nitro_proxy_host_member *member, const unsigned intensity)
{
    const nitro_proxy_operands operands = member->operands;
    uint64_t *const first = member->words, *const end = first + member->num_words;
    uint64_t *words = first, carried = member->lane, taken = 0;
    uint32_t chains[NITRO_PROXY_CHAINS];
    nitro_proxy_neutral_begin(chains, member->lane);
#define STEP(n)                                                                                    \
    do {                                                                                           \
        if ((n) % 2 == 0) {                                                                        \
            taken = words[(n) / 2];                                                                \
        } else {                                                                                   \
            words[(n) / 2] = carried;                                                              \
            carried = taken;                                                                       \
        }                                                                                          \
    } while (0)
    for (size_t pass = member->num_passes; pass > 0; pass--) {
        NITRO_PROXY_PASS(intensity, chains, operands, STEP)
        words += NITRO_PROXY_EXCHANGES(intensity);
        words = words == end ? first : words;
    }
#undef STEP
    member->result = (uint32_t)carried + nitro_proxy_neutral_end(chains);
}

NITRO_PROXY_HOST_LOOPS(loop)

/* The same exchanges in sequence. */
static nitro_status expect(const nitro_proxy_host_member *member, uint32_t *result)
{
    nitro_context *context = member->host->context;
    size_t num_words = member->num_words, at = 0;
    uint64_t *words = nitro_calloc(context, num_words + 1, sizeof(*words));
    if (!words)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_words; i++)
        words[i] = nitro_proxy_first_word(i);
    uint64_t carried = member->lane;
    size_t exchanges = member->num_passes * NITRO_PROXY_EXCHANGES(member->host->intensity);
    for (size_t i = 0; i < exchanges; i++) {
        uint64_t taken = words[at];
        words[at] = carried;
        carried = taken;
        at = at + 1 == num_words ? 0 : at + 1;
    }
    nitro_status status = NITRO_OK;
    if (num_words > 0 && memcmp(words, member->words, num_words * sizeof(*words)) != 0)
        status = nitro_fail(context, NITRO_ERR_MISMATCH,
                            "the %zu words of the thread in lane %u are not where %zu exchanges "
                            "take them",
                            num_words, (unsigned)member->lane, exchanges);
    else
        *result = (uint32_t)carried;
    free(words);
    return status;
}
