/* Versions of variants by their machine code: a time is valid for the code that was measured. */
#include <dlfcn.h>
#include <inttypes.h>
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

nitro_status nitro_variant_set_digest(nitro_context *context, nitro_variant *variant,
                                      uint64_t digest)
{
    const size_t most = NITRO_VERSION_MAX_LENGTH - NITRO_VERSION_DIGEST_LENGTH;
    size_t length = strlen(variant->version);
    if (nitro_version_has_digest(variant->version))
        length -= NITRO_VERSION_DIGEST_LENGTH;
    char *text = nitro_asprintf(context, "%.*s+%016" PRIx64, (int)(length < most ? length : most),
                                variant->version, digest);
    if (!text)
        return NITRO_ERR_NO_MEMORY;
    free((char *)variant->version);
    variant->version = text;
    return NITRO_OK;
}

nitro_status nitro_computation_version_by_code(nitro_computation *computation)
{
    nitro_status status = NITRO_OK;
    for (size_t v = 0; v < computation->schema->num_variants && status == NITRO_OK; v++) {
        nitro_variant *variant = &computation->variants[v];
        const void *function = NULL;
        uint64_t digest = 0;
        memcpy(&function, &variant->run, sizeof function);
        if (!nitro_version_has_digest(variant->version) && !is_of_nitro(function) &&
            nitro_code_digest(function, &digest))
            status = nitro_variant_set_digest(computation->context, variant, digest);
    }
    return status;
}
