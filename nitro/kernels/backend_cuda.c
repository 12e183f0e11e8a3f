/* CUDA C++, or OpenCL C through a header, compiled by NVRTC, which needs no driver; loaded and
 * launched by the driver. Images are cubins of one architecture. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/kernels/cuda_context.h"
#include "nitro/kernels/kernel.h"

#define MAX_WORDS     64
#define OWN_WORDS     2
#define MESSAGE_BYTES 2000

extern const char nitro_opencl_c_h[]; /* the text of opencl_c.h */

int nitro_cuda_enter(void)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    void *context = NULL;
    int code = cuda->init(0);
    if (code == 0)
        code = cuda->get_context(&context);
    if (code == 0 && !context) {
        code = cuda->primary_context(&context, 0);
        if (code == 0)
            code = cuda->set_context(context);
    }
    return code;
}

const char *nitro_cuda_error(int code, char *text, size_t size)
{
    const char *known = NULL;
    if (nitro_cuda_driver_load()->error(code, &known) != 0 || !known)
        known = "unknown error";
    snprintf(text, size, "%s (CUDA error %d)", known, code);
    return text;
}

static nitro_status status_of(int code)
{
    if (code == CUDA_OUT_OF_MEMORY)
        return NITRO_ERR_NO_MEMORY;
    return code == CUDA_INVALID_IMAGE || code == CUDA_NO_BINARY_FOR_GPU ? NITRO_ERR_FORMAT
                                                                        : NITRO_ERR_IO;
}

static nitro_status fail(nitro_context *context, const char *what, int code)
{
    char text[160];
    return nitro_fail(context, status_of(code), "%s: %s", what,
                      nitro_cuda_error(code, text, sizeof(text)));
}

/* Architecture, name and limits of the thread's device. */
static nitro_status ask_device(nitro_context *context, char *architecture, size_t size, char *name,
                               size_t name_size, double *limits)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int device = 0, major = 0, minor = 0, units = 0, threads = 0, version = 0;
    if (!cuda)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no CUDA driver (libcuda.so.1) is installed here");
    int code = nitro_cuda_enter();
    if (code == 0)
        code = cuda->get_device(&device);
    if (code == 0)
        code = cuda->attribute(&major, CUDA_CAPABILITY_MAJOR, device);
    if (code == 0)
        code = cuda->attribute(&minor, CUDA_CAPABILITY_MINOR, device);
    if (code == 0)
        code = cuda->attribute(&units, CUDA_NUM_UNITS, device);
    if (code == 0)
        code = cuda->attribute(&threads, CUDA_MAX_THREADS, device);
    if (code == 0)
        code = cuda->version(&version);
    char model[128] = "";
    if (code == 0)
        code = cuda->name(model, sizeof(model), device);
    if (code != 0)
        return fail(context, "asking for the CUDA device", code);
    snprintf(architecture, size, "sm_%d%d", major, minor);
    snprintf(name, name_size, ", %s, driver %d", model, version);
    limits[0] = units;
    limits[1] = threads;
    return NITRO_OK;
}

static nitro_status open_target(nitro_context *context, const char *device, void *stream,
                                nitro_kernel_target *target)
{
    const nvrtc_library *nvrtc = nitro_nvrtc_load();
    int major = 0, minor = 0;
    char own[16] = "", name[192] = "";
    /* Threads of a block since compute capability 2.0; static shared memory. */
    double limits[KERNEL_NUM_LIMITS] = {(double)NAN, 1024, 48 << 10};
    (void)stream;
    if (!nvrtc)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "NVRTC is not found: install it (libnvrtc.so of CUDA 11 to 13), and name "
                          "its folder in LD_LIBRARY_PATH");
    if (device && (strncmp(device, "sm_", 3) != 0 || strlen(device) > 15))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "NVRTC compiles for an architecture such as sm_90, not for '%.40s'",
                          device);
    nitro_status status =
        device ? NITRO_OK : ask_device(context, own, sizeof(own), name, sizeof(name), limits);
    if (status != NITRO_OK)
        return status;
    char *state = nitro_asprintf(context, "--gpu-architecture=%s", device ? device : own);
    if (!state)
        return NITRO_ERR_NO_MEMORY;
    nvrtc->version(&major, &minor);
    snprintf(target->identity, sizeof(target->identity), "NVRTC %d.%d, %s%s, opencl_c %08llx",
             major, minor, device ? device : own, name,
             (unsigned long long)nitro_hash(nitro_opencl_c_h, strlen(nitro_opencl_c_h), 0) >> 32);
    memcpy(target->limits, limits, sizeof(limits));
    target->state = state;
    return NITRO_OK;
}

