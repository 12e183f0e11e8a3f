/* Errors of a server and what to do about them, by the first word of the error. */
#include <stdio.h>
#include <string.h>

#include "store/redis/redis_internal.h"

static const struct {
    const char *words;
    nitro_status status;
    bool may_pass; /* the same command may succeed a little later */
    const char *advice;
} refusals[] = {
    {"WRONGPASS", NITRO_ERR_DENIED, false,
     "user or password is wrong: check the URL, NITRO_REDIS_USER and NITRO_REDIS_PASSWORD"},
    {"NOAUTH", NITRO_ERR_DENIED, false,
     "the server wants a password: redis://user:password@..., or set NITRO_REDIS_PASSWORD"},
    {"NOPERM", NITRO_ERR_DENIED, false,
     "this user may not do that; 'nitro store acl' prints the rules that the server's "
     "administrator "
     "can add, or open the store as another user"},
    {"READONLY", NITRO_ERR_IO, true,
     "this server is a replica, which cannot be written: name the primary in the URL"},
    {"OOM", NITRO_ERR_IO, false,
     "the server is full (maxmemory); this write was undone. Make room, then try again"},
    {"MISCONF", NITRO_ERR_IO, false,
     "the server cannot save to its disk and refuses writes; see its log"},
    {"NOREPLICAS", NITRO_ERR_IO, true,
     "too few replicas are connected to accept the write; check the server's replicas"},
    {"LOADING", NITRO_ERR_IO, true, "the server is still starting; try again when it is up"},
    {"BUSY", NITRO_ERR_IO, true, "another program's script keeps the server busy"},
    {"TRYAGAIN", NITRO_ERR_IO, true, "the cluster is moving these keys; try again"},
    {"CLUSTERDOWN", NITRO_ERR_IO, true,
     "the cluster has no server for these keys; 'redis-cli --cluster check' says which are "
     "missing"},
    {"MASTERDOWN", NITRO_ERR_IO, true, "the replica lost its primary"},
    {"MOVED", NITRO_ERR_IO, true,
     "the cluster's servers redirect to each other; is the cluster complete?"},
    {"ASK", NITRO_ERR_IO, true,
     "the cluster's servers redirect to each other; is the cluster complete?"},
    {"CROSSSLOT", NITRO_ERR_IO, false, "this is a defect of Nitro: please report it"},
    {"WRONGTYPE", NITRO_ERR_FORMAT, false,
     "a key is not of the type that Nitro gives it: if another program uses it, choose another "
     "database or ?prefix="},
    {"ERR max number of clients reached", NITRO_ERR_IO, true,
     "the server has reached its limit of connections (maxclients); try again"},
    {"ERR AUTH", NITRO_ERR_DENIED, false,
     "the server knows no password for this user: leave it out of the URL, NITRO_REDIS_PASSWORD "
     "and "
     "NITRO_REDIS_PASSWORD_FILE, or name the user"},
    {"ERR DB index is out of range", NITRO_ERR_ARGUMENT, false,
     "the server has fewer databases: use another one in the URL, for example /0"},
    {"ERR unknown command", NITRO_ERR_DENIED, false,
     "the server does not know this command; is it Redis 6 or newer?"},
    {"ERR", NITRO_ERR_IO, false, "the server refuses this command; is it Redis 6 or newer?"},
};
#define NUM_REFUSALS (sizeof(refusals) / sizeof(refusals[0]))

/* Index in the table; the last entry for words not in it. */
static size_t find(const char *error)
{
    for (size_t i = 0; i < NUM_REFUSALS; i++) {
        size_t length = strlen(refusals[i].words);
        if (strncmp(refusals[i].words, error, length) == 0 &&
            (error[length] == '\0' || error[length] == ' '))
            return i;
    }
    return NUM_REFUSALS - 1;
}

/* The first of a command's words that is a key of this store; NULL: none. */
static const char *find_key(const redis_store *store, const redis_words *command)
{
    size_t size = strlen(store->url->prefix);
    for (size_t i = 1; i < command->count; i++)
        if (strncmp(command->items[i], store->url->prefix, size) == 0 &&
            command->items[i][size] == ':')
            return command->items[i];
    return NULL;
}

static void replace_unprintable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7E)
            *text = '?';
}

/* "nitro:7:{spmv}:lease:K20:A" is covered by "nitro:7:{*}:lease:K20:*". */
static void describe_pattern(const char *key, char *pattern, size_t size)
{
    const char *open = strchr(key, '{'), *close = open ? strchr(open, '}') : NULL;
    const char *colon = strrchr(key, ':');
    if (!close || open[1] == '@')
        snprintf(pattern, size, "%s", key);
    else if (strncmp(close, "}:lease:", 8) == 0 && colon > close + 8)
        snprintf(pattern, size, "%.*s*%.*s:*", (int)(open + 1 - key), key, (int)(colon - close),
                 close);
    else
        snprintf(pattern, size, "%.*s*%s", (int)(open + 1 - key), key, close);
}

