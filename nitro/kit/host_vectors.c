/* The width of the vectors that host variants use: the processor's, unless NITRO_SIMD_BITS asks for
 * less. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/computation_kit.h"

static int find_simd_bits(void)
{
    int bits = 128, most = nitro_host_simd_limit();
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        bits = 512;
    else if (__builtin_cpu_supports("avx2"))
        bits = 256;
#endif
    return most > 0 && most < bits ? most : bits;
}

int nitro_host_simd_limit(void)
{
    const char *text = secure_getenv("NITRO_SIMD_BITS");
    if (!text || !text[0])
        return 0;
    return strcmp(text, "512") == 0   ? 512
           : strcmp(text, "256") == 0 ? 256
           : strcmp(text, "128") == 0 ? 128
                                      : -1;
}

static atomic_int known_bits; /* 0: not asked yet */

int nitro_host_simd_bits(void)
{
    int bits = atomic_load_explicit(&known_bits, memory_order_relaxed);
    if (bits == 0) {
        bits = find_simd_bits();
        atomic_store_explicit(&known_bits, bits, memory_order_relaxed);
    }
    return bits;
}
