/*
 * dfs_tables.h - which subsets of device features give the same model. An SVM depends on a subset
 * only by the squared distances of devices: subsets with equal distances among the training devices
 * give one model; if those to the validation device are equal too, one quality. Internal to nitro/.
 */
#ifndef NITRO_LEARN_DFS_DFS_TABLES_H
#define NITRO_LEARN_DFS_DFS_TABLES_H

#include "nitro/nitro_backend.h"

/** Subsets that give the same model. */
typedef struct nitro_dfs_model {
    const double
        *squares;       /* shape [num_devices x num_devices]; 0 for others than training devices */
    size_t num_varying; /* device features that vary over the training devices */
    size_t first_view, num_views;
} nitro_dfs_model;

/** Of these, subsets that give the same quality. */
typedef struct nitro_dfs_view {
    const double *to_target; /* shape [num_devices]: squared distances from the validation device */
} nitro_dfs_view;

typedef struct nitro_dfs_tables {
    uint64_t varying; /* bit f: feature f varies over the training devices */
    size_t num_models, num_views;
    nitro_dfs_model *models; /* shape [num_models] */
    nitro_dfs_view *views;   /* shape [num_views], model by model */
    size_t *view_of;         /* shape [num_subsets] */
    double *distances;       /* owned memory of models and views */
} nitro_dfs_tables;

/**
 * @param[in] coordinates  shape [num_devices x num_features], scaled over the training devices.
 * @param[in] is_training  shape [num_devices].
 * @param[in] subsets      shape [num_subsets]: bit f for device feature f; at most 64 features.
 * @param[out] tables      free with nitro_dfs_tables_free.
 */
nitro_status nitro_dfs_tables_find(nitro_context *context, const double *coordinates,
                                   size_t num_devices, size_t num_features, const bool *is_training,
                                   size_t validation, const uint64_t *subsets, size_t num_subsets,
                                   nitro_dfs_tables *tables);
void nitro_dfs_tables_free(nitro_dfs_tables *tables);

#endif
