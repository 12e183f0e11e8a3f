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

/* Without "//" all up to the last '@' may be a password: it is a mistyped URL. */
char *nitro_store_redact(nitro_context *context, const char *scheme, const char *address)
{
    bool complete = strncmp(address, "//", 2) == 0;
    const char *at = complete ? find_at(scheme, address + 2) : strrchr(address, '@');
    const char *slashes = complete ? "//" : address[0] == '/' ? "/" : "";
    return nitro_asprintf(context, "%s:%s%s", scheme, at ? slashes : "", at ? at + 1 : address);
}
