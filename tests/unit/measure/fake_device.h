/* fake_device.h - a device kind "fake" with a clock, caches and memory of its own. Workers report
 * what they did to it in a shared page. */
#ifndef NITRO_TESTS_UNIT_MEASURE_FAKE_DEVICE_H
#define NITRO_TESTS_UNIT_MEASURE_FAKE_DEVICE_H

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nitro/base/context.h"
#include "unit/unit.h"

/** Counts over all worker processes. */
typedef struct fake_counts {
    int opens, closes, starts, stops, flushes, refusals;
    pid_t holder; /* the process that opened it last; 0: closed */
    void *stream; /* of the latest start */
    void *flushed;
} fake_counts;

/** The device, as one process sees it. */
static struct {
    fake_counts *counts;
    double clock_ms;     /* advanced by variants */
    double started_ms;   /* what `start` noted */
    size_t free_bytes;   /* variants take and give back */
    const char *pending; /* a fault that comes to light when the stream is waited for */
    bool is_broken;      /* and then stays */
    bool refuses_to_open;
    bool is_exclusive; /* one process may open it at a time */
    unsigned num_states;
    const char *states[2]; /* said in turn; the second one stays */
} fake_device;

struct nitro_device_session {
    nitro_context *context;
};

static nitro_status fake_status(nitro_device_session *session, const char *doing)
{
    if (fake_device.is_broken)
        return nitro_fail(session->context, NITRO_ERR_IO, "fake: %s: an illegal memory access",
                          doing);
    return NITRO_OK;
}

static nitro_status fake_open(nitro_context *context, const char *id,
                              nitro_device_session **session)
{
    if (strcmp(id, "fake") != 0 && strcmp(id, "fake:one") != 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "there is no '%s'", id);
    if (fake_device.refuses_to_open)
        return nitro_fail(context, NITRO_ERR_IO, "fake: all devices are busy");
    pid_t holder = fake_device.counts->holder;
    if (fake_device.is_exclusive && holder != 0 && kill(holder, 0) == 0) {
        fake_device.counts->refusals++;
        return nitro_fail(context, NITRO_ERR_IO, "fake: another process has the device");
    }
    fake_device.counts->holder = getpid();
    *session = calloc(1, sizeof **session);
    (*session)->context = context;
    fake_device.counts->opens++;
    return NITRO_OK;
}

static void fake_close(nitro_device_session *session)
{
    fake_device.counts->closes++;
    fake_device.counts->holder = 0;
    free(session);
}

static nitro_status fake_start(nitro_device_session *session, void *stream)
{
    fake_device.counts->starts++;
    fake_device.counts->stream = stream;
    fake_device.started_ms = fake_device.clock_ms;
    return fake_status(session, "starting");
}

static nitro_status fake_stop(nitro_device_session *session, void *stream, double *elapsed_ms)
{
    fake_device.counts->stops++;
    if (stream != fake_device.counts->stream)
        return nitro_fail(session->context, NITRO_ERR_ARGUMENT, "fake: another stream");
    if (fake_device.pending) {
        const char *fault = fake_device.pending;
        fake_device.pending = NULL;
        return nitro_fail(session->context, NITRO_ERR_IO, "fake: %s", fault);
    }
    nitro_status status = fake_status(session, "stopping");
    if (status == NITRO_OK)
        *elapsed_ms = fake_device.clock_ms - fake_device.started_ms;
    return status;
}

static nitro_status fake_flush(nitro_device_session *session, void *stream)
{
    fake_device.counts->flushes++;
    fake_device.counts->flushed = stream;
    return fake_status(session, "flushing");
}

static nitro_status fake_free_memory(nitro_device_session *session, size_t *bytes)
{
    nitro_status status = fake_status(session, "asking");
    if (status == NITRO_OK)
        *bytes = fake_device.free_bytes;
    return status;
}

static nitro_status fake_state(nitro_device_session *session, char *text, size_t size)
{
    (void)session;
    snprintf(text, size, "%s", fake_device.states[fake_device.num_states++ > 0]);
    return NITRO_OK;
}

static nitro_device_access fake_access;

static nitro_status fake_list(nitro_context *context, nitro_string_list *ids)
{
    return nitro_string_list_add(context, ids, "fake:one");
}

static nitro_status fake_describe(nitro_context *context, const char *id, bool measure,
                                  nitro_device **device)
{
    (void)measure;
    if (strcmp(id, "fake") != 0 && strcmp(id, "fake:one") != 0)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND, "'%s' is no fake device", id);
    return nitro_device_create(context, "fake:one", "fake", device);
}

static const nitro_device_kind fake_kind = {
    .name = "fake",
    .description = "for tests",
    .list = fake_list,
    .describe = fake_describe,
    .access = &fake_access,
};

/** A device as good as new, that this context knows. */
static inline void fake_device_plug_in(nitro_context *context)
{
    fake_counts *counts =
        mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(counts, MAP_FAILED);
    memset(&fake_device, 0, sizeof fake_device);
    fake_device.counts = counts;
    fake_device.free_bytes = 1000;
    fake_device.states[0] = fake_device.states[1] = "1980 MHz";
    fake_access = (nitro_device_access){.open = fake_open,
                                        .close = fake_close,
                                        .start = fake_start,
                                        .stop = fake_stop,
                                        .flush = fake_flush,
                                        .free_memory = fake_free_memory,
                                        .state = fake_state};
    context->test_device_kind = &fake_kind;
}

static inline void fake_device_unplug(void)
{
    munmap(fake_device.counts, sizeof *fake_device.counts);
}

#endif
