/* sqlite_internal.h - what the files of the SQLite backend share: the connection, prepared
 * statements, transactions and errors. */
#ifndef NITRO_STORE_SQLITE_SQLITE_INTERNAL_H
#define NITRO_STORE_SQLITE_SQLITE_INTERNAL_H

#include <sqlite3.h>

#include "nitro/nitro_backend.h"

#define NITRO_SQLITE_MAX_STATEMENTS 64
#define NITRO_SQLITE_APPLICATION_ID 0x4E54524F /* "NTRO" */

typedef struct sqlite_statement {
    const char *sql; /* a literal: compared by address first */
    sqlite3_stmt *prepared;
    bool in_use;
} sqlite_statement;

typedef struct sqlite_store {
    nitro_context *context;
    char *path;
    sqlite3 *db;
    int64_t version; /* of the file */
    bool in_group;   /* writes are part of one transaction */
    bool is_absent;  /* open for writing, but there is no file yet: `db` is empty and in memory */
    sqlite_statement statements[NITRO_SQLITE_MAX_STATEMENTS];
    size_t num_statements;
} sqlite_store;

/* ---- sqlite_open.c --------------------------------------------------------------------------- */
nitro_status nitro_sqlite_open(nitro_context *context, const char *path, nitro_store_mode mode,
                               void **state);
void nitro_sqlite_close(void *state);
/** Before the first write: create the file if it does not exist. On error the store stays
 * unchanged. No statement may be in use. */
nitro_status nitro_sqlite_make(sqlite_store *store);
/** Before a read: open the file if another process has created it since. */
nitro_status nitro_sqlite_look_again(sqlite_store *store);

/* ---- sqlite_statement.c ---------------------------------------------------------------------- */

/** Report SQLite's last error; `doing` completes "cannot ...". Never NITRO_OK. */
nitro_status nitro_sqlite_fail(sqlite_store *store, const char *doing);

/**
 * A statement to bind, prepared once per connection. If it is in use (a callback may read inside a
 * loop), another one is prepared. Return every statement with nitro_sqlite_give_back.
 */
nitro_status nitro_sqlite_take(sqlite_store *store, const char *sql, sqlite3_stmt **statement);
/** The same, with ?1 bound to a row's id. */
nitro_status nitro_sqlite_take_of(sqlite_store *store, const char *sql, sqlite3_int64 id,
                                  sqlite3_stmt **statement);
void nitro_sqlite_give_back(sqlite_store *store, sqlite3_stmt *statement);
/** Finalize all prepared statements. */
void nitro_sqlite_finalize(sqlite_store *store);
/** Next row; *has_row: is there one? */
nitro_status nitro_sqlite_step(sqlite_store *store, sqlite3_stmt *statement, bool *has_row);
/** The number in the first row of a bound statement, which is returned; *number stays without one.
 */
nitro_status nitro_sqlite_first(sqlite_store *store, sqlite3_stmt *statement, sqlite3_int64 *number,
                                bool *has_row);
/** The same of SQL without parameters. */
nitro_status nitro_sqlite_read_number(sqlite_store *store, const char *sql, sqlite3_int64 *number);
/** Run a statement without rows, and return it. */
nitro_status nitro_sqlite_finish(sqlite_store *store, sqlite3_stmt *statement);
/** The same of SQL with a row's id for ?1. */
nitro_status nitro_sqlite_run_of(sqlite_store *store, const char *sql, sqlite3_int64 id);
/** Run SQL text. */
nitro_status nitro_sqlite_execute(sqlite_store *store, const char *sql, const char *doing);
/** Bound without a copy, so it cannot fail; `text` must live until the statement is given back. */
void nitro_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text);
/** Transactions: `end` commits when `status` is NITRO_OK, else rolls back; it returns the status.
 * Reads nest (a callback may read inside a loop); writes do not. */
nitro_status nitro_sqlite_begin_read(sqlite_store *store);
nitro_status nitro_sqlite_end_read(sqlite_store *store, nitro_status status);
nitro_status nitro_sqlite_begin_write(sqlite_store *store);
nitro_status nitro_sqlite_end_write(sqlite_store *store, nitro_status status);

/** One transaction around several writes; one that fails is taken back alone. */
nitro_status nitro_sqlite_begin_group(void *state);
nitro_status nitro_sqlite_end_group(void *state, nitro_status status);

/** A text in an untrusted row: false where the column is of another type, or has a '\0' inside. */
bool nitro_sqlite_text(sqlite3_stmt *statement, int column, const char **text);

/** Row id of a computation or device by name; NITRO_ERR_NOT_FOUND without a message. */
nitro_status nitro_sqlite_find(sqlite_store *store, const char *sql, const char *name,
                               sqlite3_int64 *id);
#define NITRO_SQLITE_FIND_COMPUTATION "SELECT id FROM computations WHERE name = ?1"
#define NITRO_SQLITE_FIND_DEVICE      "SELECT id FROM devices WHERE name = ?1"
/** Append the names in the first column of a bound statement, and return it. Invalid names are left
 * out with a warning, since no record can be read by such a name. */
nitro_status nitro_sqlite_list(sqlite_store *store, sqlite3_stmt *statement,
                               nitro_string_list *names);

/* ---- sqlite_names.c: computations and devices. Inside a transaction of the caller's: --------- */

nitro_status nitro_sqlite_write_schema(sqlite_store *store, const nitro_schema *schema);
nitro_status nitro_sqlite_write_device(sqlite_store *store, const nitro_device *device);

/* ---- sqlite_records.c: samples and profiles, in tables of one layout ------------------------- */

