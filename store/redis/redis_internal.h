/*
 * redis_internal.h - what the files of the Redis backend share: connections, commands, keys,
 * tables. docs/redis-keys.md lists the keys.
 */
#ifndef NITRO_STORE_REDIS_REDIS_INTERNAL_H
#define NITRO_STORE_REDIS_REDIS_INTERNAL_H

#include <hiredis/hiredis.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_slot.h"
#include "store/redis/redis_url.h"

#define NITRO_REDIS_LAYOUT NITRO_STORE_VERSION
/** The first layout that can be read: ids of 8 bytes, and samples of version 6. */
#define NITRO_REDIS_OLDEST_LAYOUT 6
/** Most bytes of one reply. Records of a page that is larger are read one by one. */
#define NITRO_REDIS_MAX_REPLY_BYTES ((size_t)64 << 20)
/** A sample begins with the id of its shared part: the first bytes of that part's hash, with the
 * hash of the schema as its seed. */
#define NITRO_REDIS_ID_BYTES        6
#define NITRO_REDIS_OLDEST_ID_BYTES 8
/** Rows in a page of a table. */
#define NITRO_REDIS_PAGE 500
/** Most pages of a scan: four times the names and records of a table that fits into memory. */
#define NITRO_REDIS_MAX_PAGES 65536
/** Most bytes of one record; larger ones are damage. */
#define NITRO_REDIS_MAX_RECORD_BYTES ((long long)4 << 20)
/** Most elements of one array in a reply; longer lists are read in pages. */
#define NITRO_REDIS_MAX_ELEMENTS ((size_t)1 << 20)
#define NITRO_REDIS_MAX_DEPTH    6 /* of arrays in arrays; CLUSTER SLOTS has 4 */
/** Most servers of a cluster. */
#define NITRO_REDIS_MAX_NODES 64

/* ---- redis_connection.c, redis_transfer.c, redis_budget.c: one connection -------------------- */

/** Bytes that the reply being read may still take. */
typedef struct redis_budget {
    size_t bytes;
    bool exceeded;
    redisReplyObjectFunctions hiredis; /* hiredis's own functions */
} redis_budget;

typedef struct redis_tls redis_tls;

typedef struct redis_node {
    char *host; /* or the path of a socket */
    int port;
    redisContext *connection; /* NULL: not connected */
    redis_tls *tls;           /* NULL: plain text */
    redisReplyObjectFunctions functions;
    redis_budget budget;
    bool answered;  /* a reply was received on this connection */
    char name[216]; /* for errors */
} redis_node;

typedef struct redis_store {
    nitro_context *context;
    redis_url *url;
    nitro_store_mode mode;
    int layout;
    redis_node nodes[NITRO_REDIS_MAX_NODES]; /* the URL's server first */
    size_t num_nodes;
    unsigned char slots[NITRO_REDIS_NUM_SLOTS]; /* the node of each, by redirections */
    bool may_pass;                              /* was the last failure temporary? */
    bool too_large;          /* was it a reply larger than NITRO_REDIS_MAX_REPLY_BYTES? */
    char *known_computation; /* the last one whose schema was read */
    uint64_t known_schema;   /* its nitro_redis_schema_hash */
} redis_store;

/** A command's words, borrowed. Zero-initialise; free with nitro_redis_words_free. */
typedef struct redis_words {
    const char **items;
    size_t *sizes;
    size_t count, capacity;
} redis_words;

nitro_status nitro_redis_words_add(nitro_context *context, redis_words *words, const void *bytes,
                                   size_t size);
nitro_status nitro_redis_words_add_text(nitro_context *context, redis_words *words,
                                        const char *text);
/** All of these texts, up to NULL. */
nitro_status nitro_redis_words_add_texts(nitro_context *context, redis_words *words, ...);
void nitro_redis_words_free(redis_words *words);

/** Connect, log in and choose the database, unless the node is connected. NITRO_ERR_IO. */
nitro_status nitro_redis_connect(redis_store *store, redis_node *node);
void nitro_redis_disconnect(redis_node *node);
/** Limit the size of a new connection's replies. */
void nitro_redis_bound_replies(redis_node *node);
/** "host:port" or the socket's path, for errors. */
const char *nitro_redis_node_name(const redis_store *store, redis_node *node);
/**
 * Send commands and read their replies; with `asking`, each after ASKING. Closes the connection on
 * failure. The caller frees the replies, on failure too; they may be NULL.
 */
