/* basics.h - names, strings, files, randomness, child processes: utilities for every other header.
 * Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_BASICS_H
#define NITRO_BACKEND_BASICS_H

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

/** "No such index". */
#define NITRO_NONE SIZE_MAX

struct json_t; /* jansson */
struct json_error_t;

/* ---- Names, strings, files, randomness ----------------------------------------------------- */

/** Name rules of nitro.h: computations, variants and features; device ids; input names. */
NITRO_API bool nitro_name_is_valid(const char *name);
NITRO_API bool nitro_device_id_is_valid(const char *id);
NITRO_API bool nitro_input_name_is_valid(const char *name);
/** A profile's metric: 1 to 127 characters of a name (current profilers have long ones). */
NITRO_API bool nitro_metric_name_is_valid(const char *name);
/** Descriptive text: UTF-8 of at most `max_bytes`, no control characters but newline and tab. */
NITRO_API bool nitro_text_is_valid(const char *text, size_t max_bytes);
/** Replace by '?' each byte of text from outside that is not UTF-8, and each control character but
 *  the allowed ones: terminals obey some, and no record holds them. */
NITRO_API void nitro_text_clean(char *text, const char *allowed_controls);

/** Strings, owned. Zero-initialise; every failure is out of memory and leaves the list as is. */
typedef struct nitro_string_list {
    char **items;
    size_t count;
    size_t capacity;
} nitro_string_list;

/** Append a copy. */
NITRO_API nitro_status nitro_string_list_add(nitro_context *context, nitro_string_list *list,
                                             const char *text);
/** Split "a,b,c" at commas and append; empty items are an error. */
NITRO_API nitro_status nitro_string_list_split(nitro_context *context, nitro_string_list *list,
                                               const char *text);
/** Index of `text`, or NITRO_NONE. */
NITRO_API size_t nitro_string_list_find(const nitro_string_list *list, const char *text);
/** "Did you mean": the name closest to `word` by edit distance, ties go to the first; NULL if none
 * of the `count` names is close. */
NITRO_API const char *nitro_closest_name(const char *const *names, size_t count, const char *word);
/** For messages: append an item to a list "a, b", which begins as "". Items for which there is no
 * room are left out, and the list then ends in "...". */
NITRO_API void nitro_message_list_add(char *text, size_t size, const char *format, ...)
    NITRO_PRINTF(3, 4);
/** Sort by bytes. */
NITRO_API void nitro_string_list_sort(nitro_string_list *list);
/** Sort, and drop texts that repeat. */
NITRO_API void nitro_string_list_unique(nitro_string_list *list);
NITRO_API void nitro_string_list_free(nitro_string_list *list);

/** strdup that records NITRO_ERR_NO_MEMORY. NULL in, NULL out (no error). */
NITRO_API char *nitro_strdup(nitro_context *context, const char *text);
/** Replace a text by a copy of another one (not NULL). NITRO_ERR_NO_MEMORY: the text stays. */
NITRO_API nitro_status nitro_text_replace(nitro_context *context, char **text, const char *other);
/** calloc that records NITRO_ERR_NO_MEMORY, also when count * size overflows. */
NITRO_API void *nitro_calloc(nitro_context *context, size_t count, size_t size);
/**
 * Room for one more item after the `count` items of an array, which doubles where it is full.
 * @param[in,out] capacity  of the array, in items of `size` bytes
 * @param[in] what  the items, for the error: "samples"
 * @return the array, which may have moved. NULL: NITRO_ERR_NO_MEMORY (recorded), and the array
 *         stays as it is.
 */
NITRO_API void *nitro_grow(nitro_context *context, void *items, size_t count, size_t *capacity,
                           size_t size, const char *what);
/** printf into a new string; NULL when out of memory (recorded). Free with free(). */
NITRO_API char *nitro_asprintf(nitro_context *context, const char *format, ...) NITRO_PRINTF(2, 3);

