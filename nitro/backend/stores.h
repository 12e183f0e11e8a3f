/* stores.h - the family of stores, and the functions on an open store. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_STORES_H
#define NITRO_BACKEND_STORES_H

#include "nitro/backend/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Family: stores -------------------------------------------------------------------------- */

typedef nitro_status (*nitro_sample_function)(void *user, const nitro_sample *sample);
typedef nitro_status (*nitro_profile_function)(void *user, const char *device,
                                               const nitro_profile *profile);
typedef void (*nitro_problem_function)(void *user, const char *problem);

/** Samples one after another, with inputs that differ. */
typedef struct nitro_sample_source {
    /** The next sample, valid until the next call; NULL after the last one. It must not use the
     * store. */
    nitro_status (*next)(void *user, const nitro_sample **sample);
    void *user;
} nitro_sample_source;

/** An array as a source: {nitro_sample_array_next, &array}. */
typedef struct nitro_sample_array {
    const nitro_sample *const *samples; /* shape [count] */
    size_t count;
    size_t next; /* 0 at first */
} nitro_sample_array;
NITRO_API nitro_status nitro_sample_array_next(void *array, const nitro_sample **sample);

/**
 * A backend. Functions get the state that `open` made; a write is atomic, and durable when it
 * returns. Reads are in byte order of names, so that the same content gives the same output. The
 * content of a store is untrusted: a backend hands out only checked records, as the codec decodes
 * them (backend/record_codec.h).
 */
