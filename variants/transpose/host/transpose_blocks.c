/* Blocks of a matrix, transposed in vector registers, and matrices by blocks. */
#include "variants/transpose/host/transpose_blocks.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* ---- Blocks ---- */

typedef uint32_t word_4;
typedef uint64_t word_8, word_16; /* elements of 16 bytes are pairs of words */

/* Places, in a pair of vectors of so many words, of their lower and upper elements in turns. */
#define LOWER_2  0, 2
#define UPPER_2  1, 3
#define LOWER_4  0, 4, 1, 5
#define UPPER_4  2, 6, 3, 7
#define LOWER_8  0, 8, 1, 9, 2, 10, 3, 11
#define UPPER_8  4, 12, 5, 13, 6, 14, 7, 15
#define LOWER_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
/* The same of pairs of words. */
#define LOWER_1_PAIR  0, 1
#define UPPER_1_PAIR  2, 3
#define LOWER_2_PAIRS 0, 1, 4, 5
#define UPPER_2_PAIRS 2, 3, 6, 7
#define LOWER_4_PAIRS 0, 1, 8, 9, 2, 3, 10, 11
#define UPPER_4_PAIRS 4, 5, 12, 13, 6, 7, 14, 15

/* block_ELEMENT_VECTOR: blocks of elements of so many bytes, in vectors of so many bytes.
 * log2(lanes) rounds of turns transpose `lanes` vectors. The last tile of rows or columns overlaps
 * the one before. */
#define BLOCK(element, vector, lanes, lower, upper)                                                \
    typedef word_##element vector_##element##_##vector __attribute__((vector_size(vector)));       \
    typedef word_##element unaligned_##element##_##vector                                          \
        __attribute__((vector_size(vector), aligned(4), may_alias));                               \
    TARGET_##vector NITRO_TRANSPOSE_INLINE void tile_##element##_##vector(                         \
        const char *in, int64_t in_stride, char *out, int64_t out_stride)                          \
    {                                                                                              \
        vector_##element##_##vector rows[lanes], turns[lanes];                                     \
        _Pragma("GCC unroll 16") for (int i = 0; i < (lanes); i++) rows[i] =                       \
            *(const unaligned_##element##_##vector *)(in + i * in_stride);                         \
        _Pragma("GCC unroll 4") for (int round = 1; round < (lanes); round *= 2)                   \
        {                                                                                          \
            _Pragma("GCC unroll 8") for (int i = 0; i < (lanes) / 2; i++)                          \
            {                                                                                      \
                turns[2 * i] = __builtin_shufflevector(rows[i], rows[i + (lanes) / 2], lower);     \
                turns[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + (lanes) / 2], upper); \
            }                                                                                      \
            _Pragma("GCC unroll 16") for (int i = 0; i < (lanes); i++) rows[i] = turns[i];         \
        }                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < (lanes); i++) *                               \
            (unaligned_##element##_##vector *)(out + i * out_stride) = rows[i];                    \
    }                                                                                              \
    TARGET_##vector static void block_##element##_##vector(const nitro_transpose_block *b)         \
    {                                                                                              \
        if (b->rows < (lanes) || b->cols < (lanes)) {                                              \
            nitro_transpose_move_rows(b, 0, b->rows, element);                                     \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < b->rows; i += (lanes)) {                                           \
            int64_t row = i < b->rows - (lanes) ? i : b->rows - (lanes);                           \
            for (int64_t j = 0; j < b->cols; j += (lanes)) {                                       \
                int64_t col = j < b->cols - (lanes) ? j : b->cols - (lanes);                       \
                tile_##element##_##vector(                                                         \
                    b->in + row * b->in_stride + col * (element), b->in_stride,                    \
                    b->out + col * b->out_stride + row * (element), b->out_stride);                \
            }                                                                                      \
        }                                                                                          \
    }

#define TARGET_16
BLOCK(4, 16, 4, LOWER_4, UPPER_4)
BLOCK(8, 16, 2, LOWER_2, UPPER_2)
BLOCK(16, 16, 1, LOWER_1_PAIR, UPPER_1_PAIR)

#if defined(__x86_64__)
#define TARGET_32 __attribute__((target("avx2")))
BLOCK(4, 32, 8, LOWER_8, UPPER_8)
BLOCK(8, 32, 4, LOWER_4, UPPER_4)
BLOCK(16, 32, 2, LOWER_2_PAIRS, UPPER_2_PAIRS)

#define TARGET_64 __attribute__((target("avx512f")))
BLOCK(4, 64, 16, LOWER_16, UPPER_16)
BLOCK(8, 64, 8, LOWER_8, UPPER_8)
BLOCK(16, 64, 4, LOWER_4_PAIRS, UPPER_4_PAIRS)
#endif

