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
    bool is_far;          /* the target's hardware is farther from every source than twice the
                             distance between sources */
    bool by_architecture; /* another architecture clearly costs quality, and the target has a source
                             of its own */
    double architecture_loss; /* nitro_source_architecture_loss */
    /* shape [num_devices] each: */
    double *weights;
    bool *set_aside;      /* the source's times do not depend on its features, or */
    bool *is_disputed;    /* near sources contradict them */
    bool *is_comparable;  /* validation on it tells of the target: it has another source of its own
                             architecture, if the choice is by architecture */
    double *nearest;      /* dissimilarity of the source to its nearest source in validation; NaN:
                             not validated on it */
    double dissimilarity; /* of the target to its nearest source */
    nitro_lodo lodo;      /* with weights */
} nitro_source_choice;

/**
 * Choose for the task's target among rules, with and without relative features. In validation, a
 * source has no relative that the target lacks: no copy, no twin, none of its own stack, none of
 * its own vendor, and none of its own architecture where another one clearly costs quality. The
 * rule by stack with relative features is the default; another must be clearly better. For a far
 * target, relative features are not used: formulas hold as far as the sources differ.
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
void nitro_source_choice_free(nitro_source_choice *choice);

#endif
