/* redis_secret.h - credentials that the URL does not hold. */
#ifndef NITRO_STORE_REDIS_REDIS_SECRET_H
#define NITRO_STORE_REDIS_REDIS_SECRET_H

#include "store/redis/redis_url.h"

/** Fill in user and password from the environment where the URL has none; see redis_url.h. */
nitro_status nitro_redis_secret_complete(nitro_context *context, redis_url *url);

#endif
