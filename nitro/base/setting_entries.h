/* setting_entries.h - a list of settings with their values. Internal to nitro/. */
#ifndef NITRO_BASE_SETTING_ENTRIES_H
#define NITRO_BASE_SETTING_ENTRIES_H

#include "nitro/nitro_backend.h"

/** One setting and its value. */
typedef struct nitro_setting_entry {
    char *computation; /* NULL: for all computations */
    char *setting;
    char *value;
    size_t line; /* line of a file; 0: set by the program */
} nitro_setting_entry;

typedef struct nitro_setting_entries {
    nitro_setting_entry *items; /* shape [count] */
    size_t count, capacity;
} nitro_setting_entries;

/** Append, or replace this computation's (NULL: all computations') value of the setting. */
nitro_status nitro_setting_entries_put(nitro_context *context, nitro_setting_entries *entries,
                                       const char *computation, const char *setting,
                                       const char *value, size_t line);
/** The computation's entry, else that for all, else NULL. */
const nitro_setting_entry *nitro_setting_entries_find(const nitro_setting_entries *entries,
                                                      const char *computation, const char *setting);
void nitro_setting_entries_free(nitro_setting_entries *entries);

#endif
