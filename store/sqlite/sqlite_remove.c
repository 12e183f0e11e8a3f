/* Taking out of a SQLite store what is to be there no more: samples that are elsewhere by now,
 * devices that nothing was measured on, records that are damaged, rows that belong to nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/sqlite_internal.h"

/* ---- Samples and devices ------------------------------------------------------------------- */

static nitro_status remove_sample(sqlite_store *store, const char *computation, const char *device,
                                  const nitro_sample *sample, size_t *removed)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take(
        store,
        "DELETE FROM samples WHERE computation = (SELECT id FROM computations WHERE name = ?1) AND "
        "device = (SELECT id FROM devices WHERE name = ?2) AND input = ?3 AND checksum = ?4",
        &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, computation);
    nitro_sqlite_bind_text(statement, 2, device);
    nitro_sqlite_bind_text(statement, 3, sample->input);
    sqlite3_bind_int64(statement, 4,
                       (sqlite3_int64)nitro_store_sample_checksum(computation, device, sample));
    status = nitro_sqlite_finish(store, statement);
    if (status == NITRO_OK)
        *removed += (size_t)sqlite3_changes(store->db);
    return status;
}

nitro_status nitro_sqlite_remove_samples(void *state, const char *computation, const char *device,
                                         const nitro_sample *const *samples, size_t count,
                                         size_t *removed)
{
    sqlite_store *store = state;
    size_t sum = 0;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = remove_sample(store, computation, device, samples[i], &sum);
    status = nitro_sqlite_end_write(store, status);
    if (status == NITRO_OK)
        *removed = sum;
    return status;
}

static nitro_status require_unused(sqlite_store *store, sqlite3_int64 id, const char *name)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    nitro_status status = nitro_sqlite_take_of(store,
                                               "SELECT 1 FROM samples WHERE device = ?1 UNION ALL "
                                               "SELECT 1 FROM profiles WHERE device = ?1 "
                                               "LIMIT 1",
                                               id, &statement);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_step(store, statement, &has_row);
    nitro_sqlite_give_back(store, statement);
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

/* ---- Damaged records ----------------------------------------------------------------------- */

typedef struct cleaning {
    sqlite_store *store;
    bool dry_run;
    nitro_problem_function report;
    void *user;
    sqlite3_int64 *rows; /* damaged, of one table */
    size_t num_rows, capacity;
    bool out_of_memory;
} cleaning;

static void note_row(void *user, sqlite3_int64 id, const char *problem)
{
    cleaning *self = user;
    if (self->num_rows == self->capacity) {
        size_t capacity = self->capacity ? 2 * self->capacity : 64;
        sqlite3_int64 *grown = realloc(self->rows, capacity * sizeof(*grown));
        self->out_of_memory = self->out_of_memory || !grown;
        if (!grown)
            return;
        self->rows = grown;
        self->capacity = capacity;
    }
    self->rows[self->num_rows++] = id;
    self->report(self->user, problem);
}

static nitro_status delete_rows(cleaning *self, const char *sql)
{
    nitro_status status = NITRO_OK;
    if (self->out_of_memory)
        return nitro_fail(self->store->context, NITRO_ERR_NO_MEMORY, "out of memory: %zu rows",
                          self->num_rows);
    for (size_t i = 0; i < self->num_rows && !self->dry_run && status == NITRO_OK; i++)
        status = nitro_sqlite_run_of(self->store, sql, self->rows[i]);
    self->num_rows = 0;
    return status;
}

static nitro_status clean_profiles(cleaning *self, const nitro_schema *schema)
{
    nitro_status status =
        nitro_sqlite_read_profiles(self->store, NULL, schema, NULL, NULL, note_row, self);
    return status == NITRO_OK ? delete_rows(self, "DELETE FROM profiles WHERE id = ?1") : status;
}

/* Where a computation's own names are damaged, its samples cannot be told from sound ones: they
 * stay. */
