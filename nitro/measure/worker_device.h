/* worker_device.h - the device that a worker's variants run on. Internal to nitro/. */
#ifndef NITRO_MEASURE_WORKER_DEVICE_H
#define NITRO_MEASURE_WORKER_DEVICE_H

#include "nitro/nitro_backend.h"

/** Opened by the worker itself: no device is touched before a fork. */
typedef struct nitro_worker_device {
    nitro_context *context;
    const nitro_device_access *access; /* NULL: nothing is known of the device but its variants */
    nitro_device_session *session;
    char words[320]; /* the device's own, of its latest failure */
} nitro_worker_device;

/** NITRO_OK without access: there is nothing to open. */
nitro_status nitro_worker_device_open(nitro_worker_device *device, nitro_context *context,
                                      const nitro_device_access *access, const char *id);
void nitro_worker_device_close(nitro_worker_device *device);

/** Start and stop the device's clock, flush its caches; false: it failed, see `words`. */
bool nitro_worker_device_start(nitro_worker_device *device, void *stream);
bool nitro_worker_device_stop(nitro_worker_device *device, void *stream, double *elapsed_ms);
bool nitro_worker_device_flush(nitro_worker_device *device, void *stream);

/**
 * Is the device still usable, or did some failure end it for this process? Asks how much memory is
 * free: the cheapest question that a device refuses to answer once a fault has broken its context.
 * @param[out] free_bytes  NAN where the device does not say.
 */
bool nitro_worker_device_is_well(nitro_worker_device *device, double *free_bytes);

/** Clocks and what holds them back; "" where nothing is known. */
void nitro_worker_device_state(nitro_worker_device *device, char *text, size_t size);

#endif
