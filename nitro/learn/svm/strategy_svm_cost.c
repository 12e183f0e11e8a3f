/*
 * Strategy "svm-cost": one-vs-one SVMs whose rows are weighted by the cost of a wrong choice,
 * approximated by sums over landmarks. C and gamma are fixed: on recorded SpMV data choosing them
 * by cross-validation or leave-one-device-out validation was no better.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/parallel.h"
#include "nitro/learn/data/fold_learner.h"
#include "nitro/learn/data/regret.h"
#include "nitro/learn/kernel/kernel_matrix.h"
#include "nitro/learn/kernel/landmarks.h"
#include "nitro/learn/svm/smo.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/score_terms.h"

#define COST                100.0
#define GAMMA_TIMES_COLUMNS 1.6 /* 0.1 for 16 columns: distances grow with their number */
/* A soft vote is worth 0.15 of the performance, the mean cost of a pair's rows near the border. */
#define SOFT_VOTE_LOSS 0.15
#define REGRET_CAP     2.302585092994046 /* ln 10: higher regrets weigh no more */
#define TOLERANCE      1e-3
#define RIDGE          0.01 /* of the fit on landmarks: the smaller, the closer to the SVMs */

typedef struct cost_predictor {
    size_t num_variants;
    nitro_kernel_expansion *expansion; /* an output a pair: (0,1), (0,2), ..., (1,2), ... */
} cost_predictor;

/** The training rows of one fold, whose pairs are trained in parallel. */
typedef struct cost_fold {
    const nitro_fold_sample *sample; /* its targets are regrets, not capped */
    const float *kernel;             /* shape [sample x sample] */
    const size_t *members;
    size_t count, num_pairs;
    double *coefficients; /* shape [num_pairs x count] */
    double *bias;         /* shape [num_pairs] */
} cost_fold;

static double find_gamma(const nitro_training_set *set)
{
    return GAMMA_TIMES_COLUMNS / fmax(1.0, (double)set->num_columns);
}

static const float *kernel_row(const cost_fold *fold, size_t row)
{
    return fold->kernel + row * fold->sample->folds.num_rows;
}

static void cost_free(void *user)
{
    cost_predictor *predictor = user;
    if (!predictor)
        return;
    nitro_kernel_expansion_free(predictor->expansion);
    free(predictor);
}

static nitro_score_term only_term(const cost_predictor *predictor)
{
    return (nitro_score_term){
        .kind = NITRO_TERM_SOFT_VOTES, .weight = 1.0, .kernels = predictor->expansion};
}

static void cost_score(const void *user, const double *columns, double *scores)
{
    const cost_predictor *predictor = user;
    nitro_score_term term = only_term(predictor);
    nitro_score_term_score(&term, predictor->expansion->num_columns, predictor->num_variants,
                           columns, scores);
}

static nitro_status cost_terms(nitro_context *context, const void *user, nitro_score_terms *terms)
{
    nitro_score_term term = only_term(user);
    return nitro_score_terms_add(context, terms, &term);
}

/* ---- One pair ----------------------------------------------------------------------------- */

/** The rows on which the two variants of a pair differ: which is faster, and by how much. */
typedef struct pair_problem {
    size_t num_rows, num_first; /* all, and those where the first variant is faster */
    size_t *places;             /* shape [num_rows]: indices into the members */
    uint32_t *rows;             /* shape [num_rows]: of the kernel */
    signed char *labels;
    double *weights;
    double *coefficients;
} pair_problem;

static void free_problem(pair_problem *problem)
{
    free(problem->places);
    free(problem->rows);
    free(problem->labels);
    free(problem->weights);
}

static nitro_status allocate_problem(nitro_context *context, size_t num_rows, pair_problem *problem)
{
    problem->places = nitro_calloc(context, num_rows, sizeof *problem->places);
    problem->rows = nitro_calloc(context, num_rows, sizeof *problem->rows);
    problem->labels = nitro_calloc(context, num_rows, sizeof *problem->labels);
    problem->weights = nitro_calloc(context, num_rows, 2 * sizeof *problem->weights);
    if (!problem->places || !problem->rows || !problem->labels || !problem->weights)
        return NITRO_ERR_NO_MEMORY;
    problem->coefficients = problem->weights + num_rows;
    return NITRO_OK;
}

/** How much slower the first variant is; NaN if unknown. */
static double find_difference(const cost_fold *fold, size_t place, size_t first, size_t second)
{
    const double *regrets =
        fold->sample->targets + fold->members[place] * fold->sample->set->num_variants;
    return regrets[first] - regrets[second];
}

