/* unpack.h - unpacks one file of an untrusted .tar.gz. */
#ifndef NITRO_STORE_DOWNLOAD_UNPACK_H
#define NITRO_STORE_DOWNLOAD_UNPACK_H

#include <stdio.h>

#include "nitro/nitro_backend.h"

/**
 * Write the regular file `member` of an archive to the open `file`, and nothing else; `path` names
 * it in errors. An archive with any
 * member outside its folder (an absolute path, "..") or with more than `max_bytes` unpacked is
 * refused.
 * @return NITRO_OK; NITRO_ERR_FORMAT; NITRO_ERR_IO; NITRO_ERR_NOT_BUILT.
 */
nitro_status nitro_unpack_member(nitro_context *context, const char *archive_path,
                                 const char *member, uint64_t max_bytes, const char *path,
                                 FILE *file);

#endif
