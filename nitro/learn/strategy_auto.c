/*
 * Strategy "auto": an ensemble, the weighted average of strategies with different errors. Boosted
 * trees as the second member are as good as a forest on recorded SpMV data, with hundreds of inputs
 * a device, and better from ten inputs of each of two or four (docs/quality.md). Training selects
 * one member where LODO validation shows that it is clearly better.
 */
#include <stdlib.h>

#include "nitro/base/json.h"
#include "nitro/runtime/scores/score_terms.h"

extern const nitro_strategy nitro_strategy_boosted;
extern const nitro_strategy nitro_strategy_kernel_ridge;

enum { NUM_MEMBERS = 2 };

static const nitro_strategy *const members[NUM_MEMBERS] = {&nitro_strategy_kernel_ridge,
                                                           &nitro_strategy_boosted};
static const double weights[NUM_MEMBERS] = {2.0, 1.0};

typedef struct auto_predictor {
    size_t num_variants;
    double sum_weights;         /* of the members used */
    void *members[NUM_MEMBERS]; /* NULL: not used */
} auto_predictor;

/** The weight of its scores, not normalized. */
static double own_weight(size_t member)
{
    return members[member]->loss_per_score * weights[member];
}

static double weight_of(const auto_predictor *predictor, size_t member)
{
    return own_weight(member) / predictor->sum_weights;
}

static void auto_free(void *user)
{
    auto_predictor *predictor = user;
    if (!predictor)
        return;
    for (size_t m = 0; m < NUM_MEMBERS; m++)
        if (predictor->members[m])
            members[m]->free(predictor->members[m]);
    free(predictor);
}

static nitro_status auto_terms(nitro_context *context, const void *user, nitro_score_terms *terms)
{
    const auto_predictor *predictor = user;
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        size_t first = terms->count;
        if (predictor->members[m])
            status = members[m]->terms(context, predictor->members[m], terms);
        for (size_t i = first; i < terms->count; i++)
            terms->items[i].weight *= weight_of(predictor, m);
    }
    return status;
}

/** By score terms, as compiled models do: the same sums in the same order. */
static void auto_score(const void *user, const double *columns, double *scores)
{
    const auto_predictor *predictor = user;
    nitro_score_terms terms = {.num_variants = predictor->num_variants};
    auto_terms(NULL, predictor, &terms); /* there is room for all */
    nitro_score_terms_score(&terms, columns, scores);
}

static void auto_score_members(const void *user, const double *columns, double *scores)
{
    const auto_predictor *predictor = user;
    for (size_t m = 0; m < NUM_MEMBERS; m++) {
        double *own = scores + m * predictor->num_variants;
        members[m]->score(predictor->members[m], columns, own);
        for (size_t v = 0; v < predictor->num_variants; v++)
            own[v] *= own_weight(m);
    }
}

static bool is_selected(const nitro_training_set *set, size_t member)
{
    return set->members == 0 || set->members >> member & 1;
}

/** Members hold out the same rows, so that their held-out scores can be added. */
static nitro_status train_members(nitro_context *context, const nitro_training_set *set,
                                  auto_predictor *predictor, double *own, double *sums)
{
    nitro_status status = NITRO_OK;
    size_t num_scores = sums ? set->num_rows * set->num_variants : 0;
    for (size_t m = 0; m < NUM_MEMBERS; m++)
        predictor->sum_weights += is_selected(set, m) ? weights[m] : 0.0;
    for (size_t i = 0; i < num_scores; i++)
        sums[i] = 0.0;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        if (!is_selected(set, m))
            continue;
        nitro_training_set own_set = *set;
        own_set.hyper_settings[0] = set->hyper_settings[m];
        status = members[m]->train(context, &own_set, &predictor->members[m], sums ? own : NULL);
        for (size_t i = 0; status == NITRO_OK && i < num_scores; i++)
            sums[i] += weight_of(predictor, m) * own[i];
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
    status = train_members(context, set, made, own, held_out_scores);
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

static nitro_status auto_encode(nitro_context *context, const void *user, json_t **json)
{
    const auto_predictor *predictor = user;
    json_t *made = json_object();
    nitro_status status = NITRO_OK;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        json_t *own = NULL;
        if (!predictor->members[m])
            continue;
        status = members[m]->encode(context, predictor->members[m], &own);
        if (status == NITRO_OK && json_object_set_new(made, members[m]->name, own) != 0)
            status = nitro_fail(context, NITRO_ERR_NO_MEMORY,
                                "out of memory: cannot encode an ensemble's %s", members[m]->name);
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
    nitro_status status = NITRO_OK;
    size_t num_used = 0;
    auto_predictor *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_variants = num_variants;
    for (size_t m = 0; m < NUM_MEMBERS && status == NITRO_OK; m++) {
        json_t *own = NULL;
        if (!json_object_get(json, members[m]->name))
            continue;
        num_used++;
        made->sum_weights += weights[m];
        status = nitro_json_member(&place, json, members[m]->name, JSON_OBJECT, &own);
        if (status == NITRO_OK)
            status = members[m]->decode(context, path, own, num_columns, num_variants,
                                        &made->members[m]);
    }
    if (status == NITRO_OK && (num_used == 0 || num_used < json_object_size(json)))
        status = nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: field predictor: expected kernel-ridge, boosted or both, and "
                            "nothing else",
                            path);
    if (status == NITRO_OK)
        *predictor = made;
    else
        auto_free(made);
    return status;
}

const nitro_strategy nitro_strategy_auto = {
    .name = "auto",
    .description =
        "kernel-ridge and boosted averaged, or the one that LODO validation shows to be better; "
        "boosted for a device's own samples",
    .priority = 30, /* the default */
    .dfs = "omit",
    .loss_per_score = 1.0,
    .train = auto_train,
    .score = auto_score,
    .num_members = NUM_MEMBERS,
    .members = members,
    .score_members = auto_score_members,
    .terms = auto_terms,
    .encode = auto_encode,
    .decode = auto_decode,
    .free = auto_free,
};
