/*
 * Feature-space buckets. The key has the sign, exponent and first three mantissa bits of each
 * feature, so that steps are 6 to 12 percent at every magnitude and no logarithm is needed. The
 * table is bounded: a less used bucket is evicted.
 */
#include "nitro/runtime/online/buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_PROBES = 4, DROPPED_BITS = 49, MAX_BUCKETS = 1 << 20, SETTLED = 16 };

#define DISCOUNTED 2u /* weight of a mean after a drift, in times */

struct nitro_buckets {
    size_t num_buckets; /* a power of two */
    size_t num_features, num_variants;
    nitro_bucket *items; /* shape [num_buckets] */
    nitro_seen *seen;    /* shape [num_buckets x num_variants] */
};

nitro_status nitro_buckets_create(nitro_context *context, size_t num_buckets, size_t num_features,
                                  size_t num_variants, nitro_buckets **buckets)
{
    size_t count = NUM_PROBES;
    if (num_buckets == 0 || num_buckets > MAX_BUCKETS)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%zu buckets: use 1 to %d", num_buckets,
                          MAX_BUCKETS);
    while (count < num_buckets)
        count *= 2;
    nitro_buckets *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_buckets = count;
    made->num_features = num_features;
    made->num_variants = num_variants;
    made->items = nitro_calloc(context, count, sizeof *made->items);
    made->seen = nitro_calloc(context, count * num_variants, sizeof *made->seen);
    if (!made->items || !made->seen) {
        nitro_buckets_free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        atomic_flag_clear(&made->items[i].busy);
        made->items[i].seen = made->seen + i * num_variants;
    }
    *buckets = made;
    return NITRO_OK;
}

void nitro_buckets_free(nitro_buckets *buckets)
{
    if (!buckets)
        return;
    free(buckets->items);
    free(buckets->seen);
    free(buckets);
}

uint64_t nitro_buckets_key(const nitro_buckets *buckets, const double *features)
{
    uint64_t steps[NITRO_MAX_FEATURES];
    for (size_t f = 0; f < buckets->num_features; f++) {
        double value = features[f] + 0.0; /* no negative zero */
        memcpy(&steps[f], &value, sizeof value);
        steps[f] >>= DROPPED_BITS;
    }
    uint64_t key = nitro_hash(steps, buckets->num_features * sizeof *steps, 0);
    return key ? key : 1;
}

static nitro_bucket *place_of(const nitro_buckets *buckets, uint64_t key, size_t probe)
{
    return &buckets->items[(key + probe) & (buckets->num_buckets - 1)];
}

static uint64_t key_of(const nitro_bucket *bucket)
{
    return atomic_load_explicit((_Atomic uint64_t *)(uintptr_t)&bucket->key, memory_order_relaxed);
}

/** Keep the exclusive bucket only if it still has the key. */
static bool enter(nitro_bucket *bucket, uint64_t key)
{
    if (atomic_flag_test_and_set_explicit(&bucket->busy, memory_order_acquire))
        return false;
    if (key_of(bucket) == key)
        return true;
    nitro_bucket_leave(bucket);
    return false;
}

void nitro_bucket_leave(nitro_bucket *bucket)
{
    atomic_flag_clear_explicit(&bucket->busy, memory_order_release);
}

static nitro_bucket *find(nitro_buckets *buckets, uint64_t key)
{
    for (size_t probe = 0; probe < NUM_PROBES; probe++)
        if (key_of(place_of(buckets, key, probe)) == key)
            return place_of(buckets, key, probe);
    return NULL;
}

/** A free slot, or the least used one; the use counts of the slots examined are halved. */
static nitro_bucket *find_place(nitro_buckets *buckets, uint64_t key)
{
    nitro_bucket *least = NULL;
    uint32_t least_uses = UINT32_MAX;
    for (size_t probe = 0; probe < NUM_PROBES; probe++) {
        nitro_bucket *each = place_of(buckets, key, probe);
        uint32_t uses = atomic_load_explicit(&each->uses, memory_order_relaxed);
        if (key_of(each) == 0)
            return each;
        if (uses < least_uses) {
            least = each;
            least_uses = uses;
        }
        atomic_store_explicit(&each->uses, uses / 2, memory_order_relaxed);
    }
    return least_uses <= 1 ? least : NULL;
}

