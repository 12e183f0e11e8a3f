/* The Redis backend: one server or a cluster, shared by many machines. Each URL scheme (TCP, TLS,
 * socket) is a kind of store. */
#include <stdlib.h>

#include "store/redis/redis_internal.h"
#include "store/redis/redis_kinds.h"

static nitro_status add_usage(redis_store *store, const char *tag, const char *what, const char *of,
                              uint64_t *bytes)
{
    char *key = nitro_redis_key(store, tag, what, of);
    redisReply *reply = NULL;
    redis_words words = {0};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (key)
        status = nitro_redis_words_add_texts(store->context, &words, "MEMORY", "USAGE", key,
                                             (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_run(store, key, &words, 1, &reply);
    if (status == NITRO_OK && reply->type == REDIS_REPLY_INTEGER && reply->integer > 0)
        *bytes += (uint64_t)reply->integer;
    nitro_redis_free_replies(&reply, 1);
    nitro_redis_words_free(&words);
    free(key);
    return status;
}

static nitro_status add_tables(redis_store *store, const char *tag, uint64_t *bytes)
{
    nitro_string_list devices = {0};
    nitro_status status = nitro_redis_list_announced(store, tag, &devices);
    for (size_t i = 0; i < devices.count; i++)
        for (const char *const *sort = NITRO_REDIS_TABLE_KEYS; *sort && status == NITRO_OK; sort++)
            status = add_usage(store, tag, *sort, devices.items[i], bytes);
    nitro_string_list_free(&devices);
    return status == NITRO_OK ? add_usage(store, tag, "schema", NULL, bytes) : status;
}

static nitro_status size_bytes(void *state, uint64_t *bytes)
{
    redis_store *store = state;
    nitro_string_list computations = {0}, devices = {0};
    uint64_t total = 0;
    nitro_status status = nitro_redis_list_computations(store, &computations);
    if (status == NITRO_OK)
        status = nitro_redis_list_devices(store, NULL, &devices);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++)
        status = add_tables(store, computations.items[i], &total);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++)
        status = add_usage(store, NITRO_REDIS_TAG_DEVICES, "record", devices.items[i], &total);
    if (status == NITRO_OK)
        status = add_tables(store, NITRO_REDIS_TAG_PROXIES, &total);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    *bytes = status == NITRO_OK ? total : 0; /* not every user may run MEMORY */
    return NITRO_OK;
}

static nitro_status layout_version(void *state, int64_t *version)
{
    *version = ((const redis_store *)state)->layout;
    return NITRO_OK;
}

static nitro_status open_tcp(nitro_context *context, const char *address, nitro_store_mode mode,
                             void **state)
{
    return nitro_redis_open(context, REDIS_OVER_TCP, address, mode, state);
}

static nitro_status open_tls(nitro_context *context, const char *address, nitro_store_mode mode,
                             void **state)
{
    return nitro_redis_open(context, REDIS_OVER_TLS, address, mode, state);
}

static nitro_status open_unix(nitro_context *context, const char *address, nitro_store_mode mode,
                              void **state)
{
    return nitro_redis_open(context, REDIS_OVER_UNIX, address, mode, state);
}

/* They differ only in how they connect. */
#define FUNCTIONS                                                                                  \
    .close = nitro_redis_close, .put_schema = nitro_redis_put_schema,                              \
    .get_schema = nitro_redis_get_schema, .list_computations = nitro_redis_list_computations,      \
    .put_device = nitro_redis_put_device, .get_device = nitro_redis_get_device,                    \
    .list_devices = nitro_redis_list_devices, .put_samples = nitro_redis_put_samples,              \
    .put_recording = nitro_redis_put_recording, .each_sample = nitro_redis_each_sample,            \
    .list_inputs = nitro_redis_list_inputs, .count_samples = nitro_redis_count_samples,            \
    .put_profiles = nitro_redis_put_profiles, .each_profile = nitro_redis_each_profile,            \
    .count_profiles = nitro_redis_count_profiles, .remove_profiles = nitro_redis_remove_profiles,  \
    .remove = nitro_redis_remove, .remove_samples = nitro_redis_remove_samples,                    \
    .remove_device = nitro_redis_remove_device, .get_sample = nitro_redis_get_sample,              \
    .claim = nitro_redis_claim, .verify = nitro_redis_verify,                                      \
    .remove_damaged = nitro_redis_remove_damaged, .layout_version = layout_version,                \
    .size_bytes = size_bytes

const nitro_store_kind nitro_store_redis = {
    NITRO_REDIS_KIND_TCP,
    .open = open_tcp,
    FUNCTIONS,
};

const nitro_store_kind nitro_store_rediss = {
    NITRO_REDIS_KIND_TLS,
    .open = open_tls,
    FUNCTIONS,
};

const nitro_store_kind nitro_store_redis_unix = {
    NITRO_REDIS_KIND_UNIX,
    .open = open_unix,
    FUNCTIONS,
};
