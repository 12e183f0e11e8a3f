/* spmv_kernels.h - shared by the host variants of SpMV: division of work among threads, memory for
 * formats, vector units, and the ELL and COO products of which hybrid consists. */
#ifndef NITRO_VARIANTS_SPMV_HOST_SPMV_KERNELS_H
#define NITRO_VARIANTS_SPMV_HOST_SPMV_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "variants/host_variant.h"
#include "variants/spmv/spmv.h"

/*
 * Function multiversioning: marked kernels are compiled for several vector units, and the loader
 * picks one. Not with sanitizers, whose runtime is not initialised when the loader picks. Only leaf
 * functions may be marked: GCC does not clone the body of a parallel region.
 */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(NITRO_NO_CLONES)
#define NITRO_SPMV_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define NITRO_SPMV_CLONES
#endif

/* Helpers of multiversioned kernels must be inlined, or they would be compiled for the baseline
 * only. */
#define NITRO_SPMV_INLINE __attribute__((always_inline)) static inline

/* Eight doubles, mapped to the available vectors by the compiler. Gathers are eight loads: the
 * gather instruction was slower on Zen 5. */
typedef double nitro_spmv_lanes __attribute__((vector_size(64)));
typedef double nitro_spmv_pair __attribute__((vector_size(16), may_alias));
typedef double nitro_spmv_lanes_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
#define NITRO_SPMV_LANES            8
#define NITRO_SPMV_LOAD(from)       (*(const nitro_spmv_lanes_unaligned *)(from))
#define NITRO_SPMV_STORE(to, lanes) (*(nitro_spmv_lanes_unaligned *)(to) = (lanes))
#define NITRO_SPMV_GATHER(x, at)                                                                   \
    ((nitro_spmv_lanes){(x)[(at)[0]], (x)[(at)[1]], (x)[(at)[2]], (x)[(at)[3]], (x)[(at)[4]],      \
                        (x)[(at)[5]], (x)[(at)[6]], (x)[(at)[7]]})

/*
 * Prefetch the cache line of array[index]. Hardware prefetchers fall behind on many short rows:
 * prefetching AHEAD entries doubled the bandwidth of csr_vector on a 3-D stencil. The index may lie
 * past the end: a prefetch never faults, and the address is computed as an integer, since pointer
 * arithmetic would be undefined there.
 */
#define NITRO_SPMV_PREFETCH(array, index)                                                          \
    __builtin_prefetch((const void *)((uintptr_t)(array) + (size_t)(index) * sizeof(*(array))))
#define NITRO_SPMV_AHEAD 1024

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

#ifdef __SSE2__
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

/** Upper bound of nitro_spmv_num_parts. */
#define NITRO_SPMV_MAX_PARTS NITRO_HOST_MAX_THREADS

/** Number of parts for `work` (non-zeros and rows): one a thread, or one if starting threads would
 * not pay. */
int nitro_spmv_num_parts(int64_t work);

/**
 * First item of part `part` when items are divided into `parts` of about equal work, an item
 * costing its entries plus one. offsets: shape [count + 1], ascending from 0. Part `parts` begins
 * at `count`.
 */
int64_t nitro_spmv_split(const int64_t *offsets, int64_t count, int part, int parts);

/* ELL: the first `width` entries of every row. 0 on success. */
int nitro_spmv_ell_fill(const nitro_spmv *spmv, int64_t width, nitro_spmv_ell *ell);
void nitro_spmv_ell_clear(nitro_spmv_ell *ell);
/* y = A x */
void nitro_spmv_ell_multiply(const nitro_spmv_ell *ell, int64_t num_rows, const double *x,
                             double *y);

/* COO: y = A x, or y += A x. */
void nitro_spmv_coo_multiply(const nitro_spmv_coo *coo, int64_t num_rows, const double *x,
                             double *y);
void nitro_spmv_coo_add(const nitro_spmv_coo *coo, const double *x, double *y);

/* Each variant's `release`, for nitro_spmv_release. */
void nitro_spmv_release_dia(void *argument, void *user);
void nitro_spmv_release_ell(void *argument, void *user);
void nitro_spmv_release_coo(void *argument, void *user);
void nitro_spmv_release_hybrid(void *argument, void *user);
void nitro_spmv_release_sellp(void *argument, void *user);

#endif
