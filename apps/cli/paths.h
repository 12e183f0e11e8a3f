/* paths.h - checks of output paths, and their folders. */
#ifndef NITRO_APPS_CLI_PATHS_H
#define NITRO_APPS_CLI_PATHS_H

#include "nitro/nitro_backend.h"

/**
 * Check that a file can be written there, before a long command starts. NULL: yes.
 * @return NITRO_OK or NITRO_ERR_IO: its folder is missing or takes no files, or it is a folder.
 */
nitro_status require_writable(nitro_context *context, const char *path);

/** Make the folders above a file where they are missing. */
nitro_status make_folders_above(nitro_context *context, const char *path);

#endif
