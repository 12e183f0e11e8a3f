/* stores.h - the family of stores, and the functions on an open store. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_STORES_H
#define NITRO_BACKEND_STORES_H

#include "nitro/backend/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Family: stores ------------------------------------------------------------------------ */

typedef nitro_status (*nitro_sample_function)(void *user, const nitro_sample *sample);
typedef nitro_status (*nitro_profile_function)(void *user, const char *device,
                                               const nitro_profile *profile);
typedef void (*nitro_problem_function)(void *user, const char *problem);

/**
 * A backend. Functions get the state that `open` made; each write is durable and atomic when it
 * returns. Reads list in byte order of names, so that the same content gives the same bytes.
 * What a store holds is untrusted: every record is checked on its way in and out.
 */
typedef struct nitro_store_kind {
    const char *scheme; /* "sqlite" */
    const char *description;
    bool remote;    /* over a network, so it may be away: a tune keeps a journal then */
    bool read_only; /* has no functions that write; opening it for writing fails */
    int priority;   /* the highest one is used for a plain path */

    /** `address` is the URL after "scheme:". Opening leaves nothing behind where no store was: the
     *  first write makes it. */
    nitro_status (*open)(nitro_context *context, const char *address, nitro_store_mode mode,
                         void **state);
    void (*close)(void *state);

    /** Names of a computation. put is refused with NITRO_ERR_MISMATCH when others are there. */
    nitro_status (*put_schema)(void *state, const nitro_schema *schema);
    nitro_status (*get_schema)(void *state, const char *computation, nitro_schema **schema);
    nitro_status (*list_computations)(void *state, nitro_string_list *computations);

    /** Devices; put replaces what is known of this id. */
    nitro_status (*put_device)(void *state, const nitro_device *device);
    nitro_status (*get_device)(void *state, const char *id, nitro_device **device);
    /** `computation` NULL: all devices; else those with samples of it. */
    nitro_status (*list_devices)(void *state, const char *computation, nitro_string_list *ids);

    /**
     * All `count` samples or none, in one transaction. An input that is there already:
     * NITRO_ERR_EXISTS (named), or replaced.
     */
    nitro_status (*put_samples)(void *state, const char *computation, const char *device,
                                const nitro_sample *const *samples, size_t count, bool replace);
    /** put_schema, put_device (NULL: it is known) and put_samples at once: all of it or nothing. */
    nitro_status (*put_recording)(void *state, const nitro_schema *schema,
                                  const nitro_device *device, const char *device_id,
                                  const nitro_sample *const *samples, size_t count, bool replace);
    /**
     * Samples in byte order of input names; a callback's failure ends the loop and is returned. The
     * callback may read the same open store, but not write to it. A sample that is not as it was
     * written is kept from the caller: `damaged` gets a message that names it, and the loop goes
     * on.
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
     * All `count` profiles or none, in one transaction; their computations and the device are
     * there. One that is there already: NITRO_ERR_EXISTS (named). With `replace` every profile that
     * is there of a run of the batch goes first, whatever its kernel.
     */
    nitro_status (*put_profiles)(void *state, const char *device,
                                 const nitro_profile *const *profiles, size_t count, bool replace);
    /**
     * Profiles of a computation's variants (`computation` NULL: of proxies) on a device (NULL: on
     * all), in byte order of device, name, input, kernel, intensities from small to large. Rules of
     * each_sample. What is not there is no error.
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
     * names too. `removed` counts samples.
     */
    nitro_status (*remove)(void *state, const char *computation, const char *device,
                           size_t *removed);
    /** Remove those of the samples that are there with the same checksum, and count them: one that
     *  was replaced meanwhile stays. */
    nitro_status (*remove_samples)(void *state, const char *computation, const char *device,
                                   const nitro_sample *const *samples, size_t count,
                                   size_t *removed);
    /** Remove a device. NITRO_ERR_NOT_FOUND (without a message); NITRO_ERR_EXISTS where there are
     *  samples or profiles of it. */
    nitro_status (*remove_device)(void *state, const char *id);

    /**
     * Optional: claim an input for a tuner (`owner`: 1 to 127 bytes, its own), so that others leave
     * it alone for so long, or until claimed again by the same owner for a shorter time. What is
     * not claimed may be put all the same. NULL: tuners do not share inputs out.
     */
    nitro_status (*claim)(void *state, const char *computation, const char *device,
                          const char *input, const char *owner, uint32_t lease_ms, bool *claimed);
    /** Check everything; report each problem. NITRO_ERR_FORMAT when there were any. */
    nitro_status (*verify)(void *state, nitro_problem_function report, void *user);
    /** Remove damaged samples and profiles, and what belongs to nothing; report each that goes.
     *  With `dry_run` only report. */
    nitro_status (*remove_damaged)(void *state, bool dry_run, nitro_problem_function report,
                                   void *user);
    /** Of the layout in which this store keeps records, from 1. */
    nitro_status (*layout_version)(void *state, int64_t *version);
    /** Size on disk, 0 where that means nothing. */
    nitro_status (*size_bytes)(void *state, uint64_t *bytes);

    /** Optional: of a kind that keeps samples on this machine until another store has them. As
     *  nitro_store_flush and nitro_store_count_unsent; NULL: nothing is ever unsent. */
    nitro_status (*flush)(void *state, double patience_ms, size_t *unsent);
    nitro_status (*count_unsent)(void *state, size_t *unsent);
} nitro_store_kind;

