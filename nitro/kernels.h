/*
 * kernels.h - kernels that are compiled at run time, declared as data: source, entry points,
 * tuning parameters, constraints, and the geometry of launches as expressions. In libnitro, not in
 * libnitro-runtime. The rules of runtime.h hold here too, with one exception: compiled kernels and
 * their configurations belong to the process, not to a context, behind a lock; the functions on
 * them are safe from any thread. docs/computations.md shows an example.
 *
 * A variant is a const nitro_kernel; its computation is a kit on a device without an argument of
 * its own (nitro_kit_device.argument_bytes is 0):
 *
 *     // the text of scale.cl, made by the CMake function nitro_embed
 *     extern const char scale_cl[];
 *     static const nitro_kernel scale = {
 *         .kit = &scale_opencl_kit,
 *         .backend = "opencl",
 *         .origin = "scale.cl",
 *         .source = scale_cl,
 *         .parameters = {{"BLOCK", "[32, 64, 128]", "64"}, {"EACH", "[1, 2, 4]", "1"}},
 *         .where = {"BLOCK * EACH <= 256", "BLOCK <= device.max_local"},
 *         .steps = {{.entry = "scale",
 *                    .arguments = {"count", "from", "to"},
 *                    .local = {"BLOCK"},
 *                    .global = {"ceil_div(count, BLOCK * EACH) * BLOCK"}}}};
 *     static const nitro_variant scale_variant = NITRO_KERNEL_VARIANT("scale", scale);
 *
 * The source is compiled below #define BLOCK 64 and #define EACH 1, once for each device: the
 * result stays in a cache on disk. `prepare` compiles, loads, and copies the input to the device;
 * measuring prepares several times and keeps the least, so that compiling does not count as
 * preparing.
 *
 * Expressions are those of tuning-parameter spaces (docs/search.md), over the parameters, the
 * scalars among the fields of the argument (and of its part), and of the device: device.units (how
 * many work-groups run at once), device.max_local (work-items of a group), device.local_bytes
 * (memory of a group).
 */
#ifndef NITRO_KERNELS_H
#define NITRO_KERNELS_H

#include "nitro/computation_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Declaring a kernel ---------------------------------------------------------------------- */

#define NITRO_KERNEL_MAX_PARAMETERS 24
#define NITRO_KERNEL_MAX_WHERE      16
#define NITRO_KERNEL_MAX_STEPS      8
#define NITRO_KERNEL_MAX_ARGUMENTS  24

typedef struct nitro_kernel_parameter {
    const char *name;   /* an identifier: a macro of the source */
    const char *values; /* "[1, 2, 4]", "[0] + list(range(8, 65, 8))": docs/search.md */
    const char *usual;  /* the value where nothing better is known; one of `values` */
} nitro_kernel_parameter;

/** One launch. Each array ends at its first NULL. */
typedef struct nitro_kernel_step {
    const char *entry; /* the function's name in the source */
    /** In the function's order: the name of an array among the fields; "local", memory of the
     *  work-group, of `local_bytes`; or an expression, passed as a 32-bit integer. */
    const char *arguments[NITRO_KERNEL_MAX_ARGUMENTS];
    const char *local[3];  /* work-items of a group, by dimension; NULL: 1 */
    const char *global[3]; /* work-items in all, multiples of `local`; 0: no launch */
    const char *local_bytes;
} nitro_kernel_step;

typedef struct nitro_kernel_call nitro_kernel_call;

typedef struct nitro_kernel {
    const nitro_kit *kit; /* of the device that the kernel runs on; its fields are the names */
    const nitro_kit_part *part; /* or NULL; a name is looked up among its fields first */
    const char *backend;        /* "opencl": a line of nitro/lists/kernel_backends.list */
    const char *origin;         /* names the source in errors */
    const char *source;         /* text; changes of files that it includes compile nothing anew */
    const char *options;        /* of the compiler, separated by spaces; or NULL */
    nitro_kernel_parameter parameters[NITRO_KERNEL_MAX_PARAMETERS];
    const char *where[NITRO_KERNEL_MAX_WHERE]; /* all must hold; over parameters and device.* */
    nitro_kernel_step steps[NITRO_KERNEL_MAX_STEPS];
    /** NULL: all steps in their order. Else what launches them, timed: nitro_kernel_launch_step and
     *  the functions below it. @return 0, or the failure. */
    int (*launcher)(nitro_kernel_call *call);
} nitro_kernel;

/** Functions of variants; `user` is the nitro_kernel. Asynchronous, on the argument's stream. A
 *  kernel that does not compile, or for which there is no compiler, fails to prepare with the same
 *  message from then on, without another try, until nitro_kernel_configure(). */
NITRO_API int nitro_kernel_prepare(void *argument, void *user);
NITRO_API int nitro_kernel_run(void *argument, void *user);
NITRO_API void nitro_kernel_release(void *argument, void *user);

