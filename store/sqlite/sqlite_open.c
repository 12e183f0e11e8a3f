/* Opens a SQLite file as a store; refuses another program's file, a newer Nitro's, and a damaged
 * one. A file that does not exist is an empty store in memory until the first write, so that a call
 * that fails earlier leaves no file behind. The journal is SQLite's rollback journal with
 * synchronous=EXTRA (a commit and its journal's end are on disk when it returns): the store stays
 * one file, is consistent after any crash, and can be read in read-only folders, unlike with a WAL.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/sqlite_internal.h"

#define MAX_PATH_BYTES 500 /* SQLite's own limit is 512, journal and folder included */
#define BUSY_MS        60000
/* More than any value written; bounds the memory that a damaged length takes. */
#define MAX_VALUE_BYTES (16 << 20)

/* The first version with these tables. Its samples are longer, and stay as they are. */
#define OLDEST_VERSION 5

/* Steps of SQLite's machine in which the schema of a store is read with room to spare. */
#define MAX_SCHEMA_STEPS 10000

/* Only keys have columns; records are encoded by backend/record_codec.h. Profiles of
 * proxies have no computation. */
#define TABLES                                                                                     \
    "CREATE TABLE computations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"                \
    " record BLOB NOT NULL) STRICT;"                                                               \
    "CREATE TABLE devices (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"                     \
    " record BLOB NOT NULL) STRICT;"                                                               \
    "CREATE TABLE samples (id INTEGER PRIMARY KEY,"                                                \
    " computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"                     \
    " device INTEGER NOT NULL REFERENCES devices, name TEXT NOT NULL, record BLOB NOT NULL) "      \
    "STRICT;"                                                                                      \
    "CREATE TABLE profiles (id INTEGER PRIMARY KEY,"                                               \
    " computation INTEGER REFERENCES computations ON DELETE CASCADE,"                              \
    " device INTEGER NOT NULL REFERENCES devices, name TEXT NOT NULL, record BLOB NOT NULL) "      \
    "STRICT;"                                                                                      \
    "CREATE UNIQUE INDEX samples_by_name ON samples (ifnull(computation, 0), device, name);"       \
    "CREATE UNIQUE INDEX profiles_by_name ON profiles (ifnull(computation, 0), device, name);"

/* Check whose file it is. `is_new`: it has no tables yet. */
static nitro_status check_identity(sqlite_store *store, bool *is_new)
{
    sqlite3_int64 application = 0, version = 0, num_tables = 0;
    nitro_status status = nitro_sqlite_read_number(store, "PRAGMA application_id", &application);
    if (status == NITRO_OK)
        status = nitro_sqlite_read_number(store, "PRAGMA user_version", &version);
    if (status == NITRO_OK)
        status = nitro_sqlite_read_number(store, "SELECT count(*) FROM sqlite_schema", &num_tables);
    if (status != NITRO_OK)
        return status;
    *is_new = application == 0 && version == 0 && num_tables == 0;
    store->version = version;
    if (*is_new || (application == NITRO_SQLITE_APPLICATION_ID && version >= OLDEST_VERSION &&
                    version <= NITRO_STORE_VERSION))
        return NITRO_OK;
    if (application != NITRO_SQLITE_APPLICATION_ID)
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s: this is another program's SQLite file, not a Nitro store; name "
                          "another file",
                          store->path);
    if (version > NITRO_STORE_VERSION)
        return nitro_fail(
            store->context, NITRO_ERR_NEWER,
            "%s: the store is of version %lld, and this Nitro (%s) reads up to version "
            "%d; use a newer Nitro",
            store->path, version, NITRO_VERSION_STRING, NITRO_STORE_VERSION);
    return nitro_fail(store->context, NITRO_ERR_FORMAT,
                      "%s: the store is of version %lld, and this Nitro (%s) reads versions %d to "
                      "%d; export its samples as CSV with the Nitro that wrote it and import them "
                      "into a new store, or tune again",
                      store->path, version, NITRO_VERSION_STRING, OLDEST_VERSION,
                      NITRO_STORE_VERSION);
}

/* A store has its tables and indexes as Nitro makes them, the indexes that SQLite makes for UNIQUE,
 * and perhaps ANALYZE's statistics. Anything else was put there by somebody else: an index on an
 * expression, or a CHECK, would be evaluated. */
