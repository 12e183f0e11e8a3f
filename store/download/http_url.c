/* Which addresses may be asked. Credentials in them would end up in logs and caches, so that curl's
 * .netrc is the place for them. */
#include <string.h>

#include "store/download/http_get.h"

nitro_status nitro_http_check_url(nitro_context *context, const char *url)
{
    size_t scheme = strncmp(url, "https://", 8) == 0 ? 8 : strncmp(url, "http://", 7) == 0 ? 7 : 0;
    const char *host = url + scheme;
    if (scheme == 0 || strcspn(host, "/?#") == 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'%.200s' is no address: write https://HOST/FOLDER or http://HOST/FOLDER",
                          url);
    if (memchr(host, '@', strcspn(host, "/?#")))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%.*s...: credentials in an address end up in logs; put them into "
                          "~/.netrc (machine HOST login NAME password PASSWORD)",
                          (int)scheme, url);
    for (const char *at = host; *at; at++)
        if (*at <= ' ' || *at >= 0x7f || strchr("\"<>\\^`{|}?#", *at))
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "'%.200s': an address of a folder has no queries, spaces or special "
                              "characters; write them as %%XX",
                              url);
    return NITRO_OK;
}
