/* proxy_host.h - shared by the proxy kernels of device kind `host`: threads, memory, the check. */
#ifndef NITRO_PROXIES_KERNELS_PROXY_HOST_H
#define NITRO_PROXIES_KERNELS_PROXY_HOST_H

#include <stdatomic.h>

#include "nitro/nitro_backend.h"
#include "proxies/kernels/intensity.h"

#define NITRO_PROXY_HOST_COUNTERS 4 /* of 32 bits, in one cache line */

typedef struct nitro_proxy_host nitro_proxy_host;

/** Arguments of one thread. */
typedef struct nitro_proxy_host_member {
    const nitro_proxy_host *host;
    uint32_t lane; /* its index modulo NITRO_PROXY_LANES */
    size_t num_passes;
    nitro_proxy_operands operands;
    uint64_t *words; /* shape [num_words], its own; a multiple of a pass */
    size_t num_words;
    atomic_uint *counters; /* shape [NITRO_PROXY_HOST_COUNTERS], shared */
    uint32_t result;       /* written by loops */
} nitro_proxy_host_member;

typedef void (*nitro_proxy_host_loop)(nitro_proxy_host_member *member);

/** What differs between proxies. */
typedef struct nitro_proxy_host_kind {
    /** By intensity: all passes of one thread. */
    nitro_proxy_host_loop loops[NITRO_PROXY_MAX_INTENSITY + 1];
    size_t num_passes; /* default; 0: twice through its memory */
    /** Default bytes of memory for a number of threads; NULL: none. */
    size_t (*memory_bytes)(size_t num_threads);
    /** The kind's part of a thread's result after one run on initialised memory. Also checks that
     * memory; NITRO_ERR_MISMATCH names the difference. */
    nitro_status (*expect)(const nitro_proxy_host_member *member, uint32_t *result);
} nitro_proxy_host_kind;

struct nitro_proxy_host {
    nitro_context *context;
    const nitro_proxy_host_kind *kind;
    unsigned intensity;
    size_t num_members;
    nitro_proxy_host_member *members; /* shape [num_members] */
    uint64_t *words;                  /* of all members in order; NULL: none */
    atomic_uint *counters;
};

/** The functions of nitro_proxy_kernel for a kind. */
nitro_status nitro_proxy_host_create(nitro_context *context, const nitro_proxy_host_kind *kind,
                                     const nitro_proxy_work *work, void **state);
nitro_status nitro_proxy_host_run(void *state);
nitro_status nitro_proxy_host_check(void *state);
void nitro_proxy_host_free(void *state);

/** Six functions with the intensity as a constant, and their table. */
#define NITRO_PROXY_HOST_LOOPS(body)                                                               \
    static void loop_0(nitro_proxy_host_member *member)                                            \
    {                                                                                              \
        body(member, 0);                                                                           \
    }                                                                                              \
    static void loop_1(nitro_proxy_host_member *member)                                            \
    {                                                                                              \
        body(member, 1);                                                                           \
    }                                                                                              \
    static void loop_2(nitro_proxy_host_member *member)                                            \
    {                                                                                              \
        body(member, 2);                                                                           \
    }                                                                                              \
    static void loop_3(nitro_proxy_host_member *member)                                            \
    {                                                                                              \
        body(member, 3);                                                                           \
    }                                                                                              \
    static void loop_4(nitro_proxy_host_member *member)                                            \
    {                                                                                              \
        body(member, 4);                                                                           \
    }                                                                                              \
    static void loop_5(nitro_proxy_host_member *member)                                            \
    {                                                                                              \
        body(member, 5);                                                                           \
    }
#define NITRO_PROXY_HOST_LOOP_TABLE                                                                \
    {                                                                                              \
        loop_0, loop_1, loop_2, loop_3, loop_4, loop_5                                             \
    }

/** The plug-in nitro_proxy_host_NAME of a file's `kind`. */
#define NITRO_PROXY_HOST_KERNEL(name, proxy_name, what)                                            \
    static nitro_status create(nitro_context *context, const nitro_proxy_work *work, void **state) \
    {                                                                                              \
        return nitro_proxy_host_create(context, &kind, work, state);                               \
    }                                                                                              \
    static nitro_proxy_code code(unsigned intensity)                                               \
    {                                                                                              \
        return (nitro_proxy_code)kind.loops[intensity];                                            \
    }                                                                                              \
    const nitro_proxy_kernel nitro_proxy_host_##name = {.proxy = proxy_name,                       \
                                                        .device_kind = "host",                     \
                                                        .description = what,                       \
                                                        .create = create,                          \
                                                        .run = nitro_proxy_host_run,               \
                                                        .check = nitro_proxy_host_check,           \
                                                        .free = nitro_proxy_host_free,             \
                                                        .code = code};

#endif
