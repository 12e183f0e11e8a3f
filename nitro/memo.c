/*
 * The memo. Hides how threads share it: every entry has a sequence number, odd while it is written;
 * who reads it compares the number before and after, and takes a change for a miss. Words are
 * atomic, loaded with acquire and stored with release order: they stay between the two numbers.
 */
#include "nitro/memo.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/thread_shard.h"

#define WAYS        2 /* entries that a set of features may stand in */
#define LINE_BYTES  64
#define MAX_ENTRIES ((size_t)1 << 24)
#define MIX         UINT64_C(0x9E3779B97F4A7C15)

/* Before an entry's features stand these words. */
enum { SEQUENCE, EPOCH, ALLOWED, CONFIDENCE, CHOICE, NUM_WORDS };

typedef _Atomic uint64_t word;

/* A cache line each, so that threads that count do not disturb each other. */
typedef struct memo_counter {
    _Alignas(LINE_BYTES) word hits;
    word misses, evictions;
} memo_counter;

struct nitro_memo {
    memo_counter counters[NITRO_NUM_SHARDS];
    size_t num_features, num_sets; /* sets: a power of two */
    size_t stride;                 /* words an entry: whole cache lines */
    word *entries;                 /* shape [num_sets x WAYS x stride] */
};

nitro_status nitro_memo_create(nitro_context *context, size_t num_entries, size_t num_features,
                               nitro_memo **memo)
{
    size_t num_sets = 1, line = LINE_BYTES / sizeof(word);
    if (num_entries > MAX_ENTRIES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "a memo of %zu entries: at most %zu",
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
    memset(entries, 0, bytes); /* epochs begin with 1 */
    made->num_features = num_features;
    made->num_sets = num_sets;
    made->stride = stride;
    made->entries = entries;
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

/* ---- Keys --------------------------------------------------------------------------------- */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * MIX;
    return sum ^ (sum >> 32);
}

/** Four sums side by side: a multiplication waits for the one before it. */
static uint64_t hash(const nitro_memo *memo, const double *features, uint64_t allowed)
{
    uint64_t sums[4] = {allowed, 1, 2, 3};
    size_t i = 0;
    for (; i + 4 <= memo->num_features; i += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] = mix(sums[k], bits_of(features[i + k]));
    for (; i < memo->num_features; i++)
        sums[i % 4] = mix(sums[i % 4], bits_of(features[i]));
    return mix(mix(sums[0], sums[1]), mix(sums[2], sums[3]));
}

static word *find_set(const nitro_memo *memo, const double *features, uint64_t allowed)
{
    size_t set = (size_t)hash(memo, features, allowed) & (memo->num_sets - 1);
    return memo->entries + set * WAYS * memo->stride;
}

static uint64_t load(const word *from)
{
    return atomic_load_explicit((word *)(uintptr_t)from, memory_order_acquire);
}

static void store(word *to, uint64_t value)
{
    atomic_store_explicit(to, value, memory_order_release);
}

static bool is_of(const nitro_memo *memo, const word *entry, const double *features,
                  uint64_t allowed, uint64_t epoch)
{
    uint64_t differs = (load(entry + EPOCH) ^ epoch) | (load(entry + ALLOWED) ^ allowed);
    for (size_t i = 0; i < memo->num_features; i++)
        differs |= load(entry + NUM_WORDS + i) ^ bits_of(features[i]);
    return differs == 0;
}

/* ---- Counts ------------------------------------------------------------------------------- */

static memo_counter *own_counter(nitro_memo *memo)
{
    return &memo->counters[nitro_thread_shard()];
}

static void count(word *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void nitro_memo_count(const nitro_memo *memo, nitro_memo_statistics *statistics)
{
    nitro_memo_statistics sums = {.num_entries = memo->num_sets * WAYS};
    for (size_t i = 0; i < NITRO_NUM_SHARDS; i++) {
        sums.hits += load(&memo->counters[i].hits);
        sums.misses += load(&memo->counters[i].misses);
        sums.evictions += load(&memo->counters[i].evictions);
    }
    *statistics = sums;
}

/* ---- Entries ------------------------------------------------------------------------------ */

bool nitro_memo_find(nitro_memo *memo, const double *features, uint64_t allowed, uint64_t epoch,
                     nitro_decision *decision)
{
    const word *entry = find_set(memo, features, allowed);
    for (size_t way = 0; way < WAYS; way++, entry += memo->stride) {
        uint64_t sequence = load(entry + SEQUENCE);
        if (sequence % 2 || !is_of(memo, entry, features, allowed, epoch))
            continue;
        uint64_t confidence = load(entry + CONFIDENCE), choice = load(entry + CHOICE);
        if (load(entry + SEQUENCE) != sequence)
            continue;
        memcpy(&decision->confidence, &confidence, sizeof confidence);
        decision->variant = (size_t)(choice & 0xff);
        decision->reason = (nitro_reason)(choice >> 8);
        count(&own_counter(memo)->hits);
        return true;
    }
    count(&own_counter(memo)->misses);
    return false;
}

/** A way that is free or of an older epoch; else the one that the hash of the features names. */
static word *choose_way(const nitro_memo *memo, word *set, uint64_t epoch, const double *features)
{
    for (size_t way = 0; way < WAYS; way++)
        if (load(set + way * memo->stride + EPOCH) != epoch)
            return set + way * memo->stride;
    uint64_t sum = memo->num_features ? mix(bits_of(features[0]), MIX) : 0;
    return set + (sum >> 40) % WAYS * memo->stride;
}

void nitro_memo_keep(nitro_memo *memo, const double *features, uint64_t allowed, uint64_t epoch,
                     const nitro_decision *decision)
{
    word *entry = choose_way(memo, find_set(memo, features, allowed), epoch, features);
    uint64_t sequence = load(entry + SEQUENCE);
    if (sequence % 2 || !atomic_compare_exchange_strong(entry + SEQUENCE, &sequence, sequence + 1))
        return;
    bool evicts = load(entry + EPOCH) == epoch;
    store(entry + EPOCH, epoch);
    store(entry + ALLOWED, allowed);
    store(entry + CONFIDENCE, bits_of(decision->confidence));
    store(entry + CHOICE, decision->variant | (uint64_t)decision->reason << 8);
    for (size_t i = 0; i < memo->num_features; i++)
        store(entry + NUM_WORDS + i, bits_of(features[i]));
    store(entry + SEQUENCE, sequence + 2);
    if (evicts)
        count(&own_counter(memo)->evictions);
}
