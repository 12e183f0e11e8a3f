/*
 * The machine's name in device ids. Two machines with the same processor have the same device id;
 * the name distinguishes them in a store.
 */
#include "nitro/records/machine.h"

#include <stdio.h>
#include <string.h>

nitro_status nitro_machine_name(nitro_context *context, char name[NITRO_DEVICE_ID_SIZE])
{
    nitro_setting_value value;
    nitro_status status = nitro_setting_get(context, NULL, "machine", &value);
    if (status == NITRO_OK)
        snprintf(name, NITRO_DEVICE_ID_SIZE, "%.63s", value.text);
    return status;
}

void nitro_machine_local_id(const char *id, char local[NITRO_DEVICE_ID_SIZE])
{
    snprintf(local, NITRO_DEVICE_ID_SIZE, "%.*s", (int)strcspn(id, "@"), id);
}

nitro_status nitro_machine_full_id(nitro_context *context, const char *machine, const char *local,
                                   char full[NITRO_DEVICE_ID_SIZE])
{
    int length =
        snprintf(full, NITRO_DEVICE_ID_SIZE, "%s%s%s", local, machine[0] ? "@" : "", machine);
    if (length < NITRO_DEVICE_ID_SIZE)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_ARGUMENT,
                      "device id '%s@%s' has %d characters; the maximum is %d: shorten the "
                      "machine's name (setting machine, NITRO_MACHINE)",
                      local, machine, length, NITRO_DEVICE_ID_SIZE - 1);
}

nitro_status nitro_machine_name_device(nitro_context *context, const char *machine,
                                       nitro_device *device)
{
    char full[NITRO_DEVICE_ID_SIZE];
    nitro_status status = nitro_machine_full_id(context, machine, device->id, full);
    return status == NITRO_OK ? nitro_text_replace(context, &device->id, full) : status;
}
