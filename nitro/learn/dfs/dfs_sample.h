/* dfs_sample.h - the sources' rows that a search for device features uses. Internal to nitro/. */
#ifndef NITRO_LEARN_DFS_DFS_SAMPLE_H
#define NITRO_LEARN_DFS_DFS_SAMPLE_H

#include "nitro/nitro_backend.h"

/**
 * Most rows of a sample. Trainings take more than the square of it in time, kernel matrices the
 * square in memory. With three sources most subsets share a model, so that more rows cost little;
 * with more sources, which differ, each subset is a model of its own on each validation device, and
 * a subset's quality is a mean over more devices.
 */
#define NITRO_DFS_MAX_ROWS      1200
#define NITRO_DFS_MAX_ROWS_MANY 600 /* of more than NITRO_DFS_FEW_SOURCES */
#define NITRO_DFS_FEW_SOURCES   3

/** Usable rows (two variants or more have a time, and log-scaled features are positive); of too
 * many, whole inputs drawn by the seed. */
typedef struct nitro_dfs_sample {
    const nitro_dataset *sources;
    size_t num_rows;
    size_t num_candidate_rows; /* from which it was drawn */
    size_t num_inputs;         /* with a row in it */
    size_t *rows;              /* shape [num_rows]: of the dataset, ascending */
    size_t *points; /* shape [num_rows]: rows of one input with equal features share one */
    size_t *labels; /* shape [num_rows]: fastest variants */
    size_t num_points;
    double *features; /* shape [num_points x num_features], raw */
} nitro_dfs_sample;

/**
 * @param[in] max_rows  0: as above.
 * @param[out] sample  `sources` is borrowed; free with nitro_dfs_sample_free.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no usable row); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_dfs_sample_draw(nitro_context *context, const nitro_dataset *sources,
                                   size_t max_rows, uint64_t seed, nitro_dfs_sample *sample);
void nitro_dfs_sample_free(nitro_dfs_sample *sample);

#endif