static nitro_status check_schema(sqlite_store *store)
{
    sqlite3_int64 num_altered = 0;
    nitro_status status = nitro_sqlite_read_number(
        store,
        "WITH parts AS (SELECT instr('" TABLES
        "', sql || ';') > 0 AS own, type = 'index' AND sql IS "
        "NULL OR name IN ('sqlite_stat1', 'sqlite_stat4') AS usual FROM sqlite_schema) "
        "SELECT count(*) FILTER (WHERE NOT (ifnull(own, 0) OR usual)) + "
        "abs((SELECT count(*) FROM parts WHERE own) - 6) FROM parts",
        &num_altered);
    if (status == NITRO_OK && num_altered > 0)
        status = nitro_fail(store->context, NITRO_ERR_FORMAT,
                            "%s: its tables are not those of a Nitro store: %lld tables, indexes, "
                            "views or triggers differ; use a copy that you trust",
                            store->path, num_altered);
    return status;
}

static int stop(void *unused)
{
    (void)unused;
    return 1;
}

/* SQLite reads the whole schema at the first statement, however large somebody made it. One
 * transaction: another process may be making the tables. */
static nitro_status check_file(sqlite_store *store, bool *is_new)
{
    nitro_status status = nitro_sqlite_begin_read(store);
    if (status != NITRO_OK)
        return status;
    sqlite3_progress_handler(store->db, MAX_SCHEMA_STEPS, stop, NULL);
    status = check_identity(store, is_new);
    if (status == NITRO_OK && !*is_new)
        status = check_schema(store);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    return nitro_sqlite_end_read(store, status);
}

/* In one transaction: a process killed before its end leaves no tables. */
static nitro_status make_tables(sqlite_store *store)
{
    char stamp[96];
    bool is_new = false;
    nitro_status status = nitro_sqlite_begin_write(store);
    if (status != NITRO_OK)
        return status;
    status = check_identity(store, &is_new); /* another process may have been faster */
    snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             NITRO_SQLITE_APPLICATION_ID, NITRO_STORE_VERSION);
    if (status == NITRO_OK && is_new)
        status = nitro_sqlite_execute(store, TABLES, "make its tables");
    if (status == NITRO_OK && is_new)
        status = nitro_sqlite_execute(store, stamp, "make its tables");
    if (status == NITRO_OK && is_new)
        store->version = NITRO_STORE_VERSION;
    return nitro_sqlite_end_write(store, status);
}

/* Samples of both versions are in one file from now on: an older Nitro must not write to it. */
static nitro_status upgrade(sqlite_store *store)
{
    char stamp[48];
    if (store->version == NITRO_STORE_VERSION)
        return NITRO_OK;
    snprintf(stamp, sizeof(stamp), "PRAGMA user_version = %d", NITRO_STORE_VERSION);
    nitro_status status = nitro_sqlite_execute(store, stamp, "set its version");
    if (status != NITRO_OK)
        return status;
    nitro_log(store->context, NITRO_LOG_WARNING,
              "%s: the store was of version %lld and is now of version %d, which older Nitros do "
              "not open; its records are unchanged",
              store->path, (long long)store->version, NITRO_STORE_VERSION);
    store->version = NITRO_STORE_VERSION;
    return NITRO_OK;
}

/* The schema in the file is untrusted too: no trigger, view or function hidden there may run.
 * Foreign keys are declared for `verify`: no write here breaks one, and to check them SQLite reads
 * all samples whenever a device or computation is removed. */
static nitro_status configure(sqlite_store *store)
{
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    return nitro_sqlite_execute(store,
                                "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = OFF;"
                                "PRAGMA synchronous = EXTRA;"
                                "PRAGMA cache_size = -65536;" /* kB */,
                                "open it");
}

/* SQLite opens a read-only file without an error and fails at the first write, when a measurement
 * is already made: so check now. */
static nitro_status require_writable(sqlite_store *store)
{
    if (sqlite3_db_readonly(store->db, "main") == 0)
        return NITRO_OK;
    return nitro_fail(store->context, NITRO_ERR_IO,
                      "%s: the file may not be written; check its permissions", store->path);
}

static nitro_status open_memory(sqlite_store *store)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &store->db, flags, NULL) == SQLITE_OK)
        return NITRO_OK;
    return nitro_fail(store->context, NITRO_ERR_NO_MEMORY, "%s: out of memory, cannot read it",
                      store->path);
}

