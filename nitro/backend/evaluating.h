/* evaluating.h - evaluation of selection methods. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_EVALUATING_H
#define NITRO_BACKEND_EVALUATING_H

#include "nitro/backend/learning.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nitro_evaluate_result nitro_evaluate_result;

/** What a method chose for one test input of a target. */
typedef struct nitro_evaluate_case {
    const char *target, *method;
    size_t input;    /* in the dataset of all targets and sources, which are in byte order */
    size_t chosen;   /* a variant; NITRO_NONE: it makes no choice (random) */
    double quality;  /* percent; without a choice the mean over the variants that run */
    bool has_choice; /* false: it had nothing to learn from, and the declared default counts */
} nitro_evaluate_case;

/** Follows an evaluation; any function may be NULL. */
typedef struct nitro_evaluate_watch {
    void *user;
    /** Before anything else. */
    void (*begin)(void *user, uint64_t seed);
    /** Asked before a method runs on a target. @return true: `results` (room for all points of a
     *  curve; without `target` and `method`) has its `count` results from an earlier run. */
    bool (*known)(void *user, const char *target, const char *method,
                  nitro_evaluate_result *results, size_t *count);
    /** A method's choices on a target, input by input, where they were not known. */
    void (*judged)(void *user, const nitro_evaluate_case *one);
    /** After the last of them, and of known ones too. `count` may be 0. */
    void (*finished)(void *user, const char *target, const char *method,
                     const nitro_evaluate_result *results, size_t count);
} nitro_evaluate_watch;

typedef struct nitro_evaluate_options {
    const nitro_string_list *targets; /* NULL: every device with samples */
    const nitro_string_list *sources; /* NULL: all; a target is never its own source */
    bool equal_sources; /* as in nitro_learn_options; methods as published always are so */
    const nitro_string_list *methods;      /* NULL: all */
    const nitro_string_list *train_inputs; /* NULL: drawn by train_fraction and seed */
    const nitro_string_list *test_inputs;  /* NULL: all that are not train inputs */
    double train_fraction;                 /* (0, 1) */
    const char *group_separator; /* inputs whose names agree before it are drawn together ("/": a
                                    matrix's group); NULL: each input by itself */
    bool extrapolate;            /* train on the smaller inputs, test on the largest fifth; the
                                    lists, fraction and groups are ignored */
    const char *size_feature;    /* with `extrapolate`: what "large" means; NULL: the input feature
                                    that ranks the inputs most like their best times */
    bool without_generation;     /* exclude sources of the target's generation (a device feature or
                                    label), to evaluate on a new kind of device */
    /** Numbers of training inputs measured on the target, ascending, shape [num_measured]: methods
     *  that can be adapted are evaluated without and with each of them. */
    const size_t *measured;
    size_t num_measured;
    bool source_curve; /* evaluate with one source, two, ... all, nearest first and at random */
    double uses; /* of every input: times are those of a run and of its share of preparing, and
                    models choose accordingly; 0: preparing does not count */
    uint64_t seed;
    unsigned num_threads; /* 0: one per core */
    /** After each method on each target; false: stop (NITRO_ERR_INTERRUPTED). May be NULL. */
    bool (*progress)(void *user, size_t done, size_t total, const char *target, const char *method);
    void *progress_user;
    const nitro_evaluate_watch *watch; /* NULL: none */
    struct nitro_training_memo *memo; /* trainings shared with other evaluations (learning.h); NULL:
                                         with none. Results do not depend on it */
} nitro_evaluate_options;

/** What a source counts in a model. */
typedef struct nitro_source_share {
    char *device;
    double weight; /* of all sources of the model, the sum is 1 */
} nitro_source_share;

/** Qualities, 100 x best time / chosen variant's time, and accuracy in percent. */
struct nitro_evaluate_result {
    char *target;
    const char *method; /* static */
    bool modelled;      /* times come from a cost model, not from measurements */
    size_t inputs;
    size_t measured;    /* inputs of the target that the method was adapted to; 0: none */
    const char *order;  /* of a source curve: "nearest" or "random" (first); static; else NULL */
    size_t num_sources; /* of a source curve: learnt from; else 0 */
    char *added;        /* the last of them; NULL: not of a source curve */
    double mean, geomean, p5, min, accuracy;
    double total; /* time of the chosen variants over that of the best ones, summed over the inputs;
                     where the chosen one has no time, the slowest one's counts */
    double confident;           /* decisions with a confidence of at least 0.9, in percent; NaN: the
                                   method has no confidences */
    double confident_precision; /* of these, those within 5 % of the best, in percent; NaN: none */
    double predicted; /* the mean quality that the model expects, percent; NaN: it predicts
                         none */
    nitro_source_share *source_shares; /* shape [num_source_shares]; none: the method's model does
                                          not weight its sources */
    size_t num_source_shares;
};

NITRO_API void nitro_evaluate_options_init(nitro_evaluate_options *options);
/**
 * Score every method on every target: trained on training inputs of the sources, without any
 * measurement of the target, on test inputs of the target. A single device is its own source: its
 * inputs are divided into five folds, each a test of models of the others, unless train or test
 * inputs are given. Methods without anything to learn from
 * are skipped and logged.
 * With `source_curve`, the default method is auto, and every method has a result for each number of
 * sources of each order.
 * @param[out] results  shape [count], target by target, methods in declared order, orders, numbers
 *                      of sources and `measured` ascending (clamped to the number available); free
 * with nitro_evaluate_results_free.
 * @return NITRO_OK; NITRO_ERR_NOT_FOUND (the computation, a device without samples, a method);
 *         NITRO_ERR_NO_DATA (no inputs to learn from or to test on, or no method could be judged);
 *         NITRO_ERR_ARGUMENT (the fraction, or less than one use); NITRO_ERR_INTERRUPTED; the
 * store's error.
 */
NITRO_API nitro_status nitro_evaluate(nitro_store *store, const char *computation,
                                      const nitro_evaluate_options *options,
                                      nitro_evaluate_result **results, size_t *count);
NITRO_API void nitro_evaluate_results_free(nitro_evaluate_result *results, size_t count);
/** The methods' names and one-line descriptions, ended by a NULL name. */
typedef struct nitro_method_info {
    const char *name;
    const char *description;
    bool needs_profiles; /* not among all methods where the store has no profiles */
    bool
        extrapolates; /* the methods of an evaluation with `extrapolate`, unless others are named */
    bool only_named;  /* not among all methods of other evaluations */
    bool is_reference; /* a yardstick: without a model, or with times of the target */
} nitro_method_info;
NITRO_API const nitro_method_info *nitro_method_table(void);

#ifdef __cplusplus
}
#endif

#endif
