/*
 * tune.h - measuring variants, learning models and keeping samples in stores. In libnitro, not in
 * libnitro-runtime. The rules of runtime.h hold here too.
 */
#ifndef NITRO_TUNE_H
#define NITRO_TUNE_H

#include "nitro/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Model files ----------------------------------------------------------------------------- */

/** Write a model file atomically (a new file, synced, then renamed). Same model, same bytes.
 *  @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_ARGUMENT (a model from a binary file). */
NITRO_API nitro_status nitro_model_save(const nitro_model *model, const char *path);

typedef enum nitro_export_format {
    NITRO_EXPORT_BINARY, /* fast to load, also by libnitro-runtime; little-endian, versioned, with a
                            checksum */
    NITRO_EXPORT_C       /* a C file with one function from input features to a variant; needs libm
                            only. It checks the training range but no confidence */
} nitro_export_format;

/**
 * Write a model in another form, atomically. The same model gives the same bytes.
 * @return NITRO_OK; NITRO_ERR_IO; NITRO_ERR_UNSUPPORTED (models of its strategy cannot be
 * exported); NITRO_ERR_ARGUMENT (no such format).
 */
NITRO_API nitro_status nitro_model_export(const nitro_model *model, nitro_export_format format,
                                          const char *path);

/* ---- Store ----------------------------------------------------------------------------------- */

/** A repository of samples, devices and schemas of computations. */
typedef struct nitro_store nitro_store;

typedef enum nitro_store_mode {
    NITRO_STORE_READ,  /* must exist; nothing is written */
    NITRO_STORE_WRITE, /* created by the first record if necessary */
} nitro_store_mode;

/**
 * Open a store.
 * @param[in] url  "sqlite:PATH", a plain path, "redis://...", "rediss://..." or "redis+unix://..."
 *                 (docs/redis-keys.md); for reading also "https://...", "http://..." or "file:..."
 *                 (a published bundle, docs/bundles.md). NULL: the setting "store", else sqlite
 *                 under $XDG_DATA_HOME/nitro.
 * @return NITRO_OK; NITRO_ERR_IO (it cannot be reached); NITRO_ERR_DENIED (user, password or
 *         certificate); NITRO_ERR_FORMAT (no store is there); NITRO_ERR_NEWER (schema of a newer
 *         version); NITRO_ERR_NOT_BUILT; NITRO_ERR_NOT_FOUND (no store to read, or an unknown
 *         scheme: the error lists the known ones); NITRO_ERR_ARGUMENT (writing to a bundle, or no
 *         such mode).
 */
NITRO_API nitro_status nitro_store_open(nitro_context *context, const char *url,
                                        nitro_store_mode mode, nitro_store **store);
NITRO_API void nitro_store_close(nitro_store *store);

/**
 * Open a store for tuning. A remote one may become unreachable, slow, full or read-only: samples
 * are therefore first written to a local journal ($XDG_DATA_HOME/nitro/journals) and sent from
 * there exactly once, if necessary by the next process that opens the store. Reads see both. A
 * local store is opened as by nitro_store_open.
 * @return as nitro_store_open, but NITRO_OK also if the store cannot be reached (with a warning in
 *         the log).
 */
NITRO_API nitro_status nitro_store_open_journaled(nitro_context *context, const char *url,
                                                  nitro_store **store);

/**
 * Send the unsent samples of a store's journal, retrying for up to `patience_ms`.
 * @param[out] waiting  the number of samples that are still unsent; may be NULL.
 * @return NITRO_OK also if the store cannot be reached; an error if it refuses a sample.
 */
NITRO_API nitro_status nitro_store_flush(nitro_store *store, double patience_ms, size_t *waiting);

/** The number of unsent samples in a store's journal; 0 without a journal. */
NITRO_API nitro_status nitro_store_count_unsent(nitro_store *store, size_t *waiting);

/* ---- Measuring and tuning ----------------------------------------------------------------- */

