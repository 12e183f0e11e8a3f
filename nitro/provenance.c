/* What made a record: the same few texts for samples and profiles. */
#include <stdlib.h>

#include "nitro/nitro_backend.h"

static bool copy_text(nitro_context *context, const char *from, char **copy)
{
    *copy = nitro_strdup(context, from);
    return *copy || !from;
}

nitro_status nitro_provenance_copy(nitro_context *context, const nitro_provenance *from,
                                   nitro_provenance *copy)
{
    copy->time_s = from->time_s;
    if (copy_text(context, from->origin, &copy->origin) &&
        copy_text(context, from->library, &copy->library) &&
        copy_text(context, from->compiler, &copy->compiler) &&
        copy_text(context, from->host, &copy->host))
        return NITRO_OK;
    nitro_provenance_clear(copy);
    return NITRO_ERR_NO_MEMORY;
}

void nitro_provenance_clear(nitro_provenance *provenance)
{
    free(provenance->origin);
    free(provenance->library);
    free(provenance->compiler);
    free(provenance->host);
    *provenance = (nitro_provenance){0};
}
