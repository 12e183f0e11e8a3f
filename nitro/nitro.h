/*
 * nitro.h - what users of Nitro see.
 *
 * A computation has several code variants: same interface, same result, different algorithm. Nitro
 * chooses the variant expected to run fastest for an input on a device, also on a device where no
 * variant was ever measured ("Architecture-Adaptive Code Variant Tuning"). In four steps:
 *
 *   1. declare   every program:            nitro_computation_create, _add_variant, _add_features
 *   2. measure   owners of source devices: nitro_tune
 *   3. learn     owners of new devices:    nitro_tune_from_source
 *   4. dispatch  library authors:          nitro_computation_load_model, nitro_run
 *
 * Rules that hold for every function below:
 * - Status first: a function that can fail returns nitro_status; the details (what, which object,
 *   which value, what to do) are the context's last error. Outputs come last and are untouched on
 *   error. Nothing exits, prints, or keeps global state.
 * - Strings are UTF-8. Names of computations, variants and features are 1 to 63 characters of
 *   [A-Za-z0-9_.+-]; device ids may also hold ':' and '@'; input names are 1 to 511 bytes without
 *   control characters. What is passed in is copied unless "borrowed" is said.
 * - Times are in milliseconds (_ms), sizes in bytes unless the name says otherwise.
 * - Threads: one computation may be selected from and run by any number of threads at once, once
 *   its declaration is complete, also while another thread attaches a model or sets the confidence
 *   asked for. All else: one thread at a time an object.
 * - _free functions accept NULL.
 */
#ifndef NITRO_NITRO_H
#define NITRO_NITRO_H

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
    NITRO_ERR_ARGUMENT,       /* an argument is NULL, out of range, or a name that is not clean */
    NITRO_ERR_NO_MEMORY,      /* an allocation failed */
    NITRO_ERR_BAD_FEATURE,    /* a feature's value is NaN or infinite, or its function failed */
    NITRO_ERR_NO_VARIANT,     /* no variant accepts this input here */
    NITRO_ERR_VARIANT_FAILED, /* the chosen variant reported a failure */
    NITRO_ERR_MISMATCH,       /* made for another set of features or variants */
    NITRO_ERR_FORMAT,         /* a file or record is malformed; file, line and field are named */
    NITRO_ERR_IO,             /* the operating system or the store refused to read or write */
    NITRO_ERR_NOT_FOUND,      /* no such object */
    NITRO_ERR_EXISTS,         /* it is there already */
    NITRO_ERR_NEWER,          /* written by a newer version of Nitro */
    NITRO_ERR_NOT_BUILT,      /* this build lacks it; the error says which option turns it on */
    NITRO_ERR_NO_DATA,        /* too few samples to learn from */
    NITRO_ERR_INTERRUPTED,    /* a progress callback asked to stop */
    NITRO_ERR_DENIED          /* the store's server refuses this user, or cannot be trusted: waiting
                                 does not help */
} nitro_status;

/** A status as a word, e.g. "not found". Static storage. */
NITRO_API const char *nitro_status_name(nitro_status status);

/** Version of the library in use, as "MAJOR.MINOR.PATCH". Static storage. */
NITRO_API const char *nitro_version(void);

/* ---- Context ------------------------------------------------------------------------------- */

/** Carries the last error, the log and the clock. Every other object belongs to one context. */
typedef struct nitro_context nitro_context;

typedef enum nitro_log_level {
    NITRO_LOG_WARNING, /* something the user should know, such as data left out */
    NITRO_LOG_INFO,    /* what was decided and why */
    NITRO_LOG_DEBUG
} nitro_log_level;

/**
 * @param[in] message  one line without its end, cut to 4095 bytes; borrowed until return.
 * Called by the thread that has something to say: by several at once where several work with the
 * context's objects.
 */
typedef void (*nitro_log_function)(void *user, nitro_log_level level, const char *message);

/** Where time comes from. Tests replace it, so that no test waits on a real clock. */
typedef struct nitro_clock {
    double (*wall_ms)(void *state);       /* monotonic time */
    double (*thread_cpu_ms)(void *state); /* processor time of the calling thread */
    void *state;
} nitro_clock;

/** @return NITRO_OK or NITRO_ERR_NO_MEMORY. Free it last, with nitro_context_free. */
NITRO_API nitro_status nitro_context_create(nitro_context **context);
NITRO_API void nitro_context_free(nitro_context *context);

/**
 * Copy the message of the last function that failed in this context: one or more sentences, always
 * terminated, cut to `size`; "" when nothing failed yet. Safe from any thread.
 */
NITRO_API void nitro_context_last_error(nitro_context *context, char *buffer, size_t size);

/**
 * For callbacks (features, loaders, hooks): record a message and hand the status through, as in
 * `return nitro_fail(context, NITRO_ERR_FORMAT, "%s:%zu: ...", path, line);`. Safe from any thread.
 */
NITRO_API nitro_status nitro_fail(nitro_context *context, nitro_status status, const char *format,
                                  ...) NITRO_PRINTF(3, 4);

/** Send messages up to `level` to `log`; NULL (the default) keeps silent. `user` is borrowed. */
NITRO_API void nitro_context_set_log(nitro_context *context, nitro_log_level level,
                                     nitro_log_function log, void *user);

/** Replace the clock (copied; its state is borrowed). NULL brings the system's clock back. */
NITRO_API void nitro_context_set_clock(nitro_context *context, const nitro_clock *clock);

/* ---- Computation: variants, input features, constraints -------------------------------------- */

/** What the paper calls a code variant object. */
typedef struct nitro_computation nitro_computation;

