/* Stands in for TLS in a build without OpenSSL: opening a rediss:// store fails with how to get it.
 */
#include "store/redis/redis_tls.h"

nitro_status nitro_redis_require_tls(nitro_context *context)
{
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "rediss:// is not in this build: install libssl-dev, and configure with "
                      "-DNITRO_REDIS_TLS=ON; or reach the server through a tunnel (ssh -L, "
                      "stunnel) and redis://localhost");
}

nitro_status nitro_redis_tls_start(redis_store *store, redis_node *node)
{
    (void)node;
    return nitro_redis_require_tls(store->context);
}

void nitro_redis_tls_free(redis_tls *tls)
{
    (void)tls;
}

/* Never called, since there is no handle. */

nitro_status nitro_redis_tls_append(nitro_context *context, redis_tls *tls, const char *bytes,
                                    size_t size)
{
    (void)tls;
    (void)bytes;
    (void)size;
    return nitro_redis_require_tls(context);
}

redis_tls_result nitro_redis_tls_write(redis_tls *tls, bool *done)
{
    (void)tls;
    (void)done;
    return REDIS_TLS_FAILED;
}

redis_tls_result nitro_redis_tls_read(redis_tls *tls, redisReader *reader)
{
    (void)tls;
    (void)reader;
    return REDIS_TLS_FAILED;
}

const char *nitro_redis_tls_problem(const redis_tls *tls)
{
    (void)tls;
    return "this build has no TLS";
}
