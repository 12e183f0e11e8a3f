/* Leases on inputs, so that several tuners of one device do not measure the same input. A lease is
 * a key that expires, so that the inputs of a dead tuner become free again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/redis/redis_internal.h"

/* Claiming again renews the holder's lease: the first reply may have been lost. */
static const char claim_script[] = "local holder = redis.call('GET', KEYS[1])\n"
                                   "if holder and holder ~= ARGV[1] then return 0 end\n"
                                   "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n"
                                   "return 1\n";

static char *lease_key(redis_store *store, const char *computation, const char *device,
                       const char *input)
{
    char *of = nitro_asprintf(store->context, "%s:%s", device, input);
    char *key = of ? nitro_redis_key(store, computation, "lease", of) : NULL;
    free(of);
    return key;
}

nitro_status nitro_redis_claim(void *state, const char *computation, const char *device,
                               const char *input, const char *owner, uint32_t lease_ms,
                               bool *claimed)
{
    redis_store *store = state;
    redis_words words = {0};
    size_t answer = 0;
    char duration[16];
    char *key = lease_key(store, computation, device, input);
    if (!key)
        return NITRO_ERR_NO_MEMORY;
    snprintf(duration, sizeof(duration), "%" PRIu32, lease_ms > 0 ? lease_ms : 1);
    nitro_status status = nitro_redis_words_add_texts(store->context, &words, "EVAL", claim_script,
                                                      "1", key, owner, duration, (char *)NULL);
    status = nitro_redis_run_number(store, key, &words, status, &answer);
    if (status == NITRO_OK)
        *claimed = answer == 1;
    free(key);
    return status;
}
