/* paths.h - the default path of a model, and checks of output paths. */
#ifndef NITRO_APPS_CLI_PATHS_H
#define NITRO_APPS_CLI_PATHS_H

#include "nitro/nitro_backend.h"

/**
 * $XDG_DATA_HOME/nitro/models/COMPUTATION@DEVICE.json, or the same under ~/.local/share.
 * @param[out] path  free with free().
 * @return NITRO_OK, NITRO_ERR_NOT_FOUND (neither variable names a folder), NITRO_ERR_NO_MEMORY.
 */
nitro_status model_default_path(nitro_context *context, const char *computation, const char *device,
                                char **path);

/**
 * Check that a file can be written there, before a long command starts. NULL: yes.
 * @return NITRO_OK or NITRO_ERR_IO: its folder is missing or takes no files, or it is a folder.
 */
nitro_status require_writable(nitro_context *context, const char *path);

/** Make the folders above a file where they are missing. */
nitro_status make_folders_above(nitro_context *context, const char *path);

#endif
