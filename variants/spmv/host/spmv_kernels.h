/* spmv_kernels.h - shared by the host variants of SpMV: division of work among threads, memory for
 * formats, vector units, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_HOST_SPMV_KERNELS_H
#define NITRO_VARIANTS_SPMV_HOST_SPMV_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "nitro/computation_kit.h"
#include "variants/spmv/formats.h"

/* Kernels and their helpers are inlined into functions compiled for a vector unit each. */
#define NITRO_SPMV_INLINE __attribute__((always_inline)) static inline

/* Eight doubles: one vector with AVX-512, else two, since GCC keeps a vector that is wider than the
 * target's in memory, where a product takes twice as long. */
typedef double nitro_spmv_pair __attribute__((vector_size(16)));
typedef double nitro_spmv_quad __attribute__((vector_size(32)));
typedef double nitro_spmv_octet __attribute__((vector_size(64)));
typedef union nitro_spmv_lanes {
    nitro_spmv_octet whole;
    nitro_spmv_quad halves[2];
} nitro_spmv_lanes;
#define NITRO_SPMV_LANES 8

/* The same anywhere in an array. */
typedef double nitro_spmv_quad_at __attribute__((vector_size(32), aligned(8), may_alias));
typedef double nitro_spmv_octet_at __attribute__((vector_size(64), aligned(8), may_alias));
#define NITRO_SPMV_QUAD(from)  (*(const nitro_spmv_quad_at *)(from))
#define NITRO_SPMV_OCTET(from) (*(const nitro_spmv_octet_at *)(from))

/*
 * Vector units. A kernel is an NITRO_SPMV_INLINE function with the parameters of nitro_host_body
 * and its unit, a constant; NITRO_SPMV_COMPILE(kernel) compiles it for every unit and makes the
 * table kernel_units. Whether eight loads or the gather instruction are faster depends on the
 * processor and on where x is: on Zen 4 the loads take half as long in the first cache, and 1.5
 * times as long in the last one.
 */
enum {
    NITRO_SPMV_BASELINE,
    NITRO_SPMV_AVX2_GATHER,
    NITRO_SPMV_AVX2,
    NITRO_SPMV_AVX512_GATHER,
    NITRO_SPMV_AVX512,
    NITRO_SPMV_NUM_UNITS
};
#define NITRO_SPMV_IS_WIDE(unit) ((unit) >= NITRO_SPMV_AVX512_GATHER)

/** The unit to use: the fastest one of this processor. Measured at the first call. */
int nitro_spmv_unit(void);

/** Use this unit instead of measuring; -1 measures again. False if the processor lacks it. */
bool nitro_spmv_assume_unit(int unit);

/** For tests: let two units take turns in every product (nitro_spmv_run_parts), or as usual. */
void nitro_spmv_assume_turns(bool always);

#if defined(__x86_64__) && defined(__GNUC__)
#define NITRO_SPMV_HAS_UNITS 1

__attribute__((target("avx2"))) static inline void nitro_spmv_gather_avx2(nitro_spmv_lanes *sums,
                                                                          const double *values,
                                                                          const double *x,
                                                                          const int32_t *at)
{
    for (int i = 0; i < 2; i++, values += 4, at += 4) {
        __m128i index = _mm_loadu_si128((const __m128i_u *)at);
        sums->halves[i] += NITRO_SPMV_QUAD(values) * _mm256_i32gather_pd(x, index, sizeof(*x));
    }
}

__attribute__((target("avx512f"))) static inline void
nitro_spmv_gather_avx512(nitro_spmv_lanes *sums, const double *values, const double *x,
                         const int32_t *at)
{
    __m256i index = _mm256_loadu_si256((const __m256i_u *)at);
    sums->whole += NITRO_SPMV_OCTET(values) * _mm512_i32gather_pd(index, x, sizeof(*x));
}

