/*
 * adaptation.h - which variant a call runs if the model is not confident: the model's, the one that
 * was fastest here so far, or one that may be faster still, as far as a budget allows. Internal to
 * nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_ADAPTATION_H
#define NITRO_RUNTIME_ONLINE_ADAPTATION_H

#include "nitro/runtime/online/buckets.h"

/** The budget of exploration. All threads share it without a lock. */
typedef struct nitro_budget {
    double share;             /* of the calls' time: 0.02 is 2 % */
    _Atomic int64_t calls_ns; /* what calls took, or would have taken by the model's choice */
    _Atomic int64_t
        lost_ns; /* what they took beyond that, and explorations under way may; never below
                    what is under way: what was won before pays for no more than that */
} nitro_budget;

typedef enum nitro_adaptation_kind {
    NITRO_ADAPTATION_NONE,   /* the model's choice */
    NITRO_ADAPTATION_LEARNT, /* fastest here */
    NITRO_ADAPTATION_EXPLORE
} nitro_adaptation_kind;

typedef struct nitro_adaptation_choice {
    nitro_adaptation_kind kind;
    size_t variant;
    double base_ms;      /* what the model's choice takes here; 0: not known */
    int64_t reserved_ns; /* of the budget */
} nitro_adaptation_choice;

/**
 * Choose within a bucket, which the caller has entered.
 * @param[in] allowed  a bit a variant that accepts this input: no other is chosen.
 * @param[in] base     the model's choice; first of all its time is learnt.
 */
nitro_adaptation_choice nitro_adaptation_choose(const nitro_bucket *bucket, size_t num_variants,
                                                uint64_t allowed, size_t base,
                                                nitro_budget *budget);

/** Account for the call that was made by a choice. */
void nitro_adaptation_settle(nitro_budget *budget, const nitro_adaptation_choice *choice,
                             double time_ms);
/** The call was not made. */
void nitro_adaptation_cancel(nitro_budget *budget, const nitro_adaptation_choice *choice);

#endif
