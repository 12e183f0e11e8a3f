/* Computations and devices in SQLite: a row with a record each. */
#include "store/sqlite/sqlite_internal.h"

/* Rows keep their id, since others refer to it. The record is freed. */
static nitro_status put_row(sqlite_store *store, const char *sql, const char *name,
                            nitro_status status, nitro_record_bytes *record)
{
    sqlite3_stmt *statement;
    if (status == NITRO_OK)
        status = nitro_sqlite_take(store, sql, &statement);
    if (status == NITRO_OK) {
        nitro_sqlite_bind_text(statement, 1, name);
        sqlite3_bind_blob64(statement, 2, record->bytes, record->size, SQLITE_STATIC);
        status = nitro_sqlite_finish(store, statement);
    }
    nitro_record_bytes_free(record);
    return status;
}

/* The row of a name, to be returned; NITRO_ERR_NOT_FOUND without a message. */
static nitro_status take_row(sqlite_store *store, const char *sql, const char *name,
                             sqlite3_stmt **row)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    nitro_status status = nitro_sqlite_take(store, sql, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, name);
    status = nitro_sqlite_step(store, statement, &has_row);
    if (status == NITRO_OK && has_row) {
        *row = statement;
        return NITRO_OK;
    }
    nitro_sqlite_give_back(store, statement);
    return status == NITRO_OK ? NITRO_ERR_NOT_FOUND : status;
}

nitro_status nitro_sqlite_get_schema(void *state, const char *computation, nitro_schema **schema)
{
    sqlite_store *store = state;
    sqlite3_stmt *row;
    nitro_status status =
        take_row(store, "SELECT record FROM computations WHERE name = ?1", computation, &row);
    if (status != NITRO_OK)
        return status;
    status = nitro_record_decode_schema(store->context, store->path, computation,
                                        sqlite3_column_blob(row, 0),
                                        (size_t)sqlite3_column_bytes(row, 0), schema);
    nitro_sqlite_give_back(store, row);
    return status;
}

nitro_status nitro_sqlite_write_schema(sqlite_store *store, const nitro_schema *schema)
{
    nitro_schema *stored = NULL, *merged = NULL;
    nitro_record_bytes record = {0};
    nitro_status status = nitro_sqlite_get_schema(store, schema->computation, &stored);
    bool is_new = status == NITRO_ERR_NOT_FOUND;
    if (status == NITRO_OK)
        status = nitro_store_merge_schema(store->context, stored, schema, &merged);
    if (is_new || (status == NITRO_OK && merged)) {
        status = nitro_record_encode_schema(store->context, NITRO_RECORD_COMPACT,
                                            merged ? merged : schema, &record);
        status = put_row(store,
                         "INSERT INTO computations (name, record) VALUES (?1, ?2) ON CONFLICT "
                         "(name) DO UPDATE SET record = excluded.record",
                         schema->computation, status, &record);
    }
    nitro_schema_free(merged);
    nitro_schema_free(stored);
    return status;
}

nitro_status nitro_sqlite_put_schema(void *state, const nitro_schema *schema)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status == NITRO_OK)
        status = nitro_sqlite_end_write(store, nitro_sqlite_write_schema(store, schema));
    return status;
}

nitro_status nitro_sqlite_list_computations(void *state, nitro_string_list *computations)
{
    sqlite3_stmt *statement;
    nitro_status status =
        nitro_sqlite_take(state, "SELECT name FROM computations ORDER BY name", &statement);
    return status == NITRO_OK ? nitro_sqlite_list(state, statement, computations) : status;
}

nitro_status nitro_sqlite_get_device(void *state, const char *id, nitro_device **device)
{
    sqlite_store *store = state;
    sqlite3_stmt *row;
    nitro_status status = take_row(store, "SELECT record FROM devices WHERE name = ?1", id, &row);
    if (status != NITRO_OK)
        return status;
    status =
        nitro_record_decode_device(store->context, store->path, id, sqlite3_column_blob(row, 0),
                                   (size_t)sqlite3_column_bytes(row, 0), device);
    nitro_sqlite_give_back(store, row);
    return status;
}

nitro_status nitro_sqlite_write_device(sqlite_store *store, const nitro_device *device)
{
    nitro_record_bytes record = {0};
    nitro_status status =
        nitro_record_encode_device(store->context, NITRO_RECORD_COMPACT, device, &record);
    return put_row(store,
                   "INSERT INTO devices (name, record) VALUES (?1, ?2) ON CONFLICT (name) DO "
                   "UPDATE SET record = excluded.record",
                   device->id, status, &record);
}

nitro_status nitro_sqlite_put_device(void *state, const nitro_device *device)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status == NITRO_OK)
        status = nitro_sqlite_end_write(store, nitro_sqlite_write_device(store, device));
    return status;
}

/* The computation is found first: for one found in a subquery, SQLite reads all samples for each
 * device instead of their index. */
nitro_status nitro_sqlite_list_devices(void *state, const char *computation, nitro_string_list *ids)
{
    sqlite_store *store = state;
    sqlite3_stmt *statement;
    sqlite3_int64 id = 0;
    nitro_status status = NITRO_OK;
    if (computation)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation, &id);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    if (computation)
        status = nitro_sqlite_take_of(store,
                                      "SELECT name FROM devices WHERE EXISTS (SELECT 1 FROM "
                                      "samples WHERE ifnull(computation, 0) = ?1 AND device = "
                                      "devices.id) ORDER BY name",
                                      id, &statement);
    else
        status = nitro_sqlite_take(store, "SELECT name FROM devices ORDER BY name", &statement);
    return status == NITRO_OK ? nitro_sqlite_list(store, statement, ids) : status;
}

/* By the index, which begins with the computation: "+" since the expression there has no type. */
#define OF_DEVICE                                                                                  \
    "ifnull(computation, 0) IN (SELECT 0 UNION ALL SELECT +id FROM computations) AND device = ?1"

static nitro_status require_unused(sqlite_store *store, sqlite3_int64 id, const char *name)
{
    sqlite3_stmt *statement;
    sqlite3_int64 one;
    bool has_row;
    nitro_status status =
        nitro_sqlite_take_of(store,
                             "SELECT 1 FROM samples WHERE " OF_DEVICE
                             " UNION ALL SELECT 1 FROM profiles WHERE " OF_DEVICE " LIMIT 1",
                             id, &statement);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_first(store, statement, &one, &has_row);
    if (status == NITRO_OK && has_row)
        return nitro_fail(store->context, NITRO_ERR_EXISTS,
                          "%s: there are samples or profiles of device %s; remove those first",
                          store->path, name);
    return status;
}

static nitro_status remove_device(sqlite_store *store, const char *name)
{
    sqlite3_int64 id = 0;
    nitro_status status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_DEVICE, name, &id);
    if (status == NITRO_OK)
        status = require_unused(store, id, name);
    if (status == NITRO_OK)
        status = nitro_sqlite_run_of(store, "DELETE FROM devices WHERE id = ?1", id);
    return status;
}

nitro_status nitro_sqlite_remove_device(void *state, const char *id)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    return nitro_sqlite_end_write(store, remove_device(store, id));
}