/** One input to measure. `load` and `unload` run in the worker process that measures it. */
typedef struct nitro_input {
    const char *name;
    /** Make the argument of the variants. */
    nitro_status (*load)(nitro_context *context, void *state, void **argument);
    void (*unload)(void *argument); /* NULL: nothing to free */
    void *state;                    /* borrowed */
} nitro_input;

/** The state of caches before a run. */
typedef enum nitro_cache {
    NITRO_CACHE_WARM, /* as the previous runs left them */
    NITRO_CACHE_COLD  /* flushed before each run */
} nitro_cache;

/**
 * How variants are repeated. A repetition is one timing: of one call, or of a batch if a call takes
 * under 0.05 ms and there is neither a restore_input hook nor a cold cache. Variants take turns of
 * up to 20 ms or 40 repetitions, after an untimed call if caches are warm. Repetitions come in
 * blocks. A block's time is the median of the faster half; a variant is done when this is steady or
 * a limit is reached. nitro_tune() measures each input in at least two blocks, with other inputs
 * between them, and in more while the two fastest differ by over 3 % in a variant that may be the
 * best (another clock, other load); the times of the fastest block are kept.
 */
typedef struct nitro_measure_options {
    unsigned warmups;         /* rounds that are not timed, after the first, checked run */
    unsigned min_repetitions; /* of each variant in a block, at least 1 */
    unsigned max_repetitions; /* at least min_repetitions, at most 10^6 */
    unsigned max_blocks;      /* 0 or 1: one */
    double steady_spread;     /* stop when half the 95 % confidence interval of the median, relative
                                 to the median, is below this; 0: never */
    double budget_ms;  /* above 0: stop a variant's block after this much of its own time, but
                          not below the minimum; a run that takes all of it counts once */
    double timeout_ms; /* above 0: a longer call of a variant's function counts as hung; opening the
                          device, loading and features may take 20 times as long */
    size_t memory_limit_bytes; /* a worker with more resident memory, that of the processes which it
                                  started included, is killed; 0: no limit */
    nitro_cache cache;         /* recorded with samples; cold and warm ones are not mixed */
} nitro_measure_options;

typedef struct nitro_tune_progress {
    size_t done, total; /* inputs */
    size_t resumed;     /* of `done`, those found in the store */
    size_t failed;      /* inputs that could not be loaded */
    size_t again;       /* further blocks of inputs, measured so far */
    double elapsed_ms;
    const char *input; /* the last one done; NULL: waiting for other tuners of the device */
    const char *best;  /* its fastest variant, or NULL */
} nitro_tune_progress;

typedef struct nitro_tune_options {
    nitro_measure_options measure;
    bool (*progress)(void *user,
                     const nitro_tune_progress *progress); /* false: stop. May be NULL */
    void *progress_user;
    bool again; /* measure and replace samples that the store already has */
} nitro_tune_options;

/**
 * Set all options to their defaults, which NULL for options stands for: 1 warm-up, 10 to 100
 * repetitions, up to 6 blocks, a steady spread of 0.02, a budget of 250 ms and a time limit of
 * 30 s, three quarters of this machine's memory, warm caches, no progress.
 */
NITRO_API void nitro_tune_options_init(nitro_tune_options *options);

