/* unpack_stub.c - archives in a build without libarchive: fail with what to install. */
#include "store/download/unpack.h"

nitro_status nitro_unpack_member(nitro_context *context, const char *archive_path,
                                 const char *member, uint64_t max_bytes, const char *path,
                                 FILE *file)
{
    (void)member, (void)max_bytes, (void)path, (void)file;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "%s: this build cannot unpack archives; install libarchive-dev and build "
                      "again with -DNITRO_ARCHIVE=ON",
                      archive_path);
}
