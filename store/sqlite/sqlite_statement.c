/* Statements, transactions and errors of SQLite. Translates SQLite's errors for the user: damage, a
 * full disk, a lock held too long, a file that may not be written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/sqlite_internal.h"

/* Cause and remedy, by primary result code. */
static const struct {
    int code;
    nitro_status status;
    const char *advice;
} failures[] = {
    {SQLITE_NOTADB, NITRO_ERR_FORMAT, "this is not a Nitro store, or it was cut or overwritten"},
    {SQLITE_CORRUPT, NITRO_ERR_FORMAT,
     "the file is damaged: restore a copy, or, if 'nitro store list' still opens it, save by "
     "'nitro store copy' what can be read"},
    {SQLITE_MISMATCH, NITRO_ERR_FORMAT, "the file is damaged: a row has a value of another type"},
    {SQLITE_FULL, NITRO_ERR_IO,
     "the disk is full; this write was undone. Make room, then try again"},
    {SQLITE_BUSY, NITRO_ERR_IO,
     "another process kept the store locked for too long; try again when it is done"},
    {SQLITE_LOCKED, NITRO_ERR_IO, "this program is reading the same rows"},
    {SQLITE_READONLY, NITRO_ERR_IO, "the file, or the folder it is in, may not be written"},
    {SQLITE_CANTOPEN, NITRO_ERR_IO,
     "the file cannot be opened, or its journal cannot be made beside it"},
    {SQLITE_PERM, NITRO_ERR_IO, "access is denied"},
    {SQLITE_AUTH, NITRO_ERR_IO, "access is denied"},
    {SQLITE_IOERR, NITRO_ERR_IO,
     "the failed write was undone; check the disk, its free space and your quota"},
    {SQLITE_NOLFS, NITRO_ERR_IO, "the file is too large for this file system"},
    {SQLITE_TOOBIG, NITRO_ERR_FORMAT, "a value is larger than any that Nitro writes"},
    {SQLITE_NOMEM, NITRO_ERR_NO_MEMORY, "out of memory"},
    /* A store is created with all tables and constraints: SQL fails only on other files. */
    {SQLITE_ERROR, NITRO_ERR_FORMAT, "its tables are not those of a Nitro store"},
    {SQLITE_INTERRUPT, NITRO_ERR_FORMAT, "its schema is larger than that of any Nitro store"},
    {SQLITE_CONSTRAINT, NITRO_ERR_FORMAT, "its rows contradict each other"},
    {SQLITE_SCHEMA, NITRO_ERR_IO, "its tables were changed meanwhile; try again"},
};

/* SQLite takes what the disk cannot read for damage of the file. 0: the disk read all. */
static int read_error(sqlite_store *store)
{
    int error = 0;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
    return error == EIO || error == ENXIO ? error : 0;
}

nitro_status nitro_sqlite_fail(sqlite_store *store, const char *doing)
{
    int code = sqlite3_extended_errcode(store->db), system_error = sqlite3_system_errno(store->db);
    if ((code & 0xFF) == SQLITE_CORRUPT && (system_error = read_error(store)) != 0)
        return nitro_fail(store->context, NITRO_ERR_IO,
                          "%s: cannot %s: %s; the disk failed: copy the file to another one, then "
                          "try again with the copy",
                          store->path, doing, strerror(system_error));
    nitro_status status = NITRO_ERR_IO;
    const char *advice = "";
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        if (failures[i].code == (code & 0xFF)) {
            status = failures[i].status;
            advice = failures[i].advice;
        }
    }
    bool system_says = system_error != 0 && status == NITRO_ERR_IO && (code & 0xFF) != SQLITE_BUSY;
    return nitro_fail(store->context, status, "%s: cannot %s: %s%s%s (SQLite error %d)%s%s",
                      store->path, doing, sqlite3_errmsg(store->db), system_says ? ": " : "",
                      system_says ? strerror(system_error) : "", code, advice[0] ? "; " : "",
                      advice);
}

