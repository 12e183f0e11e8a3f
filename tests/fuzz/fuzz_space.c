/* Descriptions of tuning spaces of any text: refused with an error, or numbered without gaps. */
#include "fuzz.h"
#include "nitro/nitro_backend.h"

static void check_ranks(nitro_context *context, const nitro_space *space)
{
    uint16_t indices[NITRO_MAX_PARAMETERS];
    uint64_t size = nitro_space_size(space), step = 1 + size / 100;
    for (uint64_t i = 0; i < 100 && i * step < size; i++) {
        uint64_t *neighbours = NULL;
        size_t count = 0;
        nitro_space_indices(space, i * step, indices);
        if (nitro_space_find(space, indices) != i * step)
            abort();
        if (i < 3 && nitro_space_neighbours(context, space, indices, NITRO_NEIGHBOURS_ADJACENT,
                                            &neighbours, &count) == NITRO_OK)
            for (size_t n = 0; n < count; n++)
                if (neighbours[n] >= size || neighbours[n] == i * step)
                    abort();
        free(neighbours);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_space *space = NULL;
    if (nitro_context_create(&context) == NITRO_OK &&
        nitro_space_parse(context, "fuzz", (const char *)data, size, &space) == NITRO_OK)
        check_ranks(context, space);
    nitro_space_free(space);
    nitro_context_free(context);
    return 0;
}