#define NITRO_SPMV_COMPILE_FOR(its_target, kernel, unit)                                           \
    __attribute__((target(its_target))) static void kernel##_##unit(const void *state, int part,   \
                                                                    int parts)                     \
    {                                                                                              \
        kernel(state, part, parts, NITRO_SPMV_##unit);                                             \
    }
#define NITRO_SPMV_COMPILE(kernel)                                                                 \
    NITRO_SPMV_COMPILE_FOR("sse2", kernel, BASELINE)                                               \
    NITRO_SPMV_COMPILE_FOR("avx2", kernel, AVX2_GATHER)                                            \
    NITRO_SPMV_COMPILE_FOR("avx2", kernel, AVX2)                                                   \
    NITRO_SPMV_COMPILE_FOR("avx512f", kernel, AVX512_GATHER)                                       \
    NITRO_SPMV_COMPILE_FOR("avx512f", kernel, AVX512)                                              \
    static nitro_host_body *const kernel##_units[NITRO_SPMV_NUM_UNITS] = {                         \
        kernel##_BASELINE, kernel##_AVX2_GATHER, kernel##_AVX2, kernel##_AVX512_GATHER,            \
        kernel##_AVX512};
#else
#define NITRO_SPMV_HAS_UNITS 0
#define NITRO_SPMV_COMPILE(kernel)                                                                 \
    static void kernel##_BASELINE(const void *state, int part, int parts)                          \
    {                                                                                              \
        kernel(state, part, parts, NITRO_SPMV_BASELINE);                                           \
    }                                                                                              \
    static nitro_host_body *const kernel##_units[NITRO_SPMV_NUM_UNITS] = {kernel##_BASELINE};
#endif

/* x at two columns, which are read together: half as many loads. */
NITRO_SPMV_INLINE nitro_spmv_pair nitro_spmv_load_two(const double *x, const int32_t *at)
{
#ifdef __x86_64__
    uint64_t both; /* little-endian; columns are not negative */
    memcpy(&both, at, sizeof(both));
    return (nitro_spmv_pair){x[(uint32_t)both], x[both >> 32]};
#else
    return (nitro_spmv_pair){x[at[0]], x[at[1]]};
#endif
}

/** sums[i] += values[i] * x[at[i]] for eight i. */
NITRO_SPMV_INLINE void nitro_spmv_add(nitro_spmv_lanes *sums, const double *values, const double *x,
                                      const int32_t *at, const int unit)
{
#if NITRO_SPMV_HAS_UNITS
    if (unit == NITRO_SPMV_AVX512_GATHER) {
        nitro_spmv_gather_avx512(sums, values, x, at);
        return;
    }
    if (unit == NITRO_SPMV_AVX2_GATHER) {
        nitro_spmv_gather_avx2(sums, values, x, at);
        return;
    }
#endif
    nitro_spmv_pair a = nitro_spmv_load_two(x, at), b = nitro_spmv_load_two(x, at + 2);
    nitro_spmv_pair c = nitro_spmv_load_two(x, at + 4), d = nitro_spmv_load_two(x, at + 6);
    if (NITRO_SPMV_IS_WIDE(unit)) {
        sums->whole += NITRO_SPMV_OCTET(values) *
                       (nitro_spmv_octet){a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]};
        return;
    }
    sums->halves[0] += NITRO_SPMV_QUAD(values) * (nitro_spmv_quad){a[0], a[1], b[0], b[1]};
    sums->halves[1] += NITRO_SPMV_QUAD(values + 4) * (nitro_spmv_quad){c[0], c[1], d[0], d[1]};
}

/** sums[i] += values[i] * x[i] for eight i. */
NITRO_SPMV_INLINE void nitro_spmv_add_products(nitro_spmv_lanes *sums, const double *values,
                                               const double *x, const int unit)
{
    if (NITRO_SPMV_IS_WIDE(unit)) {
        sums->whole += NITRO_SPMV_OCTET(values) * NITRO_SPMV_OCTET(x);
        return;
    }
    sums->halves[0] += NITRO_SPMV_QUAD(values) * NITRO_SPMV_QUAD(x);
    sums->halves[1] += NITRO_SPMV_QUAD(values + 4) * NITRO_SPMV_QUAD(x + 4);
}

NITRO_SPMV_INLINE void nitro_spmv_store(double *to, const nitro_spmv_lanes *sums, const int unit)
{
    if (NITRO_SPMV_IS_WIDE(unit)) {
        *(nitro_spmv_octet_at *)to = sums->whole;
        return;
    }
    *(nitro_spmv_quad_at *)to = sums->halves[0];
    *(nitro_spmv_quad_at *)(to + 4) = sums->halves[1];
}