nitro_status nitro_redis_exchange(redis_store *store, redis_node *node, const redis_words *commands,
                                  size_t num_commands, bool asking, redisReply **replies);

/* ---- redis_error.c: errors ------------------------------------------------------------------- */

/** Report a server's error: server, command, its text and a remedy, without the password. Sets
 * store->may_pass. */
nitro_status nitro_redis_fail(redis_store *store, redis_node *node, const redis_words *command,
                              const char *error);
/** What to do about a damaged key of this store, and what that loses. `text` has shape [size].
 * @return text */
const char *nitro_redis_describe_remedy(const redis_store *store, const char *key, char *text,
                                        size_t size);
/** Report a reply of an unexpected type, and close all connections. */
nitro_status nitro_redis_fail_reply(redis_store *store, const char *command, const char *key);

/* ---- redis_run.c: commands sent to the server that has the key ------------------------------- */

#define NITRO_REDIS_MAX_HOPS 8

/** Where commands of a slot go, and what happened to them. */
typedef struct redis_attempt {
    redis_store *store;
    unsigned slot;
    size_t node; /* of store->nodes */
    bool asking; /* after an ASK: each command needs ASKING */
    size_t hops, tries;
    bool answered; /* a server answered */
    bool sent;     /* the commands may have been carried out, but the reply was lost */
    bool again;    /* set by the function that tries: try again at once, at `node` */
} redis_attempt;

typedef nitro_status (*redis_try_function)(redis_attempt *a, void *user);
/** Call the function until it succeeds, fails for good, or the timeout ends. */
nitro_status nitro_redis_keep_trying(redis_store *store, const char *key, redis_try_function try_it,
                                     void *user);
bool nitro_redis_is_redirection(const char *error);
/** Set the attempt's node to the one that a redirection names. */
nitro_status nitro_redis_follow(redis_attempt *a, const char *error);

/**
 * Run commands of one slot, that of `key`, in one round trip: follows redirections and retries
 * temporary errors. On success every reply is set and none is an error.
 */
nitro_status nitro_redis_run(redis_store *store, const char *key, const redis_words *commands,
                             size_t num_commands, redisReply **replies);
/** One command: its name, its key, its arguments, NULL. `reply` may be NULL. */
nitro_status nitro_redis_query(redis_store *store, redisReply **reply, ...);
/** The value of a key, or of a field of the hash there (`field` NULL: of the key): a string or nil.
 */
nitro_status nitro_redis_get(redis_store *store, const char *key, const char *field,
                             redisReply **value);
void nitro_redis_free_replies(redisReply **replies, size_t count);

/* ---- redis_cluster.c ------------------------------------------------------------------------- */

/** NITRO_ERR_DENIED unless CLUSTER SLOTS, asked of this node, lists the server. */
nitro_status nitro_redis_require_listed(redis_store *store, redis_node *node, const char *host,
                                        int port);

/* ---- redis_transaction.c: read under WATCH, then write in MULTI and EXEC --------------------- */

typedef struct redis_transaction redis_transaction;

/** Reads what the transaction depends on. @param[out] write  false: nothing is to be written. */
typedef nitro_status (*redis_read_step)(void *user, redis_transaction *t, bool *write);
typedef nitro_status (*redis_write_step)(void *user, redis_transaction *t);

/**
 * Write all or nothing: if a watched key changes between reading and writing, both are repeated,
 * and so they are after temporary errors and redirections.
 * @param[in]  watched  keys of one slot, NULL-terminated; the first one chooses the server
 * @param[in]  read     may be NULL
 * @param[out] results  the reply to EXEC, an array; NULL if nothing was to be written. May be NULL.
 */
nitro_status nitro_redis_transact(redis_store *store, const char *const *watched,
                                  redis_read_step read, redis_write_step write, void *user,
                                  redisReply **results);
/** For the first step: none of the replies is an error. */
nitro_status nitro_redis_transaction_read(redis_transaction *t, const redis_words *commands,
                                          size_t count, redisReply **replies);
/** The same of one command about a key. */
nitro_status nitro_redis_transaction_query(redis_transaction *t, const char *command,
                                           const char *key, redisReply **reply);
/** The value of a key: a string or nil. The caller frees it, on failure too. */
nitro_status nitro_redis_transaction_get(redis_transaction *t, const char *key, redisReply **value);
/** For the second step: takes the words over, whose bytes must live until the end. `status`: of
 * making the words; nothing is done unless it is NITRO_OK. */