static void close_target(nitro_kernel_target *target)
{
    free(target->state);
}

/* Modules belong to contexts; a stream's address may be one of another device later, and the
 * default stream's is the same on all. */
static const void *context_of(void *stream)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    void *context = NULL;
    (void)stream;
    bool is_unknown = cuda && (cuda->get_context(&context) != 0 || !context);
    if (is_unknown && nitro_cuda_enter() == 0)
        cuda->get_context(&context);
    return context;
}

/* ---- Compiling ---- */

static nitro_status fail_compile(nitro_context *context, nvrtc_program program, const char *origin,
                                 int code)
{
    const nvrtc_library *nvrtc = nitro_nvrtc_load();
    size_t bytes = 0;
    char *log = nvrtc->log_size(program, &bytes) == 0 ? calloc(1, bytes + 1) : NULL;
    if (log && nvrtc->log(program, log) == 0)
        nitro_text_clean(log, "\n\t");
    if (log && bytes > MESSAGE_BYTES)
        log[MESSAGE_BYTES] = '\0';
    nitro_status status = nitro_fail(context, NITRO_ERR_FORMAT, "%s: does not compile: %s\n%s",
                                     origin, nvrtc->error(code), log ? log : "");
    free(log);
    return status;
}

static nitro_status take_image(nitro_context *context, nvrtc_program program, const char *origin,
                               void **image, size_t *bytes)
{
    const nvrtc_library *nvrtc = nitro_nvrtc_load();
    int code = nvrtc->cubin_size(program, bytes);
    char *made = code == 0 ? nitro_calloc(context, 1, *bytes) : NULL;
    if (code == 0 && !made)
        return NITRO_ERR_NO_MEMORY;
    if (code == 0)
        code = nvrtc->cubin(program, made);
    if (code != 0) {
        free(made);
        return nitro_fail(context, NITRO_ERR_IO, "%s: NVRTC has no image: %s", origin,
                          nvrtc->error(code));
    }
    *image = made;
    return NITRO_OK;
}

static nitro_status compile(nitro_context *context, const nitro_kernel_target *target,
                            const char *origin, const char *source, const char *options,
                            void **image, size_t *bytes)
{
    const char *headers[] = {nitro_opencl_c_h}, *names[] = {"nitro/opencl_c.h"};
    const nvrtc_library *nvrtc = nitro_nvrtc_load();
    const char *words[MAX_WORDS] = {target->state, "--std=c++17"};
    int count = OWN_WORDS;
    nvrtc_program program;
    char *rest = NULL, *copy = nitro_strdup(context, options);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    char *word = strtok_r(copy, " ", &rest);
    for (; word && count < MAX_WORDS; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    if (word) {
        free(copy);
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: more than %d compiler options", origin,
                          MAX_WORDS - OWN_WORDS);
    }
    nitro_status status = NITRO_OK;
    int code = nvrtc->create(&program, source, origin, 1, headers, names);
    if (code != 0) {
        status = nitro_fail(context, NITRO_ERR_IO, "%s: NVRTC: %s", origin, nvrtc->error(code));
    } else {
        code = nvrtc->compile(program, count, words);
        status = code == 0 ? take_image(context, program, origin, image, bytes)
                           : fail_compile(context, program, origin, code);
        nvrtc->destroy(&program);
    }
    free(copy);
    return status;
}

/* ---- Loading ---- */

/* The driver may allocate and free device memory here, also while another stream captures a graph.
 */
