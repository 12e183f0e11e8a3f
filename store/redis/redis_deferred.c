/* Stands in for the Redis backend in libnitro.so: opening a store loads it from its plug-in. */
#include "nitro/nitro_backend.h"
#include "store/redis/redis_kinds.h"

const nitro_store_kind nitro_store_redis = {NITRO_REDIS_KIND_TCP, .plugin = "redis"};
const nitro_store_kind nitro_store_rediss = {NITRO_REDIS_KIND_TLS, .plugin = "redis"};
const nitro_store_kind nitro_store_redis_unix = {NITRO_REDIS_KIND_UNIX, .plugin = "redis"};