typedef struct nitro_store_kind {
    const char *scheme; /* "sqlite" */
    const char *description;
    bool remote;    /* may be unreachable, so a tune keeps a journal */
    bool read_only; /* has no functions that write; opening it for writing fails */
    int priority;   /* the kind of highest priority opens plain paths */
    /** NULL, or the plug-in with this kind's functions, which this entry then lacks. */
    const char *plugin;

    /** `address` is the URL after "scheme:". Opening creates nothing: the first write creates the
     * store. */
    nitro_status (*open)(nitro_context *context, const char *address, nitro_store_mode mode,
                         void **state);
    void (*close)(void *state);

    /** Schemas of computations. put: NITRO_ERR_MISMATCH if the stored one has other names. */
    nitro_status (*put_schema)(void *state, const nitro_schema *schema);
    nitro_status (*get_schema)(void *state, const char *computation, nitro_schema **schema);
    nitro_status (*list_computations)(void *state, nitro_string_list *computations);

    /** Devices; put replaces the record of this id. */
    nitro_status (*put_device)(void *state, const nitro_device *device);
    nitro_status (*get_device)(void *state, const char *id, nitro_device **device);
    /** `computation` NULL: all devices; else those with samples of it. */
    nitro_status (*list_devices)(void *state, const char *computation, nitro_string_list *ids);

    /**
     * All `count` samples or none, in one transaction. An existing input: NITRO_ERR_EXISTS (named),
     * or replaced.
     */
    nitro_status (*put_samples)(void *state, const char *computation, const char *device,
                                const nitro_sample *const *samples, size_t count, bool replace);
    /** put_schema, put_device (NULL: it exists) and put_samples in one transaction, which a failure
     * of the source ends without any change. */
    nitro_status (*put_recording)(void *state, const nitro_schema *schema,
                                  const nitro_device *device, const char *device_id,
                                  const nitro_sample_source *source, bool replace);
    /**
     * Samples in byte order of input names; a callback's failure ends the loop and is returned. The
     * callback may read the same open store, but not write to it. A sample that is damaged or of a
     * newer Nitro is skipped: `damaged` gets a message that names it.
     */
    nitro_status (*each_sample)(void *state, const char *computation, const char *device,
                                nitro_sample_function function, void *user,
                                nitro_problem_function damaged, void *damaged_user);
    /** One sample. NITRO_ERR_NOT_FOUND (without a message), NITRO_ERR_FORMAT (damaged),
     *  NITRO_ERR_NEWER. */
    nitro_status (*get_sample)(void *state, const char *computation, const char *device,
                               const char *input, nitro_sample **sample);
    nitro_status (*list_inputs)(void *state, const char *computation, const char *device,
                                nitro_string_list *inputs);
    nitro_status (*count_samples)(void *state, const char *computation, const char *device,
                                  size_t *count);

    /**
     * All `count` profiles or none, in one transaction; their computations and the device exist. An
     * existing one: NITRO_ERR_EXISTS (named). `replace` first removes all stored profiles of the
     * batch's runs, whatever their kernels.
     */
    nitro_status (*put_profiles)(void *state, const char *device,
                                 const nitro_profile *const *profiles, size_t count, bool replace);
    /**
     * Profiles of a computation's variants (`computation` NULL: of proxies) on a device (NULL: on
     * all), in byte order of device, name, input, kernel, intensities from small to large. Rules of
     * each_sample. Without any profiles the loop is empty.
     */
    nitro_status (*each_profile)(void *state, const char *device, const char *computation,
                                 nitro_profile_function function, void *user,
                                 nitro_problem_function damaged, void *damaged_user);
    nitro_status (*count_profiles)(void *state, const char *device, const char *computation,
                                   size_t *count);
    nitro_status (*remove_profiles)(void *state, const char *device, const char *computation,
                                    size_t *removed);

    /**
     * Remove the samples and profiles of a computation on a device; NULL device: on all, and its
     * schema too. `removed` counts samples.
     */
    nitro_status (*remove)(void *state, const char *computation, const char *device,
                           size_t *removed);
    /** Remove and count those of the samples that are stored with the same checksum; one that was
     * replaced stays. */
    nitro_status (*remove_samples)(void *state, const char *computation, const char *device,
                                   const nitro_sample *const *samples, size_t count,
                                   size_t *removed);
    /** Remove a device. NITRO_ERR_NOT_FOUND (without a message); NITRO_ERR_EXISTS: it has samples
     * or profiles. */
    nitro_status (*remove_device)(void *state, const char *id);

    /**
     * Optional: claim an input for a tuner (`owner`: a unique text of 1 to 127 bytes) for
     * `lease_ms`; the same owner may claim it again for another time. Samples of unclaimed inputs
     * may be put too. NULL: no claims.
     */
    nitro_status (*claim)(void *state, const char *computation, const char *device,
                          const char *input, const char *owner, uint32_t lease_ms, bool *claimed);
    /** Check everything and report each problem; nitro_store_verify() counts them, and fails. */
    nitro_status (*verify)(void *state, nitro_problem_function report, void *user);
    /** Report and remove damaged devices, and damaged and orphaned samples and profiles; `dry_run`:
     * only report. Records of a newer Nitro stay. */
    nitro_status (*remove_damaged)(void *state, bool dry_run, nitro_problem_function report,
                                   void *user);
    /** Version of the store's layout, from 1. */
    nitro_status (*layout_version)(void *state, int64_t *version);
    /** Size on disk; 0: unknown. */
    nitro_status (*size_bytes)(void *state, uint64_t *bytes);

    /** Optional, both or neither: make the writes in between one transaction, which `end` commits
     * if `status` is NITRO_OK, and else takes back; it returns the status. A write that fails is
     * taken back alone. */
    nitro_status (*begin)(void *state);
    nitro_status (*end)(void *state, nitro_status status);

    /** Optional: for a kind that keeps samples on this machine until a remote store has them. As
     * nitro_store_flush and nitro_store_count_unsent; NULL: samples are never unsent. */
    nitro_status (*flush)(void *state, double patience_ms, size_t *unsent);
    nitro_status (*count_unsent)(void *state, size_t *unsent);
} nitro_store_kind;

