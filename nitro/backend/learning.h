/* learning.h - datasets, the families of strategies and of device-feature selection, learning. Part
 * of nitro_backend.h. */
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
} nitro_dataset;

/**
 * Load the samples of devices, shape [num_devices], in their order; one without samples has no
 * rows. Rows with a hole in their features are left out, and said in the log.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (the computation, a device); what the store answers.
 */
NITRO_API nitro_status nitro_dataset_load(nitro_store *store, const char *computation,
                                          const char *const *devices, size_t num_devices,
                                          nitro_dataset **dataset);
NITRO_API void nitro_dataset_free(nitro_dataset *dataset);
/** A hash of all that the rows say: devices, inputs, features, times. */
NITRO_API uint64_t nitro_dataset_digest(const nitro_dataset *dataset);
/** The same over the rows of one device alone, whatever else is in the dataset. */
NITRO_API uint64_t nitro_dataset_device_digest(const nitro_dataset *dataset, size_t device);

/** Most strategies that one averages. */
#define NITRO_MAX_MEMBERS 8

/** What a strategy learns from: columns are scaled to [-1, 1] already. */
typedef struct nitro_training_set {
    size_t num_rows, num_columns, num_variants;
    const double *columns;    /* shape [num_rows x num_columns]: input features, device features */
    const double *times_ms;   /* shape [num_rows x num_variants]; NaN: no time */
    const size_t *row_input;  /* shape [num_rows]: rows of one input stay together in folds */
    const size_t *row_device; /* shape [num_rows]: which source; NULL: all rows are of one */
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
    bool quick;           /* a rehearsal of many: search for parameters less thoroughly */
    uint64_t members;     /* of a strategy that averages others: a bit for each; 0: all */
    /** Which of the strategy's recipes, in the first; of one that averages others, which of each
     *  member's. 0: the usual one. */
    size_t hyper_settings[NITRO_MAX_MEMBERS];
} nitro_training_set;

/** What scores are made of: kernels and trees (nitro/runtime/scores/score_terms.h). */
typedef struct nitro_score_terms nitro_score_terms;

/** A selection strategy: how a training set becomes scores. */
typedef struct nitro_strategy {
    const char *name; /* "svm" */
    const char *description;
    int priority; /* the highest is the default of tune-from-source */
    /** The device-feature selection it goes with where the user names none. "omit" for strategies
     *  that generalise well over inputs, and lose on devices unlike the sources when they see
     *  devices' numbers as plain columns. */
    const char *dfs;
    bool without_relative; /* a method as published: relative features are not for it */
    /** How much of the best performance, 1 - best time / time, a score's unit is worth; 1: scores
     *  are about what is lost of it, negated; 0: scores are not about times. */
    double loss_per_score;
    /** Recipes are hyper-parameters that left-out sources may choose among, the usual ones first:
     *  in a few words what each is, for people. */
    size_t num_hyper_settings;         /* 0: there is nothing to choose */
    const char *const *hyper_settings; /* shape [num_hyper_settings] */

    /**
     * Learn. The same set gives the same predictor, whatever its number of threads.
     * @param[out] predictor        free with `free`.
     * @param[out] held_out_scores  shape [num_rows x num_variants], or NULL: scores of each row by
     *                              a predictor that did not see the row's input, from which a
     *                              model's confidence is calibrated; NaN in rows without.
     */
    nitro_status (*train)(nitro_context *context, const nitro_training_set *set, void **predictor,
                          double *held_out_scores);
    /** One score a variant, larger is better; `columns` scaled. Allocates nothing; thread-safe. */
    void (*score)(const void *predictor, const double *columns, double *scores);
    /** A strategy that averages others: how many, 0 for all else, which, and what each says by
     *  itself. */
    size_t num_members;
    const struct nitro_strategy *const *members; /* shape [num_members] */
    /** @param[out] scores  shape [num_members x num_variants], each times what it counts beside the
     *                      others: added up, they choose as `score` does. For predictors with all
     *                      members. */
    void (*score_members)(const void *predictor, const double *columns, double *scores);
    /** What the scores are made of, added to `terms`, for compiled models; NULL: models are not
     *  compiled, and `score` decides. What the parts point to stays the predictor's. */
    nitro_status (*terms)(nitro_context *context, const void *predictor, nitro_score_terms *terms);
    /** To and from a model file; decode checks everything (NITRO_ERR_FORMAT names the field). */
    nitro_status (*encode)(nitro_context *context, const void *predictor, struct json_t **json);
    nitro_status (*decode)(nitro_context *context, const char *path, const struct json_t *json,
                           size_t num_columns, size_t num_variants, void **predictor);
    void (*free)(void *predictor);
} nitro_strategy;

