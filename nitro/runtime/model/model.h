/* model.h - the body of a model, and what it decides. Internal to nitro/. */
#ifndef NITRO_RUNTIME_MODEL_MODEL_H
#define NITRO_RUNTIME_MODEL_MODEL_H

#include "nitro/records/relative.h"
#include "nitro/records/scaler.h"
#include "nitro/runtime/compiled/compiled.h"
#include "nitro/runtime/scores/calibration.h"

/**
 * How far outside the training range an input feature may lie before the default variant is taken,
 * in scaled units: a tenth of the range, which is 2 wide.
 */
#define NITRO_MODEL_TOLERANCE 0.2

struct json_t;
struct nitro_kernel_pair;
struct nitro_model_prepared;
struct nitro_predicted_quality;

/**
 * Columns are the schema's features, then its relative features (those that the model uses; no
 * others are in its schema), then the device features. The strategy sees all but the input features
 * that relative ones replace; those still tell what the model has never seen.
 */
struct nitro_model {
    nitro_context *context;
    nitro_schema *schema; /* scales resolved, default variant set */
    char *target;
    char *target_kind;
    nitro_relative *relative;
    double relative_values[NITRO_RELATIVE_MAX_DEVICE_VALUES]; /* of the target, for formulas */
    nitro_string_list device_features;
    double device_values[NITRO_MODEL_MAX_DEVICE_FEATURES]; /* of the target */
    nitro_scaler_column columns[NITRO_MODEL_MAX_COLUMNS];
    double device_columns[NITRO_MODEL_MAX_DEVICE_FEATURES]; /* the values, scaled */
    size_t num_seen;
    size_t seen[NITRO_MODEL_MAX_COLUMNS]; /* shape [num_seen]: columns that the strategy sees */
    const nitro_strategy *strategy;
    char *strategy_name; /* NULL: strategy->name; else of the strategy that learnt what it holds */
    void *predictor;
    struct nitro_kernel_pair *correction; /* what inputs measured on the target say; NULL: none */
    uint64_t judged; /* a bit an input feature: those whose range is looked at: that the scores
                        depend on, and in a computation those that cost nothing */
    bool has_interval[NITRO_MAX_FEATURES]; /* else ask the scaler; set by nitro_model_compile */
    double lowest[NITRO_MAX_FEATURES], highest[NITRO_MAX_FEATURES]; /* of inputs that are inside */
    nitro_compiled *compiled; /* NULL: not compiled; the strategy's own score decides */
    struct nitro_model_prepared *prepared; /* NULL: not compiled; columns are found the plain way */
    nitro_calibration calibration;
    struct nitro_predicted_quality *predicted; /* by LODO validation; else NULL */
    void (*free_predicted)(struct nitro_predicted_quality *predicted);
    struct json_t *provenance; /* an object: what it was learnt from, and how; NULL: unknown */
    void (*free_provenance)(struct json_t *provenance);
};

/** How many columns there are, and where the relative and device features' begin. */
size_t nitro_model_num_columns(const nitro_model *model);
size_t nitro_model_first_relative(const nitro_model *model);
size_t nitro_model_first_device(const nitro_model *model);

/** A model of this schema and target that knows nothing yet; the schema is copied. */
nitro_status nitro_model_create(nitro_context *context, const nitro_schema *schema,
                                const char *target, const char *target_kind, nitro_model **model);

/** Compile the schema's relative features, in place of those there were. */
nitro_status nitro_model_set_relative(nitro_model *model);
/** Compute what finding columns has in common for all inputs, once all of the above is set. */
nitro_status nitro_model_prepare_columns(nitro_model *model);
/** Free relative features and what was prepared. */
void nitro_model_free_columns(nitro_model *model);
/** Compute `seen`, once relative and device features are set. */
void nitro_model_choose_seen(nitro_model *model);
/** Compute `device_columns`, once values and columns are set. */
void nitro_model_scale_device(nitro_model *model);
/** A scaled column as the strategy sees it: relative features are cut to the training range. */
double nitro_model_scale(const nitro_model *model, size_t column, double value);

/**
 * What the strategy sees of one input, shape [num_seen], scaled.
 * @return false where a relative feature is undefined for this input.
 */
bool nitro_model_columns(const nitro_model *model, const double *features, double *columns);
/** What the predictor's scores are made of; what the parts point to stays the model's.
 *  @return NITRO_OK; NITRO_ERR_UNSUPPORTED (its strategy does not say). */
nitro_status nitro_model_parts(const nitro_model *model, nitro_score_terms *terms);

/** Scores of all variants, without any guard: what evaluations ask. Allocates nothing. */
void nitro_model_score(const nitro_model *model, const double *features, double *scores);

/** The schema that the model was made for; its default variant is always set. */
const nitro_schema *nitro_model_schema(const nitro_model *model);

/** A bit an input feature that the model's scores depend on; all where that is not known. */
uint64_t nitro_model_used_features(const nitro_model *model);
/** Check the training range of these features only. */
void nitro_model_judge(nitro_model *model, uint64_t features);
/** Are all features whose range is checked among these? */
bool nitro_model_knows(const nitro_model *model, uint64_t features);

/** Lay the predictor out for fast decisions on the target (compiled.h), where that can be done.
 *  @return NITRO_OK or NITRO_ERR_NO_MEMORY. */
nitro_status nitro_model_compile(nitro_model *model);

/**
 * Decide for one input: the best variant of those whose bit is set in `allowed`, by the model and
 * its guards. `allowed` has at least two bits. Allocates nothing, records no error.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE.
 */
nitro_status nitro_model_decide(const nitro_model *model, const double *features, uint64_t allowed,
                                double min_confidence, nitro_decision *decision);

#endif
