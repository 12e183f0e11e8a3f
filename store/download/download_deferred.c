/* Stands in for libcurl and libarchive in libnitro.so: they are loaded with the plug-in that uses
 * them. */
#include "store/download/download.h"

static nitro_status load(nitro_context *context, const nitro_download_functions **functions)
{
    const void *loaded = NULL;
    nitro_status status = nitro_plugin_load(context, "download", &loaded);
    *functions = loaded;
    return status;
}

nitro_status nitro_http_get(nitro_context *context, const nitro_http_request *request)
{
    const nitro_download_functions *functions = NULL;
    nitro_status status = load(context, &functions);
    return status == NITRO_OK ? functions->http_get(context, request) : status;
}

nitro_status nitro_unpack_member(nitro_context *context, const char *archive_path,
                                 const char *member, uint64_t max_bytes, const char *path,
                                 FILE *file)
{
    const nitro_download_functions *functions = NULL;
    nitro_status status = load(context, &functions);
    return status == NITRO_OK
               ? functions->unpack_member(context, archive_path, member, max_bytes, path, file)
               : status;
}