/** Opens remote stores behind a journal on this machine: nitro_store_open_journaled. */
typedef struct nitro_store_journal {
    nitro_status (*open)(nitro_context *context, const nitro_store_kind *remote,
                         const char *address, nitro_store **store);
    /** As nitro_store_list_unsent. */
    nitro_status (*list_unsent)(nitro_context *context, nitro_string_list *urls);
} nitro_store_journal;

/*
 * The same functions on an open store of any kind; they also check what is written. One thread at a
 * time. Common errors: NITRO_ERR_ARGUMENT for writing to a store open for reading, and for a record
 * or name that is not valid; NITRO_ERR_NOT_FOUND, with the existing names, for an unknown
 * computation or device; NITRO_ERR_FORMAT for damage; NITRO_ERR_IO and NITRO_ERR_DENIED as
 * nitro_store_open.
 */
NITRO_API nitro_context *nitro_store_context(const nitro_store *store);
/** Owned by the store; without a password. */
NITRO_API const char *nitro_store_url(const nitro_store *store);
NITRO_API nitro_status nitro_store_put_schema(nitro_store *store, const nitro_schema *schema);
NITRO_API nitro_status nitro_store_get_schema(nitro_store *store, const char *computation,
                                              nitro_schema **schema);
/**
 * Put a schema whose variants or features differ from those of the stored one: samples, on all
 * devices, keep what both have, and miss what is new. What is no longer declared is kept under the
 * name COMPUTATION.retired, and comes back when it is declared again; only its profiles are
 * removed. Warnings in the log name what changed.
 * @return NITRO_ERR_MISMATCH, without a message: this kind of store is shared, so that a change
 *         would break other programs; NITRO_ERR_ARGUMENT (more names than fit, or the computation's
 *         name is too long).
 */
NITRO_API nitro_status nitro_store_change_names(nitro_store *store, const nitro_schema *declared);
NITRO_API nitro_status nitro_store_list_computations(nitro_store *store, nitro_string_list *list);
NITRO_API nitro_status nitro_store_put_device(nitro_store *store, const nitro_device *device);
/**
 * Put a device's current description. Earlier microbenchmark results stay, in the store and, on
 * success, in `device`, unless measured again; so does the label NITRO_LABEL_SIGNED_BY.
 * @return NITRO_ERR_MISMATCH: one of the two descriptions is of a modelled device, the other is
 * not.
 */
NITRO_API nitro_status nitro_store_update_device(nitro_store *store, nitro_device *device);
NITRO_API nitro_status nitro_store_get_device(nitro_store *store, const char *id,
                                              nitro_device **device);
NITRO_API nitro_status nitro_store_list_devices(nitro_store *store, const char *computation,
                                                nitro_string_list *ids);
NITRO_API nitro_status nitro_store_put_samples(nitro_store *store, const char *computation,
                                               const char *device,
                                               const nitro_sample *const *samples, size_t count,
                                               bool replace);
NITRO_API nitro_status nitro_store_put_recording(nitro_store *store, const nitro_schema *schema,
                                                 const nitro_device *device, const char *device_id,
                                                 const nitro_sample *const *samples, size_t count,
                                                 bool replace);
/** The same of samples that need not all be in memory. One input given twice: NITRO_ERR_EXISTS, or
 * the last one stays. */
NITRO_API nitro_status nitro_store_put_stream(nitro_store *store, const nitro_schema *schema,
                                              const nitro_device *device, const char *device_id,
                                              const nitro_sample_source *source, bool replace);
/** Damaged samples are skipped and named in the log. */
NITRO_API nitro_status nitro_store_each_sample(nitro_store *store, const char *computation,
                                               const char *device, nitro_sample_function function,
                                               void *user);
/** The same, but `damaged` gets the messages that name damaged samples. */
NITRO_API nitro_status nitro_store_read_samples(nitro_store *store, const char *computation,
                                                const char *device, nitro_sample_function function,
                                                void *user, nitro_problem_function damaged,
                                                void *damaged_user);