nitro_status nitro_redis_transaction_write(redis_transaction *t, redis_words *words,
                                           nitro_status status);
/** May the commands of this transaction have been carried out before? Their reply was lost. */
bool nitro_redis_transaction_is_resent(const redis_transaction *t);

/* ---- redis_keys.c ---------------------------------------------------------------------------- */

/** Hash tags of keys that belong to no computation; no name has a '@'. */
#define NITRO_REDIS_TAG_COMPUTATIONS "@computations"
#define NITRO_REDIS_TAG_DEVICES      "@devices"
#define NITRO_REDIS_TAG_PROXIES      "@proxies"

/** What the keys of a device's tables are called, for a tag; NULL-terminated. */
#define NITRO_REDIS_TABLE_KEYS                                                                     \
    (const char *const[])                                                                          \
    {                                                                                              \
        "samples", "profiles", "shared", NULL                                                      \
    }

/** "prefix:VERSION:{tag}:what", with ":of" after it where `of` is not NULL; NULL: out of memory. */
char *nitro_redis_key(redis_store *store, const char *tag, const char *what, const char *of);

/* ---- redis_table.c, redis_table_read.c: records by name, in byte order ----------------------- */

/** Records in a hash; beside that of samples, on the same slot, one of their shared parts. */
typedef struct redis_table {
    redis_store *store;
    char *records, *shared; /* keys; `shared` is NULL for profiles */
} redis_table;

/** The samples or profiles of a tag on a device. */
nitro_status nitro_redis_table_of(redis_store *store, const char *tag, bool of_profiles,
                                  const char *device, redis_table *table);
void nitro_redis_table_free(redis_table *table);

typedef struct redis_row {
    const char *name; /* terminated; may hold '\0' */
    const void *record;
    size_t name_size, record_size;
    const void *shared; /* of a sample that was read: its shared part; NULL: none is there */
    size_t shared_size;
    uint64_t order; /* for sorting */
} redis_row;

/** Memory of many rows, so that a pass over rows in the order of their coming is one over memory.
 */
typedef struct redis_chunk {
    struct redis_chunk *next;
    char bytes[];
} redis_chunk;

/** Rows in byte order of names. */
typedef struct redis_rows {
    redis_row *items; /* shape [count] */
    size_t count, capacity, bytes;
    redis_chunk *chunks; /* with the rows' names and records, the last one first */
    size_t used, size;   /* bytes of the last one */
} redis_rows;
/**
 * Read a hash whole: names, and values if wanted. A value that is too large is empty.
 * @param[in] t      the transaction to read in; NULL: none
 * @param[in] match  a glob-style pattern of names; NULL: all
 * @return NITRO_ERR_FORMAT: another type, or more bytes than any table of a Nitro store.
 */
nitro_status nitro_redis_rows_read(redis_store *store, redis_transaction *t, const char *key,
                                   const char *match, bool with_records, redis_rows *rows);
const redis_row *nitro_redis_rows_find(const redis_rows *rows, const char *name, size_t size);
void nitro_redis_rows_free(redis_rows *rows);

typedef enum redis_put_mode {
    REDIS_PUT_ADD,     /* write nothing if some of the rows exist */
    REDIS_PUT_REPLACE, /* existing rows */
    REDIS_PUT_RUNS,    /* first remove all rows whose names agree up to the last '\x1f' */
} redis_put_mode;

/**
 * Write all rows or none, and with them `shared`, shape [num_shared], by ids. If some rows exist
 * and may not be replaced, `there` is set to up to eight of their names and `num_there` to their
 * number.
 */
nitro_status nitro_redis_table_put(const redis_table *table, const redis_row *rows, size_t count,
                                   const redis_row *shared, size_t num_shared, redis_put_mode mode,
                                   nitro_string_list *there, size_t *num_there);
/** For the second step of a transaction: HSET, or HDEL, of rows at one of the table's keys. */
nitro_status nitro_redis_table_write(const redis_table *table, redis_transaction *t,
                                     const char *command, const char *key, const redis_row *rows,
                                     size_t count);
typedef nitro_status (*redis_row_function)(void *user, const redis_row *row);
/**
 * Rows in byte order of names, which are all in memory meanwhile; `record` is NULL if it is not
 * wanted, and empty for one that is too large. NITRO_ERR_FORMAT: the table itself is damaged.
 */
nitro_status nitro_redis_table_each(const redis_table *table, bool with_records,
                                    redis_row_function function, void *user);
