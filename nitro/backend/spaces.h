/* spaces.h - tuning-parameter spaces, what searchers are asked and told, recordings. Part of
 * nitro_backend.h. */
#ifndef NITRO_BACKEND_SPACES_H
#define NITRO_BACKEND_SPACES_H

#include "nitro/backend/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Spaces ---------------------------------------------------------------------------------- */

/** Most tuning parameters of a space, and most values of one parameter. */
#define NITRO_MAX_PARAMETERS       64
#define NITRO_MAX_PARAMETER_VALUES 65535

typedef enum nitro_parameter_type {
    NITRO_PARAMETER_INTEGER,
    NITRO_PARAMETER_REAL,
    NITRO_PARAMETER_BOOLEAN,
    NITRO_PARAMETER_STRING
} nitro_parameter_type;

/** One value that a tuning parameter may take. */
typedef struct nitro_parameter_value {
    double number; /* integers exactly, booleans as 0 and 1; of a string, its position */
    char *text;    /* as it is printed and given to compilers; owned by the space */
} nitro_parameter_value;

/** A tuning parameter: a name and its ordered values. */
typedef struct nitro_parameter {
    char *name;
    nitro_parameter_type type;
    size_t num_values; /* at least 1; a parameter of one value is constant */
    nitro_parameter_value *values;
} nitro_parameter;

/**
 * The combinations of parameter values that satisfy all constraints. A configuration is known by
 * its rank in [0, size), in lexicographic order of the value indices of a fixed order of the
 * parameters, or by its value indices, shape [num_parameters], in the order of declaration.
 * Immutable; safe from any number of threads.
 */
typedef struct nitro_space nitro_space;

/** Most neighbours that nitro_space_neighbours lists. */
#define NITRO_MAX_NEIGHBOURS 1000000

/** "No such configuration". */
#define NITRO_NO_CONFIGURATION UINT64_MAX

/**
 * Read a space from JSON: the T1 input format (ConfigurationSpace with TuningParameters and
 * Conditions). Constraints are parsed, never executed.
 * A constraint that is undefined for a configuration (a division by zero) excludes it, with a
 * warning in the log.
 * @param[in] origin  names the text in errors, as in "gemm.json".
 * @return NITRO_OK; NITRO_ERR_FORMAT (the field is named; also for an empty space);
 * NITRO_ERR_UNSUPPORTED (too large to count); NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_space_parse(nitro_context *context, const char *origin,
                                         const char *text, size_t size, nitro_space **space);
/** The same from a file, which may be compressed by gzip. @return also as nitro_file_read. */
NITRO_API nitro_status nitro_space_read(nitro_context *context, const char *path,
                                        nitro_space **space);
/**
 * A space of listed configurations, without constraints; equal ones are an error.
 * @param[in] parameters      shape [num_parameters]; copied.
 * @param[in] configurations  value indices, shape [num_configurations x num_parameters].
 */
NITRO_API nitro_status nitro_space_list(nitro_context *context, const nitro_parameter *parameters,
                                        size_t num_parameters, const uint16_t *configurations,
                                        size_t num_configurations, nitro_space **space);
NITRO_API nitro_status nitro_space_copy(nitro_context *context, const nitro_space *from,
                                        nitro_space **space);
NITRO_API void nitro_space_free(nitro_space *space);

NITRO_API size_t nitro_space_num_parameters(const nitro_space *space);
NITRO_API const nitro_parameter *nitro_space_parameter(const nitro_space *space, size_t parameter);
/** Index of a parameter, or NITRO_NONE. */
NITRO_API size_t nitro_space_find_parameter(const nitro_space *space, const char *name);
/** Number of configurations. */
NITRO_API uint64_t nitro_space_size(const nitro_space *space);
/** The value indices of a configuration. */
NITRO_API void nitro_space_indices(const nitro_space *space, uint64_t configuration,
                                   uint16_t *indices);
/** The configuration of these value indices, or NITRO_NO_CONFIGURATION outside the space. */
NITRO_API uint64_t nitro_space_find(const nitro_space *space, const uint16_t *indices);

