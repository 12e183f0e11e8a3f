/* Runs a method. Keys that come in order, or in the opposite one, are copied. With several
 * threads, others are first distributed: each thread gets the keys between two splitters, taken
 * from a sample, and sorts them by itself, so that nothing needs merging. */
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "variants/sort/host/sort_methods.h"

#define MAX_PARTS       64
#define SAMPLES_OF_PART 64
#define KEYS_OF_SAMPLE  8    /* of few keys not all are sampled */
#define ENOUGH_SAMPLES  1024 /* for parts that differ by some 3 % */
#define COST_OF_PASS    1.0  /* of distributing a key, in steps of sorting that halve its range */
#define NS_IN_ORDER     0.3  /* a key that is only copied, on one thread */

/* How an element is made of key and value. */
typedef enum packing {
    PACK_KEY,   /* the key alone */
    PACK_VALUE, /* key above value: they fit into one element, and order among equals is free */
    PACK_INDEX  /* key above index: stable; keys and values are fetched at last */
} packing;

/* Loops over keys work on a copy of their own, which nothing that they write can alias. */
typedef struct sorting {
    nitro_sort sort;
    const nitro_sort_method *method;
    packing packing;
    bool as_they_are;       /* keys alone, which the method sorts in place */
    nitro_sort_order order; /* of comparisons */
    nitro_sort_order kept;  /* of elements: none for keys that are sorted as they are */
    bool is_reversed;       /* the last key is less than the first */
    int element_bytes, first_bit;
    char *elements, *room;
    int parts;
    uint64_t splitters[MAX_PARTS]; /* ordered; shape [parts - 1] */
    int64_t (*counts)[MAX_PARTS];  /* shape [parts]: by the part that reads; then where it writes */
    bool *in_order;                /* shape [parts]: a part and the key after it are */
    int64_t begins[MAX_PARTS + 1]; /* of the parts that sort */
} sorting;

/* Without memory. */
static sorting describe(const nitro_sort *sort, const nitro_sort_method *method)
{
    sorting s = {.sort = *sort, .method = method, .packing = PACK_INDEX};
    if (sort->value_bytes == 0)
        s.packing = PACK_KEY;
    else if (sort->value_bytes <= sort->key_bytes && !sort->is_stable)
        s.packing = PACK_VALUE;
    bool is_alone = s.packing == PACK_KEY;
    s.as_they_are = is_alone && method->sort_keys;
    s.order = nitro_sort_order_of(sort->type);
    s.kept = s.as_they_are ? (nitro_sort_order){.sign_shift = 63} : s.order;
    s.element_bytes = is_alone ? sort->key_bytes : 2 * sort->key_bytes;
    s.first_bit = is_alone ? 0 : 4 * s.element_bytes;
    return s;
}

/* Keys with values are packed into elements of their own; methods but those for keys need as much
 * again. */
int nitro_sort_prepare(void *argument, void *user)
{
    nitro_sort *sort = argument;
    sorting s = describe(sort, user);
    return nitro_host_make_room(&sort->room, sort->num_keys * s.element_bytes *
                                                 ((s.packing != PACK_KEY) + !s.as_they_are));
}

void nitro_sort_release(void *argument, void *user)
{
    (void)user;
    nitro_host_free_room(&((nitro_sort *)argument)->room);
}

/* ---- Packing ---- */

#define INLINE __attribute__((always_inline)) static inline

/* Compiles what is done with each part for AVX2 too, which compares keys of 8 bytes in vectors. */
#if defined(__x86_64__)
#define COMPILE_FOR(its_target, body, name)                                                        \
    __attribute__((target(its_target))) static void name(const void *state, int part, int parts)   \
    {                                                                                              \
        body(state, part, parts);                                                                  \
    }
