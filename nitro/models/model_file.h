/* model_file.h - a model as text and back, apart from the file system. Internal to nitro/. */
#ifndef NITRO_MODELS_MODEL_FILE_H
#define NITRO_MODELS_MODEL_FILE_H

#include "nitro/nitro_backend.h"

struct json_t;

#define NITRO_MODEL_FORMAT        "nitro-model"
#define NITRO_MODEL_VERSION       2
#define NITRO_MODEL_VERSION_PLAIN 1 /* without what a few measured inputs say */

/** How a file begins: with the checksum of all that follows these bytes. For printf, PRIx64. */
#define NITRO_MODEL_CHECKSUM      "{\"checksum\": \"%016" PRIx64 "\""
#define NITRO_MODEL_CHECKSUM_SIZE 31

/** The text of a model file; free with free(). */
nitro_status nitro_model_format(const nitro_model *model, char **text, size_t *size);
/** Check all of a model file's text, and make the model; `path` names it in errors. */
nitro_status nitro_model_parse(nitro_context *context, const char *path, const char *text,
                               size_t size, nitro_model **model);
/** What the model was learnt from, and how: an object that the model owns from then on; NULL: none.
 */
void nitro_model_set_provenance(nitro_model *model, struct json_t *provenance);

/** Checksum of a file's text, which has at least NITRO_MODEL_CHECKSUM_SIZE bytes. */
static inline uint64_t nitro_model_checksum(const char *text, size_t size)
{
    return nitro_hash(text + NITRO_MODEL_CHECKSUM_SIZE, size - NITRO_MODEL_CHECKSUM_SIZE, 0);
}

#endif