typedef enum nitro_time_source {
    NITRO_TIME_WALL,       /* wall time: variants that use several threads */
    NITRO_TIME_THREAD_CPU, /* processor time of the calling thread: right on busy machines too */
    NITRO_TIME_DEVICE /* the device's own clock (CUDA events), around the work that `run` put on
                         the stream which nitro_hooks.stream names; `run` need not wait for it */
} nitro_time_source;

/**
 * One variant. `argument` is the application's own struct: inputs, outputs, and any format that
 * `prepare` made. Functions return 0 on success.
 */
typedef struct nitro_variant {
    const char *name;
    const char *version; /* change it when the code changes: old times are then stale. NULL: "1" */

    /** Do the whole computation: read the inputs, write the result, both in `argument`. */
    int (*run)(void *argument, void *user);

    /**
     * Optional: make what `run` needs (a converted format) and keep it in `argument`; at once
     * successful when it is there already. Not part of the variant's time; its cost is recorded.
     * Where it does not fit into memory it leaves nothing behind and returns NITRO_ERR_NO_MEMORY:
     * measuring then tries it once more with nothing else prepared before it says so.
     */
    int (*prepare)(void *argument, void *user);

    /** Optional: drop what `prepare` made. Without it, it lives as long as the argument. */
    void (*release)(void *argument, void *user);

    /**
     * Optional: can this variant run this input here? Judge by `features` (in declared order)
     * where possible: `argument` is NULL when only features are known.
     */
    bool (*allows)(const double *features, const void *argument, void *user);

    nitro_time_source time_source;
    void *user; /* handed to the functions above; borrowed */
} nitro_variant;

/** How a feature is brought to a linear axis before it is scaled to [-1, 1]. */
typedef enum nitro_scale {
    NITRO_SCALE_AUTO,   /* chosen from the values the model learns from; see nitro_scale_choose */
    NITRO_SCALE_LINEAR, /* x */
    NITRO_SCALE_LOG,    /* ln x, for positive values; samples with others do not teach */
    NITRO_SCALE_SIGNED_LOG /* sign(x) ln(1 + |x|): zero and negative values welcome */
} nitro_scale;

typedef struct nitro_feature {
    const char *name;
    const char *unit; /* "1", "rows", "bytes"...; NULL: "1" */
    nitro_scale scale;
    double cost_ns; /* a hint: about what its evaluation costs; 0: negligible */
} nitro_feature;

/**
 * Evaluate one group of input features of `argument` into `values`, shape [count of the group].
 * @return 0 on success.
 */
typedef int (*nitro_features_function)(const void *argument, double *values, void *user);

/**
 * A feature that relates input and device, as a formula: 10^6 rows are many for one device and few
 * for another, but rows over the device's threads say the same everywhere. Names in the formula are
 * input features, and device features as device.NAME:
 *
 *     {.name = "rows_per_thread", .scale = NITRO_SCALE_LOG,
 *      .formula = "rows / (2048 * device.sm_count)", .replaces = "rows"}
 *
 * There are + - * / ( ), numbers, ln (or log), log2, sqrt, signed_log, min(x, y, ...) and
 * max(x, y, ...); names that hold + or - stand in backquotes. A formula is undefined where a part
 * of it is (a division by zero, a logarithm of zero): such samples do not teach, and such inputs
 * get the default variant.
 */
typedef struct nitro_relative_feature {
    const char *name; /* none of the input features' */
    const char *unit; /* NULL: "1" */
    nitro_scale scale;
    const char *formula;  /* at most 4096 bytes; builders for common ones are below */
    const char *replaces; /* input features, "a,b", that models do not look at by themselves where
                             this one is known; NULL: none */
} nitro_relative_feature;

/** Optional help for measuring. Functions return 0 on success; each may be NULL. */
typedef struct nitro_hooks {
    /** Once an input, before anything runs: save what in-place variants overwrite. One that does
     *  not fit into memory returns NITRO_ERR_NO_MEMORY. */
    int (*prepare_input)(void *argument, void *user);
    /** Before every run, outside the timed part: bring the input back. */
    int (*restore_input)(void *argument, void *user);
    /** After the reference variant ran: keep its result for comparison. */
    int (*keep_reference)(void *argument, void *user);
    /**
     * After another variant ran, its first and its last time: is its result right? 0 if so; else
     * say in `why` (shape [size]) where it differs and by how much. Its time then does not count.
     */
    int (*check_result)(void *argument, char *why, size_t size, void *user);
    /**
     * The device's stream (a cudaStream_t) that variants put their work for this argument on; NULL
     * is the device's default stream. Asked before every timing of a variant that is timed by
     * NITRO_TIME_DEVICE.
     */
    void *(*stream)(const void *argument, void *user);
    /**
     * After a function of a variant failed: why, in words, for the error or the sample's entry.
     * NULL or "": there is no more to say. Owned by the argument; copied before anything else runs.
     */
    const char *(*problem)(const void *argument, void *user);
    void *user; /* borrowed */
} nitro_hooks;

/**
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (name not clean), NITRO_ERR_NO_MEMORY.
 * Free the computation before its context.
 */
NITRO_API nitro_status nitro_computation_create(nitro_context *context, const char *name,
                                                nitro_computation **computation);
NITRO_API void nitro_computation_free(nitro_computation *computation);

/**
 * Declare a variant (copied). Order matters: ties go to the variant declared first.
 * @return NITRO_OK; NITRO_ERR_EXISTS (name taken); NITRO_ERR_ARGUMENT (no run function, name not
 *         clean, too many variants, or a model is attached already); NITRO_ERR_NO_MEMORY.
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
 * Declare a relative feature (copied); input features that it names must be declared before. It is
 * stored with the computation's names and carried by models, so that predicting on a target, where
 * the device's part is constant, costs no more than evaluating the formula. It does not belong to
 * what makes samples comparable: a newer declaration of relative features replaces the stored ones.
 * Models leave it out, saying so in the log, where a source or the target lacks one of its device
 * features, and cut it to the range seen in training: it may well lie outside on a new device.
 * One that names no input feature tells devices apart: models leave it out where sources have fewer
 * than three values of it, for from two nothing about a third can be learnt, and where four sources
 * or more, each left out in turn, are clearly better served without such features.
 * @return as for variants, or NITRO_ERR_FORMAT: the formula is wrong; line and column are named.
 */
