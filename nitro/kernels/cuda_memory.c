/* Memory of CUDA devices through the driver, for kernels compiled at run time: no CUDA runtime is
 * linked. Arrays are CUdeviceptr. */
#include <stdio.h>

#include "nitro/kernels.h"
#include "nitro/kernels/cuda_context.h"

static int check(nitro_on_device *on_device, const char *what, int code)
{
    char text[160];
    if (code == 0)
        return 0;
    snprintf(on_device->problem, sizeof(on_device->problem), "%s: %s", what,
             nitro_cuda_error(code, text, sizeof(text)));
    return on_device->failure = code == CUDA_OUT_OF_MEMORY ? NITRO_ERR_NO_MEMORY : 1;
}

static int may_prepare(nitro_on_device *on_device, const char *what)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int status = 0, code = cuda ? nitro_cuda_enter() : 0;
    if (cuda && code == 0)
        code = cuda->is_capturing(on_device->stream, &status);
    if (code != 0)
        return check(on_device, what, code);
    if (cuda && status == 0)
        return 0;
    snprintf(on_device->problem, sizeof(on_device->problem), "%s cannot be allocated%s", what,
             cuda ? " while the stream captures a graph: prepare it before the capture begins"
                  : ": no CUDA driver (libcuda.so.1) is installed here");
    return on_device->failure = 1;
}

static int need(nitro_on_device *on_device, uint64_t bytes, const char *what)
{
    size_t free_bytes, total_bytes;
    if (check(on_device, what, nitro_cuda_driver_load()->free_memory(&free_bytes, &total_bytes)) !=
        0)
        return on_device->failure;
    if (bytes <= free_bytes)
        return 0;
    snprintf(on_device->problem, sizeof(on_device->problem),
             "%s takes %.1f MB, and the device has %.1f of its %.1f MB free", what,
             (double)bytes / 1e6, (double)free_bytes / 1e6, (double)total_bytes / 1e6);
    return on_device->failure = NITRO_ERR_NO_MEMORY;
}

static int allocate(nitro_on_device *on_device, int64_t count, size_t size, void **memory)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    uint64_t made = 0;
    size_t bytes;
    int mode = CUDA_CAPTURE_RELAXED; /* another stream may capture a graph */
    char what[64];
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes))
        return check(on_device, "allocating an array", CUDA_OUT_OF_MEMORY);
    snprintf(what, sizeof(what), "allocating %.1f MB on the device", (double)bytes / 1e6);
    cuda->capture_mode(&mode);
    int code = bytes > 0 ? cuda->allocate(&made, bytes) : 0;
    cuda->capture_mode(&mode);
    if (check(on_device, what, code) != 0)
        return on_device->failure;
    *memory = (void *)(uintptr_t)made;
    return 0;
}

/* The thread that frees need not be the one that allocated. */
static void free_memory(void *memory)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int mode = CUDA_CAPTURE_RELAXED;
    if (!memory || nitro_cuda_enter() != 0)
        return;
    cuda->capture_mode(&mode);
    cuda->free((uintptr_t)memory);
    cuda->capture_mode(&mode);
}

static int upload(nitro_on_device *on_device, const void *from, int64_t count, size_t size,
                  void **memory)
{
    void *made;
    if (allocate(on_device, count, size, &made) != 0)
        return on_device->failure;
    if (made && check(on_device, "copying to the device",
                      nitro_cuda_driver_load()->upload((uintptr_t)made, from, (size_t)count * size,
                                                       on_device->stream)) != 0) {
        free_memory(made);
        return on_device->failure;
    }
    *memory = made;
    return 0;
}

static int wait(nitro_on_device *on_device)
{
    return check(on_device, "waiting for the stream",
                 nitro_cuda_driver_load()->wait(on_device->stream));
}

static int download(nitro_on_device *on_device, const void *memory, int64_t count, size_t size,
                    void *to)
{
    if (count > 0 &&
        check(on_device, "copying from the device",
              nitro_cuda_driver_load()->download(to, (uintptr_t)memory, (size_t)count * size,
                                                 on_device->stream)) != 0)
        return on_device->failure;
    return wait(on_device);
}

static int copy(nitro_on_device *on_device, const void *from, int64_t count, size_t size, void *to)
{
    return count == 0
               ? 0
               : check(on_device, "copying on the device",
                       nitro_cuda_driver_load()->copy((uintptr_t)to, (uintptr_t)from,
                                                      (size_t)count * size, on_device->stream));
}

static int fill(nitro_on_device *on_device, void *memory, int64_t count, size_t size, int byte)
{
    return count == 0
               ? 0
               : check(on_device, "filling memory on the device",
                       nitro_cuda_driver_load()->fill((uintptr_t)memory, (unsigned char)byte,
                                                      (size_t)count * size, on_device->stream));
}

/* ---- The clock of a stream ---- */

static bool may_mark(void *stream)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int status;
    return cuda && nitro_cuda_enter() == 0 && cuda->is_capturing(stream, &status) == 0 &&
           status == 0;
}

static int mark(void *stream, void **event)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    return (!*event && cuda->create_event(event, 0) != 0) || cuda->record(*event, stream) != 0;
}

static int elapsed(void *begin, void *end, double *elapsed_ms)
{
    const cuda_driver *cuda = nitro_cuda_driver_load();
    int mode = CUDA_CAPTURE_RELAXED; /* another stream may capture a graph */
    float between_ms;
    int code = nitro_cuda_enter();
    if (code == 0) {
        cuda->capture_mode(&mode);
        code = cuda->elapsed(&between_ms, begin, end);
        cuda->capture_mode(&mode);
    }
    if (code == 0)
        *elapsed_ms = (double)between_ms;
    return code == CUDA_NOT_READY ? NITRO_STREAM_BUSY : code != 0 ? 2 : 0;
}

static void free_event(void *event)
{
    if (event && nitro_cuda_enter() == 0)
        nitro_cuda_driver_load()->free_event(event);
}

static const nitro_stream_clock stream_clock = {may_mark, mark, elapsed, free_event};

const nitro_device_memory nitro_cuda_driver_memory = {
    may_prepare, need, allocate, upload, download, copy, fill, wait, free_memory, &stream_clock};
