/* worker_device.h - the device on which a worker's variants run. */
#ifndef NITRO_MEASURE_WORKER_DEVICE_H
#define NITRO_MEASURE_WORKER_DEVICE_H

#include "nitro/nitro_backend.h"

/** Opened in the worker: no device is used before a fork. */
typedef struct nitro_worker_device {
    nitro_context *context;
    const nitro_device_access *access; /* NULL: the device has no access functions */
    nitro_device_session *session;
    char words[320]; /* the device's last error */
} nitro_worker_device;

/** Without access functions: does nothing. */
nitro_status nitro_worker_device_open(nitro_worker_device *device, nitro_context *context,
                                      const nitro_device_access *access, const char *id);
void nitro_worker_device_close(nitro_worker_device *device);

/** Start and stop the device's clock, flush its caches; false: it failed, see `words`. */
bool nitro_worker_device_start(nitro_worker_device *device, void *stream);
bool nitro_worker_device_stop(nitro_worker_device *device, void *stream, double *elapsed_ms);
bool nitro_worker_device_flush(nitro_worker_device *device, void *stream);

/**
 * Is the device still usable in this process? Queries its free memory: the cheapest call that fails
 * once a fault has broken its context.
 * @param[out] free_bytes  NAN if unknown.
 */
bool nitro_worker_device_is_well(nitro_worker_device *device, double *free_bytes);

/** Clocks and throttling; "": unknown. */
void nitro_worker_device_state(nitro_worker_device *device, char *text, size_t size);

#endif