/*
 * Prefetch the cache line of array[index]. Hardware prefetchers fall behind on many short rows:
 * prefetching AHEAD entries doubled the bandwidth of csr_vector on a 3-D stencil. In cache it takes
 * a quarter longer, so kernels have both loops. The index may lie past the end: a prefetch never
 * faults, and the address is computed as an integer, since pointer arithmetic would be undefined
 * there.
 */
#define NITRO_SPMV_PREFETCH(array, index)                                                          \
    __builtin_prefetch((const void *)((uintptr_t)(array) + (size_t)(index) * sizeof(*(array))))
#define NITRO_SPMV_AHEAD          1024
#define NITRO_SPMV_PREFETCH_SLOTS 131072 /* 1.5 MiB */

/** Is a format of so many entries, 12 bytes each, larger than the caches near a core? */
static inline bool nitro_spmv_prefetches(int64_t num_slots)
{
    return num_slots > NITRO_SPMV_PREFETCH_SLOTS;
}

/*
 * Where a kernel reads from, and what it prefetches. Entries of an x larger than the caches that
 * are far from those read before come from memory, and while rows end nothing else is asked for:
 * prefetching them, csr takes a third of the time where rows are short or empty. Where columns are
 * near each other it would take up to a quarter longer.
 */
typedef enum nitro_spmv_access {
    NITRO_SPMV_CACHED,   /* nothing is prefetched */
    NITRO_SPMV_STREAMED, /* the matrix is */
    NITRO_SPMV_SPREAD,   /* the matrix is; x comes from the last cache */
    NITRO_SPMV_SCATTERED /* the matrix and x are */
} nitro_spmv_access;

/** For a format of the matrix with so many slots. Looks at a few entries where x is large. */
nitro_spmv_access nitro_spmv_find_access(const nitro_spmv *spmv, int64_t num_slots);

/**
 * Run a kernel (NITRO_SPMV_COMPILE) on the fastest unit. Where x comes from the last cache, eight
 * loads and the gather instruction take turns in the first products with a matrix, which are
 * divided further, until the same one was faster three times in a row. All units give the same
 * bits.
 * @param[in]     units  of the kernel; shape [NITRO_SPMV_NUM_UNITS].
 * @param[in,out] votes  of the kernel for the matrix: so many products in a row were faster by the
 *                       other way (or by the usual one, where negative); 0 at first.
 * @return in how many parts the product was divided.
 */
int nitro_spmv_run_parts(nitro_host_body *const *units, int *votes, const void *product,
                         nitro_spmv_access access, int parts);

/** Call a function that inlines its last parameter, the access: a loop of its own for each. */
#define NITRO_SPMV_CALL_FOR(access, function, ...)                                                 \
    do {                                                                                           \
        if ((access) == NITRO_SPMV_SCATTERED)                                                      \
            function(__VA_ARGS__, NITRO_SPMV_SCATTERED);                                           \
        else if ((access) == NITRO_SPMV_CACHED)                                                    \
            function(__VA_ARGS__, NITRO_SPMV_CACHED);                                              \
        else                                                                                       \
            function(__VA_ARGS__, NITRO_SPMV_STREAMED);                                            \
    } while (0)

#define NITRO_SPMV_X_AHEAD 128 /* entries */

/** Prefetch x for `count` entries. */
NITRO_SPMV_INLINE void nitro_spmv_prefetch_x(const double *x, const int32_t *columns,
                                             const int count)
{
    for (int i = 0; i < count; i++)
        __builtin_prefetch(x + columns[i]);
}

/** The same for those that come NITRO_SPMV_X_AHEAD after entry `k`, if there are as many. */
NITRO_SPMV_INLINE void nitro_spmv_prefetch_x_ahead(const double *x, const int32_t *columns,
                                                   int64_t k, int64_t num_entries, const int count)
{
    k += NITRO_SPMV_X_AHEAD;
    if (k + count <= num_entries)
        nitro_spmv_prefetch_x(x, columns + k, count);
}

/**
 * Stride of columns of a column-major format: whole lanes, and an odd number of cache lines, since
 * columns a power of two apart would map to the same cache sets.
 */
