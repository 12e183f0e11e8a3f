/* model_decode.h - shared by model_decode.c and model_decode_columns.c. */
#ifndef NITRO_MODELS_MODEL_DECODE_H
#define NITRO_MODELS_MODEL_DECODE_H

#include "nitro/base/json.h"
#include "nitro/runtime/model/model.h"

/**
 * Create a model with the schema, target and columns in `top`, without predictor and calibration.
 * @param[out] model  free with nitro_model_free.
 * @return NITRO_OK; NITRO_ERR_FORMAT: file and field are named; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_decode_columns(const nitro_json_place *place, const json_t *top,
                                        nitro_model **model);

#endif