#define COMPILE(body)                                                                              \
    COMPILE_FOR("sse2", body, body##_sse2)                                                         \
    COMPILE_FOR("avx2", body, body##_avx2)
#define RUN_PARTS(body, s, parts)                                                                  \
    nitro_host_run_parts(nitro_host_simd_bits() >= 256 ? body##_avx2 : body##_sse2, s, parts)
#else
#define COMPILE(body)
#define RUN_PARTS(body, s, parts) nitro_host_run_parts(body, s, parts)
#endif

/* Calls a loop over keys with constants for the size of keys and for packing, which it inlines. */
#define CALL_SPECIALISED(loop, s, ...)                                                             \
    do {                                                                                           \
        bool is_wide = (s)->sort.key_bytes == 8;                                                   \
        if ((s)->packing == PACK_KEY)                                                              \
            is_wide ? loop(s, __VA_ARGS__, 8, PACK_KEY) : loop(s, __VA_ARGS__, 4, PACK_KEY);       \
        else if ((s)->packing == PACK_VALUE)                                                       \
            is_wide ? loop(s, __VA_ARGS__, 8, PACK_VALUE) : loop(s, __VA_ARGS__, 4, PACK_VALUE);   \
        else                                                                                       \
            is_wide ? loop(s, __VA_ARGS__, 8, PACK_INDEX) : loop(s, __VA_ARGS__, 4, PACK_INDEX);   \
    } while (0)

/* Key `i` as a number that splitters are compared with. Narrow keys in narrow arithmetic, which
 * vectors have. */
INLINE uint64_t ordered_at(const sorting *s, int64_t i, int key_bytes, packing how)
{
    uint64_t key = nitro_sort_at(s->sort.keys, key_bytes, i);
    if (how == PACK_INDEX)
        return nitro_sort_ordered_value(s->order, key);
    if (key_bytes == 8)
        return nitro_sort_ordered(s->order, key);
    uint32_t narrow = (uint32_t)key, is_negative = 0 - (narrow >> 31);
    return narrow ^ ((is_negative & (uint32_t)s->order.rest) | (uint32_t)s->order.flip);
}

/* Element `at` from key `i`, whose order is known. */
INLINE void pack(const sorting *s, int64_t at, int64_t i, uint64_t ordered, int key_bytes,
                 packing how)
{
    const nitro_sort *sort = &s->sort;
    if (how == PACK_KEY) {
        uint64_t kept = s->kept.flip ? ordered : nitro_sort_at(sort->keys, key_bytes, i);
        nitro_sort_put(s->elements, key_bytes, at, kept);
        return;
    }
    uint64_t low =
        how == PACK_INDEX ? (uint64_t)i : nitro_sort_at(sort->values, sort->value_bytes, i);
    if (key_bytes == 4)
        ((uint64_t *)s->elements)[at] = ordered << 32 | low;
    else
        ((nitro_uint128 *)s->elements)[at] = (nitro_uint128)ordered << 64 | low;
}

INLINE void unpack(const sorting *s, const void *elements, int64_t at, int key_bytes, packing how)
{
    const nitro_sort *sort = &s->sort;
    uint64_t low = 0, ordered;
    if (how == PACK_KEY) {
        ordered = nitro_sort_at(elements, key_bytes, at);
    } else if (key_bytes == 4) {
        ordered = ((const uint64_t *)elements)[at] >> 32;
        low = ((const uint64_t *)elements)[at] & UINT32_MAX;
    } else {
        ordered = (uint64_t)(((const nitro_uint128 *)elements)[at] >> 64);
        low = (uint64_t)((const nitro_uint128 *)elements)[at];
    }
    uint64_t key = how == PACK_INDEX ? nitro_sort_at(sort->keys, key_bytes, (int64_t)low)
                                     : nitro_sort_original(s->kept, ordered);
    nitro_sort_put(sort->sorted_keys, key_bytes, at, key);
    if (how == PACK_KEY)
        return;
    uint64_t value =
        how == PACK_INDEX ? nitro_sort_at(sort->values, sort->value_bytes, (int64_t)low) : low;
    nitro_sort_put(sort->sorted_values, sort->value_bytes, at, value);
}

INLINE void pack_all(const sorting *shared, int64_t begin, int64_t end, int key_bytes, packing how)
{
    const sorting s = *shared;
    for (int64_t i = begin; i < end; i++)
        pack(&s, i, i, ordered_at(&s, i, key_bytes, how), key_bytes, how);
}

INLINE void unpack_all(const sorting *shared, const void *elements, int64_t begin, int64_t end,
                       int key_bytes, packing how)
{
    const sorting s = *shared;
    for (int64_t i = begin; i < end; i++)
        unpack(&s, elements, i, key_bytes, how);
}

/* ---- Distributing ---- */

/* Whether a key and the next one break the order, or the opposite one. Equal keys break the
 * opposite one where the sort is stable: copied backwards, they would change places. */
INLINE bool is_break(uint64_t key, uint64_t next, packing how, bool is_reversed)
{
    if (!is_reversed)
        return next < key;
    return how == PACK_INDEX ? next >= key : next > key;
}

static int64_t end_of_equal(const uint64_t *sample, int64_t begin, int64_t count)
{
    int64_t end = begin + 1;
    while (end < count && sample[end] == sample[begin])
        end++;
    return end;
}

/* The time to sort so many equal keys of a sample: keys are split until equal ones are among
 * themselves. */
static double cost_of(int64_t num_equal, double log_count)
{
    double log_equal = num_equal > 1 ? log2((double)num_equal) : 0;
    return (double)num_equal * (COST_OF_PASS + log_count - log_equal);
}

/* Parts take the same time, as far as a sample tells. Equal keys stay together. */
static void split_sample(sorting *s, const uint64_t *sample, int64_t count)
{
    double total = 0, before = 0, log_count = log2((double)count);
    int p = 1;
    for (int64_t i = 0, end; i < count; i = end) {
        end = end_of_equal(sample, i, count);
        total += cost_of(end - i, log_count);
    }
    for (int64_t i = 0, end; i < count && p < s->parts; i = end) {
        end = end_of_equal(sample, i, count);
        double cost = cost_of(end - i, log_count);
        for (; p < s->parts && before + cost > total * p / s->parts; p++) {
            bool is_end_nearer = end < count && before + cost / 2 < total * p / s->parts;
            s->splitters[p - 1] = sample[is_end_nearer ? end : i];
        }
        before += cost;
    }
}

/* Returns whether the sample came in order. */
static bool choose_splitters(sorting *s)
{
    bool in_order = true;
    uint64_t keys[MAX_PARTS * SAMPLES_OF_PART], room[MAX_PARTS * SAMPLES_OF_PART];
    int64_t least = s->parts * SAMPLES_OF_PART, count = s->sort.num_keys / KEYS_OF_SAMPLE;
    count = count < ENOUGH_SAMPLES ? count : ENOUGH_SAMPLES;
    count = count > least ? count : least;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = nitro_kit_sample(i, count, s->sort.num_keys);
        keys[i] = ordered_at(s, at, s->sort.key_bytes, s->packing);
        in_order =
            in_order && (i == 0 || !is_break(keys[i - 1], keys[i], s->packing, s->is_reversed));
    }
    split_sample(s, s->method->sort_u64(keys, room, count, 0), count);
    return in_order;
}

INLINE int part_of(const sorting *s, uint64_t ordered)
{
    int part = 0;
    for (int p = 0; p < s->parts - 1; p++)
        part += ordered >= s->splitters[p];
    return part;
}

static void copy(void *to, const void *from, int64_t begin, int64_t end, int32_t bytes)
{
    size_t offset = (size_t)(begin * bytes);
    if (begin < end && bytes > 0)
        memcpy((char *)to + offset, (const char *)from + offset, (size_t)((end - begin) * bytes));
}

/* Copies [begin, end) of `count` keys or values to where they are in the opposite order. */
INLINE void reverse(void *to, const void *from, int64_t begin, int64_t end, int64_t count,
                    int32_t bytes)
{
    for (int64_t i = begin; i < end && bytes > 0; i++)
        nitro_sort_put(to, bytes, count - 1 - i, nitro_sort_at(from, bytes, i));
}

INLINE uint32_t count_breaks(const sorting *s, int64_t begin, int64_t end, int key_bytes,
                             packing how, bool is_reversed)
{
    uint32_t breaks = 0;
    for (int64_t i = begin; i < end; i++)
        breaks += is_break(ordered_at(s, i, key_bytes, how), ordered_at(s, i + 1, key_bytes, how),
                           how, is_reversed);
    return breaks;
}

/* Copies keys and values up to the first key of [begin, end) that is out of order with the next
 * one; in blocks, which vectors compare. */
INLINE void copy_ordered(const sorting *shared, bool *in_order, int64_t begin, int64_t end,
                         int key_bytes, packing how)
{
    enum { BLOCK = 256 };
    const sorting s = *shared;
    const nitro_sort *sort = &s.sort;
    int64_t count = sort->num_keys;
    uint32_t breaks = 0;
    for (int64_t i = begin; i < end && breaks == 0; i += BLOCK) {
        int64_t block_end = i + BLOCK < end ? i + BLOCK : end;
        int64_t last = block_end < count ? block_end : count - 1;
        if (s.is_reversed) {
            breaks = count_breaks(&s, i, last, key_bytes, how, true);
            reverse(sort->sorted_keys, sort->keys, i, block_end, count, key_bytes);
            reverse(sort->sorted_values, sort->values, i, block_end, count, sort->value_bytes);
        } else {
            breaks = count_breaks(&s, i, last, key_bytes, how, false);
            copy(sort->sorted_keys, sort->keys, i, block_end, key_bytes);
            copy(sort->sorted_values, sort->values, i, block_end, sort->value_bytes);
        }
    }
    *in_order = breaks == 0;
}

/* Two parts, the most frequent case, count and distribute in registers. */
INLINE void count_keys(const sorting *shared, int64_t *counts, int64_t begin, int64_t end,
                       int key_bytes, packing how)
{
    const sorting s = *shared;
    uint64_t splitter = s.splitters[0];
    uint32_t num_above = 0;
    if (s.parts > 2) {
        for (int64_t i = begin; i < end; i++)
            counts[part_of(&s, ordered_at(&s, i, key_bytes, how))]++;
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        uint64_t ordered = ordered_at(&s, i, key_bytes, how);
        num_above += key_bytes == 4 ? (uint32_t)ordered >= (uint32_t)splitter : ordered >= splitter;
    }
    counts[0] = end - begin - num_above;
    counts[1] = num_above;
}

INLINE void distribute_keys(const sorting *shared, int64_t *next, int64_t begin, int64_t end,
                            int key_bytes, packing how)
{
    const sorting s = *shared;
    uint64_t splitter = s.splitters[0];
    int64_t below = next[0], gap = next[1] - next[0];
    if (s.parts > 2) {
        for (int64_t i = begin; i < end; i++) {
            uint64_t ordered = ordered_at(&s, i, key_bytes, how);
            pack(&s, next[part_of(&s, ordered)]++, i, ordered, key_bytes, how);
        }
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        uint64_t ordered = ordered_at(&s, i, key_bytes, how);
        int64_t is_above = ordered >= splitter;
        pack(&s, below + (gap & -is_above), i, ordered, key_bytes, how); /* no branch */
        below += 1 - is_above;
        gap += 2 * is_above - 1;
    }
}

/* The same for keys alone and two parts, a vector at a time. */
#if defined(__x86_64__)
#define DISTRIBUTE_VECTORS(bits, lanes)                                                            \
    __attribute__((target("avx512f"))) static void distribute_vectors_##bits(                      \
        const sorting *s, const int64_t *next, int64_t begin, int64_t end)                         \
    {                                                                                              \
        const uint##bits##_t *keys = s->sort.keys;                                                 \
        uint##bits##_t *to = (uint##bits##_t *)s->elements, *below = to + next[0],                 \
                       *above = to + next[1];                                                      \
        const __m512i rest = _mm512_set1_epi##bits((int##bits##_t)s->order.rest);                  \
        const __m512i flip = _mm512_set1_epi##bits((int##bits##_t)s->order.flip);                  \
        const __m512i splitter = _mm512_set1_epi##bits((int##bits##_t)s->splitters[0]);            \
        bool is_kept = s->kept.flip == 0;                                                          \
        for (int64_t i = begin; i < end; i += (lanes)) {                                           \
            unsigned all = (1U << (end - i < (lanes) ? end - i : (lanes))) - 1;                    \
            __m512i key = _mm512_maskz_loadu_epi##bits((__mmask##lanes)all, keys + i);             \
            __m512i is_negative = _mm512_srai_epi##bits(key, (bits)-1);                            \
            __m512i mask = _mm512_or_si512(_mm512_and_si512(is_negative, rest), flip);             \
            __m512i ordered = _mm512_xor_si512(key, mask), packed = is_kept ? key : ordered;       \
            unsigned high =                                                                        \
                _mm512_mask_cmpge_epu##bits##_mask((__mmask##lanes)all, ordered, splitter);        \
            unsigned low = all & ~high;                                                            \
            int num_low = __builtin_popcount(low), num_high = __builtin_popcount(high);            \
            _mm512_mask_storeu_epi##bits(                                                          \
                below, (__mmask##lanes)((1U << num_low) - 1),                                      \
                _mm512_maskz_compress_epi##bits((__mmask##lanes)low, packed));                     \
            _mm512_mask_storeu_epi##bits(                                                          \
                above, (__mmask##lanes)((1U << num_high) - 1),                                     \
                _mm512_maskz_compress_epi##bits((__mmask##lanes)high, packed));                    \
            below += num_low;                                                                      \
            above += num_high;                                                                     \
        }                                                                                          \
    }
DISTRIBUTE_VECTORS(32, 16)
DISTRIBUTE_VECTORS(64, 8)

__attribute__((target("avx2"))) static __m256i fill(bool is_wide, uint64_t bits)
{
    return is_wide ? _mm256_set1_epi64x((int64_t)bits) : _mm256_set1_epi32((int32_t)bits);
}

__attribute__((target("avx2"))) static __m256i greater(bool is_wide, __m256i a, __m256i b)
{
    return is_wide ? _mm256_cmpgt_epi64(a, b) : _mm256_cmpgt_epi32(a, b);
}

/* AVX2 has no compress instruction: permutations put the lanes of each mask first; a key of 8 bytes
 * is two lanes. Keys are collected on both sides of the splitter, then written. Returns the first
 * key that is left. */
__attribute__((target("avx2,popcnt"))) static int64_t
distribute_vectors_256(const sorting *s, int64_t *next, int64_t begin, int64_t end)
{
    enum { VECTORS = 64, LANES = 8, LANE_BYTES = 4, ALL = (1 << LANES) - 1 };
    bool is_wide = s->sort.key_bytes == 8, is_kept = s->kept.flip == 0;
    const __m256i zero = _mm256_setzero_si256();
    const __m256i rest = fill(is_wide, s->order.rest), flip = fill(is_wide, s->order.flip);
    const __m256i sign = fill(is_wide, (uint64_t)1 << (is_wide ? 63 : 31)); /* compares signed */
    const __m256i splitter = _mm256_xor_si256(fill(is_wide, s->splitters[0]), sign);
    uint64_t permutations[ALL + 1] = {0};
    __m256i sides[2][VECTORS + 1];
    for (unsigned mask = 0; mask <= ALL; mask++)
        for (uint64_t lane = 0, count = 0; lane < LANES; lane++)
            if (mask >> lane & 1)
                permutations[mask] |= lane << 8 * count++;
    const int64_t step = VECTORS * LANES * LANE_BYTES / s->sort.key_bytes;
    for (; end - begin >= step; begin += step) {
        const char *keys = (const char *)s->sort.keys + begin * s->sort.key_bytes;
        char *ends[2] = {(char *)sides[0], (char *)sides[1]};
        for (int v = 0; v < VECTORS; v++) {
            __m256i key = _mm256_loadu_si256((const __m256i *)keys + v);
            __m256i negative = _mm256_and_si256(greater(is_wide, zero, key), rest);
            __m256i ordered = _mm256_xor_si256(key, _mm256_or_si256(negative, flip));
            __m256i is_below = greater(is_wide, splitter, _mm256_xor_si256(ordered, sign));
            unsigned below = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(is_below));
            for (int side = 0; side < 2; side++, below ^= ALL) {
                __m128i bytes = _mm_cvtsi64_si128((int64_t)permutations[below]);
                __m256i compressed = _mm256_permutevar8x32_epi32(is_kept ? key : ordered,
                                                                 _mm256_cvtepu8_epi32(bytes));
                _mm256_storeu_si256((__m256i *)ends[side], compressed);
                ends[side] += LANE_BYTES * __builtin_popcount(below);
            }
        }
        for (int side = 0; side < 2; side++) {
            size_t bytes = (size_t)(ends[side] - (char *)sides[side]);
            memcpy(s->elements + next[side] * s->sort.key_bytes, sides[side], bytes);
            next[side] += (int64_t)bytes / s->sort.key_bytes;
        }
    }
    return begin;
}
#endif

INLINE void copy_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = nitro_host_split_evenly(s->sort.num_keys, part, parts);
    int64_t end = nitro_host_split_evenly(s->sort.num_keys, part + 1, parts);
    CALL_SPECIALISED(copy_ordered, s, &s->in_order[part], begin, end);
}
COMPILE(copy_part)

INLINE void count_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = nitro_host_split_evenly(s->sort.num_keys, part, parts);
    int64_t end = nitro_host_split_evenly(s->sort.num_keys, part + 1, parts);
    int64_t counts[MAX_PARTS] = {0};
    CALL_SPECIALISED(count_keys, s, counts, begin, end);
    memcpy(s->counts[part], counts, sizeof(counts));
}
COMPILE(count_part)

