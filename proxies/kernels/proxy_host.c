/* Proxy kernels on the host: memory, threads, and the check of results. Threads exist only during
 * a run, so that the process may fork between runs. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxies/kernels/proxy_host.h"
#include "proxies/kernels/work.h"

#define MAX_THREADS 4096
#define LINE_BYTES  128 /* a cache line, and the adjacent one that some processors prefetch */

static size_t count_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (size_t)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

/* Words of one member, a multiple of a pass; 0 if the kind or the intensity needs none. */
static size_t count_words(const nitro_proxy_host *host, size_t bytes)
{
    size_t exchanges = NITRO_PROXY_EXCHANGES(host->intensity);
    size_t pass_bytes = exchanges * sizeof(uint64_t);
    if (!host->kind->memory_bytes || pass_bytes == 0)
        return 0;
    if (bytes == 0)
        bytes = host->kind->memory_bytes(host->num_members);
    return exchanges * nitro_proxy_work_passes(bytes / host->num_members, pass_bytes);
}

static size_t choose_passes(const nitro_proxy_host *host, size_t num_words)
{
    size_t exchanges = NITRO_PROXY_EXCHANGES(host->intensity);
    if (host->kind->num_passes > 0 || exchanges == 0)
        return host->kind->num_passes > 0 ? host->kind->num_passes : NITRO_PROXY_MAX_PASSES / 10;
    size_t twice = 2 * (num_words / exchanges);
    return twice < NITRO_PROXY_MAX_PASSES ? twice : NITRO_PROXY_MAX_PASSES;
}

typedef void *(*thread_work)(void *member);

static nitro_status run_threads(const nitro_proxy_host *host, thread_work work)
{
    pthread_t *threads = nitro_calloc(host->context, host->num_members, sizeof(*threads));
    size_t num_started = 0;
    int error = 0;
    if (!threads)
        return NITRO_ERR_NO_MEMORY;
    while (num_started < host->num_members && error == 0) {
        error = pthread_create(&threads[num_started], NULL, work, &host->members[num_started]);
        num_started += error == 0;
    }
    for (size_t i = 0; i < num_started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    if (error)
        return nitro_fail(host->context, NITRO_ERR_IO, "cannot start thread %zu of %zu: %s",
                          num_started + 1, host->num_members, strerror(error));
    return NITRO_OK;
}

/* First touch by the thread itself, so that its words are in local NUMA memory. */
static void *fill(void *user)
{
    nitro_proxy_host_member *member = user;
    for (size_t i = 0; i < member->num_words; i++)
        member->words[i] = nitro_proxy_first_word(i);
    member->result = 0;
    return NULL;
}

static void *run_loop(void *user)
{
    nitro_proxy_host_member *member = user;
    member->host->kind->loops[member->host->intensity](member);
    return NULL;
}

static nitro_status prepare(nitro_proxy_host *host)
{
    for (size_t i = 0; i < NITRO_PROXY_HOST_COUNTERS; i++)
        atomic_store(&host->counters[i], 0);
    return run_threads(host, fill);
}

static nitro_status get_memory(nitro_proxy_host *host, size_t num_words)
{
    host->members = nitro_calloc(host->context, host->num_members, sizeof(*host->members));
    host->counters = aligned_alloc(LINE_BYTES, LINE_BYTES);
    size_t all_words = num_words * host->num_members;
    if (all_words > 0 && num_words <= SIZE_MAX / sizeof(uint64_t) / host->num_members)
        host->words = malloc(all_words * sizeof(uint64_t));
    if (!host->members || !host->counters || (num_words > 0 && !host->words))
        return nitro_fail(host->context, NITRO_ERR_NO_MEMORY,
                          "proxy on the host: no memory for %zu threads of %zu words each",
                          host->num_members, num_words);
    return NITRO_OK;
}

nitro_status nitro_proxy_host_create(nitro_context *context, const nitro_proxy_host_kind *kind,
                                     const nitro_proxy_work *work, void **state)
{
    static const nitro_proxy_operands operands = NITRO_PROXY_OPERANDS;
    nitro_status status = nitro_proxy_work_check(context, work, "host", MAX_THREADS);
    if (status != NITRO_OK)
        return status;
    nitro_proxy_host *host = nitro_calloc(context, 1, sizeof(*host));
    if (!host)
        return NITRO_ERR_NO_MEMORY;
    host->context = context;
    host->kind = kind;
    host->intensity = work->intensity;
    host->num_members = work->num_threads > 0 ? work->num_threads : count_cores();
    size_t num_words = count_words(host, work->memory_bytes);
    size_t num_passes = work->num_passes > 0 ? work->num_passes : choose_passes(host, num_words);
    status = get_memory(host, num_words);
    for (size_t i = 0; i < host->num_members && status == NITRO_OK; i++)
        host->members[i] =
            (nitro_proxy_host_member){.host = host,
                                      .lane = (uint32_t)(i % NITRO_PROXY_LANES),
                                      .num_passes = num_passes,
                                      .operands = operands,
                                      .words = host->words ? host->words + i * num_words : NULL,
                                      .num_words = num_words,
                                      .counters = host->counters};
    if (status == NITRO_OK)
        status = prepare(host);
    if (status == NITRO_OK)
        *state = host;
    else
        nitro_proxy_host_free(host);
    return status;
}

nitro_status nitro_proxy_host_run(void *state)
{
    return run_threads(state, run_loop);
}

nitro_status nitro_proxy_host_check(void *state)
{
    nitro_proxy_host *host = state;
    nitro_status status = prepare(host);
    if (status == NITRO_OK)
        status = nitro_proxy_host_run(host);
    for (size_t i = 0; i < host->num_members && status == NITRO_OK; i++) {
        const nitro_proxy_host_member *member = &host->members[i];
        uint32_t expected = 0;
        status = host->kind->expect(member, &expected);
        expected += nitro_proxy_expect_neutral(host->intensity, member->num_passes, member->lane);
        if (status == NITRO_OK && member->result != expected)
            status = nitro_fail(host->context, NITRO_ERR_MISMATCH,
                                "thread %zu of %zu gives %u, and its steps one by one give %u", i,
                                host->num_members, (unsigned)member->result, (unsigned)expected);
    }
    return status;
}

void nitro_proxy_host_free(void *state)
{
    nitro_proxy_host *host = state;
    if (!host)
        return;
    free(host->words);
    free(host->counters);
    free(host->members);
    free(host);
}
