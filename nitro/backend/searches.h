/* searches.h - running searches: evaluators, the driver, scores. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_SEARCHES_H
#define NITRO_BACKEND_SEARCHES_H

#include "nitro/backend/spaces.h"
#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Evaluators ------------------------------------------------------------------------------ */

/** Says what a configuration takes: by measuring, or from a recording. */
typedef struct nitro_evaluator {
    const char *name; /* "recorded", "c" */
    /**
     * Evaluate one configuration of the space that it was opened with.
     * @param[out] answer  an invalid configuration is an answer too. Its counters belong to the
     *                     evaluator, until the next call.
     * @return NITRO_OK; an error ends the search: nothing can be evaluated.
     */
    nitro_status (*evaluate)(void *state, const nitro_search_question *question,
                             nitro_search_answer *answer);
    void (*close)(void *state);
    void *state;
    const char *const *counter_names; /* shape [num_counters]; owned by the evaluator */
    size_t num_counters;
    uint64_t digest; /* of source code, its options and compiler; 0: it compiles none */
} nitro_evaluator;

/** Answers of a recording, which it borrows; a missing one is an invalid configuration. */
NITRO_API nitro_evaluator nitro_evaluator_recorded(const nitro_recording *recording);

/** Code with tuning parameters, as a description file names it (T1: KernelSpecification). */
typedef struct nitro_tunable_source {
    const char *language;                /* "C" */
    const char *name;                    /* of the function: KernelName */
    const char *path;                    /* of its source: KernelFile */
    const char *const *compiler_options; /* ended by NULL */
} nitro_tunable_source;

/** A kind of source code that can be tuned. */
typedef struct nitro_evaluator_kind {
    const char *name; /* "c" */
    const char *description;
    const char *language; /* of the sources that it takes */
    nitro_status (*open)(nitro_context *context, const nitro_space *space,
                         const nitro_tunable_source *source, const nitro_measure_options *options,
                         nitro_evaluator *evaluator);
} nitro_evaluator_kind;

/** In the order of their list, ended by NULL. */
NITRO_API const nitro_evaluator_kind *const *nitro_builtin_evaluators(void);

/** What tuning code needs beside the space: read from the same description. */
typedef struct nitro_tunable_description {
    char *language, *name, *path; /* `path`: relative to the description's folder, made absolute */
    char **compiler_options;      /* ended by NULL */
} nitro_tunable_description;

/** @return as nitro_space_read; NITRO_ERR_NOT_FOUND: the file has no KernelSpecification. */
NITRO_API nitro_status nitro_tunable_description_read(nitro_context *context, const char *path,
                                                      nitro_tunable_description **description);
NITRO_API void nitro_tunable_description_free(nitro_tunable_description *description);

/**
 * Open an evaluator for source code: each configuration is compiled, loaded in a worker process,
 * checked and timed, as variants are.
 * @param[in] options  NULL: the defaults.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (no evaluator for the language, or no such file);
 *         NITRO_ERR_ARGUMENT (a parameter's name is no identifier).
 */
NITRO_API nitro_status nitro_evaluator_source(nitro_context *context, const nitro_space *space,
                                              const nitro_tunable_source *source,
                                              const nitro_measure_options *options,
                                              nitro_evaluator *evaluator);

/** What a shared object exports as `nitro_tunable_get` that `nitro search` can name: one tunable,
 * of static storage, with `load`. */
typedef const nitro_tunable *(*nitro_tunable_get_function)(void);

/** Evaluate a tunable in worker processes. @param[in] input  NULL: what its `load` makes.
 * @param[in] options  NULL: the defaults. */
NITRO_API nitro_status nitro_evaluator_tunable(nitro_context *context, const nitro_space *space,
                                               const nitro_tunable *tunable,
                                               const nitro_input *input,
                                               const nitro_measure_options *options,
                                               nitro_evaluator *evaluator);

/**
 * Evaluate configurations of a variant that is a kernel compiled at run time (nitro/kernels.h), in
 * worker processes. Borrows the computation and the space, whose first parameters are the kernel's.
 * @param[in] device   an id of the computation's kind; NULL: the first device. Borrowed.
 * @param[in] options  NULL: the defaults.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT: the variant is no such kernel.
 */
NITRO_API nitro_status nitro_evaluator_kernel(nitro_context *context, const nitro_space *space,
                                              nitro_computation *computation, size_t variant,
                                              const nitro_input *input, const char *device,
                                              const nitro_measure_options *options,
                                              nitro_evaluator *evaluator);