INLINE void distribute_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = nitro_host_split_evenly(s->sort.num_keys, part, parts);
    int64_t end = nitro_host_split_evenly(s->sort.num_keys, part + 1, parts);
    int64_t next[MAX_PARTS];
    memcpy(next, s->counts[part], sizeof(next));
#if defined(__x86_64__)
    if (nitro_host_simd_bits() >= 512 && s->packing == PACK_KEY && s->parts == 2) {
        (s->sort.key_bytes == 4 ? distribute_vectors_32 : distribute_vectors_64)(s, next, begin,
                                                                                 end);
        return;
    }
    if (nitro_host_simd_bits() >= 256 && s->packing == PACK_KEY && s->parts == 2)
        begin = distribute_vectors_256(s, next, begin, end);
#endif
    CALL_SPECIALISED(distribute_keys, s, next, begin, end);
}
COMPILE(distribute_part)

/* Copies keys and values if the keys are in order; returns whether they are. In as many parts as
 * copying is worth. */
static bool copy_if_in_order(const sorting *s)
{
    bool in_order = true;
    int parts = nitro_host_num_parts(NS_IN_ORDER * (double)s->sort.num_keys);
    parts = parts < MAX_PARTS ? parts : MAX_PARTS;
    RUN_PARTS(copy_part, s, parts);
    for (int part = 0; part < parts; part++)
        in_order = in_order && s->in_order[part];
    return in_order;
}