nitro_status nitro_sqlite_take(sqlite_store *store, const char *sql, sqlite3_stmt **statement)
{
    bool in_use = false;
    nitro_status status = nitro_sqlite_look_again(store);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < store->num_statements && !in_use; i++) {
        sqlite_statement *known = &store->statements[i];
        if (known->sql != sql && strcmp(known->sql, sql) != 0)
            continue;
        in_use = known->in_use;
        if (!in_use) {
            known->in_use = true;
            *statement = known->prepared;
            return NITRO_OK;
        }
    }
    sqlite3_stmt *prepared;
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, NULL) !=
        SQLITE_OK)
        return nitro_sqlite_fail(store, "read or write it");
    if (!in_use && store->num_statements < NITRO_SQLITE_MAX_STATEMENTS)
        store->statements[store->num_statements++] = (sqlite_statement){sql, prepared, true};
    *statement = prepared;
    return NITRO_OK;
}

nitro_status nitro_sqlite_take_of(sqlite_store *store, const char *sql, sqlite3_int64 id,
                                  sqlite3_stmt **statement)
{
    nitro_status status = nitro_sqlite_take(store, sql, statement);
    if (status == NITRO_OK)
        sqlite3_bind_int64(*statement, 1, id);
    return status;
}

void nitro_sqlite_give_back(sqlite_store *store, sqlite3_stmt *statement)
{
    sqlite3_reset(statement); /* repeats the error of the last step, which was handled */
    for (size_t i = 0; i < store->num_statements; i++) {
        if (store->statements[i].prepared == statement) {
            sqlite3_clear_bindings(statement);
            store->statements[i].in_use = false;
            return;
        }
    }
    sqlite3_finalize(statement);
}

void nitro_sqlite_finalize(sqlite_store *store)
{
    for (size_t i = 0; i < store->num_statements; i++)
        sqlite3_finalize(store->statements[i].prepared);
    store->num_statements = 0;
}

nitro_status nitro_sqlite_step(sqlite_store *store, sqlite3_stmt *statement, bool *has_row)
{
    int code = sqlite3_step(statement);
    *has_row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return NITRO_OK;
    return nitro_sqlite_fail(store, sqlite3_stmt_readonly(statement) ? "read it" : "write to it");
}

nitro_status nitro_sqlite_first(sqlite_store *store, sqlite3_stmt *statement, sqlite3_int64 *number,
                                bool *has_row)
{
    nitro_status status = nitro_sqlite_step(store, statement, has_row);
    if (*has_row)
        *number = sqlite3_column_int64(statement, 0);
    nitro_sqlite_give_back(store, statement);
    return status;
}

nitro_status nitro_sqlite_read_number(sqlite_store *store, const char *sql, sqlite3_int64 *number)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(store, sql, &statement);
    return status == NITRO_OK ? nitro_sqlite_first(store, statement, number, &has_row) : status;
}

nitro_status nitro_sqlite_finish(sqlite_store *store, sqlite3_stmt *statement)
{
    bool has_row;
    nitro_status status = nitro_sqlite_step(store, statement, &has_row);
    nitro_sqlite_give_back(store, statement);
    return status;
}

nitro_status nitro_sqlite_run_of(sqlite_store *store, const char *sql, sqlite3_int64 id)
{
    sqlite3_stmt *statement;
    nitro_status status = nitro_sqlite_take_of(store, sql, id, &statement);
    return status == NITRO_OK ? nitro_sqlite_finish(store, statement) : status;
}

nitro_status nitro_sqlite_execute(sqlite_store *store, const char *sql, const char *doing)
{
    int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? NITRO_OK : nitro_sqlite_fail(store, doing);
}

void nitro_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

nitro_status nitro_sqlite_begin_read(sqlite_store *store)
{
    /* Inside a loop over samples a transaction may be open already; SAVEPOINT nests, BEGIN does
     * not. */
    nitro_status status = nitro_sqlite_look_again(store);
    return status == NITRO_OK ? nitro_sqlite_execute(store, "SAVEPOINT nitro", "read it") : status;
}

