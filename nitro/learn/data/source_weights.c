/*
 * Weights of sources by similarity to the target and agreement with each other. The constants come
 * from a study on eleven recorded devices of three vendors and seven stacks, with random subsets of
 * them as sources; halving or doubling one of them changes the mean quality by less than 0.3.
 */
#include "nitro/learn/data/source_weights.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/data/device_distance.h"
#include "nitro/learn/data/device_similarity.h"

#define BRANCH_LENGTH     0.2  /* of the kernel over dissimilarity between branches */
#define HARDWARE_LOSS     1.5  /* percent that a unit of hardware distance is expected to cost, */
#define ARCHITECTURE_LOSS 0.5  /* another architecture, unless sources show more, */
#define SOFTWARE_LOSS     2.0  /* another stack than the branch's nearest one, */
#define VENDOR_LOSS       2.0  /* and another vendor */
#define LOSS_LENGTH       2.5  /* percent, of the kernel over expected losses */
#define LEAST_WEIGHT      0.06 /* that is kept, unless smaller ones have together more than... */
#define MOST_DROPPED      0.25
#define DISAGREEMENT      0.04 /* dissimilarity for a percent that stacks or architectures lose */
#define NEAR              0.7  /* hardware distance of sources that should agree, */
#define DISPUTED_LOSS     10.0 /* percent beyond the hardware's at which they contradict, */
#define AGREED_LOSS       4.0  /* and below which they agree */
#define CLEARLY           0.6  /* percent by which another choice must be better, and... */
#define SIGNIFICANTLY     3.0  /* standard errors over... */
#define LEAST_VALIDATED   3    /* devices */

const char *nitro_source_rule_name(nitro_source_rule rule)
{
    static const char *const names[NITRO_SOURCES_NUM_RULES] = {"stack", "nearest", "equal"};
    return names[rule];
}

bool nitro_source_gain_is_clear(double count, double sum, double squares)
{
    double mean = sum / count, variance = squares / count - mean * mean;
    return count >= LEAST_VALIDATED && mean > CLEARLY &&
           mean > SIGNIFICANTLY * sqrt(fmax(variance, 0.0) / (count - 1.0));
}

double nitro_source_dissimilarity(const nitro_source_set *set, const nitro_device *a,
                                  const nitro_device *b)
{
    return nitro_device_dissimilarity(a, b, set->hardware) +
           (nitro_device_same_architecture(a, b) ? 0.0 : DISAGREEMENT * set->architecture_loss);
}

size_t nitro_source_nearest(const nitro_source_set *set, const nitro_device *target,
                            double *dissimilarity)
{
    size_t nearest = NITRO_NONE;
    *dissimilarity = INFINITY;
    for (size_t d = 0; d < set->num_devices; d++) {
        if (!set->usable[d] || set->devices[d] == target)
            continue;
        double own = nitro_source_dissimilarity(set, set->devices[d], target);
        if (own < *dissimilarity) {
            *dissimilarity = own;
            nearest = d;
        }
    }
    return nearest;
}

/** What each one's model loses on the other more than that one's own, percent: the mean of both
 *  directions; NaN: unknown. */
static double disagreement(const nitro_source_set *set, size_t a, size_t b)
{
    size_t n = set->num_devices;
    double there = set->losses[a * n + b] - set->losses[b * n + b];
    double back = set->losses[b * n + a] - set->losses[a * n + a];
    if (isnan(there) || isnan(back))
        return isnan(there) ? back : there;
    return 0.5 * (there + back);
}

static double distance_loss(const nitro_source_set *set, const nitro_device *target, size_t d)
{
    double distance = nitro_device_distance(set->devices[d], target, set->hardware);
    return HARDWARE_LOSS * (isnan(distance) ? 0.0 : distance);
}

/** What the other hardware of source `d` is expected to cost. */
static double hardware_loss(const nitro_source_set *set, const nitro_device *target, size_t d)
{
    return distance_loss(set, target, d) + (nitro_device_same_architecture(set->devices[d], target)
                                                ? 0.0
                                                : ARCHITECTURE_LOSS + set->architecture_loss);
}

/** What two sources lose on each other beyond what their hardware explains; NaN: unknown. */
static double loss_beyond_hardware(const nitro_source_set *set, size_t a, size_t b)
{
    return disagreement(set, a, b) - hardware_loss(set, set->devices[a], b);
}

/** That of two near sources of one stack; NaN: they are not near, or it is unknown. */
static double unexplained_loss(const nitro_source_set *set, size_t a, size_t b)
{
    const nitro_device *one = set->devices[a], *other = set->devices[b];
    bool near = a != b && set->usable[a] && set->usable[b] && nitro_device_same_stack(one, other) &&
                nitro_device_same_architecture(one, other) &&
                nitro_device_distance(one, other, set->hardware) <= NEAR;
    return near ? loss_beyond_hardware(set, a, b) : (double)NAN;
}

