/* c_export.h - a model as a C file that needs no library. Internal to nitro/. */
#ifndef NITRO_MODELS_C_EXPORT_H
#define NITRO_MODELS_C_EXPORT_H

#include "nitro/runtime/scores/score_terms.h"

/** The text of a C file with bit-identical decisions; free with free(). */
nitro_status nitro_source_format(const nitro_model *model, char **text, size_t *size);

#endif