/**
 * Remove, in one transaction, the rows whose records begin with the given ones (an empty one
 * matches all); `removed` counts them.
 */
nitro_status nitro_redis_table_remove(const redis_table *table, const redis_row *rows, size_t count,
                                      size_t *removed);
nitro_status nitro_redis_table_count(const redis_table *table, size_t *count);

/** Which of these rows exist? shape [count]. */
nitro_status nitro_redis_table_find(const redis_table *table, const redis_row *rows, size_t count,
                                    bool *found);

/* ---- redis_read.c: records of a table -------------------------------------------------------- */

/** Called for a row that cannot be read; the last error says why. `status`: NITRO_ERR_FORMAT or
 *  NITRO_ERR_NEWER. */
typedef nitro_status (*redis_unreadable_function)(void *user, const redis_row *row,
                                                  nitro_status status);
/** What to do with the rows of a table. */
typedef struct redis_reader {
    const nitro_schema *schema; /* NULL: proxies */
    const char *device;
    nitro_sample_function sample; /* called for the table's records; NULL: only check them */
    nitro_profile_function profile;
    void *user;
    redis_unreadable_function unreadable; /* NULL: only `damaged` is called */
    nitro_problem_function damaged;
    void *damaged_user; /* of both */
} redis_reader;
/** Decode all rows in byte order of names. Damage of the table itself is an error if `unreadable`
 * is set; else it is reported to `damaged`. */
nitro_status nitro_redis_read(const redis_reader *reader, const redis_table *table);
/** Bytes of an id in this store's layout. */
size_t nitro_redis_id_bytes(const redis_store *store);
/** The id of a shared part, of nitro_redis_id_bytes bytes. */
void nitro_redis_put_id(const redis_store *store, const void *part, size_t size,
                        uint64_t schema_hash, char *id);
/**
 * @param[in] where        starts messages; may be NULL
 * @param[in] schema_hash  nitro_redis_schema_hash of the schema
 */
nitro_status nitro_redis_decode_sample(redis_store *store, const char *where,
                                       const nitro_schema *schema, uint64_t schema_hash,
                                       const char *device, const redis_row *row,
                                       nitro_sample **sample);

/* ---- redis_index.c: sets of names; a name may have no record --------------------------------- */

nitro_status nitro_redis_index_add(redis_store *store, const char *tag, const char *index,
                                   const char *name);
typedef nitro_status (*redis_member_function)(void *user, const redisReply *const *members,
                                              size_t count);
/** All members, some perhaps twice, in pages of any number. */
nitro_status nitro_redis_index_each(redis_store *store, const char *key,
                                    redis_member_function function, void *user);
/** All valid names, sorted; a warning says how many others there are. */
nitro_status nitro_redis_index_read(redis_store *store, const char *tag, const char *index,
                                    bool (*is_valid)(const char *), nitro_string_list *names);
/** Drop the names without any of the keys of these sorts (NULL-terminated) and this tag. */
nitro_status nitro_redis_index_filter(redis_store *store, const char *tag, const char *const *sorts,
                                      nitro_string_list *names);
/** The rows of all names' hashes of this sort and tag. NITRO_ERR_FORMAT: one is no hash. */
nitro_status nitro_redis_index_count(redis_store *store, const char *tag, const char *sort,
                                     const nitro_string_list *names, size_t *count);
nitro_status nitro_redis_key_exists(redis_store *store, const char *key, bool *exists);
/** Does the key of nitro_redis_key exist? */
nitro_status nitro_redis_exists(redis_store *store, const char *tag, const char *what,
                                const char *of, bool *exists);

/* ---- redis_repair.c -------------------------------------------------------------------------- */

/** Remove the table. */
nitro_status nitro_redis_table_drop(const redis_table *table);
/** Count, and with `apply` remove, the shared parts to which no sample refers. */
nitro_status nitro_redis_table_tidy(const redis_table *table, bool apply, size_t *num_unused);
/** Count, and with `apply` remove, names that are not valid or that no device and no table has. */
nitro_status nitro_redis_index_prune(redis_store *store, const char *tag, const char *index,
                                     bool apply, size_t *num_invalid, size_t *num_unused);

/* ---- redis_remove.c -------------------------------------------------------------------------- */

/**
 * Remove, in one transaction, the keys of these sorts (NULL-terminated) of these devices, and the
 * key `also` (NULL: none). `removed` counts the rows in the keys of the first sort.
 */
