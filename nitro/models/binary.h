/*
 * binary.h - binary model files: what libnitro-runtime reads. Internal to nitro/.
 *
 * Little-endian throughout; everything stands at a multiple of 8 bytes. A header:
 *     8 bytes  "NITROMDL"
 *     u64      version, NITRO_BINARY_VERSION
 *     u64      bytes of the whole file
 *     u64      XXH3 of all that follows
 * then numbers (IEEE doubles), counts (u64), lists (a count, then its items) and texts (a count of
 * bytes, then these, zeros up to the next multiple of 8), in the order of binary_write.c. It holds
 * what decides, without provenance: a JSON model file stays what is kept and exchanged.
 */
#ifndef NITRO_MODELS_BINARY_H
#define NITRO_MODELS_BINARY_H

#include "nitro/runtime/scores/score_terms.h"

#define NITRO_BINARY_MAGIC       "NITROMDL"
#define NITRO_BINARY_MAGIC_SIZE  8
#define NITRO_BINARY_VERSION     1
#define NITRO_BINARY_HEADER_SIZE 32

/** Does a file begin like a binary model? */
bool nitro_binary_is(const char *bytes, size_t size);

/** Check all of a binary model's bytes, and make the model; `path` names it in errors. */
nitro_status nitro_binary_parse(nitro_context *context, const char *path, const char *bytes,
                                size_t size, nitro_model **model);
/** The bytes of a model's binary file; free with free(). */
nitro_status nitro_binary_format(const nitro_model *model, char **bytes, size_t *size);
/** Put size and checksum into the header of `bytes`, which has at least a header's. */
void nitro_binary_seal(char *bytes, size_t size);

/** Place in a file being read, for errors. */
typedef struct nitro_binary_cursor {
    nitro_context *context;
    const char *path, *bytes;
    size_t size, at;
} nitro_binary_cursor;

/** NITRO_ERR_FORMAT that names the file, the byte and what should stand there. */
nitro_status nitro_binary_refuse(const nitro_binary_cursor *cursor, const char *what);
/** A count from `least` to `most`. */
nitro_status nitro_binary_count(nitro_binary_cursor *cursor, const char *what, size_t least,
                                size_t most, size_t *count);
/** A finite number of a magnitude up to `most`. */
nitro_status nitro_binary_number(nitro_binary_cursor *cursor, const char *what, double most,
                                 double *number);
/** So many of them, in new memory: there are as many bytes, or nothing is allocated. */
nitro_status nitro_binary_numbers(nitro_binary_cursor *cursor, const char *what, double most,
                                  size_t count, double **numbers);
/** A text without zeros, in new memory. */
nitro_status nitro_binary_text(nitro_binary_cursor *cursor, const char *what, char **text);
/** The parts of a model of so many columns and variants; owned by the caller, also on error. */
nitro_status nitro_binary_parts(nitro_binary_cursor *cursor, nitro_score_terms *terms);

/** What scores models that were read from binary files. */
extern const nitro_strategy nitro_strategy_of_parts;

#endif
