/* The host as the device of measured variants: cache flush, free memory and clocks. It has no
 * clock of its own; the context's is used.
 *
 * Flush: one thread a core, bound to it, writes its part of an array of four times the L2 and L3
 * caches (at least 32 MiB, at most 1 GiB). Each part exceeds a core's private caches, all of them
 * together the shared ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "features/device/host/host_kind.h"

#define MIN_FLUSH_BYTES 0x1p25
#define MAX_FLUSH_BYTES 0x1p30
#define LINE_BYTES      64

struct nitro_device_session {
    nitro_context *context;
    nitro_host_team *team; /* created by the first flush */
    size_t num_threads, share_bytes;
    unsigned char *array; /* shape [num_threads x share_bytes] */
};

static nitro_status open_session(nitro_context *context, const char *id,
                                 nitro_device_session **session)
{
    (void)id; /* there is one host */
    nitro_device_session *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->context = context;
    *session = made;
    return NITRO_OK;
}

static void close_session(nitro_device_session *session)
{
    nitro_host_team_free(session->team);
    free(session->array);
    free(session);
}

static double flush_bytes(const nitro_device *device)
{
    return fmin(fmax(4 * nitro_host_cache_bytes(device), MIN_FLUSH_BYTES), MAX_FLUSH_BYTES);
}

static nitro_status make_team(nitro_device_session *session)
{
    static const nitro_host_source this_machine = {0};
    nitro_device *device = NULL;
    nitro_status status = nitro_host_query(session->context, &this_machine, &device);
    if (status != NITRO_OK)
        return status;
    double cores = nitro_device_value(device, "sm_count");
    session->num_threads = cores >= 1 ? (size_t)cores : 1;
    session->share_bytes = (size_t)(flush_bytes(device) / (double)session->num_threads);
    nitro_device_free(device);
    if (!session->array)
        session->array = nitro_calloc(session->context, session->num_threads, session->share_bytes);
    if (!session->array)
        return NITRO_ERR_NO_MEMORY;
    return nitro_host_team_create(session->context, session->num_threads, &session->team);
}

static void write_share(void *state, size_t index)
{
    nitro_device_session *session = state;
    volatile unsigned char *share = session->array + index * session->share_bytes;
    for (size_t i = 0; i < session->share_bytes; i += LINE_BYTES)
        share[i]++;
}

static nitro_status flush(nitro_device_session *session, void *stream)
{
    double unused_ms;
    (void)stream;
    nitro_status status = session->team ? NITRO_OK : make_team(session);
    return status == NITRO_OK ? nitro_host_team_run(session->team, write_share, session, &unused_ms)
                              : status;
}

static nitro_status free_memory(nitro_device_session *session, size_t *bytes)
{
    long pages = sysconf(_SC_AVPHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages < 0 || page_bytes < 0)
        return nitro_fail(session->context, NITRO_ERR_IO, "the system does not report free memory");
    *bytes = (size_t)pages * (size_t)page_bytes;
    return NITRO_OK;
}

/* "2900 MHz, load 4": the first core's clock, to 100 MHz, and the load average, to a power of two:
 * many samples share one text, which a store keeps once. */
static nitro_status describe_state(nitro_device_session *session, char *text, size_t size)
{
    (void)session;
    double load;
    unsigned long khz = 0;
    size_t used = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "re");
    text[0] = '\0';
    if (file) {
        if (fscanf(file, "%lu", &khz) == 1)
            used = (size_t)snprintf(text, size, "%lu MHz", (khz + 50000) / 100000 * 100);
        fclose(file);
    }
    if (used < size && getloadavg(&load, 1) == 1)
        snprintf(text + used, size - used, "%sload %.0f", used ? ", " : "",
                 load < 0.5 ? 0 : exp2(round(log2(load))));
    return NITRO_OK;
}

const nitro_device_access nitro_host_access = {
    .open = open_session,
    .close = close_session,
    .flush = flush,
    .free_memory = free_memory,
    .state = describe_state,
};
