/* transpose_blocks.h - transposes blocks in vector registers: what the host's variants are made of.
 */
#ifndef NITRO_VARIANTS_TRANSPOSE_HOST_TRANSPOSE_BLOCKS_H
#define NITRO_VARIANTS_TRANSPOSE_HOST_TRANSPOSE_BLOCKS_H

#include <string.h>

#include "variants/transpose/transpose.h"

#define NITRO_TRANSPOSE_INLINE __attribute__((always_inline)) static inline

#define NITRO_TRANSPOSE_LINE 64 /* bytes of a cache line, and of the widest vectors */

/** A row-major block of a matrix; strides are bytes between rows. */
typedef struct nitro_transpose_block {
    int64_t rows, cols;
    const char *in; /* shape [rows][cols] */
    int64_t in_stride;
    char *out; /* shape [cols][rows], overlaps nothing */
    int64_t out_stride;
} nitro_transpose_block;

/** Calls an inlined function whose last argument, the size of elements, is a constant then. */
#define NITRO_TRANSPOSE_BY_SIZE(element_bytes, function, ...)                                      \
    do {                                                                                           \
        if ((element_bytes) == 4)                                                                  \
            function(__VA_ARGS__, 4);                                                              \
        else if ((element_bytes) == 8)                                                             \
            function(__VA_ARGS__, 8);                                                              \
        else                                                                                       \
            function(__VA_ARGS__, 16);                                                             \
    } while (0)

typedef void nitro_transpose_block_function(const nitro_transpose_block *block);

/** For elements of 4, 8 or 16 bytes: in the widest vectors of this processor that are not wider
 * than the least side of the blocks, `least` elements. */
nitro_transpose_block_function *nitro_transpose_blocks(int32_t element_bytes, int64_t least);

/** Copy whole lines past the caches; `to` is aligned to a line. What was written is ordered before
 * what follows by nitro_transpose_end_stream. */
void nitro_transpose_stream(char *to, const char *from, int64_t bytes);
void nitro_transpose_end_stream(void);

/** Element by element. */
NITRO_TRANSPOSE_INLINE void nitro_transpose_move_rows(const nitro_transpose_block *matrix,
                                                      int64_t begin, int64_t end,
                                                      const size_t bytes)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < matrix->cols; j++)
            memcpy(matrix->out + j * matrix->out_stride + i * (int64_t)bytes,
                   matrix->in + i * matrix->in_stride + j * (int64_t)bytes, bytes);
}

/** Transposes a matrix on the calling thread, between rows `begin` and `end`. */
typedef void nitro_transpose_method(const nitro_transpose_block *matrix, int32_t element_bytes,
                                    int64_t begin, int64_t end);

/** In tiles with ordinary stores, or past the caches. */
nitro_transpose_method nitro_transpose_tile_rows, nitro_transpose_stream_rows;

/** Transpose a matrix that is not empty, by so many threads. */
void nitro_transpose_in_parts(const nitro_transpose_block *matrix, int32_t element_bytes,
                              nitro_transpose_method *method, int parts);

#endif
