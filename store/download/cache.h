/* cache.h - the user's cache of downloads, by the XDG base directory rules. */
#ifndef NITRO_STORE_DOWNLOAD_CACHE_H
#define NITRO_STORE_DOWNLOAD_CACHE_H

#include "nitro/nitro_backend.h"

/** Create a folder and its parents, mode 0700. */
nitro_status nitro_cache_make_folders(nitro_context *context, const char *path);
/**
 * "$XDG_CACHE_HOME/nitro/FAMILY-HASH" (or below $HOME/.cache), created if missing: one folder for
 * each `url`, which its file "url" contains.
 * @param[out] path  free with free().
 */
nitro_status nitro_cache_folder(nitro_context *context, const char *family, const char *url,
                                char **path);

#endif
