/* Combines blocks of repetitions of one input, measured at different times. */
#include "nitro/measure/blocks.h"

#include <math.h>

#include "nitro/measure/round_sample.h"

/* Variants this close to the best may be the best. One whose fastest blocks differ may still become
 * faster by as much: other programs disturbed both. */
#define CLOSE 0.15
/* Blocks that differ by less confirm each other. An undisturbed machine repeats to 1 %, and
 * hyper-threads of others cost 20 % and more. */
#define CONFIRMED 0.03

static bool is_timed(const nitro_entry *entry)
{
    return entry->outcome == NITRO_OUTCOME_MEASURED;
}

static unsigned count_blocks(const nitro_entry *entry)
{
    return entry->blocks > 0 ? entry->blocks : 1;
}

typedef struct comparison {
    uint64_t common; /* variants with a time in both */
    double change;   /* mean of ln(block's time / sample's) over them; < 0: the block was faster */
} comparison;

static comparison compare(const nitro_sample *sample, const nitro_sample *block)
{
    comparison made = {0};
    double count = 0;
    for (size_t v = 0; v < sample->num_entries; v++) {
        const nitro_entry *before = &sample->entries[v], *now = &block->entries[v];
        if (!is_timed(before) || !is_timed(now))
            continue;
        made.common |= UINT64_C(1) << v;
        made.change += log(now->median_ms / before->median_ms);
        count++;
    }
    if (count > 0)
        made.change /= count;
    return made;
}

/* The block's entry takes the place of the sample's. */
static void exchange(nitro_entry *entry, nitro_entry *block)
{
    nitro_entry before = *entry;
    *entry = *block;
    *block = before;
}

/* A variant with a time in both: the faster one is kept. */
static void add_common(nitro_entry *entry, nitro_entry *block)
{
    double difference =
        fabs(entry->median_ms - block->median_ms) / fmin(entry->median_ms, block->median_ms);
    double prepare_ms = fmin(entry->prepare_ms, block->prepare_ms);
    unsigned num_blocks = count_blocks(entry) + 1;
    uint32_t count = entry->count + block->count;
    if (block->median_ms < entry->median_ms) {
        exchange(entry, block);
        entry->spread = fmax(entry->spread, difference);
    } else if (num_blocks == 2) {
        entry->spread = fmax(entry->spread, difference);
    } else {
        entry->spread = fmin(entry->spread, difference);
    }
    entry->prepare_ms = prepare_ms;
    entry->count = count;
    entry->blocks = num_blocks;
}

void nitro_blocks_begin(nitro_sample *sample)
{
    for (size_t v = 0; v < sample->num_entries; v++)
        sample->entries[v].blocks = is_timed(&sample->entries[v]);
}

void nitro_blocks_add(nitro_sample *sample, nitro_sample *block)
{
    comparison found = compare(sample, block);
    bool is_faster = found.common && found.change < 0;
    double change = expm1(fabs(found.change)); /* of the clock between both */
    for (size_t v = 0; v < sample->num_entries; v++) {
        nitro_entry *entry = &sample->entries[v], *now = &block->entries[v];
        if (found.common >> v & 1) {
            add_common(entry, now);
            nitro_entry_round(entry);
        } else if (now->outcome != NITRO_OUTCOME_MISSING) {
            exchange(entry, now);
            entry->blocks = is_timed(entry);
            if (found.common && !is_faster && is_timed(entry))
                entry->spread = fmax(entry->spread, change);
            nitro_entry_round(entry);
        } else if (is_faster && is_timed(entry)) { /* not measured again: its time stays */
            entry->spread = nitro_round_spread(fmax(entry->spread, change));
        }
    }
    if (is_faster) {
        nitro_provenance before = sample->provenance;
        sample->provenance = block->provenance;
        block->provenance = before;
    }
}

/* Do the fastest blocks of the variants that may be the best confirm each other? */
static bool is_confirmed(const nitro_sample *sample, uint64_t close)
{
    for (size_t v = 0; v < sample->num_entries; v++)
        if (close >> v & 1 && sample->entries[v].spread > CONFIRMED)
            return false;
    return true;
}

uint64_t nitro_blocks_missing(const nitro_sample *sample, unsigned max_blocks)
{
    uint64_t close = 0, unrepeated = 0;
    size_t best = nitro_sample_best(sample);
    for (size_t v = 0; v < sample->num_entries; v++) {
        const nitro_entry *entry = &sample->entries[v];
        if (!is_timed(entry) || count_blocks(entry) >= max_blocks)
            continue;
        if (count_blocks(entry) < 2)
            unrepeated |= UINT64_C(1) << v;
        double may_become_ms = entry->median_ms / (1 + fmax(entry->spread, 0)); /* NaN: unknown */
        if (may_become_ms <= (1 + CLOSE) * sample->entries[best].median_ms)
            close |= UINT64_C(1) << v;
    }
    return is_confirmed(sample, close) ? unrepeated : unrepeated | close;
}
