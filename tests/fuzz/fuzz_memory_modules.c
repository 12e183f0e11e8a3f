/* Arbitrary bytes as the firmware's table of memory modules: unknown, or at least one channel. */
#include <math.h>

#include "features/device/host/host_kind.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_host_memory_bus bus;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_host_parse_memory_bus(context, data, size, &bus) != NITRO_OK)
        abort();
    if (isnan(bus.bits) ? bus.num_channels != 0 : bus.bits < (double)bus.num_channels)
        abort();
    if (isnan(bus.bits) != isnan(bus.clock_mhz))
        abort();
    nitro_context_free(context);
    return 0;
}
