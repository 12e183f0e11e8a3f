/*
 * runtime.h - declaring a computation and dispatching its calls: the interface of libnitro-runtime,
 * which needs libc and libm only.
 *
 * Rules that hold for every function below:
 * - A function that can fail returns nitro_status; the context's last error of that thread has the
 *   details (what failed, which object, which value, what to do). Output parameters come last and
 *   are written on success only. No function exits the process, prints, or keeps global state.
 * - NULL for a pointer that is not documented as optional is NITRO_ERR_ARGUMENT; functions without
 *   a status then return NULL or 0, or do nothing. `argument` and `user` are the application's own.
 * - Strings are UTF-8. Names of computations, variants and features are 1 to 63 characters of
 *   [A-Za-z0-9_.+-]; device ids may also hold ':' and '@'; input names are 1 to 511 bytes without
 *   control characters. Arguments are copied unless documented as borrowed.
 * - Times are in milliseconds (_ms), sizes in bytes unless the name says otherwise.
 * - Threads: once its declaration is complete, any number of threads may select from and run one
 *   computation, also while another thread attaches a model or sets the minimum confidence. In all
 *   other functions, only one thread at a time may use an object.
 * - _free functions accept NULL.
 */
#ifndef NITRO_RUNTIME_H
#define NITRO_RUNTIME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NITRO_VERSION_MAJOR  0
#define NITRO_VERSION_MINOR  1
#define NITRO_VERSION_PATCH  0
#define NITRO_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define NITRO_API __attribute__((visibility("default")))
#define NITRO_PRINTF(format_index, first_index)                                                    \
    __attribute__((format(printf, format_index, first_index)))
#else
#define NITRO_API
#define NITRO_PRINTF(format_index, first_index)
#endif

/** Most variants, and most input features, that one computation may declare. */
#define NITRO_MAX_VARIANTS 64
#define NITRO_MAX_FEATURES 64

/* ---- Status -------------------------------------------------------------------------------- */

typedef enum nitro_status {
    NITRO_OK = 0,
    NITRO_ERR_ARGUMENT,       /* an argument is NULL, out of range, or an invalid name */
    NITRO_ERR_NO_MEMORY,      /* an allocation failed, or too many files are open */
    NITRO_ERR_BAD_FEATURE,    /* a feature's value is NaN or infinite, or its function failed */
    NITRO_ERR_NO_VARIANT,     /* no variant accepts this input here */
    NITRO_ERR_VARIANT_FAILED, /* the chosen variant reported a failure */
    NITRO_ERR_MISMATCH,       /* made for another set of features or variants */
    NITRO_ERR_FORMAT,         /* a file or record is malformed; file, line and field are named */
    NITRO_ERR_IO,             /* the operating system or the store refused to read or write */
    NITRO_ERR_NOT_FOUND,      /* no such object */
    NITRO_ERR_EXISTS,         /* the object exists already */
    NITRO_ERR_NEWER,          /* written by a newer version of Nitro */
    NITRO_ERR_NOT_BUILT,      /* not in this build; the error names the option that enables it */
    NITRO_ERR_NO_DATA,        /* too few samples to learn from */
    NITRO_ERR_INTERRUPTED,    /* a progress callback asked to stop */
    NITRO_ERR_DENIED, /* the store's server refuses this user or cannot be trusted; do not retry */
    NITRO_ERR_UNSUPPORTED /* in this build, but impossible for this object or on this system */
} nitro_status;

/** A status as a word, e.g. "not found". Static storage. */
NITRO_API const char *nitro_status_name(nitro_status status);

/** Version of the library in use, as "MAJOR.MINOR.PATCH". Static storage. */
NITRO_API const char *nitro_version(void);

/* ---- Context ------------------------------------------------------------------------------- */

/** Carries the last error, the log and the clock. Every other object belongs to one context. */
typedef struct nitro_context nitro_context;

typedef enum nitro_log_level {
    NITRO_LOG_WARNING, /* something the user should know, such as skipped data */
    NITRO_LOG_INFO,    /* what was decided and why */
    NITRO_LOG_DEBUG
} nitro_log_level;

/**
 * Called by the thread that logs, possibly by several threads at once.
 * @param[in] message  without a newline at its end, cut to 4095 bytes; borrowed until return. It
 *                     has several lines where it quotes, for example, a compiler's output.
 */
typedef void (*nitro_log_function)(void *user, nitro_log_level level, const char *message);

/** A source of time. Tests replace it so that they need not wait. */
typedef struct nitro_clock {
    double (*wall_ms)(void *state);       /* monotonic time */
    double (*thread_cpu_ms)(void *state); /* processor time of the calling thread */
    void *state;
} nitro_clock;

/** Create a context. It must outlive all objects created in it.
 *  @return NITRO_OK or NITRO_ERR_NO_MEMORY. */
NITRO_API nitro_status nitro_context_create(nitro_context **context);
NITRO_API void nitro_context_free(nitro_context *context);

/**
 * Copy the message of the last function that failed in this context on the calling thread: one or
 * more sentences, always terminated, cut to `size`; "" when nothing failed yet. Ask after a failure
 * only: a function that succeeds may leave the message of a failure that it dealt with. Kept are
 * the errors of the 64 threads that failed most recently. Safe from any thread.
 */
NITRO_API void nitro_context_last_error(nitro_context *context, char *buffer, size_t size);

/** Make the calling thread's last error "". Safe from any thread. */
NITRO_API void nitro_context_clear_error(nitro_context *context);

/**
 * For what loads, generates, creates or measures (nitro_input.load, nitro_module): record a message
 * and return `status`, as in `return nitro_fail(context, NITRO_ERR_FORMAT, "%s:%zu: ...", path,
 * line);`. Errors of features, variants and hooks have their own message, with the number that they
 * returned; their reason is nitro_declaration.problem's. Safe from any thread.
 */
