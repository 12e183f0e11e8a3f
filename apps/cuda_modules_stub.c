/* Modules of CUDA devices in a build without CUDA: they fail with the option that turns CUDA on. */
#include "apps/histogram/histogram_modules.h"
#include "apps/spmv/spmv_modules.h"

static nitro_status refuse(nitro_context *context)
{
    return nitro_fail(
        context, NITRO_ERR_NOT_BUILT,
        "this build has no CUDA variants: install the CUDA toolkit (nvcc), and configure with "
        "-DNITRO_CUDA=ON (the default)");
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

#define CUDA_STUB(its_name)                                                                        \
    {                                                                                              \
        .version = NITRO_MODULE_VERSION, .name = its_name,                                         \
        .description = "not in this build: needs the CUDA toolkit and -DNITRO_CUDA=ON",            \
        .device_kind = "cuda", .create = create, .load = load, .unload = unload,                   \
    }

const nitro_module nitro_module_spmv_cuda = CUDA_STUB("spmv");
const nitro_module nitro_module_histogram_cuda = CUDA_STUB("histogram");
