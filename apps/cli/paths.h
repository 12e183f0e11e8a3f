/* paths.h - checks of output paths, their folders, and files that are installed. */
#ifndef NITRO_APPS_CLI_PATHS_H
#define NITRO_APPS_CLI_PATHS_H

#include "nitro/nitro_backend.h"

/**
 * Check that a file can be written there, before a long command starts. NULL: yes.
 * @return NITRO_OK or NITRO_ERR_IO: its folder is missing or takes no files, or it is a folder.
 */
nitro_status require_writable(nitro_context *context, const char *path);

/**
 * Make a folder that may be there already, before a long command fills it.
 * @param[out] made  it was not there.
 * @return NITRO_OK or NITRO_ERR_IO: it cannot be made or takes no files.
 */
nitro_status make_folder(nitro_context *context, const char *folder, bool *made);

/** Make the folders above a model in its usual place where they are missing. */
nitro_status make_folders_above(nitro_context *context, const char *path);

/** A file of share/nitro, such as "devices/nvidia.csv", of the prefix that Nitro is installed in or
 *  of the system. @return to be freed; NULL: there is none, or memory ran out. */
char *find_shared_file(nitro_context *context, const char *name);

#endif
