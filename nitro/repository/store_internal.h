/* store_internal.h - what the files of store/ share: the open store, checks of records, checksums.
 * Backends use the checks and checksums too, so that every store refuses the same things. */
#ifndef NITRO_REPOSITORY_STORE_INTERNAL_H
#define NITRO_REPOSITORY_STORE_INTERNAL_H

#include "nitro/nitro_backend.h"

struct nitro_store {
    nitro_context *context;
    const nitro_store_kind *kind;
    nitro_store_mode mode;
    char *url;
    void *state;
};

/** A store behind a journal: store/journal/journal.c. Not among the built-in kinds, for it has no
 * scheme.
 */
extern const nitro_store_kind nitro_store_journaled;

/** Open a store of this kind, whether it is built in or not. */
nitro_status nitro_store_open_kind(nitro_context *context, const nitro_store_kind *kind,
                                   const char *address, nitro_store_mode mode, nitro_store **store);

/** "scheme:address", a remote one without its password. free() it. */
char *nitro_store_print_url(nitro_context *context, const nitro_store_kind *kind,
                            const char *address);

/** The URL that is meant: `url`, or where it is NULL the user's setting, or the user's own store
 * (its folder is made for writing). free() it. */
nitro_status nitro_store_choose_url(nitro_context *context, const char *url, nitro_store_mode mode,
                                    char **chosen);

/** Which kind a URL means, and what follows its scheme. */
nitro_status nitro_store_find_kind(nitro_context *context, const char *url,
                                   const nitro_store_kind **kind, const char **address);

/**
 * $XDG_DATA_HOME/nitro/NAME, its folders made (for the user alone) with `make`.
 * NITRO_ERR_ARGUMENT where nothing says what is home.
 */
nitro_status nitro_store_data_path(nitro_context *context, const char *name, bool make,
                                   char **path);

/** Tell `damaged` of the context's last error: a record that came out of the store is no good. */
void nitro_store_report_damage(nitro_context *context, nitro_problem_function damaged,
                               void *damaged_user);
/** Damaged records as warnings in the log: the first ones by name, then how many there are. */
typedef struct damage_log {
    const nitro_store *store;
    size_t count;
} damage_log;
void nitro_store_log_damage(void *log, const char *problem);
void nitro_store_end_damage_log(const damage_log *log);

/** NITRO_ERR_ARGUMENT where the store is open for reading. */
nitro_status nitro_store_require_writable(const nitro_store *store);
/** Names that come from a caller go on to a backend only when they are clean. NULL: not checked. */
nitro_status nitro_store_require_names(const nitro_store *store, const char *computation,
                                       const char *device);
/** The same where both must be named. */
nitro_status nitro_store_require_both(const nitro_store *store, const char *computation,
                                      const char *device);

/** NITRO_ERR_NOT_FOUND: a device without samples of a computation, with those that have some. */
nitro_status nitro_store_fail_no_samples(nitro_store *store, const char *computation,
                                         const char *device);

/** Copy a device's features where they are not there, and its samples and profiles of a computation
 *  (NULL: its profiles of proxies) with the computation's names; adds to the report. */
nitro_status nitro_store_copy_device(nitro_store *from, nitro_store *to, const char *device,
                                     const char *computation, nitro_copy_report *report);
/** Copy the profiles of a computation (NULL: of proxies) on a device; adds to the report. */
nitro_status nitro_store_copy_profiles(nitro_store *from, nitro_store *to, const char *device,
                                       const char *computation, nitro_copy_report *report);

/** Most bytes of a text for people (a label, a detail, an origin) that a store takes. */
#define NITRO_STORE_MAX_TEXT 4096
/** Most features, and most labels, of one device that a store takes. */
#define NITRO_STORE_MAX_DEVICE_VALUES 1024
/** Most metrics of one kernel that a store takes. */
#define NITRO_STORE_MAX_METRICS 4096

/**
 * "scheme:address" without the user and password that the address may hold: for messages, and for
 * all else that somebody may see. Free with free(); NULL: out of memory.
 */
char *nitro_store_redact(nitro_context *context, const char *scheme, const char *address);

/**
 * Is this record fit to be kept? `where` starts the message: the store's URL or path.
 * @return NITRO_OK, or `failure` (NITRO_ERR_ARGUMENT on the way in, NITRO_ERR_FORMAT on the way
 *         out) naming the record, the field and its value.
 */
nitro_status nitro_store_check_schema(nitro_context *context, const char *where,
                                      const nitro_schema *schema, nitro_status failure);
nitro_status nitro_store_check_device(nitro_context *context, const char *where,
                                      const nitro_device *device, nitro_status failure);
nitro_status nitro_store_check_sample(nitro_context *context, const char *where,
                                      const nitro_schema *schema, const char *device,
                                      const nitro_sample *sample, nitro_status failure);
/** `schema` is of the profile's computation, and NULL for a proxy's. */
nitro_status nitro_store_check_profile(nitro_context *context, const char *where,
                                       const nitro_schema *schema, const char *device,
                                       const nitro_profile *profile, nitro_status failure);

/**
 * What a store tells profiles of one device and computation apart by: name, input, intensity and
 * kernel in one text, whose byte order is the order of each_profile. Up to its last '\x1f' it is
 * the run's. The caller's to free; NULL: out of memory.
 */
char *nitro_store_profile_key(nitro_context *context, const nitro_profile *profile);

/** Append what a profile is called in messages: "csr on input: kernel". */
nitro_status nitro_store_describe_profile(nitro_context *context, const nitro_profile *profile,
                                          nitro_string_list *list);
/** NITRO_ERR_EXISTS: of `count` profiles to store, those that `there` describes are there. */
nitro_status nitro_store_fail_profiles_exist(nitro_context *context, const char *where,
                                             const char *device, const nitro_string_list *there,
                                             size_t count);

/**
 * What the store shall hold when `declared` comes to what is `stored` already. Names must be the
 * same. A declared scale or unit fills in one that was left open (auto, "1"); two that are declared
 * and differ are refused, for samples would then be read in two ways. A declared default variant
 * replaces the stored one, and declared relative features replace all stored ones.
 * @param[out] merged  NULL when nothing changes.
 * @return NITRO_OK, NITRO_ERR_MISMATCH (both printed), NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_store_merge_schema(nitro_context *context, const nitro_schema *stored,
                                      const nitro_schema *declared, nitro_schema **merged);

/**
 * Checksums over all that a record holds, the same on every machine and in every store. A sample's
 * and a profile's cover the names of computation and device, so that a row under another name is
 * found.
 */
uint64_t nitro_store_schema_checksum(const nitro_schema *schema);
uint64_t nitro_store_device_checksum(const nitro_device *device);
uint64_t nitro_store_sample_checksum(const char *computation, const char *device,
                                     const nitro_sample *sample);
uint64_t nitro_store_profile_checksum(const char *device, const nitro_profile *profile);

#endif
