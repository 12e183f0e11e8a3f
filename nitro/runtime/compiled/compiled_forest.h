/* compiled_forest.h - a forest as flat arrays of single precision. Internal to compiled models. */
#ifndef NITRO_RUNTIME_COMPILED_COMPILED_FOREST_H
#define NITRO_RUNTIME_COMPILED_COMPILED_FOREST_H

#include "nitro/runtime/scores/forest.h"

typedef struct nitro_compiled_forest nitro_compiled_forest;

/** @param[out] compiled  NULL for a forest that does not fit: over 256 columns, or a child more
 * than 65535 nodes behind its parent. */
nitro_status nitro_compiled_forest_create(nitro_context *context, const nitro_forest *forest,
                                          nitro_compiled_forest **compiled);
void nitro_compiled_forest_free(nitro_compiled_forest *compiled);

/**
 * As nitro_forest_predict: the same leaves exactly, their mean in single precision.
 * @return how far an output may be from nitro_forest_predict's, at most.
 */
double nitro_compiled_forest_predict(const nitro_compiled_forest *compiled, const double *columns,
                                     double *outputs);

#endif
