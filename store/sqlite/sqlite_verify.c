/* Verifies a SQLite store (the file's structure, orphaned rows, every record) and removes damaged
 * records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/sqlite_internal.h"

typedef struct inspection {
    sqlite_store *store;
    nitro_problem_function report;
    void *user;
    bool removes; /* look only for what can be removed */
    bool dry_run;
    sqlite3_int64 *rows; /* damaged, of one table; shape [num_rows] */
    size_t num_rows, capacity;
} inspection;

/* Report the last error as a problem; any failure but damage ends the inspection. */
static nitro_status report_failure(inspection *i, nitro_status status)
{
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_NEWER)
        return status;
    if (!i->removes)
        nitro_store_report_damage(i->store->context, i->report, i->user);
    return NITRO_OK;
}

/* Report each row of a pragma or query as a problem; `what` starts the message. */
static nitro_status report_rows(inspection *i, const char *sql, const char *what)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(i->store, sql, &statement);
    if (status != NITRO_OK)
        return report_failure(i, status);
    while ((status = nitro_sqlite_step(i->store, statement, &has_row)) == NITRO_OK && has_row) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        char message[1024];
        snprintf(message, sizeof(message), "%s: %s", what, text ? text : "?");
        if (!text || strcmp(text, "ok") != 0)
            i->report(i->user, message);
    }
    nitro_sqlite_give_back(i->store, statement);
    return report_failure(i, status);
}

/* A record whose name is not valid cannot be read, so no list shows it. */
static nitro_status verify_names(inspection *i, const char *sql, const char *what)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(i->store, sql, &statement);
    if (status != NITRO_OK)
        return status;
    while ((status = nitro_sqlite_step(i->store, statement, &has_row)) == NITRO_OK && has_row) {
        const char *name;
        if (nitro_sqlite_text(statement, 0, &name) && nitro_input_name_is_valid(name))
            continue;
        char message[256];
        snprintf(message, sizeof(message), "the name of a %s is damaged", what);
        i->report(i->user, message);
    }
    nitro_sqlite_give_back(i->store, statement);
    return report_failure(i, status);
}

static nitro_status verify_file(inspection *i)
{
    nitro_status status = report_rows(i, "PRAGMA integrity_check", "the file's structure");
    if (status == NITRO_OK)
        status = report_rows(
            i, "SELECT printf('row %d of %s', rowid, \"table\") FROM pragma_foreign_key_check",
            "belongs to no device or computation");
    if (status == NITRO_OK)
        status = verify_names(i, "SELECT name FROM computations", "computation");
    return status == NITRO_OK ? verify_names(i, "SELECT name FROM devices", "device") : status;
}

/* Samples or profiles whose computation or device is gone. */
static nitro_status remove_orphans(inspection *i, const char *count_sql, const char *delete_sql,
                                   const char *what)
{
    sqlite3_int64 count = 0;
    char message[256];
    nitro_status status = nitro_sqlite_read_number(i->store, count_sql, &count);
    if (status != NITRO_OK || count == 0)
        return status;
    snprintf(message, sizeof(message), "%s of no computation or no device: %lld", what, count);
    i->report(i->user, message);
    return i->dry_run ? NITRO_OK : nitro_sqlite_execute(i->store, delete_sql, "remove rows");
}

#define ORPHANS(table)                                                                             \
    "FROM " table " WHERE (computation IS NOT NULL AND computation NOT IN (SELECT id FROM "        \
    "computations)) OR device NOT IN (SELECT id FROM devices)"

static nitro_status remove_all_orphans(inspection *i)
{
    nitro_status status = remove_orphans(i, "SELECT count(*) " ORPHANS("samples"),
                                         "DELETE " ORPHANS("samples"), "samples");
    return status == NITRO_OK ? remove_orphans(i, "SELECT count(*) " ORPHANS("profiles"),
                                               "DELETE " ORPHANS("profiles"), "profiles")
                              : status;
}

/* Records of a newer Nitro are reported by `verify`, but not removed. */
static nitro_status note_row(void *user, sqlite3_int64 id, nitro_status status)
{
    inspection *i = user;
    if (status == NITRO_ERR_NEWER && i->removes)
        return NITRO_OK;
    nitro_store_report_damage(i->store->context, i->report, i->user);
    if (!i->removes)
        return NITRO_OK;
    sqlite3_int64 *grown =
        nitro_grow(i->store->context, i->rows, i->num_rows, &i->capacity, sizeof(*grown), "rows");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    i->rows = grown;
    i->rows[i->num_rows++] = id;
    return NITRO_OK;
}