NITRO_API void nitro_evaluator_close(nitro_evaluator *evaluator);

/* ---- Searching ------------------------------------------------------------------------------- */

/** When a search ends: as soon as one of these is reached. */
typedef struct nitro_search_budget {
    uint64_t evaluations; /* 0: no limit */
    double seconds;       /* of evaluating; 0: no limit */
    double fraction;      /* of the space; 0: no limit */
    double good_ms;       /* a time that is good enough; 0: none */
} nitro_search_budget;

/** "220", "60s", "0.1" (of the space), "time<=1.5" (ms); several, with commas between them.
 *  @return NITRO_OK or NITRO_ERR_ARGUMENT. */
NITRO_API nitro_status nitro_search_budget_parse(nitro_context *context, const char *text,
                                                 nitro_search_budget *budget);

typedef struct nitro_search_progress {
    uint64_t done, total;            /* evaluations; total 0: unknown */
    uint64_t resumed;                /* of `done`, those found in the store */
    double seconds;                  /* spent so far, of the budget's kind */
    double seconds_left;             /* NaN: unknown */
    const nitro_search_answer *last; /* NULL before the first */
    const nitro_search_answer *best; /* NULL: none is valid */
} nitro_search_progress;

typedef struct nitro_search_options {
    const nitro_searcher *searcher; /* NULL: the one of the highest priority */
    const char *searcher_options;   /* "population=26,mutation=0.02"; NULL: defaults */
    nitro_search_budget budget;     /* all 0: 220 evaluations */
    uint64_t seed;
    const uint64_t *starts; /* shape [num_starts]: configurations to begin with, best first */
    size_t num_starts;
    const nitro_counter_model *counter_model; /* or NULL */
    const nitro_device *device;               /* or NULL; needed with a store */
    /** Each evaluation is stored before the next question, as a sample of the computation
     *  "NAME.search", and what the store has is not evaluated again. NULL: nothing is kept. */
    nitro_store *store;
    const char *name;    /* of what is tuned */
    const char *version; /* of its code; NULL: "1" */
    bool (*progress)(void *user, const nitro_search_progress *progress); /* false: stop */
    void *progress_user;
} nitro_search_options;

/** What a search found. */
typedef struct nitro_search_result {
    size_t num_answers;
    nitro_search_answer *answers; /* shape [num_answers], in the order of evaluation; no
                                     configuration twice; without counters */
    double *seconds;              /* shape [num_answers]: spent when it was known */
    uint64_t *evaluations;        /* shape [num_answers]: their number then; profiled runs of known
                                     configurations count */
    size_t best;                  /* of the answers; NITRO_NONE: none is valid */
    uint64_t resumed;             /* answers that the store had */
    double searcher_cpu_ms;       /* processor time of choosing, all steps */
    bool interrupted;             /* progress asked to stop */
} nitro_search_result;

/** Set all options to their defaults. */
NITRO_API void nitro_search_options_init(nitro_search_options *options);

/**
 * Search a space. The same space, answers, options and seed give the same questions, also after an
 * interruption, provided that the budget is not in seconds.
 * @return NITRO_OK, also if no configuration is valid; NITRO_ERR_ARGUMENT (an unknown option of the
 *         searcher, a value out of range); NITRO_ERR_MISMATCH (the store has the computation with
 *         other parameters); an error of the evaluator, the searcher or the store: what was
 *         evaluated before is stored.
 */
NITRO_API nitro_status nitro_search(nitro_context *context, const nitro_space *space,
                                    nitro_evaluator *evaluator, const nitro_search_options *options,
                                    nitro_search_result **result);
NITRO_API void nitro_search_result_free(nitro_search_result *result);

/** A searcher by name, or NULL. */
NITRO_API const nitro_searcher *nitro_searcher_find(const char *name);
/** The one of the highest priority, or NULL. */
NITRO_API const nitro_searcher *nitro_searcher_default(void);

/** "block=16 unroll=4": names and values of the parameters that vary. NULL: out of memory. */
NITRO_API char *nitro_configuration_text(nitro_context *context, const nitro_space *space,
                                         uint64_t configuration);
/** From such a text; parameters of one value may be left out. @return NITRO_OK;
 *  NITRO_ERR_MISMATCH: not of this space. */
NITRO_API nitro_status nitro_configuration_parse(nitro_context *context, const nitro_space *space,
                                                 const char *text, uint64_t *configuration);

