/*
 * dfs_tables.h - which subsets of device features make the same model. An SVM sees a subset only as
 * squared distances of devices: subsets of equal distances among the devices that teach make one
 * model; those that also lie as far from the pretend target make one answer. Internal to nitro/.
 */
#ifndef NITRO_LEARN_DFS_DFS_TABLES_H
#define NITRO_LEARN_DFS_DFS_TABLES_H

#include "nitro/nitro_backend.h"

/** Subsets that make the same model. */
typedef struct nitro_dfs_model {
    const double *squares; /* shape [num_devices x num_devices]; 0 for devices that do not teach */
    size_t num_varying;    /* device features that are not constant over those that teach */
    size_t first_view, num_views;
} nitro_dfs_model;

/** Subsets that also give the same answers. */
typedef struct nitro_dfs_view {
    const double *to_target; /* shape [num_devices]: squared distances from the pretend target */
} nitro_dfs_view;

typedef struct nitro_dfs_tables {
    size_t num_models, num_views;
    nitro_dfs_model *models; /* shape [num_models] */
    nitro_dfs_view *views;   /* shape [num_views], model by model */
    size_t *view_of;         /* shape [num_subsets] */
    double *distances;       /* that models and views point into */
} nitro_dfs_tables;

/**
 * @param[in] coordinates  shape [num_devices x num_features], scaled over the devices that teach.
 * @param[in] teaches      shape [num_devices].
 * @param[in] subsets      shape [num_subsets]: bit f for device feature f; at most 64 features.
 * @param[out] tables      free with nitro_dfs_tables_free.
 */
nitro_status nitro_dfs_tables_find(nitro_context *context, const double *coordinates,
                                   size_t num_devices, size_t num_features, const bool *is_usable,
                                   size_t target, const uint64_t *subsets, size_t num_subsets,
                                   nitro_dfs_tables *tables);
void nitro_dfs_tables_free(nitro_dfs_tables *tables);

#endif
