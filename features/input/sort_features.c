/* Input features of sort. The paper has the number of keys, their bits and the number of ascending
 * sequences, which takes a pass over the keys; here order is judged by samples, one from each of
 * 1024 equal ranges at a place given by a fixed hash, so that it costs 5 us, and 20 outside the
 * caches. */
#include <stdlib.h>

#include "variants/sort/sort.h"

#define SAMPLES 1024

static const nitro_feature sizes[] = {
    {"num_keys", "keys", NITRO_SCALE_SIGNED_LOG, 0},
    {"key_bits", "bits", NITRO_SCALE_LINEAR, 0},
    {"value_bytes", "bytes", NITRO_SCALE_LINEAR, 0},
    {"is_stable", "1", NITRO_SCALE_LINEAR, 0},
};

/* A quarter of what all four take outside the caches. */
static const nitro_feature orders[] = {
    /* share of sampled neighbours that descend: 0.5 for random keys, 0 for sorted ones */
    {"descents", "1", NITRO_SCALE_LINEAR, 5e3},
    /* share of sampled pairs far apart that descend: tells runs from disorder */
    {"inverted", "1", NITRO_SCALE_LINEAR, 5e3},
    /* share of different keys in the sample */
    {"distinct", "1", NITRO_SCALE_LINEAR, 5e3},
    /* leading bits that all sampled keys have in common */
    {"constant_bits", "bits", NITRO_SCALE_LINEAR, 5e3},
};

static int evaluate_sizes(const void *argument, double *values, void *user)
{
    (void)user;
    const nitro_sort *sort = argument;
    values[NITRO_SORT_NUM_KEYS] = (double)sort->num_keys;
    values[NITRO_SORT_KEY_BITS] = 8 * sort->key_bytes;
    values[NITRO_SORT_VALUE_BYTES] = sort->value_bytes;
    values[NITRO_SORT_IS_STABLE] = sort->is_stable;
    return 0;
}

/* How many different keys there are. With a table all features take 5 us; with qsort 60 to 120. */
static double count_distinct(const uint64_t *keys, int64_t count)
{
    enum { SLOTS = 2 * SAMPLES };
    uint64_t seen[SLOTS];
    uint8_t is_used[SLOTS] = {0};
    double distinct = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t slot = (keys[i] * UINT64_C(0x9E3779B97F4A7C15) >> 32) % SLOTS;
        while (is_used[slot] && seen[slot] != keys[i])
            slot = (slot + 1) % SLOTS;
        distinct += !is_used[slot];
        is_used[slot] = 1;
        seen[slot] = keys[i];
    }
    return distinct;
}

static int evaluate_order(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_sort *sort = argument;
    nitro_sort_order order = nitro_sort_order_of(sort->type);
    int64_t count = sort->num_keys < SAMPLES ? sort->num_keys : SAMPLES;
    uint64_t keys[SAMPLES], differing = 0;
    double descents = 0, inverted = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = nitro_kit_sample(i, count, sort->num_keys);
        keys[i] = nitro_sort_ordered(order, nitro_sort_at(sort->keys, sort->key_bytes, at));
        int64_t next = at + 1 < sort->num_keys ? at + 1 : at;
        uint64_t after = nitro_sort_at(sort->keys, sort->key_bytes, next);
        descents += nitro_sort_ordered(order, after) < keys[i];
        differing |= keys[i] ^ keys[0];
    }
    for (int64_t i = 0; i < count / 2; i++)
        inverted += keys[i + count / 2] < keys[i];
    int spare = 64 - 8 * sort->key_bytes;
    group[0] = count > 0 ? descents / (double)count : 0;
    group[1] = count > 1 ? inverted / (double)(count / 2) : 0;
    group[2] = count > 0 ? count_distinct(keys, count) / (double)count : 0;
    group[3] = differing ? __builtin_clzll(differing) - spare : 8 * sort->key_bytes;
    return 0;
}

#define KEYS  "max(num_keys, 1)"
#define BYTES "(key_bits / 8 + value_bytes) * " KEYS

nitro_status nitro_sort_add_features(nitro_computation *computation)
{
    static const nitro_kit_features groups[] = {
        {sizes, sizeof(sizes) / sizeof(sizes[0]), evaluate_sizes},
        {orders, sizeof(orders) / sizeof(orders[0]), evaluate_order},
    };
    char keys[512], all[512];
    nitro_formula_per_core(keys, sizeof(keys), KEYS);
    nitro_formula_per_l2(all, sizeof(all), BYTES);
    const nitro_relative_feature relative[] = {
        {.name = "keys_per_core", .formula = keys, .replaces = "num_keys"},
        {.name = "work_per_l2", .formula = all},
    };
    return nitro_kit_add_features(computation, groups, 2, relative, 2);
}
