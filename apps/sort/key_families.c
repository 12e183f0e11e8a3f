/* Orders of keys: random, sorted, reversed, nearly sorted, in runs, and with few different keys or
 * bits. Families make ranks of 64 bits; a key is made of a rank's high bits. */
#include <stdlib.h>

#include "apps/sort/keys.h"

static void fill_uniform(nitro_random *random, uint64_t *ranks, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        ranks[i] = nitro_random_next(random);
}

/* Equal steps; the least of 32 bits is 1 for as many keys as there may be. */
static void fill_sorted(nitro_random *random, uint64_t *ranks, int64_t count)
{
    (void)random;
    uint64_t step = count > 0 ? UINT64_MAX / (uint64_t)count : 0;
    for (int64_t i = 0; i < count; i++)
        ranks[i] = (uint64_t)i * step;
}

static void fill_reversed(nitro_random *random, uint64_t *ranks, int64_t count)
{
    fill_sorted(random, ranks, count);
    for (int64_t i = 0; i < count; i++)
        ranks[i] = ~ranks[i];
}

/* Sorted, with 20 to 25 % of the keys swapped at random, as in the paper. */
static void fill_almost(nitro_random *random, uint64_t *ranks, int64_t count)
{
    fill_sorted(random, ranks, count);
    int64_t swaps = (int64_t)((double)count * (0.10 + 0.025 * nitro_random_uniform(random)));
    for (int64_t s = 0; s < swaps; s++) {
        uint64_t a = nitro_random_below(random, (uint64_t)count);
        uint64_t b = nitro_random_below(random, (uint64_t)count);
        uint64_t rank = ranks[a];
        ranks[a] = ranks[b];
        ranks[b] = rank;
    }
}

/* Sorted, and a random tail, as after an append. */
static void fill_tail(nitro_random *random, uint64_t *ranks, int64_t count)
{
    int64_t tail = (int64_t)((double)count * nitro_kit_draw_log(random, 0.001, 0.2));
    fill_sorted(random, ranks, count);
    fill_uniform(random, ranks + (count - tail), tail);
}

static void fill_runs(nitro_random *random, uint64_t *ranks, int64_t count)
{
    int64_t num_runs = (int64_t)nitro_kit_draw_log(random, 2, 1000);
    for (int64_t r = 0; r < num_runs; r++) {
        int64_t begin = count * r / num_runs, end = count * (r + 1) / num_runs;
        fill_sorted(random, ranks + begin, end - begin);
    }
}

static void fill_few_distinct(nitro_random *random, uint64_t *ranks, int64_t count)
{
    uint64_t num_distinct = (uint64_t)nitro_kit_draw_log(random, 2, 1000);
    for (int64_t i = 0; i < count; i++)
        ranks[i] = nitro_random_below(random, num_distinct) * (UINT64_MAX / num_distinct);
}

/* The k-th of 10^6 keys with probability proportional to 1 / k. */
static void fill_zipf(nitro_random *random, uint64_t *ranks, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t k = (uint64_t)nitro_kit_draw_log(random, 1, 1e6);
        ranks[i] = k * UINT64_C(0x9E3779B97F4A7C15);
    }
}

/* Bits of low entropy: the conjunction of 2 to 5 random words, as in CUB's benchmarks. */
static void fill_low_entropy(nitro_random *random, uint64_t *ranks, int64_t count)
{
    uint64_t num_words = 2 + nitro_random_below(random, 4);
    fill_uniform(random, ranks, count);
    for (uint64_t w = 1; w < num_words; w++)
        for (int64_t i = 0; i < count; i++)
            ranks[i] &= nitro_random_next(random);
}

/* The high bits are the same: counters, addresses. */
static void fill_high_constant(nitro_random *random, uint64_t *ranks, int64_t count)
{
    uint64_t high = nitro_random_next(random), bits = 8 + nitro_random_below(random, 17);
    for (int64_t i = 0; i < count; i++)
        ranks[i] = (high & ~(UINT64_MAX >> bits)) | nitro_random_next(random) >> bits;
}

static void fill_constant(nitro_random *random, uint64_t *ranks, int64_t count)
{
    uint64_t rank = nitro_random_next(random);
    for (int64_t i = 0; i < count; i++)
        ranks[i] = rank;
}

const nitro_sort_family nitro_sort_families[NITRO_SORT_NUM_FAMILIES] = {
    {"uniform", fill_uniform},
    {"reversed", fill_reversed},
    {"almost", fill_almost},
    {"sorted", fill_sorted},
    {"tail", fill_tail},
    {"runs", fill_runs},
    {"few_distinct", fill_few_distinct},
    {"zipf", fill_zipf},
    {"low_entropy", fill_low_entropy},
    {"high_constant", fill_high_constant},
    {"constant", fill_constant},
};

/* Finite: the exponent of a floating-point key is made of bits that cannot all be set. */
static uint64_t key_of(nitro_sort_order order, int32_t key_bytes, uint64_t rank)
{
    uint64_t ordered = key_bytes == 4 ? rank >> 32 : rank;
    if (order.rest) {
        uint64_t top = key_bytes == 4 ? UINT64_C(0xFF800000) : UINT64_C(0xFFF) << 52;
        uint64_t bottom = key_bytes == 4 ? UINT64_C(0x007FFFFF) : ~top;
        ordered = ordered >= top ? top - 1 : ordered <= bottom ? bottom + 1 : ordered;
    }
    return nitro_sort_original(order, ordered);
}

nitro_status nitro_sort_make_keys(nitro_context *context, size_t family, nitro_random *random,
                                  const nitro_sort *sizes, nitro_sort **sort)
{
    nitro_sort *made;
    nitro_sort_order order = nitro_sort_order_of(sizes->type);
    uint64_t *ranks = nitro_calloc(context, (size_t)sizes->num_keys, sizeof(*ranks));
    if (!ranks)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_sort_keys_create(context, sizes, &made);
    if (status == NITRO_OK) {
        nitro_sort_families[family].fill(random, ranks, sizes->num_keys);
        for (int64_t i = 0; i < made->num_keys; i++) {
            uint64_t key = key_of(order, made->key_bytes, ranks[i]);
            nitro_sort_put((void *)made->keys, made->key_bytes, i, key);
            if (made->value_bytes > 0)
                nitro_sort_put((void *)made->values, made->value_bytes, i, (uint64_t)i);
        }
        *sort = made;
    }
    free(ranks);
    return status;
}
