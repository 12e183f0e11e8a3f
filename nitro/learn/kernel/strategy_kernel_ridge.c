/*
 * Strategy "kernel-ridge": kernel ridge regression of the loss of each variant (1 - best time /
 * time), with a wide and a narrow RBF kernel on landmarks shared by all variants. The defaults come
 * from a study on recorded SpMV data: ridges of 0.6 to 1, and a narrow kernel 1.6 times as narrow,
 * changed the mean quality by less than 0.05; less than half as narrow lost 0.2, as did one width.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/fold_learner.h"
#include "nitro/learn/data/regret.h"
#include "nitro/learn/kernel/landmarks.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/kernel_pair.h"

#define NARROWER 8.0 /* an integer, so that a compiled model computes one exponential */

typedef struct ridge_hyper_parameters {
    double ridge;
    double gamma_times_columns; /* of the wide kernel; distances grow with the columns */
} ridge_hyper_parameters;

/* The default first; the others differ enough to matter. */
static const ridge_hyper_parameters hyper_settings[] = {
    {0.8, 2.2}, {0.1, 2.2}, {6.4, 2.2}, {0.8, 0.55}, {0.8, 8.8}};
static const char *const hyper_parameter_names[] = {
    "its usual ridge and widths", "an eighth of its usual ridge", "eight times its usual ridge",
    "kernels twice as wide", "kernels half as wide"};

enum { NUM_HYPER_SETTINGS = sizeof hyper_settings / sizeof hyper_settings[0] };

static void ridge_free(void *predictor)
{
    nitro_kernel_pair_free(predictor);
}

static void ridge_score(const void *predictor, const double *columns, double *scores)
{
    const nitro_kernel_pair *pair = predictor;
    for (size_t v = 0; v < pair->expansions[NITRO_WIDE]->num_outputs; v++)
        scores[v] = 0.0;
    nitro_kernel_pair_add(pair, -1.0, columns, scores);
}

static nitro_status ridge_terms(nitro_context *context, const void *predictor,
                                nitro_score_terms *terms)
{
    return nitro_kernel_pair_terms(context, predictor, -1.0, terms);
}

/** Targets, shape [count x num_variants], are losses minus each variant's mean, the expansion's
 *  bias. */
static void gather_targets(const nitro_fold_sample *sample, const size_t *members, size_t count,
                           nitro_kernel_expansion *expansion, double *targets)
{
    size_t num_variants = expansion->num_outputs;
    const double *losses = sample->targets;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < num_variants; v++)
            expansion->bias[v] += losses[members[i] * num_variants + v] / (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < num_variants; v++)
            targets[i * num_variants + v] =
                losses[members[i] * num_variants + v] - expansion->bias[v];
}

/** Both on the same landmarks. */
static nitro_status make_expansions(const nitro_fold_sample *sample, const size_t *members,
                                    size_t count, nitro_kernel_pair *pair)
{
    const nitro_training_set *set = sample->set;
    double gamma = hyper_settings[set->hyper_settings[0]].gamma_times_columns /
                   fmax(1.0, (double)set->num_columns);
    nitro_kernel_expansion **wide = &pair->expansions[NITRO_WIDE];
    nitro_kernel_expansion **narrow = &pair->expansions[NITRO_NARROW];
    nitro_status status =
        nitro_landmarks_expansion(sample->context, sample->columns, set->num_columns, members,
                                  count, set->num_variants, gamma, wide);
    if (status == NITRO_OK)
        status = nitro_kernel_expansion_create(sample->context, set->num_columns, set->num_variants,
                                               (*wide)->num_vectors, NARROWER * gamma, narrow);
    if (status == NITRO_OK)
        memcpy((*narrow)->vectors, (*wide)->vectors,
               (*wide)->num_vectors * set->num_columns * sizeof *(*wide)->vectors);
    return status;
}

static nitro_status fit_expansions(const nitro_fold_sample *sample, const size_t *members,
                                   size_t count, nitro_kernel_pair *pair)
{
    const nitro_training_set *set = sample->set;
    double *targets = nitro_calloc(sample->context, count, set->num_variants * sizeof *targets);
    if (!targets)
        return NITRO_ERR_NO_MEMORY;
    gather_targets(sample, members, count, pair->expansions[NITRO_WIDE], targets);
    nitro_status status =
        nitro_landmarks_fit(sample->context, sample->columns, members, count, targets,
                            hyper_settings[set->hyper_settings[0]].ridge, set->num_threads,
                            pair->expansions, NITRO_KERNEL_PAIR_SIZE);
    free(targets);
    return status;
}

