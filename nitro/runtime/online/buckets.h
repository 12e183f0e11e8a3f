/* buckets.h - times of every variant in feature-space buckets: a bounded, lock-free table. Internal
 * to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_BUCKETS_H
#define NITRO_RUNTIME_ONLINE_BUCKETS_H

#include <stdatomic.h>

#include "nitro/nitro_backend.h"

/** Number of newest times kept; their median detects drift. */
#define NITRO_SEEN_RECENT 8
/** Window of the running mean: the minimum weight of a new time is its inverse. */
#define NITRO_SEEN_WINDOW 512
/** Minimum number of times for a usable mean. */
#define NITRO_SEEN_ENOUGH 4

/** Times of one variant in one bucket. */
typedef struct nitro_seen {
    uint32_t count;    /* of times in the mean; at most NITRO_SEEN_WINDOW */
    uint32_t recorded; /* since the newest times were forgotten; at most NITRO_SEEN_RECENT */
    uint32_t next;     /* next index in recent_ms */
    bool failed;       /* failed here; not explored again */
    double mean_ms; /* without outliers: clamped to half and twice the median of the newest times */
    double variance;    /* of a single time */
    double expected_ms; /* the first steady mean, until a drift; 0: not yet */
    uint64_t tried_at;  /* the bucket's call */
    float recent_ms[NITRO_SEEN_RECENT];
} nitro_seen;

/**
 * Inputs whose features agree to within about a tenth each. A thread that has entered uses the
 * bucket exclusively.
 */
typedef struct nitro_bucket {
    _Atomic uint64_t key; /* 0: free */
    atomic_flag busy;
    _Atomic uint32_t uses;            /* use count, halved when others need the slot */
    uint64_t calls;                   /* seen here */
    bool is_new;                      /* new; the caller sets order and cost */
    bool has_drifted;                 /* the model's confidence is ignored from then on */
    uint8_t rank[NITRO_MAX_VARIANTS]; /* rank by the model, 0 is best; equal in a tie */
    float cost[NITRO_MAX_VARIANTS]; /* relative times by the model, after a drift by earlier times;
                                       NaN: unknown */
    nitro_seen *seen;               /* shape [num_variants] */
} nitro_bucket;

typedef struct nitro_buckets nitro_buckets;

/** @param[in] num_buckets  at least 1; rounded up to a power of two. */
nitro_status nitro_buckets_create(nitro_context *context, size_t num_buckets, size_t num_features,
                                  size_t num_variants, nitro_buckets **buckets);
void nitro_buckets_free(nitro_buckets *buckets);

/** Key of these features' bucket, never 0; machine-independent. */
uint64_t nitro_buckets_key(const nitro_buckets *buckets, const double *features);

/**
 * Enter a bucket exclusively, creating it (is_new) if necessary.
 * @return NULL if another thread holds it, or the table is full.
 */
nitro_bucket *nitro_buckets_enter(nitro_buckets *buckets, uint64_t key);
/** Enter it only if it exists. */
nitro_bucket *nitro_buckets_enter_again(nitro_buckets *buckets, uint64_t key);
void nitro_bucket_leave(nitro_bucket *bucket);

size_t nitro_buckets_capacity(const nitro_buckets *buckets);
size_t nitro_buckets_count(const nitro_buckets *buckets);

/** Add a time. */
void nitro_seen_add(nitro_seen *seen, double time_ms);
/** Median of the newest times; NaN below NITRO_SEEN_RECENT of them. */
double nitro_seen_median(const nitro_seen *seen);
/** Reduce the weight of the mean against new times. */
void nitro_seen_discount(nitro_seen *seen);

#endif
