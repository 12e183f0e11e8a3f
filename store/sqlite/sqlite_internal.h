/* sqlite_internal.h - what the files of the SQLite backend share: the connection, statements kept
 * ready, transactions, and errors. */
#ifndef NITRO_STORE_SQLITE_SQLITE_INTERNAL_H
#define NITRO_STORE_SQLITE_SQLITE_INTERNAL_H

#include <sqlite3.h>

#include "nitro/nitro_backend.h"

#define NITRO_SQLITE_MAX_STATEMENTS 64
#define NITRO_SQLITE_APPLICATION_ID 0x4E54524F /* "NTRO" */
#define NITRO_SQLITE_VERSION        4          /* of the tables: sqlite_schema.c */

typedef struct sqlite_statement {
    const char *sql; /* a literal: compared by address first */
    sqlite3_stmt *prepared;
    bool in_use;
} sqlite_statement;

typedef struct sqlite_store {
    nitro_context *context;
    char *path;
    sqlite3 *db;
    bool is_absent; /* open for writing, but there is no file yet: `db` is empty and in memory */
    sqlite_statement statements[NITRO_SQLITE_MAX_STATEMENTS];
    size_t num_statements;
} sqlite_store;

/* ---- sqlite_open.c ---- */
nitro_status nitro_sqlite_open(nitro_context *context, const char *path, nitro_store_mode mode,
                               void **state);
void nitro_sqlite_close(void *state);
/** Before the first write to a file that is not there yet: make it. On error the store stays as it
 *  was. No statement may be in use. */
nitro_status nitro_sqlite_make(sqlite_store *store);
/** Before a read: if the file was not there yet, and another process has made it, open it. */
nitro_status nitro_sqlite_look_again(sqlite_store *store);

/* ---- sqlite_schema.c ---- */

/** Take the steps from this version of the tables (0: none yet) to the newest; in a transaction. */
nitro_status nitro_sqlite_upgrade(sqlite_store *store, int64_t version);

/* ---- sqlite_statement.c ---- */

/** Record what SQLite says of its last call; `doing` completes "cannot ...". Never NITRO_OK. */
nitro_status nitro_sqlite_fail(sqlite_store *store, const char *doing);
/** Record that a row is not what this backend wrote. */
nitro_status nitro_sqlite_fail_damaged(sqlite_store *store, const char *what, const char *name);

/**
 * A statement ready to bind; prepared once a connection. One that is in use already (a callback may
 * read while it is read to) is prepared anew. Give every statement back.
 */
nitro_status nitro_sqlite_take(sqlite_store *store, const char *sql, sqlite3_stmt **statement);
/** The same, with ?1 bound to a row's id. */
nitro_status nitro_sqlite_take_of(sqlite_store *store, const char *sql, sqlite3_int64 id,
                                  sqlite3_stmt **statement);
void nitro_sqlite_give_back(sqlite_store *store, sqlite3_stmt *statement);
/** Drop all statements that are kept ready. */
void nitro_sqlite_finalize(sqlite_store *store);
/** Next row; *has_row says whether there is one. */
nitro_status nitro_sqlite_step(sqlite_store *store, sqlite3_stmt *statement, bool *has_row);
/** The whole number in the first row of a statement without parameters; 0 where there is no row. */
nitro_status nitro_sqlite_read_number(sqlite_store *store, const char *sql, int64_t *number);
/** Run a statement that gives no rows, and give it back. */
nitro_status nitro_sqlite_finish(sqlite_store *store, sqlite3_stmt *statement);
/** The same of SQL with a row's id for ?1. */
nitro_status nitro_sqlite_run_of(sqlite_store *store, const char *sql, sqlite3_int64 id);
/** Hand each row of a bound statement to `function` until one fails, and give the statement back.
 */
nitro_status nitro_sqlite_each_row(sqlite_store *store, sqlite3_stmt *statement,
                                   nitro_status (*function)(void *user, sqlite3_stmt *row),
                                   void *user);
/** Run SQL text. */
nitro_status nitro_sqlite_execute(sqlite_store *store, const char *sql, const char *doing);
/** Bound without a copy, so it cannot fail; `text` must live until the statement is given back. */
void nitro_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text);
/** What made a record: columns of samples and of profiles. */
#define NITRO_SQLITE_PROVENANCE                                                                    \
    "origin, library, compiler, host, time_s, driver, toolkit, device_digest, device_state, cache"
#define NITRO_SQLITE_PROVENANCE_COUNT 10
/** Their values, from `index` on. */
void nitro_sqlite_bind_provenance(sqlite3_stmt *statement, int index,
                                  const nitro_provenance *provenance);