NITRO_API nitro_status nitro_fail(nitro_context *context, nitro_status status, const char *format,
                                  ...) NITRO_PRINTF(3, 4);

/** Send messages up to `level` to `log`; NULL (the default): no log. `user` is borrowed. */
NITRO_API void nitro_context_set_log(nitro_context *context, nitro_log_level level,
                                     nitro_log_function log, void *user);

/** Replace the clock (copied; its state is borrowed). NULL: the system's clock. */
NITRO_API void nitro_context_set_clock(nitro_context *context, const nitro_clock *clock);

/* ---- Computation: variants, input features, constraints -------------------------------------- */

/** Variants, input features and constraints of one operation (the paper's code variant object). */
typedef struct nitro_computation nitro_computation;

typedef enum nitro_time_source {
    NITRO_TIME_OF_KIND,    /* the computation's device kind decides: "host" means NITRO_TIME_WALL,
                              any other NITRO_TIME_DEVICE */
    NITRO_TIME_THREAD_CPU, /* processor time of the calling thread; robust on busy machines */
    NITRO_TIME_DEVICE, /* the device's clock (CUDA events) around the work that `run` enqueues on
                          the stream of nitro_hooks.stream; `run` need not wait for it */
    NITRO_TIME_WALL    /* wall time; for variants that use several threads */
} nitro_time_source;

/** Failures of `run` by which measurements tell why there is no result, and after which they keep
 *  the time that it took. Any other number is a failure too. */
typedef enum nitro_run_failure {
    NITRO_RUN_NOT_CONVERGED = 1001, /* an iteration ended at its limit */
    NITRO_RUN_BREAKDOWN,            /* the method cannot go on: a division by zero, a zero pivot */
    NITRO_RUN_NOT_FINITE            /* an infinite number or NaN came up */
} nitro_run_failure;

/**
 * One variant. `argument` is the application's own struct: inputs, outputs, and any format that
 * `prepare` made. Functions return 0 on success.
 */
typedef struct nitro_variant {
    const char *name;
    /** Times of other versions are outdated. On x86-64 and AArch64, so are times of other machine
     *  code of `run` and of the functions that it calls in the same object: change the version with
     *  what that does not show, such as device code, tables, or another library. NULL: "1". */
    const char *version;

    /** Do the whole computation: read the inputs, write the result, both in `argument`. Returns 0,
     *  or any other number (nitro_run_failure). */
    int (*run)(void *argument, void *user);

    /**
     * Optional: make what `run` needs (a converted format) and keep it in `argument`; returns 0 at
     * once if it is there already. Not part of the variant's time, but its cost is recorded. If
     * memory does not suffice, leave nothing behind and return NITRO_ERR_NO_MEMORY: measuring
     * retries once with nothing else prepared.
     */
    int (*prepare)(void *argument, void *user);

    /** Optional: free what `prepare` made. Without it, that lives as long as the argument, and of
     * variants that share it only the first one that is measured is charged with its cost. If they
     * do have it, their `run` must make it again, since measuring releases one variant's while
     * others are still to run. */
    void (*release)(void *argument, void *user);

    /**
     * Optional constraint: can this variant run this input on this device? `features` are in
     * declared order; `argument` is NULL when only features are known. If all variants have
     * constraints and features fail, these are NaN.
     */
    bool (*allows)(const double *features, const void *argument, void *user);
    /** The features that `allows` reads, "rows,nnz", declared before this variant; others may be 0.
     *  "": none, only the argument. NULL: all of them. */
    const char *allows_reads;

    nitro_time_source time_source;
    bool fails_cleanly; /* a `run` that fails leaves the outputs as they were: nitro_run then runs
                           the next best variant */
    void *user;         /* passed to the functions above; borrowed */
} nitro_variant;

/** The transformation of a feature before it is scaled to [-1, 1]. */
typedef enum nitro_scale {
    NITRO_SCALE_AUTO,   /* chosen from the training values; see nitro_scale_choose */
    NITRO_SCALE_LINEAR, /* x */
    NITRO_SCALE_LOG, /* ln x, for positive values; samples with others are not used for training */
    NITRO_SCALE_SIGNED_LOG /* sign(x) ln(1 + |x|), for any value */
} nitro_scale;

typedef struct nitro_feature {
    const char *name;
    const char *unit; /* "1", "rows", "bytes"...; NULL: "1" */
    nitro_scale scale;
    double cost_ns; /* approximate cost of one evaluation; 0: negligible */
} nitro_feature;

/**
 * Evaluate one group of input features of `argument` into `values`, shape [count of the group].
 * These are not set before: a function that succeeds has written all of them.
 * @return 0 on success.
 */
typedef int (*nitro_features_function)(const void *argument, double *values, void *user);

/**
 * A feature that relates input and device by a formula: 10^6 rows are many for one device and few
 * for another, but rows per device thread are comparable. Identifiers in the formula are input
 * features, or device features as device.NAME:
 *
 *     {.name = "rows_per_thread", .scale = NITRO_SCALE_LOG,
 *      .formula = "rows / (2048 * device.sm_count)", .replaces = "rows"}
 *
 * Formulas have + - * / ( ), numbers, ln (or log), log2, sqrt, signed_log, min(x, y, ...) and
 * max(x, y, ...); names that contain + or - are quoted in backquotes. A formula is undefined where
 * part of it is (a division by zero, a logarithm of zero): such samples are not used for training,
 * and such inputs get the default variant.
 */
typedef struct nitro_relative_feature {
    const char *name; /* none of the input features' */
    const char *unit; /* NULL: "1" */
    nitro_scale scale;
    const char *formula;  /* at most 4096 bytes; nitro_formula_... make common ones */
    const char *replaces; /* input features, "a,b", that models ignore if they use this one; NULL:
                             none */
} nitro_relative_feature;

