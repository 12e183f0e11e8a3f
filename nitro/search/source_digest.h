/* source_digest.h - whether source code is another one. Internal to nitro/search/. */
#ifndef NITRO_SEARCH_SOURCE_DIGEST_H
#define NITRO_SEARCH_SOURCE_DIGEST_H

#include "nitro/nitro_backend.h"

/**
 * Hash C source and the files that it includes from its own folder or those that options name.
 * @param[in]     options  of the compiler, ended by NULL.
 * @param[in,out] digest   the hash of what comes before; unchanged on error.
 * @return as nitro_file_read.
 */
nitro_status nitro_source_digest(nitro_context *context, const char *path, char *const *options,
                                 uint64_t *digest);

#endif
