/* Validation of rules on each source as the target: models of single sources are trained once, and
 * every rule is a mean of their scores. */
#include "nitro/learn/source_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_distance.h"
#include "nitro/learn/data/device_similarity.h"
#include "nitro/learn/data/source_checks.h"

#define FAR             2.0 /* times the largest hardware distance between nearest sources */
#define SITUATION       0.3 /* length of the kernel over dissimilarity to the nearest source */
#define LEAST_SITUATION 0.01
#define NUM_CANDIDATES  (2 * NITRO_SOURCES_NUM_RULES)

typedef struct choosing {
    nitro_context *context;
    const nitro_fit_task *task;
    const nitro_cross_scores *const *cross;
    nitro_source_set set;
    bool *usable;      /* shape [num_devices] */
    bool *visible;     /* shape [num_devices]: sources of the current validation device */
    bool *scoring;     /* shape [num_devices]: those of them that have a model */
    double *weights;   /* shape [num_devices]: for it */
    double *qualities; /* shape [NUM_CANDIDATES x num_devices]: percent; NaN: not validated */
    nitro_source_choice *choice;
} choosing;

void nitro_source_choice_free(nitro_source_choice *choice)
{
    free(choice->weights);
    free(choice->set_aside);
    free(choice->is_disputed);
    free(choice->is_comparable);
    free(choice->nearest);
    nitro_lodo_free(&choice->lodo);
    *choice = (nitro_source_choice){0};
}

/** The default first; then the others by rule, with relative features first. */
static nitro_source_rule rule_of(size_t candidate)
{
    return (nitro_source_rule)(candidate / 2);
}

static bool is_relative(size_t candidate)
{
    return candidate % 2 == 0;
}

/* ---- Sources --------------------------------------------------------------------------------- */

static nitro_status mark_usable(choosing *c, size_t *count)
{
    const nitro_dataset *sources = c->task->sources;
    for (size_t d = 0; d < sources->num_devices; d++)
        c->weights[d] = c->cross[0]->losses[d * sources->num_devices + d];
    nitro_status status =
        nitro_source_checks_run(c->context, sources, c->weights, c->choice->set_aside);
    for (size_t d = 0; d < sources->num_devices; d++)
        c->usable[d] = !isnan(c->weights[d]) && !isnan(nitro_source_fixed_loss(sources, d)) &&
                       !c->choice->set_aside[d];
    nitro_source_set set = c->set;
    set.losses = c->cross[0]->losses;
    nitro_source_find_disputed(&set, c->choice->is_disputed);
    *count = 0;
    for (size_t d = 0; d < sources->num_devices; d++) {
        c->choice->set_aside[d] |= c->choice->is_disputed[d];
        c->usable[d] &= !c->choice->is_disputed[d];
        *count += c->usable[d];
    }
    return status;
}

static nitro_kinship find_kinship(const choosing *c)
{
    nitro_kinship found =
        nitro_device_kinship(c->task->target, c->set.devices, c->set.num_devices, c->usable);
    found.hides_architecture = c->set.architecture_loss > 0.0 && !found.architecture;
    return found;
}

/** Mark the sources that a validation device may have; how many. */
static size_t mark_visible(const choosing *c, nitro_kinship of_target, size_t device)
{
    const nitro_device *own = c->set.devices[device];
    size_t count = 0;
    for (size_t d = 0; d < c->set.num_devices; d++) {
        const nitro_device *source = c->set.devices[d];
        c->visible[d] = c->usable[d] && d != device &&
                        nitro_kinship_allows(of_target, own, source) &&
                        (of_target.stack || !nitro_device_same_stack(source, own)) &&
                        (of_target.vendor || !nitro_device_same_vendor(source, own));
        count += c->visible[d];
    }
    return count;
}