static nitro_status clean_computation(cleaning *self, const char *computation,
                                      const nitro_string_list *devices)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_get_schema(self->store, computation, &schema);
    if (status == NITRO_ERR_FORMAT)
        return NITRO_OK;
    for (size_t i = 0; i < devices->count && status == NITRO_OK; i++)
        status = nitro_sqlite_read_samples(self->store, schema, devices->items[i], NULL, NULL,
                                           note_row, self);
    if (status == NITRO_OK)
        status = delete_rows(self, "DELETE FROM samples WHERE id = ?1");
    if (status == NITRO_OK)
        status = clean_profiles(self, schema);
    nitro_schema_free(schema);
    return status;
}

/* Rows whose owner is gone, owners first: of those that go, the rest goes too. */
static const struct {
    const char *count, *delete, *what;
} orphans[] = {
#define ORPHANS(table, condition, what)                                                            \
    {                                                                                              \
        "SELECT count(*) FROM " table " WHERE " condition,                                         \
            "DELETE FROM " table " WHERE " condition, what                                         \
    }
    ORPHANS("samples",
            "computation NOT IN (SELECT id FROM computations) OR device NOT IN (SELECT id FROM "
            "devices)",
            "samples belong to no computation or no device"),
    ORPHANS("profiles",
            "(computation IS NOT NULL AND computation NOT IN (SELECT id FROM computations)) OR "
            "device NOT IN (SELECT id FROM devices)",
            "profiles belong to no computation or no device"),
    ORPHANS("entries", "sample NOT IN (SELECT id FROM samples)", "entries belong to no sample"),
    ORPHANS("profile_metrics", "profile NOT IN (SELECT id FROM profiles)",
            "metrics belong to no profile"),
    ORPHANS("features", "computation NOT IN (SELECT id FROM computations)",
            "features belong to no computation"),
    ORPHANS("relative_features", "computation NOT IN (SELECT id FROM computations)",
            "relative features belong to no computation"),
    ORPHANS("variants", "computation NOT IN (SELECT id FROM computations)",
            "variants belong to no computation"),
    ORPHANS("device_features", "device NOT IN (SELECT id FROM devices)",
            "device features belong to no device"),
    ORPHANS("device_labels", "device NOT IN (SELECT id FROM devices)",
            "device labels belong to no device"),
#undef ORPHANS
};

static nitro_status clean_orphans(cleaning *self)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(orphans) / sizeof(orphans[0]) && status == NITRO_OK; i++) {
        int64_t count = 0;
        char message[256];
        status = nitro_sqlite_read_number(self->store, orphans[i].count, &count);
        if (status != NITRO_OK || count == 0)
            continue;
        snprintf(message, sizeof(message), "%lld %s", (long long)count, orphans[i].what);
        self->report(self->user, message);
        if (!self->dry_run)
            status = nitro_sqlite_execute(self->store, orphans[i].delete, "remove rows");
    }
    return status;
}

static nitro_status clean_all(cleaning *self)
{
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = clean_orphans(self);
    if (status == NITRO_OK)
        status = nitro_sqlite_list_computations(self->store, &computations);
    if (status == NITRO_OK)
        status = nitro_sqlite_list_devices(self->store, NULL, &devices);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++)
        status = clean_computation(self, computations.items[i], &devices);
    if (status == NITRO_OK)
        status = clean_profiles(self, NULL);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    return status;
}

nitro_status nitro_sqlite_remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                         void *user)
{
    cleaning self = {.store = state, .dry_run = dry_run, .report = report, .user = user};
    nitro_status status =
        dry_run ? nitro_sqlite_begin_read(self.store) : nitro_sqlite_begin_write(self.store);
    if (status != NITRO_OK)
        return status;
    status = clean_all(&self);
    free(self.rows);
    return dry_run ? nitro_sqlite_end_read(self.store, status)
                   : nitro_sqlite_end_write(self.store, status);
}
