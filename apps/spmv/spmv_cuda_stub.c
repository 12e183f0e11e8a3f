/* What stands in for spmv on CUDA devices in a build without CUDA: it says how to get it. */
#include "apps/spmv/module.h"

static nitro_status refuse(nitro_context *context)
{
    return nitro_fail(
        context, NITRO_ERR_NOT_BUILT,
        "spmv has no CUDA variants in this build: install the CUDA toolkit (nvcc), and "
        "configure with -DNITRO_CUDA=ON (the default)");
}

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    (void)computation;
    return refuse(context);
}

static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    (void)path;
    (void)argument;
    return refuse(context);
}

static void unload(void *argument)
{
    (void)argument;
}

const nitro_module nitro_module_spmv_cuda = {
    .version = NITRO_MODULE_VERSION,
    .name = "spmv",
    .description = "not in this build: needs the CUDA toolkit and -DNITRO_CUDA=ON",
    .device_kind = "cuda",
    .create = create,
    .load = load,
    .unload = unload,
};