void nitro_source_find_disputed(const nitro_source_set *set, bool *is_disputed)
{
    size_t n = set->num_devices;
    for (size_t d = 0; d < n; d++) {
        bool contradicted = false, has_ally = false;
        for (size_t a = 0; a < n; a++) {
            double of_a = unexplained_loss(set, d, a);
            has_ally |= of_a <= DISPUTED_LOSS;
            for (size_t b = a + 1; b < n && of_a > DISPUTED_LOSS; b++)
                contradicted |= unexplained_loss(set, d, b) > DISPUTED_LOSS &&
                                unexplained_loss(set, a, b) <= AGREED_LOSS;
        }
        is_disputed[d] = contradicted && !has_ally;
    }
}

typedef struct loss_sums {
    double count, sum, squares;
} loss_sums;

/** Losses of pairs of one stack, of one or of two architectures, beyond their distance and
 *  `others`. */
static loss_sums sum_losses(const nitro_source_set *set, bool of_one_architecture, double others)
{
    loss_sums sums = {0};
    for (size_t a = 0; a < set->num_devices; a++)
        for (size_t b = a + 1; b < set->num_devices; b++) {
            const nitro_device *one = set->devices[a], *other = set->devices[b];
            double loss = disagreement(set, a, b) - distance_loss(set, one, b) - others;
            if (!set->usable[a] || !set->usable[b] || isnan(loss) ||
                !nitro_device_same_stack(one, other) ||
                nitro_device_same_architecture(one, other) != of_one_architecture)
                continue;
            sums.count += 1.0;
            sums.sum += loss;
            sums.squares += loss * loss;
        }
    return sums;
}

double nitro_source_architecture_loss(const nitro_source_set *set)
{
    loss_sums own = sum_losses(set, true, 0.0);
    loss_sums sums = sum_losses(set, false, fmax(own.sum / own.count, 0.0) + ARCHITECTURE_LOSS);
    double mean = sums.sum / sums.count;
    bool is_clear =
        own.count > 0.0 && nitro_source_gain_is_clear(sums.count, sums.sum, sums.squares);
    return is_clear && mean > DISPUTED_LOSS ? mean : 0.0;
}

static void add_loss(double loss, double *sum, double *count)
{
    if (isnan(loss))
        return;
    *sum += fmax(loss, 0.0);
    *count += 1.0;
}

/** Expected difference between source `d` and the stack of source `nearest`, in percent of loss:
 *  what `d` and the stack's sources lose on each other, but for their hardware. */
static double stack_loss(const nitro_source_set *set, size_t nearest, size_t d)
{
    double sum = 0.0, count = 0.0;
    if (nitro_device_same_stack(set->devices[d], set->devices[nearest]))
        return 0.0;
    for (size_t c = 0; c < set->num_devices; c++)
        if (set->usable[c] && nitro_device_same_stack(set->devices[c], set->devices[nearest]))
            add_loss(loss_beyond_hardware(set, c, d), &sum, &count);
    return SOFTWARE_LOSS + sum / count +
           (nitro_device_same_vendor(set->devices[d], set->devices[nearest]) ? 0.0 : VENDOR_LOSS);
}

/** The least loss to be expected of `d` on the target by what it loses on source `nearest`, which
 *  is like the target but for its hardware. */
static double least_loss(const nitro_source_set *set, const nitro_device *target, size_t nearest,
                         size_t d)
{
    size_t n = set->num_devices;
    double excess = set->losses[d * n + nearest] - set->losses[nearest * n + nearest];
    return isnan(excess) ? 0.0 : excess - hardware_loss(set, target, nearest);
}

/** Set `own` to what sources count for the stack of source `nearest`, of sum 1: by a kernel over
 *  the loss to be expected of them on the target if it has this stack. */
static void weigh_stack(const nitro_source_set *set, const nitro_device *target, size_t nearest,
                        double *own)
{
    double least = INFINITY, total = 0.0;
    for (size_t d = 0; d < set->num_devices; d++) {
        own[d] = stack_loss(set, nearest, d) + hardware_loss(set, target, d);
        if (own[d] < least_loss(set, target, nearest, d) && d != nearest)
            own[d] = least_loss(set, target, nearest, d);
        if (set->usable[d])
            least = fmin(least, own[d]);
    }
    for (size_t d = 0; d < set->num_devices; d++) {
        bool counts = set->usable[d] && !isnan(own[d]);
        own[d] = counts ? exp(-(own[d] - least) / LOSS_LENGTH) : 0.0;
        total += own[d];
    }
    for (size_t d = 0; d < set->num_devices; d++)
        own[d] /= total;
}

/** What the sources of the stack of `member` and those of all others lose on each other but for
 *  their hardware, in percent: an odd stack does not speak for one that no source has. */
