/* Leases on inputs, so that several tuners of one device do not measure the same input. A lease is
 * a key that expires, so that the inputs of a dead tuner become free again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

static char *lease_key(redis_store *store, const char *computation, const char *device,
                       const char *input)
{
    char *of = nitro_asprintf(store->context, "%s:%s", device, input);
    char *key = of ? nitro_redis_key(store, computation, "lease", of) : NULL;
    free(of);
    return key;
}

typedef struct claim {
    redis_store *store;
    const char *key, *owner;
    char duration[16];
    bool claimed;
} claim;

/* Claiming again renews the holder's lease: the first reply may have been lost. */
static nitro_status read_holder(void *user, redis_transaction *t, bool *write)
{
    claim *c = user;
    redisReply *holder = NULL;
    nitro_status status = nitro_redis_transaction_get(t, c->key, &holder);
    c->claimed = status == NITRO_OK &&
                 (holder->type == REDIS_REPLY_NIL || strcmp(holder->str, c->owner) == 0);
    *write = c->claimed;
    nitro_redis_free_replies(&holder, 1);
    return status;
}

static nitro_status write_holder(void *user, redis_transaction *t)
{
    const claim *c = user;
    redis_words set = {0};
    nitro_status status = nitro_redis_words_add_texts(c->store->context, &set, "SET", c->key,
                                                      c->owner, "PX", c->duration, (char *)NULL);
    return nitro_redis_transaction_write(t, &set, status);
}

nitro_status nitro_redis_claim(void *state, const char *computation, const char *device,
                               const char *input, const char *owner, uint32_t lease_ms,
                               bool *claimed)
{
    redis_store *store = state;
    char *key = lease_key(store, computation, device, input);
    claim c = {.store = store, .key = key, .owner = owner};
    if (!key)
        return NITRO_ERR_NO_MEMORY;
    snprintf(c.duration, sizeof(c.duration), "%" PRIu32, lease_ms > 0 ? lease_ms : 1);
    nitro_status status = nitro_redis_transact(store, (const char *[]){key, NULL}, read_holder,
                                               write_holder, &c, NULL);
    if (status == NITRO_OK)
        *claimed = c.claimed;
    free(key);
    return status;
}
