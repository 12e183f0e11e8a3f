/* A CUDA device in a worker process: clock (events), cache flush and free memory. */
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "features/device/cuda/cuda_measure.h"
#include "features/device/cuda/nvml.h"

#define FLUSH_CACHES    2 /* multiples of the L2 cache, whose replacement is not LRU */
#define MIN_FLUSH_BYTES ((size_t)32 << 20)

#define WARM_UP_MS         100.0
#define WARM_UP_CYCLES     1000000
#define MAX_WARM_UP_ROUNDS 1000 /* if the host's clock does not advance */

struct nitro_device_session {
    nitro_context *context;
    nitro_facts facts;
    nitro_nvml *nvml; /* NULL: none */
    cudaEvent_t begin, end;
    void *flushed; /* shape [flush_bytes]; allocated by the first flush */
    size_t flush_bytes;
};

static nitro_status check(nitro_context *context, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_IO, "%s: %s (%s, CUDA error %d)", what,
                      cudaGetErrorString(error), cudaGetErrorName(error), (int)error);
}

static void close_session(nitro_device_session *session)
{
    if (!session)
        return;
    if (session->begin)
        cudaEventDestroy(session->begin);
    if (session->end)
        cudaEventDestroy(session->end);
    cudaFree(session->flushed);
    nitro_nvml_close(session->nvml);
    free(session);
}

static nitro_status find_facts(nitro_context *context, const char *id, nitro_facts *found)
{
    nitro_facts *facts = NULL;
    size_t count = 0;
    nitro_status status = nitro_cuda_query(context, &facts, &count);
    if (status != NITRO_OK)
        return status;
    size_t index = nitro_facts_find(&nitro_cuda_kind, facts, count, id);
    if (index == NITRO_NONE)
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "no CUDA device '%.80s' among this machine's %zu", id, count);
    else
        *found = facts[index];
    free(facts);
    return status;
}

/* An idle device's clocks are low and take time to rise. */
static nitro_status warm_up(nitro_device_session *session)
{
    static const char what[] = "warming up a CUDA device";
    double begin_ms = nitro_clock_wall_ms(session->context);
    double sms = session->facts.values[NITRO_CUDA_SM_COUNT];
    nitro_status status = NITRO_OK;
    for (int i = 0; i < MAX_WARM_UP_ROUNDS && status == NITRO_OK; i++) {
        if (nitro_clock_wall_ms(session->context) - begin_ms > WARM_UP_MS)
            break;
        status =
            check(session->context,
                  nitro_cuda_launch_spin(WARM_UP_CYCLES, sms > 0 ? (unsigned)sms : 1, NULL), what);
        if (status == NITRO_OK)
            status = check(session->context, cudaStreamSynchronize(NULL), what);
    }
    return status;
}

static nitro_status open_session(nitro_context *context, const char *id,
                                 nitro_device_session **session)
{
    nitro_device_session *opened = nitro_calloc(context, 1, sizeof(*opened));
    if (!opened)
        return NITRO_ERR_NO_MEMORY;
    opened->context = context;
    nitro_status status = find_facts(context, id, &opened->facts);
    if (status == NITRO_OK)
        status = check(context, cudaSetDevice((int)opened->facts.index), "opening a CUDA device");
    if (status == NITRO_OK)
        status = check(context, cudaFree(NULL), "opening a CUDA device"); /* starts it */
    if (status == NITRO_OK)
        status = check(context, cudaEventCreate(&opened->begin), "making a CUDA event");
    if (status == NITRO_OK)
        status = check(context, cudaEventCreate(&opened->end), "making a CUDA event");
    if (status == NITRO_OK)
        status = warm_up(opened);
    if (status != NITRO_OK) {
        close_session(opened);
        return status;
    }
    double l2_bytes = opened->facts.values[NITRO_CUDA_L2_CACHE_SIZE_BYTES];
    opened->flush_bytes = MIN_FLUSH_BYTES;
    if (l2_bytes > 0 && (size_t)l2_bytes * FLUSH_CACHES > opened->flush_bytes)
        opened->flush_bytes = (size_t)l2_bytes * FLUSH_CACHES;
    opened->nvml = nitro_nvml_open(NITRO_NVML_LIBRARY);
    *session = opened;
    return NITRO_OK;
}

/* An error that other code left, and that stop() would find, is not of what is timed.
 * On an idle device the first event would be done before the host has launched what is timed, and
 * that launch would count: the device gets something to do meanwhile. */
static nitro_status start(nitro_device_session *session, void *stream)
{
    static const char what[] = "starting a CUDA device's clock";
    cudaGetLastError();
    nitro_status status =
        check(session->context, nitro_cuda_launch_spin(NITRO_CUDA_LEAD_CYCLES, 1, stream), what);
    if (status == NITRO_OK)
        status = check(session->context, cudaEventRecord(session->begin, stream), what);
    return status;
}

static nitro_status stop(nitro_device_session *session, void *stream, double *elapsed_ms)
{
    static const char what[] = "stopping a CUDA device's clock";
    float elapsed;
    nitro_status status = check(session->context, cudaEventRecord(session->end, stream), what);
    if (status == NITRO_OK)
        status = check(session->context, cudaEventSynchronize(session->end), what);
    if (status == NITRO_OK)
        status = check(session->context, cudaGetLastError(), what); /* failed launches */
    if (status == NITRO_OK)
        status = check(session->context,
                       cudaEventElapsedTime(&elapsed, session->begin, session->end), what);
    if (status == NITRO_OK)
        *elapsed_ms = (double)elapsed;
    return status;
}

static nitro_status flush(nitro_device_session *session, void *stream)
{
    static const char what[] = "flushing a CUDA device's caches";
    if (!session->flushed) {
        nitro_status status =
            check(session->context, cudaMalloc(&session->flushed, session->flush_bytes), what);
        if (status != NITRO_OK)
            return status;
    }
    return check(session->context,
                 cudaMemsetAsync(session->flushed, 0, session->flush_bytes, stream), what);
}

static nitro_status free_memory(nitro_device_session *session, size_t *bytes)
{
    size_t available, total;
    nitro_status status =
        check(session->context, cudaMemGetInfo(&available, &total), "querying free memory");
    if (status == NITRO_OK)
        *bytes = available;
    return status;
}

static nitro_status state(nitro_device_session *session, char *text, size_t size)
{
    nitro_nvml_print_state(session->nvml, session->facts.texts[NITRO_CUDA_PCI], text, size);
    return NITRO_OK;
}

const nitro_device_access nitro_cuda_access = {
    .open = open_session,
    .close = close_session,
    .start = start,
    .stop = stop,
    .flush = flush,
    .free_memory = free_memory,
    .state = state,
};
