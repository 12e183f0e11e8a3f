/* redis_kinds.h - what is known of the Redis kinds of store before their plug-in is loaded. */
#ifndef NITRO_STORE_REDIS_REDIS_KINDS_H
#define NITRO_STORE_REDIS_REDIS_KINDS_H

#define NITRO_REDIS_KIND_TCP                                                                       \
    .scheme = "redis", .description = "a Redis server or cluster that many machines share",        \
    .remote = true
#define NITRO_REDIS_KIND_TLS .scheme = "rediss", .description = "the same over TLS", .remote = true
/* Also this server may be unreachable. */
#define NITRO_REDIS_KIND_UNIX                                                                      \
    .scheme = "redis+unix", .description = "a Redis server on this machine, through its socket",   \
    .remote = true

#endif
