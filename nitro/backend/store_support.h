/* store_support.h - what a store backend uses besides nitro_store_kind: checks of records, errors
 * that every backend words alike, opening other stores, text that grows. Part of nitro_backend.h.
 */
#ifndef NITRO_BACKEND_STORE_SUPPORT_H
#define NITRO_BACKEND_STORE_SUPPORT_H

#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits and checks of records ---------------------------------------------------------- */

/** Most bytes of a text for people (a label, a detail, an origin) that a store takes. */
#define NITRO_STORE_MAX_TEXT 4096
/** Most features, and most labels, of one device that a store takes. */
#define NITRO_STORE_MAX_DEVICE_VALUES 1024
/** Most metrics of one kernel that a store takes. */
#define NITRO_STORE_MAX_METRICS 4096

/**
 * Is this record fit to be kept? The facade calls these for all that passes through it, so a
 * backend needs them only where it reads records for itself (`verify`).
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
 * What a store shall hold when `declared` is put where `stored` is. Features and variants must be
 * the same. A declared scale or unit fills in one that was left open (auto, "1"); two that are
 * declared and differ are refused, for samples would then be read in two ways. A declared default
 * variant replaces the stored one, and declared relative features replace all stored ones.
 * @param[out] merged  NULL when nothing changes; the caller's to free.
 * @return NITRO_OK; NITRO_ERR_MISMATCH (both printed); NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_merge_schema(nitro_context *context, const nitro_schema *stored,
                                                const nitro_schema *declared,
                                                nitro_schema **merged);

/**
 * What a store tells the profiles of one device and computation apart by: name, input, intensity
 * and kernel in one text, whose byte order is the order of each_profile. Up to its last byte 0x1F
 * it names the run. The caller's to free; NULL: out of memory.
 */
NITRO_API char *nitro_store_profile_key(nitro_context *context, const nitro_profile *profile);

/* ---- Errors that all backends word alike --------------------------------------------------- */

/** Hand the context's last error to `damaged`: a record that was read is damaged. */
NITRO_API void nitro_store_report_damage(nitro_context *context, nitro_problem_function damaged,
                                         void *damaged_user);
/** NITRO_ERR_EXISTS: of `count` inputs to store, `num_there` exist, some of which `there` names. */
NITRO_API nitro_status nitro_store_fail_exists(nitro_context *context, const char *where,
                                               const char *computation, const char *device,
                                               const nitro_string_list *there, size_t num_there,
                                               size_t count);
/** Append what a profile is called in messages: "csr on input: kernel". */
NITRO_API nitro_status nitro_store_describe_profile(nitro_context *context,
                                                    const nitro_profile *profile,
                                                    nitro_string_list *list);
/** NITRO_ERR_EXISTS: of `count` profiles to store, those that `there` describes exist. */
NITRO_API nitro_status nitro_store_fail_profiles_exist(nitro_context *context, const char *where,
                                                       const char *device,
                                                       const nitro_string_list *there,
                                                       size_t count);
/** NITRO_ERR_ARGUMENT where the store is open for reading. */
NITRO_API nitro_status nitro_store_require_writable(const nitro_store *store);
/** NITRO_ERR_NOT_FOUND: a device without samples of a computation, with those that have some. */
NITRO_API nitro_status nitro_store_fail_no_samples(nitro_store *store, const char *computation,
                                                   const char *device);

/* ---- Stores behind stores ------------------------------------------------------------------ */

/**
 * Make an open store of a state that a backend made itself, without a URL that leads to it.
 * @param[in] url    for messages; copied.
 * @param[in] state  the store's on success: nitro_store_close() hands it to `kind->close`.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_create(nitro_context *context, const nitro_store_kind *kind,
                                          nitro_store_mode mode, const char *url, void *state,
                                          nitro_store **store);
/** What `open` made, or nitro_store_create was given; borrowed. */
NITRO_API void *nitro_store_state(const nitro_store *store);
/** Open a store of this kind, whether it is built in or not. Errors as nitro_store_open. */
NITRO_API nitro_status nitro_store_open_kind(nitro_context *context, const nitro_store_kind *kind,
                                             const char *address, nitro_store_mode mode,
                                             nitro_store **store);
/**
 * "scheme:address" without the user and password that the address may hold: for messages, and for
 * everything else that people may see. free() it; NULL: out of memory.
 */
NITRO_API char *nitro_store_redact(nitro_context *context, const char *scheme, const char *address);
/** The same of a remote store; a local one's address as it is. */
NITRO_API char *nitro_store_print_url(nitro_context *context, const nitro_store_kind *kind,
                                      const char *address);
/**
 * $XDG_DATA_HOME/nitro/NAME; with `make` its folders are made, for the user alone. free() it.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (neither XDG_DATA_HOME nor HOME is set); NITRO_ERR_IO;
 *         NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_store_data_path(nitro_context *context, const char *name, bool make,
                                             char **path);

/* ---- Text ---------------------------------------------------------------------------------- */

/** The first few items of a list for an error: "a, b, c and 12 more". NULL: out of memory. */
NITRO_API char *nitro_store_print_some(nitro_context *context, const nitro_string_list *list);
/** The same where the list holds only the first ones of `total`. */
NITRO_API char *nitro_store_print_some_of(nitro_context *context, const nitro_string_list *list,
                                          size_t total);
/** Is the text in a list that nitro_string_list_sort sorted? */
NITRO_API bool nitro_store_sorted_list_has(const nitro_string_list *list, const char *text);

#ifdef __cplusplus
}
#endif

#endif