static double oddness(const nitro_source_set *set, size_t member)
{
    double sum = 0.0, count = 0.0;
    for (size_t a = 0; a < set->num_devices; a++) {
        if (!set->usable[a] || !nitro_device_same_stack(set->devices[a], set->devices[member]))
            continue;
        for (size_t b = 0; b < set->num_devices; b++)
            if (set->usable[b] && !nitro_device_same_stack(set->devices[a], set->devices[b]))
                add_loss(loss_beyond_hardware(set, a, b), &sum, &count);
    }
    return count > 0.0 ? sum / count : 0.0;
}

/** What to add to the dissimilarity of each source where stacks are chosen: 0 for the target's own.
 */
static void find_additions(const nitro_source_set *set, const nitro_device *target,
                           double *additions)
{
    for (size_t d = 0; d < set->num_devices; d++) {
        size_t first = 0; /* of its stack: found once, since it takes all pairs of sources */
        while (!nitro_device_same_stack(set->devices[first], set->devices[d]))
            first++;
        if (nitro_device_same_stack(set->devices[d], target))
            additions[d] = 0.0;
        else
            additions[d] = first < d ? additions[first] : DISAGREEMENT * oddness(set, d);
    }
}

/** Is this usable source the one of its branch whose stack counts: of the usable sources there, the
 *  first one with the least distance? */
static bool is_chosen_of_branch(const nitro_source_set *set, size_t member, const double *distances)
{
    for (size_t d = 0; d < set->num_devices; d++) {
        bool is_before =
            distances[d] < distances[member] || (distances[d] == distances[member] && d < member);
        if (is_before && set->usable[d] &&
            nitro_device_same_branch(set->devices[d], set->devices[member]))
            return false;
    }
    return distances[member] < INFINITY;
}

/** The least dissimilarity of the usable sources of the branch of `member`. */
static double least_of_branch(const nitro_source_set *set, size_t member,
                              const double *dissimilarities)
{
    double least = INFINITY;
    for (size_t d = 0; d < set->num_devices; d++)
        if (dissimilarities[d] < least && set->usable[d] &&
            nitro_device_same_branch(set->devices[d], set->devices[member]))
            least = dissimilarities[d];
    return least;
}

/** @param[out] room  scratch, shape [3 x num_devices]. */
static void weigh_by_stack(const nitro_source_set *set, const nitro_device *target, double *room,
                           double *weights)
{
    double *own = room, *distances = own + set->num_devices, least;
    double *dissimilarities = distances + set->num_devices;
    nitro_source_nearest(set, target, &least);
    find_additions(set, target, distances);
    for (size_t d = 0; d < set->num_devices; d++) {
        dissimilarities[d] = nitro_source_dissimilarity(set, set->devices[d], target);
        distances[d] += dissimilarities[d];
    }
    for (size_t d = 0; d < set->num_devices; d++) {
        if (!set->usable[d] || !is_chosen_of_branch(set, d, distances))
            continue;
        double dissimilarity = least_of_branch(set, d, dissimilarities);
        weigh_stack(set, target, d, own);
        for (size_t i = 0; i < set->num_devices; i++)
            weights[i] += exp(-(dissimilarity - least) / BRANCH_LENGTH) * own[i];
    }
}

/** Scale to a sum of 1. */
static void normalize(size_t count, double *weights)
{
    double total = 0.0;
    for (size_t d = 0; d < count; d++)
        total += weights[d];
    for (size_t d = 0; d < count; d++)
        weights[d] /= total;
}

static double sum_below(size_t count, const double *weights, double limit)
{
    double sum = 0.0;
    for (size_t d = 0; d < count; d++)
        sum += weights[d] < limit ? weights[d] : 0.0;
    return sum;
}

/** Drop small weights, but not those that are small because many sources share what is large. */
static void drop_small(size_t count, double *weights)
{
    double least = LEAST_WEIGHT;
    while (sum_below(count, weights, least) > MOST_DROPPED)
        least *= 0.5;
    for (size_t d = 0; d < count; d++)
        if (weights[d] < least)
            weights[d] = 0.0;
}

nitro_status nitro_source_weigh(nitro_context *context, const nitro_source_set *set,
                                const nitro_device *target, nitro_source_rule rule, double *weights)
{
    double *room = nitro_calloc(context, 3 * set->num_devices, sizeof *room), dissimilarity;
    if (!room)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < set->num_devices; d++)
        weights[d] = rule == NITRO_SOURCES_EQUAL && set->usable[d];
    if (rule == NITRO_SOURCES_NEAREST)
        weights[nitro_source_nearest(set, target, &dissimilarity)] = 1.0;
    if (rule == NITRO_SOURCES_BY_STACK)
        weigh_by_stack(set, target, room, weights);
    normalize(set->num_devices, weights);
    drop_small(set->num_devices, weights);
    normalize(set->num_devices, weights);
    free(room);
    return NITRO_OK;
}