/**
 * Measure every variant on every input on one device, and store each sample durably before the next
 * input. Inputs stay loaded, up to 1 GB or a quarter of the memory limit, and are measured in turns
 * until their times hold (nitro_measure_options); each block is stored before the next.
 * Inputs that the store already has for this device are skipped, so a killed run resumes. If
 * a variant's version changed, that variant alone is measured again; if the input's features
 * changed, all are. A version includes the variant's machine code (nitro_variant.version), so that
 * a module that was built anew keeps the times of what is still the same; a newer Nitro keeps all.
 *
 * If the store has another set of variants or features, in another order, or both, its samples are
 * changed to the declared one (a store on this machine only): the others keep their times, new
 * variants alone are measured, new features are evaluated, and what is no longer declared is kept
 * as the computation NAME.retired until it is declared again. Warnings in the log name all of
 * these.
 *
 * Each input is measured in a forked worker process: if a variant crashes, hangs, fails its check
 * or exceeds the memory limit, only its entry is lost, with the reason recorded. An input that
 * cannot be loaded is skipped with a warning in the log. Call this before the process starts OpenMP
 * or other threads, which do not survive a fork. Workers have no standard input, leave no core
 * files, and die with this process, as do processes that a variant forks, unless they leave the
 * process group. If the reference variant fails, the first other one replaces it, and the entries'
 * details say so.
 *
 * For devices with their own clock and caches (CUDA), each worker opens the device before it loads
 * the input; NITRO_TIME_DEVICE measures between events on the stream of the hook `stream`. The
 * device's error messages, also asynchronous ones, become the variant's detail; after an error that
 * makes the device unusable in the process, a new worker measures the other variants. Device clocks
 * and throttling are recorded with the sample.
 *
 * @param[in] device  "host" or a device id from `nitro devices`: of this machine and of the
 *                    computation's kind, or modelled. Several, as "a,b,c" with at most one that is
 *                    not modelled: each input is then loaded only once. The device's description in
 *                    the store is replaced; features measured by microbenchmarks are kept if the
 *                    new description has none.
 * @param[in] inputs  shape [num_inputs], borrowed until return; names differ.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (no inputs, two of one name, options out of range, a device
 *         of another kind than the computation's, or without the required clock or cache flush);
 *         NITRO_ERR_MISMATCH (a shared store has another set of features or variants: the error
 *         has both; or this device as another kind; or samples of it with the other cache state);
 *         NITRO_ERR_NOT_FOUND (device, or the model of a modelled one); NITRO_ERR_IO (the store
 *         cannot be written; stored samples are safe); NITRO_ERR_DENIED (its server refuses this
 *         user; stored samples are safe); NITRO_ERR_INTERRUPTED (after the sample was stored); if
 *         no input could be loaded, the first one's error.
 */
NITRO_API nitro_status nitro_tune(nitro_computation *computation, nitro_store *store,
                                  const char *device, const nitro_input *inputs, size_t num_inputs,
                                  const nitro_tune_options *options);

/** Learning takes several steps; how many is not known before. */
typedef struct nitro_learn_progress {
    const char *step;   /* "sources by themselves", "LODO validation" or "CV-DFS" */
    size_t done, total; /* of its models, trained and judged */
} nitro_learn_progress;

typedef struct nitro_learn_options {
    const char *const *sources; /* device ids, shape [num_sources]; NULL: all. The target is
                                     never its own source */
    size_t num_sources;
    const char *strategy; /* "auto" by default; "svm" is the paper's method */
    const char *dfs;      /* device-feature selection; NULL: the strategy's default */
    /* The paper's switches: profiling only is dfs "profile", search only "cv", both "both". A
     * contradicting `dfs` is an error. */
    bool profiling_based_dfs;
    bool search_based_dfs;
    /** All sources count the same. By default they count by their similarity to the target, chosen
     * by validation, unless the strategy is a method as published or uses device features. */
    bool equal_sources;
    size_t dfs_max_subset; /* search-based: size of the largest subset; 3 by default */
    size_t dfs_k;          /* search-based: number of device features to choose; 1 by default */
    const char *proxies;   /* profile-based: a file of further proxies, as data/proxies/paper.json;
                              NULL: none */
    /** Use device features even if the target lies outside the sources' range or validation shows
     *  that they mislead, as published methods do. */
    bool unguarded;
    /**
     * Active learning: correct the model by this many measurements on the target, of the most
     * informative inputs; 0 (the default): none. Candidates are the sources' inputs that are in
     * `measurable`, shape [num_measurable], or if that is NULL those that the store has samples of
     * on the target.
     */
    size_t num_measured;
    const char *const *measurable;
    size_t num_measurable;
    /** Measure these inputs on the target and store their samples, as nitro_tune() does. NULL: the
     *  store has them. */
    nitro_status (*measure)(void *user, const char *const *inputs, size_t count);
    void *measure_user;
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
    /** On the calling thread; false: stop. May be NULL. */
    bool (*progress)(void *user, const nitro_learn_progress *progress);
    void *progress_user;
} nitro_learn_options;

