/* vector_quick.h - keys of 4 bytes by AVX2, for processors on which that is faster than what
 * Highway takes. */
#ifndef NITRO_VARIANTS_SORT_HOST_VECTOR_QUICK_H
#define NITRO_VARIANTS_SORT_HOST_VECTOR_QUICK_H

#include <cstddef>
#include <cstdint>

/** Sort in place. NULL unless Highway is version 1.0.3. */
extern void (*const nitro_sort_u32_by_avx2)(uint32_t *keys, size_t count);
extern void (*const nitro_sort_i32_by_avx2)(int32_t *keys, size_t count);

#endif
