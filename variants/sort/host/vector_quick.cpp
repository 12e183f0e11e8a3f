/* vector_quick: Highway's vqsort, on the vector unit that it finds, or on AVX2 where narrow keys
 * are faster by it. */
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "variants/sort/host/sort_methods.h"
#include "variants/sort/host/vector_quick.h"

/* Highway's instruction sets are bits: those before another one are wider. */
static bool limit_vectors()
{
    int bits = nitro_host_simd_bits();
    if (nitro_host_simd_limit() > 0 && bits < 512)
        hwy::DisableTargets(bits == 256 ? HWY_AVX2 - 1 : HWY_SSE4 - 1);
    return true;
}

template <typename Key> static void sort_in_place(Key *keys, size_t count)
{
    static const bool is_limited = limit_vectors();
    (void)is_limited;
    static thread_local const hwy::Sorter sorter; /* owns memory, which no two calls may share */
    sorter(keys, count, hwy::SortAscending());
}

/* The shortest of a few times that sorting a thousand keys takes. */
static int64_t shortest_ns(void (*sort)(uint32_t *, size_t))
{
    enum { NUM_KEYS = 1000, ROUNDS = 5 };
    uint32_t keys[NUM_KEYS];
    int64_t shortest = std::numeric_limits<int64_t>::max();
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < NUM_KEYS; i++)
            keys[i] = i * 2654435761U; /* in no order */
        auto begin = std::chrono::steady_clock::now();
        sort(keys, NUM_KEYS);
        std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
        shortest = std::min<int64_t>(shortest, elapsed.count());
    }
    return shortest;
}

/* Measured once a process, in 0.1 ms. */
static bool is_avx2_faster()
{
    static const bool is_faster =
        nitro_sort_u32_by_avx2 && nitro_host_simd_bits() >= 512 &&
        shortest_ns(nitro_sort_u32_by_avx2) < shortest_ns(sort_in_place<uint32_t>);
    return is_faster;
}

static void sort(uint32_t *keys, size_t count)
{
    (is_avx2_faster() ? nitro_sort_u32_by_avx2 : sort_in_place<uint32_t>)(keys, count);
}

static void sort(int32_t *keys, size_t count)
{
    (is_avx2_faster() ? nitro_sort_i32_by_avx2 : sort_in_place<int32_t>)(keys, count);
}

template <typename Key> static void sort(Key *keys, size_t count)
{
    sort_in_place<Key>(keys, count);
}

template <typename Key> static void sort_numbers(void *keys, int64_t count)
{
    sort(static_cast<Key *>(keys), static_cast<size_t>(count));
}

/* As signed numbers, which order negative keys the wrong way round: these come first, and are
 * reversed. Highway 1.0.3 was seen to leave skewed floating-point keys out of order, never whole
 * numbers. */
template <typename Bits> static void sort_floats(void *keys, int64_t count)
{
    Bits *bits = static_cast<Bits *>(keys);
    sort_numbers<Bits>(keys, count);
    std::reverse(bits, std::lower_bound(bits, bits + count, Bits{0}));
}

static void sort_keys(void *keys, int64_t count, int32_t type)
{
    static void (*const sorts[NITRO_SORT_NUM_TYPES])(void *, int64_t) = {
        sort_numbers<uint32_t>, sort_numbers<int32_t>, sort_floats<int32_t>,
        sort_numbers<uint64_t>, sort_numbers<int64_t>, sort_floats<int64_t>};
    sorts[type](keys, count);
}

/* Highway's uint128_t has its lower half first, as the compiler's. */
template <typename Key, typename Element>
static Element *sort_elements(Element *elements, Element *, int64_t count, int)
{
    sort_numbers<Key>(elements, count);
    return elements;
}

static const nitro_sort_method method = {sort_elements<uint32_t>, sort_elements<uint64_t>,
                                         sort_elements<hwy::uint128_t>, 10, sort_keys};

extern const nitro_variant nitro_sort_variant_vector_quick = {
    .name = "vector_quick",
    .version = "5",
    .run = nitro_sort_run,
    .prepare = nitro_sort_prepare,
    .release = nitro_sort_release,
    .user = const_cast<nitro_sort_method *>(&method),
};
