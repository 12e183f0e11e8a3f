/* compiled_forest.h - a forest in flat arrays of single precision. Internal to compiled models. */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_FOREST_H
#define NITRO_RUNTIME_COMPILED_COMPILED_FOREST_H

#include "nitro/runtime/scores/forest.h"

typedef struct nitro_compiled_forest nitro_compiled_forest;

/** @param[out] compiled  NULL if the forest does not fit: over 256 columns, or a child more than
 *                        65,535 nodes after its parent. */
nitro_status nitro_compiled_forest_create(nitro_context *context, const nitro_forest *forest,
                                          nitro_compiled_forest **compiled);
void nitro_compiled_forest_free(nitro_compiled_forest *compiled);

/**
 * As nitro_forest_predict: exactly the same leaves, but their mean in single precision.
 * @return the largest possible difference of an output from nitro_forest_predict's.
 */
double nitro_compiled_forest_predict(const nitro_compiled_forest *compiled, const double *columns,
                                     double *outputs);

#endif
