/* Devices in SQLite: one row each, with its features and labels. */
#include <math.h>

#include "store/sqlite/sqlite_internal.h"

static nitro_status insert_feature(sqlite_store *store, sqlite3_int64 device, size_t position,
                                   const nitro_device_feature *feature)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(
        store, "INSERT INTO device_features VALUES (?1, ?2, ?3, ?4, ?5, ?6)", device, &statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)position);
    nitro_sqlite_bind_text(statement, 3, feature->name);
    sqlite3_bind_double(statement, 4, feature->value);
    nitro_sqlite_bind_text(statement, 5, nitro_value_source_name(feature->source));
    sqlite3_bind_double(statement, 6, feature->spread);
    return nitro_sqlite_finish(store, statement);
}

static nitro_status insert_label(sqlite_store *store, sqlite3_int64 device, size_t position,
                                 const nitro_label *label)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(
        store, "INSERT INTO device_labels VALUES (?1, ?2, ?3, ?4)", device, &statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)position);
    nitro_sqlite_bind_text(statement, 3, label->name);
    nitro_sqlite_bind_text(statement, 4, label->text);
    return nitro_sqlite_finish(store, statement);
}

nitro_status nitro_sqlite_write_device(sqlite_store *store, const nitro_device *device)
{
    sqlite3_stmt *statement;
    sqlite3_int64 id = 0;
    nitro_status status = nitro_sqlite_take(
        store,
        "INSERT INTO devices (name, kind, checksum) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, checksum = excluded.checksum",
        &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, device->id);
    nitro_sqlite_bind_text(statement, 2, device->kind);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)nitro_store_device_checksum(device));
    status = nitro_sqlite_finish(store, statement);
    if (status == NITRO_OK)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_DEVICE, device->id, &id);
    if (status == NITRO_OK)
        status = nitro_sqlite_run_of(store, "DELETE FROM device_features WHERE device = ?1", id);
    if (status == NITRO_OK)
        status = nitro_sqlite_run_of(store, "DELETE FROM device_labels WHERE device = ?1", id);
    for (size_t i = 0; i < device->num_features && status == NITRO_OK; i++)
        status = insert_feature(store, id, i, &device->features[i]);
    for (size_t i = 0; i < device->num_labels && status == NITRO_OK; i++)
        status = insert_label(store, id, i, &device->labels[i]);
    return status;
}

nitro_status nitro_sqlite_put_device(void *state, const nitro_device *device)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status == NITRO_OK)
        status = nitro_sqlite_end_write(store, nitro_sqlite_write_device(store, device));
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* A device that grows by rows. */
typedef struct reading {
    sqlite_store *store;
    nitro_device *device;
} reading;

/* A name or value that a device does not take was not written by us. */
static nitro_status as_damaged(sqlite_store *store, nitro_status status, const char *id)
{
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY)
        return status;
    return nitro_sqlite_fail_damaged(store, "device", id);
}

static nitro_status set_feature_row(void *user, sqlite3_stmt *row)
{
    const reading *job = user;
    const char *name, *source_name;
    double value, spread;
    nitro_value_source source;
    nitro_status status = NITRO_ERR_FORMAT;
    if (job->device->num_features < NITRO_STORE_MAX_DEVICE_VALUES &&
        nitro_sqlite_text(row, 0, &name) && nitro_sqlite_number(row, 1, &value) &&
        nitro_sqlite_text(row, 2, &source_name) && nitro_sqlite_number(row, 3, &spread) &&
        nitro_value_source_from_name(source_name, &source) && !isnan(value) &&
        isnan(nitro_device_value(job->device, name))) /* not there twice */
        status = nitro_device_set(job->store->context, job->device, name, value, source, spread);
    return as_damaged(job->store, status, job->device->id);
}

static nitro_status set_label_row(void *user, sqlite3_stmt *row)
{
    const reading *job = user;
    const char *name, *text;
    nitro_status status = NITRO_ERR_FORMAT;
    if (job->device->num_labels < NITRO_STORE_MAX_DEVICE_VALUES &&
        nitro_sqlite_text(row, 0, &name) && nitro_sqlite_text(row, 1, &text) &&
        !nitro_device_label(job->device, name))
        status = nitro_device_set_label(job->store->context, job->device, name, text);
    return as_damaged(job->store, status, job->device->id);
}

static nitro_status read_values(reading *job, const char *sql, sqlite3_int64 id,
                                nitro_status (*set)(void *, sqlite3_stmt *))
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(job->store, sql, id, &statement);
    return status == NITRO_OK ? nitro_sqlite_each_row(job->store, statement, set, job) : status;
}

static nitro_status read_head(sqlite_store *store, const char *id, sqlite3_int64 *row_id,
                              nitro_device **device, uint64_t *checksum)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    const char *kind;
    nitro_status status = nitro_sqlite_take(
        store, "SELECT id, kind, checksum FROM devices WHERE name = ?1", &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, id);
    status = nitro_sqlite_step(store, statement, &has_row);
    if (status == NITRO_OK && !has_row)
        status = NITRO_ERR_NOT_FOUND;
    else if (status == NITRO_OK && !nitro_sqlite_text(statement, 1, &kind))
        status = nitro_sqlite_fail_damaged(store, "device", id);
    else if (status == NITRO_OK)
        status = as_damaged(store, nitro_device_create(store->context, id, kind, device), id);
    if (status == NITRO_OK) {
        *row_id = sqlite3_column_int64(statement, 0);
        *checksum = (uint64_t)sqlite3_column_int64(statement, 2);
    }
    nitro_sqlite_give_back(store, statement);
    return status;
}

static nitro_status get_device(sqlite_store *store, const char *id, nitro_device **device)
{
    sqlite3_int64 row_id = 0;
    uint64_t checksum = 0;
    reading job = {.store = store};
    nitro_status status = read_head(store, id, &row_id, &job.device, &checksum);
    if (status == NITRO_OK)
        status = read_values(&job,
                             "SELECT name, value, source, spread FROM device_features "
                             "WHERE device = ?1 ORDER BY position",
                             row_id, set_feature_row);
    if (status == NITRO_OK)
        status = read_values(&job,
                             "SELECT name, text FROM device_labels WHERE device = ?1 "
                             "ORDER BY position",
                             row_id, set_label_row);
    if (status == NITRO_OK && nitro_store_device_checksum(job.device) != checksum)
        status = nitro_sqlite_fail_damaged(store, "device", id);
    if (status == NITRO_OK)
        *device = job.device;
    else
        nitro_device_free(job.device);
    return status;
}

nitro_status nitro_sqlite_get_device(void *state, const char *id, nitro_device **device)
{
    sqlite_store *store = state;
    nitro_device *read = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_end_read(store, get_device(store, id, &read));
    if (status == NITRO_OK)
        *device = read;
    else
        nitro_device_free(read);
    return status;
}

nitro_status nitro_sqlite_list_devices(void *state, const char *computation, nitro_string_list *ids)
{
    const char *sql = computation ? "SELECT name FROM devices WHERE id IN (SELECT device FROM "
                                    "samples WHERE computation = (SELECT id FROM computations "
                                    "WHERE name = ?1)) ORDER BY name"
                                  : "SELECT name FROM devices ORDER BY name";
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take(state, sql, &statement);
    if (status != NITRO_OK)
        return status;
    if (computation)
        nitro_sqlite_bind_text(statement, 1, computation);
    return nitro_sqlite_list(state, statement, ids);
}
