/* cvdfs_range.h - which device features CV-DFS can validate for a target: those in which some
 * source is as far outside the others' range as the target is outside the sources'. */
#ifndef NITRO_DFS_CVDFS_RANGE_H
#define NITRO_DFS_CVDFS_RANGE_H

#include "nitro/nitro_backend.h"

/** Distance from the range that is always allowed, in widths of the range. */
#define DFS_NEAR_RANGE 1.0

/** Distances of one candidate, in widths of the range. */
typedef struct dfs_range {
    double target;  /* of the target from the sources' range; 0: inside */
    double tried;   /* of a source from the range of the others, the largest */
    bool is_within; /* may be chosen */
} dfs_range;

/**
 * @param[in]  is_source  shape [num_devices of the task's sources]: has samples there.
 * @param[out] ranges     shape [num_candidates].
 */
nitro_status dfs_range_find(nitro_context *context, const nitro_dfs_task *task,
                            const bool *is_source, dfs_range *ranges);

#endif
