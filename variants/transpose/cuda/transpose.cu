/* transpose and transpose_inplace on CUDA devices. Out of place: an element, a column of four
 * elements, or a square of 4 x 4 elements in registers to a thread; or through shared memory, so
 * that both reads and writes are of whole lines; padded, without conflicts of banks. In place: the
 * steps of c2r and r2c (host/decomposed.c), each block with room for a few columns or a row; tiles
 * exchanged across the diagonal; a copy, transposed back. */
#include <algorithm>

#include "nitro/cuda.hpp"
#include "variants/transpose/transpose.h"

#define TILE     32
#define ROWS     8 /* of threads in a block, which does a tile */
#define BLOCK    (TILE * ROWS)
#define SQUARE   4
#define BLOCKS   256   /* of in-place steps: as much room */
#define MAX_SIDE 46340 /* of a square of NITRO_CUDA_MAX_COUNT elements, about */
#define COLUMNS  8     /* permuted at a time */

struct element16 {
    uint64_t words[2];
};

struct matrix {
    const void *in;
    void *out;
    int64_t rows, cols;
};

/* A function template for elements of so many bytes. */
#define BY_SIZE(bytes, function, ...)                                                              \
    ((bytes) == 4   ? function<uint32_t>(__VA_ARGS__)                                              \
     : (bytes) == 8 ? function<uint64_t>(__VA_ARGS__)                                              \
                    : function<element16>(__VA_ARGS__))

enum { NAIVE, TILED, REGISTER, SHARED, SHARED_PADDED };

static __host__ __device__ int64_t divide_up(int64_t count, int size)
{
    return (count + size - 1) / size;
}

static __host__ __device__ int64_t tiles_of(int64_t side)
{
    return divide_up(side, TILE);
}

template <typename Element> static __global__ void __launch_bounds__(BLOCK) move_one(matrix m)
{
    int64_t at = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (at < m.rows * m.cols)
        ((Element *)m.out)[at % m.cols * m.rows + at / m.cols] = ((const Element *)m.in)[at];
}

template <typename Element> static __global__ void __launch_bounds__(BLOCK) move_tile(matrix m)
{
    int64_t tile_row = blockIdx.x / tiles_of(m.cols), tile_col = blockIdx.x % tiles_of(m.cols);
    int64_t j = tile_col * TILE + threadIdx.x % TILE, row = tile_row * TILE;
    for (int64_t i = row + threadIdx.x / TILE; i < row + TILE; i += ROWS)
        if (i < m.rows && j < m.cols)
            ((Element *)m.out)[j * m.rows + i] = ((const Element *)m.in)[i * m.cols + j];
}

template <typename Element> static __global__ void __launch_bounds__(BLOCK) move_square(matrix m)
{
    int64_t across = divide_up(m.cols, SQUARE);
    int64_t at = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    int64_t row = at / across * SQUARE, col = at % across * SQUARE;
    Element square[SQUARE][SQUARE];
    for (int i = 0; i < SQUARE; i++)
        for (int j = 0; j < SQUARE; j++)
            if (row + i < m.rows && col + j < m.cols)
                square[i][j] = ((const Element *)m.in)[(row + i) * m.cols + col + j];
    for (int j = 0; j < SQUARE; j++)
        for (int i = 0; i < SQUARE; i++)
            if (row + i < m.rows && col + j < m.cols)
                ((Element *)m.out)[(col + j) * m.rows + row + i] = square[i][j];
}

template <typename Element, int PADDING>
static __global__ void __launch_bounds__(BLOCK) move_shared(matrix m)
{
    __shared__ Element tile[TILE][TILE + PADDING];
    int64_t row = blockIdx.x / tiles_of(m.cols) * TILE, col = blockIdx.x % tiles_of(m.cols) * TILE;
    int lane = (int)threadIdx.x % TILE, first = (int)threadIdx.x / TILE;
    for (int i = first; i < TILE; i += ROWS)
        if (row + i < m.rows && col + lane < m.cols)
            tile[i][lane] = ((const Element *)m.in)[(row + i) * m.cols + col + lane];
    __syncthreads();
    for (int j = first; j < TILE; j += ROWS)
        if (col + j < m.cols && row + lane < m.rows)
            ((Element *)m.out)[(col + j) * m.rows + row + lane] = tile[lane][j];
}

