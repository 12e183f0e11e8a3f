/* Profiles in Redis: a table for each computation (or "@proxies") and device. A batch may have
 * profiles of several tables, which are written one after the other. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_internal.h"

static const char *tag_of(const char *computation)
{
    return computation ? computation : NITRO_REDIS_TAG_PROXIES;
}

static nitro_status profiles_of(redis_store *store, const char *computation, const char *device,
                                redis_table *table)
{
    return nitro_redis_table_of(store, tag_of(computation), true, device, table);
}

/* A batch in the order given. */
typedef struct batch {
    redis_store *store;
    const char *device;
    const nitro_profile *const *profiles;
    size_t count;
    bool replace;    /* runs that are there */
    redis_row *rows; /* name and record owned */
    bool *done;      /* handled by each_part */
    bool *found;
} batch;

static void free_batch(batch *b)
{
    for (size_t i = 0; b->rows && i < b->count; i++) {
        free((char *)(uintptr_t)b->rows[i].name);
        free((void *)(uintptr_t)b->rows[i].record);
    }
    free(b->rows);
    free(b->done);
    free(b->found);
}

static nitro_status encode(batch *b)
{
    nitro_context *context = b->store->context;
    b->rows = nitro_calloc(context, b->count, sizeof(*b->rows));
    b->done = nitro_calloc(context, b->count, sizeof(*b->done));
    b->found = nitro_calloc(context, b->count, sizeof(*b->found));
    nitro_status status = b->rows && b->done && b->found ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < b->count && status == NITRO_OK; i++) {
        nitro_record_bytes record = {0};
        status = nitro_record_encode_profile(context, NITRO_RECORD_COMPACT, b->device,
                                             b->profiles[i], &record);
        b->rows[i].record = record.bytes;
        b->rows[i].record_size = record.size;
        if (status != NITRO_OK)
            break;
        b->rows[i].name = nitro_store_profile_key(context, b->profiles[i]);
        if (b->rows[i].name)
            b->rows[i].name_size = strlen(b->rows[i].name);
        else
            status = NITRO_ERR_NO_MEMORY;
    }
    return status;
}

typedef nitro_status (*part_function)(batch *b, const char *computation, const redis_row *rows,
                                      const size_t *places, size_t count);

/* Call `function` for the profiles of each computation, and of proxies, in turn. */
static nitro_status each_part(batch *b, part_function function)
{
    redis_row *rows = nitro_calloc(b->store->context, b->count, sizeof(*rows));
    size_t *places = nitro_calloc(b->store->context, b->count, sizeof(*places));
    nitro_status status = rows && places ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    memset(b->done, 0, b->count * sizeof(*b->done));
    for (size_t first = 0; first < b->count && status == NITRO_OK; first++) {
        const char *computation = b->profiles[first]->computation;
        size_t count = 0;
        for (size_t i = first; i < b->count; i++) {
            if (b->done[i] || strcmp(tag_of(b->profiles[i]->computation), tag_of(computation)) != 0)
                continue;
            b->done[i] = true;
            rows[count] = b->rows[i];
            places[count++] = i;
        }
        if (count > 0)
            status = function(b, computation, rows, places, count);
    }
    free(places);
    free(rows);
    return status;
}

static nitro_status find_part(batch *b, const char *computation, const redis_row *rows,
                              const size_t *places, size_t count)
{
    redis_table table = {0};
    bool *found = nitro_calloc(b->store->context, count, sizeof(*found));
    nitro_status status =
        found ? profiles_of(b->store, computation, b->device, &table) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_redis_table_find(&table, rows, count, found);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        b->found[places[i]] = found[i];
    nitro_redis_table_free(&table);
    free(found);
    return status;
}

static nitro_status require_none_found(const batch *b)
{
    nitro_string_list there = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < b->count && status == NITRO_OK; i++)
        if (b->found[i])
            status = nitro_store_describe_profile(b->store->context, b->profiles[i], &there);
    if (status == NITRO_OK && there.count > 0)
        status = nitro_store_fail_profiles_exist(b->store->context, b->store->url->shown, b->device,
                                                 &there, b->count);
    nitro_string_list_free(&there);
    return status;
}

