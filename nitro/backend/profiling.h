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

/** Maximum intensity: of every five instructions of a proxy's kernel, `intensity` are of its kind;
 * the others are integer arithmetic, which no proxy counts. */
#define NITRO_PROXY_MAX_INTENSITY NITRO_MAX_INTENSITY

/** Work of one run. A count of 0 is chosen for the device: a run of milliseconds at full occupancy,
 * with the memory footprint of the proxy's kind of work. */
typedef struct nitro_proxy_work {
    unsigned intensity;  /* 0 to NITRO_PROXY_MAX_INTENSITY */
    size_t num_threads;  /* rounded up to whole blocks on cuda */
    size_t num_passes;   /* iterations of each thread through the kernel's unrolled loop */
    size_t memory_bytes; /* of all threads together; rounded up; ignored if the kernel's memory is
                            fixed */
    void *stream;        /* cuda: cudaStream_t of the runs; NULL: the default stream */
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
     * Allocate memory for runs.
     * @param[in] work  borrowed until return; the stream until free.
     * @return NITRO_OK; NITRO_ERR_ARGUMENT (the intensity, counts too large for the kernel);
     *         NITRO_ERR_NO_MEMORY, also of the device; NITRO_ERR_IO (the device failed);
     *         NITRO_ERR_NOT_BUILT.
     */
    nitro_status (*create)(nitro_context *context, const nitro_proxy_work *work, void **state);
    /** One run. On cuda: exactly one kernel launch on the stream; on the host: on threads that
     * exist only during the call. May be called any number of times. */
    nitro_status (*run)(void *state);
    /** Initialise memory, run once, wait, and compare the results with those of the same steps in
     * sequence. NITRO_ERR_MISMATCH: the error names the difference. */
    nitro_status (*check)(void *state);
    /** Waits for runs. */
    void (*free)(void *state);

    /** cuda: the name of its kernels without the template argument, the intensity:
     * "nitro_proxy_sp_gflop" of nitro_proxy_sp_gflop<3>. NULL on the host. */
    const char *symbol;
    /** host: the code of an intensity. NULL on cuda. */
    nitro_proxy_code (*code)(unsigned intensity);
} nitro_proxy_kernel;

/** The kernel of a proxy on a kind of device, or NITRO_ERR_NOT_FOUND. */
NITRO_API nitro_status nitro_proxy_kernel_find(nitro_context *context, const char *proxy,
                                               const char *device_kind,
                                               const nitro_proxy_kernel **kernel);

/* ---- Family: profilers ---------------------------------------------------------------------- */

/** The work to profile. Functions return 0 on success. */
typedef struct nitro_profiled_work {
    int (*restore)(void *user); /* before every run, not profiled; NULL: nothing to do */
    int (*run)(void *user);     /* may be asynchronous */
    void *user;
} nitro_profiled_work;

/** Called for each kernel that the work launched, in order; a host's run is one kernel.
 *  @param[in] values  shape [number of requested counters]; NaN: missing. */
typedef nitro_status (*nitro_kernel_function)(void *user, const char *kernel, const double *values);

/**
 * Reads hardware counters. Used by one thread of a worker process in which the device is open;
 * opened before an input is loaded, so that threads started later are counted. Work runs several
 * times and slower: its times are meaningless.
 */
typedef struct nitro_profiler {
    const char *name; /* "cupti" */
    const char *description;
    const char *device_kind; /* "cuda": the kind of device that it profiles */

    /**
     * @return NITRO_OK; NITRO_ERR_NOT_BUILT; NITRO_ERR_IO: not possible here (no permission, a
     * device without counters, another profiler); the error contains the remedy.
     */
    nitro_status (*open)(nitro_context *context, const char *device, void **state);
    /** Is the counter available on the device? Names as in the proxies' formulas. */
    bool (*has)(void *state, const char *counter);
    /**
     * @param[in] counters  all available.
     * @return NITRO_OK; NITRO_ERR_VARIANT_FAILED (the work failed: others may succeed in a new
     * process); NITRO_ERR_IO (nothing can be profiled here, as for open); the function's status.
     */
    nitro_status (*collect)(void *state, const nitro_string_list *counters,
                            const nitro_profiled_work *work, nitro_kernel_function function,
                            void *user);
    void (*close)(void *state); /* disables what was enabled */
} nitro_profiler;

/* ---- Collecting profiles --------------------------------------------------------------------- */

typedef struct nitro_profile_progress {
    size_t done, total; /* inputs, or proxies */
    size_t found;       /* of `done`, those already stored */
    const char *what;   /* the one just finished */
} nitro_profile_progress;

typedef struct nitro_profile_options {
    const char *proxies_path;       /* file of additional proxies; NULL: none */
    const nitro_profiler *profiler; /* NULL: the built-in one of the device's kind */
    const nitro_proxy_kernel *const
        *kernels;              /* of proxies, ended by NULL; NULL: the built-in ones */
    double timeout_ms;         /* limit of a variant's function, which is run many times a call */
    size_t memory_limit_bytes; /* of a worker; 0: no limit */
    bool again;                /* collect and replace stored profiles again */
    bool (*progress)(void *user, const nitro_profile_progress *progress); /* false: stop. Or NULL */
    void *progress_user;
} nitro_profile_options;

typedef struct nitro_profile_report {
    size_t profiles;      /* stored: one a kernel */
    size_t runs;          /* profiled: a variant on an input, or a proxy at an intensity */
    size_t found;         /* runs already stored */
    size_t failed;        /* runs that failed, crashed or gave a wrong result; see the log */
    size_t failed_inputs; /* that could not be loaded; see the log */
} nitro_profile_report;

NITRO_API void nitro_profile_options_init(nitro_profile_options *options);

/**
 * Profile every variant of a computation on inputs, on a device of its kind, and store the profiles
 * input by input. Variants run in worker processes and are checked against the reference as by
 * nitro_tune(), but not timed.
 * @param[in]  options  NULL: the defaults.
 * @param[out] report   written on error too: earlier profiles are stored.
 * @return NITRO_OK, also where some runs failed; NITRO_ERR_NOT_BUILT or NITRO_ERR_IO if nothing can
 * be profiled here (the error contains the remedy); NITRO_ERR_NOT_FOUND (the device, a profiler for
 * its kind); NITRO_ERR_INTERRUPTED; else as nitro_tune().
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
