/* model_file.h - model files as text. Internal to nitro/. */
#ifndef NITRO_MODELS_MODEL_FILE_H
#define NITRO_MODELS_MODEL_FILE_H

#include "nitro/nitro_backend.h"

struct json_t;

#define NITRO_MODEL_FORMAT "nitro-model"
/** Versions of the format; a file has the least one that has what it contains. */
enum {
    NITRO_MODEL_VERSION_PLAIN = 1,
    NITRO_MODEL_VERSION_CORRECTION = 2, /* with a correction by measured inputs of the target */
    NITRO_MODEL_VERSION_PREPARING = 3,  /* with costs of preparing */
    NITRO_MODEL_VERSION = NITRO_MODEL_VERSION_PREPARING
};

/** The first bytes of a file: the checksum of the bytes that follow, for printf with PRIx64. */
#define NITRO_MODEL_CHECKSUM      "{\"checksum\": \"%016" PRIx64 "\""
#define NITRO_MODEL_CHECKSUM_SIZE 31

/** The text of a model file; free with free(). */
nitro_status nitro_model_format(const nitro_model *model, char **text, size_t *size);
/** Check a model file's text and decode it; `path` is for errors. */
nitro_status nitro_model_parse(nitro_context *context, const char *path, const char *text,
                               size_t size, nitro_model **model);
/** The same of a model file of any form that this library reads. */
nitro_status nitro_model_parse_any(nitro_context *context, const char *origin, const char *data,
                                   size_t size, nitro_model **model);
/** In place of a path, in errors. */
#define NITRO_MODEL_IN_MEMORY "the model in memory"

/** Does this library read JSON? */
extern const bool nitro_model_reads_json;
/** The id of this machine's first device of a kind; false: unknown, or not known to this library.
 */
bool nitro_model_device_here(nitro_context *context, const char *kind, char id[64]);

/** Set the training provenance, a JSON object that the model then owns; NULL: none. */
void nitro_model_set_provenance(nitro_model *model, struct json_t *provenance);

/** Checksum of a file's text, which has at least NITRO_MODEL_CHECKSUM_SIZE bytes. */
static inline uint64_t nitro_model_checksum(const char *text, size_t size)
{
    return nitro_hash(text + NITRO_MODEL_CHECKSUM_SIZE, size - NITRO_MODEL_CHECKSUM_SIZE, 0);
}

#endif
