/* model.h - the definition of a model, and its decisions. Internal to nitro/. */
#ifndef NITRO_RUNTIME_MODEL_MODEL_H
#define NITRO_RUNTIME_MODEL_MODEL_H

#include "nitro/records/relative.h"
#include "nitro/records/scaler.h"
#include "nitro/runtime/compiled/compiled.h"
#include "nitro/runtime/model/range_ends.h"
#include "nitro/runtime/scores/calibration.h"
#include "nitro/runtime/scores/prepare_costs.h"

/**
 * Excess of an input feature over the training range, in scaled units, up to which an input counts
 * as inside: a tenth of the range. Beyond it, the range's ends say what is chosen (range_ends.h).
 */
#define NITRO_MODEL_TOLERANCE 0.2

struct json_t;
struct nitro_held_out;
struct nitro_kernel_pair;
struct nitro_model_prepared;
struct nitro_predicted_quality;

typedef struct nitro_model_tree nitro_model_tree;

/** A model's variants in a program that declares others. NITRO_NONE: it has none of that name. */
typedef struct nitro_variant_map {
    size_t declared[NITRO_MAX_VARIANTS]; /* the program's index of each of the model's */
    size_t own[NITRO_MAX_VARIANTS];      /* the model's index of each of the program's */
} nitro_variant_map;

/**
 * Columns are the schema's input features, its relative features (only those that the model uses),
 * then device features. The strategy's columns exclude input features replaced by relative ones,
 * whose training range is still checked.
 */
struct nitro_model {
    nitro_context *context;
    nitro_schema *schema;   /* scales resolved, default variant set */
    nitro_variant_map *map; /* NULL: the program's variants are the model's, in the same order */
    char *target;
    char *target_kind;
    nitro_relative *relative;
    double relative_values[NITRO_RELATIVE_MAX_DEVICE_VALUES]; /* of the target, for formulas */
    nitro_string_list device_features;
    double device_values[NITRO_MODEL_MAX_DEVICE_FEATURES]; /* of the target */
    nitro_scaler_column columns[NITRO_MODEL_MAX_COLUMNS];
    double device_columns[NITRO_MODEL_MAX_DEVICE_FEATURES]; /* the values, scaled */
    size_t num_seen;
    size_t seen[NITRO_MODEL_MAX_COLUMNS]; /* shape [num_seen]: the strategy's columns */
    const nitro_strategy *strategy;
    char *strategy_name; /* NULL: strategy->name; else the strategy that trained a compiled model */
    void *predictor;
    bool borrows_predictor; /* of another owner, who frees it */
    struct nitro_kernel_pair
        *correction; /* correction by inputs measured on the target; NULL: none */
    nitro_prepare_costs *prepare_costs; /* NULL: preparing costs nothing, or is unknown */
    bool is_attached;                   /* to a computation, which owns it */
    uint64_t untried; /* a bit a variant: it ran on no source, so it is not ranked */
    uint64_t judged; /* bit f: the range of input feature f is checked, since scores depend on it or
                        (in a computation) it is free */
    bool has_interval[NITRO_MAX_FEATURES]; /* else use the scaler; set by nitro_model_compile */
    double lowest[NITRO_MAX_FEATURES],
        highest[NITRO_MAX_FEATURES]; /* intervals inside the training range */
    nitro_range_end *ends; /* shape [num_features x 2]: of low and high ends; NULL: inputs outside
                              get the default variant */
    nitro_compiled *compiled;              /* NULL: not compiled, use the strategy's `score` */
    nitro_model_tree *tree;                /* the predictor, if that is one tree; NULL: it is not */
    struct nitro_model_prepared *prepared; /* NULL: not compiled, compute columns directly */
    nitro_calibration calibration;
    struct nitro_predicted_quality *predicted; /* by LODO validation; else NULL */
    struct nitro_held_out *held_out; /* quality on held-out inputs, for the provenance; NULL:
                                        unknown */
    void (*free_predicted)(struct nitro_predicted_quality *predicted);
    struct json_t *provenance; /* training provenance, an object; NULL: unknown */
    void (*free_provenance)(struct json_t *provenance);
};

/** Number of columns, and offsets of the relative and device features. */
size_t nitro_model_num_columns(const nitro_model *model);
size_t nitro_model_first_relative(const nitro_model *model);
size_t nitro_model_first_device(const nitro_model *model);

/** A model without predictor for this schema (copied) and target. */
nitro_status nitro_model_create(nitro_context *context, const nitro_schema *schema,
                                const char *target, const char *target_kind, nitro_model **model);

/** Compile the schema's relative features, replacing earlier ones. */
nitro_status nitro_model_set_relative(nitro_model *model);
/** Precompute the input-independent part of columns, once all of the above is set. */
nitro_status nitro_model_prepare_columns(nitro_model *model);
/** Free relative features and precomputed data. */
void nitro_model_free_columns(nitro_model *model);
/** Compute `seen`, once relative and device features are set. */
void nitro_model_choose_seen(nitro_model *model);
/** Compute `device_columns`, once values and columns are set. */
void nitro_model_scale_device(nitro_model *model);
/** A scaled column of the strategy: relative features are clipped to the training range. */
double nitro_model_scale(const nitro_model *model, size_t column, double value);