/** Does the target's own architecture decide, and which sources can tell? */
static void compare_architectures(choosing *c)
{
    nitro_source_choice *choice = c->choice;
    nitro_source_set set = c->set;
    set.losses = c->cross[0]->losses;
    choice->architecture_loss = c->set.architecture_loss = nitro_source_architecture_loss(&set);
    choice->by_architecture = choice->architecture_loss > 0.0 && find_kinship(c).architecture;
    for (size_t d = 0; d < set.num_devices; d++)
        choice->is_comparable[d] = !choice->by_architecture;
    for (size_t d = 0; d < set.num_devices; d++)
        for (size_t other = 0; other < set.num_devices; other++)
            choice->is_comparable[d] |=
                other != d && set.usable[other] &&
                nitro_device_same_architecture(set.devices[d], set.devices[other]);
}

/** To the nearest source that a validation device may have: not its own card, unless the target has
 *  a source of its own. */
static double nearest_hardware(const choosing *c, nitro_kinship of_target,
                               const nitro_device *device)
{
    double least = INFINITY;
    for (size_t d = 0; d < c->set.num_devices; d++)
        if (c->usable[d] && c->set.devices[d] != device &&
            nitro_kinship_allows(of_target, device, c->set.devices[d]))
            least = fmin(least, nitro_device_distance(c->set.devices[d], device, c->set.hardware));
    return least;
}

static bool is_far(const choosing *c)
{
    const nitro_kinship of_target = find_kinship(c);
    double most = 0.0;
    for (size_t d = 0; d < c->set.num_devices; d++) {
        double own = c->usable[d] ? nearest_hardware(c, of_target, c->set.devices[d]) : 0.0;
        most = isinf(own) ? most : fmax(most, own);
    }
    return nearest_hardware(c, of_target, c->task->target) > FAR * most;
}

/* ---- Validation ------------------------------------------------------------------------------ */

/** Mean quality on a device, in percent, of sources weighted by c->weights. */
static double judge(const choosing *c, const nitro_cross_scores *cross, size_t device)
{
    const nitro_dataset *sources = c->task->sources;
    double scores[NITRO_MAX_VARIANTS], sum = 0.0, count = 0.0;
    for (size_t row = 0; row < sources->num_rows; row++) {
        if (sources->row_device[row] != device)
            continue;
        nitro_cross_scores_mix(cross, c->weights, row, scores);
        if (isnan(scores[0]))
            continue;
        sum += nitro_times_quality(nitro_dataset_times(sources, row), cross->num_variants,
                                   nitro_scores_best(scores, cross->num_variants));
        count += 1.0;
    }
    return 100.0 * sum / count;
}

/** Has the device a model of its own? None with relative features if it lacks the device features
 * for them. */
static bool has_model(const choosing *c, const nitro_cross_scores *cross, size_t device)
{
    return !isnan(cross->losses[device * c->set.num_devices + device]);
}

/** Mark the sources that have one. How many. */
static size_t mark_scoring(const choosing *c, const bool *usable, const nitro_cross_scores *cross)
{
    size_t count = 0;
    for (size_t d = 0; d < c->set.num_devices; d++) {
        c->scoring[d] = usable[d] && has_model(c, cross, d);
        count += c->scoring[d];
    }
    return count;
}

/** All weights are 0 if no source has a model. */
static nitro_status weigh(const choosing *c, const bool *usable, const nitro_device *target,
                          size_t candidate, double *weights)
{
    nitro_source_set set = c->set;
    set.usable = c->scoring;
    set.losses = c->cross[is_relative(candidate)]->losses;
    if (mark_scoring(c, usable, c->cross[is_relative(candidate)]) > 0)
        return nitro_source_weigh(c->context, &set, target, rule_of(candidate), weights);
    memset(weights, 0, set.num_devices * sizeof *weights);
    return NITRO_OK;
}

