/* excluded_sources.c - the option --exclude: sources left out by device or by signer. */
#include "apps/cli/commands/excluded_sources.h"

#include <stdlib.h>
#include <string.h>

#define SIGNER "signer:"

static bool matches(const nitro_device *device, const char *item)
{
    const char *signer = nitro_device_label(device, NITRO_LABEL_SIGNED_BY);
    if (strncmp(item, SIGNER, strlen(SIGNER)) == 0)
        return signer && strcmp(signer, item + strlen(SIGNER)) == 0;
    return strcmp(device->id, item) == 0;
}

/** @param[in,out] used  shape [excluded->count]: what matched a device. */
static bool is_excluded(const nitro_device *device, const nitro_string_list *excluded, bool *used)
{
    bool found = false;
    for (size_t i = 0; i < excluded->count; i++)
        if (matches(device, excluded->items[i]))
            found = used[i] = true;
    return found;
}

/** @param[in] target  NULL: none. */
static nitro_status keep(nitro_store *store, const char *id, const nitro_device *target,
                         const nitro_string_list *excluded, const nitro_string_list *named,
                         bool *used, nitro_string_list *left)
{
    nitro_context *context = nitro_store_context(store);
    nitro_device *device = NULL;
    nitro_status status = nitro_store_get_device(store, id, &device);
    if (status != NITRO_OK)
        return status;
    bool wanted = named ? nitro_string_list_find(named, id) != NITRO_NONE
                        : !target || !nitro_device_is_same(device, target);
    if (!is_excluded(device, excluded, used) && wanted)
        status = nitro_string_list_add(context, left, id);
    nitro_device_free(device);
    return status;
}

static nitro_status check_used(nitro_store *store, const char *computation,
                               const nitro_string_list *excluded, const bool *used)
{
    for (size_t i = 0; i < excluded->count; i++)
        if (!used[i])
            return nitro_fail(nitro_store_context(store), NITRO_ERR_NOT_FOUND,
                              "--exclude: '%.80s' is neither a device with samples of %s in %s nor "
                              "signer:NAME of one",
                              excluded->items[i], computation, nitro_store_url(store));
    return NITRO_OK;
}

nitro_status exclude_sources(nitro_store *store, const char *computation, const char *target,
                             const nitro_string_list *excluded, const nitro_string_list **sources,
                             nitro_string_list *left)
{
    nitro_context *context = nitro_store_context(store);
    nitro_string_list all = {0};
    nitro_device *own = NULL;
    if (excluded->count == 0)
        return NITRO_OK;
    bool *used = nitro_calloc(context, excluded->count, sizeof *used);
    nitro_status status =
        used ? nitro_store_list_devices(store, computation, &all) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && target) {
        status = nitro_store_get_device(store, target, &own);
        if (status == NITRO_ERR_NOT_FOUND)
            status = NITRO_OK; /* this machine's */
    }
    for (size_t i = 0; i < all.count && status == NITRO_OK; i++)
        status = keep(store, all.items[i], own, excluded, *sources, used, left);
    if (status == NITRO_OK)
        status = check_used(store, computation, excluded, used);
    if (status == NITRO_OK && left->count == 0)
        status = nitro_fail(context, NITRO_ERR_NO_DATA, "--exclude leaves no source of %s in %s",
                            computation, nitro_store_url(store));
    if (status == NITRO_OK)
        *sources = left;
    nitro_device_free(own);
    nitro_string_list_free(&all);
    free(used);
    return status;
}
