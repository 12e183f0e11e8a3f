/* devices.h - the family of device kinds. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_DEVICES_H
#define NITRO_BACKEND_DEVICES_H

#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Additions that the benchmarks shared_atomic and global_atomic are given for: the paper's Table 1
 *  is consistent with this number (features/device/cuda/cuda_measure.c). */
#define NITRO_COUNTED_ADDITIONS 32768.0

/** An open device, in the worker process that runs variants on it. */
typedef struct nitro_device_session nitro_device_session;

/**
 * A device's own clock, caches and memory. `stream` is from nitro_hooks.stream; NULL is the default
 * one. Called by one thread of a worker process, never before a fork. Errors of asynchronous work
 * are reported by the next call.
 */
typedef struct nitro_device_access {
    /** Errors as nitro_device_kind.describe, and NITRO_ERR_IO: the device cannot be opened. */
    nitro_status (*open)(nitro_context *context, const char *id, nitro_device_session **session);
    void (*close)(nitro_device_session *session);

    /** Time the work enqueued on the stream between these two; `stop` waits for it, also after a
     *  variant failed. Both NULL: the device has no clock of its own. */
    nitro_status (*start)(nitro_device_session *session, void *stream);
    nitro_status (*stop)(nitro_device_session *session, void *stream, double *elapsed_ms);

    /** Flush the caches, on the stream, without waiting. */
    nitro_status (*flush)(nitro_device_session *session, void *stream);

    /** Memory that could be allocated now. Fails if an error has made the device unusable in this
     *  process: measuring checks this after each failure and then continues in a new process.
     *  NULL: unknown. */
    nitro_status (*free_memory)(nitro_device_session *session, size_t *bytes);

    /** Clocks and throttling as text: "1980 MHz, memory 2619 MHz, throttled: power"; "" if
     * unknown. */
    nitro_status (*state)(nitro_device_session *session, char *text, size_t size);
} nitro_device_access;

typedef struct nitro_device_kind {
    const char *name; /* "host", "model" */
    const char *description;
    int priority;

    /** Ids of the devices of this kind on this machine; having none is not an error. */
    nitro_status (*list)(nitro_context *context, nitro_string_list *ids);

    /**
     * Describe a device, quickly; with `measure` also by microbenchmarks (seconds).
     * NITRO_ERR_NOT_FOUND if the id is not of this kind.
     */
    nitro_status (*describe)(nitro_context *context, const char *id, bool measure,
                             nitro_device **device);

    /**
     * NULL if variants run on the device. A modelled kind fills `sample->entries` from the input's
     * features by its documented cost model instead; the same seed gives the same times.
     * NITRO_ERR_NOT_FOUND when it has no model of this computation.
     */
    nitro_status (*simulate)(nitro_context *context, const nitro_device *device,
                             const nitro_schema *schema, uint64_t seed, nitro_sample *sample);

    /**
     * NULL if kernels run on the device. A modelled kind passes profiles from a documented formula
     * instead: of every variant on a sample's input (its features), or, with `schema` and `sample`
     * NULL, of every proxy at intensities 0, 1 and so on. Their origin is "modelled". Errors as
     * simulate's, and the function's.
     */
    nitro_status (*simulate_profiles)(nitro_context *context, const nitro_device *device,
                                      const nitro_schema *schema, const nitro_sample *sample,
                                      uint64_t seed, nitro_profile_function function, void *user);

    /** NULL if variants run in the host's memory and are timed by its clock. */
    const nitro_device_access *access;

    /**
     * Both NULL or both set. `record` writes everything that `describe` reads as a text (free with
     * free()); `replay` makes the device from such a text on any machine, so that device code is
     * tested without the device. Errors of `record` are those of describe; `replay` returns
     * NITRO_ERR_FORMAT or NITRO_ERR_NEWER and names `origin` and the field.
     */
    nitro_status (*record)(nitro_context *context, const char *id, bool measure, char **text);
    nitro_status (*replay)(nitro_context *context, const char *origin, const char *text,
                           size_t size, nitro_device **device);
} nitro_device_kind;

/**
 * Put modelled profiles into a store: of proxies on a modelled device, and of a computation's
 * variants on the inputs that the store has samples of there. Existing ones are replaced.
 * @param[out] count  number of profiles.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (computation, device, or no cost model of it); NITRO_ERR_
 *         NO_DATA (no samples there); NITRO_ERR_ARGUMENT (the device is not modelled).
 */
NITRO_API nitro_status nitro_store_put_modelled_profiles(nitro_store *store,
                                                         const char *computation,
                                                         const char *device, uint64_t seed,
                                                         size_t *count);

/** The device kind of this name; NULL: unknown. */
NITRO_API const nitro_device_kind *nitro_device_kind_find(const nitro_context *context,
                                                          const char *name);

/**
 * Live devices of several machines may have the same processor or card and so the same id; the
 * setting "machine" distinguishes them: `ID@MACHINE`. Kinds get the id up to the '@'. Modelled
 * devices are the same everywhere.
 */

/** Append the ids of the live and modelled devices of this machine, of every kind. A kind that
 * cannot list its devices adds none. */
NITRO_API nitro_status nitro_device_list(nitro_context *context, nitro_string_list *ids);

/**
 * Find a live or modelled device by id among all kinds; "host" is this machine's processor.
 * @param[out] kind  may be NULL.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (the error lists the available ones); NITRO_ERR_ARGUMENT
 *         (an invalid device id, or too long with the setting "machine"); the kind's own errors.
 */
NITRO_API nitro_status nitro_device_find(nitro_context *context, const char *id, bool measure,
                                         nitro_device **device, const nitro_device_kind **kind);

/**
 * Cosine similarity of devices with each named feature scaled to [-1, 1] over these devices (the
 * paper's Table 2). Constant features count as 0.
 * @param[out] matrix  shape [num_devices x num_devices], row-major.
 * @return NITRO_ERR_NO_DATA when a device lacks a feature (both named).
 */
NITRO_API nitro_status nitro_device_similarity(nitro_context *context,
                                               const nitro_device *const *devices,
                                               size_t num_devices, const char *const *features,
                                               size_t num_features, double *matrix);

#ifdef __cplusplus
}
#endif

#endif
