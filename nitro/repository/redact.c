/* Removes user and password from URLs: "//user:password@host" becomes "//host". */
#include <string.h>

#include "nitro/repository/store_internal.h"

/* The end of the user's part; NULL: none. A password with a '/' instead of %2F is a common mistake
 * and must not be shown; but a path on a web server may hold an '@'. */
static const char *find_at(const char *scheme, const char *user)
{
    bool is_web = strncmp(scheme, "http", 4) == 0;
    size_t size = strcspn(user, is_web ? "/?#" : "/?");
    const char *at = memrchr(user, '@', size);
    bool may_be_cut = !is_web && memchr(user, ':', size);
    return at || !may_be_cut ? at : strrchr(user, '@');
}

char *nitro_store_redact(nitro_context *context, const char *scheme, const char *address)
{
    const char *user = address + 2;
    const char *at = strncmp(address, "//", 2) == 0 ? find_at(scheme, user) : NULL;
    return nitro_asprintf(context, "%s:%s%s", scheme, at ? "//" : "", at ? at + 1 : address);
}
