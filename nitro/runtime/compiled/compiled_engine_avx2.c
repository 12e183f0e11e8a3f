/* Sums of kernels by AVX2 and FMA; built for x86-64 alone. Hides nothing: compiled_engine.inc has
 * the code. */
#include <stdbool.h>

static bool is_here(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#define VECTOR_BYTES 32
#define ENGINE       nitro_kernel_engine_avx2
#define ENGINE_NAME  "avx2"
#include "nitro/runtime/compiled/compiled_engine.inc"
