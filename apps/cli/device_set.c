/* device_set.c - where devices come from: this machine, a store, a file. */
#include "apps/cli/device_set.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RECORDING_BYTES ((size_t)1 << 24)

bool device_is_modelled(const nitro_device *device)
{
    return strcmp(device->kind, "model") == 0;
}

const char *device_kind_text(const nitro_device *device)
{
    return device_is_modelled(device) ? "modelled" : device->kind;
}

void device_set_free(device_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        nitro_device_free(set->devices[i]);
    free(set->devices);
    *set = (device_set){0};
}

static nitro_status make_room(nitro_context *context, size_t count, device_set *set)
{
    set->devices = count ? nitro_calloc(context, count, sizeof(*set->devices)) : NULL;
    return set->devices || count == 0 ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status device_set_find(nitro_context *context, const nitro_string_list *ids, bool measure,
                             device_set *set)
{
    const nitro_device_kind *kind = NULL;
    nitro_status status = make_room(context, ids->count, set);
    for (size_t i = 0; i < ids->count && status == NITRO_OK; i++) {
        status = nitro_device_find(context, ids->items[i], measure, &set->devices[i], &kind);
        set->count += status == NITRO_OK;
    }
    return status;
}

const char *device_set_kind(const nitro_context *context, const device_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const nitro_device_kind *kind = nitro_device_kind_find(context, set->devices[i]->kind);
        if (kind && !kind->simulate)
            return kind->name;
    }
    return NULL;
}

/* The kind whose ids start like this one, where it records; NULL: none. */
static const nitro_device_kind *find_recording(const char *id)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    for (; *kind; kind++) {
        size_t length = strlen((*kind)->name);
        if ((*kind)->record && strncmp(id, (*kind)->name, length) == 0 &&
            (id[length] == '\0' || id[length] == ':'))
            break;
    }
    return *kind;
}

nitro_status device_set_record(nitro_context *context, const char *id, bool measure,
                               const char *path, device_set *set)
{
    const nitro_device_kind *kind = find_recording(id);
    char *text = NULL;
    if (!kind)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "device '%s' cannot be recorded: name a GPU, such as cuda", id);
    nitro_status status = make_room(context, 1, set);
    if (status == NITRO_OK)
        status = kind->record(context, id, measure, &text);
    if (status == NITRO_OK)
        status = kind->replay(context, path, text, strlen(text), &set->devices[0]);
    set->count = status == NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_file_write(context, path, text, strlen(text));
    free(text);
    return status;
}

/* The kind that a recording's format names, else the first that records, which says what is wrong.
 */
static const nitro_device_kind *find_format(const char *text)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds(), *first = NULL;
    for (; *kind; kind++) {
        char format[96];
        snprintf(format, sizeof(format), "nitro-%s-query", (*kind)->name);
        if ((*kind)->replay && strstr(text, format))
            return *kind;
        first = first || !(*kind)->replay ? first : *kind;
    }
    return first;
}

nitro_status device_set_replay(nitro_context *context, const char *path, device_set *set)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = make_room(context, 1, set);
    if (status == NITRO_OK)
        status = nitro_file_read(context, path, MAX_RECORDING_BYTES, &text, &size);
    if (status != NITRO_OK)
        return status;
    status = find_format(text)->replay(context, path, text, size, &set->devices[0]);
    set->count = status == NITRO_OK;
    free(text);
    return status;
}

nitro_status device_find_stored(nitro_context *context, nitro_store *store, const char *given,
                                char **id)
{
    nitro_device *device = NULL;
    nitro_string_list stored = {0};
    nitro_status status = nitro_store_list_devices(store, NULL, &stored);
    if (status == NITRO_OK && !nitro_store_sorted_list_has(&stored, given))
        status = nitro_device_find(context, given, false, &device, NULL);
    if (status == NITRO_ERR_NOT_FOUND)
        status = nitro_store_get_device(store, given, &device);
    char *copy = status == NITRO_OK ? nitro_strdup(context, device ? device->id : given) : NULL;
    if (copy)
        *id = copy;
    else if (status == NITRO_OK)
        status = NITRO_ERR_NO_MEMORY;
    nitro_device_free(device);
    nitro_string_list_free(&stored);
    return status;
}

nitro_status device_lists_find_stored(nitro_store *store, nitro_string_list *const *lists)
{
    nitro_status status = NITRO_OK;
    for (; *lists && status == NITRO_OK; lists++)
        for (size_t i = 0; i < (*lists)->count && status == NITRO_OK; i++) {
            char *id = NULL, **given = &(*lists)->items[i];
            status = device_find_stored(nitro_store_context(store), store, *given, &id);
            if (status == NITRO_OK) {
                free(*given);
                *given = id;
            } else if (status == NITRO_ERR_NOT_FOUND) {
                status = NITRO_OK;
            }
        }
    return status;
}

nitro_status device_set_read_store(nitro_context *context, const char *url, device_set *set)
{
    nitro_store *store = NULL;
    nitro_string_list ids = {0};
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_READ, &store);
    if (status != NITRO_OK)
        return status;
    status = nitro_store_list_devices(store, NULL, &ids);
    if (status == NITRO_OK)
        status = make_room(context, ids.count, set);
    for (size_t i = 0; i < ids.count && status == NITRO_OK; i++) {
        status = nitro_store_get_device(store, ids.items[i], &set->devices[i]);
        set->count += status == NITRO_OK;
    }
    nitro_string_list_free(&ids);
    nitro_store_close(store);
    return status;
}

nitro_status device_set_read_csv(nitro_context *context, const char *path, device_set *set)
{
    nitro_csv *csv = NULL;
    nitro_status status = nitro_csv_read(context, path, &csv);
    if (status == NITRO_OK)
        status = nitro_devices_from_csv(context, csv, &set->devices, &set->count);
    nitro_csv_free(csv);
    return status;
}
