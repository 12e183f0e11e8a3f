/* Schemas in Redis: one record each, changed by compare-and-set. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_internal.h"

#define MAX_CHANGES 20 /* by other processes, between read and write */

/* ARGV: the expected value ("": none) and the new one. Returns 1 if written. */
static const char change_script[] = "local old = redis.call('GET', KEYS[1]) or ''\n"
                                    "if old ~= ARGV[1] then return 0 end\n"
                                    "redis.call('SET', KEYS[1], ARGV[2])\n"
                                    "return 1\n";

static nitro_status decode(redis_store *store, const char *computation, const redisReply *record,
                           nitro_schema **schema)
{
    return nitro_record_decode_schema(store->context, store->url->shown, computation, record->str,
                                      record->len, schema);
}

static nitro_status change(redis_store *store, const char *key, const redisReply *old,
                           const nitro_schema *schema, bool *changed)
{
    nitro_record_bytes record = {0};
    redis_words words = {0};
    size_t answer = 0;
    bool is_new = old->type == REDIS_REPLY_NIL;
    nitro_status status = NITRO_OK;
    if (is_new) /* the index first: every record needs its name there */
        status = nitro_redis_index_add(store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                       schema->computation);
    if (status == NITRO_OK)
        status = nitro_record_encode_schema(store->context, NITRO_RECORD_COMPACT, schema, &record);
    if (status == NITRO_OK)
        status = nitro_redis_words_add_texts(store->context, &words, "EVAL", change_script, "1",
                                             key, (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(store->context, &words, is_new ? "" : old->str,
                                       is_new ? 0 : old->len);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(store->context, &words, record.bytes, record.size);
    status = nitro_redis_run_number(store, key, &words, status, &answer);
    *changed = answer == 1;
    nitro_record_bytes_free(&record);
    return status;
}

/* Read, merge, and write unless another process changed it in between. */
static nitro_status put_once(redis_store *store, const char *key, const nitro_schema *schema,
                             bool *done)
{
    redisReply *old = NULL;
    nitro_schema *stored = NULL, *merged = NULL;
    nitro_status status = nitro_redis_get(store, key, NULL, &old);
    if (status != NITRO_OK)
        return status;
    if (old->type == REDIS_REPLY_STRING) {
        status = decode(store, schema->computation, old, &stored);
        if (status == NITRO_OK)
            status = nitro_store_merge_schema(store->context, stored, schema, &merged);
        *done = status == NITRO_OK && !merged;
    }
    if (status == NITRO_OK && !*done)
        status = change(store, key, old, merged ? merged : schema, done);
    nitro_schema_free(merged);
    nitro_schema_free(stored);
    nitro_redis_free_replies(&old, 1);
    return status;
}

nitro_status nitro_redis_put_schema(void *state, const nitro_schema *schema)
{
    redis_store *store = state;
    char *key = nitro_redis_key(store, schema->computation, "schema", NULL);
    bool done = false;
    nitro_status status = key ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (int tries = 0; status == NITRO_OK && !done && tries < MAX_CHANGES; tries++)
        status = put_once(store, key, schema, &done);
    free(key);
    if (status == NITRO_OK && !done)
        status = nitro_fail(store->context, NITRO_ERR_IO,
                            "%s: other processes keep changing the schema of %s; try again",
                            store->url->shown, schema->computation);
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
    if (!store->known_computation || strcmp(store->known_computation, schema->computation) != 0) {
        char *copy = nitro_strdup(store->context, schema->computation);
        if (!copy)
            return NITRO_ERR_NO_MEMORY;
        free(store->known_computation);
        store->known_computation = copy;
    }
    store->known_schema = nitro_redis_schema_hash(schema);
    return NITRO_OK;
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
                                                 nitro_name_is_valid, &known, NULL);
    for (size_t i = 0; i < known.count && status == NITRO_OK; i++) {
        char *key = nitro_redis_key(store, known.items[i], "schema", NULL);
        bool exists = false;
        status = key ? nitro_redis_exists(store, key, &exists) : NITRO_ERR_NO_MEMORY;
        if (status == NITRO_OK && exists)
            status = nitro_string_list_add(store->context, computations, known.items[i]);
        free(key);
    }
    nitro_string_list_free(&known);
    return status;
}
