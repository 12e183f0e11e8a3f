/* adaptation.h - chooses a call's variant if the model is not confident: the model's choice, the
 * fastest one in the bucket, or, within the budget, a candidate to explore. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_ADAPTATION_H
#define NITRO_RUNTIME_ONLINE_ADAPTATION_H

#include "nitro/runtime/online/buckets.h"

/** The budget of exploration. All threads share it without a lock. */
typedef struct nitro_budget {
    double share;             /* of the calls' time: 0.02 is 2 % */
    _Atomic int64_t calls_ns; /* time of calls, or estimated time of the model's choice */
    _Atomic int64_t lost_ns;  /* time beyond that, plus reservations of explorations in progress;
                                 never below the latter, so earlier gains are not credited */
} nitro_budget;

typedef enum nitro_adaptation_kind {
    NITRO_ADAPTATION_NONE,   /* the model's choice */
    NITRO_ADAPTATION_LEARNT, /* fastest here */
    NITRO_ADAPTATION_EXPLORE
} nitro_adaptation_kind;

typedef struct nitro_adaptation_choice {
    nitro_adaptation_kind kind;
    size_t variant;
    double base_ms;      /* time of the model's choice here; 0: unknown */
    int64_t reserved_ns; /* reserved from the budget */
} nitro_adaptation_choice;

/**
 * Choose within a bucket, which the caller has entered.
 * @param[in] allowed  bit v: variant v accepts this input.
 * @param[in] base     the model's choice, which is timed first.
 */
nitro_adaptation_choice nitro_adaptation_choose(const nitro_bucket *bucket, size_t num_variants,
                                                uint64_t allowed, size_t base,
                                                nitro_budget *budget);

/** Account for a completed call. */
void nitro_adaptation_settle(nitro_budget *budget, const nitro_adaptation_choice *choice,
                             double time_ms);
/** Account for a call that was not made. */
void nitro_adaptation_cancel(nitro_budget *budget, const nitro_adaptation_choice *choice);

#endif
