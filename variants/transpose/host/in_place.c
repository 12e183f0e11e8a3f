/* square_swap, cycles and buffered: in place. square_swap exchanges tiles across the diagonal.
 * cycles follows the permutation's cycles element by element, and needs a bit for each. buffered
 * copies the matrix and transposes from there: fastest as a rule, in twice the memory. */
#include "variants/transpose/host/in_place.h"

#define NS_PER_BYTE       0.3
#define TILE              32
#define STREAM_BYTES      (4 << 20)  /* from here on results do not stay in a core's caches, */
#define STREAM_COPY_BYTES (32 << 20) /* and a copy not in the cache that cores share */

/* Another variant's `run` makes the room again. */
static void release(void *argument, void *user)
{
    (void)user;
    nitro_host_free_room(&((nitro_transpose *)argument)->room);
}

/* ---- square_swap ---- */

static bool allows_square(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_TRANSPOSE_NUM_ROWS] == features[NITRO_TRANSPOSE_NUM_COLS];
}

/* Tile `a` above the diagonal with tile `b` below it; once only where they are the same. */
static void swap_tiles(const nitro_transpose_block *a, const nitro_transpose_block *b,
                       int32_t element_bytes)
{
    char buffer[TILE * TILE * 16] __attribute__((aligned(NITRO_TRANSPOSE_LINE)));
    nitro_transpose_block_function *transpose =
        nitro_transpose_blocks(element_bytes, a->rows < a->cols ? a->rows : a->cols);
    nitro_transpose_block kept = *a;
    size_t row_bytes = (size_t)(a->rows * element_bytes);
    kept.out = buffer;
    kept.out_stride = (int64_t)row_bytes;
    transpose(&kept);
    if (a->in != b->in)
        transpose(b);
    for (int64_t i = 0; i < a->cols; i++)
        memcpy(a->out + i * a->out_stride, buffer + (size_t)i * row_bytes, row_bytes);
}

/* Rows of tiles are dealt out in turns: their lengths differ. */
static void swap_part(const void *state, int part, int parts)
{
    const nitro_transpose *t = state;
    int64_t side = t->num_rows, size = t->element_bytes, stride = side * size;
    char *data = t->data;
    for (int64_t i = part * TILE; i < side; i += (int64_t)parts * TILE)
        for (int64_t j = i; j < side; j += TILE) {
            char *upper = data + i * stride + j * size, *lower = data + j * stride + i * size;
            int64_t rows = side - i < TILE ? side - i : TILE;
            int64_t cols = side - j < TILE ? side - j : TILE;
            nitro_transpose_block a = {rows, cols, upper, stride, lower, stride};
            nitro_transpose_block b = {cols, rows, lower, stride, upper, stride};
            swap_tiles(&a, &b, t->element_bytes);
        }
}

static int run_square(void *argument, void *user)
{
    (void)user;
    const nitro_transpose *t = argument;
    nitro_host_run_parts(swap_part, t,
                         nitro_host_num_parts(NS_PER_BYTE * (double)nitro_transpose_bytes(t)));
    return 0;
}

/* ---- cycles ---- */

static int prepare_cycles(void *argument, void *user)
{
    (void)user;
    nitro_transpose *t = argument;
    return nitro_host_make_room(&t->room, t->num_rows * t->num_cols / 8 + 1);
}

/* Each bit says whether its place has been written. */
NITRO_TRANSPOSE_INLINE void follow_cycles(char *data, unsigned char *written,
                                          nitro_transpose_view view, const size_t bytes)
{
    int64_t count = view.rows * view.cols;
    memset(written, 0, (size_t)(count / 8 + 1));
    for (int64_t start = 0; start < count; start++) {
        char carried[16], here[16];
        int64_t at = start;
        if (written[start / 8] >> start % 8 & 1)
            continue;
        memcpy(carried, data + start * (int64_t)bytes, bytes);
        do {
            at = at % view.cols * view.rows + at / view.cols;
            memcpy(here, data + at * (int64_t)bytes, bytes);
            memcpy(data + at * (int64_t)bytes, carried, bytes);
            memcpy(carried, here, bytes);
            written[at / 8] = (unsigned char)(written[at / 8] | 1 << at % 8);
        } while (at != start);
    }
}

