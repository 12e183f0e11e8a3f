/* Sums of kernels with AVX2 and FMA, on x86-64 only. A decision takes 0.8 (auto) to 0.6 (SVM, 2,000
 * vectors) of the time with 16-byte vectors (nitro-bench compiled). */
#include <stdbool.h>

static bool is_here(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#define VECTOR_BYTES 32
#define ENGINE       nitro_kernel_engine_avx2
#define ENGINE_NAME  "avx2"
#include "nitro/runtime/compiled/compiled_engine.inc"
