/* Stands in for the Redis backend in a build without hiredis: opening a store fails with how to get
 * it. */
#include "nitro/nitro_backend.h"

static nitro_status refuse(nitro_context *context, const char *address, nitro_store_mode mode,
                           void **state)
{
    (void)address;
    (void)mode;
    (void)state;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "Redis stores are not in this build: install libhiredis-dev, and configure "
                      "with -DNITRO_REDIS=ON (the default)");
}

#define DESCRIPTION "not in this build: needs libhiredis-dev and -DNITRO_REDIS=ON"

const nitro_store_kind nitro_store_redis = {
    .scheme = "redis", .description = DESCRIPTION, .open = refuse};
const nitro_store_kind nitro_store_rediss = {
    .scheme = "rediss", .description = DESCRIPTION, .open = refuse};
const nitro_store_kind nitro_store_redis_unix = {
    .scheme = "redis+unix", .description = DESCRIPTION, .open = refuse};
