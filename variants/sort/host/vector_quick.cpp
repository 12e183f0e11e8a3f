/* vector_quick: Highway's vqsort, on the vector unit that it finds. This file is compiled once for
 * each vector unit (foreach_target.h). */
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "variants/sort/host/vector_quick.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "variants/sort/host/sort_methods.h"

HWY_BEFORE_NAMESPACE();
namespace nitro
{
namespace HWY_NAMESPACE
{

/* Whole vectors are stored while there is room for them below and above: nothing is written
 * outside, where another thread may write. */
template <typename Key>
static int64_t split_as(const void *keys, int64_t count, uint64_t splitter, void *below,
                        void *above, int64_t num_below)
{
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::ScalableTag<Key> tag;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(tag));
    const Key *from = static_cast<const Key *>(keys);
    Key *low = static_cast<Key *>(below), *high = static_cast<Key *>(above), least;
    std::memcpy(&least, &splitter, sizeof(least));
    const auto bound = hn::Set(tag, least);
    const int64_t low_room = below ? num_below - lanes : count;
    const int64_t high_room = below ? count - num_below - lanes : count;
    int64_t num_low = 0, num_high = 0;
    while (num_low <= low_room && num_high <= high_room && num_low + num_high + lanes <= count) {
        const auto vector = hn::LoadU(tag, from + num_low + num_high);
        const auto is_low = hn::Lt(vector, bound);
        if (below) {
            hn::StoreU(hn::Compress(vector, is_low), tag, low + num_low);
            hn::StoreU(hn::Compress(vector, hn::Not(is_low)), tag, high + num_high);
        }
        const auto num = static_cast<int64_t>(hn::CountTrue(tag, is_low));
        num_low += num;
        num_high += lanes - num;
    }
    while (num_low + num_high < count) {
        const Key key = from[num_low + num_high];
        const bool is_low = key < least;
        if (below)
            *(is_low ? low + num_low : high + num_high) = key;
        num_low += is_low;
        num_high += !is_low;
    }
    return num_low;
}

static int64_t split(const void *keys, int64_t count, int32_t type, uint64_t splitter, void *below,
                     void *above, int64_t num_below)
{
    static int64_t (*const splits[NITRO_SORT_NUM_TYPES])(const void *, int64_t, uint64_t, void *,
                                                         void *, int64_t) = {
        split_as<uint32_t>, split_as<int32_t>, split_as<float>,
        split_as<uint64_t>, split_as<int64_t>, split_as<double>};
    return splits[type](keys, count, splitter, below, above, num_below);
}

} // namespace HWY_NAMESPACE
} // namespace nitro
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <hwy/contrib/sort/vqsort.h>

namespace nitro
{
HWY_EXPORT(split);
}

static int64_t split_keys(const void *keys, int64_t count, int32_t type, uint64_t splitter,
                          void *below, void *above, int64_t num_below)
{
    using namespace nitro;
    return HWY_DYNAMIC_DISPATCH(split)(keys, count, type, splitter, below, above, num_below);
}

template <typename Key> static void sort_in_place(void *keys, int64_t count)
{
    static thread_local const hwy::Sorter sorter; /* owns memory, which no two calls may share */
    sorter(static_cast<Key *>(keys), static_cast<size_t>(count), hwy::SortAscending());
}

/* Highway 1.0.3 was seen to leave skewed floating-point keys out of order, never whole numbers. */
template <typename Bits, nitro_sort_type type> static void sort_floats(void *keys, int64_t count)
{
    const nitro_sort_order order = nitro_sort_order_of(type);
    Bits *bits = static_cast<Bits *>(keys);
    for (int64_t i = 0; i < count; i++)
        bits[i] = static_cast<Bits>(nitro_sort_ordered(order, bits[i]));
    sort_in_place<Bits>(keys, count);
    for (int64_t i = 0; i < count; i++)
        bits[i] = static_cast<Bits>(nitro_sort_original(order, bits[i]));
}

static void sort_keys(void *keys, int64_t count, int32_t type)
{
    static void (*const sorts[NITRO_SORT_NUM_TYPES])(void *, int64_t) = {
        sort_in_place<uint32_t>, sort_in_place<int32_t>, sort_floats<uint32_t, NITRO_SORT_F32>,
        sort_in_place<uint64_t>, sort_in_place<int64_t>, sort_floats<uint64_t, NITRO_SORT_F64>};
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

static const nitro_sort_method method = {sort_u32, sort_u64, sort_u128, 10, sort_keys, split_keys};

extern const nitro_variant nitro_sort_variant_vector_quick = {
    .name = "vector_quick",
    .version = "1",
    .run = nitro_sort_run,
    .prepare = nitro_sort_prepare,
    .time_source = NITRO_TIME_WALL,
    .user = const_cast<nitro_sort_method *>(&method),
};
#endif