/** Statements over one of the two tables. ?1 is the computation (0: proxies), ?2 the device. */
typedef struct sqlite_table {
    const char *select, *find, *count;      /* id, name, record; the same of name ?3; any device
                                               where ?2 is NULL */
    const char *insert, *replace;           /* name ?3, record ?4; what exists stays, or not */
    const char *remove, *remove_range;      /* any device where ?2 is NULL; names from ?3 to ?4 */
    const char *remove_same, *remove_by_id; /* name ?3 and record ?4; the row ?1 */
} sqlite_table;
extern const sqlite_table nitro_sqlite_samples, nitro_sqlite_profiles;

/** Row ids that records belong to. */
typedef struct sqlite_place {
    sqlite3_int64 computation; /* 0: proxies */
    sqlite3_int64 device;      /* 0: any */
} sqlite_place;
/** `computation` NULL: proxies; `device` NULL: any. NITRO_ERR_NOT_FOUND without a message. */
nitro_status nitro_sqlite_find_place(sqlite_store *store, const char *computation,
                                     const char *device, sqlite_place *place);
/** The same with an error that names what is missing. */
nitro_status nitro_sqlite_require_place(sqlite_store *store, const char *computation,
                                        const char *device, sqlite_place *place);
nitro_status nitro_sqlite_take_at(sqlite_store *store, const char *sql, const sqlite_place *place,
                                  sqlite3_stmt **statement);
/** Count or remove records; `count` is 0 without the computation or device. */
nitro_status nitro_sqlite_count(sqlite_store *store, const sqlite_table *table,
                                const char *computation, const char *device, size_t *count);
nitro_status nitro_sqlite_delete(sqlite_store *store, const sqlite_table *table,
                                 const char *computation, const char *device, size_t *count);
/** Run `sql` with a name and a record, which is emptied, unless `status` (of encoding it) is an
 * error. */
nitro_status nitro_sqlite_run_with(sqlite_store *store, const char *sql, const sqlite_place *place,
                                   const char *name, nitro_status status,
                                   nitro_record_bytes *record);
nitro_status nitro_sqlite_is_there(sqlite_store *store, const sqlite_table *table,
                                   const sqlite_place *place, const char *name, bool *found);

/** What to do with the records of a computation (NULL: of proxies) on a device. */
typedef struct sqlite_reader {
    sqlite_store *store;
    const nitro_schema *schema; /* NULL: proxies */
    const char *device;
    nitro_sample_function sample; /* called for the table's records; NULL: only check them */
    nitro_profile_function profile;
    void *user;
    /* Rows that cannot be read go to `unreadable`, with the last error; where that is NULL, its
     * message goes to `damaged`. `status`: NITRO_ERR_FORMAT or NITRO_ERR_NEWER. */
    nitro_problem_function damaged;
    nitro_status (*unreadable)(void *user, sqlite3_int64 id, nitro_status status);
    void *damaged_user;
} sqlite_reader;
/** Read and check records in byte order of names. */
nitro_status nitro_sqlite_read(const sqlite_reader *reader, const sqlite_table *table);

/* ---- the functions of nitro_store_kind ------------------------------------------------------- */
nitro_status nitro_sqlite_put_schema(void *state, const nitro_schema *schema);
nitro_status nitro_sqlite_get_schema(void *state, const char *computation, nitro_schema **schema);
nitro_status nitro_sqlite_list_computations(void *state, nitro_string_list *computations);
nitro_status nitro_sqlite_put_device(void *state, const nitro_device *device);
nitro_status nitro_sqlite_get_device(void *state, const char *id, nitro_device **device);
nitro_status nitro_sqlite_list_devices(void *state, const char *computation,
                                       nitro_string_list *ids);
nitro_status nitro_sqlite_put_samples(void *state, const char *computation, const char *device,
                                      const nitro_sample *const *samples, size_t count,
                                      bool replace);
nitro_status nitro_sqlite_put_recording(void *state, const nitro_schema *schema,
                                        const nitro_device *device, const char *device_id,
                                        const nitro_sample_source *source, bool replace);
nitro_status nitro_sqlite_each_sample(void *state, const char *computation, const char *device,
                                      nitro_sample_function function, void *user,
                                      nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_sqlite_get_sample(void *state, const char *computation, const char *device,
                                     const char *input, nitro_sample **sample);
nitro_status nitro_sqlite_list_inputs(void *state, const char *computation, const char *device,
                                      nitro_string_list *inputs);
nitro_status nitro_sqlite_count_samples(void *state, const char *computation, const char *device,
                                        size_t *count);
nitro_status nitro_sqlite_put_profiles(void *state, const char *device,
                                       const nitro_profile *const *profiles, size_t count,
                                       bool replace);
nitro_status nitro_sqlite_each_profile(void *state, const char *device, const char *computation,
                                       nitro_profile_function function, void *user,
                                       nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_sqlite_count_profiles(void *state, const char *device, const char *computation,
                                         size_t *count);
nitro_status nitro_sqlite_remove_profiles(void *state, const char *device, const char *computation,
                                          size_t *removed);
nitro_status nitro_sqlite_remove(void *state, const char *computation, const char *device,
                                 size_t *removed);
nitro_status nitro_sqlite_remove_samples(void *state, const char *computation, const char *device,
                                         const nitro_sample *const *samples, size_t count,
                                         size_t *removed);
nitro_status nitro_sqlite_remove_device(void *state, const char *id);
nitro_status nitro_sqlite_verify(void *state, nitro_problem_function report, void *user);
nitro_status nitro_sqlite_remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                         void *user);

#endif
