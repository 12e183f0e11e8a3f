/* http_url.c - checks URLs before they are requested. Credentials in a URL would end up in logs and
 * caches, so they are refused in favour of ~/.netrc. */
#include <string.h>

#include "store/download/http_get.h"

nitro_status nitro_http_check_url(nitro_context *context, const char *url)
{
    size_t scheme = strncmp(url, "https://", 8) == 0 ? 8 : strncmp(url, "http://", 7) == 0 ? 7 : 0;
    const char *host = url + scheme;
    const char *at = strrchr(url, '@'); /* before it there may be a password */
    if (scheme == 0 || strcspn(host, "/?#") == 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "invalid URL '%s%.200s': write https://HOST/FOLDER or http://HOST/FOLDER",
                          at ? "..." : "", at ? at : url);
    if (memchr(host, '@', strcspn(host, "/?#")))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%.*s...: credentials in a URL end up in logs; put them into "
                          "~/.netrc (machine HOST login NAME password PASSWORD)",
                          (int)scheme, url);
    for (const char *c = host; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || strchr("\"<>\\^`{|}?#", *c))
            return nitro_fail(
                context, NITRO_ERR_ARGUMENT,
                "invalid URL '%.200s': a folder's URL has no query, spaces or special "
                "characters; write them as %%XX",
                url);
    return NITRO_OK;
}
