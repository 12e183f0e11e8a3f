/* Arbitrary bytes as a recorded query of CUDA or OpenCL devices: an error, or a device that is
 * written and read back equal. */
#include <string.h>

#include "features/device/cuda/cuda_kind.h"
#include "features/device/opencl/opencl_kind.h"
#include "fuzz.h"

static void round_trip(nitro_context *context, const nitro_queried_kind *kind,
                       const nitro_facts *facts)
{
    char *first = NULL, *second = NULL;
    nitro_facts *read = NULL;
    nitro_device *device = NULL;
    size_t count = 0;
    require(nitro_facts_print(context, kind, facts, &first) == NITRO_OK);
    require(nitro_facts_parse(context, kind, "again", first, strlen(first), &read, &count) ==
                NITRO_OK &&
            count == 1);
    require(nitro_facts_print(context, kind, read, &second) == NITRO_OK);
    require(strcmp(first, second) == 0);
    require(nitro_facts_make_device(context, kind, read, &device) == NITRO_OK);
    require(nitro_device_id_is_valid(device->id));
    nitro_device_free(device);
    free(read);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const nitro_queried_kind *const kinds[] = {&nitro_cuda_kind, &nitro_opencl_kind};
    nitro_context *context = NULL;
    require(nitro_context_create(&context) == NITRO_OK);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        nitro_facts *facts = NULL;
        size_t count = 0;
        if (nitro_facts_parse(context, kinds[k], "fuzz", (const char *)data, size, &facts,
                              &count) == NITRO_OK)
            for (size_t i = 0; i < count && i < 4; i++)
                round_trip(context, kinds[k], &facts[i]);
        free(facts);
    }
    nitro_context_free(context);
    return 0;
}