/** Set all options to their defaults, which NULL for options stands for. */
NITRO_API void nitro_learn_options_init(nitro_learn_options *options);

/**
 * Learn a model for `target` from samples of the source devices (paper, Section 3), without samples
 * of the target unless `num_measured` asks for some. The target's device features come from the
 * store, or from this machine. Same samples, options and seed: the same model, byte for byte.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (computation, device, strategy or `dfs`);
 *         NITRO_ERR_NO_DATA (no training data, or no input to measure); NITRO_ERR_ARGUMENT (a
 *         source named twice, `dfs` contradicts its switches, a subset size out of range, or a
 *         strategy that measurements cannot adapt); NITRO_ERR_INTERRUPTED (by `progress`); an
 *         error of `measure`.
 */
NITRO_API nitro_status nitro_tune_from_source(nitro_context *context, nitro_store *store,
                                              const char *computation, const char *target,
                                              const nitro_learn_options *options,
                                              nitro_model **model);

/** Learn a model for a measured device from its own samples (target-trained). `sources` and the
 *  options of device-feature selection are ignored. Errors as above. */
NITRO_API nitro_status nitro_learn_own(nitro_context *context, nitro_store *store,
                                       const char *computation, const char *device,
                                       const nitro_learn_options *options, nitro_model **model);

/**
 * Move the calls that monitoring recorded (nitro_monitor_options.num_recorded) to a store: one
 * sample per set of features, named observed- and a digest of them, with the median time of every
 * variant and origin "observed". If the sample exists, the variants seen since are replaced. The
 * device is the attached model's target if that is on this machine, else this machine's of the
 * computation's kind, as the store or this machine describes it.
 * One thread at a time; others may run the computation meanwhile.
 * @param[out] num_samples  number of stored samples; may be NULL.
 * @return NITRO_OK, also if there are none; NITRO_ERR_ARGUMENT (recording is off);
 *         NITRO_ERR_NOT_FOUND (the device); an error of the store: the calls are then kept.
 */
NITRO_API nitro_status nitro_computation_flush_observations(nitro_computation *computation,
                                                            nitro_store *store,
                                                            size_t *num_samples);

/**
 * Make online learning durable: record calls (by monitoring with its defaults, if the computation
 * is not monitored yet), begin with the times of calls that the store has of this computation and
 * device, and move new ones there as nitro_computation_flush_observations() does, from a thread:
 * every `interval_s` seconds, when the computation is freed or nitro_computation_monitor() is
 * called, and at the process's exit, for which at most 2 s are waited. What cannot be stored is
 * kept (the newest num_recorded calls), and a warning in the log says why. Of calls with other
 * features than the first 10,000 sets in the store, none is stored: a warning says so once.
 * Calling it again ends the former recording. In a forked child there is no recording.
 * @param[in] url  of the store, opened as by nitro_store_open_journaled(); NULL: the default one.
 * @param[in] interval_s  above 0, at most 10^6.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (an interval out of range, or calls are monitored but not
 *         recorded); NITRO_ERR_MISMATCH (the store has another set of features or variants); an
 *         error of opening or reading the store.
 */
NITRO_API nitro_status nitro_computation_record_to(nitro_computation *computation, const char *url,
                                                   double interval_s);

/* ---- Tuning parameters ---------------------------------------------------------------------- */

