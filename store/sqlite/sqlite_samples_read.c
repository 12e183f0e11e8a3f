/* Reading samples from SQLite. A row that is not as it was written is a damaged sample, whatever is
 * wrong with it: its checksum covers all that it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/sqlite_internal.h"

static void decode_doubles(const unsigned char *bytes, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8; b++)
            word |= (uint64_t)bytes[8 * i + b] << (8 * b);
        memcpy(&values[i], &word, sizeof(word));
    }
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
    return nitro_sqlite_copy_text(context, row, 6, &entry->version) &&
           nitro_sqlite_copy_text(context, row, 7, &entry->detail);
}

static nitro_status read_entries(sqlite_store *store, sqlite3_int64 id, nitro_sample *sample)
{
    sqlite3_stmt *statement;
    bool has_row;
    size_t count = 0;
    nitro_status status = nitro_sqlite_take_of(
        store,
        "SELECT variant, outcome, median_ms, spread, prepare_ms, count, version, "
        "detail FROM entries WHERE sample = ?1 ORDER BY variant",
        id, &statement);
    if (status != NITRO_OK)
        return status;
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

/* NITRO_ERR_FORMAT: the row is damaged. */
static nitro_status read_sample(sqlite_store *store, const nitro_schema *schema, const char *device,
                                sqlite3_stmt *row, nitro_sample **sample)
{
    const char *input;
    nitro_sample *read = NULL;
    if (!nitro_sqlite_text(row, 1, &input) || !nitro_input_name_is_valid(input))
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
    if (!nitro_sqlite_provenance(store->context, row, 3, &read->provenance))
        goto free_sample;
    status = read_entries(store, sqlite3_column_int64(row, 0), read);
    if (status != NITRO_OK)
        goto free_sample;
    status = NITRO_ERR_FORMAT;
    if ((uint64_t)sqlite3_column_int64(row, 3 + NITRO_SQLITE_PROVENANCE_COUNT) !=
        nitro_store_sample_checksum(schema->computation, device, read))
        goto free_sample;
    *sample = read;
    return NITRO_OK;
free_sample:
    nitro_sample_free(read);
    return status;
}

/* Where a loop over samples is. */
typedef struct sample_loop {
    sqlite_store *store;
    const nitro_schema *schema;
    const char *device;
    nitro_sample_function function;
    void *user;
    sqlite_damage_function damaged;
    void *damaged_user;
} sample_loop;

/* A record that its checksum fits may still have been made by somebody else. */
static nitro_status read_and_check(const sample_loop *loop, sqlite3_stmt *row,
                                   nitro_sample **sample)
{
    nitro_sample *read = NULL;
    nitro_status status = read_sample(loop->store, loop->schema, loop->device, row, &read);
    if (status == NITRO_OK)
        status = nitro_store_check_sample(loop->store->context, loop->store->path, loop->schema,
                                          loop->device, read, NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        *sample = read;
    else
        nitro_sample_free(read);
    return status;
}

static nitro_status hand_on_row(void *user, sqlite3_stmt *row)
{
    const sample_loop *loop = user;
    nitro_sample *sample = NULL;
    nitro_status status = read_and_check(loop, row, &sample);
    if (status == NITRO_ERR_FORMAT) {
        const char *input = (const char *)sqlite3_column_text(row, 1);
        char message[1024];
        snprintf(message, sizeof(message), "sample '%s on %s: %.500s' is damaged or was altered",
                 loop->schema->computation, loop->device, input ? input : "?");
        loop->damaged(loop->damaged_user, sqlite3_column_int64(row, 0), message);
        return NITRO_OK;
    }
    if (status == NITRO_OK && loop->function)
        status = loop->function(loop->user, sample);
    nitro_sample_free(sample);
    return status;
}

#define SELECT_SAMPLES                                                                             \
    "SELECT id, input, features, " NITRO_SQLITE_PROVENANCE                                         \
    ", checksum FROM samples WHERE computation = (SELECT id FROM computations WHERE "              \
    "name = ?1) AND device = (SELECT id FROM devices WHERE name = ?2) "

nitro_status nitro_sqlite_read_samples(sqlite_store *store, const nitro_schema *schema,
                                       const char *device, nitro_sample_function function,
                                       void *user, sqlite_damage_function damaged,
                                       void *damaged_user)
{
    sample_loop loop = {store, schema, device, function, user, damaged, damaged_user};
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take(store, SELECT_SAMPLES "ORDER BY input", &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, schema->computation);
    nitro_sqlite_bind_text(statement, 2, device);
    return nitro_sqlite_each_row(store, statement, hand_on_row, &loop);
}

void nitro_sqlite_report_damage(void *user, sqlite3_int64 id, const char *problem)
{
    const sqlite_problem_target *target = user;
    (void)id;
    target->report(target->user, problem);
}

nitro_status nitro_sqlite_each_sample(void *state, const char *computation, const char *device,
                                      nitro_sample_function function, void *user,
                                      nitro_problem_function damaged, void *damaged_user)
{
    sqlite_store *store = state;
    sqlite_problem_target target = {damaged, damaged_user};
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = nitro_sqlite_read_samples(store, schema, device, function, user,
                                           nitro_sqlite_report_damage, &target);
    nitro_schema_free(schema);
    return nitro_sqlite_end_read(store, status);
}

static nitro_status get_sample(sqlite_store *store, const nitro_schema *schema, const char *device,
                               const char *input, nitro_sample **sample)
{
    const sample_loop loop = {.store = store, .schema = schema, .device = device};
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(store, SELECT_SAMPLES "AND input = ?3", &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, schema->computation);
    nitro_sqlite_bind_text(statement, 2, device);
    nitro_sqlite_bind_text(statement, 3, input);
    status = nitro_sqlite_step(store, statement, &has_row);
    if (status == NITRO_OK)
        status = has_row ? read_and_check(&loop, statement, sample) : NITRO_ERR_NOT_FOUND;
    if (status == NITRO_ERR_FORMAT)
        status = nitro_sqlite_fail_damaged(store, "sample", input);
    nitro_sqlite_give_back(store, statement);
    return status;
}

nitro_status nitro_sqlite_get_sample(void *state, const char *computation, const char *device,
                                     const char *input, nitro_sample **sample)
{
    sqlite_store *store = state;
    nitro_schema *schema = NULL;
    nitro_sample *read = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = get_sample(store, schema, device, input, &read);
    nitro_schema_free(schema);
    status = nitro_sqlite_end_read(store, status);
    if (status == NITRO_OK)
        *sample = read;
    else
        nitro_sample_free(read);
    return status;
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
