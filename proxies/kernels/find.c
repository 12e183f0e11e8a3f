/* Finds proxy kernels by name. */
#include <string.h>

#include "nitro/nitro_backend.h"

nitro_status nitro_proxy_kernel_find(nitro_context *context, const char *proxy,
                                     const char *device_kind, const nitro_proxy_kernel **kernel)
{
    for (const nitro_proxy_kernel *const *each = nitro_builtin_proxy_kernels(); *each; each++)
        if (strcmp((*each)->proxy, proxy) == 0 && strcmp((*each)->device_kind, device_kind) == 0) {
            *kernel = *each;
            return NITRO_OK;
        }
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "proxy '%.80s' has no kernel for devices of kind '%.80s': 'nitro proxies' "
                      "lists the available ones",
                      proxy, device_kind);
}