/** A fit times its weight into the sums of one expansion; its biases start anew. */
static void move_fit(nitro_kernel_expansion *expansion, double weight, double *sums)
{
    size_t num_outputs = expansion->num_outputs, count = expansion->num_vectors * num_outputs;
    for (size_t i = 0; i < count; i++)
        sums[i] += weight * expansion->coefficients[i];
    for (size_t v = 0; v < num_outputs; v++) {
        sums[count + v] += weight * expansion->bias[v];
        expansion->bias[v] = 0.0;
    }
}

/** The mean, by weight, of a fit of each source on the same landmarks.
 *  @param own   shape [count]: scratch.
 *  @param sums  shape [2 x (vectors + 1) x num_variants], zero. */
static nitro_status average_sources(const nitro_fold_sample *sample, const size_t *members,
                                    size_t count, nitro_kernel_pair *pair, size_t *own,
                                    double *sums)
{
    nitro_kernel_expansion *const *expansions = pair->expansions;
    size_t num_outputs = expansions[NITRO_WIDE]->num_outputs;
    size_t num_coefficients = expansions[NITRO_WIDE]->num_vectors * num_outputs;
    double *of[NITRO_KERNEL_PAIR_SIZE] = {sums, sums + num_coefficients + num_outputs};
    double total = 0.0;
    for (size_t source = 0; source < nitro_fold_num_sources(sample); source++) {
        size_t num_own = nitro_fold_members_of(sample, members, count, source, own);
        if (num_own == 0)
            continue;
        double weight = nitro_fold_source_weight(sample, own[0]);
        nitro_status status = fit_expansions(sample, own, num_own, pair);
        if (status != NITRO_OK)
            return status;
        for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE; m++)
            move_fit(expansions[m], weight, of[m]);
        total += weight;
    }
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE; m++) {
        for (size_t i = 0; i < num_coefficients; i++)
            expansions[m]->coefficients[i] = of[m][i] / total;
        for (size_t v = 0; v < num_outputs; v++)
            expansions[m]->bias[v] = of[m][num_coefficients + v] / total;
    }
    return NITRO_OK;
}

static nitro_status fit_sources(const nitro_fold_sample *sample, const size_t *members,
                                size_t count, nitro_kernel_pair *pair)
{
    size_t num_variants = sample->set->num_variants;
    size_t size = (pair->expansions[NITRO_WIDE]->num_vectors + 1) * num_variants;
    size_t *own = nitro_calloc(sample->context, count, sizeof *own);
    double *sums = nitro_calloc(sample->context, NITRO_KERNEL_PAIR_SIZE * size, sizeof *sums);
    nitro_status status = own && sums ? average_sources(sample, members, count, pair, own, sums)
                                      : NITRO_ERR_NO_MEMORY;
    free(own);
    free(sums);
    return status;
}

static nitro_status train_pair(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               nitro_kernel_pair *pair)
{
    nitro_status status = make_expansions(sample, members, count, pair);
    if (status != NITRO_OK)
        return status;
    return sample->set->source_weights ? fit_sources(sample, members, count, pair)
                                       : fit_expansions(sample, members, count, pair);
}

static nitro_status train_term(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               void **predictor)
{
    nitro_kernel_pair *pair = nitro_calloc(sample->context, 1, sizeof *pair);
    if (!pair)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = train_pair(sample, members, count, pair);
    if (status == NITRO_OK)
        *predictor = pair;
    else
        nitro_kernel_pair_free(pair);
    return status;
}

static nitro_status ridge_train(nitro_context *context, const nitro_training_set *set,
                                void **predictor, double *held_out_scores)
{
    static const nitro_fold_learner learner = {.find_targets = nitro_losses_find,
                                               .train = train_term,
                                               .score = ridge_score,
                                               .free = ridge_free};
    return nitro_fold_learner_train(context, set, &learner, predictor, held_out_scores);
}

static nitro_status ridge_encode(nitro_context *context, const void *predictor, json_t **json)
{
    return nitro_kernel_pair_encode(context, predictor, json);
}

static nitro_status ridge_decode(nitro_context *context, const char *path, const json_t *json,
                                 size_t num_columns, size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    nitro_kernel_pair *pair = NULL;
    nitro_status status = nitro_kernel_pair_decode(&place, json, num_columns, num_variants, &pair);
    if (status == NITRO_OK)
        *predictor = pair;
    return status;
}

const nitro_strategy nitro_strategy_kernel_ridge = {
    .name = "kernel-ridge",
    .description = "kernel ridge regression of 1 - best time / time, a wide and a narrow kernel",
    .priority = 3,
    .dfs = "omit",
    .loss_per_score = 1.0,
    .num_hyper_settings = NUM_HYPER_SETTINGS,
    .hyper_settings = hyper_parameter_names,
    .train = ridge_train,
    .score = ridge_score,
    .terms = ridge_terms,
    .encode = ridge_encode,
    .decode = ridge_decode,
    .free = ridge_free,
};