/** What a device-feature selection may look at; all borrowed. */
typedef struct nitro_dfs_task {
    const nitro_dataset *sources; /* the samples to learn from */
    const nitro_device *target;
    const nitro_string_list *candidates; /* device features that every source and the target have */
    nitro_store *store;                  /* where profiles are; NULL: none can be asked for */
    size_t max_subset;                   /* search: most device features in a subset, >= 1 */
    size_t k;                            /* search: how many device features to choose, >= 1 */
    const char *proxies_path;            /* profile: a file of more proxies; NULL: none */
    uint64_t seed;
    unsigned num_threads; /* 0: one a core; the choice does not depend on it */
} nitro_dfs_task;

/** Device-feature selection: which device features a model shall see. */
typedef struct nitro_dfs_kind {
    const char *name; /* "none" */
    const char *description;
    int priority;
    /**
     * @param[out] chosen  a subset of the candidates, appended.
     * @param[out] report  a JSON object that says what was found and why, for people and reports;
     *                     no times in it: the same task gives the same bytes. NULL where there is
     *                     nothing to say. The caller's to free; may itself be NULL: not wanted.
     */
    nitro_status (*select)(nitro_context *context, const nitro_dfs_task *task,
                           nitro_string_list *chosen, struct json_t **report);
} nitro_dfs_kind;

#define NITRO_DFS_MAX_CANDIDATES 64

/** What a judgement of subsets looked at, and what it took. */
typedef struct nitro_dfs_effort {
    size_t num_inputs, num_rows; /* samples looked at */
    size_t num_candidate_rows;   /* that they were drawn from, by the task's seed, where many */
    size_t num_models;           /* pretend targets times subsets */
    size_t num_trained; /* of those models; the others are equal to one of these. Each is trained at
                           25 points of C and gamma */
} nitro_dfs_effort;

/**
 * How good the paper's SVM (strategy "svm", no relative features) is on each source in turn when it
 * learns from the others with a subset of the device features: what a search by cross-validation
 * over sources asks (the paper's Algorithm 2). A subset's quality is the mean over a grid of C
 * (2^-1 to 2^11) and gamma (2^-4 to 2^4 a column), not that of one choice of them: what is good
 * with one alone is luck more often than a feature's worth.
 *
 * The answers are those of one LIBSVM training after the other, without shrinking, on the kernel
 * K(x, x') K(a, a') of input features x and device features a, bit for bit; subsets that cannot be
 * told apart are trained once. At most 1200 samples are looked at, whole inputs drawn by the task's
 * seed, so that memory is bounded. Not read: `store`, `target`, `max_subset`, `k`.
 *
 * @param[in]  subsets    shape [num_subsets]: bit f stands for task->candidates->items[f]; 0: no
 *                        device feature.
 * @param[out] qualities  shape [num_sources x num_subsets]: mean quality in percent on that source;
 *                        NaN where it has no samples, or no other source has any.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (more than NITRO_DFS_MAX_CANDIDATES candidates);
 *         NITRO_ERR_NO_DATA (no sample has times of two variants).
 */
NITRO_API nitro_status nitro_dfs_judge(nitro_context *context, const nitro_dfs_task *task,
                                       const uint64_t *subsets, size_t num_subsets,
                                       double *qualities, nitro_dfs_effort *effort);

/**
 * How far a device lies outside the range that others have of a device feature.
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
 * Are the records of this store still those that the model was made of?
 * @param report  told of every source of which they are not, by name, and why.
 * @return NITRO_OK; NITRO_ERR_MISMATCH where they are not; NITRO_ERR_NOT_FOUND (the computation);
 *         NITRO_ERR_NO_DATA (the model does not say what it was made of).
 */
NITRO_API nitro_status nitro_model_check_records(const nitro_model *model, nitro_store *store,
                                                 nitro_problem_function report, void *user);

/** Provenance and parameters of a model as JSON text, for tools; free with free(). */
NITRO_API nitro_status nitro_model_summary(const nitro_model *model, char **json_text);

#ifdef __cplusplus
}
#endif

#endif
