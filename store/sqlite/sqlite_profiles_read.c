/* Reading profiles from SQLite. As with samples, a row that is not as it was written is a damaged
 * profile, whatever is wrong with it. */
#include <math.h>
#include <stdio.h>

#include "store/sqlite/sqlite_internal.h"

static nitro_status read_metrics(sqlite_store *store, sqlite3_int64 id, nitro_profile *profile)
{
    sqlite3_stmt *statement;
    bool has_row;
    size_t count = 0;
    nitro_status status = nitro_sqlite_take_of(
        store, "SELECT name, value FROM profile_metrics WHERE profile = ?1 ORDER BY name", id,
        &statement);
    if (status != NITRO_OK)
        return status;
    while ((status = nitro_sqlite_step(store, statement, &has_row)) == NITRO_OK && has_row) {
        const char *name;
        double value;
        status = NITRO_ERR_FORMAT;
        if (count++ < NITRO_STORE_MAX_METRICS && nitro_sqlite_text(statement, 0, &name) &&
            nitro_sqlite_number(statement, 1, &value))
            status = nitro_profile_set(store->context, profile, name, value);
        if (status != NITRO_OK)
            break;
    }
    nitro_sqlite_give_back(store, statement);
    return status == NITRO_ERR_ARGUMENT ? NITRO_ERR_FORMAT : status;
}

static nitro_status read_names(sqlite_store *store, const char *computation, sqlite3_stmt *row,
                               nitro_profile **profile)
{
    const char *name, *input, *kernel;
    double intensity;
    nitro_status status = NITRO_ERR_FORMAT;
    if (!nitro_sqlite_text(row, 2, &name) || !nitro_sqlite_text_or_null(row, 3, &input) ||
        !nitro_sqlite_number(row, 4, &intensity) || !nitro_sqlite_text(row, 5, &kernel))
        return status;
    if (computation && isnan(intensity))
        status = nitro_profile_create_of_variant(store->context, computation, name, input, kernel,
                                                 profile);
    else if (!computation && !input)
        status = nitro_profile_create_of_proxy(store->context, name, intensity, kernel, profile);
    return status == NITRO_ERR_ARGUMENT ? NITRO_ERR_FORMAT : status;
}

/* NITRO_ERR_FORMAT: the row is damaged. */
static nitro_status read_profile(sqlite_store *store, const char *computation, sqlite3_stmt *row,
                                 const char **device, nitro_profile **profile)
{
    nitro_profile *read = NULL;
    if (!nitro_sqlite_text(row, 1, device))
        return NITRO_ERR_FORMAT;
    nitro_status status = read_names(store, computation, row, &read);
    if (status == NITRO_OK && !nitro_sqlite_provenance(store->context, row, 6, &read->provenance))
        status = NITRO_ERR_FORMAT;
    if (status == NITRO_OK)
        status = read_metrics(store, sqlite3_column_int64(row, 0), read);
    if (status == NITRO_OK &&
        (uint64_t)sqlite3_column_int64(row, 6 + NITRO_SQLITE_PROVENANCE_COUNT) !=
            nitro_store_profile_checksum(*device, read))
        status = NITRO_ERR_FORMAT;
    if (status == NITRO_OK)
        *profile = read;
    else
        nitro_profile_free(read);
    return status;
}

/* For a message about a damaged row. */
static const char *any_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "?";
}

/* Where a loop over profiles is. */
typedef struct profile_loop {
    sqlite_store *store;
    const nitro_schema *schema; /* NULL: proxies */
    nitro_profile_function function;
    void *user;
    sqlite_damage_function damaged;
    void *damaged_user;
} profile_loop;