/** A variant as an initialiser; more members may follow: `.allows = ...`. */
#define NITRO_KERNEL_VARIANT(its_name, kernel, ...)                                                \
    {                                                                                              \
        .name = its_name, .run = nitro_kernel_run, .prepare = nitro_kernel_prepare,                \
        .release = nitro_kernel_release, .user = (void *)&(kernel), __VA_ARGS__                    \
    }

/* For launchers. */

/** Launch a step. @return 0, or the failure, which the argument's `problem` describes. */
NITRO_API int nitro_kernel_launch_step(nitro_kernel_call *call, size_t step);
/** The value of a parameter or scalar; NaN: there is none of this name. */
NITRO_API double nitro_kernel_value(const nitro_kernel_call *call, const char *name);
/** Let a scalar have another value in the following steps of this call. @return 0, or 1: none has
 * this name. */
NITRO_API int nitro_kernel_set(nitro_kernel_call *call, const char *name, double value);
/** Exchange two arrays in the following steps of this call. @return as nitro_kernel_set. */
NITRO_API int nitro_kernel_swap(nitro_kernel_call *call, const char *first, const char *second);

/* ---- Configurations -------------------------------------------------------------------------- */

/**
 * The space of a kernel's parameters and constraints on a device.
 * @param[in] limits  shape [3]: device.units, device.max_local, device.local_bytes.
 * @param[out] space  a nitro_space (nitro_backend.h); free it with nitro_space_free.
 * @return as nitro_space_parse; NITRO_ERR_ARGUMENT: no configuration.
 */
struct nitro_space;
NITRO_API nitro_status nitro_kernel_space(nitro_context *context, const nitro_kernel *kernel,
                                          const double *limits, struct nitro_space **space);

/** The same space as nitro_tunable.space, for a tuner; free the text with free(). */
NITRO_API nitro_status nitro_kernel_space_text(nitro_context *context, const nitro_kernel *kernel,
                                               const double *limits, char **text);

/**
 * From now on, run the kernel with these values in this process. Arguments that were prepared
 * before must be prepared again, for what was compiled is unloaded: no other thread may prepare or
 * run the kernel meanwhile. Call this before a shared object that declares the kernel is unloaded,
 * since kernels are known by their address.
 * @param[in] values  shape [number of parameters], as text; NULL: the best that is known for the
 *                    device, else the usual ones.
 * @return NITRO_OK, NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_kernel_configure(nitro_context *context, const nitro_kernel *kernel,
                                              const char *const *values);

/** The same with a tuner's numbers; of a string, its position. @return also NITRO_ERR_ARGUMENT: a
 * parameter has no such value. */
NITRO_API nitro_status nitro_kernel_configure_numbers(nitro_context *context,
                                                      const nitro_kernel *kernel,
                                                      const double *numbers);

/** A digest of source, options, launches, parameters and `values` (NULL: of any configuration). */
NITRO_API uint64_t nitro_kernel_digest(const nitro_kernel *kernel, const char *const *values);

/**
 * For the time of measuring on a device: each variant that is a kernel runs in the configuration
 * that it has now, and gets a version with the digest of that, so that times of another one are
 * outdated.
 * @param[in]  device  its id.
 * @param[out] held    for nitro_kernels_let_go; 0 on failure.
 * @return NITRO_OK, also without kernels; as nitro_kernel_ask_target.
 */
NITRO_API nitro_status nitro_kernels_hold(nitro_computation *computation, const char *device,
                                          uint64_t *held);
NITRO_API void nitro_kernels_let_go(nitro_computation *computation, uint64_t held);

/** The kernel that is a computation's variant; NULL: the variant is none. */
NITRO_API const nitro_kernel *nitro_kernel_of(const nitro_computation *computation, size_t variant);

struct nitro_kernel_target;
/** Ask a child process for the compiler and limits of a device, by its id (NULL: the process's
 *  default). `target->state` stays NULL. @return as nitro_kernel_backend.open. */
NITRO_API nitro_status nitro_kernel_ask_target(nitro_context *context, const nitro_kernel *kernel,
                                               const char *device,
                                               struct nitro_kernel_target *target);
/** Keep the best configuration of a kernel on a device, in the cache's folder: later processes run
 *  it. @param[in] values  as of nitro_kernel_configure. @return NITRO_OK, NITRO_ERR_IO. */
NITRO_API nitro_status nitro_kernel_keep_best(nitro_context *context, const nitro_kernel *kernel,
                                              const struct nitro_kernel_target *target,
                                              const char *const *values);
/** The configuration that is kept for a device, or the usual one where `target` is NULL.
 *  @return "NAME=VALUE NAME=VALUE": free() it; NULL: none is kept, or there is no memory. */