nitro_transpose_block_function *nitro_transpose_blocks(int32_t element_bytes, int64_t least)
{
    int size = element_bytes == 4 ? 0 : element_bytes == 8 ? 1 : 2;
#if defined(__x86_64__)
    static nitro_transpose_block_function *const wide[] = {block_4_64, block_8_64, block_16_64};
    static nitro_transpose_block_function *const middle[] = {block_4_32, block_8_32, block_16_32};
    if (least * element_bytes >= 64 && nitro_host_simd_bits() >= 512)
        return wide[size];
    if (least * element_bytes >= 32 && nitro_host_simd_bits() >= 256)
        return middle[size];
#endif
    static nitro_transpose_block_function *const narrow[] = {block_4_16, block_8_16, block_16_16};
    (void)least;
    return narrow[size];
}

/* ---- Matrices ---- */

#define TILE           32   /* rows and columns of a tile: two fit into the L1 cache */
#define STREAMS        16   /* columns written at a time, where all of a row are too many, */
#define TALL           256  /* and rows of such a tile */
#define BAND_BYTES     1024 /* of a column, written at a time past the caches */
#define GROUP_BYTES    256  /* of a row, read at a time */
#define FEW_ROWS_BYTES 256  /* of a column: far less than a band */
#define COMPACT_BYTES  8192

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void nitro_transpose_tile_rows(const nitro_transpose_block *matrix, int32_t element_bytes,
                               int64_t begin, int64_t end)
{
    nitro_transpose_block_function *transpose =
        nitro_transpose_blocks(element_bytes, least_of(end - begin, matrix->cols));
    nitro_transpose_block tile = *matrix;
    bool is_skinny = matrix->cols >= STREAMS * 3 / 2 && matrix->cols <= 2 * TILE;
    int64_t rows = is_skinny ? TALL : TILE, cols = is_skinny ? STREAMS : TILE;
    for (int64_t i = begin; i < end; i += rows)
        for (int64_t j = 0; j < matrix->cols; j += cols) {
            /* overlaps the one before: its columns fill a vector */
            int64_t col = is_skinny ? least_of(j, matrix->cols - cols) : j;
            tile.rows = least_of(rows, end - i);
            tile.cols = least_of(cols, matrix->cols - col);
            tile.in = matrix->in + i * matrix->in_stride + col * element_bytes;
            tile.out = matrix->out + col * matrix->out_stride + i * element_bytes;
            transpose(&tile);
        }
}

#if defined(__x86_64__)
/* Whole lines: a processor has few buffers for lines that are written in parts. */
TARGET_64 static void stream_lines(char *to, const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 64)
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512(from + i));
}
#endif