NITRO_API nitro_status nitro_computation_add_relative_feature(
    nitro_computation *computation, const nitro_relative_feature *feature);

/*
 * Formulas of common relative features, from formulas of the input's part ("12 * nnz + 8 * rows").
 * Each is written to `text`, shape [size], and its length returned, as by snprintf; 512 bytes are
 * room enough for short parts. One that was cut is refused when it is declared. Log scale suits
 * all.
 */

/** Work items over the threads that a GPU keeps resident (2048 a multiprocessor: sm_count). */
NITRO_API size_t nitro_formula_per_thread(char *text, size_t size, const char *work);
/** Work items over cores (cuda_cores: known of every device, hosts included). */
NITRO_API size_t nitro_formula_per_core(char *text, size_t size, const char *work);
/** Bytes over the size of the L2 cache (l2_cache_size). */
NITRO_API size_t nitro_formula_per_l2(char *text, size_t size, const char *bytes);
/** Time to stream so many bytes at peak bandwidth (peak_gbps) over `floor_us`, what a launch takes
 *  anyway, plus 1: near 1 the floor rules, far above the bandwidth. */
NITRO_API size_t nitro_formula_streaming_time(char *text, size_t size, const char *bytes,
                                              double floor_us);
/** The largest piece of work over the mean work a core (cuda_cores): above 1, a core that gets it
 *  is what all others wait for. */
NITRO_API size_t nitro_formula_imbalance(char *text, size_t size, const char *longest,
                                         const char *work);
/** Operations a byte over what the device can do a byte (peak_gflops_dp, peak_gbps): above 1, the
 *  arithmetic is the limit, below the bandwidth. */
NITRO_API size_t nitro_formula_machine_balance(char *text, size_t size, const char *flops,
                                               const char *bytes);

/**
 * The variant used when there is no advice; the first declared one unless set here. A model takes
 * the one that was declared when its samples were stored, or where none was (recorded computations)
 * the best fixed one.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such variant); NITRO_ERR_ARGUMENT (a model is attached
 *         already).
 */
NITRO_API nitro_status nitro_computation_set_default(nitro_computation *computation,
                                                     const char *variant);

/** The variant whose result is the truth while measuring; the default variant unless set here.
 *  @return NITRO_OK or NITRO_ERR_NOT_FOUND (no such variant). */
NITRO_API nitro_status nitro_computation_set_reference(nitro_computation *computation,
                                                       const char *variant);

/** In place of all hooks before (copied). @return NITRO_OK. */
NITRO_API nitro_status nitro_computation_set_hooks(nitro_computation *computation,
                                                   const nitro_hooks *hooks);

/**
 * The kind of device that the variants run on: "host" unless set here, or "cuda". The same
 * computation may be declared for several kinds, with the same variants and features: their samples
 * then teach one model. Measuring opens that device in its worker processes, and refuses a device
 * of another kind.
 * @return NITRO_OK or NITRO_ERR_ARGUMENT (not a clean name).
 */
NITRO_API nitro_status nitro_computation_set_device_kind(nitro_computation *computation,
                                                         const char *kind);
/** Owned by the computation, as its name is. */
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
    NITRO_REASON_OUTSIDE,        /* the default variant: outside what the model learnt from */
    NITRO_REASON_LOW_CONFIDENCE, /* the default variant: the model is less sure than asked for */
    NITRO_REASON_FORCED,         /* the variant that a setting asks for */
    NITRO_REASON_BUDGET,         /* the default variant: the features would take too long */
    NITRO_REASON_EXPLORATION,    /* refining: may be faster than what is known, and is timed */
    NITRO_REASON_LEARNT          /* refining: was fastest for inputs like this one */
} nitro_reason;

/** A reason as a sentence, e.g. "the model's choice". Static storage. */
NITRO_API const char *nitro_reason_text(nitro_reason reason);

typedef struct nitro_decision {
    size_t variant;           /* index in declared order */
    const char *variant_name; /* owned by the computation (or the model that was asked) */
    double confidence; /* in [0, 1]: estimated chance that no other variant is over 5 % faster */
    nitro_reason reason;
} nitro_decision;

/**
 * Attach a model; the computation owns it from then on, and the declaration is closed. Other
 * threads may be selecting meanwhile: each decision is the old model's or the new one's, and the
 * old one is freed once no thread asks it any more, at the latest with the computation.
 * @return NITRO_OK, or NITRO_ERR_MISMATCH with both sets in the error: the model was made for other
 *         variants, features or another computation (the model then stays the caller's).
 */
NITRO_API nitro_status nitro_computation_attach_model(nitro_computation *computation,
                                                      nitro_model *model);

/** nitro_model_load and nitro_computation_attach_model in one; errors of both, with the path. */
NITRO_API nitro_status nitro_computation_load_model(nitro_computation *computation,
                                                    const char *path);

/** Below this confidence the default variant is chosen. 0 (the default) never asks.
 *  @return NITRO_OK or NITRO_ERR_ARGUMENT (not in [0, 1]). Safe while others select. */
NITRO_API nitro_status nitro_computation_set_min_confidence(nitro_computation *computation,
                                                            double min_confidence);

/** Take this variant wherever it accepts the input, whatever a model says; NULL: no more.
 *  @return NITRO_OK or NITRO_ERR_NOT_FOUND (no such variant). Safe while others select. */
