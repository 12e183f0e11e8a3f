/* model_decode.h - the parts of reading a model file. Internal to nitro/model_decode*.c. */
#ifndef NITRO_MODELS_MODEL_DECODE_H
#define NITRO_MODELS_MODEL_DECODE_H

#include "nitro/base/json.h"
#include "nitro/runtime/model/model.h"

/**
 * Make a model from the members of `top` that say what it is for and what it looks at; what it
 * learnt is still missing.
 * @param[out] model  free with nitro_model_free.
 * @return NITRO_OK; NITRO_ERR_FORMAT: file and field are named; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_decode_columns(const nitro_json_place *place, const json_t *top,
                                        nitro_model **model);

#endif
