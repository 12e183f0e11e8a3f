/* Samples in SQLite: a row each, its features in one blob, and a row an entry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite_internal.h"
#include "store/text.h"

/* ---- Doubles as little-endian bytes ------------------------------------------------------------
 */

static void encode_doubles(const double *values, size_t count, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof(word));
        for (size_t b = 0; b < 8; b++)
            bytes[8 * i + b] = (unsigned char)(word >> (8 * b));
    }
}

static void decode_doubles(const unsigned char *bytes, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8; b++)
            word |= (uint64_t)bytes[8 * i + b] << (8 * b);
        memcpy(&values[i], &word, sizeof(word));
    }
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

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
    nitro_status status = nitro_sqlite_take(
        store, "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", &statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(statement, 1, sample);
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
        "INSERT INTO samples (computation, device, input, features, origin, library, "
        "compiler, host, time_s, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        place, sample->input, &statement);
    if (status != NITRO_OK)
        return status;
    encode_doubles(sample->features, sample->num_features, bytes);
    uint64_t checksum = nitro_store_sample_checksum(place->computation, place->device, sample);
    sqlite3_bind_blob64(statement, 4, bytes, size, SQLITE_STATIC);
    nitro_sqlite_bind_text(statement, 5, sample->provenance.origin);
    nitro_sqlite_bind_text(statement, 6, sample->provenance.library);
    nitro_sqlite_bind_text(statement, 7, sample->provenance.compiler);
    nitro_sqlite_bind_text(statement, 8, sample->provenance.host);
    sqlite3_bind_int64(statement, 9, sample->provenance.time_s);
    sqlite3_bind_int64(statement, 10, (sqlite3_int64)checksum);
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

static nitro_status fail_exists(sqlite_store *store, const sample_place *place,
                                const nitro_string_list *there, size_t count)
{
    char *names = nitro_store_print_some(store->context, there);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (names)
        status =
            nitro_fail(store->context, NITRO_ERR_EXISTS,
                       "%s: %s on %s: %zu of the %zu inputs are there already (%s); nothing "
                       "was written. Replace them, or leave them out",
                       store->path, place->computation, place->device, there->count, count, names);
    free(names);
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
        status = fail_exists(store, place, &there, count);
    nitro_string_list_free(&there);
    return status;
}

nitro_status nitro_sqlite_put_samples(void *state, const char *computation, const char *device,
                                      const nitro_sample *const *samples, size_t count,
                                      bool replace)
{
    sqlite_store *store = state;
    sample_place place;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = find_place(store, computation, device, &place);
    if (status == NITRO_OK)
        status = make_room(store, &place, samples, count, replace);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = insert_sample(store, &place, samples[i]);
    return nitro_sqlite_end_write(store, status);
}

/* ---- Reading -----------------------------------------------------------------------------------
 */

static bool copy_text(nitro_context *context, sqlite3_stmt *row, int column, char **copy)
{
    const char *text;
    if (!nitro_sqlite_text_or_null(row, column, &text))
        return false;
    *copy = nitro_strdup(context, text);
    return *copy || !text;
}

/* Entry number `index`: rows come in order, and none is missing or there twice. */
static bool read_entry(nitro_context *context, sqlite3_stmt *row, size_t index,
                       nitro_sample *sample)
{
    int64_t variant, count;
    const char *outcome;
    if (index >= sample->num_entries || !nitro_sqlite_integer(row, 0, &variant) ||
        variant != (int64_t)index || !nitro_sqlite_text(row, 1, &outcome))
        return false;
    nitro_entry *entry = &sample->entries[index];
    if (!nitro_outcome_from_name(outcome, &entry->outcome) ||
        !nitro_sqlite_number(row, 2, &entry->median_ms) ||
        !nitro_sqlite_number(row, 3, &entry->spread) ||
        !nitro_sqlite_number(row, 4, &entry->prepare_ms) || !nitro_sqlite_integer(row, 5, &count) ||
        count < 0 || count > UINT32_MAX)
        return false;
    entry->count = (uint32_t)count;
    return copy_text(context, row, 6, &entry->version) &&
           copy_text(context, row, 7, &entry->detail);
}

static nitro_status read_entries(sqlite_store *store, sqlite3_int64 id, nitro_sample *sample)
{
    sqlite3_stmt *statement;
    bool has_row;
    size_t count = 0;
    nitro_status status =
        nitro_sqlite_take(store,
                          "SELECT variant, outcome, median_ms, spread, prepare_ms, count, version, "
                          "detail FROM entries WHERE sample = ?1 ORDER BY variant",
                          &statement);
    if (status != NITRO_OK)
        return status;
    sqlite3_bind_int64(statement, 1, id);
    while ((status = nitro_sqlite_step(store, statement, &has_row)) == NITRO_OK && has_row) {
        if (!read_entry(store->context, statement, count, sample)) {
            status = NITRO_ERR_FORMAT;
            break;
        }
        count++;
    }
    nitro_sqlite_give_back(store, statement);
    return status == NITRO_OK && count != sample->num_entries ? NITRO_ERR_FORMAT : status;
}

static bool read_provenance(nitro_context *context, sqlite3_stmt *row, nitro_provenance *provenance)
{
    return copy_text(context, row, 3, &provenance->origin) &&
           copy_text(context, row, 4, &provenance->library) &&
           copy_text(context, row, 5, &provenance->compiler) &&
           copy_text(context, row, 6, &provenance->host) &&
           nitro_sqlite_integer(row, 7, &provenance->time_s);
}

/* NITRO_ERR_FORMAT: the row is damaged. */
static nitro_status read_sample(sqlite_store *store, const nitro_schema *schema, const char *device,
                                sqlite3_stmt *row, nitro_sample **sample)
{
    const char *input;
    nitro_sample *read = NULL;
    if (!nitro_sqlite_text(row, 1, &input) || !nitro_input_name_is_clean(input))
        return NITRO_ERR_FORMAT;
    nitro_status status = nitro_sample_create(store->context, input, schema->num_features,
                                              schema->num_variants, &read);
    if (status != NITRO_OK)
        return status;
    const void *bytes = sqlite3_column_blob(row, 2);
    size_t size = (size_t)sqlite3_column_bytes(row, 2);
    status = NITRO_ERR_FORMAT;
    if (sqlite3_column_type(row, 2) != SQLITE_BLOB || size != 8 * schema->num_features)
        goto free_sample;
    decode_doubles(bytes, schema->num_features, read->features);
    if (!read_provenance(store->context, row, &read->provenance))
        goto free_sample;
    status = read_entries(store, sqlite3_column_int64(row, 0), read);
    if (status != NITRO_OK)
        goto free_sample;
    status = NITRO_ERR_FORMAT;
    if ((uint64_t)sqlite3_column_int64(row, 8) !=
        nitro_store_sample_checksum(schema->computation, device, read))
        goto free_sample;
    *sample = read;
    return NITRO_OK;
free_sample:
    nitro_sample_free(read);
    return status;
}

static nitro_status hand_on_row(sqlite_store *store, const nitro_schema *schema, const char *device,
                                sqlite3_stmt *row, nitro_sample_function function, void *user,
                                nitro_problem_function report, void *report_user)
{
    nitro_sample *sample = NULL;
    nitro_status status = read_sample(store, schema, device, row, &sample);
    if (status == NITRO_ERR_FORMAT) {
        const char *input = (const char *)sqlite3_column_text(row, 1);
        char name[700];
        snprintf(name, sizeof(name), "%s on %s: %.500s", schema->computation, device,
                 input ? input : "?");
        if (report) {
            char message[1024];
            snprintf(message, sizeof(message), "sample '%s' is damaged or was altered", name);
            report(report_user, message);
            return NITRO_OK;
        }
        return nitro_sqlite_fail_damaged(store, "sample", name);
    }
    if (status == NITRO_OK && function)
        status = function(user, sample);
    nitro_sample_free(sample);
    return status;
}

nitro_status nitro_sqlite_read_samples(sqlite_store *store, const nitro_schema *schema,
                                       const char *device, nitro_sample_function function,
                                       void *user, nitro_problem_function report, void *report_user)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(
        store,
        "SELECT id, input, features, origin, library, compiler, host, time_s, checksum FROM "
        "samples "
        "WHERE computation = (SELECT id FROM computations WHERE name = ?1) AND device = "
        "(SELECT id FROM devices WHERE name = ?2) ORDER BY input",
        &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, schema->computation);
    nitro_sqlite_bind_text(statement, 2, device);
    while ((status = nitro_sqlite_step(store, statement, &has_row)) == NITRO_OK && has_row &&
           (status = hand_on_row(store, schema, device, statement, function, user, report,
                                 report_user)) == NITRO_OK)
        ;
    nitro_sqlite_give_back(store, statement);
    return status;
}

