/* intensity.h - intensity of proxy kernels on every kind of device: the order of instructions in
 * the unrolled loop, and the neutral instructions. Also for CUDA C++.
 *
 * A loop has NITRO_PROXY_GROUPS groups of five slots, one instruction each. At intensity i the
 * first i slots of a group are steps of the proxy's kind, the others neutral: exclusive or and
 * addition in turn, on independent chains, which no compiler can merge. Operands come from memory,
 * so that no compiler knows them, and results are stored. */
#ifndef NITRO_PROXIES_KERNELS_INTENSITY_H
#define NITRO_PROXIES_KERNELS_INTENSITY_H

#include <stdint.h>

#define NITRO_PROXY_GROUPS 60
#define NITRO_PROXY_SLOTS  5 /* NITRO_PROXY_MAX_INTENSITY */
#define NITRO_PROXY_CHAINS 4

/** Steps of its kind in one pass through the loop; each exchange of memory is two. */
#define NITRO_PROXY_STEPS(intensity)     (NITRO_PROXY_GROUPS * (intensity))
#define NITRO_PROXY_EXCHANGES(intensity) (NITRO_PROXY_STEPS(intensity) / 2)

/** Chains of floating-point steps; their values count steps, exactly up to this many passes. */
#define NITRO_PROXY_SUMS       8
#define NITRO_PROXY_MAX_PASSES 400000
#define NITRO_PROXY_LANES      256 /* threads start from their index modulo this */

#if defined(__CUDACC__)
#define NITRO_PROXY_INLINE static __host__ __device__ __forceinline__
#else
#define NITRO_PROXY_INLINE static inline __attribute__((always_inline))
#endif
#if defined(__CUDA_ARCH__)
#define NITRO_PROXY_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define NITRO_PROXY_UNROLL /* the host's side of a .cu file runs no loop */
#elif defined(__clang__)
#define NITRO_PROXY_UNROLL _Pragma("clang loop unroll(full)")
#else
#define NITRO_PROXY_UNROLL _Pragma("GCC unroll 64")
#endif

typedef struct nitro_proxy_operands {
    uint32_t mask, addend; /* of neutral steps */
    uint32_t one;          /* factor, term and increment of the others */
} nitro_proxy_operands;

#define NITRO_PROXY_OPERANDS                                                                       \
    {                                                                                              \
        .mask = 0x5bd1e995u, .addend = 0x9e3779b9u, .one = 1                                       \
    }

NITRO_PROXY_INLINE void nitro_proxy_neutral_begin(uint32_t *chains, uint32_t lane)
{
    NITRO_PROXY_UNROLL
    for (uint32_t i = 0; i < NITRO_PROXY_CHAINS; i++)
        chains[i] = lane + i;
}

NITRO_PROXY_INLINE void nitro_proxy_neutral_step(uint32_t *chains, unsigned step,
                                                 nitro_proxy_operands operands)
{
    if (step / NITRO_PROXY_CHAINS % 2 == 0)
        chains[step % NITRO_PROXY_CHAINS] ^= operands.mask;
    else
        chains[step % NITRO_PROXY_CHAINS] += operands.addend;
}

NITRO_PROXY_INLINE uint32_t nitro_proxy_neutral_end(const uint32_t *chains)
{
    uint32_t result = 0;
    NITRO_PROXY_UNROLL
    for (uint32_t i = 0; i < NITRO_PROXY_CHAINS; i++)
        result ^= chains[i];
    return result;
}

/** One pass: STEP(n) is the n-th step of the kind, n from 0 to NITRO_PROXY_STEPS(intensity) - 1. */
#define NITRO_PROXY_PASS(intensity, chains, operands, STEP)                                        \
    NITRO_PROXY_UNROLL                                                                             \
    for (unsigned group = 0; group < NITRO_PROXY_GROUPS; group++) {                                \
        NITRO_PROXY_UNROLL                                                                         \
        for (unsigned slot = 0; slot < NITRO_PROXY_SLOTS; slot++) {                                \
            if (slot < (intensity))                                                                \
                STEP(group *(intensity) + slot);                                                   \
            else                                                                                   \
                nitro_proxy_neutral_step(                                                          \
                    chains, group *(NITRO_PROXY_SLOTS - (intensity)) + slot - (intensity),         \
                    operands);                                                                     \
        }                                                                                          \
    }

/** Initial memory: the word at an index. */
NITRO_PROXY_INLINE uint32_t nitro_proxy_first_word(uint64_t index)
{
    return (uint32_t)(index * 0x9e3779b97f4a7c15u >> 32);
}

#endif