/* Read the records of a computation, or of proxies (`schema` NULL), and remove damaged ones. */
static nitro_status inspect_table(inspection *i, const sqlite_table *table,
                                  const nitro_schema *schema, const nitro_string_list *devices)
{
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < devices->count && status == NITRO_OK; d++) {
        const sqlite_reader reader = {.store = i->store,
                                      .schema = schema,
                                      .device = devices->items[d],
                                      .unreadable = note_row,
                                      .damaged_user = i};
        status = report_failure(i, nitro_sqlite_read(&reader, table));
    }
    for (size_t r = 0; r < i->num_rows && !i->dry_run && status == NITRO_OK; r++)
        status = nitro_sqlite_run_of(i->store, table->remove_by_id, i->rows[r]);
    i->num_rows = 0;
    return status;
}

/* Where the schema itself is damaged, sound samples cannot be told from damaged ones: they stay. */
static nitro_status inspect_computation(inspection *i, const char *computation,
                                        const nitro_string_list *devices)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_get_schema(i->store, computation, &schema);
    if (status != NITRO_OK)
        return report_failure(i, status);
    status = inspect_table(i, &nitro_sqlite_samples, schema, devices);
    if (status == NITRO_OK)
        status = inspect_table(i, &nitro_sqlite_profiles, schema, devices);
    nitro_schema_free(schema);
    return status;
}

static nitro_status count_rows_of(inspection *i, sqlite3_int64 device, sqlite3_int64 *count)
{
    sqlite3_stmt *row;
    bool has_row;
    nitro_status status = nitro_sqlite_take_of(
        i->store,
        "SELECT (SELECT count(*) FROM samples WHERE device = ?1) + (SELECT count(*) FROM profiles "
        "WHERE device = ?1)",
        device, &row);
    return status == NITRO_OK ? nitro_sqlite_first(i->store, row, count, &has_row) : status;
}

/* No device describes the samples of a damaged one: they go with it. */
static nitro_status remove_damaged_device(inspection *i, const char *name)
{
    static const char *const removals[] = {"DELETE FROM samples WHERE device = ?1",
                                           "DELETE FROM profiles WHERE device = ?1",
                                           "DELETE FROM devices WHERE id = ?1"};
    sqlite3_int64 id = 0, count = 0;
    char message[256];
    nitro_store_report_damage(i->store->context, i->report, i->user);
    nitro_status status = nitro_sqlite_find(i->store, NITRO_SQLITE_FIND_DEVICE, name, &id);
    if (status == NITRO_OK)
        status = count_rows_of(i, id, &count);
    snprintf(message, sizeof(message), "%lld sample%s of device '%s', which is damaged", count,
             count == 1 ? " or profile" : "s and profiles", name);
    if (status == NITRO_OK && count > 0)
        i->report(i->user, message);
    for (size_t r = 0; r < 3 && status == NITRO_OK && !i->dry_run; r++)
        status = nitro_sqlite_run_of(i->store, removals[r], id);
    return status;
}

static nitro_status inspect_device(inspection *i, const char *name)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_sqlite_get_device(i->store, name, &device);
    nitro_device_free(device);
    if (status == NITRO_ERR_FORMAT && i->removes)
        return remove_damaged_device(i, name);
    return report_failure(i, status);
}

static nitro_status inspect_records(inspection *i)
{
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = nitro_sqlite_list_computations(i->store, &computations);
    if (status == NITRO_OK)
        status = nitro_sqlite_list_devices(i->store, NULL, &devices);
    status = report_failure(i, status);
    for (size_t d = 0; d < devices.count && status == NITRO_OK; d++)
        status = inspect_device(i, devices.items[d]);
    for (size_t c = 0; c < computations.count && status == NITRO_OK; c++)
        status = inspect_computation(i, computations.items[c], &devices);
    if (status == NITRO_OK)
        status = inspect_table(i, &nitro_sqlite_profiles, NULL, &devices);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    free(i->rows);
    return status;
}

nitro_status nitro_sqlite_verify(void *state, nitro_problem_function report, void *user)
{
    inspection i = {.store = state, .report = report, .user = user};
    nitro_status status = nitro_sqlite_begin_read(i.store);
    if (status != NITRO_OK)
        return status;
    status = verify_file(&i);
    if (status == NITRO_OK)
        status = inspect_records(&i);
    return nitro_sqlite_end_read(i.store, status);
}

nitro_status nitro_sqlite_remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                         void *user)
{
    inspection i = {
        .store = state, .report = report, .user = user, .removes = true, .dry_run = dry_run};
    nitro_status status =
        dry_run ? nitro_sqlite_begin_read(i.store) : nitro_sqlite_begin_write(i.store);
    if (status != NITRO_OK)
        return status;
    status = remove_all_orphans(&i);
    if (status == NITRO_OK)
        status = inspect_records(&i);
    return dry_run ? nitro_sqlite_end_read(i.store, status)
                   : nitro_sqlite_end_write(i.store, status);
}