nitro_status nitro_sqlite_each_sample(void *state, const char *computation, const char *device,
                                      nitro_sample_function function, void *user)
{
    sqlite_store *store = state;
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = nitro_sqlite_read_samples(store, schema, device, function, user, NULL, NULL);
    nitro_schema_free(schema);
    return nitro_sqlite_end_read(store, status);
}

#define OF_COMPUTATION_AND_DEVICE                                                                  \
    "FROM samples WHERE computation = (SELECT id FROM computations WHERE name = ?1) AND "          \
    "device = (SELECT id FROM devices WHERE name = ?2)"

nitro_status nitro_sqlite_list_inputs(void *state, const char *computation, const char *device,
                                      nitro_string_list *inputs)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take(
        state, "SELECT input " OF_COMPUTATION_AND_DEVICE " ORDER BY input", &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, computation);
    nitro_sqlite_bind_text(statement, 2, device);
    return nitro_sqlite_list(state, statement, inputs);
}

nitro_status nitro_sqlite_count_samples(void *state, const char *computation, const char *device,
                                        size_t *count)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    nitro_status status =
        nitro_sqlite_take(state, "SELECT count(*) " OF_COMPUTATION_AND_DEVICE, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, computation);
    nitro_sqlite_bind_text(statement, 2, device);
    status = nitro_sqlite_step(state, statement, &has_row);
    if (status == NITRO_OK)
        *count = has_row ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    nitro_sqlite_give_back(state, statement);
    return status;
}

/* ---- Removing ----------------------------------------------------------------------------------
 */

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
    size_t count = 0;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation, &id);
    if (status == NITRO_OK)
        status = remove_samples(store, computation, device, &count);
    if (status == NITRO_OK && !device)
        status = remove_computation(store, computation);
    status = nitro_sqlite_end_write(store, status);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}
