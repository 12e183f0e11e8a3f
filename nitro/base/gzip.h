/* gzip.h - files that may be compressed by gzip. Internal to nitro/. */
#ifndef NITRO_BASE_GZIP_H
#define NITRO_BASE_GZIP_H

#include "nitro/nitro_backend.h"

/** Decompress; free `text`, which has a final '\0', with free(). @param[in] origin  for errors. */
nitro_status nitro_gunzip(nitro_context *context, const char *origin, const char *data,
                          size_t data_size, size_t max_bytes, char **text, size_t *size);

#endif
