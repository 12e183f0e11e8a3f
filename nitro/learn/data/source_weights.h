/* source_weights.h - how much each source counts for a target. Internal to nitro/learn. */
#ifndef NITRO_LEARN_DATA_SOURCE_WEIGHTS_H
#define NITRO_LEARN_DATA_SOURCE_WEIGHTS_H

#include "nitro/nitro_backend.h"

typedef enum nitro_source_rule {
    /**
     * Of each branch of software, the sources of the stack that is nearest to the target, weighted
     * by a kernel over the loss that their hardware lets expect, and sources of any stack that
     * agree with them; of branches, by a kernel over dissimilarity. A stack that the others
     * disagree with counts as farther, unless it is the target's own. The default: changes of
     * software add up along a branch, so that its stacks behind the nearest one say nothing more,
     * unless they agree.
     */
    NITRO_SOURCES_BY_STACK,
    NITRO_SOURCES_NEAREST, /* only the source that is most like the target */
    NITRO_SOURCES_EQUAL,   /* all count the same */
    NITRO_SOURCES_NUM_RULES
} nitro_source_rule;

/** "stack", "nearest", "equal". */
const char *nitro_source_rule_name(nitro_source_rule rule);

/** Sources to be weighted. All borrowed. */
typedef struct nitro_source_set {
    size_t num_devices;
    nitro_device *const *devices;      /* shape [num_devices] */
    const bool *usable;                /* shape [num_devices]; the others get 0; at least one */
    const double *losses;              /* shape [num_devices x num_devices]: nitro_cross_scores */
    const nitro_string_list *hardware; /* device features that hardware distance is made of */
    double architecture_loss;          /* nitro_source_architecture_loss */
} nitro_source_set;

/** Is a gain in quality on validation devices, in percent, clear: of at least three devices, 0.6 in
 *  the mean and three standard errors? From its sums over devices. */
bool nitro_source_gain_is_clear(double count, double sum, double squares);

/** What another architecture costs beyond the usual half a percent: what sources of one stack but
 *  of two architectures lose on each other, more than those of one architecture and than their
 *  distance explains, in percent; 0: not clearly more. */
double nitro_source_architecture_loss(const nitro_source_set *set);

/** Of two devices (nitro_device_dissimilarity), and 0.04 for each percent of the architecture loss
 *  if they have two architectures. */
double nitro_source_dissimilarity(const nitro_source_set *set, const nitro_device *a,
                                  const nitro_device *b);

/** The usable source that is most like the device, the first of equals, but the device itself. */
size_t nitro_source_nearest(const nitro_source_set *set, const nitro_device *target,
                            double *dissimilarity);

/**
 * Mark sources whose times near ones contradict: at least two sources of the stack, of the same
 * architecture and within a factor of two in hardware, agree with each other, and each of them and
 * the source lose on each other much more than their distance explains.
 * @param[out] is_disputed  shape [num_devices].
 */
void nitro_source_find_disputed(const nitro_source_set *set, bool *is_disputed);

/** @param[out] weights  shape [num_devices], of sum 1. Weights of less than 6 percent are 0, unless
 *                       they have together more than a quarter of the sum, as those of many devices
 *                       of one model: then the limit is halved until they have not. */
nitro_status nitro_source_weigh(nitro_context *context, const nitro_source_set *set,
                                const nitro_device *target, nitro_source_rule rule,
                                double *weights);

#endif
