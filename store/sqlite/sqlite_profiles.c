/* Writing profiles to SQLite: a row a kernel, and a row a metric. */
#include <stdlib.h>

#include "nitro/nitro_backend.h"
#include "store/sqlite/sqlite_internal.h"

/* Bind a computation's row id, or NULL for proxies. */
static void bind_computation(sqlite3_stmt *statement, int index, const sqlite3_int64 *computation)
{
    if (computation)
        sqlite3_bind_int64(statement, index, *computation);
}

/* Where a profile belongs: ids of its device and, unless it is a proxy's, computation. */
typedef struct profile_place {
    const char *device;
    sqlite3_int64 device_id, computation_id;
    const sqlite3_int64 *computation; /* NULL: a proxy */
} profile_place;

static nitro_status find_place(sqlite_store *store, const nitro_profile *profile,
                               profile_place *place)
{
    place->computation = profile->computation ? &place->computation_id : NULL;
    if (!profile->computation)
        return NITRO_OK;
    nitro_status status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION,
                                            profile->computation, &place->computation_id);
    if (status == NITRO_ERR_NOT_FOUND)
        return nitro_fail(store->context, status, "%s: no computation '%s'; put its names first",
                          store->path, profile->computation);
    return status;
}

/* A statement whose first values are device, computation, name, input and intensity: a run. */
static nitro_status take_run(sqlite_store *store, const char *sql, const profile_place *place,
                             const nitro_profile *profile, sqlite3_stmt **statement)
{
    nitro_status status = nitro_sqlite_take(store, sql, statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(*statement, 1, place->device_id);
    bind_computation(*statement, 2, place->computation);
    nitro_sqlite_bind_text(*statement, 3, profile->name);
    nitro_sqlite_bind_text(*statement, 4, profile->input);
    sqlite3_bind_double(*statement, 5, profile->intensity); /* NaN becomes NULL */
    return NITRO_OK;
}

#define OF_RUN                                                                                     \
    "FROM profiles WHERE device = ?1 AND computation IS ?2 AND name = ?3 AND input IS ?4 AND "     \
    "intensity IS ?5"

static nitro_status delete_run(sqlite_store *store, const profile_place *place,
                               const nitro_profile *profile)
{
    sqlite3_stmt *statement;
    nitro_status status = take_run(store, "DELETE " OF_RUN, place, profile, &statement);
    return status == NITRO_OK ? nitro_sqlite_finish(store, statement) : status;
}

static nitro_status find_profile(sqlite_store *store, const profile_place *place,
                                 const nitro_profile *profile, bool *found)
{
    sqlite3_stmt *statement;
    nitro_status status =
        take_run(store, "SELECT id " OF_RUN " AND kernel = ?6", place, profile, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 6, profile->kernel);
    status = nitro_sqlite_step(store, statement, found);
    nitro_sqlite_give_back(store, statement);
    return status;
}

static nitro_status insert_metric(sqlite_store *store, sqlite3_int64 profile,
                                  const nitro_metric *metric)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(
        store, "INSERT INTO profile_metrics VALUES (?1, ?2, ?3)", profile, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 2, metric->name);
    sqlite3_bind_double(statement, 3, metric->value);
    return nitro_sqlite_finish(store, statement);
}

static nitro_status insert_profile(sqlite_store *store, const profile_place *place,
                                   const nitro_profile *profile)
{
    sqlite3_stmt *statement;
    nitro_status status = take_run(store,
                                   "INSERT INTO profiles (device, computation, name, input, "
                                   "intensity, kernel, " NITRO_SQLITE_PROVENANCE
                                   ", checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                                   "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
                                   place, profile, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 6, profile->kernel);
    nitro_sqlite_bind_provenance(statement, 7, &profile->provenance);
    sqlite3_bind_int64(statement, 7 + NITRO_SQLITE_PROVENANCE_COUNT,
                       (sqlite3_int64)nitro_store_profile_checksum(place->device, profile));
    status = nitro_sqlite_finish(store, statement);
    sqlite3_int64 id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; i < profile->num_metrics && status == NITRO_OK; i++)
        status = insert_metric(store, id, &profile->metrics[i]);
    return status;
}

static nitro_status make_room(sqlite_store *store, profile_place *place,
                              const nitro_profile *const *profiles, size_t count, bool replace)
{
    nitro_string_list there = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        bool found = false;
        status = find_place(store, profiles[i], place);
        if (status == NITRO_OK && replace)
            status = delete_run(store, place, profiles[i]);
        else if (status == NITRO_OK)
            status = find_profile(store, place, profiles[i], &found);
        if (status == NITRO_OK && found)
            status = nitro_store_describe_profile(store->context, profiles[i], &there);
    }
    if (status == NITRO_OK && there.count > 0)
        status = nitro_store_fail_profiles_exist(store->context, store->path, place->device, &there,
                                                 count);
    nitro_string_list_free(&there);
    return status;
}

static nitro_status write_profiles(sqlite_store *store, const char *device,
                                   const nitro_profile *const *profiles, size_t count, bool replace)
{
    profile_place place = {.device = device};
    nitro_status status =
        nitro_sqlite_find(store, NITRO_SQLITE_FIND_DEVICE, device, &place.device_id);
    if (status == NITRO_ERR_NOT_FOUND)
        return nitro_fail(store->context, status, "%s: no device '%s'; put the device first",
                          store->path, device);
    if (status == NITRO_OK)
        status = make_room(store, &place, profiles, count, replace);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = find_place(store, profiles[i], &place);
        if (status == NITRO_OK)
            status = insert_profile(store, &place, profiles[i]);
    }
    return status;
}

nitro_status nitro_sqlite_put_profiles(void *state, const char *device,
                                       const nitro_profile *const *profiles, size_t count,
                                       bool replace)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = write_profiles(store, device, profiles, count, replace);
    return nitro_sqlite_end_write(store, status);
}

/* ---- Removing ------------------------------------------------------------------------------ */

nitro_status nitro_sqlite_delete_profiles(sqlite_store *store, const char *device,
                                          const sqlite3_int64 *computation, size_t *removed)
{
    sqlite3_stmt *statement;
    nitro_status status =
        nitro_sqlite_take(store,
                          "DELETE FROM profiles WHERE computation IS ?1 AND (?2 IS NULL OR "
                          "device = (SELECT id FROM devices WHERE name = ?2))",
                          &statement);
    if (status != NITRO_OK)
        return status;
    bind_computation(statement, 1, computation);
    nitro_sqlite_bind_text(statement, 2, device);
    status = nitro_sqlite_finish(store, statement);
    if (status == NITRO_OK)
        *removed = (size_t)sqlite3_changes(store->db);
    return status;
}

nitro_status nitro_sqlite_remove_profiles(void *state, const char *device, const char *computation,
                                          size_t *removed)
{
    sqlite_store *store = state;
    sqlite3_int64 id;
    size_t count = 0;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    if (computation)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation, &id);
    if (status == NITRO_OK)
        status = nitro_sqlite_delete_profiles(store, device, computation ? &id : NULL, &count);
    status = nitro_sqlite_end_write(store, status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}