template <typename Element> static int launch_move(nitro_cuda *cuda, matrix m, int method)
{
    static void (*const kernels[])(matrix) = {move_one<Element>, move_tile<Element>,
                                              move_square<Element>, move_shared<Element, 0>,
                                              move_shared<Element, 1>};
    int64_t squares = divide_up(m.rows, SQUARE) * divide_up(m.cols, SQUARE);
    int64_t threads = method == NAIVE      ? m.rows * m.cols
                      : method == REGISTER ? squares
                                           : tiles_of(m.rows) * tiles_of(m.cols) * BLOCK;
    return nitro_cuda_launch(cuda, "launching a transposition", threads, BLOCK, kernels[method], m);
}

static int move(nitro_transpose_cuda *t, matrix m, int method)
{
    return BY_SIZE(t->host.element_bytes, launch_move, &t->cuda, m, method);
}

static int run_move(void *argument, void *user)
{
    nitro_transpose_cuda *t = (nitro_transpose_cuda *)argument;
    matrix m = {t->in, t->out, t->host.num_rows, t->host.num_cols};
    return move(t, m, *(const int *)user);
}

/* ---- In place ---- */

/* What c2r permutes: see host/decomposed.c. */
struct decomposition {
    void *data, *room;
    int64_t rows, cols, divisor, block;
    bool is_inverse;
};

template <typename Element>
static __global__ void __launch_bounds__(BLOCK) permute_columns(decomposition d, int step)
{
    Element *data = (Element *)d.data;
    Element *room = (Element *)d.room + blockIdx.x * d.rows * COLUMNS;
    int64_t period = d.rows / d.divisor;
    for (int64_t j = (int64_t)blockIdx.x * COLUMNS; j < d.cols; j += (int64_t)gridDim.x * COLUMNS) {
        int64_t count = d.cols - j < COLUMNS ? d.cols - j : COLUMNS;
        for (int64_t at = threadIdx.x; at < d.rows * COLUMNS; at += BLOCK) {
            int64_t i = at / COLUMNS, k = at % COLUMNS, col = j + k;
            if (k >= count)
                continue;
            int64_t row = step == 1 ? (i + col / d.block) % d.rows
                                    : (i * d.cols + col + d.rows - i / period) % d.rows;
            if (d.is_inverse)
                room[row * COLUMNS + k] = data[i * d.cols + col];
            else
                room[at] = data[row * d.cols + col];
        }
        __syncthreads();
        for (int64_t at = threadIdx.x; at < d.rows * COLUMNS; at += BLOCK)
            if (at % COLUMNS < count)
                data[at / COLUMNS * d.cols + j + at % COLUMNS] = room[at];
        __syncthreads();
    }
}

template <typename Element>
static __global__ void __launch_bounds__(BLOCK) permute_rows(decomposition d)
{
    Element *room = (Element *)d.room + blockIdx.x * d.cols;
    for (int64_t i = blockIdx.x; i < d.rows; i += gridDim.x) {
        Element *row = (Element *)d.data + i * d.cols;
        for (int64_t j = threadIdx.x; j < d.cols; j += BLOCK)
            room[j] = row[j];
        __syncthreads();
        for (int64_t j = threadIdx.x; j < d.cols; j += BLOCK) {
            int64_t place = ((i + j / d.block) % d.rows + j * d.rows) % d.cols;
            if (d.is_inverse)
                row[j] = room[place];
            else
                row[place] = room[j];
        }
        __syncthreads();
    }
}

