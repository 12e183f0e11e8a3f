/* memory_stream.h - a stream into memory that tells where memory ran out. Internal to nitro/. */
#ifndef NITRO_BASE_MEMORY_STREAM_H
#define NITRO_BASE_MEMORY_STREAM_H

#include <stdio.h>

/**
 * As open_memstream(), whose stream loses text without an error where memory runs out: fclose()
 * fails if anything was lost.
 * @param[out] text  set by fclose(), also where that fails. Free with free().
 */
FILE *nitro_memory_stream(char **text, size_t *size);

#endif
