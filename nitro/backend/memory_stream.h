/* memory_stream.h - a stream into memory that tells where memory ran out. Not in nitro_backend.h.
 */
#ifndef NITRO_BACKEND_MEMORY_STREAM_H
#define NITRO_BACKEND_MEMORY_STREAM_H

#include <stdio.h>

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * As open_memstream(), whose stream loses text without an error where memory runs out: fclose()
 * fails if anything was lost.
 * @param[out] text  set by fclose(), also where that fails. Free with free().
 */
NITRO_API FILE *nitro_memory_stream(char **text, size_t *size);

/** Close the stream, which may be NULL. @return its text, as `*text` is then; NULL: some of it was
 *  lost, and the rest is freed. */
NITRO_API char *nitro_memory_stream_end(FILE *stream, char **text);

#ifdef __cplusplus
}
#endif

#endif