/**
 * A function with tuning parameters that it reads at run time. Static and const as a rule; borrowed
 * while it is used. What `run`, `check`, `copy` and `discard` are given as `user` is the member.
 */
typedef struct nitro_tunable {
    const char *name;
    const char *version; /* change it with the code: evaluations of another version do not count.
                            NULL: "1" */
    const char *space;   /* JSON: parameters and constraints, in the T1 format (docs/search.md) */
    /** Do the whole computation with these values, shape [number of parameters], in the order of
     *  declaration; of a string, its position. 0: success. */
    int (*run)(void *argument, const double *values, void *user);
    /** Optional: nonzero where the result of the last run is wrong; `why` has shape [size]. */
    int (*check)(void *argument, char *why, size_t size, void *user);
    /** Optional: make and free an argument, for searches that are given no input. They run in
     *  worker processes. */
    nitro_status (*load)(nitro_context *context, void *user, void **argument);
    void (*unload)(void *argument);
    /** Optional: a copy of an argument (NULL: it cannot be made), on which online tuning tries
     *  configurations, and its end. */
    void *(*copy)(const void *argument, void *user);
    void (*discard)(void *copy, void *user);
    /** Optional: why the last run or load of an argument failed, as in
     *  nitro_computation_set_problem; for searches in worker processes. */
    nitro_problem_text_function problem;
    /** A run only overwrites outputs: it may be repeated on its argument, also after it failed. */
    bool repeatable;
    void *user; /* borrowed */
} nitro_tunable;

/** What a tuner did so far, and what online tuning cost. */
typedef struct nitro_tuner_statistics {
    uint64_t num_evaluated; /* configurations, those found in the store included */
    uint64_t num_invalid;   /* of them */
    uint64_t num_stored;    /* of them, found in the store */
    double first_ms;        /* time of the first valid configuration; NaN: none yet */
    double best_ms;         /* of the best one */
    bool is_finished;       /* the budget is used up, or all is evaluated */
    /* Online, since nitro_computation_add_tunable: */
    uint64_t num_calls; /* of the variant */
    uint64_t num_tries; /* calls that tried a configuration, or handed a copy to the thread */
    double tried_ms;    /* time of tried runs; in the background too */
    double choosing_ms; /* time of choosing configurations, and of storing their times */
    double checking_ms; /* time of `check` */
    double copying_ms;  /* time of `copy` and `discard` */
    double lost_ms;     /* what these delayed the calls by: tried runs count by what they took
                           longer than the best configuration known then, if there was one */
    double saved_ms;    /* estimate of what the calls saved over the first valid configuration */
} nitro_tuner_statistics;

typedef struct nitro_tuner_options {
    const char *searcher; /* "auto", "genetic:population=30", ... (`nitro help search`); NULL:
                             auto. Not those that need performance counters */
    const char *budget;   /* evaluations ("220"), seconds of evaluating ("60s"), a fraction of the
                             space ("0.1"), a time in ms that is good enough ("time<=1.5"); several
                             with commas: the first one reached counts. NULL: 220 */
    uint64_t seed;
    const double *starts; /* shape [num_starts x number of parameters]: configurations to begin
                             with, best first; copied */
    size_t num_starts;
    nitro_store *store; /* evaluations are kept there, as samples of NAME.search on this host, and
                           are not made again; borrowed, and used by no other thread while calls
                           tune. A forked child cannot use it. NULL: nothing is kept */
    bool (*progress)(void *user, const nitro_tuner_statistics *statistics); /* after each evaluation
                            of nitro_tuner_search; false: stop. May be NULL */
    void *progress_user;
} nitro_tuner_options;

/** Set all options to their defaults. */
NITRO_API void nitro_tuner_options_init(nitro_tuner_options *options);

/**
 * A search in the space of a tunable. Configurations are evaluated by the caller (nitro_tuner_ask
 * and nitro_tuner_tell), in worker processes (nitro_tuner_search) or by calls of an application
 * (nitro_computation_add_tunable); one after the other, these go on from what is known.
 */
