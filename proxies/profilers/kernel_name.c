/* Kernels' readable names: a mangled C++ name becomes the function's own. */
#include "proxies/profilers/kernel_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "7csr_row..." in a mangled name: the *length bytes after the digits; NULL: none. */
static const char *read_part(const char *at, size_t *length)
{
    char *end = NULL;
    if (!isdigit((unsigned char)*at))
        return NULL;
    *length = strtoul(at, &end, 10);
    return *length > 0 && *length <= strlen(end) ? end : NULL;
}

/* Of the Itanium C++ ABI's _Z names (N for nested ones, L for local linkage), the last part before
 * template arguments or parameters. */
void nitro_kernel_name(const char *symbol, char *text, size_t size)
{
    const char *name = symbol;
    size_t length = strlen(symbol), part_length = 0;
    const char *at = strncmp(symbol, "_Z", 2) == 0 ? symbol + 2 : "";
    at += strspn(at, "NKL");
    at += strncmp(at, "St", 2) == 0 ? 2 : 0;
    for (const char *part; (part = read_part(at, &part_length)) != NULL;) {
        name = part;
        length = part_length;
        at = part + part_length;
        at += *at == 'L';
    }
    snprintf(text, size, "%.*s", (int)length, name);
}
