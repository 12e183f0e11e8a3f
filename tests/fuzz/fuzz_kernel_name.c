/* Arbitrary kernel names: the readable name is truncated to its buffer and contained in the input.
 */
#include <string.h>

#include "fuzz.h"
#include "proxies/profilers/kernel_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *symbol = malloc(size + 1);
    char name[32];
    if (symbol) {
        if (size > 0)
            memcpy(symbol, data, size);
        symbol[size] = '\0';
        nitro_kernel_name(symbol, name, sizeof name);
        if (!memchr(name, '\0', sizeof name) || !strstr(symbol, name))
            abort();
    }
    free(symbol);
    return 0;
}
