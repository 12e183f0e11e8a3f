/* Memory of OpenCL devices: arrays are cl_mem. */
#include <stdio.h>

#include "features/device/opencl/opencl_library.h"
#include "nitro/kernels.h"

static int fail(nitro_on_device *on_device, const char *what, cl_int code)
{
    char text[80];
    snprintf(on_device->problem, sizeof(on_device->problem), "%s: %s", what,
             nitro_opencl_error(code, text, sizeof(text)));
    bool is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                     code == CL_INVALID_BUFFER_SIZE || code == CL_OUT_OF_RESOURCES;
    return on_device->failure = is_memory ? NITRO_ERR_NO_MEMORY : 1;
}

static int check(nitro_on_device *on_device, const char *what, cl_int code)
{
    return code == CL_SUCCESS ? 0 : fail(on_device, what, code);
}

static int may_prepare(nitro_on_device *on_device, const char *what)
{
    return nitro_opencl_load() && nitro_opencl_queue(on_device->stream)
               ? 0
               : fail(on_device, what, CL_DEVICE_NOT_FOUND);
}

/* OpenCL does not tell how much is free. */
static int need(nitro_on_device *on_device, uint64_t bytes, const char *what)
{
    const nitro_opencl *cl = nitro_opencl_load();
    cl_device_id id;
    cl_ulong total = 0;
    cl_int code = cl->GetCommandQueueInfo(nitro_opencl_queue(on_device->stream), CL_QUEUE_DEVICE,
                                          sizeof(id), &id, NULL);
    if (code == CL_SUCCESS)
        code = cl->GetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(total), &total, NULL);
    if (code != CL_SUCCESS)
        return fail(on_device, what, code);
    if (bytes <= total)
        return 0;
    snprintf(on_device->problem, sizeof(on_device->problem),
             "%s takes %.1f MB, and the device has %.1f MB", what, (double)bytes / 1e6,
             (double)total / 1e6);
    return on_device->failure = NITRO_ERR_NO_MEMORY;
}

static int allocate(nitro_on_device *on_device, int64_t count, size_t size, void **memory)
{
    const nitro_opencl *cl = nitro_opencl_load();
    cl_context context;
    size_t bytes;
    char what[64];
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes))
        return fail(on_device, "allocating an array", CL_INVALID_BUFFER_SIZE);
    if (bytes == 0) {
        *memory = NULL;
        return 0;
    }
    snprintf(what, sizeof(what), "allocating %.1f MB on the device", (double)bytes / 1e6);
    cl_int code = cl->GetCommandQueueInfo(nitro_opencl_queue(on_device->stream), CL_QUEUE_CONTEXT,
                                          sizeof(context), &context, NULL);
    cl_mem made = code == CL_SUCCESS
                      ? cl->CreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code)
                      : NULL;
    if (code != CL_SUCCESS)
        return fail(on_device, what, code);
    *memory = made;
    return 0;
}

/* `from` may be freed on return: the copy is waited for. */
static int upload(nitro_on_device *on_device, const void *from, int64_t count, size_t size,
                  void **memory)
{
    const nitro_opencl *cl = nitro_opencl_load();
    void *made = NULL;
    if (allocate(on_device, count, size, &made) != 0)
        return on_device->failure;
    cl_int code = made
                      ? cl->EnqueueWriteBuffer(nitro_opencl_queue(on_device->stream), made, CL_TRUE,
                                               0, (size_t)count * size, from, 0, NULL, NULL)
                      : CL_SUCCESS;
    if (code != CL_SUCCESS) {
        cl->ReleaseMemObject(made);
        return fail(on_device, "copying to the device", code);
    }
    *memory = made;
    return 0;
}

static int wait(nitro_on_device *on_device)
{
    return check(on_device, "waiting for the command queue",
                 nitro_opencl_load()->Finish(nitro_opencl_queue(on_device->stream)));
}

static int download(nitro_on_device *on_device, const void *memory, int64_t count, size_t size,
                    void *to)
{
    if (count == 0)
        return wait(on_device);
    return check(on_device, "copying from the device",
                 nitro_opencl_load()->EnqueueReadBuffer(nitro_opencl_queue(on_device->stream),
                                                        (cl_mem)memory, CL_TRUE, 0,
                                                        (size_t)count * size, to, 0, NULL, NULL));
}

static int copy(nitro_on_device *on_device, const void *from, int64_t count, size_t size, void *to)
{
    if (count == 0)
        return 0;
    return check(on_device, "copying on the device",
                 nitro_opencl_load()->EnqueueCopyBuffer(nitro_opencl_queue(on_device->stream),
                                                        (cl_mem)from, to, 0, 0,
                                                        (size_t)count * size, 0, NULL, NULL));
}

static int fill(nitro_on_device *on_device, void *memory, int64_t count, size_t size, int byte)
{
    const cl_uchar pattern = (cl_uchar)byte;
    if (count == 0)
        return 0;
    return check(on_device, "filling memory on the device",
                 nitro_opencl_load()->EnqueueFillBuffer(nitro_opencl_queue(on_device->stream),
                                                        memory, &pattern, 1, 0,
                                                        (size_t)count * size, 0, NULL, NULL));
}

static void free_memory(void *memory)
{
    if (memory)
        nitro_opencl_load()->ReleaseMemObject(memory);
}

/* ---- The clock of a command queue ---- */

/* A queue that the program made may be without profiling. */
static bool may_mark(void *stream)
{
    cl_command_queue queue = nitro_opencl_queue(stream);
    cl_command_queue_properties properties = 0;
    return queue &&
           nitro_opencl_load()->GetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties),
                                                    &properties, NULL) == CL_SUCCESS &&
           (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
}

static void free_event(void *event)
{
    if (event)
        nitro_opencl_load()->ReleaseEvent(event);
}

static int mark(void *stream, void **event)
{
    const nitro_opencl *cl = nitro_opencl_load();
    cl_command_queue queue = nitro_opencl_queue(stream);
    cl_event made;
    if (cl->EnqueueMarkerWithWaitList(queue, 0, NULL, &made) != CL_SUCCESS)
        return 1;
    free_event(*event);
    *event = made;
    return cl->Flush(queue) != CL_SUCCESS; /* it may never begin otherwise */
}

static int elapsed(void *begin, void *end, double *elapsed_ms)
{
    const nitro_opencl *cl = nitro_opencl_load();
    cl_int state = CL_COMPLETE;
    cl_ulong from, to;
    if (cl->GetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL) !=
            CL_SUCCESS ||
        state < CL_COMPLETE)
        return 2;
    if (state != CL_COMPLETE)
        return NITRO_STREAM_BUSY;
    if (cl->GetEventProfilingInfo(begin, CL_PROFILING_COMMAND_END, sizeof(from), &from, NULL) !=
            CL_SUCCESS ||
        cl->GetEventProfilingInfo(end, CL_PROFILING_COMMAND_START, sizeof(to), &to, NULL) !=
            CL_SUCCESS)
        return 2;
    *elapsed_ms = to > from ? (double)(to - from) * 1e-6 : 0;
    return 0;
}

static const nitro_stream_clock stream_clock = {may_mark, mark, elapsed, free_event};

const nitro_device_memory nitro_opencl_memory = {
    may_prepare, need, allocate, upload, download, copy, fill, wait, free_memory, &stream_clock};
