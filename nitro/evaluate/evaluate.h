/* evaluate.h - what the files of an evaluation share: split, sources, models, methods. Internal to
 * nitro/evaluate. */
#ifndef NITRO_EVALUATE_EVALUATE_H
#define NITRO_EVALUATE_EVALUATE_H

#include "nitro/learn/select.h"

/** One evaluation: samples, their split, and the models so far. */
typedef struct nitro_evaluation {
    nitro_context *context;
    nitro_store *store;     /* where profiles are */
    nitro_dataset *dataset; /* targets and sources */
    bool *is_source;        /* shape [num_devices] */
    bool *is_train;         /* shape [num_inputs] */
    bool *is_test;          /* shape [num_inputs] */
    bool is_own;            /* the only device is its own source */
    size_t num_folds;       /* of its inputs, held out in turn; 0: only the test inputs are */
    size_t *folds;          /* shape [num_inputs] */
    uint64_t seed;
    unsigned num_threads;
    bool without_generation; /* as in the options */
    bool equal_sources;      /* as in the options */
    size_t num_measured;     /* inputs of the target to adapt the current method to; reduced to what
                                there is */
    bool all_measured;       /* the target has no more */
    double share;            /* of the cost of preparing in every run: 1 / uses */
    double *judged_ms;       /* shape [num_rows x num_variants]: times with that share */
    const nitro_strategy *strategy;
    double predicted;           /* quality by the current method's model; NaN: unknown */
    nitro_source_share *shares; /* shape [num_shares]: of that model's sources; NULL: none */
    size_t num_shares;
    double *confidences; /* shape [num_rows] of the current method's choices; NaN: unknown */
    const nitro_evaluate_watch *watch; /* as in the options */
    nitro_training_memo *memo;         /* of the options, or own */
    nitro_model **own; /* shape [num_devices]: trained on a device's own training inputs; NULL:
                          not yet */
} nitro_evaluation;

/**
 * Divide the dataset's inputs by the options' lists, or by their fraction and seed: inputs are
 * ordered by a hash of name and seed, so that other inputs change little.
 * @param[out] is_train, is_test  shape [num_inputs], zeroed by the caller.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (fraction); NITRO_ERR_NO_DATA (no input left to learn from,
 *         or none to test on).
 */
nitro_status nitro_evaluate_split(nitro_context *context, const nitro_dataset *dataset,
                                  const nitro_evaluate_options *options, bool *is_train,
                                  bool *is_test);

/** The same by size, for `extrapolate`; logs the size feature.
 *  @return NITRO_OK; NITRO_ERR_NOT_FOUND (no such feature); NITRO_ERR_NO_DATA (fewer than five
 *          inputs with times of two variants). */
nitro_status nitro_evaluate_split_by_size(nitro_context *context, const nitro_dataset *dataset,
                                          const nitro_evaluate_options *options, bool *is_train,
                                          bool *is_test);

/**
 * Deal the dataset's inputs out to folds for cross-validation, in an order by a hash of name and
 * seed; groups stay together.
 * @param[out] folds  shape [num_inputs].
 * @return NITRO_OK or NITRO_ERR_NO_DATA (only one input, or group).
 */
nitro_status nitro_evaluate_deal(nitro_context *context, const nitro_dataset *dataset,
                                 const nitro_evaluate_options *options, size_t *folds,
                                 size_t *num_folds);

/**
 * A target's sources: the named ones with samples of training inputs, without the target itself
 * (unless it is_own) and, with that option, without its generation.
 * @param[out] marks  shape [num_devices]; the caller frees it.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (there is none).
 */
nitro_status nitro_evaluation_mark_sources(const nitro_evaluation *evaluation, size_t target,
                                           bool **marks);
/** The row's times with the share of the cost of preparing, shape [num_variants]. */
const double *nitro_evaluation_times(const nitro_evaluation *evaluation, size_t row);
/** Add that share to all times of a dataset; unknown costs are none. @param[out] times_ms  may be
 *  the dataset's own. */
void nitro_evaluation_add_share(const nitro_dataset *dataset, double share, double *times_ms);

/** The training rows of a target's sources; nitro_dataset_free. */
nitro_status nitro_evaluation_select_sources(const nitro_evaluation *evaluation, size_t target,
                                             nitro_dataset **sources);
/** Those of the source that is most like the target; nitro_dataset_free. */
nitro_status nitro_evaluation_select_nearest(const nitro_evaluation *evaluation, size_t target,
                                             nitro_dataset **sources);
/** Called with each growing set of sources: by which order, how many, and the one added last. */
typedef nitro_status (*nitro_evaluation_step)(void *user, const char *order, size_t num_sources,
                                              const char *added);
/** For every number of the target's sources, make the first so many evaluation->is_source and take
 *  the step: nearest first by similarity ("nearest"), then in an order by the seed ("random").
 * Stops at a step's error. */
