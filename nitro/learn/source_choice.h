/* source_choice.h - the sources' weights for a target, and whether relative features are used, by
 * leave-one-device-out validation. Internal to nitro/learn. */
#ifndef NITRO_LEARN_SOURCE_CHOICE_H
#define NITRO_LEARN_SOURCE_CHOICE_H

#include "nitro/learn/cross_scores.h"
#include "nitro/learn/data/source_weights.h"
#include "nitro/learn/lodo.h"

/** What was chosen, and how good it was on each source as the target. */
typedef struct nitro_source_choice {
    nitro_source_rule rule;
    bool uses_relative;
    bool is_far;     /* the target's hardware is farther from every source than twice the distance
                        between sources */
    double *weights; /* shape [num_devices] */
    bool *set_aside; /* shape [num_devices]: the source's times do not depend on its features, or */
    bool *is_disputed; /* shape [num_devices]: near sources contradict them */
    double *nearest;   /* shape [num_devices]: dissimilarity of the source to its nearest source in
                          validation; NaN: not validated on it */
    double dissimilarity; /* of the target to its nearest source */
    nitro_lodo lodo;      /* with weights */
} nitro_source_choice;

/**
 * Choose for the task's target among rules, with and without relative features. In validation, a
 * source has no relative that the target lacks: no copy, no twin, none of its own stack, none of
 * its own vendor. The rule by stack with relative features is the default; another must be clearly
 * better. For a far target, relative features are not used: formulas hold as far as the sources
 * differ.
 * @param[in]  cross   of the task's sources, without and with relative features; the second may be
 *                     the first again: there are none.
 * @param[out] choice  free with nitro_source_choice_free.
 * Sources of fewer than 20 samples are not used: they cannot be learnt by themselves.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (fewer than two sources speak for others, unless all but one
 *         are set aside);
 *         NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_source_choose(nitro_context *context, const nitro_fit_task *task,
                                 const nitro_cross_scores *const cross[2],
                                 const nitro_string_list *hardware, nitro_source_choice *choice);
/** Is a gain in quality on validation devices, in percent, clear: of at least three devices, 0.6 in
 *  the mean and three standard errors? From its sums over devices. */
bool nitro_source_gain_is_clear(double count, double sum, double squares);
void nitro_source_choice_free(nitro_source_choice *choice);

#endif
