/* model.h - the body of a model, and learning one from a dataset. Internal to nitro/. */
#ifndef NITRO_RUNTIME_MODEL_H
#define NITRO_RUNTIME_MODEL_H

#include "nitro/records/relative.h"
#include "nitro/records/scaler.h"
#include "nitro/runtime/calibration.h"
#include "nitro/runtime/compiled/compiled.h"
#include "nitro/runtime/nitro_internal.h"

/** Most device features that a model may use. */
#define NITRO_MODEL_MAX_DEVICE_FEATURES 64
#define NITRO_MODEL_MAX_COLUMNS         (2 * NITRO_MAX_FEATURES + NITRO_MODEL_MAX_DEVICE_FEATURES)

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
    struct nitro_predicted_quality
        *predicted;            /* as it was learnt, by NITRO_EVIDENCE_SOURCES; else NULL */
    struct json_t *provenance; /* an object: what it was learnt from, and how */
};

/** How many columns there are, and where the relative and device features' begin. */
size_t nitro_model_num_columns(const nitro_model *model);
size_t nitro_model_first_relative(const nitro_model *model);
size_t nitro_model_first_device(const nitro_model *model);

/** A model of this schema and target that knows nothing yet; the schema is copied. */
nitro_status nitro_model_create(nitro_context *context, const nitro_schema *schema,
                                const char *target, const char *target_kind, nitro_model **model);

/** Free what libnitro knows besides of a model: its provenance. Nothing in libnitro-runtime. */
void nitro_model_free_provenance(nitro_model *model);

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
 *  @return NITRO_OK; NITRO_ERR_NOT_BUILT (its strategy does not say). */
nitro_status nitro_model_parts(const nitro_model *model, nitro_score_terms *terms);

/** Lay the predictor out for fast decisions on the target (compiled.h), where that can be done. */
nitro_status nitro_model_compile(nitro_model *model);

/** Scores of all variants, without any guard: what evaluations ask. Allocates nothing. */
void nitro_model_score(const nitro_model *model, const double *features, double *scores);

/** From which rows a model learns how sure it may be. */
typedef enum nitro_evidence {
    NITRO_EVIDENCE_INPUTS,  /* rows whose input was held out: for a device that teaches itself */
    NITRO_EVIDENCE_SOURCES, /* and rows whose source was left out: for a device of which nothing is
                               known but how far it is from the sources */
    NITRO_EVIDENCE_NONE     /* none, the fastest: confidences are blind guesses */
} nitro_evidence;

/** What to learn from, and for which device. All borrowed. */
typedef struct nitro_training_task {
    const nitro_dataset *sources;
    const nitro_device *target;
    const nitro_string_list *device_features; /* known of all source devices and the target */
    const nitro_strategy *strategy;
    bool use_relative; /* the computation's relative features, where their device features are known
                          of all sources and the target (what is left out is said in the log) */
    bool without_device_alone; /* no relative features that name no input feature */
    bool clamps; /* where the target lies outside the sources' range of a device feature, take the
                    near end of that range */
    nitro_evidence evidence;
    bool quiet;       /* another lesson said already what is left out */
    bool quick;       /* one of many rehearsals: parameters may be searched for less thoroughly */
    uint64_t members; /* of a strategy that averages others: which; 0: left-out sources choose */
    size_t hyper_settings[NITRO_MAX_MEMBERS]; /* as in nitro_training_set; 0: left-out sources may
                                                 choose */
    bool is_adapted; /* the model will be adapted to measured inputs: what corrects it does best
                        with  all members, so that left-out sources have no say in it */
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
} nitro_training_task;

/**
 * Learn a model. Rows with fewer than two times, rows with a value that its declared log scale
 * cannot take, and rows where a relative feature is undefined (both said in the log) do not teach.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no row teaches); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model);

/** Say in which device features the target lies outside the sources, if any: where an RBF kernel
 * has to extrapolate, it knows nothing. */
void nitro_model_log_extrapolation(const nitro_model *model, nitro_log_level level);

/** The strategy of this name (NULL: that of the highest priority), or NITRO_ERR_NOT_FOUND. */
nitro_status nitro_strategy_find(nitro_context *context, const char *name,
                                 const nitro_strategy **strategy);

#endif
