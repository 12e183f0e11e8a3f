/* Opening a Redis store: checks that the keys are those of a Nitro store of this version. */
#include <stdlib.h>

#include "store/redis/redis_internal.h"
#include "store/redis/redis_tls.h"

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)

static nitro_status check_version(redis_store *store, const redisReply *reply, const char *key)
{
    char *end = NULL;
    long version = reply->type == REDIS_REPLY_STRING ? strtol(reply->str, &end, 10) : 0;
    char remedy[1024];
    if (version < 1 || *end != '\0')
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s: the key %s holds no version of a Nitro store; does another program "
                          "use it? Choose another prefix with ?prefix=NAME in the URL; %s",
                          store->url->shown, key,
                          nitro_redis_describe_remedy(store, key, remedy, sizeof(remedy)));
    store->layout = (int)version;
    if (version == NITRO_REDIS_LAYOUT ||
        (version == NITRO_REDIS_OLDEST_LAYOUT && store->mode == NITRO_STORE_READ))
        return NITRO_OK;
    if (version == NITRO_REDIS_OLDEST_LAYOUT)
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s: the store is of version %ld, which this Nitro (%s) reads, but does "
                          "not write: copy it into a new one, 'nitro store copy URL "
                          "URL?prefix=NAME', and use that",
                          store->url->shown, version, NITRO_VERSION_STRING);
    return nitro_fail(store->context,
                      version > NITRO_REDIS_LAYOUT ? NITRO_ERR_NEWER : NITRO_ERR_FORMAT,
                      "%s: the store is of version %ld, and this Nitro (%s) reads versions %d to "
                      "%d; %s",
                      store->url->shown, version, NITRO_VERSION_STRING, NITRO_REDIS_OLDEST_LAYOUT,
                      NITRO_REDIS_LAYOUT,
                      version > NITRO_REDIS_LAYOUT
                          ? "use a newer Nitro"
                          : "export its samples as CSV with the Nitro that wrote it and import "
                            "them into a new store, or tune again");
}

/* A store exists once its version does. The first writer creates it. */
static nitro_status find_version(redis_store *store, const char *key, redisReply **reply)
{
    nitro_status status = nitro_redis_query(store, reply, "GET", key, (char *)NULL);
    if (status != NITRO_OK || (*reply)->type != REDIS_REPLY_NIL)
        return status;
    if (store->mode == NITRO_STORE_READ)
        return nitro_fail(store->context, NITRO_ERR_NOT_FOUND,
                          "%s: no such store: this database has no key %s", store->url->shown, key);
    nitro_redis_free_replies(reply, 1);
    status =
        nitro_redis_query(store, NULL, "SET", key, TEXT(NITRO_REDIS_LAYOUT), "NX", (char *)NULL);
    return status == NITRO_OK ? nitro_redis_query(store, reply, "GET", key, (char *)NULL) : status;
}

nitro_status nitro_redis_require_layout(redis_store *store)
{
    redisReply *reply = NULL;
    char *key = nitro_asprintf(store->context, "%s:layout", store->url->prefix);
    nitro_status status = key ? find_version(store, key, &reply) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = check_version(store, reply, key);
    nitro_redis_free_replies(&reply, 1);
    free(key);
    return status;
}

void nitro_redis_close(void *state)
{
    redis_store *store = state;
    for (size_t i = 0; i < store->num_nodes; i++) {
        nitro_redis_disconnect(&store->nodes[i]);
        free(store->nodes[i].host);
    }
    free(store->known_computation);
    nitro_redis_url_free(store->url);
    free(store);
}

nitro_status nitro_redis_open(nitro_context *context, redis_transport transport,
                              const char *address, nitro_store_mode mode, void **state)
{
    redis_url *url = NULL;
    nitro_status status = transport == REDIS_OVER_TLS ? nitro_redis_require_tls(context) : NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_redis_url_parse(context, transport, address, &url);
    if (status != NITRO_OK)
        return status;
    redis_store *store = nitro_calloc(context, 1, sizeof(*store));
    if (!store) {
        nitro_redis_url_free(url);
        return NITRO_ERR_NO_MEMORY;
    }
    *store = (redis_store){.context = context, .url = url, .mode = mode, .num_nodes = 1};
    store->nodes[0] = (redis_node){.host = nitro_strdup(context, url->host), .port = url->port};
    status = store->nodes[0].host ? nitro_redis_require_layout(store) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *state = store;
    else
        nitro_redis_close(store);
    return status;
}
