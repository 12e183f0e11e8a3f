/* Passwords out of URLs: what stands between ':' and '@' of the user's part is not shown. */
#include <string.h>

#include "store/store_internal.h"

/* Where the user's part ends. A password with a '/' that should be %2F is a common mistake, and no
 * reason to show it, so the last '@' counts; but paths on web servers may hold one of their own. */
static const char *find_at(const char *scheme, const char *user)
{
    size_t size = strncmp(scheme, "http", 4) == 0 ? strcspn(user, "/?#") : strlen(user);
    return memrchr(user, '@', size);
}

char *nitro_store_redact(nitro_context *context, const char *scheme, const char *address)
{
    const char *user = address + 2;
    const char *at = strncmp(address, "//", 2) == 0 ? find_at(scheme, user) : NULL;
    const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;
    if (!colon)
        return nitro_asprintf(context, "%s:%s", scheme, address);
    return nitro_asprintf(context, "%s:%.*s:***%s", scheme, (int)(colon - address), address, at);
}
