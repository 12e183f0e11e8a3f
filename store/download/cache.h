/* cache.h - the user's cache of downloads, by the XDG base directory rules. */
#ifndef NITRO_STORE_DOWNLOAD_CACHE_H
#define NITRO_STORE_DOWNLOAD_CACHE_H

#include "nitro/nitro_backend.h"

/**
 * "$XDG_CACHE_HOME/nitro/FAMILY-HASH" (or below $HOME/.cache): one folder for each `url`, which its
 * file "url" contains. It and its folder `inner` are created if missing, mode 0700.
 * @param[out] path  free with free().
 */
nitro_status nitro_cache_folder(nitro_context *context, const char *family, const char *url,
                                const char *inner, char **path);

#endif