template <typename Element>
static __global__ void __launch_bounds__(BLOCK) swap_tiles(Element *data, int64_t side)
{
    __shared__ Element upper[TILE][TILE + 1], lower[TILE][TILE + 1];
    int64_t row = blockIdx.x / tiles_of(side) * TILE, col = blockIdx.x % tiles_of(side) * TILE;
    int lane = (int)threadIdx.x % TILE, first = (int)threadIdx.x / TILE;
    if (row > col)
        return;
    for (int i = first; i < TILE; i += ROWS) {
        if (row + i < side && col + lane < side)
            upper[i][lane] = data[(row + i) * side + col + lane];
        if (col + i < side && row + lane < side)
            lower[i][lane] = data[(col + i) * side + row + lane];
    }
    __syncthreads();
    for (int i = first; i < TILE; i += ROWS) {
        if (row + i < side && col + lane < side)
            data[(row + i) * side + col + lane] = lower[lane][i];
        if (row != col && col + i < side && row + lane < side)
            data[(col + i) * side + row + lane] = upper[lane][i];
    }
}

static decomposition describe(const nitro_transpose_cuda *t, bool is_inverse)
{
    nitro_transpose_view view = nitro_transpose_view_of(&t->host);
    decomposition d = {};
    d.data = t->data;
    d.room = t->cuda.room.memory;
    d.rows = is_inverse ? view.cols : view.rows;
    d.cols = is_inverse ? view.rows : view.cols;
    d.divisor = nitro_transpose_divisor(d.rows, d.cols);
    d.block = d.divisor > 0 ? d.cols / d.divisor : 0;
    d.is_inverse = is_inverse;
    return d;
}

/* Each has as much room as an item of its step: COLUMNS columns, or a row. */
static int64_t blocks_of(const decomposition &d, int step)
{
    return std::min<int64_t>(step == 2 ? d.rows : divide_up(d.cols, COLUMNS), BLOCKS);
}

template <typename Element> static int launch_steps(nitro_cuda *cuda, const decomposition &d)
{
    const char *what = "launching a step of a transposition";
    int failure = 0;
    for (int turn = 1; turn <= 3 && !failure; turn++) {
        int step = d.is_inverse ? 4 - turn : turn;
        int64_t threads = blocks_of(d, step) * BLOCK;
        if (step == 2)
            failure = nitro_cuda_launch(cuda, what, threads, BLOCK, permute_rows<Element>, d);
        else if (step == 3 || d.divisor > 1)
            failure =
                nitro_cuda_launch(cuda, what, threads, BLOCK, permute_columns<Element>, d, step);
    }
    return failure;
}

template <typename Element> static int launch_swap(nitro_cuda *cuda, void *data, int64_t side)
{
    return nitro_cuda_launch(cuda, "launching square_swap", tiles_of(side) * tiles_of(side) * BLOCK,
                             BLOCK, swap_tiles<Element>, (Element *)data, side);
}

template <const nitro_kit &KIT> static int prepare_input(void *argument, void *)
{
    return nitro_kit_upload(&KIT, argument);
}

/* How a variant runs in so many elements of room. */
struct in_place {
    int64_t (*room)(const nitro_transpose_cuda *t, bool is_inverse);
    int (*launch)(nitro_transpose_cuda *t, bool is_inverse);
    bool is_inverse;
};

static int64_t room_of_steps(const nitro_transpose_cuda *t, bool is_inverse)
{
    decomposition d = describe(t, is_inverse);
    return std::max(blocks_of(d, 1) * d.rows * COLUMNS, blocks_of(d, 2) * d.cols);
}

static int do_steps(nitro_transpose_cuda *t, bool is_inverse)
{
    return BY_SIZE(t->host.element_bytes, launch_steps, &t->cuda, describe(t, is_inverse));
}

static int64_t room_of_copy(const nitro_transpose_cuda *t, bool)
{
    return t->host.num_rows * t->host.num_cols;
}

static int do_buffered(nitro_transpose_cuda *t, bool)
{
    nitro_transpose_view view = nitro_transpose_view_of(&t->host);
    matrix m = {t->cuda.room.memory, t->data, view.rows, view.cols};
    int64_t bytes = nitro_transpose_bytes(&t->host);
    int failure = nitro_cuda_copy(&t->cuda, t->data, bytes, 1, t->cuda.room.memory);
    return failure ? failure : move(t, m, SHARED_PADDED);
}

