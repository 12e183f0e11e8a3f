/* machine.h - the machine in device ids. Internal to nitro/. */
#ifndef NITRO_RECORDS_MACHINE_H
#define NITRO_RECORDS_MACHINE_H

#include "nitro/nitro_backend.h"

/** Size of a device id, including '\0'. */
#define NITRO_DEVICE_ID_SIZE 64

/** The setting "machine"; "" if it is not set. Errors as nitro_setting_get. */
nitro_status nitro_machine_name(nitro_context *context, char name[NITRO_DEVICE_ID_SIZE]);

/** A device's id without "@MACHINE". `id` is valid. */
void nitro_machine_local_id(const char *id, char local[NITRO_DEVICE_ID_SIZE]);

/** "ID@MACHINE", or `local` if the machine has no name. NITRO_ERR_ARGUMENT: too long. */
nitro_status nitro_machine_full_id(nitro_context *context, const char *machine, const char *local,
                                   char full[NITRO_DEVICE_ID_SIZE]);

/** Add the machine's name to the id of a device of this machine. */
nitro_status nitro_machine_name_device(nitro_context *context, const char *machine,
                                       nitro_device *device);

#endif