nitro_status nitro_redis_unlink(redis_store *store, const char *tag,
                                const nitro_string_list *devices, const char *const *sorts,
                                const char *also, size_t *removed);
/** Remove the tables of a device whose record, or without `has_schema` whose schema, is missing,
 * unless it has been put by now. */
nitro_status nitro_redis_unlink_orphans(redis_store *store, const char *tag, const char *device,
                                        bool has_schema);

/* ---- the backend's functions ----------------------------------------------------------------- */
nitro_status nitro_redis_open(nitro_context *context, redis_transport transport,
                              const char *address, nitro_store_mode mode, void **state);
void nitro_redis_close(void *state);
/** The server has a store of this layout. Where there is none, it is made, unless the store is open
 * for reading: call it before a first record, since the server may have been emptied or replaced.
 */
nitro_status nitro_redis_require_layout(redis_store *store);
/** All devices with samples or profiles of a tag. */
nitro_status nitro_redis_list_announced(redis_store *store, const char *tag,
                                        nitro_string_list *ids);
/** For NITRO_ERR_FORMAT: log the last error as a warning and return NITRO_OK. */
nitro_status nitro_redis_pass_over(redis_store *store, nitro_status status);
/** Hash of the features' and variants' names in order. Samples begin with it, so that none is read
 * under another schema. */
uint64_t nitro_redis_schema_hash(const nitro_schema *schema);
/** NITRO_ERR_NOT_FOUND: no such device. */
nitro_status nitro_redis_require_device(redis_store *store, const char *id);
/** The same for a writer that has just put rows of the device; puts its name back into the tag's
 * index, from which others may have removed it before. */
nitro_status nitro_redis_keep_device(redis_store *store, const char *tag, const char *id);
nitro_status nitro_redis_put_schema(void *state, const nitro_schema *schema);
nitro_status nitro_redis_get_schema(void *state, const char *computation, nitro_schema **schema);
nitro_status nitro_redis_list_computations(void *state, nitro_string_list *computations);
nitro_status nitro_redis_put_device(void *state, const nitro_device *device);
nitro_status nitro_redis_get_device(void *state, const char *id, nitro_device **device);
nitro_status nitro_redis_list_devices(void *state, const char *computation, nitro_string_list *ids);
nitro_status nitro_redis_put_samples(void *state, const char *computation, const char *device,
                                     const nitro_sample *const *samples, size_t count,
                                     bool replace);
nitro_status nitro_redis_put_recording(void *state, const nitro_schema *schema,
                                       const nitro_device *device, const char *device_id,
                                       const nitro_sample_source *source, bool replace);
nitro_status nitro_redis_each_sample(void *state, const char *computation, const char *device,
                                     nitro_sample_function function, void *user,
                                     nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_redis_get_sample(void *state, const char *computation, const char *device,
                                    const char *input, nitro_sample **sample);
nitro_status nitro_redis_list_inputs(void *state, const char *computation, const char *device,
                                     nitro_string_list *inputs);
nitro_status nitro_redis_count_samples(void *state, const char *computation, const char *device,
                                       size_t *count);
nitro_status nitro_redis_put_profiles(void *state, const char *device,
                                      const nitro_profile *const *profiles, size_t count,
                                      bool replace);
nitro_status nitro_redis_each_profile(void *state, const char *device, const char *computation,
                                      nitro_profile_function function, void *user,
                                      nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_redis_count_profiles(void *state, const char *device, const char *computation,
                                        size_t *count);
nitro_status nitro_redis_remove_profiles(void *state, const char *device, const char *computation,
                                         size_t *removed);
nitro_status nitro_redis_remove(void *state, const char *computation, const char *device,
                                size_t *removed);
nitro_status nitro_redis_remove_samples(void *state, const char *computation, const char *device,
                                        const nitro_sample *const *samples, size_t count,
                                        size_t *removed);
nitro_status nitro_redis_claim(void *state, const char *computation, const char *device,
                               const char *input, const char *owner, uint32_t lease_ms,
                               bool *claimed);
nitro_status nitro_redis_remove_device(void *state, const char *id);
/** Even if there are samples; NITRO_OK also where it is gone by now. */
nitro_status nitro_redis_delete_device(redis_store *store, const char *id);
nitro_status nitro_redis_verify(void *state, nitro_problem_function report, void *user);
nitro_status nitro_redis_remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                        void *user);

#endif