static int64_t room_bytes_of(const nitro_transpose_cuda *t, const in_place *how)
{
    return how->room(t, how->is_inverse) * t->host.element_bytes;
}

static int prepare_inplace(void *argument, void *user)
{
    return nitro_kit_make_room(
        &nitro_transpose_inplace_kit, argument,
        room_bytes_of((const nitro_transpose_cuda *)argument, (const in_place *)user));
}

static int run_inplace(void *argument, void *user)
{
    nitro_transpose_cuda *t = (nitro_transpose_cuda *)argument;
    const in_place *how = (const in_place *)user;
    if (nitro_transpose_bytes(&t->host) == 0)
        return 0;
    if (t->cuda.room.bytes < room_bytes_of(t, how))
        return nitro_cuda_fail(&t->cuda, "transpose_inplace was not prepared");
    return how->launch(t, how->is_inverse);
}

static int run_square(void *argument, void *)
{
    nitro_transpose_cuda *t = (nitro_transpose_cuda *)argument;
    return BY_SIZE(t->host.element_bytes, launch_swap, &t->cuda, t->data, t->host.num_rows);
}

static bool allows_square(const double *features, const void *, void *)
{
    return features[NITRO_TRANSPOSE_NUM_ROWS] == features[NITRO_TRANSPOSE_NUM_COLS] &&
           features[NITRO_TRANSPOSE_NUM_ROWS] <= MAX_SIDE;
}

static bool allows(const double *features, const void *, void *)
{
    return features[NITRO_TRANSPOSE_NUM_ROWS] * features[NITRO_TRANSPOSE_NUM_COLS] <=
           (double)NITRO_CUDA_MAX_COUNT;
}

static const int methods[] = {NAIVE, TILED, REGISTER, SHARED, SHARED_PADDED};
static const in_place r2c = {room_of_steps, do_steps, true};
static const in_place c2r = {room_of_steps, do_steps, false};
static const in_place buffered = {room_of_copy, do_buffered, false};

#define VARIANT(its_name, run_by, ...)                                                             \
    {                                                                                              \
        .name = its_name, .version = "1", .run = run_by, __VA_ARGS__                               \
    }
#define MOVE(its_name, method) VARIANT(its_name, run_move, .user = (void *)&methods[method])
#define IN_ROOM(how)           VARIANT(#how, run_inplace, .prepare = prepare_inplace, .user = (void *)&how)
static const nitro_variant moves[] = {MOVE("naive", NAIVE), MOVE("tiled", TILED),
                                      MOVE("register", REGISTER), MOVE("shared", SHARED),
                                      MOVE("shared_padded", SHARED_PADDED)};

static const nitro_variant *const variants[] = {&moves[0], &moves[1], &moves[2], &moves[3],
                                                &moves[4]};

/* skinny_r2c, skinny_c2r and cycles are on hosts only. */
static const nitro_variant inplace[] = {IN_ROOM(r2c), IN_ROOM(c2r),
                                        VARIANT("square_swap", run_square, .allows = allows_square,
                                                .allows_reads = "num_rows,num_cols"),
                                        IN_ROOM(buffered)};

static const nitro_variant *const inplace_variants[] = {&inplace[0], &inplace[1], &inplace[2],
                                                        &inplace[3]};

const nitro_kit_device nitro_transpose_cuda_device =
    NITRO_CUDA_DEVICE(nitro_transpose_cuda, variants, .prepare = prepare_input<nitro_transpose_kit>,
                      .allows = allows, .allows_reads = "num_rows,num_cols");

const nitro_kit_device nitro_transpose_inplace_cuda_device = NITRO_CUDA_DEVICE(
    nitro_transpose_cuda, inplace_variants, .prepare = prepare_input<nitro_transpose_inplace_kit>,
    .allows = allows, .allows_reads = "num_rows,num_cols");
