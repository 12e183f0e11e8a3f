/* spmv_kernels.h - shared by the host variants of SpMV: division of work among threads, memory for
 * formats, vector units, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_HOST_SPMV_KERNELS_H
#define NITRO_VARIANTS_SPMV_HOST_SPMV_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "nitro/computation_kit.h"
#include "variants/spmv/formats.h"

/* Kernels and their helpers are inlined into functions compiled for a vector unit each. */
#define NITRO_SPMV_INLINE __attribute__((always_inline)) static inline

/* Eight doubles, mapped to the available vectors by the compiler. */
typedef double nitro_spmv_lanes __attribute__((vector_size(64)));
typedef double nitro_spmv_pair __attribute__((vector_size(16), may_alias));
typedef double nitro_spmv_lanes_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
#define NITRO_SPMV_LANES            8
#define NITRO_SPMV_LOAD(from)       (*(const nitro_spmv_lanes_unaligned *)(from))
#define NITRO_SPMV_STORE(to, lanes) (*(nitro_spmv_lanes_unaligned *)(to) = (lanes))

/** sums[i] += values[i] * x[at[i]] for eight i. */
typedef void nitro_spmv_add(nitro_spmv_lanes *sums, const double *values, const double *x,
                            const int32_t *at);

/*
 * Vector units. A kernel is an NITRO_SPMV_INLINE function with the parameters of nitro_host_body
 * and a nitro_spmv_add; NITRO_SPMV_COMPILE(kernel) compiles it for every unit and makes the table
 * kernel_units. Whether eight loads or the gather instruction are faster depends on the processor:
 * in cache, on Zen 5 the loads take half as long; on other processors the instruction is faster.
 */
enum {
    NITRO_SPMV_BASELINE,
    NITRO_SPMV_AVX2_GATHER,
    NITRO_SPMV_AVX2,
    NITRO_SPMV_AVX512_GATHER,
    NITRO_SPMV_AVX512,
    NITRO_SPMV_NUM_UNITS
};

/** The unit to use: the fastest one of this processor. Measured at the first call. */
int nitro_spmv_unit(void);

/** Use this unit instead of measuring; -1 measures again. False if the processor lacks it. */
bool nitro_spmv_assume_unit(int unit);

NITRO_SPMV_INLINE void nitro_spmv_add_by_loads(nitro_spmv_lanes *sums, const double *values,
                                               const double *x, const int32_t *at)
{
    *sums += NITRO_SPMV_LOAD(values) * (nitro_spmv_lanes){x[at[0]], x[at[1]], x[at[2]], x[at[3]],
                                                          x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
}

#if defined(__x86_64__) && defined(__GNUC__)
#define NITRO_SPMV_HAS_UNITS 1

__attribute__((target("avx2"))) static inline void nitro_spmv_add_avx2(nitro_spmv_lanes *sums,
                                                                       const double *values,
                                                                       const double *x,
                                                                       const int32_t *at)
{
    __m128i low = _mm_loadu_si128((const __m128i_u *)at);
    __m128i high = _mm_loadu_si128((const __m128i_u *)at + 1);
    union {
        __m256d halves[2];
        nitro_spmv_lanes lanes;
    } gathered = {
        {_mm256_i32gather_pd(x, low, sizeof(*x)), _mm256_i32gather_pd(x, high, sizeof(*x))}};
    *sums += NITRO_SPMV_LOAD(values) * gathered.lanes;
}

__attribute__((target("avx512f"))) static inline void nitro_spmv_add_avx512(nitro_spmv_lanes *sums,
                                                                            const double *values,
                                                                            const double *x,
                                                                            const int32_t *at)
{
    __m256i index = _mm256_loadu_si256((const __m256i_u *)at);
    *sums += NITRO_SPMV_LOAD(values) * _mm512_i32gather_pd(index, x, sizeof(*x));
}

#define NITRO_SPMV_COMPILE_FOR(unit, kernel, add)                                                  \
    __attribute__((target(#unit))) static void kernel##_##unit##_##add(const void *state,          \
                                                                       int part, int parts)        \
    {                                                                                              \
        kernel(state, part, parts, nitro_spmv_add_##add);                                          \
    }
#define NITRO_SPMV_COMPILE(kernel)                                                                 \
    NITRO_SPMV_COMPILE_FOR(sse2, kernel, by_loads)                                                 \
    NITRO_SPMV_COMPILE_FOR(avx2, kernel, avx2)                                                     \
    NITRO_SPMV_COMPILE_FOR(avx2, kernel, by_loads)                                                 \
    NITRO_SPMV_COMPILE_FOR(avx512f, kernel, avx512)                                                \
    NITRO_SPMV_COMPILE_FOR(avx512f, kernel, by_loads)                                              \
    static nitro_host_body *const kernel##_units[NITRO_SPMV_NUM_UNITS] = {                         \
        kernel##_sse2_by_loads, kernel##_avx2_avx2, kernel##_avx2_by_loads,                        \
        kernel##_avx512f_avx512, kernel##_avx512f_by_loads};
#else
#define NITRO_SPMV_HAS_UNITS 0
#define NITRO_SPMV_COMPILE(kernel)                                                                 \
    static void kernel##_baseline(const void *state, int part, int parts)                          \
    {                                                                                              \
        kernel(state, part, parts, nitro_spmv_add_by_loads);                                       \
    }                                                                                              \
    static nitro_host_body *const kernel##_units[NITRO_SPMV_NUM_UNITS] = {kernel##_baseline};
#endif

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
 * Non-temporal stores: an ordinary store reads the line first, which costs 8 bytes of bandwidth a
 * row. For a y that exceeds the caches and is aligned to pairs; NITRO_SPMV_FENCE orders these
 * stores before other threads' accesses.
 */
#define NITRO_SPMV_STREAM_ROWS (2 << 20) /* 16 MiB of y */

static inline bool nitro_spmv_streams(const double *y, int64_t num_rows)
{
    return num_rows >= NITRO_SPMV_STREAM_ROWS && (uintptr_t)y % sizeof(nitro_spmv_pair) == 0;
}

#ifdef __x86_64__
#define NITRO_SPMV_STREAM(to, pair) _mm_stream_pd(to, (__m128d)(pair))
#define NITRO_SPMV_FENCE()          _mm_sfence()
#else
#define NITRO_SPMV_STREAM(to, pair) (*(nitro_spmv_pair *)(to) = (pair))
#define NITRO_SPMV_FENCE()          ((void)0)
#endif

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

/* CSR: y = A x in rows [begin, end), also for other computations. */
void nitro_spmv_csr_multiply(const nitro_spmv *spmv, int64_t begin, int64_t end);

/* ELL: the first ell->width entries of every row, into its arrays; y = A x. */
void nitro_spmv_ell_fill(const nitro_spmv *spmv, nitro_spmv_ell *ell);
void nitro_spmv_ell_multiply(const nitro_spmv_ell *ell, int64_t num_rows, const double *x,
                             double *y);

/* COO: y = A x, or y += A x. */
void nitro_spmv_coo_multiply(const nitro_spmv_coo *coo, int64_t num_rows, const double *x,
                             double *y);
void nitro_spmv_coo_add(const nitro_spmv_coo *coo, const double *x, double *y);

/* `release` of a variant with a format, as a member. */
#define NITRO_SPMV_FORMAT(format)                                                                  \
    .release = nitro_kit_free_format, .user = (void *)&nitro_spmv_part_##format

#endif
