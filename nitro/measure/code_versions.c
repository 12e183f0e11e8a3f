/* Versions of variants by their machine code: a time is valid for the code that was measured. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/measure/code_digest.h"
#include "nitro/runtime/computation.h"

/** Nitro's own variants have the versions that they declare: a newer Nitro keeps the times. */
static bool is_of_nitro(const void *function)
{
    Dl_info variant, nitro;
    const char *(*version)(void) = nitro_version;
    void *own = NULL;
    memcpy(&own, &version, sizeof own);
    return !dladdr(function, &variant) || !dladdr(own, &nitro) ||
           variant.dli_fbase == nitro.dli_fbase;
}

nitro_status nitro_computation_version_by_code(nitro_computation *computation)
{
    for (size_t v = 0; v < computation->schema->num_variants; v++) {
        nitro_variant *variant = &computation->variants[v];
        const void *function = NULL;
        uint64_t digest = 0;
        memcpy(&function, &variant->run, sizeof function);
        if (nitro_version_has_digest(variant->version) || is_of_nitro(function) ||
            !nitro_code_digest(function, &digest))
            continue;
        int declared = NITRO_VERSION_MAX_LENGTH - NITRO_VERSION_DIGEST_LENGTH;
        char *text = nitro_asprintf(computation->context, "%.*s+%016" PRIx64, declared,
                                    variant->version, digest);
        if (!text)
            return NITRO_ERR_NO_MEMORY;
        free((char *)variant->version);
        variant->version = text;
    }
    return NITRO_OK;
}