static nitro_status check_and_make(sqlite_store *store, nitro_store_mode mode)
{
    bool is_new = false;
    nitro_status status = configure(store);
    if (status == NITRO_OK && mode == NITRO_STORE_WRITE)
        status = require_writable(store);
    if (status == NITRO_OK)
        status = check_file(store, &is_new);
    if (status != NITRO_OK)
        return status;
    if (mode == NITRO_STORE_WRITE)
        return is_new ? make_tables(store) : upgrade(store);
    if (is_new)
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s: the file is empty: not a Nitro store yet", store->path);
    return nitro_sqlite_execute(store, "PRAGMA query_only = ON", "open it");
}

/* Opens for writing if permitted, also to read: the journal of a crashed writer is then rolled
 * back. */
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

/* Report precisely what SQLite only calls "unable to open database file". */
static nitro_status check_path(nitro_context *context, const char *path, nitro_store_mode mode)
{
    struct stat file;
    char folder[PATH_MAX] = "";
    if (path[0] == '\0')
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the store's URL names no file: write sqlite:PATH");
    if (path[0] != '/' && !getcwd(folder, sizeof(folder)))
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot find its folder: %s", path,
                          strerror(errno));
    if (strlen(folder) + strlen(path) > MAX_PATH_BYTES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%.80s%s: a path of %zu bytes%s is too long for a store; at most %d work",
                          path, strlen(path) > 80 ? "..." : "", strlen(folder) + strlen(path),
                          folder[0] ? ", its folder's included," : "", MAX_PATH_BYTES);
    bool exists = stat(path, &file) == 0;
    if (!exists && errno != ENOENT)
        return nitro_fail(context, NITRO_ERR_IO, "%s: cannot open the store: %s", path,
                          strerror(errno));
    if (exists && S_ISDIR(file.st_mode))
        return nitro_fail(context, NITRO_ERR_IO,
                          "%s: this is a folder: name a file, or write file:%s for a folder that "
                          "'nitro store publish' made",
                          path, path);
    if (exists && !S_ISREG(file.st_mode))
        return nitro_fail(context, NITRO_ERR_IO, "%s: this is not a regular file; name a file",
                          path);
    if (!exists && mode == NITRO_STORE_READ)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "%s: no such store; 'nitro tune' and 'nitro store import' make one",
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

static nitro_status stand_in(sqlite_store *store)
{
    nitro_status status = open_memory(store);
    if (status == NITRO_OK)
        status = configure(store);
    if (status == NITRO_OK)
        status = make_tables(store);
    store->is_absent = true;
    return status;
}

nitro_status nitro_sqlite_make(sqlite_store *store)
{
    sqlite3 *memory = store->db;
    nitro_sqlite_finalize(store);
    store->db = NULL;
    store->is_absent = false;
    nitro_status status = open_file(store, NITRO_STORE_WRITE);
    if (status == NITRO_OK)
        status = check_and_make(store, NITRO_STORE_WRITE);
    sqlite3 *unused = memory;
    if (status != NITRO_OK) {
        nitro_sqlite_finalize(store);
        unused = store->db;
        store->db = memory;
        store->is_absent = true;
    }
    sqlite3_close(unused);
    return status;
}

/* A statement in use belongs to the store in memory. */
static bool is_read(const sqlite_store *store)
{
    bool in_use = !sqlite3_get_autocommit(store->db);
    for (size_t i = 0; i < store->num_statements; i++)
        in_use |= store->statements[i].in_use;
    return in_use;
}

nitro_status nitro_sqlite_look_again(sqlite_store *store)
{
    if (!store->is_absent || access(store->path, F_OK) != 0 || is_read(store))
        return NITRO_OK;
    return nitro_sqlite_make(store);
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
    bool is_absent = access(path, F_OK) != 0; /* only for writing: see check_path */
    if (!store->path)
        status = NITRO_ERR_NO_MEMORY;
    else if (is_absent && mode == NITRO_STORE_WRITE)
        status = stand_in(store);
    else
        status = open_file(store, mode);
    if (status == NITRO_OK && !store->is_absent)
        status = check_and_make(store, mode);
    if (status == NITRO_OK)
        *state = store;
    else
        nitro_sqlite_close(store);
    return status;
}

void nitro_sqlite_close(void *state)
{
    sqlite_store *store = state;
    nitro_sqlite_finalize(store);
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}
