/* unpack.h - one file out of a .tar.gz that nobody vouches for. Hides libarchive. */
#ifndef NITRO_STORE_DOWNLOAD_UNPACK_H
#define NITRO_STORE_DOWNLOAD_UNPACK_H

#include "nitro/nitro_backend.h"

/**
 * Write the regular file `member` of an archive to `path`. Nothing else is written, whatever the
 * archive holds; an archive with a member outside its own folder (an absolute path, "..") is
 * refused as a whole, and so is one that unpacks to more than `max_bytes`.
 * @return NITRO_OK; NITRO_ERR_FORMAT; NITRO_ERR_IO; NITRO_ERR_NOT_BUILT. On error `path` is gone.
 */
nitro_status nitro_unpack_member(nitro_context *context, const char *archive_path,
                                 const char *member, uint64_t max_bytes, const char *path);

#endif
