/* Runs a method. With several threads, keys are first distributed: each thread gets the keys
 * between two splitters, taken from a sample, and sorts them by itself, so that nothing needs
 * merging. Keys that come in order stay where they are. */
#include <stdlib.h>
#include <string.h>

#include "variants/sort/host/sort_methods.h"

#define MAX_PARTS       64
#define SAMPLES_OF_PART 64
#define MIN_SAMPLES     1024 /* parts differ by some 3 % */

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
    nitro_sort_order order; /* of comparisons */
    nitro_sort_order kept;  /* of elements: none for keys that are sorted as they are */
    int element_bytes, first_bit;
    char *elements, *room;
    int parts;
    uint64_t splitters[MAX_PARTS]; /* ordered; shape [parts - 1] */
    int64_t (*counts)[MAX_PARTS];  /* shape [parts]: by the part that reads; then where it writes */
    bool *in_order;                /* shape [parts]: a part that reads and the key after it are */
    bool is_distributed;           /* else a part sorts the keys at its own places */
    int64_t begins[MAX_PARTS + 1]; /* of the parts that sort */
} sorting;

static packing packing_of(const nitro_sort *sort)
{
    if (sort->value_bytes == 0)
        return PACK_KEY;
    bool fits = sort->value_bytes <= sort->key_bytes;
    return fits && !sort->is_stable ? PACK_VALUE : PACK_INDEX;
}

static int element_bytes_of(const nitro_sort *sort)
{
    return packing_of(sort) == PACK_KEY ? sort->key_bytes : 2 * sort->key_bytes;
}

/* Keys with values are packed into elements of their own; methods but those for keys need as much
 * again. */
static int64_t room_bytes_of(const nitro_sort *sort, const nitro_sort_method *method)
{
    bool has_values = sort->value_bytes > 0;
    return sort->num_keys * element_bytes_of(sort) *
           (has_values + (has_values || !method->sort_keys));
}

int nitro_sort_prepare(void *argument, void *user)
{
    nitro_sort *sort = argument;
    return nitro_host_make_room(&sort->room, room_bytes_of(sort, user));
}

void nitro_sort_release(void *argument, void *user)
{
    (void)user;
    nitro_host_free_room(&((nitro_sort *)argument)->room);
}

/* ---- Packing ---- */

#define INLINE __attribute__((always_inline)) static inline

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
        if (key_bytes == 4)
            ((uint32_t *)s->elements)[at] = (uint32_t)kept;
        else
            ((uint64_t *)s->elements)[at] = kept;
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
    if (key_bytes == 4)
        ((uint32_t *)sort->sorted_keys)[at] = (uint32_t)key;
    else
        ((uint64_t *)sort->sorted_keys)[at] = key;
    if (how == PACK_KEY)
        return;
    uint64_t value =
        how == PACK_INDEX ? nitro_sort_at(sort->values, sort->value_bytes, (int64_t)low) : low;
    if (sort->value_bytes == 4)
        ((uint32_t *)sort->sorted_values)[at] = (uint32_t)value;
    else
        ((uint64_t *)sort->sorted_values)[at] = value;
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

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns whether the sample came in order. */
static bool choose_splitters(sorting *s)
{
    bool in_order = true;
    uint64_t sample[MAX_PARTS * SAMPLES_OF_PART];
    int64_t count = s->parts * SAMPLES_OF_PART;
    count = count > MIN_SAMPLES ? count : MIN_SAMPLES;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = nitro_kit_sample(i, count, s->sort.num_keys);
        sample[i] = ordered_at(s, at, s->sort.key_bytes, s->packing);
        in_order = in_order && (i == 0 || sample[i - 1] <= sample[i]);
    }
    qsort(sample, (size_t)count, sizeof(sample[0]), compare_keys);
    for (int p = 1; p < s->parts; p++) {
        int64_t at = p * count / s->parts, first = at, end = at;
        while (first > 0 && sample[first - 1] == sample[at])
            first--;
        while (end < count && sample[end] == sample[at])
            end++;
        bool is_end_nearer = end < count && end - at < at - first; /* equal keys stay together */
        s->splitters[p - 1] = sample[is_end_nearer ? end : at];
    }
    return in_order;
}

INLINE int part_of(const sorting *s, uint64_t ordered)
{
    int part = 0;
    for (int p = 0; p < s->parts - 1; p++)
        part += ordered >= s->splitters[p];
    return part;
}

