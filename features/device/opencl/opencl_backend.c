/* Kernels in OpenCL C: compiled by the device's platform, kept as its binaries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "features/device/opencl/opencl_library.h"
#include "nitro/kernels.h"

#define MESSAGE_BYTES 2000

extern const nitro_kernel_backend nitro_kernel_backend_opencl;

/* Of the queue of a stream. */
typedef struct opencl_target {
    const nitro_opencl *cl;
    cl_context context;
    cl_device_id device;
} opencl_target;

static void print_info(const nitro_opencl *cl, cl_device_id device, cl_device_info what, char *text,
                       size_t size)
{
    text[0] = '\0';
    if (cl->GetDeviceInfo(device, what, size, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    text[size - 1] = '\0';
}

static double number_info(const nitro_opencl *cl, cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0; /* some are 32 bits wide: the rest stays 0 */
    return cl->GetDeviceInfo(device, what, sizeof(value), &value, NULL) == CL_SUCCESS
               ? (double)value
               : (double)NAN;
}

static nitro_status open_target(nitro_context *context, const char *device, void *stream,
                                nitro_kernel_target *target)
{
    const nitro_opencl *cl = nitro_opencl_load();
    cl_command_queue queue = cl && !device ? nitro_opencl_queue(stream) : NULL;
    char name[128], version[96], driver[64];
    if (!queue)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "no OpenCL device is installed here");
    opencl_target *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->cl = cl;
    cl_int code = cl->GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(made->context),
                                          &made->context, NULL);
    if (code == CL_SUCCESS)
        code = cl->GetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(made->device), &made->device,
                                       NULL);
    if (code != CL_SUCCESS) {
        free(made);
        return nitro_opencl_check(context, code, "asking a command queue for its device");
    }
    print_info(cl, made->device, CL_DEVICE_NAME, name, sizeof(name));
    print_info(cl, made->device, CL_DEVICE_VERSION, version, sizeof(version));
    print_info(cl, made->device, CL_DRIVER_VERSION, driver, sizeof(driver));
    snprintf(target->identity, sizeof(target->identity), "%s, %s, %s", version, driver, name);
    target->limits[0] = number_info(cl, made->device, CL_DEVICE_MAX_COMPUTE_UNITS);
    target->limits[1] = number_info(cl, made->device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    target->limits[2] = number_info(cl, made->device, CL_DEVICE_LOCAL_MEM_SIZE);
    target->state = made;
    return NITRO_OK;
}

static void close_target(nitro_kernel_target *target)
{
    free(target->state);
}

/* ---- Compiling ---- */

static nitro_status fail_build(nitro_context *context, const opencl_target *self,
                               cl_program program, const char *origin, cl_int code)
{
    size_t bytes = 0;
    char text[80];
    self->cl->GetProgramBuildInfo(program, self->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(1, bytes + 1);
    if (log)
        self->cl->GetProgramBuildInfo(program, self->device, CL_PROGRAM_BUILD_LOG, bytes, log,
                                      NULL);
    if (log && bytes > MESSAGE_BYTES)
        log[MESSAGE_BYTES] = '\0';
    if (log)
        nitro_text_clean(log, "\n\t");
    nitro_status status = nitro_fail(context, NITRO_ERR_FORMAT, "%s: does not compile: %s%s%s",
                                     origin, nitro_opencl_error(code, text, sizeof(text)),
                                     log && log[0] ? "\n" : "", log ? log : "");
    free(log);
    return status;
}

static nitro_status take_binary(nitro_context *context, const opencl_target *self,
                                cl_program program, void **image, size_t *bytes)
{
    size_t size = 0;
    cl_int code =
        self->cl->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
    if (code != CL_SUCCESS || size == 0)
        return nitro_opencl_check(context, code ? code : CL_INVALID_BINARY,
                                  "asking for a compiled program");
    unsigned char *made = nitro_calloc(context, 1, size);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    code = self->cl->GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(made), &made, NULL);
    if (code != CL_SUCCESS) {
        free(made);
        return nitro_opencl_check(context, code, "asking for a compiled program");
    }
    *image = made;
    *bytes = size;
    return NITRO_OK;
}