nitro_bucket *nitro_buckets_enter_again(nitro_buckets *buckets, uint64_t key)
{
    nitro_bucket *found = find(buckets, key);
    return found && enter(found, key) ? found : NULL;
}

nitro_bucket *nitro_buckets_enter(nitro_buckets *buckets, uint64_t key)
{
    nitro_bucket *found = find(buckets, key);
    if (found) {
        if (!enter(found, key))
            return NULL;
        atomic_fetch_add_explicit(&found->uses, 1, memory_order_relaxed);
        return found;
    }
    found = find_place(buckets, key);
    if (!found || !enter(found, key_of(found)))
        return NULL;
    memset(found->seen, 0, buckets->num_variants * sizeof *found->seen);
    memset(found->rank, 0, sizeof found->rank);
    for (size_t v = 0; v < buckets->num_variants; v++)
        found->cost[v] = NAN;
    found->calls = 0;
    found->is_new = true;
    found->has_drifted = false;
    atomic_store_explicit(&found->uses, 1, memory_order_relaxed);
    atomic_store_explicit(&found->key, key, memory_order_relaxed);
    return found;
}

size_t nitro_buckets_capacity(const nitro_buckets *buckets)
{
    return buckets->num_buckets;
}

size_t nitro_buckets_count(const nitro_buckets *buckets)
{
    size_t count = 0;
    for (size_t i = 0; i < buckets->num_buckets; i++)
        count += key_of(&buckets->items[i]) != 0;
    return count;
}

double nitro_seen_median(const nitro_seen *seen)
{
    float sorted[NITRO_SEEN_RECENT];
    if (seen->recorded < NITRO_SEEN_RECENT)
        return NAN;
    for (size_t i = 0; i < NITRO_SEEN_RECENT; i++) {
        size_t place = i;
        for (; place > 0 && sorted[place - 1] > seen->recent_ms[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = seen->recent_ms[i];
    }
    return 0.5 *
           ((double)sorted[NITRO_SEEN_RECENT / 2 - 1] + (double)sorted[NITRO_SEEN_RECENT / 2]);
}

/** Clamp outliers, such as times with preemption. */
static double without_outlier(const nitro_seen *seen, double time_ms)
{
    double median = nitro_seen_median(seen);
    return isnan(median) ? time_ms : fmin(fmax(time_ms, 0.5 * median), 2.0 * median);
}

static void add_to_mean(nitro_seen *seen, double time_ms)
{
    seen->count += seen->count < NITRO_SEEN_WINDOW;
    double share = 1.0 / (double)seen->count, before = time_ms - seen->mean_ms;
    seen->mean_ms += share * before;
    seen->variance += share * (before * (time_ms - seen->mean_ms) - seen->variance);
    if (seen->count == SETTLED && !(seen->expected_ms > 0))
        seen->expected_ms = seen->mean_ms;
}

/** The first times are clamped once there are enough to tell outliers. */
static void judge_first(nitro_seen *seen)
{
    seen->count = 0;
    seen->mean_ms = seen->variance = 0.0;
    for (size_t i = 0; i < NITRO_SEEN_RECENT; i++)
        add_to_mean(seen, without_outlier(seen, (double)seen->recent_ms[i]));
}

void nitro_seen_add(nitro_seen *seen, double time_ms)
{
    add_to_mean(seen, without_outlier(seen, time_ms));
    seen->recent_ms[seen->next] = (float)time_ms;
    seen->next = (seen->next + 1) % NITRO_SEEN_RECENT;
    if (seen->recorded == NITRO_SEEN_RECENT)
        return;
    if (++seen->recorded == NITRO_SEEN_RECENT)
        judge_first(seen);
}

void nitro_seen_discount(nitro_seen *seen)
{
    seen->count = seen->count < DISCOUNTED ? seen->count : DISCOUNTED;
    seen->recorded = 0;
    seen->expected_ms = 0.0;
}