NITRO_API nitro_status nitro_computation_force(nitro_computation *computation, const char *variant);

/**
 * Decisions of the attached model are remembered by their features' bits (and by which variants the
 * input allows): a repeated input costs a look-up. The memo is bounded, takes no lock, and forgets
 * everything when a model is attached or the minimum confidence changes.
 */
typedef struct nitro_memo_statistics {
    size_t num_entries; /* room; 0: off */
    uint64_t hits, misses, evictions;
} nitro_memo_statistics;

/** Entries of a memo unless set below: some 100 KB for a dozen features. */
#define NITRO_MEMO_DEFAULT_ENTRIES 512

/**
 * Choose how many decisions are remembered, rounded up to a power of two; 0 turns the memo off.
 * What was remembered and counted is dropped. No other thread may be selecting meanwhile.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (more than 2^24); NITRO_ERR_NO_MEMORY (the memo stays).
 */
NITRO_API nitro_status nitro_computation_set_memo_size(nitro_computation *computation,
                                                       size_t num_entries);

/** Counts since the memo was made, of all threads. Safe from any thread. */
NITRO_API void nitro_computation_memo_statistics(const nitro_computation *computation,
                                                 nitro_memo_statistics *statistics);

/**
 * Evaluate all input features of one input.
 * @param[out] values shape [nitro_computation_num_features], in declared order.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE (a feature function failed, or gave NaN or infinity).
 */
NITRO_API nitro_status nitro_computation_evaluate(const nitro_computation *computation,
                                                  const void *argument, double *values);

/**
 * Choose the variant expected to run fastest for one input. Nothing is run or timed.
 *
 * @param[in]  argument  the input; borrowed until return.
 * @param[out] decision  written on success only.
 * @return NITRO_OK, NITRO_ERR_BAD_FEATURE, or NITRO_ERR_NO_VARIANT (no variant allows this input).
 *         Without a model, or outside what its sources cover, the default variant is chosen (the
 *         first allowed one if that is not) and `decision->reason` says which.
 *
 * Allocates nothing and calls no device API; takes a lock on error only, to record the message.
 * Safe from any number of threads.
 */
NITRO_API nitro_status nitro_select(const nitro_computation *computation, const void *argument,
                                    nitro_decision *decision);

/** The same from features already known, shape [num_features], declared order; borrowed.
 *  @return as nitro_select, and NITRO_ERR_ARGUMENT (not as many as are declared). */
NITRO_API nitro_status nitro_select_features(const nitro_computation *computation,
                                             const double *features, size_t num_features,
                                             nitro_decision *decision);

/**
 * Decide, prepare if the chosen variant has something to prepare, and run it.
 * @param[out] decision  what was chosen; may be NULL. Written as soon as the choice is made.
 * @return as nitro_select, or NITRO_ERR_VARIANT_FAILED. Threads: as safe as the argument.
 */
NITRO_API nitro_status nitro_run(const nitro_computation *computation, void *argument,
                                 nitro_decision *decision);

/*
 * Streams. Nitro has no stream of its own and waits for none: the stream is a member of the
 * argument, set by whoever calls, and variants put their work there and return. So one computation
 * serves any number of streams at once, each with an argument of its own; when the result is there,
 * is the stream's affair, as is ordering work that shares memory. nitro_hooks.stream says where
 * the argument keeps it, to those who measure.
 *
 * Graphs. While a stream is captured nothing may be allocated and nobody may wait, so decide and
 * prepare before, and put nothing but the variant's work into the graph:
 *
 *     nitro_prepare(computation, &call, &decision);
 *     cudaStreamBeginCapture(call.stream, mode);
 *     nitro_run_decided(computation, &call, &decision);
 *     cudaStreamEndCapture(call.stream, &graph);
 *
 * During capture nitro_run_decided is safe; so are nitro_select and nitro_select_features, as far
 * as the computation's own features and constraints are. nitro_prepare, nitro_run and
 * nitro_run_ticket are not: they may call `prepare`. The graph holds the variant that was decided
 * and the memory that the argument had then: another model, or a new input of other features,
 * wants another graph.
 */

/**
 * The first half of nitro_run: decide, and prepare if the chosen variant has something to prepare.
 * @param[out] decision  written on success only.
 * @return as nitro_run. Threads: as safe as the argument. Never a trial (nitro_monitor_options).
 */
NITRO_API nitro_status nitro_prepare(const nitro_computation *computation, void *argument,
                                     nitro_decision *decision);

/**
 * The second half: run what nitro_prepare decided for this argument, as often as is wanted. Calls
 * the variant's `run` and nothing else; such calls are not watched.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (a decision of another computation);
 *         NITRO_ERR_VARIANT_FAILED.
 */
NITRO_API nitro_status nitro_run_decided(const nitro_computation *computation, void *argument,
                                         const nitro_decision *decision);

/* ---- How features are evaluated -------------------------------------------------------------- */

/*
 * To decide, a computation with a model evaluates the groups of features that the model's scores
 * depend on, by themselves or in formulas, and those declared to cost nothing (cost_ns 0). What is
 * left out is not looked at for being outside of what the model learnt from either. All are
 * evaluated where some variant has `allows`, decisions are explained, or runs are recorded.
 */
typedef struct nitro_feature_options {
    unsigned num_threads; /* that evaluate groups at once with the calling one, where that is worth
                             it by the declared costs: what all but the costliest take together is
                             over 20 us. 0: none, at most NITRO_MAX_FEATURES */
    double budget_us;     /* no group is begun that by its declared cost ends later than this after
                             the decision was asked for: the default variant (or the forced one) is
                             chosen then, with NITRO_REASON_BUDGET. Not kept where that variant has
                             `allows`, which sees all features. 0: as long as it takes */
} nitro_feature_options;