static nitro_status validate(choosing *c)
{
    const nitro_kinship of_target = find_kinship(c);
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < c->set.num_devices && status == NITRO_OK; d++) {
        nitro_source_set visible = c->set;
        visible.usable = c->visible;
        c->choice->nearest[d] = NAN;
        for (size_t k = 0; k < NUM_CANDIDATES; k++)
            c->qualities[k * c->set.num_devices + d] = NAN;
        if (!c->usable[d] || mark_visible(c, of_target, d) == 0)
            continue;
        nitro_source_nearest(&visible, c->set.devices[d], &c->choice->nearest[d]);
        for (size_t k = 0; k < NUM_CANDIDATES && status == NITRO_OK; k++) {
            if (!has_model(c, c->cross[is_relative(k)], d))
                continue;
            status = weigh(c, c->visible, c->set.devices[d], k, c->weights);
            if (status == NITRO_OK)
                c->qualities[k * c->set.num_devices + d] = judge(c, c->cross[is_relative(k)], d);
        }
    }
    return status;
}

/* ---- Choice ---------------------------------------------------------------------------------- */

/** Mean gain of a candidate over the default, where it is clear; else 0. */
static double clear_gain(const choosing *c, size_t base, size_t candidate)
{
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (size_t d = 0; d < c->set.num_devices; d++) {
        double gain = c->qualities[candidate * c->set.num_devices + d] -
                      c->qualities[base * c->set.num_devices + d];
        if (isnan(gain) || !c->choice->is_comparable[d])
            continue;
        sum += gain;
        squares += gain * gain;
        count += 1.0;
    }
    return nitro_source_gain_is_clear(count, sum, squares) ? sum / count : 0.0;
}

static size_t choose(const choosing *c)
{
    bool has_relative = mark_scoring(c, c->usable, c->cross[1]) > 0;
    size_t base = c->choice->is_far || c->cross[0] == c->cross[1] || !has_relative ? 1 : 0;
    size_t chosen = base;
    double most = 0.0;
    for (size_t k = 0; k < NUM_CANDIDATES; k++) {
        double gain = is_relative(k) && base == 1 ? 0.0 : clear_gain(c, base, k);
        if (gain > most) {
            most = gain;
            chosen = k;
        }
    }
    return chosen;
}

/** How much a validation device says of the target: by the difference of their dissimilarity to the
 *  nearest source. For a far target, the worst device counts as much as all others together. */
static double situation_weight(const choosing *c, size_t device)
{
    const nitro_source_choice *choice = c->choice;
    double away = (choice->nearest[device] - choice->dissimilarity) / SITUATION;
    if (!choice->is_far)
        return exp(-0.5 * away * away) + LEAST_SITUATION;
    double count = 0.0;
    bool is_worst = true;
    for (size_t d = 0; d < c->set.num_devices; d++) {
        count += isnan(choice->nearest[d]) ? 0.0 : 1.0;
        is_worst = is_worst && !(choice->lodo.qualities[d] < choice->lodo.qualities[device]);
    }
    return is_worst ? count : 1.0;
}

/** The scores of all rows by the chosen candidate, each source weighted as a target. */
static nitro_status keep_scores(choosing *c, size_t chosen)
{
    const nitro_dataset *sources = c->task->sources;
    const nitro_cross_scores *cross = c->cross[is_relative(chosen)];
    const nitro_kinship of_target = find_kinship(c);
    nitro_lodo *lodo = &c->choice->lodo;
    size_t num_variants = sources->schema->num_variants;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sources->num_rows * num_variants; i++)
        lodo->scores[i] = NAN;
    for (size_t d = 0; d < sources->num_devices; d++)
        lodo->qualities[d] = c->qualities[chosen * sources->num_devices + d];
    for (size_t d = 0; d < sources->num_devices && status == NITRO_OK; d++) {
        if (isnan(lodo->qualities[d]))
            continue;
        mark_visible(c, of_target, d);
        status = weigh(c, c->visible, sources->devices[d], chosen, c->weights);
        lodo->weights[d] = situation_weight(c, d);
        for (size_t row = 0; row < sources->num_rows && status == NITRO_OK; row++)
            if (sources->row_device[row] == d) {
                nitro_cross_scores_mix(cross, c->weights, row, lodo->scores + row * num_variants);
                lodo->num_rows[d] += isnan(lodo->scores[row * num_variants]) ? 0 : 1;
            }
    }
    return status;
}