/** NITRO_ERR_NOT_FOUND; NITRO_ERR_FORMAT (damaged); NITRO_ERR_NEWER. */
NITRO_API nitro_status nitro_store_get_sample(nitro_store *store, const char *computation,
                                              const char *device, const char *input,
                                              nitro_sample **sample);
NITRO_API nitro_status nitro_store_list_inputs(nitro_store *store, const char *computation,
                                               const char *device, nitro_string_list *inputs);
NITRO_API nitro_status nitro_store_count_samples(nitro_store *store, const char *computation,
                                                 const char *device, size_t *count);
/** Also NITRO_ERR_NOT_FOUND: no such computation or device; NITRO_ERR_MISMATCH: the computation has
 * no such variant. Profiles of several computations and proxies may be mixed. */
NITRO_API nitro_status nitro_store_put_profiles(nitro_store *store, const char *device,
                                                const nitro_profile *const *profiles, size_t count,
                                                bool replace);
/** Damaged ones as with nitro_store_each_sample, and with nitro_store_read_samples. */
NITRO_API nitro_status nitro_store_each_profile(nitro_store *store, const char *device,
                                                const char *computation,
                                                nitro_profile_function function, void *user);
NITRO_API nitro_status nitro_store_read_profiles(nitro_store *store, const char *device,
                                                 const char *computation,
                                                 nitro_profile_function function, void *user,
                                                 nitro_problem_function damaged,
                                                 void *damaged_user);
NITRO_API nitro_status nitro_store_count_profiles(nitro_store *store, const char *device,
                                                  const char *computation, size_t *count);
/** Also NITRO_ERR_NOT_FOUND: there are none. */
NITRO_API nitro_status nitro_store_remove_profiles(nitro_store *store, const char *device,
                                                   const char *computation, size_t *removed);
NITRO_API nitro_status nitro_store_remove(nitro_store *store, const char *computation,
                                          const char *device, size_t *removed);
/** Remove those of the samples that the store has unchanged. */
NITRO_API nitro_status nitro_store_remove_samples(nitro_store *store, const char *computation,
                                                  const char *device,
                                                  const nitro_sample *const *samples, size_t count,
                                                  size_t *removed);
/** Remove a device without samples and profiles (else NITRO_ERR_EXISTS). */
NITRO_API nitro_status nitro_store_remove_device(nitro_store *store, const char *id);
/** Does this kind of store have claims? */
NITRO_API bool nitro_store_has_claims(const nitro_store *store);
/** Claim an input; *claimed: no other owner has it. NITRO_ERR_UNSUPPORTED: this kind of store has
 * no claims. */
NITRO_API nitro_status nitro_store_claim(nitro_store *store, const char *computation,
                                         const char *device, const char *input, const char *owner,
                                         uint32_t lease_ms, bool *claimed);
NITRO_API nitro_status nitro_store_verify(nitro_store *store, nitro_problem_function report,
                                          void *user);
/** Remove damaged devices with all that they have, and damaged and orphaned samples and profiles,
 * not those of a newer Nitro; `dry_run`: only report. */
NITRO_API nitro_status nitro_store_remove_damaged(nitro_store *store, bool dry_run,
                                                  nitro_problem_function report, void *user);
/** Version of the store's layout. */
NITRO_API nitro_status nitro_store_layout_version(nitro_store *store, int64_t *version);
NITRO_API nitro_status nitro_store_size_bytes(nitro_store *store, uint64_t *bytes);
/** Append the URLs, without passwords, of the stores for which this user's journals hold unsent
 *  samples, sorted. Where a journal cannot be read, its error is returned (of several, the others
 *  are warnings in the log), and the URLs of those that can are appended all the same. */
NITRO_API nitro_status nitro_store_list_unsent(nitro_context *context, nitro_string_list *urls);
/** Numbers of records copied and skipped. */
typedef struct nitro_copy_report {
    size_t samples, samples_skipped; /* added; existing */
    size_t samples_replaced;         /* by newer ones */
    size_t samples_differing;        /* of those skipped: the other store has another measurement */
    size_t damaged;                  /* unreadable records of the source store */
    size_t profiles, profiles_skipped;
} nitro_copy_report;