/**
 * Evaluate features so from now on. The threads are made here, wait without using the processor and
 * end with the computation; sharing with them takes a lock for a moment. No other thread may be
 * deciding meanwhile.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (out of range); NITRO_ERR_NO_MEMORY (no more threads):
 *         nothing changed.
 */
NITRO_API nitro_status nitro_computation_set_feature_options(nitro_computation *computation,
                                                             const nitro_feature_options *options);

/** A decision that was begun (the paper's fix_inputs). Yours: neither copied nor moved meanwhile.
 */
typedef struct nitro_ticket {
    uint64_t opaque[160];
} nitro_ticket;

/**
 * The input is final: begin to evaluate its features on the computation's threads (one is made
 * where there are none: that first call must not meet another), and return.
 * @param[in]  argument  borrowed, and its input unchanged, until the ticket is run or cancelled.
 * @param[out] ticket    to be run or cancelled, once, by any one thread.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY (no thread).
 * Takes a lock for a moment; allocates nothing but that thread. After a fork, in the child, the
 * features are evaluated by nitro_run_ticket; a ticket begun before the fork is the parent's.
 */
NITRO_API nitro_status nitro_features_begin(nitro_computation *computation, void *argument,
                                            nitro_ticket *ticket);

/**
 * nitro_run, with the features that were begun: evaluates what no thread has begun yet, and waits
 * for what some have. A budget counts from here. As nitro_run otherwise.
 */
NITRO_API nitro_status nitro_run_ticket(nitro_ticket *ticket, nitro_decision *decision);

/** Give a ticket up: waits for features that are being evaluated. */
NITRO_API void nitro_ticket_cancel(nitro_ticket *ticket);

/* ---- Watching and learning on ---------------------------------------------------------------- */

/**
 * Off unless asked for, by this or by the settings watch, refine and record; off, it costs
 * nitro_run a branch. On, calls of nitro_run are timed by the context's clock: preparing and
 * running, by processor time where all variants are (NITRO_TIME_THREAD_CPU), else by wall time.
 * What is seen is kept by *region*: inputs whose features agree to within about a tenth each.
 */
typedef struct nitro_monitor_options {
    unsigned every;        /* time one call in so many of a thread's; 0: none but refining needs */
    double drift_bound;    /* drift: the median of a variant's 8 newest times in a region is off
                              what was expected by more than this; 0.25 is a quarter */
    double adapt_percent;  /* overhead that learning on may cost, in percent of the time that calls
                               would have taken without; 0: do not. All calls are timed then */
    double confident_from; /* refining leaves decisions of this confidence alone, unless times
                               there have drifted; above 1: leaves none alone */
    size_t num_buckets;    /* at most so many are kept, the least used give way (some 100 bytes a
                              variant each) */
    size_t num_recorded;   /* timed calls kept for nitro_computation_flush_observations; 0: none */
} nitro_monitor_options;

/** One call in 64, a bound of a quarter, no refining, sure from 0.9 on, 512 regions, no record. */
NITRO_API void nitro_monitor_options_init(nitro_monitor_options *options);

/**
 * Watch from now on, with nothing seen yet; NULL: no more. The declaration of variants and features
 * is closed. No other thread may be running the computation meanwhile. Variants that are timed by
 * NITRO_TIME_DEVICE cannot be watched: their `run` returns before the work is done, and waiting for
 * it would take from the caller what streams are for.
 *
 * Drift is told by a warning in the log (by the thread that saw it) and counted. Refining runs, in
 * some calls, another variant *instead* of the model's choice, one that the input allows: the one
 * that may most likely be faster, by the model's scores and by what was seen in the region; later
 * the one that was fastest there. It begins with eight calls of the model's choice. No trial starts
 * unless half of what the percentage allows so far, of all calls together, covers it at its worst:
 * three deviations above its mean; before it was seen, twice what the model expects, or ten times
 * the model's choice. One that takes still longer is paid back before the next. Losses by what was
 * learnt and is no longer true count too. A variant that fails in a region is not tried there
 * again; where its `prepare` fails, the model's choice is run.
 *
 * Nothing is allocated in a call, and no thread waits for another: where two are in one region at
 * once, the second takes the model's choice and is not learnt from.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (an option out of range, or a variant of NITRO_TIME_DEVICE);
 *         NITRO_ERR_NO_MEMORY: nothing changed.
 */
NITRO_API nitro_status nitro_computation_monitor(nitro_computation *computation,
                                                 const nitro_monitor_options *options);

typedef struct nitro_monitor_statistics {
    uint64_t num_timed;        /* calls; the next two are among them */
    uint64_t num_explorations; /* that tried a variant */
    uint64_t num_learnt;       /* that took what was learnt instead of the model's choice */
    uint64_t num_drifts;       /* times that left what was expected from before */
    uint64_t num_unlike_model; /* variants that, first seen, are not as the model says (models whose
                                  scores are about times), by more than the bound */
    double timed_ms;           /* of all timed calls */
    double exploration_ms;     /* what trials took beyond the model's choice; below 0: less */
    double saved_ms;           /* what the model's choice would have taken beyond what was learnt */
    uint64_t num_decided;  /* sampled calls, and the wall time that evaluating their features and */
    double decided_ms;     /* deciding took, or waiting for them where they were begun early... */
    uint64_t num_compared; /* ...beside it timed calls, of which the default variant's time is */
    double gained_ms;      /* known in the region, and what that would have taken beyond them */
    size_t num_buckets, max_buckets;
    uint64_t num_recorded; /* calls, also those that newer ones have overwritten */
} nitro_monitor_statistics;

