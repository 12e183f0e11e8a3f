/* redis_tls.h - TLS under a connection, without hiredis's own TLS layer: commands are passed as
 * bytes, and received bytes are fed to hiredis's reader, so that any version of hiredis works. */
#ifndef NITRO_STORE_REDIS_REDIS_TLS_H
#define NITRO_STORE_REDIS_REDIS_TLS_H

#include "store/redis/redis_internal.h"

/** NITRO_ERR_NOT_BUILT: this build has no TLS. */
nitro_status nitro_redis_require_tls(nitro_context *context);

/**
 * Shake hands over the node's connection, within the URL's timeout. The server's certificate must
 * name the host that was asked for, and be signed by the URL's ?ca= or by an authority that the
 * system trusts. Sets node->tls on success; the caller disconnects otherwise.
 * @return NITRO_OK; NITRO_ERR_DENIED (one side refuses the other's certificate); NITRO_ERR_IO
 * (connection lost, or no answer).
 */
nitro_status nitro_redis_tls_start(redis_store *store, redis_node *node);
void nitro_redis_tls_free(redis_tls *tls);

/** How far reading or writing came. */
typedef enum redis_tls_result {
    REDIS_TLS_DONE,    /* something was read, all was written */
    REDIS_TLS_SILENT,  /* no bytes in either direction within the timeout */
    REDIS_TLS_CLOSED,  /* the server closed the connection */
    REDIS_TLS_REFUSED, /* it refuses our certificate */
    REDIS_TLS_FAILED
} redis_tls_result;

/** Append a formatted command to those to be written. */
nitro_status nitro_redis_tls_append(nitro_context *context, redis_tls *tls, const char *bytes,
                                    size_t size);
/** Write a part of the appended commands. @param[out] done  is all written? */
redis_tls_result nitro_redis_tls_write(redis_tls *tls, bool *done);
/** Feed the next received bytes to hiredis's reader. */
redis_tls_result nitro_redis_tls_read(redis_tls *tls, redisReader *reader);
/** Why the last of these calls failed. Owned by the handle. */
const char *nitro_redis_tls_problem(const redis_tls *tls);

#endif
