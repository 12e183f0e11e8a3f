/* learning.h - datasets, strategies, device-feature selections. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_LEARNING_H
#define NITRO_BACKEND_LEARNING_H

#include "nitro/backend/records.h"
#include "nitro/backend/stores.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All samples of some devices, as matrices. Rows are (device, input) pairs. */
typedef struct nitro_dataset {
    nitro_schema *schema;
    size_t num_devices;
    nitro_device **devices; /* shape [num_devices] */
    size_t num_inputs;
    char **inputs; /* shape [num_inputs], byte order */
    size_t num_rows;
    size_t *row_device; /* shape [num_rows], index into devices */
    size_t *row_input;  /* shape [num_rows], index into inputs */
    double *features;   /* shape [num_rows x num_features] */
    double *times_ms;   /* shape [num_rows x num_variants]; NaN: no time */
    double
        *prepare_ms; /* shape [num_rows x num_variants]: cost of preparing; NaN: none or unknown */
    double *features_ms;      /* shape [num_rows]: cost of evaluating all features; NaN: unknown */
    double *feature_costs_ms; /* shape [num_rows x num_features], as in nitro_sample */
    uint64_t *row_allowed; /* shape [num_rows]: a bit a variant, 0 where a constraint excludes it */
    uint64_t tried; /* a bit a variant: some sample says how it went, if only that it failed */
} nitro_dataset;

/**
 * Load the samples of devices, shape [num_devices], in their order; a device without samples has no
 * rows. Rows with missing features are skipped and logged.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (the computation, a device); the store's error.
 */
NITRO_API nitro_status nitro_dataset_load(nitro_store *store, const char *computation,
                                          const char *const *devices, size_t num_devices,
                                          nitro_dataset **dataset);
NITRO_API void nitro_dataset_free(nitro_dataset *dataset);
/** A hash of all rows: devices, inputs, features, times, costs of preparing. */
NITRO_API uint64_t nitro_dataset_digest(const nitro_dataset *dataset);
/** The same over the rows of one device. */
NITRO_API uint64_t nitro_dataset_device_digest(const nitro_dataset *dataset, size_t device);

/** Most members of an ensemble. */
#define NITRO_MAX_MEMBERS 8

/** A strategy's training set; columns are scaled to [-1, 1]. */
typedef struct nitro_training_set {
    size_t num_rows, num_columns, num_variants;
    const double *columns;  /* shape [num_rows x num_columns]: input, relative, device features */
    const double *times_ms; /* shape [num_rows x num_variants]; NaN: no time */
    const uint64_t *row_allowed; /* shape [num_rows]: a bit a variant, 0 where a constraint excludes
                                    it, also when choosing; NULL: all are allowed */
    const size_t *row_input;     /* shape [num_rows]: rows of one input stay together in folds */
    const size_t *row_device;    /* shape [num_rows]: which source; NULL: all rows are of one */
    /** By `row_device`, of sum 1: each source is learnt by itself, and the scores are averaged by
     *  these weights; 0: the source is not used. Where scores are votes, rows count as their source
     *  does. NULL: all rows are learnt together. Methods as published do not read it. */
    const double *source_weights;
    uint64_t seed;
    unsigned num_threads; /* 0: one per core */
    bool quick;       /* one of many trainings in validation: search parameters on a coarse grid */
    uint64_t members; /* of an ensemble: a bit for each member to use; 0: all */
    /** Hyper-parameter setting of the strategy, in the first; of an ensemble, of each member. 0:
     * the default one. */
    size_t hyper_settings[NITRO_MAX_MEMBERS];
    uint64_t prepared; /* bit v: variant v has a cost of preparing on some row */
} nitro_training_set;

/** Kernels and trees that scores are sums of (nitro/runtime/scores/score_terms.h). */
typedef struct nitro_score_terms nitro_score_terms;