/** Copy all computations, devices, samples and profiles. Existing inputs, and runs with any
 * existing profile, stay unchanged. */
NITRO_API nitro_status nitro_store_copy(nitro_store *from, nitro_store *to,
                                        nitro_copy_report *report);

/** What to do with an input of which the stores have different samples. */
typedef enum nitro_conflict {
    NITRO_CONFLICT_KEEP,  /* the target's sample stays */
    NITRO_CONFLICT_NEWER, /* the newer one wins */
    NITRO_CONFLICT_BOTH   /* both stay: the copied one under a device id of its own */
} nitro_conflict;

/** The label of a device "ID@CAMPAIGN": the id of the same device, measured by others. Neither is a
 * source of the other, unless their labels `software` differ: two stacks of one card are two
 * devices that are near. In validation, they speak for each other only if the target has such a
 * source too. */
#define NITRO_LABEL_SAME_AS "same_as"
/** The label of a device from published bundles whose signatures were checked: the comment of the
 * key that signed them in the reader's file of trusted keys, such as a mail address, else the key's
 * id. */
#define NITRO_LABEL_SIGNED_BY "signed_by"
/** Are they the same device, by id or by that label, and not two stacks of it? */
NITRO_API bool nitro_device_is_same(const nitro_device *a, const nitro_device *b);

typedef struct nitro_sync_options {
    nitro_conflict conflict;
    const char
        *campaign; /* BOTH: samples are copied to device `ID@campaign`. NULL: an error if needed */
    bool take_declaration; /* replace the target's default variant and relative features; else only
                              unset ones are filled in, and a warning names the others */
    nitro_problem_function damaged; /* told of unreadable records; may be NULL */
    void *user;
} nitro_sync_options;

/**
 * Copy all records of `from` into `to`. Identical samples are skipped, so an interrupted run can be
 * resumed, and a second run copies nothing.
 * A computation that the target has with other features or variants is not copied; once everything
 * else is, that is NITRO_ERR_MISMATCH, with the names of all such computations.
 * @param[out] report  written on error too: what was copied before it stays.
 */
NITRO_API nitro_status nitro_store_sync(nitro_store *from, nitro_store *to,
                                        const nitro_sync_options *options,
                                        nitro_copy_report *report);

/* ---- Outdated measurements ------------------------------------------------------------------- */

typedef struct nitro_outdated {
    const char *computation, *device;
    const char *variant; /* NULL: all times of the samples */
    const char *what;    /* "version", "compiler", "driver", "toolkit", "device" */
    const char *was, *now;
    size_t samples;
} nitro_outdated;
typedef void (*nitro_outdated_function)(void *user, const nitro_outdated *outdated);

/**
 * Find samples of a computation that were measured under outdated conditions: other versions of
 * variants, another compiler, driver or toolkit than the newest sample of their device, or other
 * device features. Unknown conditions (of imported samples) are not outdated.
 * @param[in] versions  of the variants, in the schema's order; NULL: those of the newest samples.
 */
NITRO_API nitro_status nitro_store_find_outdated(nitro_store *store, const char *computation,
                                                 const char *const *versions,
                                                 nitro_outdated_function report, void *user);
/**
 * Remove the times of other versions of variants (the next tune measures them again), and samples
 * without any time left. Reports as nitro_store_find_outdated; `dry_run`: only reports.
 */
NITRO_API nitro_status nitro_store_remove_outdated(nitro_store *store, const char *computation,
                                                   const char *const *versions, bool dry_run,
                                                   nitro_outdated_function report, void *user);
/** The version that variant `index` declares; NULL: no such variant. */
NITRO_API const char *nitro_computation_variant_version(const nitro_computation *computation,
                                                        size_t index);

#ifdef __cplusplus
}
#endif

#endif
