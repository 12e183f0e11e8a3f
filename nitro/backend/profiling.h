/* profiling.h - the families of proxy kernels and profilers, and collecting profiles. Part of
 * nitro_backend.h. */
#ifndef NITRO_BACKEND_PROFILING_H
#define NITRO_BACKEND_PROFILING_H

#include "nitro/backend/devices.h"
#include "nitro/backend/proxies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Family: proxy kernels ----------------------------------------------------------------- */

/** A proxy's dial goes from 0, none of its kind of work, to this: of every five instructions of its
 *  kernel, as many are of its kind; the others are integer arithmetic, which no proxy counts. */
#define NITRO_PROXY_MAX_INTENSITY NITRO_MAX_INTENSITY

/** How much one run does. Of the counts 0 stands for what suits the device: a run of milliseconds
 *  that keeps all of it busy, with a footprint that is what the proxy stands for. */
typedef struct nitro_proxy_work {
    unsigned intensity;  /* 0 to NITRO_PROXY_MAX_INTENSITY */
    size_t num_threads;  /* rounded up to whole blocks on cuda */
    size_t num_passes;   /* how often each thread goes through the kernel's unrolled loop */
    size_t memory_bytes; /* that all threads together go through; rounded up; of no meaning where
                            the kernel has a fixed place to work on */
    void *stream;        /* cuda: the cudaStream_t that runs go to; NULL: the default stream */
} nitro_proxy_work;

/** Code of a kernel: tests disassemble it to check its instruction mix. Not called. */
typedef void (*nitro_proxy_code)(void);

/**
 * A proxy's kernel on one kind of device. On cuda every function works on the calling thread's
 * current device, and needs a process that will not fork.
 */
typedef struct nitro_proxy_kernel {
    const char *proxy;       /* "SP-GFLOP": a name in data/proxies/paper.json */
    const char *device_kind; /* "host", "cuda" */
    const char *description; /* what it does, in one line */

    /**
     * Get memory ready for runs.
     * @param[in] work  borrowed until return; the stream until free.
     * @return NITRO_OK; NITRO_ERR_ARGUMENT (the intensity, counts too large for the kernel);
     *         NITRO_ERR_NO_MEMORY, also of the device; NITRO_ERR_IO (the device failed);
     *         NITRO_ERR_NOT_BUILT.
     */
    nitro_status (*create)(nitro_context *context, const nitro_proxy_work *work, void **state);
    /** One run. On cuda: one kernel launch on the stream, and nothing else; on the host: on threads
     *  of its own, that are gone when it returns. May be called any number of times. */
    nitro_status (*run)(void *state);
    /** Memory as at first, one run, wait for it, and compare what it left behind with what the same
     *  steps give one after the other. NITRO_ERR_MISMATCH says what differs. */
    nitro_status (*check)(void *state);
    /** Waits for runs. */
    void (*free)(void *state);

    /** cuda: the name of its kernels without the intensity, that a template argument is:
     *  "nitro_proxy_sp_gflop" of nitro_proxy_sp_gflop<3>. NULL on the host. */
    const char *symbol;
    /** host: the code of an intensity. NULL on cuda. */
    nitro_proxy_code (*code)(unsigned intensity);
} nitro_proxy_kernel;

/** The kernel of a proxy on a kind of device, or NITRO_ERR_NOT_FOUND. */
NITRO_API nitro_status nitro_proxy_kernel_find(nitro_context *context, const char *proxy,
                                               const char *device_kind,
                                               const nitro_proxy_kernel **kernel);

/* ---- Family: profilers ---------------------------------------------------------------------- */

/** What a profiler looks at. Functions return 0 on success. */
typedef struct nitro_profiled_work {
    int (*restore)(void *user); /* before every run, not looked at; NULL: nothing to do */
    int (*run)(void *user);     /* may leave work on the device unfinished */
    void *user;
} nitro_profiled_work;

/** Told of each kernel that the work launched, in order; a host's run is one kernel.
 *  @param[in] values  shape [count of the counters asked for]; NaN: it has none here. */
