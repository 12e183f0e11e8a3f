/*
 * explain.h - why a model decides as it does for one input: its columns, those outside the training
 * range, and the nearest measured inputs. For tools (nitro explain), not for decisions. nitro.h's
 * rules hold here too.
 */
#ifndef NITRO_BACKEND_EXPLAIN_H
#define NITRO_BACKEND_EXPLAIN_H

#include "nitro/backend/learning.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most columns that a model has: input, relative and device features. */
#define NITRO_EXPLAIN_MAX_COLUMNS 192

typedef enum nitro_column_kind {
    NITRO_COLUMN_INPUT,    /* an input feature */
    NITRO_COLUMN_RELATIVE, /* a relative feature: of input and target */
    NITRO_COLUMN_DEVICE,   /* a device feature of the target */
} nitro_column_kind;

/** One column of a model, for one input. */
typedef struct nitro_column {
    const char *name, *unit; /* owned by the model; or static */
    nitro_column_kind kind;
    double value;     /* NaN: the formula is undefined for this input */
    double low, high; /* its range in training, in the value's unit; NaN: dropped in training */
    double excess;    /* how far outside that range, in widths of it on the column's scale; 0:
                         inside. Undefined: infinite */
    bool is_far;      /* an input feature so far outside that the model extrapolates or falls back
                         to the best variant of the nearest training inputs */
    bool is_seen;     /* a column of the strategy; if not, relative features replace it */
    bool is_used;     /* the decision depends on it; if not, its range does not matter */
} nitro_column;

/**
 * @param[in]  features  shape [nitro_model_num_features]
 * @param[out] columns   shape [NITRO_EXPLAIN_MAX_COLUMNS]: input features in the model's order,
 *                       then relative ones, then device features.
 * @return NITRO_OK or NITRO_ERR_BAD_FEATURE (not finite).
 */
NITRO_API nitro_status nitro_model_explain(const nitro_model *model, const double *features,
                                           nitro_column *columns, size_t *count);

/**
 * The factor by which the model expects variant `other` to be slower than variant `chosen`, from
 * scores of nitro_model_predict. NaN where the strategy's scores only rank variants. A variant
 * expected to reach less than a tenth of the best performance counts as ten times slower.
 */
NITRO_API double nitro_model_expected_ratio(const nitro_model *model, const double *scores,
                                            size_t chosen, size_t other);

/**
 * The cost of preparing each variant for an input, as the model expects it, in units of the fastest
 * variant's run, or of an eighth of the fastest run without preparing if that is longer. Divided by
 * the performance of a variant, 1 + its score (at least 0.1), it is in units of another's run.
 * @param[in]  features  shape [nitro_model_num_features], finite.
 * @param[out] runs      shape [nitro_model_num_variants]; 0: none.
 * @return false: the model knows no such costs; nothing is written.
 */
NITRO_API bool nitro_model_expected_preparing(const nitro_model *model, const double *features,
                                              double *runs);

/** A measured input, and its distance from another in a model's columns. */
typedef struct nitro_neighbour {
    size_t row;      /* of the dataset */
    double distance; /* root mean square over the strategy's columns, each scaled so that its
                        training range is 2 wide */
} nitro_neighbour;

/**
 * The rows of a dataset nearest to an input, the nearest first, the first row of equals. A row has
 * the relative and device features of its own device, so that distant devices have distant rows.
 *
 * @param[in]  dataset     of the model's computation, which may have gained features and variants;
 *                         rows without two times, or a relative feature's value, are skipped.
 * @param[in]  device      index of the device whose rows are searched; NITRO_NONE: all.
 * @param[out] neighbours  shape [most].
 * @return NITRO_OK; NITRO_ERR_MISMATCH (the dataset lacks a feature of the model);
 *         NITRO_ERR_BAD_FEATURE.
 */
NITRO_API nitro_status nitro_model_neighbours(const nitro_model *model,
                                              const nitro_dataset *dataset, size_t device,
                                              const double *features, nitro_neighbour *neighbours,
                                              size_t most, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
