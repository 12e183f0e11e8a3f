/* host.h - what the proxy kernels of device kind `host` share: threads, their memory, the check. */
#ifndef NITRO_PROXIES_KERNELS_PROXY_HOST_H
#define NITRO_PROXIES_KERNELS_PROXY_HOST_H

#include <stdatomic.h>

#include "nitro/nitro_backend.h"
#include "proxies/kernels/intensity.h"

#define NITRO_PROXY_HOST_COUNTERS 4 /* of 32 bits, in one line of the caches */

typedef struct nitro_proxy_host nitro_proxy_host;

/** What one thread works with. */
typedef struct nitro_proxy_host_member {
    const nitro_proxy_host *host;
    uint32_t lane; /* its index modulo NITRO_PROXY_LANES */
    size_t num_passes;
    nitro_proxy_operands operands;
    uint64_t *words; /* shape [num_words], its own; a multiple of what a pass goes through */
    size_t num_words;
    atomic_uint *counters; /* shape [NITRO_PROXY_HOST_COUNTERS], everybody's */
    uint32_t result;       /* written by loops */
} nitro_proxy_host_member;

typedef void (*nitro_proxy_host_loop)(nitro_proxy_host_member *member);

/** What is different from proxy to proxy. */
typedef struct nitro_proxy_host_kind {
    /** By intensity: all passes of one thread. */
    nitro_proxy_host_loop loops[NITRO_PROXY_MAX_INTENSITY + 1];
    size_t num_passes; /* that suit it; 0: as many as go through its memory twice */
    /** Bytes of memory that suit it, for so many threads; NULL: it goes through none. */
    size_t (*memory_bytes)(size_t num_threads);
    /** The kind's part of a thread's result after one run on memory as at first; also whether the
     *  run left memory as it should, or NITRO_ERR_MISMATCH says what differs. */
    nitro_status (*expect)(const nitro_proxy_host_member *member, uint32_t *result);
} nitro_proxy_host_kind;

struct nitro_proxy_host {
    nitro_context *context;
    const nitro_proxy_host_kind *kind;
    unsigned intensity;
    size_t num_members;
    nitro_proxy_host_member *members; /* shape [num_members] */
    uint64_t *words;                  /* of all members, one after the other; NULL: none */
    atomic_uint *counters;
};

/** The functions of nitro_proxy_kernel, for a kind. */
nitro_status nitro_proxy_host_create(nitro_context *context, const nitro_proxy_host_kind *kind,
                                     const nitro_proxy_work *work, void **state);
nitro_status nitro_proxy_host_run(void *state);
nitro_status nitro_proxy_host_check(void *state);
void nitro_proxy_host_free(void *state);

/** Six functions, of one body that takes the intensity as a constant, and their table. */
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

/** The functions of a plug-in that need its kind. */
#define NITRO_PROXY_HOST_FUNCTIONS(kind)                                                           \
    static nitro_status create(nitro_context *context, const nitro_proxy_work *work, void **state) \
    {                                                                                              \
        return nitro_proxy_host_create(context, &(kind), work, state);                             \
    }                                                                                              \
    static nitro_proxy_code code(unsigned intensity)                                               \
    {                                                                                              \
        return (nitro_proxy_code)(kind).loops[intensity];                                          \
    }

#endif
