/* settings.h - settings made from outside: where they are looked up, in which order. Internal. */
#ifndef NITRO_BASE_SETTINGS_LOOKUP_H
#define NITRO_BASE_SETTINGS_LOOKUP_H

#include "nitro/nitro_backend.h"

/** One setting that somebody made. */
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

/** Known, and a value that it may have? `where` begins the error: "NITRO_LOG", "FILE:3". */
nitro_status nitro_setting_check(nitro_context *context, const char *where, const char *setting,
                                 const char *value);

/**
 * Lines "setting = value", "[computation]" before those that are for one only, and "# comments".
 * @param[in] origin  names the text in errors.
 * @return NITRO_OK; NITRO_ERR_FORMAT (origin, line and setting named).
 */
nitro_status nitro_settings_parse(nitro_context *context, const char *origin, const char *text,
                                  size_t size, nitro_setting_entries *entries);

/**
 * The user's file: $NITRO_CONFIG, else nitro/nitro.conf under $XDG_CONFIG_HOME or ~/.config. One
 * that is not there is empty, unless NITRO_CONFIG names it.
 * @param[out] path  NULL: there is no place for one; free it with free().
 */
nitro_status nitro_settings_read(nitro_context *context, char **path,
                                 nitro_setting_entries *entries);

#endif
