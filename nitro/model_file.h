/* model_file.h - a model as text and back, apart from the file system. Internal to nitro/. */
#ifndef NITRO_MODEL_FILE_H
#define NITRO_MODEL_FILE_H

#include "nitro/nitro_backend.h"

/** The text of a model file; free with free(). */
nitro_status nitro_model_format(const nitro_model *model, char **text, size_t *size);
/** Check all of a model file's text, and make the model; `path` names it in errors. */
nitro_status nitro_model_parse(nitro_context *context, const char *path, const char *text,
                               size_t size, nitro_model **model);

#endif