/* ---- Scores of searchers on recorded spaces -------------------------------------------------- */

/** Numbers of evaluations at which the best time so far is reported. */
#define NITRO_SEARCH_POINTS 4
extern NITRO_API const uint64_t nitro_search_points[NITRO_SEARCH_POINTS]; /* 20, 50, 100, 220 */

/** How good a searcher is on a recorded space: means over repetitions. */
typedef struct nitro_search_score {
    double best_ms[NITRO_SEARCH_POINTS];    /* NaN while none is valid in any repetition */
    double best_error[NITRO_SEARCH_POINTS]; /* standard errors; 0: exact; NaN: of one search */
    double mae, mae_error; /* mean over 40, 60 .. 220 of (best so far - optimum), in ms */
    double to_10_percent;  /* evaluations until within 10 % of the optimum; a repetition that does
                              not get there counts with all of its evaluations */
    double reached;        /* share of the repetitions that get there */
    double community;      /* the community's performance score: 1 the optimum at once, 0 random */
    double cpu_ms;         /* of choosing, a step */
} nitro_search_score;

/** The expectations of random search without replacement, computed: nothing is drawn. */
NITRO_API nitro_status nitro_search_score_random(nitro_context *context,
                                                 const nitro_recording *recording,
                                                 nitro_search_score *score);

typedef struct nitro_search_trial {
    const nitro_searcher *searcher;
    const char *searcher_options;             /* or NULL */
    const nitro_counter_model *counter_model; /* or NULL */
    const uint64_t *starts;                   /* shape [num_starts] */
    size_t num_starts;
    uint64_t seed;            /* repetitions have the seeds after it */
    unsigned repetitions;     /* 0: 35 */
    uint64_t max_evaluations; /* of a search for the community score, which may take longer than
                                 220 evaluations; at least 220 */
    unsigned num_threads;     /* 0: one a core; results do not depend on it */
} nitro_search_trial;

/** Simulate searches of a recorded space. */
NITRO_API nitro_status nitro_search_score_searcher(nitro_context *context,
                                                   const nitro_recording *recording,
                                                   const nitro_search_trial *trial,
                                                   nitro_search_score *score);

/** Points of a curve, and its quantiles over repetitions: 0.1, 0.5, 0.9. */
#define NITRO_CURVE_POINTS    220
#define NITRO_CURVE_QUANTILES 3

/** How the best time so far falls, in ms; NaN: no valid configuration yet. */
typedef struct nitro_search_curve {
    double by_evaluations[NITRO_CURVE_POINTS][NITRO_CURVE_QUANTILES]; /* after 1, 2, ... */
    double seconds[NITRO_CURVE_POINTS]; /* even, to the median duration of a search */
    double by_seconds[NITRO_CURVE_POINTS][NITRO_CURVE_QUANTILES];
} nitro_search_curve;

/** Simulate searches of a recorded space and keep their course. */
NITRO_API nitro_status nitro_search_trace(nitro_context *context, const nitro_recording *recording,
                                          const nitro_search_trial *trial,
                                          nitro_search_curve *curve);

/* ---- Portfolios ------------------------------------------------------------------------------ */

/** Most configurations of a portfolio. */
#define NITRO_MAX_PORTFOLIO 64

/** A few configurations of which one serves each case well: an input on a device. */
typedef struct nitro_portfolio {
    size_t num_configurations;
    uint64_t configurations[NITRO_MAX_PORTFOLIO];
    double *quality;          /* shape [num_cases]: best time of the case over that of the best
                                 member, in [0, 1]; 0: no member is valid there */
    double *quality_left_out; /* shape [num_cases]: of members chosen without the case */
} nitro_portfolio;

/**
 * Choose at most `most` configurations that maximise the mean quality over the cases: greedily,
 * then by swaps. Of configurations that serve them about as well, those are taken that also do
 * where times are geometric means of the cases', as on an unknown device between the known ones. A
 * case without a valid configuration does not count.
 * @param[in] cases  shape [num_cases], of one space, and complete: a configuration that was not
 *                   measured in a case counts as invalid there.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT; NITRO_ERR_MISMATCH (recordings of different spaces).
 */
NITRO_API nitro_status nitro_portfolio_choose(nitro_context *context,
                                              const nitro_recording *const *cases, size_t num_cases,
                                              size_t most, nitro_portfolio **portfolio);
NITRO_API void nitro_portfolio_free(nitro_portfolio *portfolio);

#ifdef __cplusplus
}
#endif

#endif
