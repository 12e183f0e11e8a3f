/*
 * Recipes by left-out sources. Hides how hyper-parameters are compared: a strategy by itself, also
 * where another averages it, with all sources left out in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/dataset.h"
#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/train.h"

/** One strategy's recipes, and what was seen of them. */
typedef struct recipe_trials {
    nitro_context *context;
    nitro_lesson lesson; /* the strategy's own */
    const nitro_model *model;
    nitro_leave_out usual;
    nitro_gain *gains; /* shape [num_devices] */
} recipe_trials;

static nitro_status try_recipe(recipe_trials *t, size_t recipe, double *gain)
{
    nitro_leave_out other = {0};
    t->lesson.recipes[0] = recipe;
    nitro_status status = nitro_leave_out_run(t->context, &t->lesson, t->model, &other);
    if (status != NITRO_OK)
        return status;
    nitro_leave_out_compare(t->lesson.sources, &t->usual, &other, t->gains);
    *gain = nitro_promise_clear_gain(t->model->promise, t->gains);
    nitro_leave_out_free(&other);
    return NITRO_OK;
}

static void say_recipe(const recipe_trials *t, size_t recipe, double gain)
{
    if (!t->lesson.quiet)
        nitro_log(
            t->context, NITRO_LOG_INFO,
            "strategy %s learns with %s for target %s: on sources that were left out, quality "
            "is %.1f %% better than with %s",
            t->lesson.strategy->name, t->lesson.strategy->recipes[recipe], t->lesson.target->id,
            gain, t->lesson.strategy->recipes[0]);
}

/** The best of those that are clearly better than the usual one, or that. */
static nitro_status try_recipes(recipe_trials *t, size_t *chosen)
{
    double best = 0.0;
    nitro_status status = nitro_leave_out_run(t->context, &t->lesson, t->model, &t->usual);
    for (size_t r = 1; r < t->lesson.strategy->num_recipes && status == NITRO_OK; r++) {
        double gain = 0.0;
        status = try_recipe(t, r, &gain);
        if (gain > best) {
            best = gain;
            *chosen = r;
        }
    }
    if (status == NITRO_OK && *chosen > 0)
        say_recipe(t, *chosen, best);
    return status;
}

static nitro_status choose_recipe(nitro_context *context, const nitro_lesson *lesson,
                                  const nitro_strategy *strategy, const nitro_model *model,
                                  size_t *chosen)
{
    recipe_trials t = {.context = context, .lesson = *lesson, .model = model};
    t.lesson.strategy = strategy;
    t.lesson.members = 0;
    memset(t.lesson.recipes, 0, sizeof t.lesson.recipes);
    t.gains = nitro_calloc(context, lesson->sources->num_devices, sizeof *t.gains);
    nitro_status status = t.gains ? try_recipes(&t, chosen) : NITRO_ERR_NO_MEMORY;
    nitro_leave_out_free(&t.usual);
    free(t.gains);
    return status;
}

nitro_status nitro_model_choose_recipes(nitro_context *context, nitro_lesson *lesson,
                                        const nitro_model *model, bool *is_changed)
{
    const nitro_strategy *strategy = lesson->strategy;
    const nitro_strategy *const *choosers = strategy->num_members ? strategy->members : &strategy;
    size_t num_choosers = strategy->num_members ? strategy->num_members : 1;
    size_t recipes[NITRO_MAX_MEMBERS] = {0};
    nitro_status status = NITRO_OK;
    bool is_any = false;
    if (!model->promise || model->promise->num_sources < NITRO_MIN_JUDGES)
        num_choosers = 0;
    for (size_t i = 0; i < num_choosers && status == NITRO_OK; i++) {
        if (choosers[i]->num_recipes > 1)
            status = choose_recipe(context, lesson, choosers[i], model, &recipes[i]);
        is_any |= recipes[i] > 0;
    }
    if (status == NITRO_ERR_NO_DATA) /* too few inputs to leave some of them out */
        status = NITRO_OK;
    if (status != NITRO_OK)
        return status;
    if (is_any)
        memcpy(lesson->recipes, recipes, sizeof recipes);
    *is_changed = is_any;
    return NITRO_OK;
}