/** What opens remote stores behind a journal on this machine: nitro_store_open_journaled. */
typedef struct nitro_store_journal {
    nitro_status (*open)(nitro_context *context, const nitro_store_kind *remote,
                         const char *address, nitro_store **store);
    /** As nitro_store_list_unsent. */
    nitro_status (*list_unsent)(nitro_context *context, nitro_string_list *urls);
} nitro_store_journal;

/*
 * The same functions on an open store, whatever its kind; they also check what passes through. By
 * one thread at a time. Errors that all have: NITRO_ERR_ARGUMENT for writing where the store is
 * open for reading, and for a record or name that is not valid; NITRO_ERR_NOT_FOUND, with what
 * there is, for a computation or device that the store does not know; NITRO_ERR_FORMAT for what is
 * damaged; NITRO_ERR_IO and NITRO_ERR_DENIED as nitro_store_open.
 */
NITRO_API nitro_context *nitro_store_context(const nitro_store *store);
/** Owned by the store; without a password. */
NITRO_API const char *nitro_store_url(const nitro_store *store);
NITRO_API nitro_status nitro_store_put_schema(nitro_store *store, const nitro_schema *schema);
NITRO_API nitro_status nitro_store_get_schema(nitro_store *store, const char *computation,
                                              nitro_schema **schema);
NITRO_API nitro_status nitro_store_list_computations(nitro_store *store, nitro_string_list *list);
NITRO_API nitro_status nitro_store_put_device(nitro_store *store, const nitro_device *device);
/**
 * Put a device as it is now. What microbenchmarks measured of it earlier stays, in the store and,
 * on success, in `device`, unless it was measured anew.
 * @return NITRO_ERR_MISMATCH: one of its id is modelled, and the other is not.
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
/** Damaged samples are left out, and named in the log: nothing is built on them, and they do not
 *  stop what is sound from being used. */
NITRO_API nitro_status nitro_store_each_sample(nitro_store *store, const char *computation,
                                               const char *device, nitro_sample_function function,
                                               void *user);
/** The same, but messages that name damaged samples go to `damaged`. */
NITRO_API nitro_status nitro_store_read_samples(nitro_store *store, const char *computation,
                                                const char *device, nitro_sample_function function,
                                                void *user, nitro_problem_function damaged,
                                                void *damaged_user);
/** NITRO_ERR_NOT_FOUND; NITRO_ERR_FORMAT where it is damaged; NITRO_ERR_NEWER. */
NITRO_API nitro_status nitro_store_get_sample(nitro_store *store, const char *computation,
                                              const char *device, const char *input,
                                              nitro_sample **sample);
NITRO_API nitro_status nitro_store_list_inputs(nitro_store *store, const char *computation,
                                               const char *device, nitro_string_list *inputs);
NITRO_API nitro_status nitro_store_count_samples(nitro_store *store, const char *computation,
                                                 const char *device, size_t *count);
/** Also NITRO_ERR_NOT_FOUND: a computation or the device is not there; NITRO_ERR_MISMATCH: the
 *  computation has no such variant. Profiles of several computations and proxies may be mixed. */
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
/** Unlike the others NITRO_ERR_NOT_FOUND where there are none. */
NITRO_API nitro_status nitro_store_remove_profiles(nitro_store *store, const char *device,
                                                   const char *computation, size_t *removed);
NITRO_API nitro_status nitro_store_remove(nitro_store *store, const char *computation,
                                          const char *device, size_t *removed);
/** Remove these samples where the store has them still as they are here. */
NITRO_API nitro_status nitro_store_remove_samples(nitro_store *store, const char *computation,
                                                  const char *device,
                                                  const nitro_sample *const *samples, size_t count,
                                                  size_t *removed);
/** Remove a device of which there are no samples and no profiles (else NITRO_ERR_EXISTS). */
NITRO_API nitro_status nitro_store_remove_device(nitro_store *store, const char *id);
/** Is this kind of store one whose inputs tuners share out? */
NITRO_API bool nitro_store_has_claims(const nitro_store *store);
/** Claim an input; *claimed: nobody else has it. NITRO_ERR_UNSUPPORTED: this kind of store has no
 * claims. */
