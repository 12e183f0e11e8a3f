/* settings_lookup.h - settings made from outside the program. Internal to nitro/. */
#ifndef NITRO_BASE_SETTINGS_LOOKUP_H
#define NITRO_BASE_SETTINGS_LOOKUP_H

#include "nitro/base/setting_entries.h"

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