typedef struct nitro_tuner nitro_tuner;

/**
 * Begin a search. The same tunable, times, options and seed give the same configurations.
 * @param[in] tunable  borrowed; of its functions only those that are used need to be there.
 * @return NITRO_OK; NITRO_ERR_FORMAT (the space: the error names the field); NITRO_ERR_ARGUMENT
 *         (name, searcher, budget, or a start outside the space); NITRO_ERR_MISMATCH (the store has
 *         NAME.search with other parameters); an error of the store.
 */
NITRO_API nitro_status nitro_tuner_create(nitro_context *context, const nitro_tunable *tunable,
                                          const nitro_tuner_options *options, nitro_tuner **tuner);
/** Free a tuner, after the computation that it was added to. Waits for a try in the background. */
NITRO_API void nitro_tuner_free(nitro_tuner *tuner);

NITRO_API size_t nitro_tuner_num_parameters(const nitro_tuner *tuner);
/** NULL if the index is out of range; owned by the tuner. */
NITRO_API const char *nitro_tuner_parameter_name(const nitro_tuner *tuner, size_t index);

/**
 * The next configuration to evaluate. Several may be asked for before they are told. One thread at
 * a time; not while calls tune online.
 * @param[out] values       shape [nitro_tuner_num_parameters]; untouched when finished.
 * @param[out] is_finished  the budget is used up, or is awaited to the last evaluation, or the
 *                          method has nothing to ask.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_tuner_ask(nitro_tuner *tuner, double *values, bool *is_finished);

/**
 * Tell the time of a configuration, also of one that was not asked for. Of several times of one
 * configuration the first counts.
 * @param[in] time_ms  NaN: invalid (it failed, or its result was wrong).
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (values outside the space, a time of 0, less or infinite);
 *         NITRO_ERR_UNSUPPORTED (a forked child, with a store); an error of the store.
 */
NITRO_API nitro_status nitro_tuner_tell(nitro_tuner *tuner, const double *values, double time_ms);

/**
 * The best configuration so far. Safe from any thread.
 * @param[out] time_ms  may be NULL.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no valid one is known): nothing is written.
 */
NITRO_API nitro_status nitro_tuner_best(const nitro_tuner *tuner, double *values, double *time_ms);

/**
 * Search until the budget is used up. Each configuration runs in a worker process, is checked and
 * timed as variants are by nitro_tune(); one that crashes, hangs, fails or computes a wrong result
 * is invalid.
 * @param[in] input    NULL: what the tunable's `load` makes.
 * @param[in] measure  NULL: the defaults.
 * @return NITRO_OK, also if no configuration is valid; NITRO_ERR_ARGUMENT (no input, options out of
 *         range); NITRO_ERR_INTERRUPTED (by `progress`); an error of the store, or of an input that
 *         cannot be made.
 */
NITRO_API nitro_status nitro_tuner_search(nitro_tuner *tuner, const nitro_input *input,
                                          const nitro_measure_options *measure);

/** On what online tuning tries configurations. */
typedef enum nitro_online_data {
    NITRO_ONLINE_OWN,       /* the call's own argument: a try's result is the call's result. Where
                               it fails or is wrong, a repeatable tunable is run again with the
                               best configuration; otherwise the call fails */
    NITRO_ONLINE_COPY,      /* a copy, before the call's own run: tries have no effect but time */
    NITRO_ONLINE_BACKGROUND /* a copy, by a thread of the tuner: the call goes on at once. The first
                               valid configuration is found as with NITRO_ONLINE_COPY. A forked
                               child has no such thread, and runs the best one known */
} nitro_online_data;

typedef struct nitro_online_options {
    double share; /* at most this share of the calls try a configuration, in (0, 1]; default 0.1.
                     Until a valid one is known, every call does */
    nitro_online_data data;
    unsigned repetitions; /* runs whose median is a configuration's time, 1 to 100; default 3. One
                             whose first run takes 1.2 times the best is given up */
} nitro_online_options;

