/* Any text as a Redis URL after its scheme: it is parsed or refused, and neither the URL in
 * messages nor a refusal contains the password. The first byte selects the scheme. */
#include <string.h>

#include "fuzz.h"
#include "store/redis/redis_url.h"

/* A password that could not stand there by chance. */
static bool is_telling(const redis_url *url)
{
    return url->password && strlen(url->password) >= 8 && !strstr(url->host, url->password) &&
           !strstr(url->prefix, url->password);
}

static void check(const redis_url *url)
{
    require(url->host && url->host[0] && url->port >= 0 && url->port <= 65535);
    require(url->database >= 0 && url->timeout_ms > 0);
    require(nitro_name_is_valid(url->prefix));
    /* The shown part may repeat it where it is also an option's value. */
    if (is_telling(url) && !strchr(url->shown, '?'))
        require(!strstr(url->shown, url->password));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const redis_transport transports[] = {REDIS_OVER_TCP, REDIS_OVER_TLS, REDIS_OVER_UNIX};
    nitro_context *context = NULL;
    redis_url *url = NULL;
    if (size == 0)
        return 0;
    char *text = malloc(size);
    require(text && nitro_context_create(&context) == NITRO_OK);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (nitro_redis_url_parse(context, transports[data[0] % 3], text, &url) == NITRO_OK)
        check(url);
    nitro_redis_url_free(url);
    nitro_context_free(context);
    free(text);
    return 0;
}
