/* redis_tls.h - TLS for a connection, where the installed hiredis has it. */
#ifndef NITRO_STORE_REDIS_TLS_H
#define NITRO_STORE_REDIS_TLS_H

#include "store/redis_internal.h"

/** NITRO_ERR_NOT_BUILT where this build has no TLS; the error says what turns it on. */
nitro_status nitro_redis_require_tls(nitro_context *context);
/** Certificates are checked, against the system's authorities or the URL's ?ca=. NITRO_ERR_IO. */
nitro_status nitro_redis_start_tls(redis_store *store, redis_node *node);

#endif
