/*
 * graph.h - graphs as inputs: the symmetric pattern of a square Matrix Market file, and generated
 * families. Loops are dropped, and edges that occur more than once are one.
 */
#ifndef NITRO_APPS_BFS_GRAPH_H
#define NITRO_APPS_BFS_GRAPH_H

#include "apps/matrix/matrix.h"
#include "variants/bfs/bfs.h"

/** Undirected edges in any order. Zero-initialise, then set num_vertices. */
typedef struct nitro_graph_edges {
    int64_t num_vertices;         /* 0 to NITRO_BFS_MAX_VERTICES */
    nitro_matrix_entries entries; /* both directions of each */
    bool has_failed;              /* out of memory: edges are ignored from there on */
} nitro_graph_edges;

/** Append an edge; vertices out of range are ignored. */
void nitro_graph_add(nitro_graph_edges *edges, int64_t a, int64_t b);

/**
 * An argument of bfs with up to 8 sources: vertices with neighbours, at places given by a hash.
 * @param[in]  edges  their arrays are freed, also on error.
 * @param[out] bfs    free it with nitro_kit_free(&nitro_bfs_kit, false, bfs).
 * @return NITRO_OK, NITRO_ERR_ARGUMENT (more edges than 32 bits count) or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_graph_create(nitro_context *context, nitro_graph_edges *edges, nitro_bfs **bfs);

/** Of nitro_kit_inputs; also NITRO_ERR_FORMAT: the matrix is not square. */
nitro_status nitro_graph_load(nitro_context *context, const char *path, void **data);

typedef struct nitro_graph_family {
    const char *name;
    /** Draw a graph of about so many undirected edges. */
    void (*build)(nitro_random *random, double num_edges, nitro_graph_edges *edges);
} nitro_graph_family;

#define NITRO_GRAPH_NUM_FAMILIES 11
extern const nitro_graph_family nitro_graph_families[NITRO_GRAPH_NUM_FAMILIES];

/** Edges of a Kronecker graph of 2^scale vertices, with the Graph500 probabilities. */
void nitro_graph_add_kronecker(nitro_random *random, int scale, double num_edges, bool is_permuted,
                               nitro_graph_edges *edges);

extern const nitro_module nitro_module_bfs, nitro_module_bfs_cuda;

#endif