/** nitro_stream_clock.elapsed: the work is not done yet. */
#define NITRO_STREAM_BUSY 1

/**
 * Times work on streams without ever waiting for it, by events: what monitoring of asynchronous
 * variants needs. nitro_cuda_clock (nitro/cuda.hpp) is CUDA's; kits have the one of their memory.
 * Called from every thread that runs the computation.
 */
typedef struct nitro_stream_clock {
    /** False while the stream's work cannot be timed: it captures a graph. */
    bool (*may_mark)(void *stream);
    /** Let the stream note the time when its work so far is done. @param[in,out] event  NULL, or
     *  one to use again. @return 0 on success. */
    int (*mark)(void *stream, void **event);
    /** The time between two marks. @param[out] elapsed_ms  written on success only. @return 0,
     *  NITRO_STREAM_BUSY, or another number: the device failed. */
    int (*elapsed)(void *begin, void *end, double *elapsed_ms);
    /** NULL: nothing. */
    void (*free)(void *event);
} nitro_stream_clock;

/** What the hooks check_result and keep_reference return where a variant changed its input. */
#define NITRO_INPUT_CHANGED 1101

/** Functions for measuring: a program that only dispatches needs none, and one that monitors
 * variants on a device needs `stream` and `clock`. They return 0 on success; each may be NULL. */
typedef struct nitro_hooks {
    /** Called once per input, before any variant: save what in-place variants overwrite. Returns
     *  NITRO_ERR_NO_MEMORY if memory does not suffice. */
    int (*prepare_input)(void *argument, void *user);
    /** Called before every run, not timed: restore the input. */
    int (*restore_input)(void *argument, void *user);
    /** Called after the reference variant ran: keep its result for comparison. */
    int (*keep_reference)(void *argument, void *user);
    /**
     * Called after the first and the last run of another variant: compare its result with the
     * reference. Nonzero: the result is wrong, the variant's time is dropped, and `why` (shape
     * [size]) says where it differs and by how much. NITRO_INPUT_CHANGED: its input is not what it
     * was, so that the other variants get a newly loaded one. keep_reference may return it, too.
     */
    int (*check_result)(void *argument, char *why, size_t size, void *user);
    /**
     * The stream (a cudaStream_t) that variants use for this argument; NULL is the default stream.
     * Called before every timing by NITRO_TIME_DEVICE.
     */
    void *(*stream)(const void *argument, void *user);
    const nitro_stream_clock *clock; /* of such streams, for monitoring; borrowed */
    void *user;                      /* borrowed */
} nitro_hooks;

/**
 * Called after a function of a variant or of features failed: the reason in words, for the error or
 * the sample's entry; NULL or "": unknown. Owned by the argument; copied at once.
 */
typedef const char *(*nitro_problem_text_function)(const void *argument, void *user);

/** Where an argument has a number; see NITRO_MEMBER. */
typedef struct nitro_member {
    size_t offset;
    int type; /* 0: nowhere */
} nitro_member;

enum { NITRO_MEMBER_SIGNED = 0x10, NITRO_MEMBER_UNSIGNED = 0x20, NITRO_MEMBER_REAL = 0x30 };

#ifndef __cplusplus
/* clang-format off */
/** The initialiser of a nitro_member: a member of the argument's struct that is a bool, an integer,
 *  a float or a double. */
#define NITRO_MEMBER(struct_type, member)                                                          \
    {offsetof(struct_type, member), (int)sizeof(((struct_type *)0)->member) +                      \
     _Generic(((struct_type *)0)->member,                                                          \
              char: CHAR_MIN < 0 ? NITRO_MEMBER_SIGNED : NITRO_MEMBER_UNSIGNED,                    \
              signed char: NITRO_MEMBER_SIGNED, short: NITRO_MEMBER_SIGNED,                        \
              int: NITRO_MEMBER_SIGNED, long: NITRO_MEMBER_SIGNED, long long: NITRO_MEMBER_SIGNED, \
              bool: NITRO_MEMBER_UNSIGNED, unsigned char: NITRO_MEMBER_UNSIGNED,                   \
              unsigned short: NITRO_MEMBER_UNSIGNED, unsigned: NITRO_MEMBER_UNSIGNED,              \
              unsigned long: NITRO_MEMBER_UNSIGNED, unsigned long long: NITRO_MEMBER_UNSIGNED,     \
              float: NITRO_MEMBER_REAL, double: NITRO_MEMBER_REAL)}
/* clang-format on */
#endif

/** A feature of a declaration: a member of the argument, or computed by `evaluate`. */
typedef struct nitro_declared_feature {
    const char *name, *unit; /* these as in nitro_feature */
    nitro_scale scale;
    double cost_ns;
    nitro_member member; /* NITRO_MEMBER(struct, member); without it, `evaluate` computes it */
} nitro_declared_feature;

/**
 * A whole computation in one struct, static and const as a rule. Each array ends at its first entry
 * without a name; the first variant is the default.
 */
typedef struct nitro_declaration {
    const char *name;
    const char *device_kind; /* NULL: "host"; see nitro_computation_set_device_kind */
    nitro_variant variants[NITRO_MAX_VARIANTS];
    nitro_declared_feature features[NITRO_MAX_FEATURES];
    nitro_features_function evaluate; /* computes the features without a member, which stand next to
                                         each other; NULL: all have one */
    nitro_relative_feature relative_features[NITRO_MAX_FEATURES];
    double uses; /* of an input; 0: unlimited; see nitro_computation_set_uses */
    nitro_problem_text_function problem; /* NULL: unknown */
    const nitro_hooks *hooks;            /* for measuring; NULL: none, results are not checked */
    void *user;                          /* of `evaluate` and `problem`; borrowed */
} nitro_declaration;

/**
 * Create a computation with all that its declaration (copied) holds. More can be added until a
 * model is attached: other groups of features, a default variant that is not the first. Free it
 * before its context.
 * @return NITRO_OK, or the error of the function below that adds the part in question.
 */
