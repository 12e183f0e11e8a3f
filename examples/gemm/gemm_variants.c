/* Four ways to multiply matrices: by rows, by dot products, and by tiles that are kept in
 * registers. */
#include "gemm_variants.h"

#include <string.h>

#ifdef __AVX512F__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { TILE_ROWS = 6, TILE_COLUMNS = 2 * LANES, BLOCK_ROWS = 96 /* of A, which stay in L2 */ };
typedef double vector __attribute__((vector_size(LANES * sizeof(double))));

/* ---- Without tiles ---- */

static int run_rows(void *argument, void *user)
{
    (void)user;
    const gemm_call *call = argument;
    memset(call->c, 0, (size_t)(call->num_rows * call->num_columns) * sizeof(double));
    for (int64_t i = 0; i < call->num_rows; i++)
        for (int64_t p = 0; p < call->depth; p++) {
            double factor = call->a[i * call->depth + p];
            const double *b = call->b + p * call->num_columns;
            double *c = call->c + i * call->num_columns;
#pragma omp simd
            for (int64_t j = 0; j < call->num_columns; j++)
                c[j] += factor * b[j];
        }
    return 0;
}

static int prepare_dots(void *argument, void *user)
{
    (void)user;
    gemm_call *call = argument;
    if (call->transposed)
        return 0;
    call->transposed = nitro_host_allocate(call->depth * call->num_columns, sizeof(double));
    if (!call->transposed)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t p = 0; p < call->depth; p++)
        for (int64_t j = 0; j < call->num_columns; j++)
            call->transposed[j * call->depth + p] = call->b[p * call->num_columns + j];
    return 0;
}

static int run_dots(void *argument, void *user)
{
    (void)user;
    const gemm_call *call = argument;
    for (int64_t i = 0; i < call->num_rows; i++)
        for (int64_t j = 0; j < call->num_columns; j++) {
            const double *a = call->a + i * call->depth, *b = call->transposed + j * call->depth;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t p = 0; p < call->depth; p++)
                sum += a[p] * b[p];
            call->c[i * call->num_columns + j] = sum;
        }
    return 0;
}

/* ---- Tiles of C, kept in registers ---- */

typedef struct tile {
    const double *a, *b; /* A's first row, and B's TILE_COLUMNS columns */
    double *c;
    int64_t depth, a_stride, b_stride, c_stride, columns; /* of C: at most TILE_COLUMNS */
} tile;

/* Sets `rows` rows, a constant, of C. */
__attribute__((always_inline)) static inline void multiply_rows(int rows, const tile *t)
{
    vector sums[TILE_ROWS][2] = {{{0}}}, row[2];
    const double *b = t->b;
    for (int64_t p = 0; p < t->depth; p++, b += t->b_stride) {
        memcpy(row, b, sizeof(row));
        for (int i = 0; i < rows; i++) {
            sums[i][0] += t->a[i * t->a_stride + p] * row[0];
            sums[i][1] += t->a[i * t->a_stride + p] * row[1];
        }
    }
    for (int i = 0; i < rows; i++)
        memcpy(t->c + i * t->c_stride, sums[i], (size_t)t->columns * sizeof(double));
}

static void multiply_tile(int64_t rows, const tile *t)
{
    switch (rows) {
    case 1:
        multiply_rows(1, t);
        break;
    case 2:
        multiply_rows(2, t);
        break;
    case 3:
        multiply_rows(3, t);
        break;
    case 4:
        multiply_rows(4, t);
        break;
    case 5:
        multiply_rows(5, t);
        break;
    default:
        multiply_rows(TILE_ROWS, t);
        break;
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* B is packed, or as it is: then the last panel may begin before the end of the one before it. */
static void multiply(const gemm_call *call, bool is_packed)
{
    int64_t depth = call->depth, columns = call->num_columns, end;
    for (int64_t i = 0; i < call->num_rows; i = end) {
        end = smaller(i + BLOCK_ROWS, call->num_rows);
        for (int64_t j = 0; j < columns; j += TILE_COLUMNS) {
            int64_t from = is_packed ? j : smaller(j, columns - TILE_COLUMNS);
            tile t = {.b = is_packed ? call->packed + from * depth : call->b + from,
                      .depth = depth,
                      .a_stride = depth,
                      .b_stride = is_packed ? TILE_COLUMNS : columns,
                      .c_stride = columns,
                      .columns = smaller(columns - from, TILE_COLUMNS)};
            for (int64_t row = i; row < end; row += TILE_ROWS) {
                t.a = call->a + row * depth;
                t.c = call->c + row * columns + from;
                multiply_tile(smaller(end - row, TILE_ROWS), &t);
            }
        }
    }
}

static int run_tiles(void *argument, void *user)
{
    (void)user;
    multiply(argument, false);
    return 0;
}

static bool allows_tiles(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[1] >= TILE_COLUMNS;
}

/* Panels of TILE_COLUMNS columns one behind the other, padded by zeros. */
static int prepare_packed(void *argument, void *user)
{
    (void)user;
    gemm_call *call = argument;
    int64_t columns = call->num_columns;
    if (call->packed)
        return 0;
    call->packed = nitro_host_allocate((columns + TILE_COLUMNS) * call->depth, sizeof(double));
    if (!call->packed)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t j = 0; j < columns; j += TILE_COLUMNS)
        for (int64_t p = 0; p < call->depth; p++)
            memcpy(call->packed + j * call->depth + p * TILE_COLUMNS, call->b + p * columns + j,
                   (size_t)smaller(columns - j, TILE_COLUMNS) * sizeof(double));
    return 0;
}

static int run_packed(void *argument, void *user)
{
    (void)user;
    multiply(argument, true);
    return 0;
}

/* ---- The table ---- */

static void release_transposed(void *argument, void *user)
{
    (void)user;
    nitro_host_free(((gemm_call *)argument)->transposed);
    ((gemm_call *)argument)->transposed = NULL;
}

static void release_packed(void *argument, void *user)
{
    (void)user;
    nitro_host_free(((gemm_call *)argument)->packed);
    ((gemm_call *)argument)->packed = NULL;
}

void gemm_release(void *argument)
{
    release_transposed(argument, NULL);
    release_packed(argument, NULL);
}

static const nitro_variant rows = {.name = "rows", .run = run_rows};
static const nitro_variant dots = {
    .name = "dots", .run = run_dots, .prepare = prepare_dots, .release = release_transposed};
static const nitro_variant tiles = {
    .name = "tiles", .run = run_tiles, .allows = allows_tiles, .allows_reads = "num_columns"};
static const nitro_variant packed = {
    .name = "packed", .run = run_packed, .prepare = prepare_packed, .release = release_packed};
const nitro_variant *const gemm_variants[GEMM_NUM_VARIANTS] = {&rows, &dots, &tiles, &packed};
