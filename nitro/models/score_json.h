/* score_json.h - forests and kernel expansions in JSON model files. Internal to nitro/. */
#ifndef NITRO_MODELS_SCORE_JSON_H
#define NITRO_MODELS_SCORE_JSON_H

#include "nitro/base/json.h"
#include "nitro/runtime/scores/kernel_pair.h"

/**
 * To JSON and back without loss:
 *   {"trees": [{"columns": [3, -1, -1], "thresholds": [0.5], "outputs": [1.0, 2.0]}]}
 * Nodes are listed level by level; `columns` has one number a node, -1 for a leaf; inner nodes have
 * a threshold each (a row goes left where its column is not above it) and leaves num_outputs
 * outputs each, all in order of the nodes. The two children of the k-th inner node (from 0) are
 * nodes 2k + 1 and 2k + 2, so that no file can describe a cycle.
 */
nitro_status nitro_forest_encode(nitro_context *context, const nitro_forest *forest, json_t **json);

/**
 * @param[in] place  names the file and the field that holds `json`, for errors.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY; NITRO_ERR_FORMAT: not a forest with these numbers of
 *         columns and outputs; file, tree and field are named.
 */
nitro_status nitro_forest_decode(const nitro_json_place *place, const json_t *json,
                                 size_t num_columns, size_t num_outputs, nitro_forest **forest);

/** {"gamma": 0.1, "bias": [...], "vectors": [[...], ...], "coefficients": [[...], ...]}, without
 *  loss. */
nitro_status nitro_kernel_expansion_encode(nitro_context *context,
                                           const nitro_kernel_expansion *expansion, json_t **json);
/** @return NITRO_OK; NITRO_ERR_NO_MEMORY; NITRO_ERR_FORMAT: not an expansion with these numbers of
 *         columns and outputs; file and field are named. */
nitro_status nitro_kernel_expansion_decode(const nitro_json_place *place, const json_t *json,
                                           size_t num_columns, size_t num_outputs,
                                           nitro_kernel_expansion **expansion);

/** To a model file, and back: {"wide": EXPANSION, "narrow": EXPANSION}, as above. */
nitro_status nitro_kernel_pair_encode(nitro_context *context, const nitro_kernel_pair *pair,
                                      json_t **json);
nitro_status nitro_kernel_pair_decode(const nitro_json_place *place, const json_t *json,
                                      size_t num_columns, size_t num_outputs,
                                      nitro_kernel_pair **pair);

#endif