nitro_status nitro_sqlite_begin_write(sqlite_store *store)
{
    if (store->in_group)
        return nitro_sqlite_execute(store, "SAVEPOINT nitro_write", "write to it");
    if (!sqlite3_get_autocommit(store->db))
        return nitro_fail(
            store->context, NITRO_ERR_ARGUMENT,
            "%s: cannot write inside a loop that reads the same open store; open it twice",
            store->path);
    nitro_status status = store->is_absent ? nitro_sqlite_make(store) : NITRO_OK;
    /* IMMEDIATE takes the lock at once: two writers then wait in turn and never deadlock. */
    return status == NITRO_OK ? nitro_sqlite_execute(store, "BEGIN IMMEDIATE", "write to it")
                              : status;
}

nitro_status nitro_sqlite_end_read(sqlite_store *store, nitro_status status)
{
    if (status == NITRO_OK)
        status = nitro_sqlite_execute(store, "RELEASE nitro", "complete the transaction");
    if (status != NITRO_OK) /* which is reported; a full disk may have rolled back already */
        sqlite3_exec(store->db, "ROLLBACK TO nitro; RELEASE nitro", NULL, NULL, NULL);
    return status;
}

nitro_status nitro_sqlite_end_write(sqlite_store *store, nitro_status status)
{
    if (store->in_group && status == NITRO_OK)
        return nitro_sqlite_execute(store, "RELEASE nitro_write", "write to it");
    if (store->in_group) {
        sqlite3_exec(store->db, "ROLLBACK TO nitro_write; RELEASE nitro_write", NULL, NULL, NULL);
        return status;
    }
    if (status == NITRO_OK)
        status = nitro_sqlite_execute(store, "COMMIT", "complete the transaction");
    if (status != NITRO_OK && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

nitro_status nitro_sqlite_begin_group(void *state)
{
    sqlite_store *store = state;
    nitro_status status = nitro_sqlite_begin_write(store);
    store->in_group = status == NITRO_OK;
    return status;
}

nitro_status nitro_sqlite_end_group(void *state, nitro_status status)
{
    sqlite_store *store = state;
    store->in_group = false;
    return nitro_sqlite_end_write(store, status);
}

bool nitro_sqlite_text(sqlite3_stmt *statement, int column, const char **text)
{
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
        return false;
    const char *value = (const char *)sqlite3_column_text(statement, column);
    if (!value || strlen(value) != (size_t)sqlite3_column_bytes(statement, column))
        return false;
    *text = value;
    return true;
}

nitro_status nitro_sqlite_find(sqlite_store *store, const char *sql, const char *name,
                               sqlite3_int64 *id)
{
    sqlite3_stmt *statement;
    bool has_row;
    nitro_status status = nitro_sqlite_take(store, sql, &statement);
    if (status != NITRO_OK)
        return status;
    nitro_sqlite_bind_text(statement, 1, name);
    status = nitro_sqlite_first(store, statement, id, &has_row);
    return status == NITRO_OK && !has_row ? NITRO_ERR_NOT_FOUND : status;
}

nitro_status nitro_sqlite_list(sqlite_store *store, sqlite3_stmt *statement,
                               nitro_string_list *names)
{
    size_t count_before = names->count;
    bool has_row = true;
    nitro_status status = NITRO_OK;
    while (status == NITRO_OK) {
        const char *name;
        status = nitro_sqlite_step(store, statement, &has_row);
        if (status != NITRO_OK || !has_row)
            break;
        if (nitro_sqlite_text(statement, 0, &name) && nitro_input_name_is_valid(name))
            status = nitro_string_list_add(store->context, names, name);
        else
            nitro_log(store->context, NITRO_LOG_WARNING,
                      "%s: a name is damaged, so its record is skipped; 'nitro store verify' lists "
                      "all damaged records",
                      store->path);
    }
    nitro_sqlite_give_back(store, statement);
    while (status != NITRO_OK && names->count > count_before)
        free(names->items[--names->count]);
    return status;
}