static nitro_status put_part(batch *b, const char *computation, const redis_row *rows,
                             const size_t *places, size_t count)
{
    redis_table table = {0};
    nitro_string_list there = {0};
    size_t num_there = 0;
    nitro_status status =
        nitro_redis_index_add(b->store, tag_of(computation), "devices", b->device);
    if (status == NITRO_OK)
        status = profiles_of(b->store, computation, b->device, &table);
    if (status == NITRO_OK)
        status =
            nitro_redis_table_put(&table, rows, count, NULL, 0,
                                  b->replace ? REDIS_PUT_RUNS : REDIS_PUT_ADD, &there, &num_there);
    if (status == NITRO_OK && num_there > 0) { /* another process was faster */
        status = find_part(b, computation, rows, places, count);
        if (status == NITRO_OK)
            status = require_none_found(b);
    }
    nitro_string_list_free(&there);
    nitro_redis_table_free(&table);
    return status == NITRO_OK ? nitro_redis_keep_device(b->store, tag_of(computation), b->device)
                              : status;
}

nitro_status nitro_redis_put_profiles(void *state, const char *device,
                                      const nitro_profile *const *profiles, size_t count,
                                      bool replace)
{
    batch b = {
        .store = state, .device = device, .profiles = profiles, .count = count, .replace = replace};
    nitro_status status = nitro_redis_require_device(state, device);
    if (status == NITRO_OK)
        status = encode(&b);
    if (status == NITRO_OK && !replace)
        status = each_part(&b, find_part);
    if (status == NITRO_OK && !replace)
        status = require_none_found(&b);
    if (status == NITRO_OK)
        status = each_part(&b, put_part);
    free_batch(&b);
    return status;
}

static nitro_status read_device(redis_store *store, const redis_reader *reader,
                                const char *computation)
{
    redis_table table = {0};
    nitro_status status = profiles_of(store, computation, reader->device, &table);
    if (status == NITRO_OK)
        status = nitro_redis_read(reader, &table);
    nitro_redis_table_free(&table);
    return status;
}

/* The device, or all in the index. */
static nitro_status list_devices(redis_store *store, const char *device, const char *computation,
                                 nitro_string_list *ids)
{
    return device ? nitro_string_list_add(store->context, ids, device)
                  : nitro_redis_list_announced(store, tag_of(computation), ids);
}

nitro_status nitro_redis_each_profile(void *state, const char *device, const char *computation,
                                      nitro_profile_function function, void *user,
                                      nitro_problem_function damaged, void *damaged_user)
{
    redis_store *store = state;
    nitro_schema *schema = NULL;
    nitro_string_list ids = {0};
    nitro_status status = NITRO_OK;
    if (computation)
        status = nitro_redis_get_schema(store, computation, &schema);
    if (status != NITRO_OK)
        return status;
    redis_reader reader = {.schema = schema,
                           .profile = function,
                           .user = user,
                           .damaged = damaged,
                           .damaged_user = damaged_user};
    status = list_devices(store, device, computation, &ids);
    for (size_t i = 0; i < ids.count && status == NITRO_OK; i++) {
        reader.device = ids.items[i];
        status = read_device(store, &reader, computation);
    }
    nitro_string_list_free(&ids);
    nitro_schema_free(schema);
    return status;
}

nitro_status nitro_redis_count_profiles(void *state, const char *device, const char *computation,
                                        size_t *count)
{
    nitro_string_list ids = {0};
    size_t total = 0;
    nitro_status status = list_devices(state, device, computation, &ids);
    if (status == NITRO_OK)
        status = nitro_redis_index_count(state, tag_of(computation), "profiles", &ids, &total);
    bool is_damaged = status == NITRO_ERR_FORMAT; /* one of them; the others count */
    if (is_damaged)
        status = NITRO_OK;
    for (size_t i = 0; is_damaged && i < ids.count && status == NITRO_OK; i++) {
        redis_table table = {0};
        size_t num_rows = 0;
        status = profiles_of(state, computation, ids.items[i], &table);
        if (status == NITRO_OK)
            status = nitro_redis_pass_over(state, nitro_redis_table_count(&table, &num_rows));
        total += num_rows;
        nitro_redis_table_free(&table);
    }
    nitro_string_list_free(&ids);
    if (status == NITRO_OK)
        *count = total;
    return status;
}

nitro_status nitro_redis_remove_profiles(void *state, const char *device, const char *computation,
                                         size_t *removed)
{
    nitro_string_list ids = {0};
    nitro_status status = list_devices(state, device, computation, &ids);
    if (status == NITRO_OK)
        status = nitro_redis_unlink(state, tag_of(computation), &ids,
                                    (const char *const[]){"profiles", NULL}, NULL, removed);
    nitro_string_list_free(&ids);
    return status;
}
