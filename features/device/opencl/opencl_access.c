/* An OpenCL device in a worker process: queries, its clock (profiled markers), and its caches. */
#include <stdlib.h>
#include <string.h>

#include "features/device/opencl/opencl_kind.h"
#include "features/device/opencl/opencl_library.h"

#define FLUSH_CACHES    2 /* multiples of the cache, whose replacement is not LRU */
#define MIN_FLUSH_BYTES ((size_t)32 << 20)

const bool nitro_opencl_is_built = true;

/* ---- Querying ---- */

static void query_texts(const nitro_opencl *cl, cl_platform_id platform, cl_device_id id,
                        nitro_facts *facts)
{
    static const struct {
        nitro_opencl_text text;
        cl_device_info info;
    } texts[] = {{NITRO_OPENCL_NAME, CL_DEVICE_NAME},
                 {NITRO_OPENCL_VENDOR, CL_DEVICE_VENDOR},
                 {NITRO_OPENCL_VERSION, CL_DEVICE_VERSION},
                 {NITRO_OPENCL_DRIVER, CL_DRIVER_VERSION}};
    static const struct {
        cl_device_type type;
        const char *name;
    } types[] = {{CL_DEVICE_TYPE_CPU, "cpu"},
                 {CL_DEVICE_TYPE_GPU, "gpu"},
                 {CL_DEVICE_TYPE_ACCELERATOR, "accelerator"}};
    const size_t size = NITRO_FACTS_TEXT_SIZE;
    cl_device_type type = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (cl->GetDeviceInfo(id, texts[i].info, size, facts->texts[texts[i].text], NULL) !=
            CL_SUCCESS)
            facts->texts[texts[i].text][0] = '\0';
    if (cl->GetPlatformInfo(platform, CL_PLATFORM_NAME, size, facts->texts[NITRO_OPENCL_PLATFORM],
                            NULL) != CL_SUCCESS)
        facts->texts[NITRO_OPENCL_PLATFORM][0] = '\0';
    cl->GetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
    strcpy(facts->texts[NITRO_OPENCL_TYPE], "other");
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (type & types[i].type)
            strcpy(facts->texts[NITRO_OPENCL_TYPE], types[i].name);
    for (size_t i = 0; i < NITRO_OPENCL_NUM_TEXTS; i++) {
        facts->texts[i][size - 1] = '\0';
        nitro_text_clean(facts->texts[i], "");
    }
}

static void query_values(const nitro_opencl *cl, cl_device_id id, nitro_facts *facts)
{
    static const struct {
        nitro_opencl_fact fact;
        cl_device_info info;
    } values[] = {{NITRO_OPENCL_COMPUTE_UNITS, CL_DEVICE_MAX_COMPUTE_UNITS},
                  {NITRO_OPENCL_CLOCK_MHZ, CL_DEVICE_MAX_CLOCK_FREQUENCY},
                  {NITRO_OPENCL_GLOBAL_MEM_BYTES, CL_DEVICE_GLOBAL_MEM_SIZE},
                  {NITRO_OPENCL_GLOBAL_CACHE_BYTES, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE},
                  {NITRO_OPENCL_LOCAL_MEM_BYTES, CL_DEVICE_LOCAL_MEM_SIZE},
                  {NITRO_OPENCL_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        cl_ulong value = 0; /* some are 32 bits wide: the rest stays 0 */
        if (cl->GetDeviceInfo(id, values[i].info, sizeof(value), &value, NULL) == CL_SUCCESS)
            facts->values[values[i].fact] = (double)value;
    }
    cl_device_fp_config precision = 0;
    if (cl->GetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(precision), &precision, NULL) ==
        CL_SUCCESS)
        facts->values[NITRO_OPENCL_DOUBLE] = precision != 0;
}

nitro_status nitro_opencl_query(nitro_context *context, nitro_facts **facts, size_t *count)
{
    const nitro_opencl *cl = nitro_opencl_load();
    if (!cl)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "OpenCL is not installed: libOpenCL.so.1 is not found (Debian's "
                          "ocl-icd-libopencl1)");
    size_t num_devices = 0;
    cl_platform_id platform;
    while (nitro_opencl_find_device(cl, num_devices, &platform))
        num_devices++;
    if (num_devices == 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no OpenCL platform has a device: install the GPU's, or "
                          "pocl-opencl-icd for the processor");
    nitro_facts *asked = nitro_calloc(context, num_devices, sizeof(*asked));
    if (!asked)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_devices; i++) {
        cl_device_id id = nitro_opencl_find_device(cl, i, &platform);
        nitro_facts_init(&asked[i]);
        asked[i].index = (double)i;
        query_texts(cl, platform, id, &asked[i]);
        query_values(cl, id, &asked[i]);
    }
    *facts = asked;
    *count = num_devices;
    return NITRO_OK;
}

