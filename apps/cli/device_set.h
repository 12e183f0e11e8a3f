/* device_set.h - devices: of what kind one is, and several, owned. */
#ifndef NITRO_APPS_CLI_DEVICE_SET_H
#define NITRO_APPS_CLI_DEVICE_SET_H

#include "nitro/nitro_backend.h"

/** Are its times from a cost model? */
bool device_is_modelled(const nitro_device *device);
/** Its kind as tables show it: "modelled", or as it is called. */
const char *device_kind_text(const nitro_device *device);

typedef struct device_set {
    size_t count;
    nitro_device **devices; /* shape [count] */
} device_set;

void device_set_free(device_set *set);

/** Live or modelled devices by id; `set` is to be freed also after an error. */
nitro_status device_set_find(nitro_context *context, const nitro_string_list *ids, bool measure,
                             device_set *set);
/** The kind of those on which variants really run, for module_open; NULL: all are modelled. */
const char *device_set_kind(const nitro_context *context, const device_set *set);
/** Record one device in a file; the device returned is read back from the recording. */
nitro_status device_set_record(nitro_context *context, const char *id, bool measure,
                               const char *path, device_set *set);
/** The device of a recording. */
nitro_status device_set_replay(nitro_context *context, const char *path, device_set *set);
/** The id of a device of a store, or of this machine, where `given` may be short ("host"); free()
 * it. NITRO_ERR_NOT_FOUND, with the store's devices: neither has it. */
nitro_status device_find_stored(nitro_context *context, nitro_store *store, const char *given,
                                char **id);
/** Replace short ids ("host") in the lists of options (NULL-terminated) by full ones. Ids that are
 * not found stay as they are: what uses the lists reports them. */
nitro_status device_lists_find_stored(nitro_store *store, nitro_string_list *const *lists);
/** All devices of a store. */
nitro_status device_set_read_store(nitro_context *context, const char *url, device_set *set);
/** All rows of a devices.csv. */
nitro_status device_set_read_csv(nitro_context *context, const char *path, device_set *set);

#endif