static void fill_problem(const cost_fold *fold, size_t first, size_t second, pair_problem *problem)
{
    for (size_t place = 0; place < fold->count; place++) {
        double difference = find_difference(fold, place, first, second);
        double weight = nitro_fold_source_weight(fold->sample, fold->members[place]);
        if (isnan(difference) || difference == 0.0)
            continue;
        size_t at = problem->num_rows++;
        problem->places[at] = place;
        problem->rows[at] = (uint32_t)fold->members[place];
        problem->labels[at] = difference < 0.0 ? 1 : -1;
        problem->weights[at] = fmin(fabs(difference), REGRET_CAP) * weight;
        problem->num_first += difference < 0.0;
    }
}

static void gather(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                   float *column)
{
    const float *kernel = kernel_row(user, row);
    for (size_t k = 0; k < count; k++)
        column[k] = kernel[rows[k]];
}

static nitro_status solve(const cost_fold *fold, const pair_problem *problem, size_t pair)
{
    const nitro_smo_problem smo_problem = {.num_rows = problem->num_rows,
                                           .labels = problem->labels,
                                           .weights = problem->weights,
                                           .ids = problem->rows,
                                           .gather = gather,
                                           .user = fold,
                                           .tolerance = TOLERANCE};
    nitro_smo *smo = NULL;
    nitro_status status = nitro_smo_create(fold->sample->context, &smo_problem, &smo);
    if (status != NITRO_OK)
        return status;
    double rho;
    nitro_smo_solve(smo, COST, problem->coefficients, &rho);
    nitro_smo_free(smo);
    fold->bias[pair] = -rho;
    for (size_t i = 0; i < problem->num_rows; i++)
        fold->coefficients[pair * fold->count + problem->places[i]] = problem->coefficients[i];
    return NITRO_OK;
}

static void find_pair(size_t num_variants, size_t pair, size_t *first, size_t *second)
{
    *first = 0;
    for (size_t others = num_variants - 1; pair >= others; others--) {
        pair -= others;
        ++*first;
    }
    *second = *first + 1 + pair;
}

static nitro_status train_pair(void *user, size_t pair)
{
    const cost_fold *fold = user;
    size_t first, second;
    find_pair(fold->sample->set->num_variants, pair, &first, &second);
    pair_problem problem = {0};
    nitro_status status = allocate_problem(fold->sample->context, fold->count, &problem);
    if (status == NITRO_OK) {
        fill_problem(fold, first, second, &problem);
        if (problem.num_first > 0 && problem.num_first < problem.num_rows)
            status = solve(fold, &problem, pair);
        else if (problem.num_rows > 0) /* one variant is always faster */
            fold->bias[pair] = problem.num_first > 0 ? 1.0 : -1.0;
    }
    free_problem(&problem);
    return status;
}

/* ---- Training ----------------------------------------------------------------------------- */

/** The SVMs' decision values of each member, without biases. They are not clipped to votes:
 * landmarks approximate the kinks badly, which costs half a percent of quality. */
static void evaluate_members(const cost_fold *fold, double *targets)
{
    for (size_t i = 0; i < fold->count; i++) {
        const float *kernel = kernel_row(fold, fold->members[i]);
        for (size_t pair = 0; pair < fold->num_pairs; pair++) {
            const double *coefficients = fold->coefficients + pair * fold->count;
            double sum = 0.0;
            for (size_t k = 0; k < fold->count; k++)
                if (coefficients[k] != 0.0)
                    sum += coefficients[k] * (double)kernel[fold->members[k]];
            targets[i * fold->num_pairs + pair] = sum;
        }
    }
}

static bool supports(const cost_fold *fold, size_t place)
{
    for (size_t pair = 0; pair < fold->num_pairs; pair++)
        if (fold->coefficients[pair * fold->count + place] != 0.0)
            return true;
    return false;
}

/** The support vectors of all pairs, with a coefficient for every pair. */
static nitro_status keep_vectors(const cost_fold *fold, size_t num_vectors,
                                 nitro_kernel_expansion **expansion)
{
    const nitro_fold_sample *sample = fold->sample;
    size_t width = sample->set->num_columns;
    nitro_status status = nitro_kernel_expansion_create(
        sample->context, width, fold->num_pairs, num_vectors, find_gamma(sample->set), expansion);
    for (size_t place = 0, vector = 0; status == NITRO_OK && place < fold->count; place++) {
        if (!supports(fold, place))
            continue;
        memcpy((*expansion)->vectors + vector * width,
               sample->columns + fold->members[place] * width, width * sizeof(double));
        for (size_t pair = 0; pair < fold->num_pairs; pair++)
            (*expansion)->coefficients[vector * fold->num_pairs + pair] =
                fold->coefficients[pair * fold->count + place];
        vector++;
    }
    return status;
}

