/* vqsort by AVX2 for keys of 4 bytes. With AVX-512, Highway 1.0.3 takes AMD's Zen 4 seven times as
 * long, since it stores keys by an instruction that is slow there (vpcompressd to memory). */
#include <hwy/detect_targets.h>

/* Highway compiles this file once for each target that is left: AVX2, and one that stays out of
 * use. */
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_AVX3 | HWY_SSE4 | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "variants/sort/host/vector_quick_avx2.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
#include <hwy/highway.h>

#include "variants/sort/host/vector_quick.h"

#define IS_SLOW_ON_ZEN4 (HWY_MAJOR == 1 && HWY_MINOR == 0 && HWY_PATCH == 3 && HWY_ARCH_X86_64)

#if IS_SLOW_ON_ZEN4 && HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace hwy
{
namespace N_AVX2
{
template <typename Key> static void sort_narrow(Key *keys, size_t count)
{
    detail::SharedTraits<detail::TraitsLane<detail::OrderAscending<Key>>> ascending;
    Sort(SortTag<Key>(), ascending, keys, count, static_cast<Key *>(nullptr));
}
} // namespace N_AVX2
} // namespace hwy
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE && IS_SLOW_ON_ZEN4
void (*const nitro_sort_u32_by_avx2)(uint32_t *, size_t) = hwy::N_AVX2::sort_narrow<uint32_t>;
void (*const nitro_sort_i32_by_avx2)(int32_t *, size_t) = hwy::N_AVX2::sort_narrow<int32_t>;
#elif HWY_ONCE
void (*const nitro_sort_u32_by_avx2)(uint32_t *, size_t) = nullptr;
void (*const nitro_sort_i32_by_avx2)(int32_t *, size_t) = nullptr;
#endif
