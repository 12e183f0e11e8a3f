/* Sums of kernels with AVX-512, on x86-64 only. XXX */
#include <stdbool.h>

static bool is_here(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

#define VECTOR_BYTES 64
#define ENGINE       nitro_kernel_engine_avx512
#define ENGINE_NAME  "avx512"
#include "nitro/runtime/compiled/compiled_engine.inc"
