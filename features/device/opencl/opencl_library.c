/* Opens the OpenCL loader and devices. */
#include "features/device/opencl/opencl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBRARY       "libOpenCL.so.1"
#define MAX_PLATFORMS 32
#define MAX_DEVICES   64

static nitro_opencl functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct {
    pthread_mutex_t lock;
    nitro_opencl_device *opened; /* the current one first */
} here = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* In a forked child: a thread that only the parent has may hold it. */
static void renew_lock(void)
{
    pthread_mutex_init(&here.lock, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, renew_lock);
}

static void lock_here(void)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
    pthread_mutex_lock(&here.lock);
}

static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    is_loaded = library != NULL;
#define LOAD(name)                                                                                 \
    if (is_loaded)                                                                                 \
        is_loaded = (*(void **)&functions.name = dlsym(library, "cl" #name)) != NULL;
    NITRO_OPENCL_FUNCTIONS(LOAD)
#undef LOAD
}

const nitro_opencl *nitro_opencl_load(void)
{
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}

const char *nitro_opencl_error(cl_int code, char *text, size_t size)
{
    static const struct {
        cl_int code;
        const char *name;
    } errors[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
         "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
        {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
        {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
        {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
        {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
        {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
        {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {-1001, "no OpenCL platform is installed"},
    };
    const char *name = "OpenCL error";
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i].code == code)
            name = errors[i].name;
    snprintf(text, size, "%s (%d)", name, (int)code);
    return text;
}

nitro_status nitro_opencl_check(nitro_context *context, cl_int code, const char *what)
{
    char text[80];
    if (code == CL_SUCCESS)
        return NITRO_OK;
    bool is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    return nitro_fail(context, is_memory ? NITRO_ERR_NO_MEMORY : NITRO_ERR_IO, "%s: %s", what,
                      nitro_opencl_error(code, text, sizeof(text)));
}

/* ---- Devices ---- */

cl_device_id nitro_opencl_find_device(const nitro_opencl *cl, size_t index,
                                      cl_platform_id *platform)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint num_platforms = 0;
    if (cl->GetPlatformIDs(MAX_PLATFORMS, platforms, &num_platforms) != CL_SUCCESS)
        return NULL;
    for (cl_uint p = 0; p < num_platforms && p < MAX_PLATFORMS; p++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint count = 0;
        if (cl->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) !=
            CL_SUCCESS)
            continue;
        count = count < MAX_DEVICES ? count : MAX_DEVICES;
        if (index < count) {
            *platform = platforms[p];
            return devices[index];
        }
        index -= count;
    }
    return NULL;
}

static nitro_status open_new(nitro_context *context, size_t index, nitro_opencl_device **opened)
{
    const nitro_opencl *cl = nitro_opencl_load();
    cl_platform_id platform;
    cl_int code;
    cl_device_id id = cl ? nitro_opencl_find_device(cl, index, &platform) : NULL;
    if (!id)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "there is no OpenCL device number %zu",
                          index);
    nitro_opencl_device *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->index = index;
    made->context = cl->CreateContext(NULL, 1, &id, NULL, NULL, &code);
    nitro_status status = nitro_opencl_check(context, code, "opening an OpenCL device");
    if (status == NITRO_OK) {
        made->queue = cl->CreateCommandQueue(made->context, id, CL_QUEUE_PROFILING_ENABLE, &code);
        status = nitro_opencl_check(context, code, "making an OpenCL command queue");
        if (status != NITRO_OK)
            cl->ReleaseContext(made->context);
    }
    if (status == NITRO_OK)
        *opened = made;
    else
        free(made);
    return status;
}

static nitro_status open_once(nitro_context *context, size_t index,
                              const nitro_opencl_device **device)
{
    nitro_opencl_device **at = &here.opened, *found = NULL;
    while (*at && index != NITRO_NONE && (*at)->index != index)
        at = &(*at)->next;
    if (*at) { /* to the front */
        found = *at;
        *at = found->next;
    } else {
        nitro_status status = open_new(context, index == NITRO_NONE ? 0 : index, &found);
        if (status != NITRO_OK)
            return status;
    }
    found->next = here.opened;
    here.opened = found;
    *device = found;
    return NITRO_OK;
}

nitro_status nitro_opencl_open(nitro_context *context, size_t index,
                               const nitro_opencl_device **device)
{
    lock_here();
    nitro_status status = open_once(context, index, device);
    pthread_mutex_unlock(&here.lock);
    return status;
}

cl_command_queue nitro_opencl_queue(void *stream)
{
    if (stream)
        return stream;
    lock_here();
    cl_command_queue queue = here.opened ? here.opened->queue : NULL;
    pthread_mutex_unlock(&here.lock);
    if (queue)
        return queue;
    nitro_context *context = NULL;
    const nitro_opencl_device *device;
    if (nitro_context_create(&context) != NITRO_OK)
        return NULL;
    if (nitro_opencl_open(context, NITRO_NONE, &device) == NITRO_OK)
        queue = device->queue;
    nitro_context_free(context);
    return queue;
}
