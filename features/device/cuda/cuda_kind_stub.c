/* CUDA devices in a build without the CUDA toolkit: errors say how to build with it. */
#include "features/device/cuda/cuda_kind.h"

const bool nitro_cuda_is_built = false;

static nitro_status fail_not_built(nitro_context *context)
{
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "CUDA devices are not in this build: install the CUDA toolkit (nvcc) and "
                      "build again with -DNITRO_CUDA=ON");
}

nitro_status nitro_cuda_query(nitro_context *context, nitro_facts **facts, size_t *count)
{
    (void)facts;
    (void)count;
    return fail_not_built(context);
}

nitro_status nitro_cuda_measure(nitro_context *context, nitro_facts *facts)
{
    (void)facts;
    return fail_not_built(context);
}

static nitro_status open_none(nitro_context *context, const char *id,
                              nitro_device_session **session)
{
    (void)id;
    (void)session;
    return fail_not_built(context);
}

const nitro_device_access nitro_cuda_access = {.open = open_none};
