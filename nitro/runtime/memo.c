/*
 * A sequence-locked hash table. Each entry's sequence number is odd during writes; a reader that
 * sees it change counts a miss. Words are atomic (acquire loads, release stores). A shard's counter
 * is written by its first thread without a locked addition, which would drain the store buffer.
 */
#include "nitro/runtime/memo.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/thread_shard.h"

#define WAYS        4 /* associativity */
#define LINE_BYTES  64
#define MAX_ENTRIES ((size_t)1 << 24)
#define MIX         UINT64_C(0x9E3779B97F4A7C15)

/* Header words of an entry, before its features. */
enum {
    SEQUENCE,
    KEY,
    EPOCH,
    ALLOWED,
    CONFIDENCE,
    CHOICE, /* 8 bits of the variant, 8 of the reason; from bit 32 on the share */
    NUM_WORDS
};

typedef _Atomic uint64_t word;

enum { HITS, MISSES, EVICTIONS, NUM_COUNTS };

/* A cache line each, to avoid false sharing. */
typedef struct memo_counter {
    _Alignas(LINE_BYTES) word owner; /* owner; 0: none; kept when the thread ends */
    word own[NUM_COUNTS];            /* written by the owner only */
    word shared[NUM_COUNTS];         /* by other threads of this shard */
} memo_counter;

struct nitro_memo {
    memo_counter counters[NITRO_NUM_SHARDS];
    size_t num_features, num_sets;        /* sets: a power of two */
    size_t stride;                        /* words per entry: whole cache lines */
    word *entries;                        /* shape [num_sets x WAYS x stride] */
    uint64_t factors[NITRO_MAX_FEATURES]; /* of the hash: odd */
};

nitro_status nitro_memo_create(nitro_context *context, size_t num_entries, size_t num_features,
                               nitro_memo **memo)
{
    size_t num_sets = 1, line = LINE_BYTES / sizeof(word);
    if (num_entries > MAX_ENTRIES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "a memo of %zu entries; the maximum is %zu",
                          num_entries, MAX_ENTRIES);
    while (num_sets * WAYS < num_entries)
        num_sets *= 2;
    size_t stride = (NUM_WORDS + num_features + line - 1) / line * line;
    size_t bytes = num_sets * WAYS * stride * sizeof(word);
    nitro_memo *made = aligned_alloc(LINE_BYTES, sizeof *made);
    word *entries = aligned_alloc(LINE_BYTES, bytes);
    if (!made || !entries) {
        free(made);
        free(entries);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot get a memo of %zu entries", num_entries);
    }
    memset(made, 0, sizeof *made);
    memset(entries, 0, bytes); /* epochs start at 1 */
    made->num_features = num_features;
    made->num_sets = num_sets;
    made->stride = stride;
    made->entries = entries;
    nitro_random random;
    nitro_random_seed(&random, 0);
    for (size_t f = 0; f < num_features; f++)
        made->factors[f] = nitro_random_next(&random) | 1;
    *memo = made;
    return NITRO_OK;
}