typedef enum nitro_neighbourhood {
    NITRO_NEIGHBOURS_HAMMING,           /* one parameter differs */
    NITRO_NEIGHBOURS_STRICTLY_ADJACENT, /* no value index differs by more than 1 */
    NITRO_NEIGHBOURS_ADJACENT           /* likewise, to the next value that occurs in the space */
} nitro_neighbourhood;
/**
 * The neighbours of value indices (which need not be in the space), ascending, without themselves.
 * @param[out] neighbours  owned by the caller: free(); NULL where there is none.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY; NITRO_ERR_UNSUPPORTED: more than NITRO_MAX_NEIGHBOURS
 *         (adjacent ones in a space of many parameters).
 */
NITRO_API nitro_status nitro_space_neighbours(nitro_context *context, const nitro_space *space,
                                              const uint16_t *indices, nitro_neighbourhood kind,
                                              uint64_t **neighbours, size_t *count);

/* ---- Searchers ------------------------------------------------------------------------------- */

/** What one evaluation of a configuration told. */
typedef struct nitro_search_answer {
    uint64_t configuration;
    nitro_outcome outcome;  /* other than MEASURED: an invalid configuration */
    double time_ms;         /* > 0 where measured, else NaN */
    double spread;          /* relative; NaN when unknown */
    double cost_ms;         /* of the whole evaluation, compiling included; NaN when unknown */
    const double *counters; /* shape [num_counters of the task] where profiled, else NULL */
} nitro_search_answer;

/** The configuration that a searcher wants evaluated. */
typedef struct nitro_search_question {
    uint64_t configuration;
    bool profiled; /* counters are wanted too */
} nitro_search_question;

/** Values of a searcher's options, in the order of its table. */
typedef struct nitro_searcher_option {
    const char *name;    /* "population" */
    const char *value;   /* default, as text */
    const char *meaning; /* for help */
} nitro_searcher_option;

/**
 * What performance counters a configuration has, learnt from profiled evaluations on any device or
 * input. Parameters are known by name and value, so that a model serves every space that has them.
 * Immutable; safe from any number of threads.
 */
typedef struct nitro_counter_model nitro_counter_model;

/** How a counter model is learnt. */
typedef enum nitro_counter_model_kind {
    NITRO_COUNTERS_TREES,         /* a regression tree a counter, grown on one half of the
                                     configurations; the other half chooses its size */
    NITRO_COUNTERS_LEAST_SQUARES, /* quadratic with interactions, for each combination of the
                                     parameters of two values */
    NITRO_COUNTERS_EXACT          /* trees that repeat what was measured */
} nitro_counter_model_kind;

/**
 * Learn from the answers that have counters; a counter that is NaN in one of them is left out
 * there.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no answer has counters); NITRO_ERR_NO_MEMORY. The same data
 * and seed give the same model.
 */
NITRO_API nitro_status nitro_counter_model_fit(nitro_context *context, const nitro_space *space,
                                               const nitro_search_answer *answers,
                                               size_t num_answers, const char *const *counter_names,
                                               size_t num_counters, nitro_counter_model_kind kind,
                                               uint64_t seed, nitro_counter_model **model);
NITRO_API void nitro_counter_model_free(nitro_counter_model *model);
NITRO_API size_t nitro_counter_model_num_counters(const nitro_counter_model *model);
NITRO_API const char *nitro_counter_model_counter(const nitro_counter_model *model, size_t counter);
/**
 * The counters of configurations.
 * @param[in]  configurations  shape [num_configurations].
 * @param[out] counters        shape [num_configurations x num_counters of the model].
 * @return NITRO_OK; NITRO_ERR_MISMATCH (the space lacks a parameter of the model: which).
 */
NITRO_API nitro_status nitro_counter_model_predict(nitro_context *context,
                                                   const nitro_counter_model *model,
                                                   const nitro_space *space,
                                                   const uint64_t *configurations,
                                                   size_t num_configurations, double *counters);
/** To JSON text; free with free(). */
NITRO_API nitro_status nitro_counter_model_format(nitro_context *context,
                                                  const nitro_counter_model *model, char **text);
/**
 * From JSON text.
 * @param[in] origin  names the text in errors.
 * @return NITRO_OK; NITRO_ERR_FORMAT (the field is named); NITRO_ERR_NEWER; NITRO_ERR_NO_MEMORY.
 */