NITRO_API nitro_status nitro_computation_declare(nitro_context *context,
                                                 const nitro_declaration *declaration,
                                                 nitro_computation **computation);

/**
 * Create a computation without variants and features, to add them one by one. Free it before its
 * context.
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (invalid name), NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_computation_create(nitro_context *context, const char *name,
                                                nitro_computation **computation);
NITRO_API void nitro_computation_free(nitro_computation *computation);

/**
 * Declare a variant (copied). Order matters: ties go to the variant declared first.
 * @return NITRO_OK; NITRO_ERR_EXISTS (name taken); NITRO_ERR_ARGUMENT (no run function, invalid
 *         name, too many variants, or a model is attached already); NITRO_ERR_NOT_FOUND
 *         (`allows_reads` names no declared feature); NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_computation_add_variant(nitro_computation *computation,
                                                     const nitro_variant *variant);

/**
 * Declare `count` input features (copied) that one call of `evaluate` computes together.
 * `user` is borrowed. Errors as for variants.
 */
NITRO_API nitro_status nitro_computation_add_features(nitro_computation *computation,
                                                      const nitro_feature *features, size_t count,
                                                      nitro_features_function evaluate, void *user);

/**
 * Declare a relative feature (copied), after the input features in its formula. It is stored with
 * the schema and in models; samples do not depend on it, and a newer declaration of relative
 * features replaces the stored ones. A model omits it, with a message in the log, if a source or
 * the target lacks one of its device features, and clips it to the training range, since it may lie
 * outside on a new device. A formula without input features only distinguishes devices: a model
 * omits it if sources have fewer than three values of it, or if leave-one-device-out validation
 * over at least four sources is clearly better without.
 * @return as for variants, or NITRO_ERR_FORMAT: the formula is wrong; line and column are named.
 */
NITRO_API nitro_status nitro_computation_add_relative_feature(
    nitro_computation *computation, const nitro_relative_feature *feature);

/*
 * Formulas of common relative features, from formulas of input features ("12 * nnz + 8 * rows").
 * Each is written to `text`, shape [size], and its length returned, as by snprintf; 512 bytes
 * suffice for short arguments. Declaring a truncated formula fails. Use a log scale.
 */

/** Work items per resident thread of a GPU (2048 per multiprocessor; sm_count). */
NITRO_API size_t nitro_formula_per_thread(char *text, size_t size, const char *work);
/** Work items per core (cuda_cores, which hosts have too). */
NITRO_API size_t nitro_formula_per_core(char *text, size_t size, const char *work);
/** Bytes relative to the size of the L2 cache (l2_cache_size). */
NITRO_API size_t nitro_formula_per_l2(char *text, size_t size, const char *bytes);
/** 1 + (time to stream the bytes at peak bandwidth, peak_gbps) / `floor_us`, the launch overhead:
 *  near 1, launches dominate; far above, bandwidth. */
NITRO_API size_t nitro_formula_streaming_time(char *text, size_t size, const char *bytes,
                                              double floor_us);
/** The largest piece of work relative to the mean work per core (cuda_cores): above 1, all cores
 *  wait for the one that gets it. */
NITRO_API size_t nitro_formula_imbalance(char *text, size_t size, const char *longest,
                                         const char *work);
/** Arithmetic intensity relative to the device's balance (peak_gflops_dp / peak_gbps): above 1,
 *  compute-bound; below, memory-bound. */
NITRO_API size_t nitro_formula_machine_balance(char *text, size_t size, const char *flops,
                                               const char *bytes);

/**
 * Set the default variant: the one to run without a model; the first declared one unless set here.
 * A model has the default variant that was declared when its samples were stored; for recorded
 * computations, which have none, the single best variant of its samples.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such variant); NITRO_ERR_ARGUMENT (a model is attached
 *         already).
 */
NITRO_API nitro_status nitro_computation_set_default(nitro_computation *computation,
                                                     const char *variant);

/** Set the variant that results are checked against; the default variant unless set here.
 *  @return NITRO_OK or NITRO_ERR_NOT_FOUND (no such variant). */
NITRO_API nitro_status nitro_computation_set_reference(nitro_computation *computation,
                                                       const char *variant);

/** Replace all hooks (copied). @return NITRO_OK. */
NITRO_API nitro_status nitro_computation_set_hooks(nitro_computation *computation,
                                                   const nitro_hooks *hooks);

/** Set what says why a variant failed; NULL: nothing does. `user` is borrowed. @return NITRO_OK. */
NITRO_API nitro_status nitro_computation_set_problem(nitro_computation *computation,
                                                     nitro_problem_text_function problem,
                                                     void *user);

/**
 * Set the kind of device that the variants run on, e.g. "cuda"; "host" unless set here. A
 * computation may be declared for several kinds, with the same variants and features; one model is
 * then learnt from all samples. Measuring opens the device in its worker processes and refuses
 * devices of another kind.
 * @return NITRO_OK or NITRO_ERR_ARGUMENT (invalid name).
 */
NITRO_API nitro_status nitro_computation_set_device_kind(nitro_computation *computation,
                                                         const char *kind);
/** Owned by the computation. */
NITRO_API const char *nitro_computation_device_kind(const nitro_computation *computation);

NITRO_API const char *nitro_computation_name(const nitro_computation *computation);
NITRO_API size_t nitro_computation_num_variants(const nitro_computation *computation);
NITRO_API size_t nitro_computation_num_features(const nitro_computation *computation);
/** Name of variant or feature `index`; NULL when out of range. Owned by the computation. */
NITRO_API const char *nitro_computation_variant_name(const nitro_computation *computation,
                                                     size_t index);
NITRO_API const char *nitro_computation_feature_name(const nitro_computation *computation,
                                                     size_t index);

/* ---- Dispatch -------------------------------------------------------------------------------- */

