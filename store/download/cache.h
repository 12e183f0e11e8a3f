/* cache.h - the user's cache of what was downloaded, by the XDG base directory rules. */
#ifndef NITRO_STORE_DOWNLOAD_CACHE_H
#define NITRO_STORE_DOWNLOAD_CACHE_H

#include "nitro/nitro_backend.h"

/** Make a folder and those above it, for the user alone. */
nitro_status nitro_cache_make_folders(nitro_context *context, const char *path);
/**
 * "$XDG_CACHE_HOME/nitro/FAMILY-HASH" (or below $HOME/.cache), made when missing; one for each
 * `url`, which is written into the file "url" there for people.
 * @param[out] path  free with free().
 */
nitro_status nitro_cache_folder(nitro_context *context, const char *family, const char *url,
                                char **path);

#endif
