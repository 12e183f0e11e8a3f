/* The profiler "cupti" in a build without CUPTI's headers: errors say how to build with them. */
#include "nitro/nitro_backend.h"

static nitro_status refuse_open(nitro_context *context, const char *device, void **state)
{
    (void)state;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "device %s cannot be profiled: this build has no CUPTI; install CUDA 13's "
                      "toolkit and build again with NITRO_CUPTI=ON",
                      device);
}

static bool has_nothing(void *state, const char *counter)
{
    (void)state;
    (void)counter;
    return false;
}

static nitro_status refuse_collect(void *state, const nitro_string_list *counters,
                                   const nitro_profiled_work *work, nitro_kernel_function function,
                                   void *user)
{
    (void)state;
    (void)counters;
    (void)work;
    (void)function;
    (void)user;
    return NITRO_ERR_NOT_BUILT;
}

static void close_nothing(void *state)
{
    (void)state;
}

const nitro_profiler nitro_profiler_cupti = {
    .name = "cupti",
    .description = "CUPTI (not in this build: NITRO_CUPTI turns it on)",
    .device_kind = "cuda",
    .open = refuse_open,
    .has = has_nothing,
    .collect = refuse_collect,
    .close = close_nothing,
};
