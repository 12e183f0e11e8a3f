/* Opening a SQLite file as a store: made when it is new, refused when it is another program's, of a
 * newer Nitro, or damaged. The journal is SQLite's rollback journal with synchronous=EXTRA (a
 * commit and its journal's end are on disk when it returns): the store stays one file, is whole
 * after any crash, and can be read from folders that cannot be written, which a WAL would not
 * allow. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite_internal.h"

#define APPLICATION_ID      0x4E54524F /* "NTRO" */
#define APPLICATION_ID_TEXT "0x4E54524F"
#define SCHEMA_VERSION      1
#define MAX_PATH_BYTES      500 /* SQLite's own limit is 512, journal and folder included */
#define BUSY_MS             60000
/* Longer than any value that is written; a damaged length then costs no gigabytes. */
#define MAX_VALUE_BYTES (16 << 20)

/* A sample's features are one blob of little-endian doubles in declared order, for they are always
 * read whole; entries are rows, so that SQL can ask which variant is best where. */
static const char tables[] =
    "CREATE TABLE computations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " default_variant INTEGER, checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE features (computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, scale TEXT NOT NULL,"
    " PRIMARY KEY (computation, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE relative_features (computation INTEGER NOT NULL"
    " REFERENCES computations ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, scale TEXT NOT NULL, formula TEXT NOT NULL, replaces TEXT NOT NULL,"
    " PRIMARY KEY (computation, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE variants (computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY (computation, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE devices (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,"
    " checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE device_features (device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, source TEXT NOT NULL,"
    " spread REAL NOT NULL, PRIMARY KEY (device, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE device_labels (device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY (device, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE samples (id INTEGER PRIMARY KEY,"
    " computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"
    " device INTEGER NOT NULL REFERENCES devices, input TEXT NOT NULL, features BLOB NOT NULL,"
    " origin TEXT, library TEXT, compiler TEXT, host TEXT, time_s INTEGER NOT NULL,"
    " checksum INTEGER NOT NULL, UNIQUE (computation, device, input)) STRICT;"
    "CREATE TABLE entries (sample INTEGER NOT NULL REFERENCES samples ON DELETE CASCADE,"
    " variant INTEGER NOT NULL, outcome TEXT NOT NULL, median_ms REAL, spread REAL,"
    " prepare_ms REAL, count INTEGER NOT NULL, version TEXT, detail TEXT,"
    " PRIMARY KEY (sample, variant)) STRICT, WITHOUT ROWID;"
    "PRAGMA application_id = " APPLICATION_ID_TEXT "; PRAGMA user_version = 1;";

static nitro_status read_pragma(sqlite_store *store, const char *sql, int64_t *value)
{
    sqlite3_stmt *statement;
    bool has_row = false;
    nitro_status status = nitro_sqlite_take(store, sql, &statement);
    if (status != NITRO_OK)
        return status;
    status = nitro_sqlite_step(store, statement, &has_row);
    if (status == NITRO_OK)
        *value = has_row ? sqlite3_column_int64(statement, 0) : 0;
    nitro_sqlite_give_back(store, statement);
    return status;
}

/* Whose file is it? `is_new` where it has no tables yet. */
static nitro_status check_identity(sqlite_store *store, bool *is_new)
{
    int64_t application = 0, version = 0, num_tables = 0;
    nitro_status status = read_pragma(store, "PRAGMA application_id", &application);
    if (status == NITRO_OK)
        status = read_pragma(store, "PRAGMA user_version", &version);
    if (status == NITRO_OK)
        status = read_pragma(store, "SELECT count(*) FROM sqlite_schema", &num_tables);
    if (status != NITRO_OK)
        return status;
    *is_new = application == 0 && version == 0 && num_tables == 0;
    if (*is_new)
        return NITRO_OK;
    if (application != APPLICATION_ID)
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s: this is another program's SQLite file, not a Nitro store; name "
                          "another file",
                          store->path);
    if (version > SCHEMA_VERSION)
        return nitro_fail(store->context, NITRO_ERR_NEWER,
                          "%s: the store's schema is version %lld and this Nitro (%s) knows up to "
                          "%d; use a newer Nitro",
                          store->path, (long long)version, NITRO_VERSION_STRING, SCHEMA_VERSION);
    if (version < 1)
        return nitro_sqlite_fail_damaged(store, "the schema version of", store->path);
    return NITRO_OK;
}

static nitro_status make_tables(sqlite_store *store)
{
    bool is_new = false;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = check_identity(store, &is_new); /* another process may have been quicker */
    if (status == NITRO_OK && is_new)
        status = nitro_sqlite_execute(store, tables, "make its tables");
    return nitro_sqlite_end_write(store, status);
}

