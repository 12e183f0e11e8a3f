/* download.h - the functions of the plug-in that downloads and unpacks. */
#ifndef NITRO_STORE_DOWNLOAD_DOWNLOAD_H
#define NITRO_STORE_DOWNLOAD_DOWNLOAD_H

#include "store/download/http_get.h"
#include "store/download/unpack.h"

typedef struct nitro_download_functions {
    nitro_status (*http_get)(nitro_context *context, const nitro_http_request *request);
    nitro_status (*unpack_member)(nitro_context *context, const char *archive_path,
                                  const char *member, uint64_t max_bytes, const char *path,
                                  FILE *file);
} nitro_download_functions;

#endif
