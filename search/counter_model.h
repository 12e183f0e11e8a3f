/* counter_model.h - counter models in memory. Internal to search/. */
#ifndef NITRO_SEARCH_COUNTER_MODEL_H
#define NITRO_SEARCH_COUNTER_MODEL_H

#include "nitro/nitro_backend.h"

/** A node of a regression tree; a leaf has no column. */
typedef struct counter_node {
    uint32_t column; /* COUNTER_LEAF, or a parameter of the model */
    double value;    /* of a leaf; else the threshold: up to it, the next node follows */
    uint32_t right;  /* beyond it, this one; behind the node */
} counter_node;

#define COUNTER_LEAF UINT32_MAX

typedef struct counter_tree {
    size_t num_nodes;
    counter_node *nodes; /* the left child follows its parent */
} counter_tree;

/** Coefficients of one combination of the parameters that have two values. */
typedef struct counter_part {
    double *levels;       /* shape [num_binary] */
    double *coefficients; /* shape [num_counters x num_terms] */
} counter_part;

typedef struct counter_parameter {
    char *name;
    bool is_text;
    nitro_string_list texts; /* of a string parameter: its value is the position here */
    bool binary;             /* of the least squares: tells combinations apart */
    double centre, width;    /* of the least squares: numbers are scaled */
} counter_parameter;

struct nitro_counter_model {
    nitro_counter_model_kind kind;
    size_t num_parameters;
    counter_parameter *parameters;
    nitro_string_list counters;
    counter_tree *trees; /* shape [num_counters]; NULL: least squares */
    size_t num_parts, num_terms, num_binary;
    counter_part *parts;
};

/** Profiled evaluations as matrices; borrowed. */
typedef struct counter_rows {
    size_t num_rows, num_parameters, num_counters;
    double *values;   /* shape [num_rows x num_parameters] */
    double *counters; /* shape [num_rows x num_counters], NaN: unknown */
} counter_rows;

/** A tree of one counter by the rows listed in `members`, shape [count]; `members` is reordered. */
nitro_status search_counter_tree_grow(nitro_context *context, const counter_rows *rows,
                                      size_t counter, size_t *members, size_t count,
                                      size_t min_leaf_rows, counter_tree *tree);
double search_counter_tree_predict(const counter_tree *tree, const double *values);

/** The parts of a model whose parameters are known. */
nitro_status search_counter_parts_fit(nitro_context *context, const counter_rows *rows,
                                      nitro_counter_model *model);
/** @param[out] counters  shape [num_counters]. */
void search_counter_parts_predict(const nitro_counter_model *model, const double *values,
                                  double *counters);
/** Terms of a quadratic polynomial of the parameters that are not binary. */
size_t search_counter_num_terms(const nitro_counter_model *model);

#endif
