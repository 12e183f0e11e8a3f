/* Profiles in SQLite: one row per kernel, named by nitro_store_profile_key. */
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/sqlite_internal.h"

/* The names of a run's kernels share everything up to the last '\x1f'. */
static nitro_status delete_run(sqlite_store *store, const sqlite_place *place, const char *key)
{
    size_t size = (size_t)(strrchr(key, '\x1f') - key) + 1;
    char *begin = nitro_asprintf(store->context, "%.*s", (int)size, key);
    char *end = nitro_asprintf(store->context, "%.*s ", (int)size - 1, key); /* ' ' follows \x1f */
    sqlite3_stmt *statement;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (begin && end)
        status = nitro_sqlite_take_at(store, nitro_sqlite_profiles.remove_range, place, &statement);
    if (status == NITRO_OK) {
        nitro_sqlite_bind_text(statement, 3, begin);
        nitro_sqlite_bind_text(statement, 4, end);
        status = nitro_sqlite_finish(store, statement);
    }
    free(end);
    free(begin);
    return status;
}

/* Delete the profile's run, or look the profile up. */
static nitro_status make_room_for(sqlite_store *store, const char *device,
                                  const nitro_profile *profile, bool replace,
                                  nitro_string_list *there)
{
    sqlite_place place;
    bool found = false;
    char *key = nitro_store_profile_key(store->context, profile);
    nitro_status status =
        key ? nitro_sqlite_require_place(store, profile->computation, device, &place)
            : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && replace)
        status = delete_run(store, &place, key);
    else if (status == NITRO_OK)
        status = nitro_sqlite_is_there(store, &nitro_sqlite_profiles, &place, key, &found);
    if (status == NITRO_OK && found)
        status = nitro_store_describe_profile(store->context, profile, there);
    free(key);
    return status;
}

static nitro_status make_room(sqlite_store *store, const char *device,
                              const nitro_profile *const *profiles, size_t count, bool replace)
{
    nitro_string_list there = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = make_room_for(store, device, profiles[i], replace, &there);
    if (status == NITRO_OK && there.count > 0)
        status =
            nitro_store_fail_profiles_exist(store->context, store->path, device, &there, count);
    nitro_string_list_free(&there);
    return status;
}

static nitro_status insert_profile(sqlite_store *store, const char *device,
                                   const nitro_profile *profile, nitro_record_bytes *record)
{
    sqlite_place place;
    char *key = nitro_store_profile_key(store->context, profile);
    nitro_status status =
        key ? nitro_sqlite_require_place(store, profile->computation, device, &place)
            : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_record_encode_profile(store->context, NITRO_RECORD_COMPACT, device, profile,
                                             record);
    status =
        nitro_sqlite_run_with(store, nitro_sqlite_profiles.insert, &place, key, status, record);
    free(key);
    return status;
}

nitro_status nitro_sqlite_put_profiles(void *state, const char *device,
                                       const nitro_profile *const *profiles, size_t count,
                                       bool replace)
{
    sqlite_store *store = state;
    nitro_record_bytes record = {0};
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = make_room(store, device, profiles, count, replace);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = insert_profile(store, device, profiles[i], &record);
    nitro_record_bytes_free(&record);
    return nitro_sqlite_end_write(store, status);
}

nitro_status nitro_sqlite_remove_profiles(void *state, const char *device, const char *computation,
                                          size_t *removed)
{
    sqlite_store *store = state;
    size_t count = 0;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_delete(store, &nitro_sqlite_profiles, computation, device, &count);
    status = nitro_sqlite_end_write(store, status);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}

/* The device, or all devices. */
static nitro_status list_devices(sqlite_store *store, const char *device, nitro_string_list *ids)
{
    return device ? nitro_string_list_add(store->context, ids, device)
                  : nitro_sqlite_list_devices(store, NULL, ids);
}

nitro_status nitro_sqlite_each_profile(void *state, const char *device, const char *computation,
                                       nitro_profile_function function, void *user,
                                       nitro_problem_function damaged, void *damaged_user)
{
    sqlite_store *store = state;
    nitro_schema *schema = NULL;
    nitro_string_list ids = {0};
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    if (computation)
        status = nitro_sqlite_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = list_devices(store, device, &ids);
    for (size_t i = 0; i < ids.count && status == NITRO_OK; i++) {
        const sqlite_reader reader = {.store = store,
                                      .schema = schema,
                                      .device = ids.items[i],
                                      .profile = function,
                                      .user = user,
                                      .damaged = damaged,
                                      .damaged_user = damaged_user};
        status = nitro_sqlite_read(&reader, &nitro_sqlite_profiles);
    }
    nitro_string_list_free(&ids);
    nitro_schema_free(schema);
    return nitro_sqlite_end_read(store, status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status);
}

nitro_status nitro_sqlite_count_profiles(void *state, const char *device, const char *computation,
                                         size_t *count)
{
    return nitro_sqlite_count(state, &nitro_sqlite_profiles, computation, device, count);
}