/** Set all options to their defaults. */
NITRO_API void nitro_online_options_init(nitro_online_options *options);

/**
 * Declare a variant with the tunable's name, version and `run`, which takes the best configuration
 * known, and in some calls tries another one: dynamic tuning (Petrovic et al. 2020). Calls of a
 * tuner are tunings for one kind of input; use nitro_tuner_restart() for another. When the budget
 * is used up, the best configuration runs and a message in the log (info) says what it cost. If the
 * store refuses an evaluation, a warning in the log says why, and no further ones are stored. A try
 * runs in this process: a configuration that crashes ends it. While no valid configuration is
 * known, a call fails with -1.
 * @param[in] tuner    must outlive the computation. One tuner serves one computation.
 * @param[in] options  NULL: the defaults.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (an option out of range, no `copy` for copies, a tuner that
 *         was added before; or as nitro_computation_add_variant); NITRO_ERR_NO_MEMORY (no thread).
 * Calls are as safe from several threads as `run` is; one at a time tries.
 */
NITRO_API nitro_status nitro_computation_add_tunable(nitro_computation *computation,
                                                     nitro_tuner *tuner,
                                                     const nitro_online_options *options);

/**
 * Search anew, with the whole budget, as for a new device or another size of input. Begins with the
 * best configuration so far, which calls go on to use. Safe from any thread: takes effect with the
 * next try or nitro_tuner_ask. Evaluations are not stored from here on.
 */
NITRO_API nitro_status nitro_tuner_restart(nitro_tuner *tuner);

/** Counts and times so far. @return NITRO_OK. Safe from any thread. */
NITRO_API nitro_status nitro_tuner_get_statistics(const nitro_tuner *tuner,
                                                  nitro_tuner_statistics *statistics);

/* ---- Modules: computations in shared objects ---------------------------------------------- */

#define NITRO_MODULE_VERSION 3

/**
 * A computation with its inputs, as the command line uses it. A shared object that exports
 * `const nitro_module *nitro_module_get(void);` can be named wherever a computation is:
 * `nitro tune ./libmine.so ...`. The function returns an array of static storage that ends with an
 * entry of zeros; of several computations, ./libmine.so:NAME is one.
 */
typedef struct nitro_module {
    unsigned version; /* NITRO_MODULE_VERSION */
    const char *name;
    const char *description; /* one line */

    /** The kind of device that its variants run on, e.g. "cuda"; NULL: "host". For several kinds,
     *  there are several modules of one name. */
    const char *device_kind;

    /** The computation; `hooks` are added to it, so that a library's declaration need not have what
     *  only measuring needs. NULL: none. */
    const nitro_declaration *declaration;
    const nitro_hooks *hooks;
    /** Instead of a declaration: create the computation with its variants, features and hooks. */
    nitro_status (*create)(nitro_context *context, nitro_computation **computation);

    /** Read an input from a file; errors name file and line. Like `generate`, it must not use the
     *  device, for it may run before a fork; `prepare` and `run` may. */
    nitro_status (*load)(nitro_context *context, const char *path, void **argument);

    /**
     * Optional: generate input number `index` of a training set, the same for the same seed.
     * @param[out] name      shape [name_size]
     * @param[out] argument  the input; NULL: only the name is needed.
     */
    nitro_status (*generate)(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument);

    void (*unload)(void *argument);

    /** Optional: describe an input in one line, e.g. its sizes. */
    void (*describe)(const void *argument, char *text, size_t size);

    /** Optional: the feature that has the value which others call `name`, so that models of
     * recorded measurements decide for its inputs; NULL: none has. */
    const char *(*feature_alias)(const char *name);
} nitro_module;

typedef const nitro_module *(*nitro_module_get_function)(void);

#ifdef __cplusplus
}
#endif

#endif
