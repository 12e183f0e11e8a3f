/* setting_entries.h - a list of settings with their values. Internal to nitro/. */
#ifndef NITRO_BASE_SETTING_ENTRIES_H
#define NITRO_BASE_SETTING_ENTRIES_H

#include "nitro/nitro_backend.h"

/** One setting and its value. */
typedef struct nitro_setting_entry {
    char *computation; /* NULL: for all */
    char *setting;
    char *value;
    size_t line; /* of a file; 0: by the program */
} nitro_setting_entry;

typedef struct nitro_setting_entries {
    nitro_setting_entry *items; /* shape [count] */
    size_t count, capacity;
} nitro_setting_entries;

/** Append, or replace the value where the setting is there for this computation (NULL: all). */
nitro_status nitro_setting_entries_put(nitro_context *context, nitro_setting_entries *entries,
                                       const char *computation, const char *setting,
                                       const char *value, size_t line);
/** The computation's own entry, else that for all, else NULL. */
const nitro_setting_entry *nitro_setting_entries_find(const nitro_setting_entries *entries,
                                                      const char *computation, const char *setting);
void nitro_setting_entries_free(nitro_setting_entries *entries);

#endif