void nitro_transpose_stream(char *to, const char *from, int64_t bytes)
{
#if defined(__x86_64__)
    if (nitro_host_simd_bits() >= 512) {
        stream_lines(to, from, bytes);
        return;
    }
#endif
#if defined(__SSE2__)
    for (int64_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

void nitro_transpose_end_stream(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Write `count` elements of row `j` of the result, from element `i` on; the buffer has as many
 * more, up to `limit`, for the rest of the last line. What comes before the first whole line was
 * written with the band before, unless there is none. */
static void write_column(const nitro_transpose_block *matrix, const char *buffer,
                         int32_t element_bytes, int64_t j, int64_t i, int64_t count, int64_t limit,
                         bool is_first)
{
    char *to = matrix->out + j * matrix->out_stride + i * element_bytes;
    int64_t head = (int64_t)(-(uintptr_t)to % NITRO_TRANSPOSE_LINE);
    int64_t most = limit * element_bytes, until = count * element_bytes;
    head = least_of(head, most);
    if (is_first)
        memcpy(to, buffer, (size_t)head);
    if (until < most) /* to the end of the line where the next band's head begins */
        until += (int64_t)(-(uintptr_t)(to + until) % NITRO_TRANSPOSE_LINE);
    until = least_of(until, most);
    if (until <= head)
        return;
    int64_t whole = (until - head) / NITRO_TRANSPOSE_LINE * NITRO_TRANSPOSE_LINE;
    nitro_transpose_stream(to + head, buffer + head, whole);
    memcpy(to + head + whole, buffer + head + whole, (size_t)(until - head - whole));
}

/* Few rows: many columns make a contiguous part of the result. */
static void stream_columns(const nitro_transpose_block *matrix, int32_t element_bytes)
{
    char buffer[COMPACT_BYTES] __attribute__((aligned(NITRO_TRANSPOSE_LINE)));
    int64_t row_bytes = matrix->rows * element_bytes, cols = COMPACT_BYTES / row_bytes;
    nitro_transpose_block_function *transpose =
        nitro_transpose_blocks(element_bytes, least_of(matrix->rows, matrix->cols));
    nitro_transpose_block group = *matrix;
    group.out = buffer;
    for (int64_t j = 0; j < matrix->cols; j += cols) {
        group.cols = least_of(cols, matrix->cols - j);
        group.in = matrix->in + j * element_bytes;
        transpose(&group);
        int64_t count = group.cols * matrix->rows;
        write_column(matrix, buffer, element_bytes, j, 0, count, count, true);
    }
}

/* Some of the rows that are read next: otherwise reading would wait for writing. */
static void fetch_rows(const char *next, int64_t stride, int64_t begin, int64_t end)
{
    for (int64_t row = begin; row < end; row++)
        for (int64_t byte = 0; byte < GROUP_BYTES; byte += NITRO_TRANSPOSE_LINE)
            __builtin_prefetch(next + row * stride + byte);
}

/* Bands of rows: a group of columns is transposed into a buffer, from where whole lines are
 * written. Lines do not begin where bands do: a band reads the rows that its last lines need. */
void nitro_transpose_stream_rows(const nitro_transpose_block *matrix, int32_t element_bytes,
                                 int64_t begin, int64_t end)
{
    enum { COLS = GROUP_BYTES / 4, STRIDE = BAND_BYTES + 2 * NITRO_TRANSPOSE_LINE };
    char buffer[COLS * STRIDE] __attribute__((aligned(NITRO_TRANSPOSE_LINE)));
    if (begin == 0 && end == matrix->rows && end * element_bytes <= FEW_ROWS_BYTES) {
        stream_columns(matrix, element_bytes);
        end = 0;
    }
    int64_t band = BAND_BYTES / element_bytes, line = NITRO_TRANSPOSE_LINE / element_bytes;
    int64_t cols = GROUP_BYTES / element_bytes, stride = matrix->in_stride;
    int64_t last_line = matrix->cols > line ? matrix->cols - line : 0;
    bool fetches = matrix->cols > cols / 2; /* processors fetch less than that themselves */
    nitro_transpose_block group = {.in_stride = stride, .out_stride = STRIDE};
    group.out = buffer;
    for (int64_t i = begin; i < end; i += band) {
        int64_t count = least_of(band, end - i);
        group.rows = least_of(count + line, end - i);
        nitro_transpose_block_function *transpose =
            nitro_transpose_blocks(element_bytes, least_of(group.rows, matrix->cols));
        for (int64_t j = 0; j < matrix->cols; j += cols) {
            int64_t col = least_of(j, last_line); /* may overlap the group before, as tiles do */
            group.cols = least_of(cols, matrix->cols - col);
            group.in = matrix->in + i * stride + col * element_bytes;
            transpose(&group);
            const char *next = j + cols < matrix->cols
                                   ? group.in + GROUP_BYTES
                                   : matrix->in + least_of(i + band, end - group.rows) * stride;
            for (int64_t k = j - col; k < group.cols; k++) {
                if (fetches)
                    fetch_rows(next, stride, k * group.rows / group.cols,
                               (k + 1) * group.rows / group.cols);
                write_column(matrix, buffer + k * STRIDE, element_bytes, col + k, i, count,
                             group.rows, i == begin);
            }
        }
    }
    nitro_transpose_end_stream();
}

/* ---- Threads ---- */

typedef struct work {
    const nitro_transpose_block *matrix;
    int32_t element_bytes;
    nitro_transpose_method *method;
} work;

/* Parts begin at multiples of a line's elements: lines are written by one part, if rows of the
 * result begin with a line. Few rows are not divided, but columns. */
static void transpose_part(const void *state, int part, int parts)
{
    const work *w = state;
    nitro_transpose_block share = *w->matrix;
    bool has_few_rows = share.rows * w->element_bytes <= FEW_ROWS_BYTES;
    int64_t line = has_few_rows ? 1 : NITRO_TRANSPOSE_LINE / w->element_bytes;
    int64_t count = has_few_rows ? share.cols : share.rows, lines = (count + line - 1) / line;
    int64_t begin = line * nitro_host_split_evenly(lines, part, parts);
    int64_t end = least_of(line * nitro_host_split_evenly(lines, part + 1, parts), count);
    if (has_few_rows) {
        share.cols = end - begin;
        share.in += begin * w->element_bytes;
        share.out += begin * share.out_stride;
        begin = 0;
        end = share.rows;
    }
    w->method(&share, w->element_bytes, begin, end);
}

void nitro_transpose_in_parts(const nitro_transpose_block *matrix, int32_t element_bytes,
                              nitro_transpose_method *method, int parts)
{
    nitro_host_run_parts(transpose_part, &(work){matrix, element_bytes, method}, parts);
}
