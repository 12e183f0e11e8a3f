/* A list of settings with their values. */
#include "nitro/base/setting_entries.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static nitro_setting_entry *find_entry(const nitro_setting_entries *entries,
                                       const char *computation, const char *setting)
{
    for (size_t i = 0; i < entries->count; i++)
        if (is_same(entries->items[i].computation, computation) &&
            strcmp(entries->items[i].setting, setting) == 0)
            return &entries->items[i];
    return NULL;
}

static void free_entry(nitro_setting_entry *entry)
{
    free(entry->computation);
    free(entry->setting);
    free(entry->value);
}

nitro_status nitro_setting_entries_put(nitro_context *context, nitro_setting_entries *entries,
                                       const char *computation, const char *setting,
                                       const char *value, size_t line)
{
    nitro_setting_entry made = {.computation = nitro_strdup(context, computation),
                                .setting = nitro_strdup(context, setting),
                                .value = nitro_strdup(context, value),
                                .line = line};
    nitro_setting_entry *grown = nitro_grow(context, entries->items, entries->count,
                                            &entries->capacity, sizeof *grown, "settings");
    if (grown)
        entries->items = grown;
    if (!grown || (computation && !made.computation) || !made.setting || !made.value) {
        free_entry(&made);
        return NITRO_ERR_NO_MEMORY;
    }
    nitro_setting_entry *old = find_entry(entries, computation, setting);
    if (old)
        free_entry(old);
    else
        old = &entries->items[entries->count++];
    *old = made;
    return NITRO_OK;
}

const nitro_setting_entry *nitro_setting_entries_find(const nitro_setting_entries *entries,
                                                      const char *computation, const char *setting)
{
    const nitro_setting_entry *own = computation ? find_entry(entries, computation, setting) : NULL;
    return own ? own : find_entry(entries, NULL, setting);
}

void nitro_setting_entries_free(nitro_setting_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free_entry(&entries->items[i]);
    free(entries->items);
    *entries = (nitro_setting_entries){0};
}
