/* The profiler "cupti": counters of the kernels that work launches on an NVIDIA GPU. */
#include "proxies/profilers/profile_cupti.h"

static nitro_status open_cupti(nitro_context *context, const char *device, void **state)
{
    cupti_functions functions;
    (void)device; /* open, with its context current */
    nitro_status status = cupti_open_driver(context, &functions);
    if (status == NITRO_OK)
        status = cupti_open_library(context, &functions);
    return status == NITRO_OK ? cupti_session_open(context, &functions, state) : status;
}

const nitro_profiler nitro_profiler_cupti = {
    .name = "cupti",
    .description = "CUPTI 13's range profiler: every kernel of a variant, on NVIDIA GPUs",
    .device_kind = "cuda",
    .open = open_cupti,
    .has = cupti_session_has,
    .collect = cupti_session_collect,
    .close = cupti_session_close,
};
