/*
 * buckets.h - times of every variant in feature-space buckets: a bounded table that any number of
 * threads use without waiting. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_BUCKETS_H
#define NITRO_RUNTIME_ONLINE_BUCKETS_H

#include <stdatomic.h>

#include "nitro/nitro_backend.h"

/** Newest times that are kept: drift is judged by their median. */
#define NITRO_SEEN_RECENT 8
/** The mean forgets: a new time weighs one in so many at least. */
#define NITRO_SEEN_WINDOW 512
/** Times from which on a mean is worth something. */
#define NITRO_SEEN_ENOUGH 4

/** Times of one variant in one bucket. */
typedef struct nitro_seen {
    uint32_t count;    /* of times in the mean; at most NITRO_SEEN_WINDOW */
    uint32_t recorded; /* since the newest times were forgotten; at most NITRO_SEEN_RECENT */
    uint32_t next;     /* place of the next one in recent_ms */
    bool failed;       /* here once, so it is not tried again */
    double mean_ms;  /* without outliers: each is cut to half and twice the median of the newest */
    double variance; /* of a single time */
    double expected_ms; /* the mean, once it was steady, until a drift; 0: not yet */
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
    _Atomic uint32_t uses;            /* halved when others want its place */
    uint64_t calls;                   /* seen here */
    bool is_new;                      /* the caller fills in order and cost */
    bool has_drifted;                 /* the model's confidence is ignored from then on */
    uint8_t rank[NITRO_MAX_VARIANTS]; /* by the model: 0 is the best; all 0 without one */
    float cost[NITRO_MAX_VARIANTS]; /* relative times: by the model, after a drift by what was seen
                                      before; NaN: not known */
    nitro_seen *seen;               /* shape [num_variants] */
} nitro_bucket;

typedef struct nitro_buckets nitro_buckets;

/** @param[in] num_buckets  at least 1; rounded up to a power of two. */
nitro_status nitro_buckets_create(nitro_context *context, size_t num_buckets, size_t num_features,
                                  size_t num_variants, nitro_buckets **buckets);
void nitro_buckets_free(nitro_buckets *buckets);

/** The bucket of these features as a number, never 0; the same on every machine. */
uint64_t nitro_buckets_key(const nitro_buckets *buckets, const double *features);

/**
 * Enter a bucket, created (is_new, no times) if necessary.
 * @return NULL if another thread is in it, or there is no room.
 */
nitro_bucket *nitro_buckets_enter(nitro_buckets *buckets, uint64_t key);
/** Enter it only if it is there. */
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
