/* TLS through hiredis_ssl, which hiredis has from version 1.0 on; without it, what to do instead.
 */
#include "store/redis_tls.h"

#ifdef NITRO_HAVE_HIREDIS_SSL

#include <hiredis/hiredis_ssl.h>

nitro_status nitro_redis_require_tls(nitro_context *context)
{
    return redisInitOpenSSL() == REDIS_OK
               ? NITRO_OK
               : nitro_fail(context, NITRO_ERR_IO, "OpenSSL cannot be initialised");
}

static nitro_status fail_tls(redis_store *store, redis_node *node, const char *problem)
{
    nitro_redis_disconnect(node);
    return nitro_fail(store->context, NITRO_ERR_IO,
                      "%s: TLS with %s: %s; is its certificate signed by an authority that this "
                      "machine knows, or by the one in ?ca=FILE?",
                      store->url->shown, nitro_redis_node_name(store, node), problem);
}

nitro_status nitro_redis_start_tls(redis_store *store, redis_node *node)
{
    const redis_url *url = store->url;
    redisSSLContextError error = REDIS_SSL_CTX_NONE;
    redisSSLOptions options = {.cacert_filename = url->ca,
                               .capath = url->ca ? NULL : "/etc/ssl/certs",
                               .cert_filename = url->cert,
                               .private_key_filename = url->key,
                               .server_name = node->host,
                               .verify_mode = REDIS_SSL_VERIFY_PEER};
    redisSSLContext *tls = redisCreateSSLContextWithOptions(&options, &error);
    if (!tls)
        return fail_tls(store, node, redisSSLContextGetError(error));
    nitro_status status = NITRO_OK;
    if (redisInitiateSSLWithContext(node->connection, tls) != REDIS_OK)
        status = fail_tls(store, node, node->connection->errstr);
    redisFreeSSLContext(tls);
    return status;
}

#else

nitro_status nitro_redis_require_tls(nitro_context *context)
{
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "rediss:// is not in this build: its hiredis (%d.%d) has no TLS. Build with "
                      "hiredis 1.1 or newer and its hiredis_ssl, or reach the server through a "
                      "tunnel: ssh -L, or stunnel, and redis://localhost",
                      HIREDIS_MAJOR, HIREDIS_MINOR);
}

nitro_status nitro_redis_start_tls(redis_store *store, redis_node *node)
{
    nitro_redis_disconnect(node);
    return nitro_redis_require_tls(store->context);
}

#endif
