/* CUDA C++ compiled by NVRTC, which needs no driver and is opened when it is asked for. Images are
 * cubins of one architecture. They are not loaded here: no GPU has run them yet. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kernels/kernel.h"

#define MAX_WORDS     64
#define MESSAGE_BYTES 2000

/* As nvrtc.h declares them, of CUDA 11 to 13. */
typedef void *nvrtc_program;
typedef struct nvrtc {
    int (*version)(int *major, int *minor);
    int (*create)(nvrtc_program *program, const char *source, const char *name, int num_headers,
                  const char *const *headers, const char *const *names);
    int (*compile)(nvrtc_program program, int num_options, const char *const *options);
    int (*log_size)(nvrtc_program program, size_t *bytes);
    int (*log)(nvrtc_program program, char *text);
    int (*cubin_size)(nvrtc_program program, size_t *bytes);
    int (*cubin)(nvrtc_program program, char *image);
    int (*destroy)(nvrtc_program *program);
    const char *(*error)(int code);
} nvrtc;

static nvrtc library; /* filled once */
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_library(void)
{
    static const char *const places[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "/usr/local/cuda/lib64/libnvrtc.so",
                                         "/usr/local/cuda/lib/libnvrtc.so"};
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"nvrtcVersion", &library.version},        {"nvrtcCreateProgram", &library.create},
        {"nvrtcCompileProgram", &library.compile}, {"nvrtcGetProgramLogSize", &library.log_size},
        {"nvrtcGetProgramLog", &library.log},      {"nvrtcGetCUBINSize", &library.cubin_size},
        {"nvrtcGetCUBIN", &library.cubin},         {"nvrtcDestroyProgram", &library.destroy},
        {"nvrtcGetErrorString", &library.error},
    };
    void *object = NULL;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !object; i++)
        object = dlopen(places[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    is_loaded = object != NULL;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && is_loaded; i++) {
        void *function = dlsym(object, functions[i].name);
        memcpy(functions[i].place, &function, sizeof(function));
        is_loaded = function != NULL;
    }
}

static nitro_status open_target(nitro_context *context, const char *device, void *stream,
                                nitro_kernel_target *target)
{
    int major = 0, minor = 0;
    (void)stream;
    pthread_once(&once, load_library);
    if (!is_loaded)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "NVRTC is not found: install it (libnvrtc.so of CUDA 11 to 13), and name "
                          "its folder in LD_LIBRARY_PATH");
    if (!device || strncmp(device, "sm_", 3) != 0 || strlen(device) > 16)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "NVRTC compiles for an architecture such as sm_90, not for '%.40s'",
                          device ? device : "");
    library.version(&major, &minor);
    snprintf(target->identity, sizeof(target->identity), "NVRTC %d.%d, %s", major, minor, device);
    for (size_t i = 0; i < KERNEL_NUM_LIMITS; i++)
        target->limits[i] = (double)NAN;
    target->limits[1] = 1024; /* threads of a block, since compute capability 2.0 */
    target->limits[2] = 48 << 10;
    target->state = nitro_asprintf(context, "--gpu-architecture=%s", device);
    return target->state ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static void close_target(nitro_kernel_target *target)
{
    free(target->state);
}

static nitro_status fail_compile(nitro_context *context, nvrtc_program program, const char *origin,
                                 int code)
{
    size_t bytes = 0;
    char *log = library.log_size(program, &bytes) == 0 ? calloc(1, bytes + 1) : NULL;
    if (log && library.log(program, log) == 0)
        nitro_text_clean(log, "\n\t");
    if (log && bytes > MESSAGE_BYTES)
        log[MESSAGE_BYTES] = '\0';
    nitro_status status = nitro_fail(context, NITRO_ERR_FORMAT, "%s: does not compile: %s\n%s",
                                     origin, library.error(code), log ? log : "");
    free(log);
    return status;
}

static nitro_status take_image(nitro_context *context, nvrtc_program program, const char *origin,
                               void **image, size_t *bytes)
{
    int code = library.cubin_size(program, bytes);
    char *made = code == 0 ? nitro_calloc(context, 1, *bytes) : NULL;
    if (code == 0 && !made)
        return NITRO_ERR_NO_MEMORY;
    if (code == 0)
        code = library.cubin(program, made);
    if (code != 0) {
        free(made);
        return nitro_fail(context, NITRO_ERR_IO, "%s: NVRTC has no image: %s", origin,
                          library.error(code));
    }
    *image = made;
    return NITRO_OK;
}

static nitro_status compile(nitro_context *context, const nitro_kernel_target *target,
                            const char *origin, const char *source, const char *options,
                            void **image, size_t *bytes)
{
    const char *words[MAX_WORDS] = {target->state, "--std=c++17"};
    int count = 2;
    nvrtc_program program;
    char *rest = NULL, *copy = nitro_strdup(context, options);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    for (char *word = strtok_r(copy, " ", &rest); word && count < MAX_WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    nitro_status status = NITRO_OK;
    int code = library.create(&program, source, origin, 0, NULL, NULL);
    if (code != 0) {
        status = nitro_fail(context, NITRO_ERR_IO, "%s: NVRTC: %s", origin, library.error(code));
    } else {
        code = library.compile(program, count, words);
        status = code == 0 ? take_image(context, program, origin, image, bytes)
                           : fail_compile(context, program, origin, code);
        library.destroy(&program);
    }
    free(copy);
    return status;
}

extern const nitro_kernel_backend nitro_kernel_backend_cuda;
const nitro_kernel_backend nitro_kernel_backend_cuda = {
    .name = "cuda",
    .description = "CUDA C++, compiled by NVRTC",
    .device_kind = "cuda",
    .open = open_target,
    .close = close_target,
    .compile = compile,
};