/**
 * The strategy's scaled columns of one input, shape [num_seen].
 * @return false if a relative feature is undefined for this input.
 */
bool nitro_model_columns(const nitro_model *model, const double *features, double *columns);
/** The target's relative features of one input, shape [num_relative]; false if one is undefined. */
bool nitro_model_relative(const nitro_model *model, const double *features, double *values);

/** @param[out] tree  NULL if the terms are not one tree; borrows it. Needs has_interval and
 * columns. Free with free(). */
nitro_status nitro_model_compile_tree(const nitro_model *model, const nitro_score_terms *terms,
                                      nitro_model_tree **tree);
/** The scores of all variants by `tree`, for an input inside the training range.
 *  @return as nitro_model_columns. */
bool nitro_model_walk(const nitro_model *model, const double *features, double *scores);
/** The predictor's score terms, which borrow the model's data.
 *  @return NITRO_OK; NITRO_ERR_UNSUPPORTED (its strategy has none). */
nitro_status nitro_model_parts(const nitro_model *model, nitro_score_terms *terms);

/** Compile score terms of the model for its target; NULL if they do not fit (compiled.h). */
nitro_status nitro_model_compile_terms(const nitro_model *model, const nitro_score_terms *terms,
                                       nitro_compiled **compiled);

/** Scores of all variants without range checks, for evaluation. Allocates nothing. */
void nitro_model_score(const nitro_model *model, const double *features, double *scores);
/** Those of the allowed variants that ran on some source, among which is chosen; all of the allowed
 * ones if none did. */
uint64_t nitro_model_tried(const nitro_model *model, uint64_t allowed);
/** The same with a share of the cost of preparing in every run; the same scores where the model
 * knows no such costs. */
void nitro_model_score_uses(const nitro_model *model, const double *features, double share,
                            double *scores);

/**
 * The share of the cost of preparing that each of `uses` runs bears.
 * @param[in]     computation  for the error.
 * @param[in,out] share        unchanged for 0 uses, which stand for a default; 0 for INFINITY.
 * @return NITRO_OK or NITRO_ERR_ARGUMENT (below 1, or NaN).
 */
nitro_status nitro_share_of_uses(nitro_context *context, const char *computation, double uses,
                                 float *share);
/** Move the strategy's columns of input features beyond the training range to its border, which is
 *  where inputs begin to count as outside. Those of relative features are inside already. */
void nitro_model_move_inside(const nitro_model *model, double *columns);

/**
 * Match the model's variants by name with those that a program declares; which ones either lacks is
 * logged.
 * @return NITRO_OK; NITRO_ERR_MISMATCH (another computation or other features, or fewer than two
 *         common variants) or NITRO_ERR_NO_MEMORY: the model is unchanged.
 */
nitro_status nitro_model_match_variants(nitro_context *context, nitro_model *model,
                                        const nitro_schema *declared);
/** The model's variants among the declared ones whose bit is set, as bits of its own. */
uint64_t nitro_model_own_variants(const nitro_model *model, uint64_t declared);
/** The model's index of a declared variant, and the reverse; NITRO_NONE: there is none. */
size_t nitro_model_own_variant(const nitro_model *model, size_t declared);
size_t nitro_model_declared_variant(const nitro_model *model, size_t own);

/** Bit f: the model's scores depend on input feature f; all set if unknown. */
uint64_t nitro_model_used_features(const nitro_model *model);
/** Bit f: input feature f was dropped from the model, since it costs more than it gains. */
uint64_t nitro_model_ignored_features(const nitro_model *model);
/** Check the training range of these features only. */
void nitro_model_judge(nitro_model *model, uint64_t features);
/** Are all features whose range is checked among these? */
bool nitro_model_knows(const nitro_model *model, uint64_t features);

/** Compile the predictor for the target (compiled.h), if possible.
 *  @return NITRO_OK or NITRO_ERR_NO_MEMORY. */
nitro_status nitro_model_compile(nitro_model *model);

/**
 * Decide for one input: the best variant of those whose bit is set in `allowed`, by the model and
 * its guards. `allowed` has at least two bits. Allocates nothing, records no error.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE.
 */
nitro_status nitro_model_decide(const nitro_model *model, const double *features, uint64_t allowed,
                                double min_confidence, nitro_decision *decision);
/** The same where every run bears a share of the cost of preparing: 1 / uses; 0: unlimited uses. */
nitro_status nitro_model_decide_uses(const nitro_model *model, const double *features,
                                     uint64_t allowed, double share, double min_confidence,
                                     nitro_decision *decision);
/** The features, at most one, that a decision for few uses depends on. */
uint64_t nitro_model_first_features(const nitro_model *model);
/** Is this share so large that the other features do not pay? If so, decide without them.
 *  @param[in] known  bit f: features[f] is known. */
bool nitro_model_decide_few_uses(const nitro_model *model, double share, const double *features,
                                 uint64_t known, nitro_decision *decision);

#endif