/**
 * Read a whole file.
 * @param[out] text  with a final '\0' that `size` does not count; free with free().
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such file); NITRO_ERR_IO; NITRO_ERR_FORMAT (larger than
 *         `max_bytes`); NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_file_read(nitro_context *context, const char *path, size_t max_bytes,
                                       char **text, size_t *size);
/** The same of a file that nobody named, or whose name may lead anywhere: pipes and devices are an
 * error, NITRO_ERR_IO, instead of waited for; not those that this process has open (/dev/fd/3). */
NITRO_API nitro_status nitro_file_read_regular(nitro_context *context, const char *path,
                                               size_t max_bytes, char **text, size_t *size);
/**
 * As nitro_file_read; a file that begins with gzip's signature is decompressed.
 * @return also NITRO_ERR_FORMAT (damaged, or larger than `max_bytes` decompressed) and
 *         NITRO_ERR_NOT_BUILT (compressed, and this build has no zlib).
 */
NITRO_API nitro_status nitro_file_read_gzip(nitro_context *context, const char *path,
                                            size_t max_bytes, char **text, size_t *size);
/**
 * Create a temporary file in the folder of `path`, under a name that nobody can predict, with the
 * permissions that the umask leaves of 0666. It never opens a file that exists.
 * @param[out] temporary   its path; free with free().
 * @param[out] descriptor  open for reading and writing.
 * @return NITRO_OK, NITRO_ERR_IO or NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_file_create_beside(nitro_context *context, const char *path,
                                                char **temporary, int *descriptor);
/** Write atomically: a temporary file beside it, synced, renamed. An existing file is unchanged on
 * error; if it is ours, its permissions are kept, but no setuid, setgid or sticky bit. A terminal
 * or pipe is written to directly, and an open file (/dev/stdout, /dev/fd/N) at its end. NITRO_OK or
 * NITRO_ERR_IO.
 */
NITRO_API nitro_status nitro_file_write(nitro_context *context, const char *path, const char *text,
                                        size_t size);

/**
 * The path of `name` below the folder "nitro" of the user's own folder of a kind: that of the
 * environment `variable` ("XDG_DATA_HOME"), else `below_home` (".local/share") of HOME. By the XDG
 * base directory specification a relative path counts as none.
 * @param[out] path  free with free(); NULL with NITRO_OK: neither variable is set.
 */
NITRO_API nitro_status nitro_user_path(nitro_context *context, const char *variable,
                                       const char *below_home, const char *name, char **path);
/** Make a folder and those above it, for the user alone. @return NITRO_OK or NITRO_ERR_IO. */
NITRO_API nitro_status nitro_make_folders(nitro_context *context, const char *path);
/** Make and name the folder FAMILY of the user's cache, $XDG_CACHE_HOME/nitro or ~/.cache/nitro.
 *  @return NITRO_OK; NITRO_ERR_NOT_FOUND: neither variable has an absolute path; NITRO_ERR_IO. */
NITRO_API nitro_status nitro_user_cache(nitro_context *context, const char *family, char **path);

/**
 * Make a folder "PREFIXxxxxxx" for the user alone in $TMPDIR, or /tmp, whose files nobody needs
 * after this process. Removes those that killed processes of this user left there.
 * @param[out] folder  free with free(). @param[out] lock  held as long as the folder is used.
 * @return NITRO_OK, NITRO_ERR_IO or NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_private_folder_make(nitro_context *context, const char *prefix,
                                                 char **folder, int *lock);
/** Remove it with all that is in it, and close the lock. */
NITRO_API void nitro_private_folder_remove(const char *folder, int lock);

/**
 * Read a short file that holds a secret (a password, a key), refused if others may access it.
 * @param[out] text  shape [text_size], ended by '\0'; wipe it after use (explicit_bzero). Zeros on
 *                   error.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO (others may read or write it, another user
 *         owns it, or it is not a regular file); NITRO_ERR_FORMAT (longer, or not text). No error
 *         shows the contents.
 */