NITRO_API nitro_status nitro_store_claim(nitro_store *store, const char *computation,
                                         const char *device, const char *input, const char *owner,
                                         uint32_t lease_ms, bool *claimed);
NITRO_API nitro_status nitro_store_verify(nitro_store *store, nitro_problem_function report,
                                          void *user);
/** Remove damaged samples and profiles, and what belongs to nothing; with `dry_run` only report. */
NITRO_API nitro_status nitro_store_remove_damaged(nitro_store *store, bool dry_run,
                                                  nitro_problem_function report, void *user);
/** Version of the layout in which the store keeps records. */
NITRO_API nitro_status nitro_store_layout_version(nitro_store *store, int64_t *version);
NITRO_API nitro_status nitro_store_size_bytes(nitro_store *store, uint64_t *bytes);
/** Append the URLs, without passwords, of the stores for which this user's journals hold unsent
 *  samples, sorted. */
NITRO_API nitro_status nitro_store_list_unsent(nitro_context *context, nitro_string_list *urls);
/** What was copied, and what was left alone because it is there already. */
typedef struct nitro_copy_report {
    size_t samples, samples_skipped; /* added; there already */
    size_t samples_replaced;         /* by newer ones */
    size_t samples_differing;        /* of those skipped: the other store has another measurement */
    size_t damaged;                  /* records of the store read from that were left behind */
    size_t profiles, profiles_skipped;
} nitro_copy_report;

/** Copy all computations, devices, samples and profiles. An input that is there already, or a run
 *  that has any profile there, stays as it is there. */
NITRO_API nitro_status nitro_store_copy(nitro_store *from, nitro_store *to,
                                        nitro_copy_report *report);

/** What becomes of an input of which both stores have a sample, and not the same. */
typedef enum nitro_conflict {
    NITRO_CONFLICT_KEEP,  /* the one that is there stays */
    NITRO_CONFLICT_NEWER, /* the newer one counts */
    NITRO_CONFLICT_BOTH   /* both stay: what comes is put under a device id of its own */
} nitro_conflict;

/** The label of a device "ID@CAMPAIGN": the id of the device that it is, measured by others. It is
 *  never a source of that device, nor that one of it. */
#define NITRO_LABEL_SAME_AS "same_as"
/** Are they one device: by id, or by that label? */
NITRO_API bool nitro_device_is_same(const nitro_device *a, const nitro_device *b);

typedef struct nitro_sync_options {
    nitro_conflict conflict;
    const char *campaign; /* BOTH: what comes is of device `ID@campaign`. NULL: an error where it is
                             needed */
    nitro_problem_function damaged; /* told of records that are left behind; may be NULL */
    void *user;
} nitro_sync_options;

/**
 * Bring what `from` has into `to`, one way. Samples that are the same on both sides are skipped, so
 * an interrupted run resumes where it stopped, and a second run does nothing.
 * @param[out] report  written on error too: what went before it is there.
 */
NITRO_API nitro_status nitro_store_sync(nitro_store *from, nitro_store *to,
                                        const nitro_sync_options *options,
                                        nitro_copy_report *report);

/* ---- Outdated measurements ----------------------------------------------------------------- */

typedef struct nitro_outdated {
    const char *computation, *device;
    const char *variant; /* NULL: all times of the samples */
    const char *what;    /* "version", "compiler", "driver", "toolkit", "device" */
    const char *was, *now;
    size_t samples;
} nitro_outdated;
typedef void (*nitro_outdated_function)(void *user, const nitro_outdated *outdated);

/**
 * Find samples of a computation that were made otherwise than today's would be: by other versions
 * of variants, another compiler, driver or toolkit than the newest sample of their device, or
 * before the device's features changed. What is not known (of imported samples) is not outdated.
 * @param[in] versions  of the variants, in the schema's order; NULL: those of the newest samples.
 */
NITRO_API nitro_status nitro_store_find_outdated(nitro_store *store, const char *computation,
                                                 const char *const *versions,
                                                 nitro_outdated_function report, void *user);
/**
 * Take back the times of other versions of variants (the next tune measures them again), and
 * nothing else; samples that have no time then go. Reports as nitro_store_find_outdated; with
 * `dry_run` that is all.
 */
NITRO_API nitro_status nitro_store_remove_outdated(nitro_store *store, const char *computation,
                                                   const char *const *versions, bool dry_run,
                                                   nitro_outdated_function report, void *user);
/** The version that variant `index` declares; NULL: there is no such variant. */
NITRO_API const char *nitro_computation_variant_version(const nitro_computation *computation,
                                                        size_t index);

#ifdef __cplusplus
}
#endif

#endif