/* Whether no key of [begin, end) is greater than the next one; in blocks, which vectors compare. */
INLINE void check_order(const sorting *shared, bool *in_order, int64_t begin, int64_t end,
                        int key_bytes, packing how)
{
    enum { BLOCK = 256 };
    const sorting s = *shared;
    uint32_t descents = 0;
    end = end < s.sort.num_keys ? end : s.sort.num_keys - 1; /* the last key has no next one */
    for (int64_t i = begin; i < end && descents == 0; i += BLOCK) {
        int64_t block_end = i + BLOCK < end ? i + BLOCK : end;
        if (key_bytes == 4)
            for (int64_t k = i; k < block_end; k++)
                descents +=
                    (uint32_t)ordered_at(&s, k + 1, 4, how) < (uint32_t)ordered_at(&s, k, 4, how);
        else
            for (int64_t k = i; k < block_end; k++)
                descents += ordered_at(&s, k + 1, 8, how) < ordered_at(&s, k, 8, how);
    }
    *in_order = descents == 0;
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
    if (key_bytes == 4)
        for (int64_t i = begin; i < end; i++)
            num_above += (uint32_t)ordered_at(&s, i, 4, how) >= (uint32_t)splitter;
    else
        for (int64_t i = begin; i < end; i++)
            num_above += ordered_at(&s, i, 8, how) >= splitter;
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

static void check_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = nitro_host_split_evenly(s->sort.num_keys, part, parts);
    int64_t end = nitro_host_split_evenly(s->sort.num_keys, part + 1, parts);
    CALL_SPECIALISED(check_order, s, &s->in_order[part], begin, end);
}

static void count_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = nitro_host_split_evenly(s->sort.num_keys, part, parts);
    int64_t end = nitro_host_split_evenly(s->sort.num_keys, part + 1, parts);
    int64_t counts[MAX_PARTS] = {0};
    CALL_SPECIALISED(count_keys, s, counts, begin, end);
    memcpy(s->counts[part], counts, sizeof(counts));
}

static void distribute_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    int64_t begin = nitro_host_split_evenly(s->sort.num_keys, part, parts);
    int64_t end = nitro_host_split_evenly(s->sort.num_keys, part + 1, parts);
    int64_t next[MAX_PARTS];
    memcpy(next, s->counts[part], sizeof(next));
    CALL_SPECIALISED(distribute_keys, s, next, begin, end);
}

/* Whether all keys are in order, which a sample of them is. */
static bool check(sorting *s)
{
    bool in_order = true;
    nitro_host_run_parts(check_part, s, s->parts);
    for (int part = 0; part < s->parts; part++) {
        in_order = in_order && s->in_order[part];
        s->begins[part] = nitro_host_split_evenly(s->sort.num_keys, part, s->parts);
    }
    return in_order;
}

static void distribute(sorting *s)
{
    int64_t sum = 0;
    if (choose_splitters(s) && check(s))
        return;
    nitro_host_run_parts(count_part, s, s->parts);
    for (int to = 0; to < s->parts; to++) {
        s->begins[to] = sum;
        for (int from = 0; from < s->parts; from++) {
            int64_t count = s->counts[from][to];
            s->counts[from][to] = sum;
            sum += count;
        }
    }
    nitro_host_run_parts(distribute_part, s, s->parts);
    s->is_distributed = true;
}

/* ---- Sorting ---- */

static void sort_part(const void *state, int part, int parts)
{
    const sorting *s = state;
    (void)parts;
    int64_t begin = s->begins[part], end = s->begins[part + 1], count = end - begin;
    size_t offset = (size_t)begin * (size_t)s->element_bytes;
    void *elements = s->elements + offset, *room = s->room + offset, *sorted;
    bool is_kept = s->packing == PACK_KEY && s->kept.flip == 0; /* elements are the keys */
    if (!s->is_distributed && is_kept) {
        if (count > 0)
            memcpy(elements, (const char *)s->sort.keys + offset,
                   (size_t)count * (size_t)s->element_bytes);
    } else if (!s->is_distributed) {
        CALL_SPECIALISED(pack_all, s, begin, end);
    }
    if (s->packing == PACK_KEY && s->method->sort_keys) {
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

int nitro_sort_run(void *argument, void *user)
{
    nitro_sort *sort = argument;
    int64_t counts[MAX_PARTS][MAX_PARTS];
    bool in_order[MAX_PARTS];
    sorting s = {.sort = *sort,
                 .method = user,
                 .packing = packing_of(sort),
                 .counts = counts,
                 .in_order = in_order};
    bool is_alone = s.packing == PACK_KEY;
    s.order = nitro_sort_order_of(sort->type);
    s.kept = is_alone && s.method->sort_keys ? (nitro_sort_order){.sign_shift = 63} : s.order;
    s.element_bytes = element_bytes_of(sort);
    s.first_bit = is_alone ? 0 : 4 * s.element_bytes;
    if (nitro_sort_prepare(argument, user) != 0)
        return 1;
    s.room = sort->room.memory;
    s.elements = is_alone ? sort->sorted_keys : s.room;
    s.room += is_alone ? 0 : sort->num_keys * s.element_bytes;
    s.parts = nitro_host_num_parts(s.method->ns_per_key * (double)sort->num_keys);
    s.parts = s.parts < MAX_PARTS ? s.parts : MAX_PARTS;
    if (s.parts > 1)
        distribute(&s);
    s.begins[s.parts] = sort->num_keys;
    nitro_host_run_parts(sort_part, &s, s.parts);
    return 0;
}
