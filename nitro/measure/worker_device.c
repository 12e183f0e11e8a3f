/* The device on which a worker's variants run; without one, most functions do nothing. Keeps the
 * device's last error, which belongs in a failed variant's entry. */
#include "nitro/measure/worker_device.h"

#include <math.h>

#include "nitro/records/machine.h"

static bool keep_words(nitro_worker_device *device, nitro_status status)
{
    if (status != NITRO_OK)
        nitro_context_last_error(device->context, device->words, sizeof(device->words));
    return status == NITRO_OK;
}

nitro_status nitro_worker_device_open(nitro_worker_device *device, nitro_context *context,
                                      const nitro_device_access *access, const char *id)
{
    *device = (nitro_worker_device){.context = context};
    if (!access)
        return NITRO_OK;
    char local[NITRO_DEVICE_ID_SIZE];
    nitro_machine_local_id(id, local);
    nitro_status status = access->open(context, local, &device->session);
    if (status == NITRO_OK)
        device->access = access;
    return status;
}

void nitro_worker_device_close(nitro_worker_device *device)
{
    if (device->access)
        device->access->close(device->session);
    device->access = NULL;
}

bool nitro_worker_device_start(nitro_worker_device *device, void *stream)
{
    return keep_words(device, device->access->start(device->session, stream));
}

bool nitro_worker_device_stop(nitro_worker_device *device, void *stream, double *elapsed_ms)
{
    return keep_words(device, device->access->stop(device->session, stream, elapsed_ms));
}

bool nitro_worker_device_flush(nitro_worker_device *device, void *stream)
{
    return keep_words(device, device->access->flush(device->session, stream));
}

bool nitro_worker_device_is_well(nitro_worker_device *device, double *free_bytes)
{
    size_t bytes = 0;
    *free_bytes = NAN;
    if (!device->access || !device->access->free_memory)
        return true;
    if (!keep_words(device, device->access->free_memory(device->session, &bytes)))
        return false;
    *free_bytes = (double)bytes;
    return true;
}

void nitro_worker_device_state(nitro_worker_device *device, char *text, size_t size)
{
    text[0] = '\0';
    if (device->access && device->access->state &&
        device->access->state(device->session, text, size) != NITRO_OK)
        text[0] = '\0'; /* optional */
    text[size - 1] = '\0';
}
