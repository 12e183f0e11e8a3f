/* OpenCL devices in a build without OpenCL's headers: errors say how to build with them. */
#include <stdio.h>

#include "features/device/opencl/opencl_kind.h"
#include "nitro/kernels.h"

#define NOT_BUILT                                                                                  \
    "OpenCL devices are not in this build: install its headers (Debian's opencl-headers) and "     \
    "build again with -DNITRO_OPENCL=ON"

const bool nitro_opencl_is_built = false;

nitro_status nitro_opencl_query(nitro_context *context, nitro_facts **facts, size_t *count)
{
    (void)facts;
    (void)count;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT, NOT_BUILT);
}

nitro_status nitro_opencl_measure(nitro_context *context, nitro_facts *facts)
{
    (void)facts;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT, NOT_BUILT);
}

static nitro_status open_none(nitro_context *context, const char *id,
                              nitro_device_session **session)
{
    (void)id;
    (void)session;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT, NOT_BUILT);
}

static nitro_status open_target(nitro_context *context, const char *device, void *stream,
                                nitro_kernel_target *target)
{
    (void)device;
    (void)stream;
    (void)target;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT, NOT_BUILT);
}

const nitro_device_access nitro_opencl_access = {.open = open_none};

static int may_prepare(nitro_on_device *on_device, const char *what)
{
    snprintf(on_device->problem, sizeof(on_device->problem), "%s: " NOT_BUILT, what);
    return on_device->failure = 1;
}

/* The others are called after it alone. */
const nitro_device_memory nitro_opencl_memory = {.may_prepare = may_prepare};

extern const nitro_kernel_backend nitro_kernel_backend_opencl;
const nitro_kernel_backend nitro_kernel_backend_opencl = {
    .name = "opencl",
    .description = "OpenCL C (not in this build)",
    .device_kind = "opencl",
    .open = open_target,
};
