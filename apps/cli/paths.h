/* paths.h - where models are kept that nobody gave a path for. */
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

/** Make the folders above a file where they are missing. */
nitro_status make_folders_above(nitro_context *context, const char *path);

#endif