static void distribute(sorting *s)
{
    int64_t sum = 0;
    RUN_PARTS(count_part, s, s->parts);
    for (int to = 0; to < s->parts; to++) {
        s->begins[to] = sum;
        for (int from = 0; from < s->parts; from++) {
            int64_t count = s->counts[from][to];
            s->counts[from][to] = sum;
            sum += count;
        }
    }
    RUN_PARTS(distribute_part, s, s->parts);
}

/* ---- Sorting ---- */

INLINE void sort_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = s->begins[part], end = s->begins[part + 1], count = end - begin;
    size_t offset = (size_t)begin * (size_t)s->element_bytes;
    void *elements = s->elements + offset, *room = s->room + offset, *sorted;
    bool is_kept = s->packing == PACK_KEY && s->kept.flip == 0; /* elements are the keys */
    if (parts == 1 && is_kept)
        copy(elements, s->sort.keys, begin, end, s->element_bytes);
    else if (parts == 1)
        CALL_SPECIALISED(pack_all, s, begin, end);
    if (s->as_they_are) {
        s->method->sort_keys(elements, count, s->sort.type); /* elements are the result */
        return;
    }
    if (s->element_bytes == 4)
        sorted = s->method->sort_u32(elements, room, count, s->first_bit);
    else if (s->element_bytes == 8)
        sorted = s->method->sort_u64(elements, room, count, s->first_bit);
    else
        sorted = s->method->sort_u128(elements, room, count, s->first_bit);
    if (sorted == elements && is_kept)
        return;
    sorted = (char *)sorted - offset;
    CALL_SPECIALISED(unpack_all, s, sorted, begin, end);
}
COMPILE(sort_part)