/* ---- A session ---- */

struct nitro_device_session {
    nitro_context *context;
    const nitro_opencl *cl;
    const nitro_opencl_device *device;
    cl_event begin;
    cl_mem flushed; /* of flush_bytes; allocated by the first flush */
    size_t flush_bytes;
};

static void close_session(nitro_device_session *session)
{
    if (!session)
        return;
    if (session->begin)
        session->cl->ReleaseEvent(session->begin);
    if (session->flushed)
        session->cl->ReleaseMemObject(session->flushed);
    free(session);
}

static nitro_status open_session(nitro_context *context, const char *id,
                                 nitro_device_session **session)
{
    nitro_facts *facts = NULL;
    size_t count = 0, index;
    nitro_status status = nitro_opencl_query(context, &facts, &count);
    if (status != NITRO_OK)
        return status;
    index = nitro_facts_find(&nitro_opencl_kind, facts, count, id);
    double cache_bytes =
        index == NITRO_NONE ? 0 : facts[index].values[NITRO_OPENCL_GLOBAL_CACHE_BYTES];
    free(facts);
    if (index == NITRO_NONE)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no OpenCL device '%.80s' among this machine's %zu", id, count);
    nitro_device_session *opened = nitro_calloc(context, 1, sizeof(*opened));
    if (!opened)
        return NITRO_ERR_NO_MEMORY;
    opened->context = context;
    opened->cl = nitro_opencl_load();
    opened->flush_bytes = MIN_FLUSH_BYTES;
    if (cache_bytes * FLUSH_CACHES > (double)MIN_FLUSH_BYTES)
        opened->flush_bytes = (size_t)cache_bytes * FLUSH_CACHES;
    status = nitro_opencl_open(context, index, &opened->device);
    if (status == NITRO_OK)
        *session = opened;
    else
        close_session(opened);
    return status;
}

static nitro_status start(nitro_device_session *session, void *stream)
{
    if (session->begin)
        session->cl->ReleaseEvent(session->begin);
    session->begin = NULL;
    return nitro_opencl_check(session->context,
                              session->cl->EnqueueMarkerWithWaitList(nitro_opencl_queue(stream), 0,
                                                                     NULL, &session->begin),
                              "starting an OpenCL device's clock");
}

/* From the end of one marker to the start of the other: the queue is in order. */
static nitro_status stop(nitro_device_session *session, void *stream, double *elapsed_ms)
{
    static const char what[] = "stopping an OpenCL device's clock";
    const nitro_opencl *cl = session->cl;
    cl_event end = NULL;
    cl_ulong from = 0, to = 0;
    cl_int code = cl->EnqueueMarkerWithWaitList(nitro_opencl_queue(stream), 0, NULL, &end);
    if (code == CL_SUCCESS)
        code = cl->WaitForEvents(1, &end);
    if (code == CL_SUCCESS)
        code = cl->GetEventProfilingInfo(session->begin, CL_PROFILING_COMMAND_END, sizeof(from),
                                         &from, NULL);
    if (code == CL_SUCCESS)
        code = cl->GetEventProfilingInfo(end, CL_PROFILING_COMMAND_START, sizeof(to), &to, NULL);
    if (end)
        cl->ReleaseEvent(end);
    if (code != CL_SUCCESS)
        return nitro_opencl_check(session->context, code, what);
    *elapsed_ms = to > from ? (double)(to - from) * 1e-6 : 0;
    return NITRO_OK;
}

static nitro_status flush(nitro_device_session *session, void *stream)
{
    static const char what[] = "flushing an OpenCL device's caches";
    static const cl_uchar zero = 0;
    cl_int code = CL_SUCCESS;
    if (!session->flushed)
        session->flushed = session->cl->CreateBuffer(session->device->context, CL_MEM_READ_WRITE,
                                                     session->flush_bytes, NULL, &code);
    if (code == CL_SUCCESS)
        code = session->cl->EnqueueFillBuffer(nitro_opencl_queue(stream), session->flushed, &zero,
                                              1, 0, session->flush_bytes, 0, NULL, NULL);
    return nitro_opencl_check(session->context, code, what);
}

static nitro_status state(nitro_device_session *session, char *text, size_t size)
{
    (void)session;
    if (size > 0)
        text[0] = '\0'; /* OpenCL does not tell */
    return NITRO_OK;
}

const nitro_device_access nitro_opencl_access = {
    .open = open_session,
    .close = close_session,
    .start = start,
    .stop = stop,
    .flush = flush,
    .state = state,
};