typedef nitro_status (*nitro_kernel_function)(void *user, const char *kernel, const double *values);

/**
 * Reads hardware counters. Used by one thread of a worker process in which the device is open, from
 * before an input is loaded: threads that start later are counted too. Work is run several times,
 * and slowly: no time of it means anything.
 */
typedef struct nitro_profiler {
    const char *name; /* "cupti" */
    const char *description;
    const char *device_kind; /* "cuda": the kind of device that it profiles */

    /**
     * @return NITRO_OK; NITRO_ERR_NOT_BUILT; NITRO_ERR_IO: it cannot be done here (no permission, a
     *         device without counters, another tool in the way): one sentence with the remedy.
     */
    nitro_status (*open)(nitro_context *context, const char *device, void **state);
    /** Can the device count it? Names are those of the proxies' formulas. */
    bool (*has)(void *state, const char *counter);
    /**
     * @param[in] counters  all of which it has.
     * @return NITRO_OK; NITRO_ERR_VARIANT_FAILED (the work did: other work may do better, in a new
     *         process); NITRO_ERR_IO (nothing can be profiled here, as for open); the function's.
     */
    nitro_status (*collect)(void *state, const nitro_string_list *counters,
                            const nitro_profiled_work *work, nitro_kernel_function function,
                            void *user);
    void (*close)(void *state); /* switches off what was switched on */
} nitro_profiler;

/* ---- Collecting profiles --------------------------------------------------------------------- */

typedef struct nitro_profile_progress {
    size_t done, total; /* inputs, or proxies */
    size_t found;       /* of `done`, those whose runs the store had already */
    const char *what;   /* the one just finished */
} nitro_profile_progress;

typedef struct nitro_profile_options {
    const char *proxies_path;       /* more proxies, whose counters are collected too; NULL: none */
    const nitro_profiler *profiler; /* NULL: the built-in one of the device's kind */
    const nitro_proxy_kernel *const
        *kernels;              /* of proxies, ended by NULL; NULL: the built-in ones */
    double timeout_ms;         /* a variant's function that takes longer counts as hung; one
                                  call of it is run many times over */
    size_t memory_limit_bytes; /* of a worker; 0: no limit */
    bool again;                /* collect once more what the store holds, replacing it */
    bool (*progress)(void *user, const nitro_profile_progress *progress); /* false: stop. Or NULL */
    void *progress_user;
} nitro_profile_options;

typedef struct nitro_profile_report {
    size_t profiles; /* put into the store: one a kernel */
    size_t runs;     /* of a variant on an input, or a proxy at an intensity, that they are of */
    size_t found;    /* runs that the store had already */
    size_t failed;   /* runs that failed, crashed or gave a wrong result: the log says which */
    size_t failed_inputs; /* that could not be loaded, likewise */
} nitro_profile_report;

NITRO_API void nitro_profile_options_init(nitro_profile_options *options);

/**
 * Profile every variant of a computation on inputs, on a device where they run, and put the
 * profiles into the store, input by input. Variants run in worker processes, checked against the
 * reference as by nitro_tune(); no time is taken.
 * @param[in]  options  NULL: the defaults.
 * @param[out] report   written on error too: what went before it is in the store.
 * @return NITRO_OK, also where some runs failed; NITRO_ERR_NOT_BUILT or NITRO_ERR_IO where nothing
 *         can be profiled here: one sentence with the remedy; NITRO_ERR_NOT_FOUND (the device, a
 *         profiler for its kind); NITRO_ERR_INTERRUPTED; else as nitro_tune().
 */
NITRO_API nitro_status nitro_profile_variants(nitro_computation *computation, nitro_store *store,
                                              const char *device, const nitro_input *inputs,
                                              size_t num_inputs,
                                              const nitro_profile_options *options,
                                              nitro_profile_report *report);

/** Profile every proxy's kernel for the device's kind at intensities 0, 1 and so on, likewise. */
NITRO_API nitro_status nitro_profile_proxies(nitro_store *store, const char *device,
                                             const nitro_profile_options *options,
                                             nitro_profile_report *report);

#ifdef __cplusplus
}
#endif

#endif
