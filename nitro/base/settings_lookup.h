/* settings_lookup.h - settings from environment and file. Internal to nitro/. */
#ifndef NITRO_BASE_SETTINGS_LOOKUP_H
#define NITRO_BASE_SETTINGS_LOOKUP_H

#include "nitro/base/setting_entries.h"

/** Check that a setting exists and the value is valid; errors begin with `where`: "NITRO_LOG",
 * "FILE:3". */
nitro_status nitro_setting_check(nitro_context *context, const char *where, const char *setting,
                                 const char *value);

/**
 * Parse lines "setting = value", sections "[computation]" and "# comments".
 * @param[in] origin  names the text in errors.
 * @return NITRO_OK; NITRO_ERR_FORMAT (origin, line and setting named).
 */
nitro_status nitro_settings_parse(nitro_context *context, const char *origin, const char *text,
                                  size_t size, nitro_setting_entries *entries);

/**
 * The user's file: $NITRO_CONFIG, else nitro/nitro.conf under $XDG_CONFIG_HOME or ~/.config. A
 * missing file counts as empty, unless NITRO_CONFIG names it.
 * @param[out] path  NULL: no home directory; free with free().
 */
nitro_status nitro_settings_read(nitro_context *context, char **path,
                                 nitro_setting_entries *entries);

#endif
