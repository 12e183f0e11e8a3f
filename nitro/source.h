/* source.h - a model as a C file that needs no library. Internal to nitro/. */
#ifndef NITRO_SOURCE_H
#define NITRO_SOURCE_H

#include "nitro/parts.h"

/** The text of a C file that decides as the model does, bit for bit; free with free(). */
nitro_status nitro_source_format(const nitro_model *model, char **text, size_t *size);

#endif
