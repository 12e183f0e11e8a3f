/*
 * binary.h - binary model files: what libnitro-runtime reads. Internal to nitro/.
 *
 * Little-endian and aligned to 8 bytes. The header:
 *     8 bytes  "NITROMDL"
 *     u64      version, at most NITRO_BINARY_VERSION
 *     u64      bytes of the whole file
 *     u64      XXH3 of the bytes that follow
 * then numbers (IEEE doubles), counts (u64), lists (a count, then its items) and texts (a count of
 * bytes, then these, zeros up to the next multiple of 8), in the order of binary_write.c. It
 * contains only what decisions need; JSON model files, which include provenance, are for archiving
 * and exchange.
 */
#ifndef NITRO_MODELS_BINARY_H
#define NITRO_MODELS_BINARY_H

#include "nitro/runtime/scores/score_terms.h"

#define NITRO_BINARY_MAGIC      "NITROMDL"
#define NITRO_BINARY_MAGIC_SIZE 8
#define NITRO_BINARY_VERSION                                                                       \
    3 /* 1: without range ends and costs of preparing; 2: without untried variants */
#define NITRO_BINARY_HEADER_SIZE 32

/** Does a file begin with a binary model's magic bytes? */
bool nitro_binary_is(const char *bytes, size_t size);

/** Check a binary model and decode it; `path` is for errors. */
nitro_status nitro_binary_parse(nitro_context *context, const char *path, const char *bytes,
                                size_t size, nitro_model **model);
/** The bytes of a model's binary file; free with free(). */
nitro_status nitro_binary_format(const nitro_model *model, char **bytes, size_t *size);
/** Write size and checksum into the header of `bytes`, which is at least as long as a header. */
void nitro_binary_seal(char *bytes, size_t size);

/** Place in a file being read, for errors. */
typedef struct nitro_binary_cursor {
    nitro_context *context;
    const char *path, *bytes;
    size_t size, at;
} nitro_binary_cursor;

/** NITRO_ERR_FORMAT that names file, byte offset and the expected item. */
nitro_status nitro_binary_refuse(const nitro_binary_cursor *cursor, const char *what);
/** A count from `least` to `most`. */
nitro_status nitro_binary_count(nitro_binary_cursor *cursor, const char *what, size_t least,
                                size_t most, size_t *count);
/** A finite number with magnitude up to `most`. */
nitro_status nitro_binary_number(nitro_binary_cursor *cursor, const char *what, double most,
                                 double *number);
/** `count` of them, in new memory; allocates only if the file is long enough. */
nitro_status nitro_binary_numbers(nitro_binary_cursor *cursor, const char *what, double most,
                                  size_t count, double **numbers);
/** A text without zero bytes, in new memory. */
nitro_status nitro_binary_text(nitro_binary_cursor *cursor, const char *what, char **text);
/** Read a model's score terms; owned by the caller, also on error. */
nitro_status nitro_binary_parts(nitro_binary_cursor *cursor, nitro_score_terms *terms);

/** The strategy of a model of these terms that was read from a binary file. Where SVMs vote, scores
 * say nothing about times; all others are negated losses. */
const nitro_strategy *nitro_binary_strategy(const nitro_score_terms *terms);

#endif
