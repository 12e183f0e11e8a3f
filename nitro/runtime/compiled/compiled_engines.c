/* The engines of this build: baseline, and on x86-64 (NITRO_ENGINES_X86) AVX2 and AVX-512. */
#include "nitro/runtime/compiled/compiled_kernels.h"

extern const nitro_kernel_engine nitro_kernel_engine_avx512;
extern const nitro_kernel_engine nitro_kernel_engine_avx2;
extern const nitro_kernel_engine nitro_kernel_engine_baseline;

static const nitro_kernel_engine *const engines[] = {
#ifdef NITRO_ENGINES_X86
    &nitro_kernel_engine_avx512, &nitro_kernel_engine_avx2,
#endif
    &nitro_kernel_engine_baseline, NULL};

const nitro_kernel_engine *const *nitro_kernel_engines(void)
{
    return engines;
}

const nitro_kernel_engine *nitro_kernel_engine_find(void)
{
    size_t i = 0;
    while (!engines[i]->is_here())
        i++;
    return engines[i];
}