static nitro_status hand_on_row(void *user, sqlite3_stmt *row)
{
    const profile_loop *loop = user;
    const char *computation = loop->schema ? loop->schema->computation : NULL;
    nitro_profile *profile = NULL;
    const char *device;
    nitro_status status = read_profile(loop->store, computation, row, &device, &profile);
    if (status == NITRO_OK)
        status = nitro_store_check_profile(loop->store->context, loop->store->path, loop->schema,
                                           device, profile, NITRO_ERR_FORMAT);
    if (status == NITRO_ERR_FORMAT) {
        char message[1100];
        snprintf(message, sizeof(message),
                 "profile '%s on %.80s: %.80s: %.500s' is damaged or was altered",
                 computation ? computation : "proxy", any_text(row, 1), any_text(row, 2),
                 any_text(row, 5));
        loop->damaged(loop->damaged_user, sqlite3_column_int64(row, 0), message);
        status = NITRO_OK;
    } else if (status == NITRO_OK && loop->function) {
        status = loop->function(loop->user, device, profile);
    }
    nitro_profile_free(profile);
    return status;
}

/* A statement over the profiles of a computation (?1, NULL: proxies) and device (?2, NULL: all);
 * NITRO_ERR_NOT_FOUND, without a message, where there is no such computation. */
static nitro_status take_profiles(sqlite_store *store, const char *sql, const char *computation,
                                  const char *device, sqlite3_stmt **statement)
{
    sqlite3_int64 id;
    nitro_status status = NITRO_OK;
    if (computation)
        status = nitro_sqlite_find(store, NITRO_SQLITE_FIND_COMPUTATION, computation, &id);
    if (status == NITRO_OK)
        status = nitro_sqlite_take(store, sql, statement);
    if (status != NITRO_OK)
        return status;
    if (computation)
        sqlite3_bind_int64(*statement, 1, id);
    nitro_sqlite_bind_text(*statement, 2, device);
    return NITRO_OK;
}

nitro_status nitro_sqlite_read_profiles(sqlite_store *store, const char *device,
                                        const nitro_schema *schema, nitro_profile_function function,
                                        void *user, sqlite_damage_function damaged,
                                        void *damaged_user)
{
    profile_loop loop = {store, schema, function, user, damaged, damaged_user};
    sqlite3_stmt *statement;
    nitro_status status = take_profiles(
        store,
        "SELECT p.id, d.name, p.name, p.input, p.intensity, p.kernel, " NITRO_SQLITE_PROVENANCE
        ", p.checksum FROM profiles AS p JOIN "
        "devices AS d ON p.device = d.id WHERE p.computation IS ?1 AND (?2 IS NULL "
        "OR d.name = ?2) ORDER BY d.name, p.name, p.input, p.intensity, p.kernel",
        schema ? schema->computation : NULL, device, &statement);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    return nitro_sqlite_each_row(store, statement, hand_on_row, &loop);
}

nitro_status nitro_sqlite_each_profile(void *state, const char *device, const char *computation,
                                       nitro_profile_function function, void *user,
                                       nitro_problem_function damaged, void *damaged_user)
{
    sqlite_store *store = state;
    sqlite_problem_target target = {damaged, damaged_user};
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    if (computation)
        status = nitro_sqlite_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = nitro_sqlite_read_profiles(store, device, schema, function, user,
                                            nitro_sqlite_report_damage, &target);
    nitro_schema_free(schema);
    return nitro_sqlite_end_read(store, status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status);
}

nitro_status nitro_sqlite_count_profiles(void *state, const char *device, const char *computation,
                                         size_t *count)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    nitro_status status =
        take_profiles(state,
                      "SELECT count(*) FROM profiles WHERE computation IS ?1 AND (?2 IS NULL OR "
                      "device = (SELECT id FROM devices WHERE name = ?2))",
                      computation, device, &statement);
    if (status == NITRO_ERR_NOT_FOUND) {
        *count = 0;
        return NITRO_OK;
    }
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_step(state, statement, &has_row);
    if (status == NITRO_OK)
        *count = has_row ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    nitro_sqlite_give_back(state, statement);
    return status;
}