/** A learning method: how a training set becomes scores. */
typedef struct nitro_strategy {
    const char *name; /* "svm" */
    const char *description;
    int priority; /* the highest is the default of tune-from-source */
    /** The default device-feature selection. "omit" for strategies that generalise well over
     * inputs, but lose quality on distant devices if device features are columns. */
    const char *dfs;
    bool without_relative; /* a method as published, without relative features */
    /** The loss, 1 - best time / time, that one unit of a score stands for. 1: scores are negated
     *  losses; 0: scores are not related to times. */
    double loss_per_score;
    /** Hyper-parameter settings that LODO validation chooses among, the default first: a short
     * description of each. */
    size_t num_hyper_settings;         /* 0: no choice */
    const char *const *hyper_settings; /* shape [num_hyper_settings] */

    /**
     * Train. The same set gives the same predictor, whatever the number of threads.
     * @param[out] predictor        free with `free`.
     * @param[out] held_out_scores  shape [num_rows x num_variants], or NULL: scores of each row by
     *                              a predictor that did not see the row's input, for
     *                              calibration; NaN in rows without.
     */
    nitro_status (*train)(nitro_context *context, const nitro_training_set *set, void **predictor,
                          double *held_out_scores);
    /** One score a variant, larger is better; `columns` scaled. Allocates nothing; thread-safe. */
    void (*score)(const void *predictor, const double *columns, double *scores);
    /** An ensemble's members, and their scores; 0: no ensemble. */
    size_t num_members;
    const struct nitro_strategy *const *members; /* shape [num_members] */
    /** @param[out] scores  shape [num_members x num_variants], weighted: their sums choose as
     * `score` does. For predictors with all members. */
    void (*score_members)(const void *predictor, const double *columns, double *scores);
    /** Append the terms of the scores, for compiled models; they point into the predictor. NULL:
     *  models are not compiled, and `score` decides. */
    nitro_status (*terms)(nitro_context *context, const void *predictor, nitro_score_terms *terms);
    /** To and from a model file; decode checks everything (NITRO_ERR_FORMAT names the field). */
    nitro_status (*encode)(nitro_context *context, const void *predictor, struct json_t **json);
    nitro_status (*decode)(nitro_context *context, const char *path, const struct json_t *json,
                           size_t num_columns, size_t num_variants, void **predictor);
    void (*free)(void *predictor);
} nitro_strategy;

/** Models that evaluations of the same samples share: the same training is done once. For one
 *  thread at a time; `context` lives as long. */
typedef struct nitro_training_memo nitro_training_memo;
NITRO_API nitro_status nitro_training_memo_create(nitro_context *context,
                                                  nitro_training_memo **memo);
/** Once the evaluations are done. NULL is fine. */
NITRO_API void nitro_training_memo_free(nitro_training_memo *memo);

/** The input of a device-feature selection; all borrowed. */
typedef struct nitro_dfs_task {
    const nitro_dataset *sources; /* the samples to learn from */
    const nitro_device *target;
    const nitro_string_list *candidates; /* device features that every source and the target have */
    nitro_store *store;                  /* source of profiles; NULL: none */
    size_t max_subset;                   /* search: most device features in a subset, >= 1 */
    size_t k;                            /* search: how many device features to choose, >= 1 */
    size_t max_rows;          /* search: most samples used, whole inputs drawn by the seed;
                                 0: 1200 with up to three sources, 600 with more */
    const char *proxies_path; /* profile: a file of more proxies; NULL: none */
    const struct nitro_learn_options *listener; /* is told of progress; NULL: nobody */
    uint64_t seed;
    unsigned num_threads; /* 0: one per core; the choice does not depend on it */
} nitro_dfs_task;

