/* opencl_library.h - OpenCL, opened when it is asked for: the loader libOpenCL.so.1 finds the
 * platforms that are installed. A process that has asked for devices must not fork: PoCL's threads
 * are not in the child, which then waits for ever. */
#ifndef NITRO_FEATURES_DEVICE_OPENCL_OPENCL_LIBRARY_H
#define NITRO_FEATURES_DEVICE_OPENCL_OPENCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION          300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: devices of 1.2 have no other */
#include <CL/cl.h>

#include "nitro/nitro_backend.h"

#define NITRO_OPENCL_FUNCTIONS(FUNCTION)                                                           \
    FUNCTION(GetPlatformIDs)                                                                       \
    FUNCTION(GetPlatformInfo)                                                                      \
    FUNCTION(GetDeviceIDs)                                                                         \
    FUNCTION(GetDeviceInfo)                                                                        \
    FUNCTION(CreateContext)                                                                        \
    FUNCTION(ReleaseContext)                                                                       \
    FUNCTION(CreateCommandQueue)                                                                   \
    FUNCTION(ReleaseCommandQueue)                                                                  \
    FUNCTION(GetCommandQueueInfo)                                                                  \
    FUNCTION(CreateBuffer)                                                                         \
    FUNCTION(ReleaseMemObject)                                                                     \
    FUNCTION(EnqueueReadBuffer)                                                                    \
    FUNCTION(EnqueueWriteBuffer)                                                                   \
    FUNCTION(EnqueueCopyBuffer)                                                                    \
    FUNCTION(EnqueueFillBuffer)                                                                    \
    FUNCTION(EnqueueMarkerWithWaitList)                                                            \
    FUNCTION(EnqueueNDRangeKernel)                                                                 \
    FUNCTION(Flush)                                                                                \
    FUNCTION(Finish)                                                                               \
    FUNCTION(WaitForEvents)                                                                        \
    FUNCTION(GetEventInfo)                                                                         \
    FUNCTION(GetEventProfilingInfo)                                                                \
    FUNCTION(ReleaseEvent)                                                                         \
    FUNCTION(CreateProgramWithSource)                                                              \
    FUNCTION(CreateProgramWithBinary)                                                              \
    FUNCTION(BuildProgram)                                                                         \
    FUNCTION(GetProgramInfo)                                                                       \
    FUNCTION(GetProgramBuildInfo)                                                                  \
    FUNCTION(ReleaseProgram)                                                                       \
    FUNCTION(CreateKernel)                                                                         \
    FUNCTION(SetKernelArg)                                                                         \
    FUNCTION(GetKernelWorkGroupInfo)                                                               \
    FUNCTION(ReleaseKernel)

typedef struct nitro_opencl {
#define NITRO_OPENCL_MEMBER(name) __typeof__(cl##name) *name;
    NITRO_OPENCL_FUNCTIONS(NITRO_OPENCL_MEMBER)
#undef NITRO_OPENCL_MEMBER
} nitro_opencl;

/** The functions, loaded by the first call; NULL: there is no OpenCL here. Safe from any thread. */
const nitro_opencl *nitro_opencl_load(void);

/** "CL_INVALID_WORK_GROUP_SIZE (-54)". @param[out] text  shape [size]. @return text. */
const char *nitro_opencl_error(cl_int code, char *text, size_t size);

/** NITRO_OK for CL_SUCCESS; else the error says `what` failed and how. */
nitro_status nitro_opencl_check(nitro_context *context, cl_int code, const char *what);

/* ---- Devices --------------------------------------------------------------------------------- */

/** Device number `index` among those of all platforms. @return its id, or NULL. */
cl_device_id nitro_opencl_find_device(const nitro_opencl *cl, size_t index,
                                      cl_platform_id *platform);

/** A device that this process has opened. It stays open until the process ends. */
typedef struct nitro_opencl_device {
    struct nitro_opencl_device *next;
    size_t index;
    cl_context context;
    cl_command_queue queue; /* in order, with profiling: the default stream */
} nitro_opencl_device;

/**
 * Open a device, once, and let it be the one that arguments without a queue use.
 * @param[in] index  NITRO_NONE: the one that was opened last, else the first.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND; NITRO_ERR_IO.
 */
nitro_status nitro_opencl_open(nitro_context *context, size_t index,
                               const nitro_opencl_device **device);
/** The queue of a stream; NULL: there is no device. */
cl_command_queue nitro_opencl_queue(void *stream);

#endif