/** Since nitro_computation_monitor; all 0 where nothing is watched. Safe from any thread. */
NITRO_API void nitro_computation_monitor_statistics(const nitro_computation *computation,
                                                    nitro_monitor_statistics *statistics);

/* ---- Settings -------------------------------------------------------------------------------- */

/*
 * What a program's users may want to change without touching it: which model is attached, a variant
 * that is always taken, explanations. `nitro config` lists all settings with their values. Each is
 * looked up in the program itself (nitro_context_set), then in an environment variable NITRO_NAME,
 * then in the user's file ($NITRO_CONFIG, else nitro/nitro.conf under $XDG_CONFIG_HOME or
 * ~/.config):
 *
 *     log = warning
 *     [spmv]
 *     model = /opt/models/spmv.json
 *
 * An environment variable holds a value for all computations, or "COMPUTATION=VALUE,...".
 */

/**
 * Make a setting (copied), for one computation or, where that is NULL, for all.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (no such setting, or a value that it cannot have);
 *         NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_context_set(nitro_context *context, const char *computation,
                                         const char *setting, const char *value);

/**
 * Make a computation what its user's settings ask for: call it once its declaration is complete.
 * Without it nothing from outside has any influence.
 * @return NITRO_OK; NITRO_ERR_FORMAT (a malformed setting: variable, or file and line, are named);
 *         or why a model cannot be attached or a variant forced. Settings before the one that
 *         failed are made.
 */
NITRO_API nitro_status nitro_computation_configure(nitro_computation *computation);

/* ---- Models ---------------------------------------------------------------------------------- */

/**
 * Read a model file, JSON or binary. Everything is checked before use. (libnitro-runtime reads
 * binary ones alone; NITRO_ERR_NOT_BUILT then says how to make one.)
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such file); NITRO_ERR_IO; NITRO_ERR_FORMAT (truncated,
 *         altered, not a model: the error names file and field); NITRO_ERR_NEWER.
 */
NITRO_API nitro_status nitro_model_load(nitro_context *context, const char *path,
                                        nitro_model **model);

/** Write atomically (a new file, synced, then renamed). The same model gives the same bytes.
 *  @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_ARGUMENT (a model from a binary file). */
NITRO_API nitro_status nitro_model_save(const nitro_model *model, const char *path);

typedef enum nitro_export_format {
    NITRO_EXPORT_BINARY, /* what nitro_model_load reads fast, and libnitro-runtime reads at all;
                            little-endian, versioned, with a checksum */
    NITRO_EXPORT_C       /* a C file of its own: one function from input features to a variant, for
                            programs without any library but libm. It has no guards but the model's
                            range, and says so */
} nitro_export_format;

/**
 * Write a model in another form, atomically. The same model gives the same bytes.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_NOT_BUILT (its strategy does not say what scores are
 *         made of); NITRO_ERR_ARGUMENT (no such format).
 */
NITRO_API nitro_status nitro_model_export(const nitro_model *model, nitro_export_format format,
                                          const char *path);
NITRO_API void nitro_model_free(nitro_model *model);

/** Texts below are owned by the model; a name is NULL where the index is out of range. */
NITRO_API const char *nitro_model_computation(const nitro_model *model);
NITRO_API const char *nitro_model_target(const nitro_model *model);
NITRO_API const char *nitro_model_strategy(const nitro_model *model);
NITRO_API size_t nitro_model_num_variants(const nitro_model *model);
NITRO_API size_t nitro_model_num_features(const nitro_model *model);
NITRO_API const char *nitro_model_variant_name(const nitro_model *model, size_t index);
NITRO_API const char *nitro_model_feature_name(const nitro_model *model, size_t index);

/**
 * What the model says of one input, without a computation's code: for tools.
 * @param[in]  features  shape [nitro_model_num_features], in the model's order.
 * @param[out] ranking   shape [nitro_model_num_variants]: variant indices, best first. May be NULL.
 * @param[out] scores    shape [nitro_model_num_variants], by variant index, larger is better. May
 * be NULL.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE. The ranges of features that the scores do not depend
 * on are not looked at.
 */
NITRO_API nitro_status nitro_model_predict(const nitro_model *model, const double *features,
                                           nitro_decision *decision, size_t *ranking,
                                           double *scores);

/* ---- Store ----------------------------------------------------------------------------------- */

/** A repository of samples, devices and computations' names. */
typedef struct nitro_store nitro_store;

typedef enum nitro_store_mode {
    NITRO_STORE_READ,  /* must exist; nothing is written */
    NITRO_STORE_WRITE, /* where none is yet, the first record makes it */
} nitro_store_mode;

/**
 * @param[in] url  "sqlite:PATH", a plain path, "redis://...", "rediss://..." or "redis+unix://..."
 *                 (docs/redis-keys.md); for reading also "https://...", "http://..." or "file:..."
 *                 (what was published, docs/bundles.md). NULL: what the setting "store" says, else
 *                 sqlite under $XDG_DATA_HOME/nitro.
 * @return NITRO_OK; NITRO_ERR_IO (it cannot be reached now); NITRO_ERR_DENIED (user, password or
 *         certificate); NITRO_ERR_FORMAT (no store is there); NITRO_ERR_NEWER (schema of a newer
 *         version); NITRO_ERR_NOT_BUILT; NITRO_ERR_NOT_FOUND (nothing there to read, or an unknown
 *         scheme: the known ones are listed); NITRO_ERR_ARGUMENT (writing to what was published).
 */
NITRO_API nitro_status nitro_store_open(nitro_context *context, const char *url,
                                        nitro_store_mode mode, nitro_store **store);
NITRO_API void nitro_store_close(nitro_store *store);

