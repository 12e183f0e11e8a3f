/* store_support.h - what store backends share besides nitro_store_kind: checks of records, common
 * errors, opening other stores, lists of names. Part of nitro_backend.h.
 */
#ifndef NITRO_BACKEND_STORE_SUPPORT_H
#define NITRO_BACKEND_STORE_SUPPORT_H

#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits and checks of records ------------------------------------------------------------ */

/** Most bytes of a text (a label, a detail, an origin) in a store. */
#define NITRO_STORE_MAX_TEXT 4096
/** Most features, and most labels, of a device in a store. */
#define NITRO_STORE_MAX_DEVICE_VALUES 1024
/** Most metrics of a kernel in a store. */
#define NITRO_STORE_MAX_METRICS 4096

/**
 * Is this record valid? The facade checks every record that is written, and the codec every one it
 * decodes; a backend that does not use the codec must check what it reads.
 * @param[in] where  starts the message: the store's URL or path.
 * @return NITRO_OK, or `failure` (NITRO_ERR_ARGUMENT on the way in, NITRO_ERR_FORMAT on the way
 *         out) naming the record, the field and its value; NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_check_schema(nitro_context *context, const char *where,
                                                const nitro_schema *schema, nitro_status failure);
NITRO_API nitro_status nitro_store_check_device(nitro_context *context, const char *where,
                                                const nitro_device *device, nitro_status failure);
NITRO_API nitro_status nitro_store_check_sample(nitro_context *context, const char *where,
                                                const nitro_schema *schema, const char *device,
                                                const nitro_sample *sample, nitro_status failure);
/** `schema` is of the profile's computation, and NULL for a proxy's. */
NITRO_API nitro_status nitro_store_check_profile(nitro_context *context, const char *where,
                                                 const nitro_schema *schema, const char *device,
                                                 const nitro_profile *profile,
                                                 nitro_status failure);

/**
 * The schema to store when `declared` is put in place of `stored`. Features and variants must be
 * the same. A declared scale or unit fills in an open one (auto, "1"); different declared ones are
 * refused, since they would change the meaning of samples. A declared default variant replaces the
 * stored one, and declared relative features replace all stored ones.
 * @param[out] merged  NULL if nothing changes; the caller frees it.
 * @return NITRO_OK; NITRO_ERR_MISMATCH (both printed); NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_merge_schema(nitro_context *context, const nitro_schema *stored,
                                                const nitro_schema *declared,
                                                nitro_schema **merged);

/**
 * The key of a profile of a device and computation: name, input, intensity and kernel in one text,
 * whose byte order is that of each_profile. The part up to the last byte 0x1F names the run. The
 * caller frees it; NULL: out of memory.
 */
NITRO_API char *nitro_store_profile_key(nitro_context *context, const nitro_profile *profile);

/* ---- Errors common to all backends ----------------------------------------------------------- */

/** Pass the context's last error, about a damaged record, to `damaged`. */
NITRO_API void nitro_store_report_damage(nitro_context *context, nitro_problem_function damaged,
                                         void *damaged_user);
/** NITRO_ERR_EXISTS: `num_there` of `count` inputs to store exist; `there` names some of them. */
NITRO_API nitro_status nitro_store_fail_exists(nitro_context *context, const char *where,
                                               const char *computation, const char *device,
                                               const nitro_string_list *there, size_t num_there,
                                               size_t count);
/** Append a profile's title for messages: "csr on input: kernel". */
NITRO_API nitro_status nitro_store_describe_profile(nitro_context *context,
                                                    const nitro_profile *profile,
                                                    nitro_string_list *list);
/** NITRO_ERR_EXISTS: those of `count` profiles to store that `there` describes exist. */
NITRO_API nitro_status nitro_store_fail_profiles_exist(nitro_context *context, const char *where,
                                                       const char *device,
                                                       const nitro_string_list *there,
                                                       size_t count);
/** NITRO_ERR_ARGUMENT: the store is open for reading. */
NITRO_API nitro_status nitro_store_require_writable(const nitro_store *store);
/** NITRO_ERR_NOT_FOUND: a device has no samples of a computation; the message lists those that
 * have. */
NITRO_API nitro_status nitro_store_fail_no_samples(nitro_store *store, const char *computation,
                                                   const char *device);

/* ---- Stores behind stores -------------------------------------------------------------------- */

/**
 * Make an open store from a backend's own state, without opening a URL.
 * @param[in] url    for messages; copied.
 * @param[in] state  owned by the store on success: nitro_store_close() passes it to `kind->close`.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_create(nitro_context *context, const nitro_store_kind *kind,
                                          nitro_store_mode mode, const char *url, void *state,
                                          nitro_store **store);
/** Open a store of this kind, which need not be built in. Errors as nitro_store_open. */
NITRO_API nitro_status nitro_store_open_kind(nitro_context *context, const nitro_store_kind *kind,
                                             const char *address, nitro_store_mode mode,
                                             nitro_store **store);
/**
 * "scheme:address" without user and password, for messages and other output. free() it; NULL: out
 * of memory.
 */
NITRO_API char *nitro_store_redact(nitro_context *context, const char *scheme, const char *address);
/** The same for a remote store; a local store's address is unchanged. */
NITRO_API char *nitro_store_print_url(nitro_context *context, const nitro_store_kind *kind,
                                      const char *address);
/**
 * $XDG_DATA_HOME/nitro/NAME; `make` creates its folders, accessible to the user only. free() it.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (neither XDG_DATA_HOME nor HOME is set); NITRO_ERR_IO;
 *         NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_data_path(nitro_context *context, const char *name, bool make,
                                             char **path);

/* ---- Text ------------------------------------------------------------------------------------ */

/** The first few items of a list for an error: "a, b, c and 12 more". NULL: out of memory. */
NITRO_API char *nitro_store_print_some(nitro_context *context, const nitro_string_list *list);
/** The same for a list that holds only the first of `total`. */
NITRO_API char *nitro_store_print_some_of(nitro_context *context, const nitro_string_list *list,
                                          size_t total);
/** Is the text in a list sorted by nitro_string_list_sort? */
NITRO_API bool nitro_store_sorted_list_has(const nitro_string_list *list, const char *text);

#ifdef __cplusplus
}
#endif

#endif
