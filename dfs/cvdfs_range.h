/*
 * cvdfs_range.h - which device features a search by cross-validation can judge for a target: how
 * far out a target lies must have been tried.
 */
#ifndef NITRO_DFS_CVDFS_RANGE_H
#define NITRO_DFS_CVDFS_RANGE_H

#include "nitro/nitro_backend.h"

/** How far outside may be untried, in widths of the sources' range: they are as far apart. */
#define DFS_NEAR_RANGE 1.0

/** One candidate: how far outside others' range of it a device lies, in widths of that range. */
typedef struct dfs_range {
    double target;  /* the target, of the sources' range; 0: inside */
    double tried;   /* the source that lies farthest outside of the other sources' range */
    bool is_within; /* may be chosen: the target is near the range, or as far out was tried */
} dfs_range;

/**
 * @param[in]  is_source  shape [num_devices of the task's sources]: has samples there.
 * @param[out] reaches    shape [num_candidates].
 */
nitro_status dfs_range_find(nitro_context *context, const nitro_dfs_task *task,
                            const bool *is_source, dfs_range *ranges);

#endif