/* The command's key, and if it was denied, what an ACL rule must have; "" without a key. */
static void describe_key(const redis_store *store, const redis_words *command, bool denied,
                         char *text, size_t size)
{
    const char *key = find_key(store, command);
    char pattern[256];
    text[0] = '\0';
    if (!key)
        return;
    describe_pattern(key, pattern, sizeof(pattern));
    if (denied) {
        size_t length = (size_t)snprintf(text, size, " on %.200s (needed: +", key);
        for (const char *at = command->items[0]; *at && length + 1 < size; at++)
            text[length++] = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
        snprintf(text + length, size - length, " ~%s)", pattern);
    }
    if (!denied)
        snprintf(text, size, " on %.200s", key);
    replace_unprintable(text);
}

static bool ends_with(const char *key, const char *ending)
{
    size_t length = strlen(key), size = strlen(ending);
    return length >= size && strcmp(key + length - size, ending) == 0;
}

const char *nitro_redis_describe_remedy(const redis_store *store, const char *key, char *text,
                                        size_t size)
{
    const char *prefix = store->url->prefix;
    if (strcmp(key + strlen(prefix), ":layout") == 0)
        snprintf(text, size,
                 "if this is a Nitro store, 'redis-cli SET %.200s N' restores it, N being the "
                 "number in the names of its other keys, such as %.200s:%d:..., and nothing is "
                 "lost",
                 key, prefix, NITRO_REDIS_LAYOUT);
    else if (ends_with(key, ":{" NITRO_REDIS_TAG_COMPUTATIONS "}:index"))
        snprintf(text, size,
                 "'redis-cli DEL %.200s' and then 'redis-cli SADD %.200s NAME' with each NAME of "
                 "the keys %.200s:*:{NAME}:schema restore it, and nothing is lost",
                 key, key, prefix);
    else if (ends_with(key, "}:schema"))
        snprintf(text, size,
                 "'redis-cli DEL %.200s', and then a tune or an import with the same variants and "
                 "features, restore it, and no sample is lost; 'nitro store remove --computation "
                 "NAME' removes it with the samples",
                 key);
    else
        snprintf(text, size,
                 "'nitro store gc --quarantined --apply' repairs indexes, and removes what is of a "
                 "device");
    return text;
}

nitro_status nitro_redis_fail(redis_store *store, redis_node *node, const redis_words *command,
                              const char *error)
{
    size_t index = find(error);
    char key[512] = "";
    if (refusals[index].status == NITRO_ERR_FORMAT || strcmp(refusals[index].words, "NOPERM") == 0)
        describe_key(store, command, refusals[index].status == NITRO_ERR_DENIED, key, sizeof(key));
    char said[256];
    snprintf(said, sizeof(said), "%s", error);
    replace_unprintable(said);
    size_t length = strlen(said);
    if (length > 0 && said[length - 1] == '.') /* our sentence continues */
        said[length - 1] = '\0';
    /* The server may be hostile, and errors go into logs: never repeat the password. */
    if (store->url->password && strstr(error, store->url->password))
        snprintf(said, sizeof(said), "%s", refusals[index].words);
    store->may_pass = refusals[index].may_pass;
    const char *damaged =
        refusals[index].status == NITRO_ERR_FORMAT ? find_key(store, command) : NULL;
    char remedy[1024] = "";
    if (damaged)
        nitro_redis_describe_remedy(store, damaged, remedy, sizeof(remedy));
    replace_unprintable(remedy);
    return nitro_fail(store->context, refusals[index].status, "%s: %s%s at %s: %s; %s%s%s",
                      store->url->shown, command->items[0], key, nitro_redis_node_name(store, node),
                      said, refusals[index].advice, damaged ? "; else " : "", remedy);
}

nitro_status nitro_redis_pass_over(redis_store *store, nitro_status status)
{
    char message[1024];
    if (status != NITRO_ERR_FORMAT)
        return status;
    nitro_context_last_error(store->context, message, sizeof(message));
    nitro_log(store->context, NITRO_LOG_WARNING, "skipped: %s", message);
    return NITRO_OK;
}

/* No key makes a server answer so: the reply is of another command, or of another program. */
nitro_status nitro_redis_fail_reply(redis_store *store, const char *command, const char *key)
{
    for (size_t i = 0; i < store->num_nodes; i++)
        nitro_redis_disconnect(&store->nodes[i]);
    return nitro_fail(store->context, NITRO_ERR_IO,
                      "%s: %s %s: the reply has an unexpected type; does another program use this "
                      "port?",
                      store->url->shown, command, key);
}