typedef struct nitro_model nitro_model;

typedef enum nitro_reason {
    NITRO_REASON_MODEL,          /* the model's choice */
    NITRO_REASON_NO_MODEL,       /* the default variant: no model is attached */
    NITRO_REASON_ONLY_ALLOWED,   /* constraints left one variant */
    NITRO_REASON_OUTSIDE,        /* the default variant: outside the training range, and the model
                                    has no better one for inputs there */
    NITRO_REASON_LOW_CONFIDENCE, /* the default variant: below the minimum confidence */
    NITRO_REASON_FORCED,         /* forced by a setting */
    NITRO_REASON_BUDGET,         /* the default variant: features exceed their budget */
    NITRO_REASON_EXPLORATION,    /* adaptation: may be faster than the known variants; timed */
    NITRO_REASON_LEARNT,         /* adaptation: fastest so far in this feature-space bucket */
    NITRO_REASON_FEW_USES,       /* the model's choice for so few uses that features do not pay */
    NITRO_REASON_EXTRAPOLATED,   /* the model's choice, outside the training range */
    NITRO_REASON_NEAREST,        /* outside the training range, where validation refused the model's
                                    choice or its confidence is below the minimum: the variant with
                                    the least mean slowdown on the nearest training inputs */
    NITRO_REASON_BAD_FEATURE,    /* the default variant: a feature failed, or is not finite */
    NITRO_REASON_UNPREPARED,     /* the default variant: the choice's `prepare` failed */
    NITRO_REASON_RUN_FAILED      /* the next best variant: the choice's `run` failed cleanly */
} nitro_reason;

/** A reason as a sentence, e.g. "the model's choice". Static storage. */
NITRO_API const char *nitro_reason_text(nitro_reason reason);

typedef struct nitro_decision {
    size_t variant;           /* index in declared order */
    const char *variant_name; /* owned by the computation, or by the queried model */
    double confidence;        /* in [0, 1]: estimated probability that none is over 5 % faster */
    nitro_reason reason;
} nitro_decision;

/**
 * Options of one call; a zero leaves the computation's default. `prepare` of a variant is paid once
 * and shared by all runs of an input: with few of them, a variant that needs no preparing, or less,
 * is better than the one that runs fastest.
 */
typedef struct nitro_call_options {
    double uses; /* expected runs of this input, this one included, at least 1; INFINITY: no limit;
                    0: as declared by nitro_computation_set_uses */
} nitro_call_options;

/**
 * Set how often the caller of this computation uses an input: 1 if every input is run once. The
 * choice then minimises the expected time of preparing and of so many runs. INFINITY, the default:
 * preparing does not count. Models know the costs of preparing if their samples have them
 * (nitro_tune() measures them; imported samples may have them) and their strategy's scores predict
 * times: all but svm and svm-cost.
 * @return NITRO_OK or NITRO_ERR_ARGUMENT (below 1). Safe while others select.
 */
NITRO_API nitro_status nitro_computation_set_uses(nitro_computation *computation, double uses);

/** Attach a model, which the computation then owns, and close the declaration. Threads that select
 * meanwhile use the old or the new one; the old one is freed once no thread uses it. Variants match
 * by name: one new to the model is not chosen by it (logged as a warning), one that is not declared
 * here is left out. The default is the model's (nitro_computation_set_default) if it has the same
 * variants in the same order, else the one declared here. @return NITRO_OK;
 * NITRO_ERR_ARGUMENT: the model is attached already, here or elsewhere; NITRO_ERR_MISMATCH: it is
 * for another computation or other features, or fewer than two of its variants are declared here.
 * After an error the model's owner is who it was.
 */
NITRO_API nitro_status nitro_computation_attach_model(nitro_computation *computation,
                                                      nitro_model *model);

/** nitro_model_load and nitro_computation_attach_model in one; errors of both, with the path. */
NITRO_API nitro_status nitro_computation_load_model(nitro_computation *computation,
                                                    const char *path);

/** nitro_model_load_memory and nitro_computation_attach_model in one; errors of both. */
NITRO_API nitro_status nitro_computation_load_model_memory(nitro_computation *computation,
                                                           const void *data, size_t size);

/** Set the confidence below which the default variant is chosen; 0, the default: never.
 *  @return NITRO_OK or NITRO_ERR_ARGUMENT (not in [0, 1]). Safe while others select. */
NITRO_API nitro_status nitro_computation_set_min_confidence(nitro_computation *computation,
                                                            double min_confidence);

/** Choose this variant for every input that it accepts, without a model; NULL: end that.
 *  @return NITRO_OK or NITRO_ERR_NOT_FOUND (no such variant). Safe while others select. */
NITRO_API nitro_status nitro_computation_force(nitro_computation *computation, const char *variant);

/**
 * Decisions of the attached model are cached by the bits of their features and by the variants that
 * the input allows, so that a repeated input costs a look-up. This memo is bounded, takes no lock,
 * and is emptied when a model is attached or the minimum confidence changes.
 */
typedef struct nitro_memo_statistics {
    size_t num_entries; /* capacity; 0: off */
    uint64_t hits, misses, evictions;
} nitro_memo_statistics;

/** Default capacity: about 100 KB for a dozen features. */
#define NITRO_MEMO_DEFAULT_ENTRIES 512

/**
 * Set the capacity of the memo, rounded up to a power of two; 0 turns it off. Its entries and
 * counts are dropped. No other thread may be selecting meanwhile.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (more than 2^24); NITRO_ERR_NO_MEMORY (nothing changed).
 */
NITRO_API nitro_status nitro_computation_set_memo_size(nitro_computation *computation,
                                                       size_t num_entries);

/** Counts of all threads since the memo was created. Safe from any thread. */
NITRO_API void nitro_computation_memo_statistics(const nitro_computation *computation,
                                                 nitro_memo_statistics *statistics);

