/* The SQLite backend: one file on one machine, safe with several processes at once. */
#include <sys/stat.h>

#include "store/sqlite/sqlite_internal.h"

static nitro_status size_bytes(void *state, uint64_t *bytes)
{
    const sqlite_store *store = state;
    struct stat file;
    if (store->is_absent) {
        *bytes = 0;
        return NITRO_OK;
    }
    if (stat(store->path, &file) != 0)
        return nitro_fail(store->context, NITRO_ERR_IO, "%s: cannot tell its size", store->path);
    *bytes = (uint64_t)file.st_size;
    return NITRO_OK;
}

static nitro_status layout_version(void *state, int64_t *version)
{
    *version = ((const sqlite_store *)state)->version;
    return NITRO_OK;
}

const nitro_store_kind nitro_store_sqlite = {
    .scheme = "sqlite",
    .description = "one SQLite file on this machine",
    .priority = 10,
    .open = nitro_sqlite_open,
    .close = nitro_sqlite_close,
    .put_schema = nitro_sqlite_put_schema,
    .get_schema = nitro_sqlite_get_schema,
    .list_computations = nitro_sqlite_list_computations,
    .put_device = nitro_sqlite_put_device,
    .get_device = nitro_sqlite_get_device,
    .list_devices = nitro_sqlite_list_devices,
    .put_samples = nitro_sqlite_put_samples,
    .put_recording = nitro_sqlite_put_recording,
    .each_sample = nitro_sqlite_each_sample,
    .get_sample = nitro_sqlite_get_sample,
    .list_inputs = nitro_sqlite_list_inputs,
    .count_samples = nitro_sqlite_count_samples,
    .put_profiles = nitro_sqlite_put_profiles,
    .each_profile = nitro_sqlite_each_profile,
    .count_profiles = nitro_sqlite_count_profiles,
    .remove_profiles = nitro_sqlite_remove_profiles,
    .remove = nitro_sqlite_remove,
    .remove_samples = nitro_sqlite_remove_samples,
    .remove_device = nitro_sqlite_remove_device,
    .verify = nitro_sqlite_verify,
    .remove_damaged = nitro_sqlite_remove_damaged,
    .layout_version = layout_version,
    .size_bytes = size_bytes,
    .begin = nitro_sqlite_begin_group,
    .end = nitro_sqlite_end_group,
};