void nitro_memo_free(nitro_memo *memo)
{
    if (!memo)
        return;
    free(memo->entries);
    free(memo);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_share(float share)
{
    uint32_t bits;
    memcpy(&bits, &share, sizeof bits);
    return bits;
}

/** A multilinear hash: products do not wait for each other. What it confuses, is_of tells apart. */
static uint64_t find_key(const nitro_memo *memo, const double *features, uint64_t allowed,
                         float share)
{
    uint64_t sum = (allowed + (bits_of_share(share) << 32)) * MIX;
    for (size_t i = 0; i < memo->num_features; i++)
        sum += bits_of(features[i]) * memo->factors[i];
    return (sum ^ sum >> 32) * MIX; /* low bits of round numbers are 0 */
}

static word *find_set(const nitro_memo *memo, uint64_t key)
{
    return memo->entries + (size_t)(key >> 32 & (memo->num_sets - 1)) * WAYS * memo->stride;
}

static uint64_t load(const word *from)
{
    return atomic_load_explicit((word *)(uintptr_t)from, memory_order_acquire);
}

static void store(word *to, uint64_t value)
{
    atomic_store_explicit(to, value, memory_order_release);
}

static uint64_t differs_at(const word *kept, const double *features, size_t i)
{
    return load(kept + i) ^ bits_of(features[i]);
}

static bool is_of(const word *entry, const double *features, size_t num_features, uint64_t allowed,
                  uint64_t epoch)
{
    const word *kept = entry + NUM_WORDS;
    uint64_t differs = (load(entry + EPOCH) ^ epoch) | (load(entry + ALLOWED) ^ allowed);
    size_t i = 0;
    for (; i + 4 <= num_features; i += 4)
        differs |= differs_at(kept, features, i) | differs_at(kept, features, i + 1) |
                   differs_at(kept, features, i + 2) | differs_at(kept, features, i + 3);
    for (; i < num_features; i++)
        differs |= differs_at(kept, features, i);
    return differs == 0;
}

/** Claims the shard if it has no owner; else it is shared. */
static __attribute__((noinline)) void count_elsewhere(memo_counter *counter, uint64_t self,
                                                      size_t which)
{
    uint64_t owner = 0;
    if (atomic_compare_exchange_strong(&counter->owner, &owner, self))
        store(&counter->own[which], load(&counter->own[which]) + 1);
    else
        atomic_fetch_add_explicit(&counter->shared[which], 1, memory_order_relaxed);
}

static void count(nitro_memo *memo, size_t which)
{
    uint64_t self = nitro_thread_identity();
    memo_counter *counter = &memo->counters[nitro_shard_of(self)];
    if (load(&counter->owner) == self)
        store(&counter->own[which], load(&counter->own[which]) + 1);
    else
        count_elsewhere(counter, self, which);
}

static uint64_t add_up(const nitro_memo *memo, size_t which)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < NITRO_NUM_SHARDS; i++)
        sum += load(&memo->counters[i].own[which]) + load(&memo->counters[i].shared[which]);
    return sum;
}

void nitro_memo_count(const nitro_memo *memo, nitro_memo_statistics *statistics)
{
    *statistics = (nitro_memo_statistics){.num_entries = memo->num_sets * WAYS,
                                          .hits = add_up(memo, HITS),
                                          .misses = add_up(memo, MISSES),
                                          .evictions = add_up(memo, EVICTIONS)};
}

bool nitro_memo_find(nitro_memo *memo, const double *features, uint64_t allowed, float share,
                     uint64_t epoch, nitro_decision *decision)
{
    uint64_t key = find_key(memo, features, allowed, share);
    size_t num_features = memo->num_features, stride = memo->stride; /* keep a local copy */
    const word *entry = find_set(memo, key);
    for (size_t way = 0; way < WAYS; way++, entry += stride) {
        if (load(entry + KEY) != key)
            continue;
        uint64_t sequence = load(entry + SEQUENCE);
        if (sequence % 2 || !is_of(entry, features, num_features, allowed, epoch))
            continue;
        uint64_t confidence = load(entry + CONFIDENCE), choice = load(entry + CHOICE);
        if (load(entry + SEQUENCE) != sequence || choice >> 32 != bits_of_share(share))
            continue;
        memcpy(&decision->confidence, &confidence, sizeof confidence);
        decision->variant = (size_t)(choice & 0xff);
        decision->reason = (nitro_reason)(choice >> 8 & 0xff);
        count(memo, HITS);
        return true;
    }
    count(memo, MISSES);
    return false;
}

/** A free or outdated way; else one chosen by the key. */
static word *choose_way(const nitro_memo *memo, uint64_t key, uint64_t epoch)
{
    word *set = find_set(memo, key);
    for (size_t way = 0; way < WAYS; way++)
        if (load(set + way * memo->stride + EPOCH) != epoch)
            return set + way * memo->stride;
    return set + (key >> 60) % WAYS * memo->stride;
}

void nitro_memo_keep(nitro_memo *memo, const double *features, uint64_t allowed, float share,
                     uint64_t epoch, const nitro_decision *decision)
{
    uint64_t key = find_key(memo, features, allowed, share);
    word *entry = choose_way(memo, key, epoch);
    uint64_t sequence = load(entry + SEQUENCE);
    if (sequence % 2 || !atomic_compare_exchange_strong(entry + SEQUENCE, &sequence, sequence + 1))
        return;
    bool evicts = load(entry + EPOCH) == epoch;
    store(entry + KEY, key);
    store(entry + EPOCH, epoch);
    store(entry + ALLOWED, allowed);
    store(entry + CONFIDENCE, bits_of(decision->confidence));
    store(entry + CHOICE,
          decision->variant | (uint64_t)decision->reason << 8 | bits_of_share(share) << 32);
    for (size_t i = 0; i < memo->num_features; i++)
        store(entry + NUM_WORDS + i, bits_of(features[i]));
    store(entry + SEQUENCE, sequence + 2);
    if (evicts)
        count(memo, EVICTIONS);
}