/**
 * Evaluate all input features of one input.
 * @param[out] values shape [nitro_computation_num_features], in declared order.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE (a function failed, or returned NaN or infinity).
 */
NITRO_API nitro_status nitro_computation_evaluate(const nitro_computation *computation,
                                                  const void *argument, double *values);

/**
 * Choose the variant expected to run fastest for one input. Nothing is run or timed.
 *
 * @param[in]  argument  the input; borrowed until return.
 * @param[out] decision  written on success only.
 * @return NITRO_OK or NITRO_ERR_NO_VARIANT (no variant allows this input). Without a model, outside
 *         its training range, or if a feature fails or is not finite, the default variant is chosen
 *         (the first allowed one if that is not allowed), and `decision->reason` says so. The first
 *         failure of a feature is a warning in the log. Without features, only variants without a
 *         constraint are allowed, unless all have one.
 *
 * Allocates nothing and calls no device API; takes a lock on error only, to record the message.
 * Safe from any number of threads.
 */
NITRO_API nitro_status nitro_select(const nitro_computation *computation, const void *argument,
                                    nitro_decision *decision);

/** Choose from known features, shape [num_features], in declared order; borrowed.
 *  @return as nitro_select, and NITRO_ERR_ARGUMENT (another number than declared). */
NITRO_API nitro_status nitro_select_features(const nitro_computation *computation,
                                             const double *features, size_t num_features,
                                             nitro_decision *decision);

/** The same with options; NULL: none. @return also NITRO_ERR_ARGUMENT (an option out of range). */
NITRO_API nitro_status nitro_select_with(const nitro_computation *computation, const void *argument,
                                         const nitro_call_options *options,
                                         nitro_decision *decision);
NITRO_API nitro_status nitro_select_features_with(const nitro_computation *computation,
                                                  const double *features, size_t num_features,
                                                  const nitro_call_options *options,
                                                  nitro_decision *decision);

/**
 * Choose a variant, prepare it if necessary, and run it. If its `prepare` fails, the default
 * variant is prepared instead (of those not yet tried, the first allowed one if that is not
 * allowed); if its `run` fails and `fails_cleanly` is declared, the next best variant is run. The
 * decision's reason says so, and the log (NITRO_LOG_INFO) which variant failed.
 * @param[out] decision  what runs; may be NULL. Written before the variant runs.
 * @return as nitro_select, or NITRO_ERR_VARIANT_FAILED (a `run` failed that may have written
 *         outputs, or all allowed variants failed). Safe from any number of threads, each
 *         with an argument of its own.
 */
NITRO_API nitro_status nitro_run(const nitro_computation *computation, void *argument,
                                 nitro_decision *decision);

/** nitro_run with options; NULL: none. For `uses` runs of one input, give the same number each
 *  time: another one may choose, and prepare, another variant.
 *  @return as nitro_run, and NITRO_ERR_ARGUMENT (an option out of range). */
NITRO_API nitro_status nitro_run_with(const nitro_computation *computation, void *argument,
                                      const nitro_call_options *options, nitro_decision *decision);

/*
 * Streams. Nitro neither creates streams nor waits for them: the caller sets a stream in the
 * argument, and variants enqueue their work there and return. One computation thus supports any
 * number of streams at once, each with its own argument. Synchronization is the caller's task.
 * For measuring, nitro_hooks.stream returns the argument's stream.
 *
 * Graphs. Stream capture forbids allocation and synchronization, so decide and prepare before it
 * and capture the variant's work only:
 *
 *     nitro_prepare(computation, &call, &decision);
 *     cudaStreamBeginCapture(call.stream, mode);
 *     nitro_run_decided(computation, &call, &decision);
 *     cudaStreamEndCapture(call.stream, &graph);
 *
 * nitro_run_decided is safe during capture; so are nitro_select and nitro_select_features if the
 * computation's features and constraints are. nitro_prepare, nitro_run and nitro_run_ticket are
 * not, for they may call `prepare`. The graph contains the chosen variant and the memory of the
 * argument at that time: capture again after a change of model or input.
 */

/**
 * The first half of nitro_run: choose a variant, and prepare it if necessary, or the default one if
 * that fails.
 * @param[out] decision  written on success only.
 * @return as nitro_run. Safe from any number of threads, each with an
 *         argument of its own. Never explores (nitro_monitor_options).
 */
NITRO_API nitro_status nitro_prepare(const nitro_computation *computation, void *argument,
                                     nitro_decision *decision);

/** nitro_prepare with options; NULL: none.
 *  @return as nitro_prepare, and NITRO_ERR_ARGUMENT (an option out of range). */
NITRO_API nitro_status nitro_prepare_with(const nitro_computation *computation, void *argument,
                                          const nitro_call_options *options,
                                          nitro_decision *decision);

/**
 * The second half: run what nitro_prepare chose for this argument, any number of times. Calls the
 * variant's `run` and nothing else; these calls are not monitored.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (a decision of another computation, or none: zeroed);
 *         NITRO_ERR_VARIANT_FAILED.
 */
NITRO_API nitro_status nitro_run_decided(const nitro_computation *computation, void *argument,
                                         const nitro_decision *decision);

/* ---- Feature evaluation ---------------------------------------------------------------------- */

/*
 * Features are evaluated only for a decision that depends on them: not without a model, nor for a
 * forced variant, a model that always makes the same choice, or where constraints on the argument
 * leave one variant. Otherwise the groups of features are evaluated that the model's scores depend
 * on, directly or in formulas, and those declared free (cost_ns 0). The training range of the
 * others is not checked.
 *
 * A variant's constraint is asked only where the variant would be chosen, and the features that it
 * reads (allows_reads) are evaluated then; confidences assume that the others would accept. All are
 * asked beforehand if calls are monitored, or with the options below. All features are evaluated if
 * decisions are logged or runs are recorded.
 */
