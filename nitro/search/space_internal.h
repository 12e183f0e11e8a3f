/*
 * space_internal.h - how a space is kept: a decision diagram.
 *
 * A level a parameter, in an order that keeps parameters of one constraint together. A node of a
 * level has an edge for each value of its parameter with which the space has configurations; equal
 * nodes are one. So a product of independent groups takes the sum of their nodes, and a space of
 * 10^18 configurations may take kilobytes. Each edge knows how many configurations its node has
 * before it: ranks become value indices and value indices become ranks in one pass.
 */
#ifndef NITRO_SEARCH_SPACE_INTERNAL_H
#define NITRO_SEARCH_SPACE_INTERNAL_H

#include <stdatomic.h>

#include "nitro/nitro_backend.h"
#include "nitro/records/expression.h"

#define SPACE_LEAF    UINT32_C(0) /* the node after the last level: one configuration */
#define SPACE_NO_NODE UINT32_MAX

/** Most bytes of a diagram while it is built; at most twice as many are allocated. */
#define SPACE_MAX_BYTES (UINT64_C(384) << 20)
/** Most times that constraints are tested: about a minute. */
#define SPACE_MAX_TESTS UINT64_C(3000000000)

typedef struct space_edges {
    uint16_t *values;   /* shape [count], ascending within a node */
    uint32_t *children; /* shape [count] */
    uint64_t *before;   /* shape [count]: configurations of the node's earlier edges */
} space_edges;

struct nitro_space {
    atomic_size_t num_owners; /* copies are shared */
    size_t num_parameters;
    nitro_parameter *parameters; /* shape [num_parameters] */
    size_t *order;               /* shape [num_parameters]: the parameter of each level */
    size_t num_nodes;
    size_t *first_edge; /* shape [num_nodes + 1] */
    uint64_t *sizes;    /* shape [num_nodes]: configurations below it */
    space_edges edges;
    uint32_t root;
    bool **occurs; /* shape [num_parameters][num_values]: is there a configuration with it? */
};

/** Free a parameter's name and values. */
void space_parameter_clear(nitro_parameter *parameter);

/** A space with copies of the parameters and without a diagram; NULL when out of memory. */
nitro_space *nitro_space_allocate(nitro_context *context, const nitro_parameter *parameters,
                                  size_t num_parameters);

/** What a diagram is made of: constraints, or else listed configurations. */
typedef struct space_constraint {
    const char *text;             /* of the condition that it is a part of */
    nitro_expression *expression; /* over the parameters */
} space_constraint;

/**
 * Build the diagram.
 * @param[in] origin   names the space in errors.
 * @param[in] numbers  shape [num_parameters][num_values]: what expressions see.
 * @return NITRO_OK; NITRO_ERR_FORMAT (no configuration); NITRO_ERR_UNSUPPORTED (too large);
 *         NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_space_build(nitro_context *context, nitro_space *space, const char *origin,
                               double *const *numbers, const space_constraint *constraints,
                               size_t num_constraints);

/** Nodes under construction: each is made once. */
typedef struct space_nodes {
    nitro_context *context;
    nitro_space *space;
    const char *origin;
    size_t node_capacity, edge_capacity;
    uint64_t *hashes; /* shape [num_nodes] */
    uint32_t *slots;  /* shape [num_slots], a power of two: nodes by hash */
    size_t num_slots;
} space_nodes;

nitro_status space_nodes_begin(space_nodes *nodes);
/** The node with these edges: an equal one that was made before, or a new one. */
nitro_status space_nodes_make(space_nodes *nodes, const uint16_t *values, const uint32_t *children,
                              size_t count, uint32_t *node);
/** Free what only construction needs; on success, set the root and what is derived from the nodes.
 */
nitro_status space_nodes_end(space_nodes *nodes, nitro_status status, uint32_t root);

#endif
