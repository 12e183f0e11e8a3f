/* Verifying a SQLite store: the file's own structure, rows that hang on nothing, then every record
 * read, checked and compared with its checksum. */
#include <stdio.h>

#include "store/sqlite/sqlite_internal.h"

typedef struct verification {
    sqlite_store *store;
    nitro_problem_function report;
    void *user;
    size_t num_problems;
} verification;

static void report_problem(void *user, const char *problem)
{
    verification *v = user;
    v->num_problems++;
    if (v->report)
        v->report(v->user, problem);
}

/* The last error as a problem; only a failure of the machine itself ends the verification. */
static nitro_status report_failure(verification *v, nitro_status status)
{
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_ARGUMENT && status != NITRO_ERR_EXISTS)
        return status;
    char message[2048];
    nitro_context_last_error(v->store->context, message, sizeof(message));
    report_problem(v, message);
    return NITRO_OK;
}

/* Rows of a pragma or query that each are a problem; `what` comes first. */
static nitro_status report_rows(verification *v, const char *sql, const char *what)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(v->store, sql, &statement);
    while (status == NITRO_OK) {
        status = nitro_sqlite_step(v->store, statement, &has_row);
        if (status != NITRO_OK || !has_row) {
            nitro_sqlite_give_back(v->store, statement);
            break;
        }
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        char message[1024];
        if (text && text[0] == 'o' && text[1] == 'k' && text[2] == '\0')
            continue;
        snprintf(message, sizeof(message), "%s: %s", what, text ? text : "?");
        report_problem(v, message);
    }
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static void report_damage(void *user, sqlite3_int64 id, const char *problem)
{
    (void)id;
    report_problem(user, problem);
}

/* Of a computation, or of proxies where `schema` is NULL. */
static nitro_status verify_profiles(verification *v, const nitro_schema *schema)
{
    nitro_status status =
        nitro_sqlite_read_profiles(v->store, NULL, schema, NULL, NULL, report_damage, v);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

/* A record whose name is none cannot be asked for, so no list has it. */
static nitro_status verify_names(verification *v, const char *sql, const char *what)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(v->store, sql, &statement);
    if (status != NITRO_OK)
        return status;
    while ((status = nitro_sqlite_step(v->store, statement, &has_row)) == NITRO_OK && has_row) {
        const char *name;
        if (nitro_sqlite_text(statement, 0, &name) && nitro_input_name_is_valid(name))
            continue;
        char message[256];
        snprintf(message, sizeof(message), "the name of a %s is damaged", what);
        report_problem(v, message);
    }
    nitro_sqlite_give_back(v->store, statement);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status verify_computation(verification *v, const char *computation,
                                       const nitro_string_list *devices)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_sqlite_get_schema(v->store, computation, &schema);
    if (status == NITRO_OK)
        status =
            nitro_store_check_schema(v->store->context, v->store->path, schema, NITRO_ERR_FORMAT);
    if (status != NITRO_OK) {
        nitro_schema_free(schema);
        return report_failure(v, status);
    }
    for (size_t i = 0; i < devices->count && status == NITRO_OK; i++) {
        status = nitro_sqlite_read_samples(v->store, schema, devices->items[i], NULL, NULL,
                                           report_damage, v);
        if (status != NITRO_OK)
            status = report_failure(v, status);
    }
    if (status == NITRO_OK)
        status = verify_profiles(v, schema);
    nitro_schema_free(schema);
    return status;
}

static nitro_status verify_device(verification *v, const char *id)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_sqlite_get_device(v->store, id, &device);
    if (status == NITRO_OK)
        status =
            nitro_store_check_device(v->store->context, v->store->path, device, NITRO_ERR_FORMAT);
    nitro_device_free(device);
    return status == NITRO_OK ? NITRO_OK : report_failure(v, status);
}

static nitro_status verify_records(verification *v)
{
    nitro_string_list computations = {0}, devices = {0};
    nitro_status status = nitro_sqlite_list_computations(v->store, &computations);
    if (status == NITRO_OK)
        status = nitro_sqlite_list_devices(v->store, NULL, &devices);
    if (status != NITRO_OK)
        status = report_failure(v, status);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++)
        status = verify_device(v, devices.items[i]);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++)
        status = verify_computation(v, computations.items[i], &devices);
    if (status == NITRO_OK)
        status = verify_profiles(v, NULL);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    return status;
}

nitro_status nitro_sqlite_verify(void *state, nitro_problem_function report, void *user)
{
    verification v = {.store = state, .report = report, .user = user};
    nitro_status status = nitro_sqlite_begin_read(v.store);
    if (status != NITRO_OK)
        return status;
    status = report_rows(&v, "PRAGMA integrity_check", "the file's structure");
    if (status == NITRO_OK)
        status = report_rows(
            &v, "SELECT printf('row %d of %s', rowid, \"table\") FROM pragma_foreign_key_check",
            "belongs to nothing");
    if (status == NITRO_OK)
        status = verify_names(&v, "SELECT name FROM computations", "computation");
    if (status == NITRO_OK)
        status = verify_names(&v, "SELECT name FROM devices", "device");
    if (status == NITRO_OK)
        status = verify_records(&v);
    status = nitro_sqlite_end_read(v.store, status);
    if (status == NITRO_OK && v.num_problems > 0)
        status = nitro_fail(v.store->context, NITRO_ERR_FORMAT, "%s: %zu problem%s found",
                            v.store->path, v.num_problems, v.num_problems == 1 ? "" : "s");
    return status;
}
