/* Opens NVRTC and the CUDA driver at run time: one build runs with and without them. */
#include "nitro/kernels/cuda_libraries.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "nitro/computation_kit.h"

typedef struct library_function {
    const char *name;
    size_t offset; /* of its pointer in the struct */
} library_function;

static bool find_functions(void *library, const library_function *functions, size_t count, void *to)
{
    bool is_whole = library != NULL;
    for (size_t i = 0; i < count && is_whole; i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy((char *)to + functions[i].offset, &function, sizeof(function));
        is_whole = function != NULL;
    }
    return is_whole;
}

/* ---- NVRTC ---- */

static nvrtc_library nvrtc;
static bool has_nvrtc;

/* A driver loads what toolkits up to its own major version made; one of a newer version comes last.
 * INT_MAX: there is no driver. */
static int driver_major(void)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int version;
    return cuda && cuda->version(&version) == 0 ? version / 1000 : INT_MAX;
}

static void load_nvrtc(void)
{
#define FUNCTION(its_name, member)                                                                 \
    {                                                                                              \
        its_name, offsetof(nvrtc_library, member)                                                  \
    }
    static const library_function functions[] = {
        FUNCTION("nvrtcVersion", version),        FUNCTION("nvrtcCreateProgram", create),
        FUNCTION("nvrtcCompileProgram", compile), FUNCTION("nvrtcGetProgramLogSize", log_size),
        FUNCTION("nvrtcGetProgramLog", log),      FUNCTION("nvrtcGetCUBINSize", cubin_size),
        FUNCTION("nvrtcGetCUBIN", cubin),         FUNCTION("nvrtcDestroyProgram", destroy),
        FUNCTION("nvrtcGetErrorString", error),
    };
#undef FUNCTION
    static const struct {
        int major;
        const char *name;
    } all[] = {{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}};
    const int most = driver_major();
    for (int is_newer = 0; is_newer < 2; is_newer++)
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !has_nvrtc; i++)
            if ((all[i].major > most) == is_newer)
                has_nvrtc = find_functions(nitro_cuda_library_open(all[i].name), functions,
                                           sizeof(functions) / sizeof(functions[0]), &nvrtc);
}

const nvrtc_library *nitro_nvrtc_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_nvrtc);
    return has_nvrtc ? &nvrtc : NULL;
}

/* ---- The driver ---- */

static cuda_driver driver;
static bool has_driver;

static void load_driver(void)
{
#define FUNCTION(its_name, member)                                                                 \
    {                                                                                              \
        its_name, offsetof(cuda_driver, member)                                                    \
    }
    static const library_function functions[] = {
        FUNCTION("cuInit", init),
        FUNCTION("cuDriverGetVersion", version),
        FUNCTION("cuGetErrorString", error),
        FUNCTION("cuCtxGetCurrent", get_context),
        FUNCTION("cuCtxSetCurrent", set_context),
        FUNCTION("cuCtxGetDevice", get_device),
        FUNCTION("cuDevicePrimaryCtxRetain", primary_context),
        FUNCTION("cuDeviceGetName", name),
        FUNCTION("cuDeviceGetAttribute", attribute),
        FUNCTION("cuModuleLoadData", load),
        FUNCTION("cuModuleUnload", unload),
        FUNCTION("cuModuleGetFunction", function),
        FUNCTION("cuFuncSetAttribute", set_function),
        FUNCTION("cuFuncGetAttribute", get_function),
        FUNCTION("cuLaunchKernel", launch),
        FUNCTION("cuMemGetInfo_v2", free_memory),
        FUNCTION("cuMemAlloc_v2", allocate),
        FUNCTION("cuMemFree_v2", free),
        FUNCTION("cuMemcpyHtoDAsync_v2", upload),
        FUNCTION("cuMemcpyDtoHAsync_v2", download),
        FUNCTION("cuMemcpyDtoDAsync_v2", copy),
        FUNCTION("cuMemsetD8Async", fill),
        FUNCTION("cuStreamSynchronize", wait),
        FUNCTION("cuStreamIsCapturing", is_capturing),
        FUNCTION("cuThreadExchangeStreamCaptureMode", capture_mode),
        FUNCTION("cuEventCreate", create_event),
        FUNCTION("cuEventRecord", record),
        FUNCTION("cuEventElapsedTime", elapsed),
        FUNCTION("cuEventDestroy_v2", free_event),
    };
#undef FUNCTION
    has_driver = find_functions(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
                                functions, sizeof(functions) / sizeof(functions[0]), &driver);
}

const cuda_driver *nitro_cuda_driver_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_driver);
    return has_driver ? &driver : NULL;
}