int nitro_sort_run(void *argument, void *user)
{
    nitro_sort *sort = argument;
    int64_t counts[MAX_PARTS][MAX_PARTS];
    bool in_order[MAX_PARTS];
    sorting s = describe(sort, user);
    bool is_alone = s.packing == PACK_KEY;
    int failure = nitro_sort_prepare(argument, user);
    if (failure)
        return failure;
    s.counts = counts;
    s.in_order = in_order;
    s.room = sort->room.memory;
    s.elements = is_alone ? sort->sorted_keys : s.room;
    s.room += is_alone ? 0 : sort->num_keys * s.element_bytes;
    int64_t last = sort->num_keys - 1;
    s.is_reversed = last > 0 && ordered_at(&s, last, sort->key_bytes, s.packing) <
                                    ordered_at(&s, 0, sort->key_bytes, s.packing);
    s.parts = nitro_host_num_parts(s.method->ns_per_key * (double)sort->num_keys);
    s.parts = s.parts < MAX_PARTS ? s.parts : MAX_PARTS;
    if ((s.parts == 1 || choose_splitters(&s)) && copy_if_in_order(&s))
        return 0;
    if (s.parts > 1)
        distribute(&s);
    s.begins[s.parts] = sort->num_keys;
    RUN_PARTS(sort_part, &s, s.parts);
    return 0;
}
