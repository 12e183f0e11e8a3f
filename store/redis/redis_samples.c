/* Samples in Redis: a table for each computation and device. One transaction writes a batch, so
 * that a reader sees all of it or nothing. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_internal.h"

#define MOST_REPEATS 100 /* of a recording whose device others keep removing */
#define RECENT_PARTS 16  /* looked through before a shared part is written once more */

/* Encoded samples and their shared parts: rows point into `bytes` and `shared_bytes`. */
typedef struct batch {
    nitro_record_bytes bytes, shared_bytes;
    redis_row *rows, *shared; /* shape [count], [num_shared] */
    size_t count, capacity, num_shared, shared_capacity;
} batch;

static void free_batch(batch *b)
{
    nitro_record_bytes_free(&b->bytes);
    nitro_record_bytes_free(&b->shared_bytes);
    free(b->rows);
    free(b->shared);
}

/* The shared part that begins at `begin` stays, unless one of the last ones is the same. In
 * `shared_bytes` an id and its part come after each other. */
static nitro_status keep_shared(redis_store *store, size_t begin, batch *b)
{
    const char *id = b->shared_bytes.bytes + begin;
    for (size_t i = b->num_shared; i > 0 && i + RECENT_PARTS > b->num_shared; i--) {
        const redis_row *other = &b->shared[i - 1];
        size_t end = begin;
        for (size_t k = i; k < b->num_shared; k++)
            end -= NITRO_REDIS_ID_BYTES + b->shared[k].record_size;
        if (memcmp(b->shared_bytes.bytes + end - NITRO_REDIS_ID_BYTES - other->record_size, id,
                   NITRO_REDIS_ID_BYTES) == 0) {
            b->shared_bytes.size = begin;
            return NITRO_OK;
        }
    }
    redis_row *grown = nitro_grow(store->context, b->shared, b->num_shared, &b->shared_capacity,
                                  sizeof(*grown), "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    b->shared = grown;
    b->shared[b->num_shared++] =
        (redis_row){.name_size = NITRO_REDIS_ID_BYTES,
                    .record_size = b->shared_bytes.size - begin - NITRO_REDIS_ID_BYTES};
    return NITRO_OK;
}

/* In `bytes` a name, ended by a '\0', and its record come after each other. */
static nitro_status encode_one(redis_store *store, const char *computation, uint64_t schema_hash,
                               const char *device, const nitro_sample *sample, batch *b)
{
    static const char room[NITRO_REDIS_ID_BYTES];
    nitro_context *context = store->context;
    size_t name_size = strlen(sample->input), begin_shared = b->shared_bytes.size;
    redis_row *grown =
        nitro_grow(context, b->rows, b->count, &b->capacity, sizeof(*grown), "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    b->rows = grown;
    nitro_status status =
        nitro_record_bytes_append(context, &b->bytes, sample->input, name_size + 1);
    size_t begin = b->bytes.size;
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(context, &b->bytes, room, NITRO_REDIS_ID_BYTES);
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(context, &b->shared_bytes, room, NITRO_REDIS_ID_BYTES);
    if (status == NITRO_OK)
        status = nitro_record_encode_sample_parts(context, computation, device, sample, &b->bytes,
                                                  &b->shared_bytes);
    if (status != NITRO_OK)
        return status;
    char *part = b->shared_bytes.bytes + begin_shared;
    nitro_redis_put_id(store, part + NITRO_REDIS_ID_BYTES,
                       b->shared_bytes.size - begin_shared - NITRO_REDIS_ID_BYTES, schema_hash,
                       part);
    memcpy(b->bytes.bytes + begin, part, NITRO_REDIS_ID_BYTES);
    b->rows[b->count++] = (redis_row){.name_size = name_size, .record_size = b->bytes.size - begin};
    return keep_shared(store, begin_shared, b);
}

/* The bytes are complete and no longer move. */
static void point_rows(batch *b)
{
    const char *at = b->bytes.bytes;
    for (size_t i = 0; i < b->count; i++) {
        b->rows[i].name = at;
        b->rows[i].record = at + b->rows[i].name_size + 1;
        at = b->rows[i].record + b->rows[i].record_size;
    }
    at = b->shared_bytes.bytes;
    for (size_t i = 0; i < b->num_shared; i++) {
        b->shared[i].name = at;
        b->shared[i].record = at + NITRO_REDIS_ID_BYTES;
        at = b->shared[i].record + b->shared[i].record_size;
    }
}

static nitro_status encode(redis_store *store, const char *computation, uint64_t schema_hash,
                           const char *device, const nitro_sample_source *source, batch *b)
{
    const nitro_sample *sample = NULL;
    nitro_status status = source->next(source->user, &sample);
    while (status == NITRO_OK && sample) {
        status = encode_one(store, computation, schema_hash, device, sample, b);
        if (status == NITRO_OK)
            status = source->next(source->user, &sample);
    }
    point_rows(b);
    return status;
}

static nitro_status encode_array(redis_store *store, const char *computation, uint64_t schema_hash,
                                 const char *device, const nitro_sample *const *samples,
                                 size_t count, batch *b)
{
    nitro_sample_array array = {samples, count, 0};
    const nitro_sample_source source = {nitro_sample_array_next, &array};
    return encode(store, computation, schema_hash, device, &source, b);
}

static nitro_status samples_of(redis_store *store, const char *computation, const char *device,
                               redis_table *table)
{
    return nitro_redis_table_of(store, computation, false, device, table);
}

static nitro_status put_batch(redis_store *store, const char *computation, const char *device,
                              const batch *b, bool replace)
{
    redis_table table = {0};
    nitro_string_list there = {0};
    size_t num_there = 0;
    /* Repeated with every batch: another process may have emptied the store. */
    nitro_status status = nitro_redis_index_add(store, computation, "devices", device);
    if (status == NITRO_OK)
        status = samples_of(store, computation, device, &table);
    if (status == NITRO_OK)
        status =
            nitro_redis_table_put(&table, b->rows, b->count, b->shared, b->num_shared,
                                  replace ? REDIS_PUT_REPLACE : REDIS_PUT_ADD, &there, &num_there);
    if (status == NITRO_OK && num_there > 0)
        status = nitro_store_fail_exists(store->context, store->url->shown, computation, device,
                                         &there, num_there, b->count);
    nitro_string_list_free(&there);
    nitro_redis_table_free(&table);
    return status == NITRO_OK ? nitro_redis_keep_device(store, computation, device) : status;
}

/* The hash of the schema, which was mostly just read. */
static nitro_status find_schema(redis_store *store, const char *computation, uint64_t *schema_hash)
{
    bool known = store->known_computation && strcmp(store->known_computation, computation) == 0;
    nitro_schema *schema = NULL;
    nitro_status status = known ? NITRO_OK : nitro_redis_get_schema(store, computation, &schema);
    nitro_schema_free(schema);
    if (status == NITRO_ERR_NOT_FOUND)
        return nitro_fail(store->context, status, "%s: no computation '%s'; put its schema first",
                          store->url->shown, computation);
    if (status == NITRO_OK)
        *schema_hash = store->known_schema;
    return status;
}

nitro_status nitro_redis_put_samples(void *state, const char *computation, const char *device,
                                     const nitro_sample *const *samples, size_t count, bool replace)
{
    redis_store *store = state;
    uint64_t schema_hash = 0;
    batch b = {0};
    nitro_status status = find_schema(store, computation, &schema_hash);
    if (status == NITRO_OK)
        status = nitro_redis_require_device(store, device);
    if (status == NITRO_OK)
        status = encode_array(store, computation, schema_hash, device, samples, count, &b);
    if (status == NITRO_OK)
        status = put_batch(store, computation, device, &b, replace);
    free_batch(&b);
    return status;
}

static nitro_status check_inputs(redis_store *store, const char *computation, const char *device,
                                 const batch *b)
{
    redis_table table = {0};
    nitro_string_list there = {0};
    size_t num_there = 0;
    bool *found = nitro_calloc(store->context, b->count, sizeof(*found));
    nitro_status status =
        found ? samples_of(store, computation, device, &table) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_redis_table_find(&table, b->rows, b->count, found);
    for (size_t i = 0; i < b->count && status == NITRO_OK; i++)
        if (found[i] && ++num_there <= 8)
            status = nitro_string_list_add(store->context, &there, b->rows[i].name);
    if (status == NITRO_OK && num_there > 0)
        status = nitro_store_fail_exists(store->context, store->url->shown, computation, device,
                                         &there, num_there, b->count);
    nitro_string_list_free(&there);
    nitro_redis_table_free(&table);
    free(found);
    return status;
}

/* Refuse before anything is written what would be refused later. */
static nitro_status check_recording(redis_store *store, const nitro_schema *schema,
                                    const char *device_id, bool device_comes, const batch *b,
                                    bool replace)
{
    nitro_schema *stored = NULL, *merged = NULL;
    nitro_status status = device_comes ? NITRO_OK : nitro_redis_require_device(store, device_id);
    if (status != NITRO_OK)
        return status;
    status = nitro_redis_get_schema(store, schema->computation, &stored);
    if (status == NITRO_OK)
        status = nitro_store_merge_schema(store->context, stored, schema, &merged);
    else if (status == NITRO_ERR_NOT_FOUND)
        status = NITRO_OK; /* the schema is new */
    nitro_schema_free(merged);
    nitro_schema_free(stored);
    if (status == NITRO_OK && !replace)
        status = check_inputs(store, schema->computation, device_id, b);
    return status;
}

/* NITRO_ERR_NOT_FOUND: the device was removed meanwhile, since it had no samples, and perhaps the
 * samples with it. */
static nitro_status write_recording(redis_store *store, const nitro_schema *schema,
                                    const nitro_device *device, const char *device_id,
                                    const batch *b, bool replace)
{
    nitro_status status = device ? nitro_redis_put_device(store, device) : NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_redis_put_schema(store, schema);
    if (status == NITRO_OK && b->count > 0)
        status = put_batch(store, schema->computation, device_id, b, replace);
    return status;
}

/* Device and computation are on different slots, which no transaction spans. So the device is
 * written first, then the schema, then the samples: no reader sees samples without them, and
 * repeating the call after a crash completes it. */
nitro_status nitro_redis_put_recording(void *state, const nitro_schema *schema,
                                       const nitro_device *device, const char *device_id,
                                       const nitro_sample_source *source, bool replace)
{
    redis_store *store = state;
    batch b = {0};
    nitro_status status =
        encode(store, schema->computation, nitro_redis_schema_hash(schema), device_id, source, &b);
    if (status == NITRO_OK)
        status = check_recording(store, schema, device_id, device != NULL, &b, replace);
    if (status == NITRO_OK)
        status = write_recording(store, schema, device, device_id, &b, replace);
    for (int i = 0; status == NITRO_ERR_NOT_FOUND && device && i < MOST_REPEATS; i++)
        status = write_recording(store, schema, device, device_id, &b, true);
    free_batch(&b);
    return status;
}

/* Compares the beginning of each record, which holds the shared part's id and the checksum. */
nitro_status nitro_redis_remove_samples(void *state, const char *computation, const char *device,
                                        const nitro_sample *const *samples, size_t count,
                                        size_t *removed)
{
    redis_store *store = state;
    redis_table table = {0};
    uint64_t schema_hash = 0;
    batch b = {0};
    nitro_status status = find_schema(store, computation, &schema_hash);
    if (status == NITRO_OK)
        status = encode_array(store, computation, schema_hash, device, samples, count, &b);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        b.rows[i].record_size = NITRO_REDIS_ID_BYTES + NITRO_SAMPLE_CHECKSUM_BYTES;
    if (status == NITRO_OK)
        status = samples_of(store, computation, device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_table_remove(&table, b.rows, count, removed);
    nitro_redis_table_free(&table);
    free_batch(&b);
    return status;
}

nitro_status nitro_redis_each_sample(void *state, const char *computation, const char *device,
                                     nitro_sample_function function, void *user,
                                     nitro_problem_function damaged, void *damaged_user)
{
    redis_store *store = state;
    nitro_schema *schema = NULL;
    redis_table table = {0};
    nitro_status status = nitro_redis_get_schema(store, computation, &schema);
    if (status != NITRO_OK)
        return status;
    const redis_reader reader = {.schema = schema,
                                 .device = device,
                                 .sample = function,
                                 .user = user,
                                 .damaged = damaged,
                                 .damaged_user = damaged_user};
    status = samples_of(store, computation, device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_read(&reader, &table);
    nitro_redis_table_free(&table);
    nitro_schema_free(schema);
    return status;
}

/* A copy of the part whose id begins the record; it stays NULL where there is none. */
static nitro_status get_shared(redis_store *store, const redis_table *table,
                               const redisReply *record, redisReply **shared)
{
    size_t id_bytes = nitro_redis_id_bytes(store);
    if (record->len < id_bytes)
        return NITRO_OK;
    const redis_words words = {.items = (const char *[]){"HGET", table->shared, record->str},
                               .sizes = (size_t[]){4, strlen(table->shared), id_bytes},
                               .count = 3};
    nitro_status status = nitro_redis_run(store, table->shared, &words, 1, shared);
    if (status == NITRO_OK && (*shared)->type != REDIS_REPLY_STRING &&
        (*shared)->type != REDIS_REPLY_NIL)
        status = nitro_redis_fail_reply(store, "HGET", table->shared);
    return status;
}

static nitro_status get_sample(redis_store *store, const nitro_schema *schema, const char *device,
                               const char *input, nitro_sample **sample)
{
    redis_table table = {0};
    redisReply *record = NULL, *shared = NULL;
    nitro_status status = samples_of(store, schema->computation, device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_get(store, table.records, input, &record);
    if (status == NITRO_OK && record->type == REDIS_REPLY_NIL)
        status = NITRO_ERR_NOT_FOUND;
    if (status == NITRO_OK)
        status = get_shared(store, &table, record, &shared);
    if (status == NITRO_OK) {
        redis_row row = {.name = input,
                         .record = record->str,
                         .name_size = strlen(input),
                         .record_size = record->len};
        if (shared && shared->type == REDIS_REPLY_STRING) {
            row.shared = shared->str;
            row.shared_size = shared->len;
        }
        status = nitro_redis_decode_sample(store, store->url->shown, schema,
                                           nitro_redis_schema_hash(schema), device, &row, sample);
    }
    nitro_redis_free_replies(&record, 1);
    nitro_redis_free_replies(&shared, 1);
    nitro_redis_table_free(&table);
    return status;
}

nitro_status nitro_redis_get_sample(void *state, const char *computation, const char *device,
                                    const char *input, nitro_sample **sample)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_redis_get_schema(state, computation, &schema);
    if (status == NITRO_OK)
        status = get_sample(state, schema, device, input, sample);
    nitro_schema_free(schema);
    return status;
}

typedef struct name_loop {
    redis_store *store;
    nitro_string_list *names;
} name_loop;

/* No valid name has a '\0' inside. */
static bool is_input(const redis_row *row)
{
    return strlen(row->name) == row->name_size && nitro_input_name_is_valid(row->name);
}

static nitro_status add_name(void *user, const redis_row *row)
{
    const name_loop *loop = user;
    if (!is_input(row)) /* `nitro store verify` reports it */
        return NITRO_OK;
    return nitro_string_list_add(loop->store->context, loop->names, row->name);
}

nitro_status nitro_redis_list_inputs(void *state, const char *computation, const char *device,
                                     nitro_string_list *inputs)
{
    redis_store *store = state;
    redis_table table = {0};
    name_loop loop = {store, inputs};
    size_t count_before = inputs->count;
    nitro_status status = samples_of(store, computation, device, &table);
    if (status == NITRO_OK)
        status =
            nitro_redis_pass_over(store, nitro_redis_table_each(&table, false, add_name, &loop));
    nitro_redis_table_free(&table);
    while (status != NITRO_OK && inputs->count > count_before)
        free(inputs->items[--inputs->count]);
    return status;
}

nitro_status nitro_redis_count_samples(void *state, const char *computation, const char *device,
                                       size_t *count)
{
    redis_table table = {0};
    size_t num_rows = 0;
    nitro_status status = samples_of(state, computation, device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_pass_over(state, nitro_redis_table_count(&table, &num_rows));
    if (status == NITRO_OK)
        *count = num_rows;
    nitro_redis_table_free(&table);
    return status;
}