/**
 * Open a store to tune into. One on another machine may be away, slow, full or read-only meanwhile:
 * samples then go into a journal on this machine first ($XDG_DATA_HOME/nitro/journals), and from
 * there to the store, each once, as soon as it will have them; also by the next process that opens
 * it so, should this one be killed. What is read is both together. A store on this machine is
 * opened for writing as by nitro_store_open.
 * @return as nitro_store_open, but NITRO_OK too while the store cannot be reached (a warning in the
 *         log says so).
 */
NITRO_API nitro_status nitro_store_open_journaled(nitro_context *context, const char *url,
                                                  nitro_store **store);

/**
 * Send what waits in a store's journal, trying again for up to `patience_ms`.
 * @param[out] waiting  how many samples still wait; 0 where there is no journal. May be NULL.
 * @return NITRO_OK also while the store is away; an error where it refuses what waits.
 */
NITRO_API nitro_status nitro_store_flush(nitro_store *store, double patience_ms, size_t *waiting);

/** How many samples wait in a store's journal; 0 where there is none. */
NITRO_API nitro_status nitro_store_count_unsent(nitro_store *store, size_t *waiting);

/* ---- Measuring and tuning ----------------------------------------------------------------- */

/** One input to measure. `load` and `unload` run in the worker process that measures it. */
typedef struct nitro_input {
    const char *name;
    /** Make the argument of the variants. What it returns but NITRO_OK is the input's error. */
    nitro_status (*load)(nitro_context *context, void *state, void **argument);
    void (*unload)(void *argument); /* NULL: nothing to free */
    void *state;                    /* borrowed */
} nitro_input;

/** What caches hold when a run begins. */
typedef enum nitro_cache {
    NITRO_CACHE_WARM, /* what the runs before it left there */
    NITRO_CACHE_COLD  /* nothing of the input: they are flushed before each run */
} nitro_cache;

/**
 * How variants are repeated. A repetition is one timing: one call, or a batch of them where a call
 * takes under 0.05 ms and neither a restore_input hook nor cold caches forbid it. A variant leaves
 * the round when its median is steady (or a limit is reached); the others go on.
 */
typedef struct nitro_measure_options {
    unsigned warmups;          /* rounds that do not count, after the first, checked run */
    unsigned min_repetitions;  /* counted repetitions of each variant, at least (>= 1)... */
    unsigned max_repetitions;  /* ...and at most */
    double steady_spread;      /* stop when half the median's 95 % confidence interval, over the
                                  median, is below this; 0: never */
    double budget_ms;          /* stop a variant's repetitions after this much time of its own, but
                                  not below the minimum; a run that takes all of it counts once */
    double timeout_ms;         /* a single call of a variant's function longer than this counts as
                                  hung; loading and features have all the time they want */
    size_t memory_limit_bytes; /* a worker with more resident memory is ended; 0: no limit */
    nitro_cache cache;         /* cold samples say so, and are not put beside warm ones */
} nitro_measure_options;

typedef struct nitro_tune_progress {
    size_t done, total; /* inputs */
    size_t resumed;     /* of `done`, those found in the store */
    size_t failed;      /* inputs that could not be loaded */
    double elapsed_ms;
    const char *input; /* the one just finished; NULL: waiting for other tuners of the device */
    const char *best;  /* its fastest variant, or NULL */
} nitro_tune_progress;

typedef struct nitro_tune_options {
    nitro_measure_options measure;
    bool (*progress)(void *user,
                     const nitro_tune_progress *progress); /* false: stop. May be NULL */
    void *progress_user;
    bool again; /* measure what the store holds already once more, replacing it */
} nitro_tune_options;

/** Fill with the defaults; change what you need. */
NITRO_API void nitro_tune_options_init(nitro_tune_options *options);

/**
 * Measure every variant on every input on one device, and store each sample durably before the next
 * is measured. Inputs that the store holds for this device are not measured again: a tune that was
 * killed goes on where it was. Where a variant has another version by now, that variant is measured
 * again and the others keep their times; all are where the input's features or the compiler are not
 * those of then.
 *
 * Each input is measured in a forked worker process; a variant that crashes, hangs, fails its check
 * or takes too much memory costs that one entry, with the reason kept. An input that cannot be
 * loaded is left out, with a warning in the log. Call it before the process starts OpenMP or other
 * threads of its own: a fork does not take them along. Workers see no standard input, leave no core
 * files, and die with this process; what a variant forks dies too, unless it leaves its process
 * group. Should the reference variant itself fail, the first other one stands in for it, and the
 * entries' details say so.
 *
 * Where the device has a clock and caches of its own (CUDA), each worker opens it before it loads
 * the input; variants timed by NITRO_TIME_DEVICE are timed between events on the stream that the
 * hook `stream` names. What the device says of a failed call, also of one that comes to light
 * later, is that variant's detail; where the failure made the device useless for the process, the
 * other variants go on in a new worker. The device's clocks and what holds them back are recorded
 * with the sample.
 *
 * @param[in] device  "host" or a device id listed by `nitro devices`; must be of this machine and
 *                    of the computation's kind, or modelled. Several, as "a,b,c", at most one of
 *                    them not modelled: each input is then loaded once, which is what takes the
 *                    time for modelled devices.
 *                    The store's description of a device is replaced by today's, but features that
 *                    a microbenchmark measured stay where today's has none.
 * @param[in] inputs  shape [num_inputs], borrowed until return; names differ.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (no inputs, two of one name, options out of range, a device
 *         of another kind than the computation's, or one without the clock or the flush asked for);
 *         NITRO_ERR_MISMATCH (the store holds another feature or variant set, both printed; or this
 *         device as another kind; or samples of it with cold caches where warm ones are asked for,
 *         or the other way); NITRO_ERR_NOT_FOUND (device, or the model of a modelled one);
 *         NITRO_ERR_IO (the store cannot be written: what it has is safe); NITRO_ERR_DENIED (its
 *         server refuses this user, be it later: what was measured is safe); NITRO_ERR_INTERRUPTED
 *         (after the sample was stored); when no input could be loaded, the first one's error.
 */