NITRO_API nitro_status nitro_counter_model_parse(nitro_context *context, const char *origin,
                                                 const char *text, size_t size,
                                                 nitro_counter_model **model);

/** What a search is given. It outlives the searcher's state. */
typedef struct nitro_search_task {
    const nitro_space *space;
    uint64_t budget; /* evaluations, at most the size of the space */
    uint64_t seed;
    const char *const *options; /* values of the searcher's options, in the order of its table */
    const uint64_t *starts;     /* shape [num_starts]: configurations to begin with, best first */
    size_t num_starts;
    const nitro_counter_model *counter_model; /* or NULL */
    const nitro_device *device;               /* or NULL */
    const char *const *counter_names;         /* shape [num_counters] */
    size_t num_counters;
} nitro_search_task;

/** A search method, asked for configurations and told their times. */
typedef struct nitro_searcher {
    const char *name; /* "bayes-ei" */
    const char *description;
    int priority;                         /* the highest is the default of nitro search */
    bool wants_counters;                  /* may ask for profiled evaluations */
    const nitro_searcher_option *options; /* ended by a NULL name; or NULL */
    nitro_status (*open)(nitro_context *context, const nitro_search_task *task, void **state);
    /**
     * The next configuration, one that was not asked for before (but to profile it). Several may be
     * asked for before they are told. Sets NITRO_NO_CONFIGURATION when the method has finished, or
     * everything is evaluated.
     */
    nitro_status (*ask)(void *state, nitro_search_question *question);
    /** An evaluation; also one that was not asked for, as when a search is resumed. */
    nitro_status (*tell)(void *state, const nitro_search_answer *answer);
    void (*close)(void *state);
} nitro_searcher;

/** In the order of their list, ended by NULL. */
NITRO_API const nitro_searcher *const *nitro_builtin_searchers(void);

/* ---- Recorded spaces ------------------------------------------------------------------------- */

/** Evaluations of a whole space, or of most of it, from a file. */
typedef struct nitro_recording {
    nitro_space *space;           /* owned */
    nitro_search_answer *answers; /* shape [size of the space], by configuration; missing ones have
                                     the outcome MISSING */
    size_t num_counters;
    char **counter_names; /* shape [num_counters] */
    double *counters;     /* shape [size x num_counters], NaN: unknown; answers point into it */
    char *device;         /* name as in the file, or NULL */
} nitro_recording;

/**
 * Read recorded evaluations; the format is recognised: CSV (also gzip), Kernel Tuner's cache, T4
 * results, KTT's output.
 * @param[in] space  the configurations that the file may hold (copied), or NULL: those that it
 *                   holds. Constant parameters may be missing on either side.
 * @return as nitro_file_read; NITRO_ERR_FORMAT: the error names the line or record, also for a
 * value or configuration that the space does not have; NITRO_ERR_MISMATCH: other parameters.
 */
NITRO_API nitro_status nitro_recording_read(nitro_context *context, const char *path,
                                            const nitro_space *space, nitro_recording **recording);
/** `origin` names the text in errors. */
NITRO_API nitro_status nitro_recording_parse(nitro_context *context, const char *origin,
                                             const char *text, size_t size,
                                             const nitro_space *space, nitro_recording **recording);
NITRO_API void nitro_recording_free(nitro_recording *recording);

/** Evaluations of a search, as other tuners read them. */
typedef struct nitro_evaluations {
    const nitro_space *space;
    const nitro_search_answer *answers; /* shape [num_answers], in the order of evaluation; no
                                           configuration twice */
    size_t num_answers;
    const char *name;                 /* of the computation or kernel */
    const char *device;               /* id */
    const char *const *counter_names; /* shape [num_counters] */
    size_t num_counters;
} nitro_evaluations;

typedef enum nitro_evaluations_format {
    NITRO_EVALUATIONS_T4,          /* the tuners' common format of results */
    NITRO_EVALUATIONS_KERNEL_TUNER /* Kernel Tuner's cache, which its simulation mode reads */
} nitro_evaluations_format;

/** Write atomically, as nitro_file_write. nitro_recording_read reads both formats. */
NITRO_API nitro_status nitro_evaluations_write(nitro_context *context, const char *path,
                                               nitro_evaluations_format format,
                                               const nitro_evaluations *evaluations);

#ifdef __cplusplus
}
#endif

#endif
