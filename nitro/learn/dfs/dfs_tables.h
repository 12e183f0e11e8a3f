/*
 * dfs_tables.h - which subsets of device features give the same model. An SVM depends on a subset
 * only by the squared distances of devices: subsets with equal distances among the training devices
 * give one model; if those to the validation device are equal too, one quality. Internal to nitro/.
 */
#ifndef NITRO_LEARN_DFS_DFS_TABLES_H
#define NITRO_LEARN_DFS_DFS_TABLES_H

#include "nitro/nitro_backend.h"

/** The devices of one validation device's models; at most 64 features. */
typedef struct nitro_dfs_space {
    size_t num_devices, num_features, validation;
    double *coordinates; /* shape [num_devices x num_features], scaled over the training devices */
    bool *is_training;   /* shape [num_devices] */
} nitro_dfs_space;

/** Subsets that give the same model. */
typedef struct nitro_dfs_model {
    uint64_t subset;    /* one of them */
    size_t num_varying; /* device features that vary over the training devices */
    size_t first_view, num_views;
} nitro_dfs_model;

/** Not larger than a few words for each subset: distances are computed again when needed. */
typedef struct nitro_dfs_tables {
    uint64_t varying; /* bit f: feature f varies over the training devices */
    size_t num_models, num_views;
    nitro_dfs_model *models; /* shape [num_models] */
    uint64_t *views;         /* shape [num_views], model by model: one of the model's subsets that
                                give the same quality */
    size_t *view_of;         /* shape [num_subsets] */
} nitro_dfs_tables;

/** @param[out] squares  shape [num_devices x num_devices]: squared distances; 0 for others than
 *                      training devices. */
void nitro_dfs_training_squares(const nitro_dfs_space *space, uint64_t subset, double *squares);
/** Squared distance of a training device from the validation device; 0 for others. */
double nitro_dfs_validation_square(const nitro_dfs_space *space, uint64_t subset, size_t device);

/**
 * @param[in] subsets  shape [num_subsets]: bit f for device feature f.
 * @param[out] tables  free with nitro_dfs_tables_free.
 */
nitro_status nitro_dfs_tables_find(nitro_context *context, const nitro_dfs_space *space,
                                   const uint64_t *subsets, size_t num_subsets,
                                   nitro_dfs_tables *tables);
void nitro_dfs_tables_free(nitro_dfs_tables *tables);

#endif
