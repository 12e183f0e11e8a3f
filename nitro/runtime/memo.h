/* memo.h - a bounded, lock-free cache of decisions, keyed by the bits of the features. Internal to
 * nitro/.
 */
#ifndef NITRO_RUNTIME_MEMO_H
#define NITRO_RUNTIME_MEMO_H

#include "nitro/nitro_backend.h"

typedef struct nitro_memo nitro_memo;

/** @param[in] num_entries  at least 1; rounded up to a power of two, at least 4. */
nitro_status nitro_memo_create(nitro_context *context, size_t num_entries, size_t num_features,
                               nitro_memo **memo);
void nitro_memo_free(nitro_memo *memo);

/**
 * Look up the decision for these features, bit for bit, allowed variants and share of the cost of
 * preparing. Counts a hit or a miss; writes nothing else.
 * @param[in]  epoch     changes when decisions for equal features may differ.
 * @param[out] decision  written on a hit, except the variant's name.
 */
bool nitro_memo_find(nitro_memo *memo, const double *features, uint64_t allowed, float share,
                     uint64_t epoch, nitro_decision *decision);

/** Store a decision, possibly evicting another; skipped if another thread is writing the entry. */
void nitro_memo_keep(nitro_memo *memo, const double *features, uint64_t allowed, float share,
                     uint64_t epoch, const nitro_decision *decision);

/** Add up the counts of all threads. */
void nitro_memo_count(const nitro_memo *memo, nitro_memo_statistics *statistics);

#endif
