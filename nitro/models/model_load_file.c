/* Models from files and from memory. */
#include <stdlib.h>

#include "nitro/base/require.h"
#include "nitro/models/model_file.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

nitro_status nitro_model_load(nitro_context *context, const char *path, nitro_model **model)
{
    NITRO_REQUIRE(context, context && path && model);
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read_regular(context, path, MAX_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_model_parse_any(context, path, text, size, model);
    free(text);
    return status;
}

nitro_status nitro_model_load_memory(nitro_context *context, const void *data, size_t size,
                                     nitro_model **model)
{
    NITRO_REQUIRE(context, context && data && model);
    return nitro_model_parse_any(context, NITRO_MODEL_IN_MEMORY, data, size, model);
}
