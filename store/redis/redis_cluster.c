/* Which servers a cluster says that it has. A redirection to another one is not followed by a user
 * with a password: it would be sent there. */
#include <string.h>

#include "store/redis/redis_internal.h"

/* An entry of CLUSTER SLOTS: first slot, last slot, then servers: host, port, ... */
static bool is_in(const redisReply *range, const char *host, int port)
{
    if (range->type != REDIS_REPLY_ARRAY)
        return false;
    for (size_t i = 2; i < range->elements; i++) {
        const redisReply *server = range->element[i];
        if (server->type == REDIS_REPLY_ARRAY && server->elements >= 2 &&
            server->element[0]->type == REDIS_REPLY_STRING &&
            strcmp(server->element[0]->str, host) == 0 &&
            server->element[1]->type == REDIS_REPLY_INTEGER && server->element[1]->integer == port)
            return true;
    }
    return false;
}

nitro_status nitro_redis_require_listed(redis_store *store, redis_node *node, const char *host,
                                        int port)
{
    const redis_words words = {
        .items = (const char *[]){"CLUSTER", "SLOTS"}, .sizes = (size_t[]){7, 5}, .count = 2};
    redisReply *reply = NULL;
    bool listed = false;
    nitro_status status = nitro_redis_exchange(store, node, &words, 1, false, &reply);
    if (status == NITRO_OK && reply->type == REDIS_REPLY_ERROR)
        status = nitro_redis_fail(store, node, &words, reply->str);
    for (size_t i = 0;
         status == NITRO_OK && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++)
        listed = listed || is_in(reply->element[i], host, port);
    if (status == NITRO_OK && !listed) {
        store->may_pass = false;
        status = nitro_fail(store->context, NITRO_ERR_DENIED,
                            "%s: %s redirects to %s:%d, which the cluster's slots do not list: the "
                            "password is not sent there",
                            store->url->shown, nitro_redis_node_name(store, node), host, port);
    }
    nitro_redis_free_replies(&reply, 1);
    return status;
}
