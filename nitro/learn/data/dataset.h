/* dataset.h - rows of times, their best variant and quality, and subsets of a dataset. Internal to
 * nitro/. */
#ifndef NITRO_LEARN_DATA_DATASET_H
#define NITRO_LEARN_DATA_DATASET_H

#include "nitro/nitro_backend.h"

/** Index of the smallest time, the first on ties; NITRO_NONE where all are NaN. */
size_t nitro_times_best(const double *times_ms, size_t num_variants);
/** How many variants have a time. */
size_t nitro_times_count(const double *times_ms, size_t num_variants);
/** Best time over the chosen variant's time, in [0, 1]; 0 where that has none. */
double nitro_times_quality(const double *times_ms, size_t num_variants, size_t chosen);
/** Index of the largest score, the first on ties. */
size_t nitro_scores_best(const double *scores, size_t num_variants);
/** The same among the variants with a time: others were not allowed, or failed. NITRO_NONE where
 *  all times are NaN. */
size_t nitro_scores_best_timed(const double *scores, const double *times_ms, size_t num_variants);
/**
 * Mean quality, in [0, 1], of the variants with the best scores. NaN where no row has scores.
 * @param[in] times_ms  shape [num_rows x num_variants]
 * @param[in] scores    shape [num_rows x num_variants]; rows that begin with NaN have none.
 */
double nitro_scores_quality(const double *times_ms, const double *scores, size_t num_rows,
                            size_t num_variants);

/** The row's times, shape [num_variants], and features, shape [num_features]. */
const double *nitro_dataset_times(const nitro_dataset *dataset, size_t row);
const double *nitro_dataset_features(const nitro_dataset *dataset, size_t row);
/** The row's costs of preparing, shape [num_variants]. */
double *nitro_dataset_prepare(const nitro_dataset *dataset, size_t row);
/** The row's costs of features, shape [num_features]. */
double *nitro_dataset_feature_costs(const nitro_dataset *dataset, size_t row);

/** Allocate matrices for `num_rows` rows, without any row yet. The schema is set. */
nitro_status nitro_dataset_allocate(nitro_context *context, size_t num_rows,
                                    nitro_dataset *dataset);
/** Append a row to the matrices, copied; there must be room. Its costs of preparing are unknown. */
void nitro_dataset_append(nitro_dataset *dataset, size_t device, size_t input,
                          const double *features, const double *times_ms);

/** The variants with a time on some row of the device, a bit each. One that was never measured on a
 *  device is unknown there: neither right nor wrong to choose. */
uint64_t nitro_dataset_known_variants(const nitro_dataset *dataset, size_t device);
/** Of the variants known on a row's device those that no constraint excludes there; all, if none is
 *  left. */
uint64_t nitro_dataset_row_variants(const nitro_dataset *dataset, size_t row, uint64_t known);
/** Set the scores of variants that are not `known` to minus infinity, unless the row has none
 * (NaN).
 */
void nitro_scores_restrict(double *scores, size_t num_variants, uint64_t known);

/** Does the row have times of two variants? Others are neither trained nor tested on. */
bool nitro_dataset_row_is_usable(const nitro_dataset *dataset, size_t row);
/** How many usable rows a device has. */
size_t nitro_dataset_usable_rows(const nitro_dataset *dataset, size_t device);

/** Of the `known` variants that of the best mean quality over the usable rows (SBS); the first
 * declared on ties. */
size_t nitro_dataset_best_fixed(const nitro_dataset *dataset, uint64_t known);

/** Warn of few inputs, one best variant on all, or the same features on all. */
void nitro_dataset_log_warnings(nitro_context *context, const nitro_dataset *dataset);

/**
 * Copy some devices and their rows on some inputs; inputs without rows stay in its list.
 * @param[in] devices  shape [num_devices]: keep? NULL: all.
 * @param[in] inputs   shape [num_inputs]: keep? NULL: all.
 */
nitro_status nitro_dataset_select(nitro_context *context, const nitro_dataset *dataset,
                                  const bool *devices, const bool *inputs,
                                  nitro_dataset **selected);

#endif
