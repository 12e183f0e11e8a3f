/* The Redis backend as a plug-in. */
#include "nitro/nitro_backend.h"

extern const nitro_store_kind nitro_store_redis, nitro_store_rediss, nitro_store_redis_unix;

static const nitro_store_kind *const kinds[] = {&nitro_store_redis, &nitro_store_rediss,
                                                &nitro_store_redis_unix, NULL};

const nitro_plugin nitro_exported_plugin = {NITRO_VERSION_STRING, kinds};
