/* Writing samples to SQLite: a row each, its features in one blob, and a row an entry. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/sqlite/sqlite_internal.h"

/* Little-endian on every machine. */
static void encode_doubles(const double *values, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof(word));
        for (size_t b = 0; b < 8; b++)
            bytes[8 * i + b] = (unsigned char)(word >> (8 * b));
    }
}

typedef struct sample_place {
    const char *computation, *device;
    sqlite3_int64 computation_id, device_id;
} sample_place;

static nitro_status find_place(sqlite_store *store, const char *computation, const char *device,
                               sample_place *place)
{
    *place = (sample_place){.computation = computation, .device = device};
    nitro_status status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation,
                                            &place->computation_id);
    if (status == NITRO_ERR_NOT_FOUND)
        return nitro_fail(store->context, status, "%s: no computation '%s'; put its names first",
                          store->path, computation);
    if (status == NITRO_OK)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_DEVICE, device, &place->device_id);
    if (status == NITRO_ERR_NOT_FOUND)
        return nitro_fail(store->context, status, "%s: no device '%s'; put the device first",
                          store->path, device);
    return status;
}

static nitro_status take_at(sqlite_store *store, const char *sql, const sample_place *place,
                            const char *input, sqlite3_stmt **statement)
{
    nitro_status status = nitro_sqlite_take(store, sql, statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(*statement, 1, place->computation_id);
    sqlite3_bind_int64(*statement, 2, place->device_id);
    if (input)
        nitro_sqlite_bind_text(*statement, 3, input);
    return NITRO_OK;
}

static nitro_status insert_entry(sqlite_store *store, sqlite3_int64 sample, size_t variant,
                                 const nitro_entry *entry)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(
        store, "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", sample,
        &statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)variant);
    nitro_sqlite_bind_text(statement, 3, nitro_outcome_name(entry->outcome));
    sqlite3_bind_double(statement, 4, entry->median_ms); /* NaN becomes NULL */
    sqlite3_bind_double(statement, 5, entry->spread);
    sqlite3_bind_double(statement, 6, entry->prepare_ms);
    sqlite3_bind_int64(statement, 7, entry->count);
    nitro_sqlite_bind_text(statement, 8, entry->version);
    nitro_sqlite_bind_text(statement, 9, entry->detail);
    return nitro_sqlite_finish(store, statement);
}

static nitro_status insert_sample_row(sqlite_store *store, const sample_place *place,
                                      const nitro_sample *sample)
{
    size_t size = 8 * sample->num_features;
    unsigned char bytes[8 * NITRO_MAX_FEATURES + 1];
    sqlite3_stmt *statement;
    nitro_status status = take_at(
        store,
        "INSERT INTO samples (computation, device, input, features, " NITRO_SQLITE_PROVENANCE
        ", checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        place, sample->input, &statement);
    if (status != NITRO_OK)
        return status;
    encode_doubles(sample->features, sample->num_features, bytes);
    uint64_t checksum = nitro_store_sample_checksum(place->computation, place->device, sample);
    sqlite3_bind_blob64(statement, 4, bytes, size, SQLITE_STATIC);
    nitro_sqlite_bind_provenance(statement, 5, &sample->provenance);
    sqlite3_bind_int64(statement, 5 + NITRO_SQLITE_PROVENANCE_COUNT, (sqlite3_int64)checksum);
    return nitro_sqlite_finish(store, statement);
}

static nitro_status insert_sample(sqlite_store *store, const sample_place *place,
                                  const nitro_sample *sample)
{
    nitro_status status = insert_sample_row(store, place, sample);
    sqlite3_int64 id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; i < sample->num_entries && status == NITRO_OK; i++)
        status = insert_entry(store, id, i, &sample->entries[i]);
    return status;
}