NITRO_API char *nitro_kernel_known_text(nitro_context *context, const nitro_kernel *kernel,
                                        const struct nitro_kernel_target *target);

/* ---- Backends -------------------------------------------------------------------------------- */

#define NITRO_KERNEL_IDENTITY 320

/** Where kernels run: a device, a compiler for it, and the stream's context. */
typedef struct nitro_kernel_target {
    /** Compiler, device, and their versions: part of the cache's key. */
    char identity[NITRO_KERNEL_IDENTITY];
    double limits[3]; /* device.units, device.max_local, device.local_bytes; NaN: unknown */
    void *state;      /* of the backend */
} nitro_kernel_target;

/** One argument of a launch: `value` points to an integer or to a device array's handle; NULL:
 * `bytes` of local memory. */
typedef struct nitro_kernel_value_bytes {
    const void *value;
    size_t bytes;
} nitro_kernel_value_bytes;

typedef struct nitro_kernel_launch {
    void *stream;
    size_t local[3], global[3];
    nitro_kernel_value_bytes arguments[NITRO_KERNEL_MAX_ARGUMENTS];
    size_t num_arguments;
} nitro_kernel_launch;

/** A compiler with its way to run what it makes. Called by one thread at a time. */
typedef struct nitro_kernel_backend {
    const char *name; /* "opencl" */
    const char *description;
    const char *device_kind; /* that its kernels run on */

    /**
     * @param[in] device  an architecture to compile for ("sm_90"), NULL: the process's device.
     * @param[in] stream  as in arguments; NULL: the default one.
     * @return NITRO_OK; NITRO_ERR_NOT_FOUND, NITRO_ERR_NOT_BUILT: nothing here can compile.
     */
    nitro_status (*open)(nitro_context *context, const char *device, void *stream,
                         nitro_kernel_target *target);
    void (*close)(nitro_kernel_target *target);
    /** What a target and loaded functions belong to, such as the calling thread's context: they are
     *  made once for each. NULL: the stream. */
    const void *(*place)(void *stream);

    /** @param[out] image  shape [bytes], for the cache; free with free().
     *  @return NITRO_OK; NITRO_ERR_FORMAT: does not compile, or the device lacks what it needs; the
     *          error has the compiler's first messages. */
    nitro_status (*compile)(nitro_context *context, const nitro_kernel_target *target,
                            const char *origin, const char *source, const char *options,
                            void **image, size_t *bytes);

    /** NULL: this backend compiles only.
     *  @param[in] entries  shape [count]. @param[out] functions  shape [count].
     *  @return NITRO_OK; NITRO_ERR_FORMAT: another compiler's image, compile again;
     *          NITRO_ERR_NOT_FOUND: no such entry. */
    nitro_status (*load)(nitro_context *context, const nitro_kernel_target *target,
                         const void *image, size_t bytes, const char *const *entries, size_t count,
                         void **program, void **functions);
    /** @return 0, or nonzero with `problem` set, shape [size]. */
    int (*launch)(void *function, const nitro_kernel_launch *launch, char *problem, size_t size);
    void (*unload)(void *program, void **functions, size_t count);
} nitro_kernel_backend;

/** In the order of their list, ended by NULL. */
NITRO_API const nitro_kernel_backend *const *nitro_builtin_kernel_backends(void);
/** By name, or NULL. */
NITRO_API const nitro_kernel_backend *nitro_kernel_backend_find(const char *name);

/**
 * Compile, or take from the cache on disk: the folder that the setting kernel_cache names, else
 * "nitro/kernels" in the user's cache, which the setting kernel_cache_mb limits. An image that is
 * damaged is compiled again. Where images cannot be written, each process compiles again, and logs
 * one warning. (`prepare` has no context: it takes the settings of the environment and of the
 * user's file, and logs as its computation does.)
 * @param[in]  values      shape [number of parameters], as text.
 * @param[out] compile_ms  time that compiling took; 0: it was in the cache.
 */
NITRO_API nitro_status nitro_kernel_compile(nitro_context *context,
                                            const nitro_kernel_backend *backend,
                                            const nitro_kernel_target *target,
                                            const nitro_kernel *kernel, const char *const *values,
                                            void **image, size_t *bytes, double *compile_ms);

/** Memory of OpenCL devices, and of CUDA devices by the driver alone, for nitro_kit_device.memory.
 */
extern NITRO_API const nitro_device_memory nitro_opencl_memory, nitro_cuda_driver_memory;

/** For nitro_kernel.options on the backend "cuda": the source is OpenCL C. Vectors have 2 or 4
 * floats, and __local declares arrays in kernels only, not parameters. */
#define NITRO_KERNEL_OPENCL_C "--pre-include=nitro/opencl_c.h --device-as-default-execution-space"

#ifdef __cplusplus
}
#endif

#endif
