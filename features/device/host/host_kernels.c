/* Loops of the host's microbenchmarks for several vector widths, chosen at run time by what the
 * processor supports. Compiled with -ffp-contract=fast: a multiplication and an addition become a
 * fused multiply-add where there is one. */
#include "features/device/host/host_kernels.h"

#include "nitro/computation_kit.h"

/* Enough chains for two units with a latency of four or five cycles, or for the four units of Arm's
 * server processors; fewer than registers. */
#ifdef __aarch64__
#define NUM_CHAINS 20
#else
#define NUM_CHAINS 10
#endif

/* Without it, compilers keep chains in memory at -O2. */
#define UNROLL _Pragma("GCC unroll 32")

#define DEFINE_CHAINS(function, attributes, type, bytes)                                           \
    attributes static double function(size_t rounds, type factor, type addend)                     \
    {                                                                                              \
        typedef type vector __attribute__((vector_size(bytes)));                                   \
        vector sums[NUM_CHAINS];                                                                   \
        double total = 0;                                                                          \
        for (size_t k = 0; k < NUM_CHAINS; k++)                                                    \
            for (size_t e = 0; e < (bytes) / sizeof(type); e++)                                    \
                sums[k][e] = (type)k;                                                              \
        for (size_t round = 0; round < rounds; round++)                                            \
            UNROLL for (size_t k = 0; k < NUM_CHAINS; k++) sums[k] = sums[k] * factor + addend;    \
        for (size_t k = 0; k < NUM_CHAINS; k++)                                                    \
            for (size_t e = 0; e < (bytes) / sizeof(type); e++)                                    \
                total += (double)sums[k][e];                                                       \
        return total;                                                                              \
    }

/* The empty assembly prevents merging of passes. */
#define DEFINE_READ(function, attributes, bytes)                                                   \
    attributes static uint64_t function(const void *memory, size_t size, size_t passes)            \
    {                                                                                              \
        typedef uint64_t vector __attribute__((vector_size(bytes)));                               \
        enum { STEP = NITRO_HOST_READ_BYTES / (bytes), SUMS = STEP < 8 ? STEP : 8 };               \
        vector sums[SUMS] = {{0}};                                                                 \
        uint64_t total = 0;                                                                        \
        for (size_t pass = 0; pass < passes; pass++) {                                             \
            const vector *at = memory;                                                             \
            for (const vector *end = at + size / (bytes); at < end; at += STEP)                    \
                UNROLL for (size_t i = 0; i < STEP; i++) sums[i % SUMS] ^= at[i];                  \
            __asm__ volatile("" ::: "memory");                                                     \
        }                                                                                          \
        for (size_t i = 0; i < SUMS; i++)                                                          \
            for (size_t e = 0; e < (bytes) / sizeof(uint64_t); e++)                                \
                total ^= sums[i][e];                                                               \
        return total;                                                                              \
    }

#define DEFINE_KERNELS(name, attributes, bytes)                                                    \
    DEFINE_CHAINS(chains_sp_##name, attributes, float, bytes)                                      \
    DEFINE_CHAINS(chains_dp_##name, attributes, double, bytes)                                     \
    DEFINE_READ(read_##name, attributes, bytes)

#define KERNELS(name, bytes)                                                                       \
    {                                                                                              \
#name, chains_sp_##name, chains_dp_##name, 2.0 * NUM_CHAINS *(bytes) / sizeof(float),      \
            2.0 * NUM_CHAINS *(bytes) / sizeof(double), read_##name                                \
    }

#if defined(__x86_64__)
#if defined(__clang__) /* ignores the whole attribute where it does not know a part of it */
#define AVX512F __attribute__((target("avx512f")))
#else
#define AVX512F __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
DEFINE_KERNELS(avx512f, AVX512F, 64)
DEFINE_KERNELS(fma, __attribute__((target("avx2,fma"))), 32)
#endif
DEFINE_KERNELS(baseline, , 16)

static const nitro_host_kernels all_kernels[] = {
#if defined(__x86_64__)
    KERNELS(avx512f, 64),
    KERNELS(fma, 32),
#endif
    KERNELS(baseline, 16),
    {0},
};

const nitro_host_kernels *nitro_host_kernels_find(void)
{
    const nitro_host_kernels *kernels = all_kernels;
#if defined(__x86_64__)
    int bits = __builtin_cpu_supports("fma") ? nitro_host_simd_bits() : 128;
    kernels += bits >= 512 ? 0 : bits >= 256 ? 1 : 2;
#endif
    return kernels;
}
