/* bfs.h - the computation "bfs": breadth-first searches of a graph, each from a source of its own.
 * The argument of all variants, and the declarations of variants and input features
 * (features/input/bfs_features.c). */
#ifndef NITRO_VARIANTS_BFS_BFS_H
#define NITRO_VARIANTS_BFS_BFS_H

#include "nitro/computation_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most vertices, and most edges: indices have 32 bits on devices. */
#define NITRO_BFS_MAX_VERTICES INT32_MAX

/**
 * The argument. Fill in the first part, which is borrowed, and zero the rest. Arrays and their
 * addresses may change between runs; sizes may not until nitro_kit_release. Loops and edges that
 * occur more than once are allowed, and cost time only.
 */
typedef struct nitro_bfs {
    int64_t num_vertices;      /* 0 to NITRO_BFS_MAX_VERTICES */
    int64_t num_edges;         /* directed: an undirected edge is two */
    int64_t num_sources;       /* searches */
    const int64_t *offsets;    /* shape [num_vertices + 1]: of the targets of a vertex */
    const int32_t *targets;    /* shape [num_edges] */
    const int64_t *in_offsets; /* the same for edges into a vertex; NULL: the graph is symmetric */
    const int32_t *in_targets;
    const int32_t *sources; /* shape [num_sources], each a vertex (unchecked); may repeat */
    int32_t *depths;        /* shape [num_sources][num_vertices]: the result; -1: not reached */

    nitro_room room;
    nitro_kept *kept; /* by the hooks that check results; NULL until then */
} nitro_bfs;

/** Input features in declared order. */
enum {
    NITRO_BFS_NUM_VERTICES,
    NITRO_BFS_NUM_EDGES,
    NITRO_BFS_MEAN_DEGREE,
    NITRO_BFS_DEGREE_SD,
    NITRO_BFS_MAX_DEVIATION,
    NITRO_BFS_HEAVY_SHARE,
    NITRO_BFS_EDGE_LENGTH,
    NITRO_BFS_LEVELS,
    NITRO_BFS_GROWTH,
    NITRO_BFS_NUM_FEATURES
};

/** The host's variants, in declared order. */
extern const nitro_variant nitro_bfs_variant_ec_fused;
extern const nitro_variant nitro_bfs_variant_ec_iterative;
extern const nitro_variant nitro_bfs_variant_ce_fused;
extern const nitro_variant nitro_bfs_variant_ce_iterative;
extern const nitro_variant nitro_bfs_variant_two_phase_fused;
extern const nitro_variant nitro_bfs_variant_two_phase_iterative;
extern const nitro_variant nitro_bfs_variant_direction_optimizing;
extern const nitro_variant nitro_bfs_variant_level_sweep;
extern const nitro_variant nitro_bfs_variant_queue;

/** level_sweep looks at all vertices in every level: allowed up to so many levels of the bounded
 * search of the feature `levels`. */
#define NITRO_BFS_SWEEP_LEVELS 16

/** Declare all input features. */
nitro_status nitro_bfs_add_features(nitro_computation *computation);

/** The computation (apps/bfs/bfs_module.c): direction_optimizing is the default. */
extern const nitro_kit nitro_bfs_kit;

/* ---- On CUDA devices: `run` launches on the argument's stream, and allocates nothing. Iterative
 * variants wait for the stream after every level, and cannot be captured. ---- */

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_bfs_cuda {
    nitro_bfs host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;
    const int32_t *offsets;
    const int32_t *targets;
    int32_t *depths;
} nitro_bfs_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_bfs_cuda_device;

#ifdef __cplusplus
}
#endif

#endif
