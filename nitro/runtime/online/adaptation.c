/*
 * Chooses variants under an overhead budget. The variant whose optimistic time (two standard errors
 * below the mean) is lowest is explored if it would beat the best mean and half of the budget
 * covers its worst case; the other half is for adapted choices that turn out wrong. A variant
 * without recent times is explored again now and then, since times change.
 */
#include "nitro/runtime/online/adaptation.h"

#include <math.h>

#define WORTHWHILE        0.995 /* of the best mean: candidates that cannot beat it are not explored */
#define CLEARLY           0.998 /* of the model's choice's mean: the minimum gain to replace it */
#define DEVIATIONS        2.0
#define WORST_UNKNOWN     10.0 /* times the model's choice: worst case of the first exploration */
#define OPINION_ERROR     4.0  /* factor by which a time estimate may be too high */
#define EXPLORATION_SHARE 0.5
#define NS_PER_MS         1e6
/* Calls in a bucket until a variant is explored again, times its slowdown. */
#define OUTDATED_CALLS 2048.0

static bool is_candidate(const nitro_bucket *bucket, uint64_t allowed, size_t variant)
{
    return (allowed >> variant & 1) && !bucket->seen[variant].failed;
}

/** The lowest mean; the model's choice unless another is clearly below it. */
static size_t find_leader(const nitro_bucket *bucket, size_t num_variants, uint64_t allowed,
                          size_t base)
{
    size_t leader = base;
    double best = CLEARLY * bucket->seen[base].mean_ms;
    for (size_t v = 0; v < num_variants; v++) {
        const nitro_seen *seen = &bucket->seen[v];
        if (v == base || !is_candidate(bucket, allowed, v) || seen->count < NITRO_SEEN_ENOUGH ||
            !(seen->mean_ms < best))
            continue;
        leader = v;
        best = seen->mean_ms;
    }
    return leader;
}

/** Estimated time of a variant not yet measured here; NaN: none. */
static double modelled_ms(const nitro_bucket *bucket, size_t base, size_t variant)
{
    return bucket->seen[base].mean_ms * (double)bucket->cost[variant] / (double)bucket->cost[base];
}

static double optimistic_ms(const nitro_bucket *bucket, size_t base, size_t leader, size_t variant)
{
    const nitro_seen *seen = &bucket->seen[variant];
    if (seen->count >= NITRO_SEEN_ENOUGH)
        return seen->mean_ms - DEVIATIONS * sqrt(fmax(seen->variance, 0.0) / (double)seen->count);
    if (seen->count > 0)
        return seen->mean_ms * (1.0 - 0.5 / (double)seen->count);
    double modelled = modelled_ms(bucket, base, variant);
    if (!isnan(modelled))
        return modelled / OPINION_ERROR;
    return bucket->seen[leader].mean_ms * (0.5 + 1e-3 * (double)bucket->rank[variant]);
}

static double pessimistic_ms(const nitro_bucket *bucket, size_t base, size_t variant)
{
    const nitro_seen *seen = &bucket->seen[variant];
    if (seen->count >= NITRO_SEEN_ENOUGH)
        return seen->mean_ms + 3.0 * sqrt(fmax(seen->variance, 0.0));
    if (seen->count > 0)
        return 2.0 * seen->mean_ms;
    double modelled = modelled_ms(bucket, base, variant);
    return isnan(modelled) ? WORST_UNKNOWN * bucket->seen[base].mean_ms : 2.0 * modelled;
}

/** Was it explored so long ago that the cost per call of exploring it again is negligible? */
static bool is_outdated(const nitro_bucket *bucket, size_t base, size_t leader, size_t variant)
{
    double slower = pessimistic_ms(bucket, base, variant) / bucket->seen[leader].mean_ms;
    return (double)(bucket->calls - bucket->seen[variant].tried_at) >
           OUTDATED_CALLS * fmax(slower, 1);
}

/** The candidate to explore, a variant not explored for long, or the leader. */
static size_t find_exploration(const nitro_bucket *bucket, size_t num_variants, uint64_t allowed,
                               size_t base, size_t leader)
{
    double best = WORTHWHILE * bucket->seen[leader].mean_ms;
    size_t candidate = leader, outdated = leader;
    for (size_t v = 0; v < num_variants; v++) {
        if (v == leader || !is_candidate(bucket, allowed, v))
            continue;
        double optimistic = optimistic_ms(bucket, base, leader, v);
        if (optimistic < best) {
            candidate = v;
            best = optimistic;
        }
        if (outdated == leader && is_outdated(bucket, base, leader, v))
            outdated = v;
    }
    return candidate != leader ? candidate : outdated;
}

static bool reserve(nitro_budget *budget, double excess_ms, int64_t *reserved_ns)
{
    int64_t wanted = excess_ms > 0 ? (int64_t)(excess_ms * NS_PER_MS) : 0;
    double most = EXPLORATION_SHARE * budget->share * (double)atomic_load(&budget->calls_ns);
    int64_t before = atomic_fetch_add(&budget->lost_ns, wanted);
    if ((double)before + (double)wanted > most) {
        atomic_fetch_sub(&budget->lost_ns, wanted);
        return false;
    }
    *reserved_ns = wanted;
    return true;
}

/** Means clamp outliers, so a leader may cost more than its mean says. */
static bool is_exhausted(const nitro_budget *budget)
{
    return (double)atomic_load(&budget->lost_ns) >
           budget->share * (double)atomic_load(&budget->calls_ns);
}

nitro_adaptation_choice nitro_adaptation_choose(const nitro_bucket *bucket, size_t num_variants,
                                                uint64_t allowed, size_t base, nitro_budget *budget)
{
    nitro_adaptation_choice choice = {.variant = base};
    if (bucket->seen[base].count < NITRO_SEEN_RECENT) /* the first may be slow */
        return choice;
    choice.base_ms = bucket->seen[base].mean_ms;
    size_t leader = find_leader(bucket, num_variants, allowed, base);
    size_t exploration = find_exploration(bucket, num_variants, allowed, base, leader);
    double excess =
        exploration == base ? 0.0 : pessimistic_ms(bucket, base, exploration) - choice.base_ms;
    if (exploration != leader && reserve(budget, excess, &choice.reserved_ns)) {
        choice.variant = exploration;
        choice.kind = NITRO_ADAPTATION_EXPLORE;
    } else if (leader != base && !is_exhausted(budget)) {
        choice.variant = leader;
        choice.kind = NITRO_ADAPTATION_LEARNT;
    }
    return choice;
}

/** lost_ns includes reservations of other threads, so it is reduced at most to 0. */
static void add_loss(nitro_budget *budget, int64_t loss_ns)
{
    int64_t before = atomic_load(&budget->lost_ns), after;
    do
        after = before + loss_ns > 0 ? before + loss_ns : 0;
    while (!atomic_compare_exchange_weak(&budget->lost_ns, &before, after));
}

void nitro_adaptation_settle(nitro_budget *budget, const nitro_adaptation_choice *choice,
                             double time_ms)
{
    bool is_base = choice->kind == NITRO_ADAPTATION_NONE;
    double owed_ms = is_base ? time_ms : fmin(time_ms, choice->base_ms);
    atomic_fetch_add(&budget->calls_ns, (int64_t)(owed_ms * NS_PER_MS));
    if (!is_base)
        add_loss(budget, (int64_t)((time_ms - choice->base_ms) * NS_PER_MS) - choice->reserved_ns);
}

void nitro_adaptation_cancel(nitro_budget *budget, const nitro_adaptation_choice *choice)
{
    if (choice->reserved_ns > 0)
        add_loss(budget, -choice->reserved_ns);
}