typedef struct nitro_feature_options {
    unsigned num_threads; /* of the pool that evaluates groups beside the calling thread, if the
                             declared costs of all but the costliest group exceed 20 us; 0: none,
                             at most NITRO_MAX_FEATURES */
    double budget_us;     /* a group whose declared cost exceeds the rest of this budget is not
                             begun: the fallback variant (forced or default) is then chosen, with
                             NITRO_REASON_BUDGET. Applies only if that variant has no constraint.
                             0: no limit */
} nitro_feature_options;

/**
 * Set how features are evaluated. The threads are created here, sleep between calls and end with
 * the computation; using them takes a lock briefly. No other thread may be deciding meanwhile.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (out of range); NITRO_ERR_NO_MEMORY (no threads): nothing
 *         changed.
 */
NITRO_API nitro_status nitro_computation_set_feature_options(nitro_computation *computation,
                                                             const nitro_feature_options *options);

/** A decision in progress (the paper's fix_inputs). Owned by the caller; do not copy or move it. */
typedef struct nitro_ticket {
    uint64_t opaque[160];
} nitro_ticket;

/**
 * Begin to evaluate the features of a final input on the computation's threads, and return. Creates
 * one thread if there are none; that first call must not be concurrent with another.
 * @param[in]  argument  borrowed, with its input unchanged, until the ticket is run or cancelled.
 * @param[out] ticket    to be run or cancelled, once, by any one thread.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY (no thread).
 * Takes a lock briefly; allocates nothing but that thread. In a forked child, nitro_run_ticket
 * evaluates the features itself; a ticket from before the fork belongs to the parent.
 */
NITRO_API nitro_status nitro_features_begin(nitro_computation *computation, void *argument,
                                            nitro_ticket *ticket);

/**
 * nitro_run with the ticket's features: evaluates groups that no thread has begun, and waits for
 * the others. The budget counts from here. Otherwise as nitro_run. NITRO_ERR_ARGUMENT: the ticket
 * has ended.
 */
NITRO_API nitro_status nitro_run_ticket(nitro_ticket *ticket, nitro_decision *decision);

/** Cancel a ticket: waits for groups that are being evaluated. No effect on one that has ended. */
NITRO_API void nitro_ticket_cancel(nitro_ticket *ticket);

/* ---- Online monitoring and adaptation -------------------------------------------------------- */

/**
 * Off by default, when it costs nitro_run a branch; enabled by this or by the settings monitor,
 * adapt and record. Calls of nitro_run are timed by the context's clock, prepare and run: by
 * processor time if all variants are (NITRO_TIME_THREAD_CPU), else by wall time. `run` of a variant
 * with NITRO_TIME_DEVICE is timed by nitro_hooks.clock: later timed calls, statistics and flushing
 * ask whether it is done, and nothing waits for it. Up to 64 such calls are pending at a time;
 * further ones, and those of a stream that captures a graph, are not timed and run the model's
 * choice. Times are kept per feature-space bucket: inputs whose features agree to within about a
 * tenth each.
 */
typedef struct nitro_monitor_options {
    unsigned every;        /* time one call in so many of each thread; 0: only for adaptation */
    double drift_bound;    /* report drift if the median of a variant's 8 newest times in a bucket
                              deviates from the expectation by more than this fraction */
    double adapt_percent;  /* overhead budget of adaptation, in percent of the time that calls take
                              without it; 0: no adaptation. Otherwise all calls are timed */
    double confident_from; /* adaptation keeps decisions of at least this confidence, unless times
                              in their bucket have drifted; above 1: keeps none */
    size_t num_buckets;    /* capacity; the least used are evicted (about 100 bytes per variant) */
    size_t num_recorded;   /* timed calls kept for nitro_computation_flush_observations; 0: none */
} nitro_monitor_options;

/**
 * Set the defaults: one call in 64, drift bound 0.25, no adaptation, confident from 0.9, 512
 * buckets, no record. In range are: `every` up to 10^9, `drift_bound` in (0, 100], `adapt_percent`
 * in [0, 100], `confident_from` in [0, 2], `num_buckets` from 1 to 2^20, `num_recorded` up to 2^22.
 */
NITRO_API void nitro_monitor_options_init(nitro_monitor_options *options);

/**
 * Start monitoring anew; NULL: stop. Closes the declaration of variants and features. No other
 * thread may be running the computation meanwhile. Calls that are pending are dropped, and the
 * events of nitro_hooks.clock freed: by this or with the computation, while the device still works.
 *
 * Drift is counted. A warning in the log reports the first one of each variant at once, and at the
 * end how many there were. Adaptation replaces the model's choice in some calls by another variant
 * that the input allows: the one most likely to be faster by the model's scores and the times in
 * the bucket, later the fastest one there. It begins after eight calls of the model's choice.
 * Exploration starts only if half of the budget so far covers its worst case: three standard
 * deviations above the variant's mean; if it has no times yet, twice what the model expects, or ten
 * times the model's choice. Any excess and losses by adapted choices count against the budget; once
 * it is exceeded, the model's choice is run: at most one call of each thread goes beyond it. A
 * failing variant is not explored there again, nor elsewhere if the call failed with it (without
 * fails_cleanly); if its `prepare` fails, the model's choice is run.
 *
 * A call allocates nothing and waits for no thread: of two threads in one bucket at once, the
 * second runs the model's choice and its time is not used.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (an option out of range, or a variant of NITRO_TIME_DEVICE
 *         without nitro_hooks.clock); NITRO_ERR_NO_MEMORY: nothing changed.
 */
NITRO_API nitro_status nitro_computation_monitor(nitro_computation *computation,
                                                 const nitro_monitor_options *options);

