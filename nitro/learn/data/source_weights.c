/*
 * Weights of sources by likeness to the target and agreement with each other. The constants come
 * from a study on eleven recorded devices of three vendors and seven stacks, with random subsets of
 * them as sources; halving or doubling one of them changes the mean quality by less than 0.3.
 */
#include "nitro/learn/data/source_weights.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/data/device_distance.h"
#include "nitro/learn/data/device_likeness.h"

#define BRANCH_LENGTH   0.15 /* of the kernel over unlikeness between branches */
#define HARDWARE_LENGTH 0.6  /* of the kernel over hardware distance within a stack */
#define AGREEMENT       1.5  /* percent of loss, of the kernel over disagreement */
#define LEAST_WEIGHT    0.03

const char *nitro_source_rule_name(nitro_source_rule rule)
{
    static const char *const names[NITRO_SOURCES_NUM_RULES] = {"stack", "nearest", "equal"};
    return names[rule];
}

size_t nitro_source_nearest(const nitro_source_set *set, const nitro_device *target,
                            double *unlikeness)
{
    size_t nearest = NITRO_NONE;
    *unlikeness = INFINITY;
    for (size_t d = 0; d < set->num_devices; d++) {
        if (!set->usable[d] || set->devices[d] == target)
            continue;
        double own = nitro_device_unlikeness(set->devices[d], target, set->hardware);
        if (own < *unlikeness) {
            *unlikeness = own;
            nearest = d;
        }
    }
    return nearest;
}

/** Mean loss, in percent, of each one's model on the other. */
static double disagreement(const nitro_source_set *set, size_t a, size_t b)
{
    double there = set->losses[a * set->num_devices + b];
    double back = set->losses[b * set->num_devices + a];
    if (isnan(there) || isnan(back))
        return isnan(there) ? back : there;
    return 0.5 * (there + back);
}

/** Of the usable sources of the branch of `member`, the one that is most like the target. */
static size_t nearest_of_branch(const nitro_source_set *set, const nitro_device *target,
                                size_t member, double *unlikeness)
{
    size_t nearest = NITRO_NONE;
    *unlikeness = INFINITY;
    for (size_t d = 0; d < set->num_devices; d++) {
        double own = nitro_device_unlikeness(set->devices[d], target, set->hardware);
        if (set->usable[d] && nitro_device_same_branch(set->devices[d], set->devices[member]) &&
            own < *unlikeness) {
            *unlikeness = own;
            nearest = d;
        }
    }
    return nearest;
}

static double hardware_distance(const nitro_source_set *set, const nitro_device *target, size_t d)
{
    double distance = nitro_device_distance(set->devices[d], target, set->hardware);
    return isnan(distance) ? 0.0 : distance;
}

/** Set `own` to what sources count for the stack of source `nearest`: its members by their hardware
 *  distance, and every source by its agreement with these. Of sum 1. */
static void weigh_stack(const nitro_source_set *set, const nitro_device *target, size_t nearest,
                        double *own)
{
    double least = INFINITY, total = 0.0;
    for (size_t d = 0; d < set->num_devices; d++) {
        own[d] = 0.0;
        if (set->usable[d] && nitro_device_same_stack(set->devices[d], set->devices[nearest]))
            least = fmin(least, hardware_distance(set, target, d));
    }
    for (size_t c = 0; c < set->num_devices; c++) {
        if (!set->usable[c] || !nitro_device_same_stack(set->devices[c], set->devices[nearest]))
            continue;
        double kernel = exp(-(hardware_distance(set, target, c) - least) / HARDWARE_LENGTH);
        for (size_t d = 0; d < set->num_devices; d++) {
            double apart = disagreement(set, c, d);
            if (set->usable[d] && !isnan(apart))
                own[d] += kernel * exp(-apart / AGREEMENT);
        }
    }
    for (size_t d = 0; d < set->num_devices; d++)
        total += own[d];
    for (size_t d = 0; d < set->num_devices; d++)
        own[d] = total > 0.0 ? own[d] / total : d == nearest;
}

static void weigh_by_stack(const nitro_source_set *set, const nitro_device *target, double *own,
                           double *weights)
{
    double least;
    nitro_source_nearest(set, target, &least);
    for (size_t d = 0; d < set->num_devices; d++) {
        double unlikeness;
        if (!set->usable[d] || nearest_of_branch(set, target, d, &unlikeness) != d)
            continue;
        weigh_stack(set, target, d, own);
        for (size_t i = 0; i < set->num_devices; i++)
            weights[i] += exp(-(unlikeness - least) / BRANCH_LENGTH) * own[i];
    }
}

/** Drop small weights, and scale to a sum of 1. */
static void normalize(size_t count, double *weights)
{
    for (size_t pass = 0; pass < 2; pass++) {
        double total = 0.0;
        for (size_t d = 0; d < count; d++)
            total += weights[d];
        for (size_t d = 0; d < count; d++)
            weights[d] = weights[d] < LEAST_WEIGHT * total ? 0.0 : weights[d] / total;
    }
}

nitro_status nitro_source_weigh(nitro_context *context, const nitro_source_set *set,
                                const nitro_device *target, nitro_source_rule rule, double *weights)
{
    double *own = nitro_calloc(context, set->num_devices, sizeof *own), unlikeness;
    if (!own)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < set->num_devices; d++)
        weights[d] = rule == NITRO_SOURCES_EQUAL && set->usable[d];
    if (rule == NITRO_SOURCES_NEAREST)
        weights[nitro_source_nearest(set, target, &unlikeness)] = 1.0;
    if (rule == NITRO_SOURCES_BY_STACK)
        weigh_by_stack(set, target, own, weights);
    normalize(set->num_devices, weights);
    free(own);
    return NITRO_OK;
}