NITRO_API nitro_status nitro_tune(nitro_computation *computation, nitro_store *store,
                                  const char *device, const nitro_input *inputs, size_t num_inputs,
                                  const nitro_tune_options *options);

typedef struct nitro_learn_options {
    const char *const *sources; /* device ids, shape [num_sources]; NULL: all but the target */
    size_t num_sources;
    const char *strategy; /* how to learn, "auto" by default; "svm" is the paper's method */
    const char *dfs;      /* device-feature selection; NULL: the strategy's own choice */
    /* The paper's switches: profiling alone is dfs "profile", search alone "cv", together "both". A
     * `dfs` that says otherwise is an error. */
    bool profiling_based_dfs;
    bool search_based_dfs;
    size_t dfs_max_subset; /* search-based: most device features in a subset; 3 by default */
    size_t dfs_k;          /* search-based: how many device features to choose; 1 by default */
    const char *proxies;   /* profile-based: a file of more proxies, as data/proxies/paper.json;
                              NULL: none */
    /** Take device features as the method has them, also where the target lies outside the sources'
     *  range or left-out sources say that they mislead: the methods as published. */
    bool unguarded;
    /**
     * A few measurements, where the target's owner allows them: so many inputs, those that tell
     * most, correct what was learnt elsewhere. 0 (the default): none. They are taken from inputs of
     * the sources: those of `measurable`, shape [num_measurable], or where that is NULL those of
     * which the store has samples on the target.
     */
    size_t num_measured;
    const char *const *measurable;
    size_t num_measurable;
    /** Measure these inputs on the target and put their samples into the store, as nitro_tune()
     *  does. NULL: the store has them. */
    nitro_status (*measure)(void *user, const char *const *inputs, size_t count);
    void *measure_user;
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
} nitro_learn_options;

/** Fill with the defaults; change what you need. */
NITRO_API void nitro_learn_options_init(nitro_learn_options *options);

/**
 * Learn from the source devices' samples and make a model for `target`, where nothing was measured
 * (paper, Section 3), or only what the options say. The target's device features come from the
 * store, or from the machine itself. Same samples, options and seed: the same model, byte for byte.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (computation or device); NITRO_ERR_NO_DATA (nothing to
 *         learn from, or inputs are to be measured and none can be); NITRO_ERR_ARGUMENT (a source
 *         named twice, `dfs` against its switches, a search for subsets of none or too many, or
 *         measured inputs cannot correct this strategy); what `measure` returned.
 */
NITRO_API nitro_status nitro_tune_from_source(nitro_context *context, nitro_store *store,
                                              const char *computation, const char *target,
                                              const nitro_learn_options *options,
                                              nitro_model **model);

/** The same for a device that was measured itself: learns from its own samples alone. `sources`
 *  and what selects device features are not read. Errors as above. */
NITRO_API nitro_status nitro_learn_own(nitro_context *context, nitro_store *store,
                                       const char *computation, const char *device,
                                       const nitro_learn_options *options, nitro_model **model);

/**
 * Put what watching recorded (nitro_monitor_options.num_recorded) into a store, and forget it: a
 * sample for each set of features, named observed- and a digest of them, with the median of every
 * variant's times. Of one that is there already, the variants seen since are replaced. The device
 * is the one that the attached model is for, else this host; the store's or this machine's
 * description of it counts. Their origin is "observed": an application's runs, not a tune's.
 * Not in libnitro-runtime. One thread at a time; others may run the computation meanwhile.
 * @param[out] num_samples  how many were put; may be NULL.
 * @return NITRO_OK, also where there is nothing to put; NITRO_ERR_ARGUMENT (nothing is recorded:
 *         ask for it first); NITRO_ERR_NOT_FOUND (the device); what the store answers: nothing is
 *         forgotten then.
 */
NITRO_API nitro_status nitro_computation_flush_observations(nitro_computation *computation,
                                                            nitro_store *store,
                                                            size_t *num_samples);

/* ---- Modules: computations in shared objects ---------------------------------------------- */

#define NITRO_MODULE_VERSION 2

/**
 * A computation with its inputs, as the command line uses it. A shared object that exports
 * `const nitro_module *nitro_module_get(void);` can be named wherever a computation is:
 * `nitro tune ./libmine.so ...`. The computations that Nitro ships are registered the same way.
 */
typedef struct nitro_module {
    unsigned version; /* NITRO_MODULE_VERSION */
    const char *name;
    const char *description; /* one line */

    /** The kind of device that its variants run on: "cuda", or NULL for "host". A computation for
     *  several kinds is several modules of one name. */
    const char *device_kind;

    /** Create the computation with its variants and features. */
    nitro_status (*create)(nitro_context *context, nitro_computation **computation);

    /** Read an input from a file; errors name file and line. Like generating, it touches no device:
     *  it may run before a fork. What the device shall have, `prepare` and `run` put there. */
    nitro_status (*load)(nitro_context *context, const char *path, void **argument);

    /**
     * Optional: make input number `index` of a generated training set. The same seed and index give
     * the same input. The name comes first and alone (`argument` NULL) when inputs are listed.
     * @param[out] name      shape [name_size]
     * @param[out] argument  the input; NULL: only the name is wanted.
     */
    nitro_status (*generate)(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument);

    void (*unload)(void *argument);

    /** Optional: one line that describes an input for people, e.g. its sizes. */
    void (*describe)(const void *argument, char *text, size_t size);
} nitro_module;

typedef const nitro_module *(*nitro_module_get_function)(void);

#ifdef __cplusplus
}
#endif

#endif