static int run_cycles(void *argument, void *user)
{
    const nitro_transpose *t = argument;
    nitro_transpose_view view = nitro_transpose_view_of(t);
    int failure = prepare_cycles(argument, user);
    if (failure)
        return failure;
    NITRO_TRANSPOSE_BY_SIZE(t->element_bytes, follow_cycles, t->data, t->room.memory, view);
    return 0;
}

/* ---- buffered ---- */

static int prepare_buffered(void *argument, void *user)
{
    (void)user;
    nitro_transpose *t = argument;
    return nitro_host_make_room(&t->room, nitro_transpose_bytes(t));
}

/* Past the caches where the copy does not stay in them. Parts begin with lines of the room. */
static void copy_part(const void *state, int part, int parts)
{
    const nitro_transpose_block *matrix = state;
    int64_t bytes = matrix->rows * matrix->in_stride, whole = bytes / NITRO_TRANSPOSE_LINE;
    int64_t begin = NITRO_TRANSPOSE_LINE * nitro_host_split_evenly(whole, part, parts);
    int64_t end = NITRO_TRANSPOSE_LINE * nitro_host_split_evenly(whole, part + 1, parts);
    char *to = (char *)matrix->in;
    if (bytes >= STREAM_COPY_BYTES) {
        nitro_transpose_stream(to + begin, matrix->out + begin, end - begin);
        nitro_transpose_end_stream();
        begin = end;
    }
    end = part + 1 == parts ? bytes : end;
    memcpy(to + begin, matrix->out + begin, (size_t)(end - begin));
}

static int run_buffered(void *argument, void *user)
{
    const nitro_transpose *t = argument;
    int failure = prepare_buffered(argument, user);
    if (failure)
        return failure;
    nitro_transpose_view view = nitro_transpose_view_of(t);
    const nitro_transpose_block matrix = {view.rows,      view.cols,
                                          t->room.memory, view.cols * t->element_bytes,
                                          t->data,        view.rows * t->element_bytes};
    if (nitro_transpose_bytes(t) == 0)
        return 0;
    int parts = nitro_host_num_parts(NS_PER_BYTE * (double)nitro_transpose_bytes(t));
    nitro_host_run_parts(copy_part, &matrix, parts);
    nitro_transpose_in_parts(&matrix, t->element_bytes,
                             nitro_transpose_bytes(t) < STREAM_BYTES ? nitro_transpose_tile_rows
                                                                     : nitro_transpose_stream_rows,
                             parts);
    return 0;
}

/* ---- Variants ---- */

#define VARIANT(its_name, its_version, run_by, prepare_by, ...)                                    \
    &(const nitro_variant)                                                                         \
    {                                                                                              \
        .name = its_name, .version = its_version, .run = run_by, .prepare = prepare_by,            \
        .release = release, __VA_ARGS__                                                            \
    }
#define DECOMPOSED(name, is_inverse, is_skinny, ...)                                               \
    VARIANT(name, "2", nitro_transpose_run_decomposed, nitro_transpose_prepare_decomposed,         \
            .user = (void *)&(const nitro_transpose_form){is_inverse, is_skinny}, __VA_ARGS__)
#define SKINNY                                                                                     \
    .allows = nitro_transpose_allows_skinny, .allows_reads = "num_rows,num_cols,row_major"

const nitro_variant *const nitro_transpose_inplace_variants[NITRO_TRANSPOSE_INPLACE_NUM_VARIANTS] =
    {
        DECOMPOSED("r2c", true, false, ),
        DECOMPOSED("c2r", false, false, ),
        DECOMPOSED("skinny_r2c", true, true, SKINNY),
        DECOMPOSED("skinny_c2r", false, true, SKINNY),
        VARIANT("square_swap", "1", run_square, NULL, .allows = allows_square,
                .allows_reads = "num_rows,num_cols"),
        VARIANT("cycles", "2", run_cycles, prepare_cycles, ),
        VARIANT("buffered", "3", run_buffered, prepare_buffered, ),
};
