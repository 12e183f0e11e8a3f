/* Device kind `host`: this machine's processor, one device. Its id contains model and number of
 * cores, so that samples of different machines stay apart in a shared store; "host" is an alias of
 * it on every machine. */
#include <string.h>

#include "features/device/host/host_kind.h"

#define ALIAS "host"

static const nitro_host_source this_machine = {0};

static nitro_status list(nitro_context *context, nitro_string_list *ids)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_host_query(context, &this_machine, &device);
    if (status != NITRO_OK)
        return status;
    status = nitro_string_list_add(context, ids, device->id);
    nitro_device_free(device);
    return status;
}

static nitro_status describe(nitro_context *context, const char *id, bool measure,
                             nitro_device **device)
{
    nitro_device *found = NULL;
    if (strcmp(id, ALIAS) != 0 && strncmp(id, ALIAS ":", strlen(ALIAS ":")) != 0)
        return nitro_fail(
            context, NITRO_ERR_NOT_FOUND,
            "'%.80s' is not a host: its id is '" ALIAS "' or starts with '" ALIAS ":'", id);
    nitro_status status = nitro_host_query(context, &this_machine, &found);
    if (status == NITRO_OK && strcmp(id, ALIAS) != 0 && strcmp(id, found->id) != 0)
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "'%.80s' is not this machine, whose id is %s", id, found->id);
    if (status == NITRO_OK && measure)
        status = nitro_host_measure(context, found);
    if (status == NITRO_OK)
        *device = found;
    else
        nitro_device_free(found);
    return status;
}

const nitro_device_kind nitro_device_kind_host = {
    .name = "host",
    .description = "the processor of this machine",
    .priority = 10,
    .list = list,
    .describe = describe,
    .simulate = NULL,
    .access = &nitro_host_access,
};