NITRO_API nitro_status nitro_file_read_private(nitro_context *context, const char *path, char *text,
                                               size_t text_size);
/** Create such a file: mode 0600, synced. NITRO_ERR_EXISTS if the path exists. */
NITRO_API nitro_status nitro_file_create_private(nitro_context *context, const char *path,
                                                 const char *text);

/** How this thread reads and writes numbers; see nitro_numbers_begin. */
typedef struct nitro_number_scope {
    void *locale;
    int rounding;
} nitro_number_scope;
/**
 * Read and write numbers in the C locale and rounded to nearest, whatever the application set, so
 * that the same values give the same bytes. Call the second before returning to the application.
 */
NITRO_API nitro_number_scope nitro_numbers_begin(void);
NITRO_API void nitro_numbers_end(nitro_number_scope scope);
/** json_loadb with duplicate keys rejected, in such a scope. json_error_code() is
 * json_error_out_of_memory where memory runs out; jansson leaves that unsaid. */
NITRO_API struct json_t *nitro_json_parse(const char *text, size_t size, size_t flags,
                                          struct json_error_t *error);
/** The same without flags. NITRO_ERR_FORMAT: origin, line and column are named. */
NITRO_API nitro_status nitro_json_read(nitro_context *context, const char *origin, const char *text,
                                       size_t size, struct json_t **value);
/** json_dumps in such a scope. */
NITRO_API char *nitro_json_print(const struct json_t *value, size_t flags);

/** Read one finite decimal number that fills all of `text` (strtod's forms, C locale). */
NITRO_API bool nitro_parse_number(const char *text, double *value);
/** Shortest decimal form that reads back as the same double; at least 32 bytes of room. */
NITRO_API void nitro_format_number(double value, char *text, size_t size);

/** Send a message to the context's log, if this level is enabled; see nitro_log_function. */
NITRO_API void nitro_log(nitro_context *context, nitro_log_level level, const char *format, ...)
    NITRO_PRINTF(3, 4);

/** The context's clock. */
NITRO_API double nitro_clock_wall_ms(const nitro_context *context);
NITRO_API double nitro_clock_thread_cpu_ms(const nitro_context *context);

/** Seeded randomness (xoshiro256**): the same seed gives the same numbers everywhere. */
typedef struct nitro_random {
    uint64_t state[4];
} nitro_random;

/** Initialize. */
NITRO_API void nitro_random_seed(nitro_random *random, uint64_t seed);
NITRO_API uint64_t nitro_random_next(nitro_random *random);  /* 64 bits */
NITRO_API double nitro_random_uniform(nitro_random *random); /* [0, 1) */
NITRO_API double nitro_random_normal(nitro_random *random);  /* mean 0, deviation 1 */
NITRO_API uint64_t nitro_random_below(nitro_random *random, uint64_t bound); /* [0, bound) */
/** 64-bit hash of bytes, the same on every machine (XXH3). */
NITRO_API uint64_t nitro_hash(const void *data, size_t size, uint64_t seed);

/* ---- Child processes ------------------------------------------------------------------------- */

/** A function for a child process. @param[out] answer  a text, malloc'd. Its status and last error
 * are passed to the parent. */
typedef nitro_status (*nitro_child_function)(nitro_context *context, void *state, char **answer);

/**
 * Run a function in a forked process, so that a driver or thread pool that it opens does not affect
 * this process, and a hang or crash becomes an error. Memory that it writes and messages that it
 * logs stay in the child.
 * @param[in]  what      for errors: "querying the CUDA driver".
 * @param[out] answer    free with free().
 * @return the function's status; NITRO_ERR_NO_MEMORY: no process could be started; NITRO_ERR_IO: it
 *         crashed, exited without an answer, or exceeded `limit_ms` of real time and was killed.
 */
NITRO_API nitro_status nitro_child_run(nitro_context *context, const char *what, double limit_ms,
                                       nitro_child_function function, void *state, char **answer);

#ifdef __cplusplus
}
#endif

#endif