static nitro_status allocate(choosing *c)
{
    const nitro_dataset *sources = c->task->sources;
    size_t count = sources->num_devices, num_scores = sources->schema->num_variants;
    nitro_source_choice *choice = c->choice;
    num_scores *= sources->num_rows;
    choice->weights = nitro_calloc(c->context, count, sizeof *choice->weights);
    choice->set_aside = nitro_calloc(c->context, count, sizeof *choice->set_aside);
    choice->is_disputed = nitro_calloc(c->context, count, sizeof *choice->is_disputed);
    choice->is_comparable = nitro_calloc(c->context, count, sizeof *choice->is_comparable);
    choice->nearest = nitro_calloc(c->context, count, sizeof *choice->nearest);
    choice->lodo.scores = nitro_calloc(c->context, num_scores, sizeof(double));
    choice->lodo.num_rows = nitro_calloc(c->context, count, sizeof(size_t));
    choice->lodo.qualities = nitro_calloc(c->context, count, sizeof(double));
    choice->lodo.weights = nitro_calloc(c->context, count, sizeof(double));
    c->usable = nitro_calloc(c->context, count, sizeof *c->usable);
    c->visible = nitro_calloc(c->context, count, sizeof *c->visible);
    c->scoring = nitro_calloc(c->context, count, sizeof *c->scoring);
    c->weights = nitro_calloc(c->context, count, sizeof *c->weights);
    c->qualities = nitro_calloc(c->context, count, NUM_CANDIDATES * sizeof *c->qualities);
    return choice->weights && choice->set_aside && choice->is_disputed && choice->is_comparable &&
                   choice->nearest && choice->lodo.scores && choice->lodo.num_rows &&
                   choice->lodo.qualities && choice->lodo.weights && c->usable && c->visible &&
                   c->scoring && c->weights && c->qualities
               ? NITRO_OK
               : NITRO_ERR_NO_MEMORY;
}

static nitro_status run(choosing *c)
{
    nitro_source_choice *choice = c->choice;
    size_t num_usable = 0, num_set_aside = 0;
    nitro_status status = mark_usable(c, &num_usable);
    if (status != NITRO_OK)
        return status;
    for (size_t d = 0; d < c->set.num_devices; d++)
        num_set_aside += choice->set_aside[d];
    bool is_one_left = num_usable == 1 && num_set_aside == c->set.num_devices - 1;
    if (num_usable < 2 && !(is_one_left && num_set_aside > 0))
        return nitro_fail(c->context, NITRO_ERR_NO_DATA,
                          "%s: fewer than two sources have times that depend on their features",
                          c->task->sources->schema->computation);
    compare_architectures(c);
    nitro_source_nearest(&c->set, c->task->target, &choice->dissimilarity);
    choice->is_far = is_far(c);
    status = validate(c);
    if (status != NITRO_OK)
        return status;
    size_t chosen = choose(c);
    choice->rule = rule_of(chosen);
    choice->uses_relative = is_relative(chosen);
    status = weigh(c, c->usable, c->task->target, chosen, choice->weights);
    return status == NITRO_OK ? keep_scores(c, chosen) : status;
}

nitro_status nitro_source_choose(nitro_context *context, const nitro_fit_task *task,
                                 const nitro_cross_scores *const cross[2],
                                 const nitro_string_list *hardware, nitro_source_choice *choice)
{
    nitro_source_choice made = {0};
    choosing c = {.context = context, .task = task, .cross = cross, .choice = &made};
    nitro_status status = allocate(&c);
    c.set = (nitro_source_set){.num_devices = task->sources->num_devices,
                               .devices = task->sources->devices,
                               .usable = c.usable,
                               .hardware = hardware};
    if (status == NITRO_OK)
        status = run(&c);
    free(c.usable);
    free(c.visible);
    free(c.scoring);
    free(c.weights);
    free(c.qualities);
    if (status == NITRO_OK)
        *choice = made;
    else
        nitro_source_choice_free(&made);
    return status;
}
