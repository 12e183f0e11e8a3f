/* http_get_stub.c - downloads in a build without libcurl: fail with what to install. */
#include "store/download/http_get.h"

nitro_status nitro_http_get(nitro_context *context, const nitro_http_request *request)
{
    return nitro_fail(
        context, NITRO_ERR_NOT_BUILT,
        "%s: this build cannot download; install libcurl4-openssl-dev and build again "
        "with -DNITRO_CURL=ON, or copy the files and give their folder",
        request->url);
}