static nitro_status compile(nitro_context *context, const nitro_kernel_target *target,
                            const char *origin, const char *source, const char *options,
                            void **image, size_t *bytes)
{
    const opencl_target *self = target->state;
    cl_int code;
    cl_program program = self->cl->CreateProgramWithSource(self->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return nitro_opencl_check(context, code, origin);
    code = self->cl->BuildProgram(program, 1, &self->device, options, NULL, NULL);
    nitro_status status = code == CL_SUCCESS ? take_binary(context, self, program, image, bytes)
                                             : fail_build(context, self, program, origin, code);
    self->cl->ReleaseProgram(program);
    return status;
}

/* ---- Loading ---- */

static void unload(void *program, void **functions, size_t count)
{
    const nitro_opencl *cl = nitro_opencl_load();
    for (size_t i = 0; i < count; i++)
        if (functions[i])
            cl->ReleaseKernel(functions[i]);
    cl->ReleaseProgram(program);
}

/* PoCL aborts the process where a work-group takes more local memory than there is. Version 3.1
 * reports beforehand how much it takes; 5.0 and 6.0 report 0. */
static nitro_status find_entry(nitro_context *context, const opencl_target *self,
                               const nitro_kernel_target *target, cl_program program,
                               const char *entry, void **function)
{
    cl_int code;
    cl_ulong local_bytes = 0;
    cl_kernel kernel = self->cl->CreateKernel(program, entry, &code);
    if (code == CL_INVALID_KERNEL_NAME)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "the kernel's source has no function %s",
                          entry);
    if (code != CL_SUCCESS)
        return nitro_opencl_check(context, code, entry);
    *function = kernel;
    code = self->cl->GetKernelWorkGroupInfo(kernel, self->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                            sizeof(local_bytes), &local_bytes, NULL);
    if (code == CL_SUCCESS && (double)local_bytes > target->limits[2])
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "%s takes %llu bytes of local memory, and the device has %.0f", entry,
                          (unsigned long long)local_bytes, target->limits[2]);
    return NITRO_OK;
}

static nitro_status load(nitro_context *context, const nitro_kernel_target *target,
                         const void *image, size_t bytes, const char *const *entries, size_t count,
                         void **program, void **functions)
{
    const opencl_target *self = target->state;
    const unsigned char *binary = image;
    cl_int status_of_binary = CL_SUCCESS, code;
    cl_program made = self->cl->CreateProgramWithBinary(self->context, 1, &self->device, &bytes,
                                                        &binary, &status_of_binary, &code);
    if (code != CL_SUCCESS || status_of_binary != CL_SUCCESS)
        return nitro_fail(context, NITRO_ERR_FORMAT, "OpenCL refuses a program that it compiled");
    code = self->cl->BuildProgram(made, 1, &self->device, "", NULL, NULL);
    nitro_status status =
        code == CL_SUCCESS ? NITRO_OK : fail_build(context, self, made, "a compiled program", code);
    for (size_t i = 0; i < count; i++)
        functions[i] = NULL;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = find_entry(context, self, target, made, entries[i], &functions[i]);
    if (status == NITRO_OK)
        *program = made;
    else
        unload(made, functions, count);
    return status;
}

static int launch(void *function, const nitro_kernel_launch *launched, char *problem, size_t size)
{
    const nitro_opencl *cl = nitro_opencl_load();
    char text[80];
    cl_int code = CL_SUCCESS;
    for (size_t a = 0; a < launched->num_arguments && code == CL_SUCCESS; a++)
        code = cl->SetKernelArg(function, (cl_uint)a, launched->arguments[a].bytes,
                                launched->arguments[a].value);
    if (code == CL_SUCCESS) {
        cl_command_queue queue = nitro_opencl_queue(launched->stream);
        code = cl->EnqueueNDRangeKernel(queue, function, 3, NULL, launched->global, launched->local,
                                        0, NULL, NULL);
        if (code == CL_SUCCESS)
            code = cl->Flush(queue);
    }
    if (code == CL_SUCCESS)
        return 0;
    snprintf(problem, size,
             "launching a kernel of %zu x %zu x %zu in groups of %zu x %zu x %zu: %s",
             launched->global[0], launched->global[1], launched->global[2], launched->local[0],
             launched->local[1], launched->local[2], nitro_opencl_error(code, text, sizeof(text)));
    return 1;
}

const nitro_kernel_backend nitro_kernel_backend_opencl = {
    .name = "opencl",
    .description = "OpenCL C, compiled by the device's platform",
    .device_kind = "opencl",
    .open = open_target,
    .close = close_target,
    .compile = compile,
    .load = load,
    .launch = launch,
    .unload = unload,
};
