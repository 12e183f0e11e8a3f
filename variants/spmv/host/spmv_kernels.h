/* kernels.h - what the SpMV variants share: how work is divided among threads, memory for formats,
 * the machine's vector unit, and the ELL and COO products that hybrid is made of. */
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
 * One binary for all machines: a kernel marked so is compiled for several vector units, and the
 * loader picks. Sanitizers' run time is not up yet when the loader picks, so their builds go
 * without. Only leaf functions may be marked: GCC does not clone the body of a parallel region.
 */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(NITRO_NO_CLONES)
#define NITRO_SPMV_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define NITRO_SPMV_CLONES
#endif

/* A kernel's helpers must be part of it, or they would be compiled for the plainest unit alone. */
#define NITRO_SPMV_INLINE __attribute__((always_inline)) static inline

/* Eight doubles that the compiler maps to whatever vectors the machine has. Gathers by hand: the
 * gather instruction is slower than eight loads on the processors we measured (Zen 5). */
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
 * Ask for the cache line of array[index]. Matrices are streamed once, and processors' own
 * prefetchers fall behind on many short rows: asking AHEAD entries early doubled the bandwidth of
 * csr_vector on a 3-D stencil. The index may lie past the end: a prefetch never faults, and the
 * address is made without pointer arithmetic, which would be undefined there.
 */
#define NITRO_SPMV_PREFETCH(array, index)                                                          \
    __builtin_prefetch((const void *)((uintptr_t)(array) + (size_t)(index) * sizeof(*(array))))
#define NITRO_SPMV_AHEAD 1024

/*
 * Storing past the caches: an ordinary store reads the line first, which costs 8 bytes a row of the
 * bandwidth that the product lives on. For a y so large that it would not stay in a cache anyway,
 * and that pairs fit on; NITRO_SPMV_FENCE orders such stores before whatever other threads do next.
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
 * Distance of two columns of a column-major format: room for whole lanes, and an odd number of
 * cache lines, since columns a power of two apart would push each other out of the cache.
 */
int64_t nitro_spmv_stride(int64_t num_rows);

/** Most parts that nitro_spmv_num_parts gives. */
#define NITRO_SPMV_MAX_PARTS NITRO_HOST_MAX_THREADS

/** How many parts to cut `work` (non-zeros and rows) into: one a thread, one alone where starting
 *  threads would cost more than it saves. */
int nitro_spmv_num_parts(int64_t work);

/**
 * Where part `part` of `parts` begins so that all parts have about the same work, an item costing
 * its entries and one more: offsets has shape [count + 1], ascending from 0. Part `parts` begins at
 * `count`.
 */
int64_t nitro_spmv_split(const int64_t *offsets, int64_t count, int part, int parts);

/** Where part `part` of `parts` of `count` equal items begins. */
int64_t nitro_spmv_split_evenly(int64_t count, int part, int parts);

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