/* The schema in the file is untrusted too: no trigger, view or function hidden there may run. */
static nitro_status configure(sqlite_store *store)
{
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    return nitro_sqlite_execute(store,
                                "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
                                "PRAGMA synchronous = EXTRA;",
                                "open it");
}

/* SQLite opens for reading what it may not write, and says so at the first write: by then a
 * measurement is made and has nowhere to go. */
static nitro_status require_writable(sqlite_store *store)
{
    if (sqlite3_db_readonly(store->db, "main") == 0)
        return NITRO_OK;
    return nitro_fail(store->context, NITRO_ERR_IO,
                      "%s: the file may not be written; check its permissions", store->path);
}

static nitro_status check_or_make(sqlite_store *store, nitro_store_mode mode)
{
    bool is_new = false;
    nitro_status status = configure(store);
    if (status == NITRO_OK && mode == NITRO_STORE_WRITE)
        status = require_writable(store);
    if (status == NITRO_OK)
        status = check_identity(store, &is_new);
    if (status != NITRO_OK)
        return status;
    if (!is_new)
        return mode == NITRO_STORE_READ
                   ? nitro_sqlite_execute(store, "PRAGMA query_only = ON", "open it")
                   : NITRO_OK;
    if (mode == NITRO_STORE_READ)
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s: the file is empty: not a Nitro store yet", store->path);
    return make_tables(store);
}

/* Reading also opens for writing where it may: a journal that a crash left is rolled back so. */
static int open_flags(const char *path, nitro_store_mode mode)
{
    if (mode == NITRO_STORE_WRITE)
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    return eaccess(path, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
}

static nitro_status check_folder(nitro_context *context, const char *path)
{
    char *copy = nitro_strdup(context, path);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    const char *folder = dirname(copy);
    nitro_status status = NITRO_OK;
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        status =
            nitro_fail(context, NITRO_ERR_IO,
                       "%s: cannot write in the folder %s: %s; a store keeps its journal there",
                       path, folder, strerror(errno));
    free(copy);
    return status;
}

/* What SQLite only calls "unable to open database file", if not something that is untrue. */
static nitro_status check_path(nitro_context *context, const char *path, nitro_store_mode mode)
{
    struct stat file;
    if (path[0] == '\0')
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the store's URL names no file: write sqlite:PATH");
    if (strlen(path) > MAX_PATH_BYTES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%.80s...: a path of %zu bytes is too long for a store; at most %d work",
                          path, strlen(path), MAX_PATH_BYTES);
    bool exists = stat(path, &file) == 0;
    if (!exists && errno != ENOENT)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot open the store: %s", path,
                          strerror(errno));
    if (exists && !S_ISREG(file.st_mode))
        return nitro_fail(context, NITRO_ERR_IO, "%s: this is not a file, so not a store", path);
    if (!exists && mode == NITRO_STORE_READ)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "%s: no such store; `nitro tune` and `nitro store import` make one",
                          path);
    return mode == NITRO_STORE_WRITE ? check_folder(context, path) : NITRO_OK;
}

static nitro_status open_file(sqlite_store *store, nitro_store_mode mode)
{
    /* A path that looks like an option of SQLite's (":memory:", "file:...") is still a path. */
    const char *path = store->path;
    char *name = nitro_asprintf(store->context, "%s%s", path[0] == '/' ? "" : "./", path);
    if (!name)
        return NITRO_ERR_NO_MEMORY;
    int flags = open_flags(name, mode) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code = sqlite3_open_v2(name, &store->db, flags, NULL);
    free(name);
    if (code == SQLITE_OK)
        return NITRO_OK;
    return store->db ? nitro_sqlite_fail(store, "open it")
                     : nitro_fail(store->context, NITRO_ERR_NO_MEMORY,
                                  "%s: out of memory, cannot open it", path);
}

nitro_status nitro_sqlite_open(nitro_context *context, const char *path, nitro_store_mode mode,
                               void **state)
{
    nitro_status status = check_path(context, path, mode);
    if (status != NITRO_OK)
        return status;
    sqlite_store *store = nitro_calloc(context, 1, sizeof(*store));
    if (!store)
        return NITRO_ERR_NO_MEMORY;
    store->context = context;
    store->path = nitro_strdup(context, path);
    status = store->path ? open_file(store, mode) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = check_or_make(store, mode);
    if (status == NITRO_OK)
        *state = store;
    else
        nitro_sqlite_close(store);
    return status;
}

void nitro_sqlite_close(void *state)
{
    sqlite_store *store = state;
    for (size_t i = 0; i < store->num_statements; i++)
        sqlite3_finalize(store->statements[i].prepared);
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}