/** An approximation of the SVMs by landmarks, which bound the cost of a decision. */
static nitro_status fit_landmarks(const cost_fold *fold, nitro_kernel_expansion **expansion)
{
    const nitro_fold_sample *sample = fold->sample;
    const nitro_training_set *set = sample->set;
    nitro_kernel_expansion *made = NULL;
    double *targets = nitro_calloc(sample->context, fold->count, fold->num_pairs * sizeof *targets);
    if (!targets)
        return NITRO_ERR_NO_MEMORY;
    evaluate_members(fold, targets);
    nitro_status status =
        nitro_landmarks_expansion(sample->context, sample->columns, set->num_columns, fold->members,
                                  fold->count, fold->num_pairs, find_gamma(set), &made);
    if (status == NITRO_OK)
        status = nitro_landmarks_fit(sample->context, sample->columns, fold->members, fold->count,
                                     targets, RIDGE, set->num_threads, &made, 1);
    free(targets);
    if (status == NITRO_OK)
        *expansion = made;
    else
        nitro_kernel_expansion_free(made);
    return status;
}

static nitro_status make_expansion(const cost_fold *fold, nitro_kernel_expansion **expansion)
{
    size_t num_vectors = 0;
    for (size_t place = 0; place < fold->count; place++)
        num_vectors += supports(fold, place);
    nitro_status status = num_vectors <= NITRO_LANDMARKS_MAX
                              ? keep_vectors(fold, num_vectors, expansion)
                              : fit_landmarks(fold, expansion);
    if (status == NITRO_OK)
        memcpy((*expansion)->bias, fold->bias, fold->num_pairs * sizeof(double));
    return status;
}

static nitro_status train_svms(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               nitro_kernel_expansion **expansion)
{
    cost_fold fold = {.sample = sample,
                      .kernel = sample->shared,
                      .members = members,
                      .count = count,
                      .num_pairs = nitro_svm_num_pairs(sample->set->num_variants)};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    fold.coefficients = nitro_calloc(sample->context, fold.num_pairs + 1, count * sizeof(double));
    fold.bias = nitro_calloc(sample->context, fold.num_pairs + 1, sizeof(double));
    if (fold.coefficients && fold.bias)
        status = nitro_parallel_run(sample->set->num_threads, fold.num_pairs, train_pair, &fold);
    if (status == NITRO_OK)
        status = make_expansion(&fold, expansion);
    free(fold.coefficients);
    free(fold.bias);
    return status;
}

static nitro_status train_fold(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               void **predictor)
{
    cost_predictor *made = nitro_calloc(sample->context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_variants = sample->set->num_variants;
    nitro_status status = train_svms(sample, members, count, &made->expansion);
    if (status == NITRO_OK)
        *predictor = made;
    else
        cost_free(made);
    return status;
}

static nitro_status prepare_kernel(const nitro_fold_sample *sample, void **shared)
{
    const nitro_training_set *set = sample->set;
    float *kernel = NULL;
    nitro_status status =
        nitro_kernel_matrix(sample->context, sample->columns, sample->folds.num_rows,
                            set->num_columns, find_gamma(set), set->num_threads, &kernel);
    if (status == NITRO_OK)
        *shared = kernel;
    return status;
}

static nitro_status cost_train(nitro_context *context, const nitro_training_set *set,
                               void **predictor, double *held_out_scores)
{
    static const nitro_fold_learner learner = {.find_targets = nitro_regrets_find,
                                               .prepare = prepare_kernel,
                                               .train = train_fold,
                                               .score = cost_score,
                                               .free = cost_free};
    return nitro_fold_learner_train(context, set, &learner, predictor, held_out_scores);
}

/* ---- Model files -------------------------------------------------------------------------- */

static nitro_status cost_encode(nitro_context *context, const void *user, json_t **json)
{
    const cost_predictor *predictor = user;
    return nitro_kernel_expansion_encode(context, predictor->expansion, json);
}

static nitro_status cost_decode(nitro_context *context, const char *path, const json_t *json,
                                size_t num_columns, size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    cost_predictor *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_variants = num_variants;
    nitro_status status = nitro_kernel_expansion_decode(
        &place, json, num_columns, nitro_svm_num_pairs(num_variants), &made->expansion);
    if (status == NITRO_OK)
        *predictor = made;
    else
        cost_free(made);
    return status;
}

const nitro_strategy nitro_strategy_svm_cost = {
    .name = "svm-cost",
    .description = "one-vs-one SVMs, each row weighted by what a wrong choice costs there",
    .priority = 5,
    .dfs = "omit",
    .loss_per_score = SOFT_VOTE_LOSS,
    .train = cost_train,
    .score = cost_score,
    .terms = cost_terms,
    .encode = cost_encode,
    .decode = cost_decode,
    .free = cost_free,
};