/** Transactions: `end` commits when `status` is NITRO_OK, else rolls back; it hands the status on.
 *  Reads nest (a callback may read while it is read to); writes do not. */
nitro_status nitro_sqlite_begin_read(sqlite_store *store);
nitro_status nitro_sqlite_end_read(sqlite_store *store, nitro_status status);
nitro_status nitro_sqlite_begin_write(sqlite_store *store);
nitro_status nitro_sqlite_end_write(sqlite_store *store, nitro_status status);

/** Columns of untrusted rows: false where the type is not the one wanted. */
bool nitro_sqlite_text(sqlite3_stmt *statement, int column, const char **text);
bool nitro_sqlite_text_or_null(sqlite3_stmt *statement, int column, const char **text);
bool nitro_sqlite_number(sqlite3_stmt *statement, int column, double *value); /* NULL: NaN */
bool nitro_sqlite_integer(sqlite3_stmt *statement, int column, int64_t *value);
/** A copy of a text or NULL; false also where memory is out. */
bool nitro_sqlite_copy_text(nitro_context *context, sqlite3_stmt *statement, int column,
                            char **copy);
/** NITRO_SQLITE_PROVENANCE_COUNT columns, as nitro_sqlite_bind_provenance writes them. */
bool nitro_sqlite_provenance(nitro_context *context, sqlite3_stmt *statement, int column,
                             nitro_provenance *provenance);

/** Row id of a computation or device by name; NITRO_ERR_NOT_FOUND without a message. */
nitro_status nitro_sqlite_find(sqlite_store *store, const char *sql, const char *name,
                               sqlite3_int64 *id);
#define NITRO_SQLITE_FIND_COMPUTATION "SELECT id FROM computations WHERE name = ?1"
#define NITRO_SQLITE_FIND_DEVICE      "SELECT id FROM devices WHERE name = ?1"
/** Append the names in the first column of a statement that is bound; gives it back. What is no
 *  name is left out, and said in the log: a record of that name cannot be asked for. */
nitro_status nitro_sqlite_list(sqlite_store *store, sqlite3_stmt *statement,
                               nitro_string_list *names);

/** The writes themselves, inside a transaction that is open. */
nitro_status nitro_sqlite_write_schema(sqlite_store *store, const nitro_schema *schema);
nitro_status nitro_sqlite_write_device(sqlite_store *store, const nitro_device *device);
nitro_status nitro_sqlite_write_samples(sqlite_store *store, const char *computation,
                                        const char *device, const nitro_sample *const *samples,
                                        size_t count, bool replace);
/** Profiles of a computation by its row id (NULL: of proxies) on a device (NULL: on all). */
nitro_status nitro_sqlite_delete_profiles(sqlite_store *store, const char *device,
                                          const sqlite3_int64 *computation, size_t *removed);

/* ---- sqlite_computations.c, sqlite_devices.c, sqlite_samples.c, sqlite_profiles.c,
 * sqlite_verify.c ---- */
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
                                        const nitro_sample *const *samples, size_t count,
                                        bool replace);
nitro_status nitro_sqlite_each_sample(void *state, const char *computation, const char *device,
                                      nitro_sample_function function, void *user,
                                      nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_sqlite_get_sample(void *state, const char *computation, const char *device,
                                     const char *input, nitro_sample **sample);
/** Told of a damaged row: its id, and a message that names the record. */
typedef void (*sqlite_damage_function)(void *user, sqlite3_int64 id, const char *problem);
/** One that hands the message alone to a caller of the store; `user` is a sqlite_problem_target. */
typedef struct sqlite_problem_target {
    nitro_problem_function report;
    void *user;
} sqlite_problem_target;
void nitro_sqlite_report_damage(void *user, sqlite3_int64 id, const char *problem);
/** As each_sample, but with the rows' ids; what is read is checked too. `function` may be NULL. */
nitro_status nitro_sqlite_read_samples(sqlite_store *store, const nitro_schema *schema,
                                       const char *device, nitro_sample_function function,
                                       void *user, sqlite_damage_function damaged,
                                       void *damaged_user);
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
/** As nitro_sqlite_read_samples. `schema` is of their computation; NULL: proxies. */
nitro_status nitro_sqlite_read_profiles(sqlite_store *store, const char *device,
                                        const nitro_schema *schema, nitro_profile_function function,
                                        void *user, sqlite_damage_function damaged,
                                        void *damaged_user);
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