typedef struct nitro_monitor_statistics {
    uint64_t num_timed;        /* calls; the next two are among them */
    uint64_t num_explorations; /* calls that explored a variant */
    uint64_t num_learnt;       /* calls of an adapted choice instead of the model's */
    uint64_t num_drifts;       /* deviations from earlier times */
    uint64_t num_unlike_model; /* variants whose first times deviate from the model's prediction by
                                  more than the bound (models whose scores predict times) */
    double timed_ms;           /* of all timed calls */
    double exploration_ms;     /* time of exploration beyond the model's choice; below 0: less */
    double saved_ms;           /* time that adapted choices saved over the model's */
    uint64_t num_decided;      /* sampled calls */
    double decided_ms;     /* wall time of their features (or of waiting for them) and decision */
    uint64_t num_compared; /* timed calls with a known time of the default variant */
    double gained_ms;      /* time that these saved over the default variant */
    size_t num_buckets, max_buckets;
    uint64_t num_recorded; /* calls, including overwritten ones */
} nitro_monitor_statistics;

/** Counts since nitro_computation_monitor; all 0 without monitoring. Safe from any thread. */
NITRO_API void nitro_computation_monitor_statistics(const nitro_computation *computation,
                                                    nitro_monitor_statistics *statistics);

/* ---- Settings -------------------------------------------------------------------------------- */

/*
 * Settings let a program's users choose the attached model, force a variant or log decisions.
 * `nitro config` lists all settings with their values. The first of these that has a setting
 * counts: the program (nitro_context_set), the environment variable NITRO_NAME, the user's file
 * ($NITRO_CONFIG, else nitro/nitro.conf under $XDG_CONFIG_HOME or ~/.config):
 *
 *     log = warning
 *     [spmv]
 *     model = /opt/models/spmv.json
 *
 * An environment variable holds a value for all computations, or "COMPUTATION=VALUE,...".
 */

/**
 * Make a setting (copied) for one computation, or for all (NULL).
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (no such setting, or an invalid value);
 *         NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_context_set(nitro_context *context, const char *computation,
                                         const char *setting, const char *value);

/**
 * Apply the user's settings to a computation, once its declaration is complete, and attach a model.
 * Without this call settings have no effect.
 *
 * Without the setting "model" ("": no model), COMPUTATION@DEVICE.json or .bin, else
 * COMPUTATION\@KIND, else COMPUTATION, is looked for in the folder of the user's models
 * ($XDG_DATA_HOME/nitro/models, where 'nitro tune' writes them), in that of the shared object or
 * program that has the first variant's code, in share/nitro/models of its prefix, and in
 * nitro/models under each folder of $XDG_DATA_DIRS (/usr/local/share:/usr/share). One that does not
 * fit is a warning in the log, and the next one is taken. libnitro-runtime reads .bin only and does
 * not know the device: of COMPUTATION@DEVICE.bin there must be one in a folder. A folder as the
 * setting "model" is searched in the same way; none in it is a warning.
 * @return NITRO_OK; NITRO_ERR_FORMAT (a malformed setting; the error names the variable, or file
 * and line); an error of attaching the model or forcing the variant. Settings before the one that
 * failed stay applied.
 */
NITRO_API nitro_status nitro_computation_configure(nitro_computation *computation);

/* ---- Models ---------------------------------------------------------------------------------- */

/**
 * Read a model file, JSON or binary (libnitro-runtime: binary only; the error of
 * NITRO_ERR_NOT_BUILT says how to make one). The whole file is checked.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such file); NITRO_ERR_IO (also: a pipe or a device, but
 *         those that this process has open, as /dev/stdin); NITRO_ERR_FORMAT (truncated, altered,
 *         not a model: the error names file and field); NITRO_ERR_NEWER.
 */
NITRO_API nitro_status nitro_model_load(nitro_context *context, const char *path,
                                        nitro_model **model);

/** The same from a model file's contents in memory, borrowed until return, such as a table that a
 *  library was linked with. Errors as above. */
NITRO_API nitro_status nitro_model_load_memory(nitro_context *context, const void *data,
                                               size_t size, nitro_model **model);

NITRO_API void nitro_model_free(nitro_model *model);

/** Strings are owned by the model; a name is NULL if the index is out of range. */
NITRO_API const char *nitro_model_computation(const nitro_model *model);
NITRO_API const char *nitro_model_target(const nitro_model *model);
NITRO_API const char *nitro_model_strategy(const nitro_model *model);
NITRO_API size_t nitro_model_num_variants(const nitro_model *model);
/** How many variants ran on some source. The others, which no source can run or has measured, are
 *  never chosen, and come last in a ranking. */
NITRO_API size_t nitro_model_num_ranked(const nitro_model *model);
NITRO_API size_t nitro_model_num_features(const nitro_model *model);
NITRO_API const char *nitro_model_variant_name(const nitro_model *model, size_t index);
NITRO_API const char *nitro_model_feature_name(const nitro_model *model, size_t index);

/**
 * Query the model for one input, without a computation.
 * @param[in]  features  shape [nitro_model_num_features], in the model's order.
 * @param[out] ranking   shape [nitro_model_num_variants]: variant indices, best first, of which the
 *                       first nitro_model_num_ranked say something. May be NULL.
 * @param[out] scores    shape [nitro_model_num_variants], by variant index; larger is better. May
 *                       be NULL.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE. The training range is checked for features that the
 *         scores depend on.
 */
NITRO_API nitro_status nitro_model_predict(const nitro_model *model, const double *features,
                                           nitro_decision *decision, size_t *ranking,
                                           double *scores);

/** The same with options; NULL: none, and unlimited uses. Scores then include the cost of
 * preparing.
 *  @return as nitro_model_predict, and NITRO_ERR_ARGUMENT (an option out of range). */
NITRO_API nitro_status nitro_model_predict_with(const nitro_model *model, const double *features,
                                                const nitro_call_options *options,
                                                nitro_decision *decision, size_t *ranking,
                                                double *scores);

#ifdef __cplusplus
}
#endif

#endif