static void unload(void *program, void **functions, size_t count)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int mode = CUDA_CAPTURE_RELAXED;
    (void)functions;
    (void)count;
    if (nitro_cuda_enter() != 0)
        return;
    cuda->capture_mode(&mode);
    cuda->unload(program);
    cuda->capture_mode(&mode);
}

static nitro_status load(nitro_context *context, const nitro_kernel_target *target,
                         const void *image, size_t bytes, const char *const *entries, size_t count,
                         void **program, void **functions)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    void *made = NULL;
    size_t found = 0;
    int mode = CUDA_CAPTURE_RELAXED, code = cuda ? nitro_cuda_enter() : 0;
    (void)target;
    (void)bytes;
    if (!cuda)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "no CUDA driver (libcuda.so.1) is installed here");
    cuda->capture_mode(&mode);
    if (code == 0)
        code = cuda->load(&made, image);
    while (code == 0 && found < count &&
           cuda->function(&functions[found], made, entries[found]) == 0)
        found++;
    cuda->capture_mode(&mode);
    if (code != 0)
        return fail(context, "loading a compiled kernel", code);
    if (found < count) {
        unload(made, NULL, 0);
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "the kernel's source has no function %s, or it is not extern \"C\"",
                          entries[found]);
    }
    *program = made;
    return NITRO_OK;
}

/* Beyond 48 KB with the static one, dynamic shared memory must be asked for. The function keeps the
 * most that any launch needed: a captured graph may launch it again. */
static int allow_shared(const cuda_driver *cuda, void *function, size_t bytes)
{
    int allowed = 0;
    int code = cuda->get_function(&allowed, CUDA_FUNCTION_DYNAMIC_BYTES, function);
    if (code == 0 && bytes > (size_t)allowed)
        code = cuda->set_function(function, CUDA_FUNCTION_DYNAMIC_BYTES, (int)bytes);
    return code;
}

/* Local memory is the block's dynamic shared memory, which is no argument. */
static int launch(void *function, const nitro_kernel_launch *launched, char *problem, size_t size)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    void *arguments[NITRO_KERNEL_MAX_ARGUMENTS];
    size_t count = 0, shared = 0;
    unsigned grid[3], block[3];
    char text[160];
    for (size_t a = 0; a < launched->num_arguments; a++)
        if (launched->arguments[a].value)
            arguments[count++] = (void *)launched->arguments[a].value;
        else
            shared += launched->arguments[a].bytes;
    for (size_t d = 0; d < 3; d++) {
        if (launched->local[d] == 0 || launched->global[d] % launched->local[d] != 0) {
            snprintf(problem, size, "%zu work-items are no multiple of a group's %zu",
                     launched->global[d], launched->local[d]);
            return 1;
        }
        if (launched->local[d] > INT_MAX || launched->global[d] / launched->local[d] > INT_MAX) {
            snprintf(problem, size, "%zu groups of %zu work-items are more than CUDA launches",
                     launched->global[d] / launched->local[d], launched->local[d]);
            return 1;
        }
        block[d] = (unsigned)launched->local[d];
        grid[d] = (unsigned)(launched->global[d] / launched->local[d]);
    }
    int code = nitro_cuda_enter();
    if (code == 0 && shared > 0)
        code = allow_shared(cuda, function, shared);
    if (code == 0)
        code = cuda->launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                            (unsigned)shared, launched->stream, arguments, NULL);
    if (code == 0)
        return 0;
    snprintf(problem, size, "launching %u x %u x %u blocks of %u x %u x %u threads: %s", grid[0],
             grid[1], grid[2], block[0], block[1], block[2],
             nitro_cuda_error(code, text, sizeof(text)));
    return code == CUDA_OUT_OF_MEMORY ? NITRO_ERR_NO_MEMORY : 1;
}

extern const nitro_kernel_backend nitro_kernel_backend_cuda;
const nitro_kernel_backend nitro_kernel_backend_cuda = {
    .name = "cuda",
    .description = "CUDA C++, compiled by NVRTC, run by the driver",
    .device_kind = "cuda",
    .open = open_target,
    .close = close_target,
    .place = context_of,
    .compile = compile,
    .load = load,
    .launch = launch,
    .unload = unload,
};
