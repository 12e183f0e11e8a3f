/* Versions of variants: what is declared, and maybe a digest of the code: "1+0123456789abcdef". */
#include <string.h>

#include "nitro/nitro_backend.h"

bool nitro_version_has_digest(const char *version)
{
    size_t length = strlen(version);
    const char *digest = version + length - NITRO_VERSION_DIGEST_LENGTH;
    return length > NITRO_VERSION_DIGEST_LENGTH && digest[0] == '+' &&
           strspn(digest + 1, "0123456789abcdef") == NITRO_VERSION_DIGEST_LENGTH - 1;
}

static size_t declared_length(const char *version)
{
    return strlen(version) - (nitro_version_has_digest(version) ? NITRO_VERSION_DIGEST_LENGTH : 0);
}

bool nitro_version_is_declared_other(const char *a, const char *b)
{
    size_t length = declared_length(a);
    return length != declared_length(b) || memcmp(a, b, length) != 0;
}

bool nitro_version_is_other(const char *a, const char *b)
{
    return nitro_version_has_digest(a) && nitro_version_has_digest(b)
               ? strcmp(a, b) != 0
               : nitro_version_is_declared_other(a, b);
}
