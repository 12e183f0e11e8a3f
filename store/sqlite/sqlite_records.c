/* Samples and profiles in SQLite: two tables with the same columns, statements and read loop. */
#include "store/sqlite/sqlite_internal.h"

#define AT "WHERE ifnull(computation, 0) = ?1 AND device = ?2"
/* A range, so that the index is used for one device too. */
#define AT_ANY                                                                                     \
    "WHERE ifnull(computation, 0) = ?1 AND device BETWEEN ifnull(?2, -9223372036854775808) AND "   \
    "ifnull(?2, 9223372036854775807)"
#define STATEMENTS(table)                                                                          \
    {                                                                                              \
        .select = "SELECT id, name, record FROM " table " " AT " ORDER BY name",                   \
        .find = "SELECT id, name, record FROM " table " " AT " AND name = ?3",                     \
        .count = "SELECT count(*) FROM " table " " AT_ANY,                                         \
        .insert = "INSERT INTO " table                                                             \
                  " (computation, device, name, record) VALUES (nullif(?1, 0), ?2, ?3, ?4)"        \
                  " ON CONFLICT DO NOTHING",                                                       \
        .replace = "INSERT OR REPLACE INTO " table                                                 \
                   " (computation, device, name, record) VALUES (nullif(?1, 0), ?2, ?3, ?4)",      \
        .remove = "DELETE FROM " table " " AT_ANY,                                                 \
        .remove_range = "DELETE FROM " table " " AT " AND name >= ?3 AND name < ?4",               \
        .remove_same = "DELETE FROM " table " " AT " AND name = ?3 AND record = ?4",               \
        .remove_by_id = "DELETE FROM " table " WHERE id = ?1"                                      \
    }

const sqlite_table nitro_sqlite_samples = STATEMENTS("samples");
const sqlite_table nitro_sqlite_profiles = STATEMENTS("profiles");

nitro_status nitro_sqlite_find_place(sqlite_store *store, const char *computation,
                                     const char *device, sqlite_place *place)
{
    nitro_status status = NITRO_OK;
    *place = (sqlite_place){0};
    if (computation)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation,
                                   &place->computation);
    if (status == NITRO_OK && device)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_DEVICE, device, &place->device);
    return status;
}

nitro_status nitro_sqlite_require_place(sqlite_store *store, const char *computation,
                                        const char *device, sqlite_place *place)
{
    nitro_status status = nitro_sqlite_find_place(store, computation, device, place);
    if (status != NITRO_ERR_NOT_FOUND)
        return status;
    bool no_computation = computation && place->computation == 0;
    return nitro_fail(store->context, status, "%s: no %s '%s'; put %s first", store->path,
                      no_computation ? "computation" : "device",
                      no_computation ? computation : device,
                      no_computation ? "its schema" : "the device");
}

nitro_status nitro_sqlite_take_at(sqlite_store *store, const char *sql, const sqlite_place *place,
                                  sqlite3_stmt **statement)
{
    nitro_status status = nitro_sqlite_take_of(store, sql, place->computation, statement);
    if (status == NITRO_OK && place->device != 0)
        sqlite3_bind_int64(*statement, 2, place->device);
    return status;
}

nitro_status nitro_sqlite_count(sqlite_store *store, const sqlite_table *table,
                                const char *computation, const char *device, size_t *count)
{
    sqlite_place place;
    sqlite3_stmt *statement;
    sqlite3_int64 rows = 0;
    bool has_row;
    nitro_status status = nitro_sqlite_begin_read(store); /* locks the file once, not three times */
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_find_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = nitro_sqlite_take_at(store, table->count, &place, &statement);
    if (status == NITRO_OK)
        status = nitro_sqlite_first(store, statement, &rows, &has_row);
    *count = (size_t)rows;
    return nitro_sqlite_end_read(store, status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status);
}

nitro_status nitro_sqlite_delete(sqlite_store *store, const sqlite_table *table,
                                 const char *computation, const char *device, size_t *count)
{
    sqlite_place place;
    sqlite3_stmt *statement;
    *count = 0;
    nitro_status status = nitro_sqlite_find_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = nitro_sqlite_take_at(store, table->remove, &place, &statement);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    status = nitro_sqlite_finish(store, statement);
    if (status == NITRO_OK)
        *count = (size_t)sqlite3_changes(store->db);
    return status;
}

nitro_status nitro_sqlite_run_with(sqlite_store *store, const char *sql, const sqlite_place *place,
                                   const char *name, nitro_status status,
                                   nitro_record_bytes *record)
{
    sqlite3_stmt *statement;
    if (status == NITRO_OK)
        status = nitro_sqlite_take_at(store, sql, place, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 3, name);
    sqlite3_bind_blob64(statement, 4, record->bytes, record->size, SQLITE_STATIC);
    record->size = 0;
    return nitro_sqlite_finish(store, statement);
}

nitro_status nitro_sqlite_is_there(sqlite_store *store, const sqlite_table *table,
                                   const sqlite_place *place, const char *name, bool *found)
{
    sqlite3_stmt *statement;
    sqlite3_int64 id;
    nitro_status status = nitro_sqlite_take_at(store, table->find, place, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 3, name);
    return nitro_sqlite_first(store, statement, &id, found);
}

/* Skip and report a record that cannot be read. */
static nitro_status skip(const sqlite_reader *reader, sqlite3_stmt *row, nitro_status status)
{
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_NEWER)
        return status;
    if (reader->unreadable)
        return reader->unreadable(reader->damaged_user, sqlite3_column_int64(row, 0), status);
    nitro_store_report_damage(reader->store->context, reader->damaged, reader->damaged_user);
    return NITRO_OK;
}

/* A damaged name matches no record. */
static const char *name_of(sqlite3_stmt *row)
{
    const char *name;
    return nitro_sqlite_text(row, 1, &name) ? name : "?";
}

static nitro_status read_sample(const sqlite_reader *reader, sqlite3_stmt *row)
{
    nitro_sample *sample = NULL;
    nitro_status status = nitro_record_decode_sample(
        reader->store->context, NULL, reader->schema, reader->device, name_of(row),
        sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2), &sample);
    if (status != NITRO_OK)
        return skip(reader, row, status);
    if (reader->sample)
        status = reader->sample(reader->user, sample);
    nitro_sample_free(sample);
    return status;
}

static nitro_status read_profile(const sqlite_reader *reader, sqlite3_stmt *row)
{
    nitro_profile *profile = NULL;
    nitro_status status = nitro_record_decode_profile(
        reader->store->context, NULL, reader->schema, reader->device, name_of(row),
        sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2), &profile);
    if (status != NITRO_OK)
        return skip(reader, row, status);
    if (reader->profile)
        status = reader->profile(reader->user, reader->device, profile);
    nitro_profile_free(profile);
    return status;
}

nitro_status nitro_sqlite_read(const sqlite_reader *reader, const sqlite_table *table)
{
    sqlite_place place;
    sqlite3_stmt *row;
    bool has_row = true;
    nitro_status status = nitro_sqlite_find_place(
        reader->store, reader->schema ? reader->schema->computation : NULL, reader->device, &place);
    if (status == NITRO_OK)
        status = nitro_sqlite_take_at(reader->store, table->select, &place, &row);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    while (status == NITRO_OK && has_row) {
        status = nitro_sqlite_step(reader->store, row, &has_row);
        if (status == NITRO_OK && has_row)
            status = table == &nitro_sqlite_samples ? read_sample(reader, row)
                                                    : read_profile(reader, row);
    }
    nitro_sqlite_give_back(reader->store, row);
    return status;
}
