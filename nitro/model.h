/* model.h - the body of a model, and learning one from a dataset. Internal to nitro/. */
#ifndef NITRO_MODEL_H
#define NITRO_MODEL_H

#include "nitro/calibration.h"
#include "nitro/nitro_internal.h"
#include "nitro/scaler.h"

/** Most device features that a model may use. */
#define NITRO_MODEL_MAX_DEVICE_FEATURES 64
#define NITRO_MODEL_MAX_COLUMNS         (NITRO_MAX_FEATURES + NITRO_MODEL_MAX_DEVICE_FEATURES)

/**
 * How far outside the training range an input feature may lie before the default variant is taken,
 * in scaled units: a tenth of the range, which is 2 wide.
 */
#define NITRO_MODEL_TOLERANCE 0.2

struct json_t;

/** Columns are the schema's features, then the device features. */
struct nitro_model {
    nitro_context *context;
    nitro_schema *schema; /* scales resolved, default variant set */
    char *target;
    char *target_kind;
    nitro_string_list device_features;
    double device_values[NITRO_MODEL_MAX_DEVICE_FEATURES]; /* of the target */
    nitro_scaler_column columns[NITRO_MODEL_MAX_COLUMNS];
    double device_columns[NITRO_MODEL_MAX_DEVICE_FEATURES]; /* the values, scaled */
    const nitro_strategy *strategy;
    void *predictor;
    nitro_calibration calibration;
    struct json_t *provenance; /* an object: what it was learnt from, and how */
};

size_t nitro_model_num_columns(const nitro_model *model);

/** A model of this schema and target that knows nothing yet; the schema is copied. */
nitro_status nitro_model_create(nitro_context *context, const nitro_schema *schema,
                                const char *target, const char *target_kind, nitro_model **model);

/** Compute `device_columns`, once values and columns are set. */
void nitro_model_scale_device(nitro_model *model);

/** Scores of all variants, without any guard: what evaluations ask. Allocates nothing. */
void nitro_model_score(const nitro_model *model, const double *features, double *scores);

/** What to learn from, and for which device. All borrowed. */
typedef struct nitro_lesson {
    const nitro_dataset *sources;
    const nitro_device *target;
    const nitro_string_list *device_features; /* known of all source devices and the target */
    const nitro_strategy *strategy;
    uint64_t seed;
    unsigned num_threads; /* 0: one a core */
} nitro_lesson;

/**
 * Learn a model. Rows with fewer than two times, and rows with a value that its declared log scale
 * cannot take (said in the log), do not teach.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no row teaches); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_train(nitro_context *context, const nitro_lesson *lesson,
                               nitro_model **model);

/** Say in which device features the target lies outside the sources, if any: where an RBF kernel
 * has to extrapolate, it knows nothing. */
void nitro_model_log_extrapolation(const nitro_model *model, nitro_log_level level);

/** The strategy of this name (NULL: that of the highest priority), or NITRO_ERR_NOT_FOUND. */
nitro_status nitro_strategy_find(nitro_context *context, const char *name,
                                 const nitro_strategy **strategy);

#endif