int64_t nitro_spmv_stride(int64_t num_rows);

/**
 * First item of part `part` when items are divided into `parts` of about equal work, an item
 * costing its entries plus one. offsets: shape [count + 1], ascending from 0. Part `parts` begins
 * at `count`.
 */
int64_t nitro_spmv_split(const int64_t *offsets, int64_t count, int part, int parts);

/* CSR: the sum of entries [k, end) of a row. */
NITRO_SPMV_INLINE double nitro_spmv_csr_row(const nitro_spmv *spmv, int64_t k, int64_t end,
                                            const nitro_spmv_access access)
{
    const double *restrict x = spmv->x, *restrict values = spmv->values;
    const int32_t *restrict columns = spmv->columns;
    if (access != NITRO_SPMV_CACHED && k < end) {
        NITRO_SPMV_PREFETCH(values, k + NITRO_SPMV_AHEAD);
        NITRO_SPMV_PREFETCH(columns, k + NITRO_SPMV_AHEAD);
    }
    double even = 0, odd = 0; /* half as many additions wait for the one before */
    for (; k + 1 < end; k += 2) {
        if (access == NITRO_SPMV_SCATTERED)
            nitro_spmv_prefetch_x_ahead(x, columns, k, spmv->num_nonzeros, 2);
        even += values[k] * x[columns[k]];
        odd += values[k + 1] * x[columns[k + 1]];
    }
    if (k < end) {
        if (access == NITRO_SPMV_SCATTERED)
            nitro_spmv_prefetch_x_ahead(x, columns, k, spmv->num_nonzeros, 1);
        even += values[k] * x[columns[k]];
    }
    return even + odd;
}

/* CSR: y = A x in rows [begin, end), also for other computations. */
void nitro_spmv_csr_multiply(const nitro_spmv *spmv, int64_t begin, int64_t end);

/** From the first and the last entries of some rows. */
bool nitro_spmv_seems_symmetric(const nitro_spmv *spmv);

/**
 * Where each diagonal is read from: one below the main diagonal from that above if they have the
 * same elements, as in symmetric matrices. These were read shortly before, so that half as much
 * comes from memory.
 * @param[in]  values   diagonal d's element in row r is at [d * stride + r].
 * @param[in]  offsets  column - row of each; shape [count], ascending.
 * @param[out] starts   shape [count]: it is read at [starts[d] + r].
 * @return how many of the arrays are read.
 */
int64_t nitro_spmv_share_diagonals(const double *values, int64_t stride, int64_t num_rows,
                                   const int64_t *offsets, int64_t count, int64_t *starts);

/** The sum of a row that began in an earlier part, which a part leaves to be added. */
typedef struct nitro_spmv_carry {
    int64_t row; /* -1: none */
    double sum;
} nitro_spmv_carry;

/** Add what the parts carried, shape [parts], when all are done. */
static inline void nitro_spmv_add_carried(const nitro_spmv_carry *carried, int parts, double *y)
{
    for (int part = 0; part < parts; part++)
        if (carried[part].row >= 0)
            y[carried[part].row] += carried[part].sum;
}

/* ELL: the strides and the number of slots follow from ell->width; groups of rows on hosts, one
 * column-major array where a device fills it. */
void nitro_spmv_ell_set_layout(nitro_spmv_ell *ell, int64_t num_rows, bool in_groups);
/* The first ell->width entries of every row, into its arrays; y = A x, of them alone. */
void nitro_spmv_ell_fill(const nitro_spmv *spmv, nitro_spmv_ell *ell);
void nitro_spmv_ell_multiply(const nitro_spmv *spmv, nitro_spmv_ell *ell);

/* sigma of sell_c_sigma: the rows of a window, within which they are sorted by length. */
int64_t nitro_spmv_window_rows(int64_t num_rows);

/* COO: y += A x, from zeros or from what y holds. */
void nitro_spmv_coo_add(const nitro_spmv *spmv, const nitro_spmv_coo *coo, bool zero_first);

/* What a variant with a format has. */
#define NITRO_SPMV_FORMAT(format)                                                                  \
    .prepare = nitro_spmv_prepare_format, .release = nitro_kit_free_format,                        \
    .user = (void *)&nitro_spmv_part_##format

#endif
