/* Samples in SQLite: one row per sample, named by its input. */
#include "store/sqlite/sqlite_internal.h"

enum { MAX_NAMED_CONFLICTS = 8 };

/* Names of samples that exist already: the first ones, and how many there are. */
typedef struct conflicts {
    nitro_string_list first;
    size_t count;
} conflicts;

/* Run `sql` with each sample's name and record; `changed` counts rows. A sample that changes none
 * is a conflict. */
static nitro_status run_with_samples(sqlite_store *store, const char *sql, const char *computation,
                                     const char *device, const sqlite_place *place,
                                     const nitro_sample_source *source, size_t *changed,
                                     conflicts *there)
{
    nitro_record_bytes record = {0};
    const nitro_sample *sample = NULL;
    *changed = 0;
    nitro_status status = source->next(source->user, &sample);
    while (status == NITRO_OK && sample) {
        status = nitro_record_encode_sample(store->context, NITRO_RECORD_COMPACT, computation,
                                            device, sample, &record);
        status = nitro_sqlite_run_with(store, sql, place, sample->input, status, &record);
        int rows = status == NITRO_OK ? sqlite3_changes(store->db) : 0;
        *changed += (size_t)rows;
        if (status == NITRO_OK && rows == 0 && there->count++ < MAX_NAMED_CONFLICTS)
            status = nitro_string_list_add(store->context, &there->first, sample->input);
        if (status == NITRO_OK)
            status = source->next(source->user, &sample);
    }
    nitro_record_bytes_free(&record);
    return status;
}

static nitro_status write_samples(sqlite_store *store, const char *computation, const char *device,
                                  const nitro_sample_source *source, bool replace)
{
    const sqlite_table *table = &nitro_sqlite_samples;
    conflicts there = {0};
    sqlite_place place;
    size_t added = 0;
    nitro_status status = nitro_sqlite_require_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = run_with_samples(store, replace ? table->replace : table->insert, computation,
                                  device, &place, source, &added, &there);
    if (status == NITRO_OK && there.count > 0)
        status = nitro_store_fail_exists(store->context, store->path, computation, device,
                                         &there.first, there.count, added + there.count);
    nitro_string_list_free(&there.first);
    return status;
}

nitro_status nitro_sqlite_put_samples(void *state, const char *computation, const char *device,
                                      const nitro_sample *const *samples, size_t count,
                                      bool replace)
{
    sqlite_store *store = state;
    nitro_sample_array array = {samples, count, 0};
    const nitro_sample_source source = {nitro_sample_array_next, &array};
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = write_samples(store, computation, device, &source, replace);
    return nitro_sqlite_end_write(store, status);
}

nitro_status nitro_sqlite_put_recording(void *state, const nitro_schema *schema,
                                        const nitro_device *device, const char *device_id,
                                        const nitro_sample_source *source, bool replace)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_write_schema(store, schema);
    if (status == NITRO_OK && device)
        status = nitro_sqlite_write_device(store, device);
    if (status == NITRO_OK)
        status = write_samples(store, schema->computation, device_id, source, replace);
    return nitro_sqlite_end_write(store, status);
}

nitro_status nitro_sqlite_remove(void *state, const char *computation, const char *device,
                                 size_t *removed)
{
    sqlite_store *store = state;
    sqlite3_int64 id = 0;
    size_t count = 0, num_profiles;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation, &id);
    if (status == NITRO_OK)
        status = nitro_sqlite_delete(store, &nitro_sqlite_samples, computation, device, &count);
    if (status == NITRO_OK)
        status =
            nitro_sqlite_delete(store, &nitro_sqlite_profiles, computation, device, &num_profiles);
    if (status == NITRO_OK && !device)
        status = nitro_sqlite_run_of(store, "DELETE FROM computations WHERE id = ?1", id);
    status = nitro_sqlite_end_write(store, status);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}

/* The same sample is the same record, byte for byte. */
nitro_status nitro_sqlite_remove_samples(void *state, const char *computation, const char *device,
                                         const nitro_sample *const *samples, size_t count,
                                         size_t *removed)
{
    sqlite_store *store = state;
    nitro_sample_array array = {samples, count, 0};
    const nitro_sample_source source = {nitro_sample_array_next, &array};
    conflicts gone = {0};
    sqlite_place place;
    size_t sum = 0;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_find_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = run_with_samples(store, nitro_sqlite_samples.remove_same, computation, device,
                                  &place, &source, &sum, &gone);
    nitro_string_list_free(&gone.first);
    status = nitro_sqlite_end_write(store, status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status);
    if (status == NITRO_OK)
        *removed = sum;
    return status;
}

nitro_status nitro_sqlite_each_sample(void *state, const char *computation, const char *device,
                                      nitro_sample_function function, void *user,
                                      nitro_problem_function damaged, void *damaged_user)
{
    sqlite_store *store = state;
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_get_schema(store, computation, &schema);
    const sqlite_reader reader = {.store = store,
                                  .schema = schema,
                                  .device = device,
                                  .sample = function,
                                  .user = user,
                                  .damaged = damaged,
                                  .damaged_user = damaged_user};
    if (status == NITRO_OK)
        status = nitro_sqlite_read(&reader, &nitro_sqlite_samples);
    nitro_schema_free(schema);
    return nitro_sqlite_end_read(store, status);
}

static nitro_status get_sample(sqlite_store *store, const nitro_schema *schema, const char *device,
                               const char *input, nitro_sample **sample)
{
    sqlite_place place;
    sqlite3_stmt *row;
    bool has_row;
    nitro_status status = nitro_sqlite_find_place(store, schema->computation, device, &place);
    if (status == NITRO_OK)
        status = nitro_sqlite_take_at(store, nitro_sqlite_samples.find, &place, &row);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(row, 3, input);
    status = nitro_sqlite_step(store, row, &has_row);
    if (status == NITRO_OK && !has_row)
        status = NITRO_ERR_NOT_FOUND;
    if (status == NITRO_OK)
        status = nitro_record_decode_sample(store->context, store->path, schema, device, input,
                                            sqlite3_column_blob(row, 2),
                                            (size_t)sqlite3_column_bytes(row, 2), sample);
    nitro_sqlite_give_back(store, row);
    return status;
}

nitro_status nitro_sqlite_get_sample(void *state, const char *computation, const char *device,
                                     const char *input, nitro_sample **sample)
{
    sqlite_store *store = state;
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = get_sample(store, schema, device, input, sample);
    nitro_schema_free(schema);
    return nitro_sqlite_end_read(store, status);
}

nitro_status nitro_sqlite_list_inputs(void *state, const char *computation, const char *device,
                                      nitro_string_list *inputs)
{
    sqlite_store *store = state;
    sqlite_place place;
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_find_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = nitro_sqlite_take_at(store,
                                      "SELECT name FROM samples WHERE ifnull(computation, 0) = ?1 "
                                      "AND device = ?2 ORDER BY name",
                                      &place, &statement);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    return nitro_sqlite_list(store, statement, inputs);
}

nitro_status nitro_sqlite_count_samples(void *state, const char *computation, const char *device,
                                        size_t *count)
{
    return nitro_sqlite_count(state, &nitro_sqlite_samples, computation, device, count);
}
