/*
 * Strategy "auto": strategies that err differently, averaged. Hides who they are and their weights:
 * each one's scores, times its weight, are about the expected ln(time / best time), negated. Of the
 * blends in a study on recorded SpMV data (devices of one vendor and of two, a target's generation
 * left out, inputs split by groups) the plain average was the one that never was far from the best.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/json.h"
#include "nitro/parts.h"

extern const nitro_strategy nitro_strategy_forest;
extern const nitro_strategy nitro_strategy_kernel_ridge;
extern const nitro_strategy nitro_strategy_svm_cost;

static const nitro_strategy *const members[] = {
    &nitro_strategy_kernel_ridge,
    &nitro_strategy_forest,
    &nitro_strategy_svm_cost,
};

enum { NUM_MEMBERS = sizeof members / sizeof members[0] };

static double weight_of(size_t member)
{
    return members[member]->regret_per_score / (double)NUM_MEMBERS;
}

typedef struct auto_predictor {
    size_t num_variants;
    void *members[NUM_MEMBERS];
} auto_predictor;

static void auto_free(void *user)
{
    auto_predictor *predictor = user;
    if (!predictor)
        return;
    for (size_t m = 0; m < NUM_MEMBERS; m++)
        members[m]->free(predictor->members[m]);
    free(predictor);
}

static void auto_score(const void *user, const double *columns, double *scores)
{
    const auto_predictor *predictor = user;
    double own[NITRO_MAX_VARIANTS];
    for (size_t v = 0; v < predictor->num_variants; v++)
        scores[v] = 0.0;
    for (size_t m = 0; m < NUM_MEMBERS; m++) {
        members[m]->score(predictor->members[m], columns, own);
        for (size_t v = 0; v < predictor->num_variants; v++)
            scores[v] += weight_of(m) * own[v];
    }
}

static nitro_status auto_parts(nitro_context *context, const void *user, nitro_parts *parts)
{
    const auto_predictor *predictor = user;
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        size_t first = parts->count;
        status = members[m]->parts(context, predictor->members[m], parts);
        for (size_t i = first; i < parts->count; i++)
            parts->items[i].weight *= weight_of(m);
    }
    return status;
}

/* ---- Training ----------------------------------------------------------------------------- */

/** Members hold out the same rows, so that their held-out scores add up like any others. */
static nitro_status train_members(nitro_context *context, const nitro_training_set *set,
                                  auto_predictor *predictor, double *own, double *sums)
{
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        status = members[m]->train(context, set, &predictor->members[m], own);
        for (size_t i = 0; status == NITRO_OK && own && i < set->num_rows * set->num_variants; i++)
            sums[i] = (m > 0 ? sums[i] : 0.0) + weight_of(m) * own[i];
    }
    return status;
}

static nitro_status auto_train(nitro_context *context, const nitro_training_set *set,
                               void **predictor, double *held_out_scores)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    auto_predictor *made = nitro_calloc(context, 1, sizeof *made);
    double *own = nitro_calloc(context, set->num_rows, set->num_variants * sizeof *own);
    if (!made || !own)
        goto free_all;
    made->num_variants = set->num_variants;
    status = train_members(context, set, made, held_out_scores ? own : NULL, held_out_scores);
    if (status != NITRO_OK)
        goto free_all;
    *predictor = made;
    free(own);
    return NITRO_OK;

free_all:
    auto_free(made);
    free(own);
    return status;
}

/* ---- Model files -------------------------------------------------------------------------- */

static nitro_status auto_encode(nitro_context *context, const void *user, json_t **json)
{
    const auto_predictor *predictor = user;
    json_t *made = json_object();
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        json_t *own = NULL;
        status = members[m]->encode(context, predictor->members[m], &own);
        if (status == NITRO_OK && json_object_set_new(made, members[m]->name, own) != 0)
            status =
                nitro_fail(context, NITRO_ERR_NO_MEMORY,
                           "out of memory: cannot encode a model of %d strategies", NUM_MEMBERS);
    }
    if (status == NITRO_OK)
        *json = made;
    else
        json_decref(made);
    return status;
}

static nitro_status auto_decode(nitro_context *context, const char *path, const json_t *json,
                                size_t num_columns, size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    auto_predictor *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_variants = num_variants;
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        json_t *own = NULL;
        status = nitro_json_member(&place, json, members[m]->name, JSON_OBJECT, &own);
        if (status == NITRO_OK)
            status = members[m]->decode(context, path, own, num_columns, num_variants,
                                        &made->members[m]);
    }
    if (status == NITRO_OK)
        *predictor = made;
    else
        auto_free(made);
    return status;
}

const nitro_strategy nitro_strategy_auto = {
    .name = "auto",
    .description = "kernel-ridge, forest and svm-cost, their scores averaged",
    .priority = 30, /* compiled, it decides fast enough to be the default */
    .dfs = "omit",
    .regret_per_score = 1.0,
    .train = auto_train,
    .score = auto_score,
    .parts = auto_parts,
    .encode = auto_encode,
    .decode = auto_decode,
    .free = auto_free,
};
