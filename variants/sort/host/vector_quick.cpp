/* vector_quick: Highway's vqsort, on the vector unit that it finds. */
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>

#include "variants/sort/host/sort_methods.h"

/* Highway's instruction sets are bits: those before another one are wider. */
static bool limit_vectors()
{
    int bits = nitro_host_simd_bits();
    if (nitro_host_simd_limit() > 0 && bits < 512)
        hwy::DisableTargets(bits == 256 ? HWY_AVX2 - 1 : HWY_SSE4 - 1);
    return true;
}

template <typename Key> static void sort_in_place(void *keys, int64_t count)
{
    static const bool is_limited = limit_vectors();
    (void)is_limited;
    static thread_local const hwy::Sorter sorter; /* owns memory, which no two calls may share */
    sorter(static_cast<Key *>(keys), static_cast<size_t>(count), hwy::SortAscending());
}

/* As signed numbers, which order negative keys the wrong way round: these come first, and are
 * reversed. Highway 1.0.3 was seen to leave skewed floating-point keys out of order, never whole
 * numbers. */
template <typename Bits> static void sort_floats(void *keys, int64_t count)
{
    Bits *bits = static_cast<Bits *>(keys);
    sort_in_place<Bits>(bits, count);
    std::reverse(bits, std::lower_bound(bits, bits + count, Bits{0}));
}

static void sort_keys(void *keys, int64_t count, int32_t type)
{
    static void (*const sorts[NITRO_SORT_NUM_TYPES])(void *, int64_t) = {
        sort_in_place<uint32_t>, sort_in_place<int32_t>, sort_floats<int32_t>,
        sort_in_place<uint64_t>, sort_in_place<int64_t>, sort_floats<int64_t>};
    sorts[type](keys, count);
}

static uint32_t *sort_u32(uint32_t *elements, uint32_t *room, int64_t count, int first_bit)
{
    (void)room;
    (void)first_bit;
    sort_in_place<uint32_t>(elements, count);
    return elements;
}

static uint64_t *sort_u64(uint64_t *elements, uint64_t *room, int64_t count, int first_bit)
{
    (void)room;
    (void)first_bit;
    sort_in_place<uint64_t>(elements, count);
    return elements;
}

static nitro_uint128 *sort_u128(nitro_uint128 *elements, nitro_uint128 *room, int64_t count,
                                int first_bit)
{
    (void)room;
    (void)first_bit;
    sort_in_place<hwy::uint128_t>(elements, count); /* lower half first, as the compiler has it */
    return elements;
}

static const nitro_sort_method method = {sort_u32, sort_u64, sort_u128, 10, sort_keys};

extern const nitro_variant nitro_sort_variant_vector_quick = {
    .name = "vector_quick",
    .version = "3",
    .run = nitro_sort_run,
    .prepare = nitro_sort_prepare,
    .release = nitro_sort_release,
    .user = const_cast<nitro_sort_method *>(&method),
};