/* Is the input there? With `remove`, it is not any more. */
static nitro_status find_input(sqlite_store *store, const sample_place *place, const char *input,
                               bool remove, bool *found)
{
    const char *sql =
        remove ? "DELETE FROM samples WHERE computation = ?1 AND device = ?2 AND input = "
                 "?3 RETURNING id"
               : "SELECT id FROM samples WHERE computation = ?1 AND device = ?2 AND "
                 "input = ?3";
    sqlite3_stmt *statement;
    nitro_status status = take_at(store, sql, place, input, &statement);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_step(store, statement, found);
    nitro_sqlite_give_back(store, statement);
    return status;
}

static nitro_status make_room(sqlite_store *store, const sample_place *place,
                              const nitro_sample *const *samples, size_t count, bool replace)
{
    nitro_string_list there = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        bool found = false;
        status = find_input(store, place, samples[i]->input, replace, &found);
        if (status == NITRO_OK && found && !replace)
            status = nitro_string_list_add(store->context, &there, samples[i]->input);
    }
    if (status == NITRO_OK && there.count > 0)
        status = nitro_store_fail_exists(store->context, store->path, place->computation,
                                         place->device, &there, there.count, count);
    nitro_string_list_free(&there);
    return status;
}

nitro_status nitro_sqlite_write_samples(sqlite_store *store, const char *computation,
                                        const char *device, const nitro_sample *const *samples,
                                        size_t count, bool replace)
{
    sample_place place;
    nitro_status status = find_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = make_room(store, &place, samples, count, replace);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = insert_sample(store, &place, samples[i]);
    return status;
}

nitro_status nitro_sqlite_put_samples(void *state, const char *computation, const char *device,
                                      const nitro_sample *const *samples, size_t count,
                                      bool replace)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_write_samples(store, computation, device, samples, count, replace);
    return nitro_sqlite_end_write(store, status);
}

nitro_status nitro_sqlite_put_recording(void *state, const nitro_schema *schema,
                                        const nitro_device *device, const char *device_id,
                                        const nitro_sample *const *samples, size_t count,
                                        bool replace)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_write_schema(store, schema);
    if (status == NITRO_OK && device)
        status = nitro_sqlite_write_device(store, device);
    if (status == NITRO_OK)
        status = nitro_sqlite_write_samples(store, schema->computation, device_id, samples, count,
                                            replace);
    return nitro_sqlite_end_write(store, status);
}

/* ---- Removing ------------------------------------------------------------------------------ */

static nitro_status remove_samples(sqlite_store *store, const char *computation, const char *device,
                                   size_t *removed)
{
    sqlite3_stmt *statement;
    nitro_status status =
        nitro_sqlite_take(store,
                          "DELETE FROM samples WHERE computation = (SELECT id FROM computations "
                          "WHERE name = ?1) AND (?2 IS NULL OR device = (SELECT id FROM devices "
                          "WHERE name = ?2))",
                          &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, computation);
    nitro_sqlite_bind_text(statement, 2, device);
    status = nitro_sqlite_finish(store, statement);
    if (status == NITRO_OK)
        *removed = (size_t)sqlite3_changes(store->db);
    return status;
}

static nitro_status remove_computation(sqlite_store *store, const char *computation)
{
    sqlite3_stmt *statement;
    nitro_status status =
        nitro_sqlite_take(store, "DELETE FROM computations WHERE name = ?1", &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, computation);
    return nitro_sqlite_finish(store, statement);
}

nitro_status nitro_sqlite_remove(void *state, const char *computation, const char *device,
                                 size_t *removed)
{
    sqlite_store *store = state;
    sqlite3_int64 id;
    size_t count = 0, num_profiles;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation, &id);
    if (status == NITRO_OK)
        status = remove_samples(store, computation, device, &count);
    if (status == NITRO_OK)
        status = nitro_sqlite_delete_profiles(store, device, &id, &num_profiles);
    if (status == NITRO_OK && !device)
        status = remove_computation(store, computation);
    status = nitro_sqlite_end_write(store, status);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}
