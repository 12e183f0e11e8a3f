/* redis_tls.h - TLS under a connection. hiredis hears nothing of it: commands are handed in as
 * bytes, and what comes is fed to its reader, so that any version of it will do. */
#ifndef NITRO_STORE_REDIS_REDIS_TLS_H
#define NITRO_STORE_REDIS_REDIS_TLS_H

#include "store/redis/redis_internal.h"

/** NITRO_ERR_NOT_BUILT where this build has no TLS; the error says what turns it on. */
nitro_status nitro_redis_require_tls(nitro_context *context);

/**
 * Shake hands over the node's connection, within the URL's timeout. The server's certificate must
 * name the host that was asked for, and be signed by the URL's ?ca= or by an authority that the
 * system knows. Sets node->tls on success; the caller disconnects otherwise.
 * @return NITRO_OK; NITRO_ERR_DENIED (one side does not accept the other: the error says why and
 *         what to do); NITRO_ERR_IO (it went away, or is silent).
 */
nitro_status nitro_redis_tls_start(redis_store *store, redis_node *node);
void nitro_redis_tls_free(redis_tls *tls);

/** How far reading or writing came. */
typedef enum redis_tls_result {
    REDIS_TLS_DONE,    /* something was read, all was written */
    REDIS_TLS_SILENT,  /* nothing went either way within the timeout */
    REDIS_TLS_CLOSED,  /* the server closed the connection */
    REDIS_TLS_REFUSED, /* it does not accept this side */
    REDIS_TLS_FAILED
} redis_tls_result;

/** Keep a formatted command to be written. */
nitro_status nitro_redis_tls_append(nitro_context *context, redis_tls *tls, const char *bytes,
                                    size_t size);
/** Write some of what is kept. @param[out] done  is all written? */
redis_tls_result nitro_redis_tls_write(redis_tls *tls, bool *done);
/** Feed hiredis's reader with what comes next. */
redis_tls_result nitro_redis_tls_read(redis_tls *tls, redisReader *reader);
/** Why the last call of these failed. The handle's own. */
const char *nitro_redis_tls_problem(const redis_tls *tls);

#endif