nitro_status nitro_evaluation_grow_sources(nitro_evaluation *evaluation, size_t target,
                                           nitro_evaluation_step step, void *user);

/** How to train a model. */
typedef struct nitro_evaluation_training {
    const nitro_strategy *strategy;
    const nitro_string_list *device_features;
    bool guards, range_ends; /* as in nitro_training_task; guarded models log nothing */
    bool without_relative;   /* without relative features */
    bool is_quiet;           /* log nothing */
} nitro_evaluation_training;

/** Train a model for a target on the training rows of its sources. */
nitro_status nitro_evaluation_train(const nitro_evaluation *evaluation,
                                    const nitro_evaluation_training *how,
                                    const nitro_dataset *sources, size_t target,
                                    nitro_model **model);
/** A device's own training rows; nitro_dataset_free. */
nitro_status nitro_evaluation_select_own(const nitro_evaluation *evaluation, size_t device,
                                         nitro_dataset **rows);
/** The model trained on a device's own training inputs, made at the first call; borrowed. */
nitro_status nitro_evaluation_own_model(nitro_evaluation *evaluation, size_t device,
                                        const nitro_model **model);
/** Let the model choose for rows, by its scores or (`decides`) as in a program, which also minds
 *  ranges and constraints; set evaluation->confidences of each. A variant that the target never
 *  measured cannot be judged there, and is not chosen.
 *  @param[out] choices  shape [num_rows]. */
void nitro_evaluation_choose_by_model(const nitro_evaluation *evaluation, const nitro_model *model,
                                      const size_t *rows, size_t num_rows, bool decides,
                                      size_t *choices);
/**
 * Adapt a model to evaluation->num_measured training inputs of the target that it chooses itself.
 * Where there are fewer, it takes all and reduces the number. Sets evaluation->all_measured.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (the target has none); as nitro_model_adapt.
 */
nitro_status nitro_evaluation_adapt(nitro_evaluation *evaluation, size_t target,
                                    nitro_model *model);

/** `transfer`, the per-input source oracle: a reference, since it uses the sources' times of the
 * test inputs. As nitro_method_choose. */
nitro_status nitro_evaluation_choose_transfer(nitro_evaluation *evaluation, size_t target,
                                              const size_t *rows, size_t num_rows, size_t *choices);

/** `mixture`, the source-weight oracle: a reference, since it uses the target's times of the test
 * inputs. As nitro_method_choose. */
nitro_status nitro_evaluation_choose_mixture(nitro_evaluation *evaluation, size_t target,
                                             const size_t *rows, size_t num_rows, size_t *choices);

/**
 * Choose variants for test rows of a target by a method, trained on training inputs.
 * @param[in]  method   index in nitro_method_table.
 * @param[out] choices  shape [num_rows].
 * @return NITRO_ERR_NO_DATA where the method has nothing to learn from.
 */
nitro_status nitro_method_choose(nitro_evaluation *evaluation, size_t method, size_t target,
                                 const size_t *rows, size_t num_rows, size_t *choices);
/** Did the variant run on any of the rows? One that this kind of device lacks did not. */
bool nitro_evaluation_ran(const nitro_evaluation *evaluation, const size_t *rows, size_t num_rows,
                          size_t variant);
/** Tell the watch each choice; all variants alike where `choices` is NULL. */
void nitro_evaluation_show_cases(const nitro_evaluation *evaluation, nitro_evaluate_case one,
                                 const size_t *rows, size_t num_rows, const size_t *choices);
/** The same for a method that could not choose: the declared default, as without a model. */
nitro_status nitro_evaluation_show_defaults(nitro_evaluation *evaluation, nitro_evaluate_case one,
                                            const size_t *rows, size_t num_rows);
/** Free the shares, and forget them. */
void nitro_source_shares_free(nitro_source_share **shares, size_t *count);

/** Does the method make choices? If not, every variant is equally likely. */
bool nitro_method_chooses(size_t method);
/** Can the method be adapted to inputs measured on the target? */
bool nitro_method_adapts(size_t method);

/* ---- Missing results (evaluate_gaps.c) --------------------------------------------------------
 */

/** One reason, with the methods and targets that it holds for. */
typedef struct nitro_evaluate_gap {
    char *reason;
    nitro_string_list methods, targets;
} nitro_evaluate_gap;

typedef struct nitro_evaluate_gaps {
    nitro_evaluate_gap *items; /* shape [count] */
    size_t count;
} nitro_evaluate_gaps;

/** Note that `method` has no result on `target`; the context's last error is the reason. */
nitro_status nitro_evaluate_gaps_add(nitro_context *context, nitro_evaluate_gaps *gaps,
                                     const char *method, const char *target);
/** A warning a reason. */
void nitro_evaluate_gaps_log(nitro_context *context, const nitro_evaluate_gaps *gaps);
void nitro_evaluate_gaps_free(nitro_evaluate_gaps *gaps);

#endif
