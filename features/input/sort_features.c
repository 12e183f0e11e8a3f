/* Input features of sort. The paper has the number of keys, their bits and the number of ascending
 * sequences, which takes a pass over the keys; here order is judged by samples, one from each of
 * 1024 equal ranges at a place given by a fixed hash, so that it costs 4 to 7 us, and 40 to 70
 * outside the caches. */
#include "variants/sort/sort.h"

#define SAMPLES 1024

static const nitro_feature sizes[] = {
    {"num_keys", "keys", NITRO_SCALE_SIGNED_LOG, 0},
    {"key_bits", "bits", NITRO_SCALE_LINEAR, 0},
    {"value_bytes", "bytes", NITRO_SCALE_LINEAR, 0},
    {"is_stable", "1", NITRO_SCALE_LINEAR, 0},
};

/* Costs until a tune measures them: a quarter each of 20 us, between those in and outside the
 * caches. */
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

/* Sampled keys, and what follows each. */
typedef struct sample {
    int64_t count;
    uint64_t keys[SAMPLES], next[SAMPLES];
} sample;

/* Nothing but loads, so that many cache misses overlap, and constants, so that nothing divides. */
__attribute__((always_inline)) static inline void read_keys(const nitro_sort *sort, int key_bytes,
                                                            sample *to)
{
    const void *keys = sort->keys;
    int64_t num_keys = sort->num_keys;
    bool has_all = num_keys <= SAMPLES;
    to->count = has_all ? num_keys : SAMPLES;
    for (int64_t i = 0; i < to->count; i++) {
        int64_t at = has_all ? i : nitro_kit_sample(i, SAMPLES, num_keys);
        to->keys[i] = nitro_sort_at(keys, key_bytes, at);
        to->next[i] = nitro_sort_at(keys, key_bytes, at + (at + 1 < num_keys));
    }
}

/* How many different keys there are. With qsort all features take 60 to 120 us. */
static int64_t count_distinct(const sample *sampled)
{
    enum { SLOTS = 4 * SAMPLES };
    uint16_t seen[SLOTS] = {0}; /* one more than the index of a key; 0: free */
    int64_t distinct = 0;
    for (int64_t i = 0; i < sampled->count; i++) {
        uint64_t key = sampled->keys[i];
        uint64_t slot = (key * UINT64_C(0x9E3779B97F4A7C15) >> 32) % SLOTS;
        while (seen[slot] && sampled->keys[seen[slot] - 1] != key)
            slot = (slot + 1) % SLOTS;
        distinct += !seen[slot];
        seen[slot] = (uint16_t)(i + 1);
    }
    return distinct;
}

static int evaluate_order(const void *argument, double *group, void *user)
{
    (void)user;
    const nitro_sort *sort = argument;
    nitro_sort_order order = nitro_sort_order_of(sort->type);
    sample sampled;
    if (sort->key_bytes == 4)
        read_keys(sort, 4, &sampled);
    else
        read_keys(sort, 8, &sampled);
    uint64_t *keys = sampled.keys, differing = 0;
    int64_t count = sampled.count, descents = 0, inverted = 0;
    for (int64_t i = 0; i < count; i++) {
        keys[i] = nitro_sort_ordered(order, keys[i]);
        descents += nitro_sort_ordered(order, sampled.next[i]) < keys[i];
        differing |= keys[i] ^ keys[0];
    }
    for (int64_t i = 0; i < count / 2; i++)
        inverted += keys[i + count / 2] < keys[i];
    int spare = 64 - 8 * sort->key_bytes;
    group[0] = count > 0 ? (double)descents / (double)count : 0;
    group[1] = count > 1 ? (double)inverted / (double)(count / 2) : 0;
    group[2] = count > 0 ? (double)count_distinct(&sampled) / (double)count : 0;
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
