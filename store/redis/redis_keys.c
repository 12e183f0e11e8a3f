/* Names of keys. All keys of a computation have its name as hash tag, so that a cluster keeps them
 * on one slot; docs/redis-keys.md lists the keys. */
#include "store/redis/redis_internal.h"

char *nitro_redis_key(redis_store *store, const char *tag, const char *what, const char *of)
{
    return nitro_asprintf(store->context, "%s:%d:{%s}:%s%s%s", store->url->prefix, store->layout,
                          tag, what, of ? ":" : "", of ? of : "");
}