/** Device-feature selection: which device features a model uses. */
typedef struct nitro_dfs_kind {
    const char *name; /* "none" */
    const char *description;
    int priority;
    /**
     * @param[out] chosen  a subset of the candidates, appended.
     * @param[out] report  a JSON object with the findings and reasons, without times: the same task
     *                     gives the same bytes. NULL: none. The caller frees it; may itself be
     * NULL: not wanted.
     */
    nitro_status (*select)(nitro_context *context, const nitro_dfs_task *task,
                           nitro_string_list *chosen, struct json_t **report);
} nitro_dfs_kind;

#define NITRO_DFS_MAX_CANDIDATES 64

/** Size and cost of an evaluation of subsets. */
typedef struct nitro_dfs_effort {
    size_t num_inputs, num_rows; /* samples used */
    size_t num_candidate_rows;   /* that they were drawn from by the task's seed */
    size_t num_models;           /* validation devices times subsets */
    size_t num_trained; /* of those models; the others equal one of these. Each is trained at 25
                           points of C and gamma */
} nitro_dfs_effort;

/**
 * Validate subsets of the device features by leave-one-device-out (the paper's Algorithm 2): the
 * quality of the paper's SVM (strategy "svm", no relative features) on each source in turn, trained
 * on the others; on the same card under another name only if the target has such a source, too. A
 * subset's quality is the mean over a grid of C (2^-1 to 2^5) and gamma (2^-4 to 2^4 divided by the
 * number of columns), since the best single point is mostly noise.
 *
 * Results equal, bit for bit, those of LIBSVM without shrinking on the kernel K(x, x') K(a, a') of
 * input features x and device features a; equivalent subsets are trained once. At most 1200 samples
 * (600 of more than three sources) are used, complete inputs drawn by the task's seed, to bound the
 * memory. Not read: `store`, `max_subset`, `k`.
 *
 * @param[in]  subsets    shape [num_subsets]: bit f stands for task->candidates->items[f]; 0: no
 *                        device feature.
 * @param[out] qualities  shape [num_sources x num_subsets]: mean quality in percent on that source;
 *                        NaN where it has no samples, or no source that it may learn from has any.
 * @param[out] varying    shape [num_sources]: bit f if candidate f varies over the devices that the
 *                        models for that source are trained on.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (more than NITRO_DFS_MAX_CANDIDATES candidates);
 *         NITRO_ERR_NO_DATA (no sample has times of two variants).
 */
NITRO_API nitro_status nitro_dfs_judge(nitro_context *context, const nitro_dfs_task *task,
                                       const uint64_t *subsets, size_t num_subsets,
                                       double *qualities, uint64_t *varying,
                                       nitro_dfs_effort *effort);

/**
 * Distance of a device from the range of other devices in a device feature.
 * @param[in]  others  shape [num_others], at least one; they and `device` have the feature.
 * @param[out] excess  in widths of that range, on the feature's scale; 0: inside. NaN: the others
 * all have the same value.
 */
NITRO_API nitro_status nitro_device_excess(nitro_context *context,
                                           const nitro_device *const *others, size_t num_others,
                                           const nitro_device *device, const char *name,
                                           double *excess);

/** The selection of this name (NULL: that of the highest priority), or NITRO_ERR_NOT_FOUND. */
NITRO_API nitro_status nitro_dfs_find(nitro_context *context, const char *name,
                                      const nitro_dfs_kind **dfs);

/**
 * Does the store still hold the samples that the model was trained on?
 * @param report  called for every source that differs, with its name and the difference.
 * @return NITRO_OK; NITRO_ERR_MISMATCH (it does not); NITRO_ERR_NOT_FOUND (the computation);
 *         NITRO_ERR_NO_DATA (the model does not name its sources).
 */
NITRO_API nitro_status nitro_model_check_records(const nitro_model *model, nitro_store *store,
                                                 nitro_problem_function report, void *user);

/** Provenance and parameters of a model as JSON text, for tools; free with free(). */
NITRO_API nitro_status nitro_model_summary(const nitro_model *model, char **json_text);

#ifdef __cplusplus
}
#endif

#endif
