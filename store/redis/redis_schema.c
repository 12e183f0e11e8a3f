/* Schemas in Redis: one record each, merged with a new one in a transaction. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_internal.h"

static nitro_status decode(redis_store *store, const char *computation, const redisReply *record,
                           nitro_schema **schema)
{
    nitro_status status = nitro_record_decode_schema(store->context, store->url->shown, computation,
                                                     record->str, record->len, schema);
    char *key =
        status == NITRO_ERR_FORMAT ? nitro_redis_key(store, computation, "schema", NULL) : NULL;
    if (key) {
        char message[1024], remedy[1024];
        nitro_context_last_error(store->context, message, sizeof(message));
        nitro_fail(store->context, status, "%s; %s", message,
                   nitro_redis_describe_remedy(store, key, remedy, sizeof(remedy)));
    }
    free(key);
    return status;
}

typedef struct put {
    redis_store *store;
    const char *key;
    const nitro_schema *schema;
    nitro_record_bytes record; /* to write */
} put;

/* Merge with the schema that is stored (or nil). `write`: does that change anything? */
static nitro_status merge(put *p, const redisReply *old, bool *write)
{
    nitro_context *context = p->store->context;
    nitro_schema *stored = NULL, *merged = NULL;
    nitro_status status = NITRO_OK;
    if (old->type == REDIS_REPLY_STRING) {
        status = decode(p->store, p->schema->computation, old, &stored);
        if (status == NITRO_OK)
            status = nitro_store_merge_schema(context, stored, p->schema, &merged);
    }
    *write = status == NITRO_OK && (!stored || merged);
    nitro_record_bytes_free(&p->record);
    p->record = (nitro_record_bytes){0};
    if (*write)
        status = nitro_record_encode_schema(context, NITRO_RECORD_COMPACT,
                                            merged ? merged : p->schema, &p->record);
    nitro_schema_free(merged);
    nitro_schema_free(stored);
    return status;
}

static nitro_status read_before_put(void *user, redis_transaction *t, bool *write)
{
    put *p = user;
    redisReply *old = NULL;
    nitro_status status = nitro_redis_transaction_get(t, p->key, &old);
    if (status == NITRO_OK)
        status = merge(p, old, write);
    nitro_redis_free_replies(&old, 1);
    return status;
}

static nitro_status write_put(void *user, redis_transaction *t)
{
    const put *p = user;
    redis_words set = {0};
    nitro_status status =
        nitro_redis_words_add_texts(p->store->context, &set, "SET", p->key, (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(p->store->context, &set, p->record.bytes, p->record.size);
    return nitro_redis_transaction_write(t, &set, status);
}

/* Mostly there is nothing to write. */
static nitro_status find(put *p, bool *is_new, bool *write)
{
    redisReply *old = NULL;
    nitro_status status = nitro_redis_get(p->store, p->key, NULL, &old);
    *is_new = status == NITRO_OK && old->type == REDIS_REPLY_NIL;
    if (status == NITRO_OK)
        status = merge(p, old, write);
    nitro_redis_free_replies(&old, 1);
    return status;
}

nitro_status nitro_redis_put_schema(void *state, const nitro_schema *schema)
{
    redis_store *store = state;
    char *key = nitro_redis_key(store, schema->computation, "schema", NULL);
    put p = {.store = store, .key = key, .schema = schema};
    bool is_new = false, write = false;
    nitro_status status = key ? find(&p, &is_new, &write) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && is_new)
        status = nitro_redis_require_layout(store);
    if (status == NITRO_OK && is_new) /* the index first: every record needs its name there */
        status = nitro_redis_index_add(store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                       schema->computation);
    if (status == NITRO_OK && write)
        status = nitro_redis_transact(store, (const char *[]){key, NULL}, read_before_put,
                                      write_put, &p, NULL);
    nitro_record_bytes_free(&p.record);
    free(key);
    return status;
}

uint64_t nitro_redis_schema_hash(const nitro_schema *schema)
{
    uint64_t hash = schema->num_features;
    for (size_t i = 0; i < schema->num_features; i++)
        hash = nitro_hash(schema->features[i].name, strlen(schema->features[i].name) + 1, hash);
    for (size_t i = 0; i < schema->num_variants; i++)
        hash = nitro_hash(schema->variants[i], strlen(schema->variants[i]) + 1, hash);
    return hash;
}

/* Writing samples needs the hash of the schema, which was mostly just read. */
static nitro_status remember_schema(redis_store *store, const nitro_schema *schema)
{
    nitro_status status =
        nitro_text_replace(store->context, &store->known_computation, schema->computation);
    if (status == NITRO_OK)
        store->known_schema = nitro_redis_schema_hash(schema);
    return status;
}

nitro_status nitro_redis_get_schema(void *state, const char *computation, nitro_schema **schema)
{
    redis_store *store = state;
    redisReply *record = NULL;
    nitro_schema *read = NULL;
    char *key = nitro_redis_key(store, computation, "schema", NULL);
    nitro_status status = key ? nitro_redis_get(store, key, NULL, &record) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = record->type == REDIS_REPLY_NIL ? NITRO_ERR_NOT_FOUND
                                                 : decode(store, computation, record, &read);
    if (status == NITRO_OK)
        status = remember_schema(store, read);
    nitro_redis_free_replies(&record, 1);
    free(key);
    if (status == NITRO_OK)
        *schema = read;
    else
        nitro_schema_free(read);
    return status;
}

nitro_status nitro_redis_list_computations(void *state, nitro_string_list *computations)
{
    redis_store *store = state;
    nitro_string_list known = {0};
    nitro_status status = nitro_redis_index_read(store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                                 nitro_name_is_valid, &known);
    for (size_t i = 0; i < known.count && status == NITRO_OK; i++) {
        bool exists = false;
        status = nitro_redis_exists(store, known.items[i], "schema", NULL, &exists);
        if (status == NITRO_OK && exists)
            status = nitro_string_list_add(store->context, computations, known.items[i]);
    }
    nitro_string_list_free(&known);
    return status;
}
