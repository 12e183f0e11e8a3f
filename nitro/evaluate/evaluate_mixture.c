/*
 * The source-weight oracle `mixture`: of the sources' own models, with and without relative
 * features, the weighted mean of scores that is best on the target's test inputs. It shows what
 * weights of sources can reach at most, and is no model.
 */
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"

#define NUM_STEPS 16 /* each adds one model: weights are multiples of its reciprocal */

typedef struct mixing {
    const nitro_evaluation *evaluation;
    size_t target;
    const size_t *rows; /* shape [num_rows]: test rows of the target */
    size_t num_rows, num_variants, num_models;
    double *scores; /* shape [num_models x num_rows x num_variants]; minus infinity: not allowed */
    double *sums;   /* shape [num_rows x num_variants]: of the models taken so far */
} mixing;

static nitro_status train_one(const mixing *m, size_t source, bool uses_relative,
                              nitro_model **model)
{
    const nitro_string_list no_device_features = {0};
    nitro_evaluation_training how = {.device_features = &no_device_features,
                                     .without_relative = !uses_relative,
                                     .is_quiet = true};
    nitro_dataset *own = NULL;
    nitro_status status = nitro_strategy_find(m->evaluation->context, "auto", &how.strategy);
    if (status == NITRO_OK)
        status = nitro_evaluation_select_own(m->evaluation, source, &own);
    if (status == NITRO_OK)
        status = nitro_evaluation_train(m->evaluation, &how, own, m->target, model);
    nitro_dataset_free(own);
    return status;
}

/** Train the model of one source, and keep its scores of all rows. */
static nitro_status add_model(mixing *m, size_t source, bool uses_relative)
{
    const nitro_dataset *dataset = m->evaluation->dataset;
    uint64_t known = nitro_dataset_known_variants(dataset, m->target);
    nitro_model *model = NULL;
    nitro_status status = train_one(m, source, uses_relative, &model);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < m->num_rows; i++) {
        double *scores = m->scores + (m->num_models * m->num_rows + i) * m->num_variants;
        nitro_model_score_uses(model, nitro_dataset_features(dataset, m->rows[i]),
                               m->evaluation->share, scores);
        nitro_scores_restrict(scores, m->num_variants,
                              nitro_dataset_row_variants(dataset, m->rows[i], known));
    }
    m->num_models++;
    nitro_model_free(model);
    return NITRO_OK;
}

static nitro_status add_models(mixing *m, const bool *is_source)
{
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < m->evaluation->dataset->num_devices && status == NITRO_OK; d++)
        for (int relative = 0; relative < 2 && is_source[d] && status == NITRO_OK; relative++)
            status = add_model(m, d, relative == 1);
    return status;
}

static size_t best_with(const mixing *m, size_t model, size_t row)
{
    const double *own = m->scores + (model * m->num_rows + row) * m->num_variants;
    double scores[NITRO_MAX_VARIANTS];
    for (size_t v = 0; v < m->num_variants; v++)
        scores[v] = m->sums[row * m->num_variants + v] + own[v];
    return nitro_scores_best(scores, m->num_variants);
}

/** Sum of qualities of the models taken so far and `model`. */
static double judge(const mixing *m, size_t model)
{
    double sum = 0.0;
    for (size_t i = 0; i < m->num_rows; i++)
        sum += nitro_times_quality(nitro_evaluation_times(m->evaluation, m->rows[i]),
                                   m->num_variants, best_with(m, model, i));
    return sum;
}

/** Add the model that helps most, again and again; the choices of the best of these mixtures. */
static void search(const mixing *m, size_t *choices)
{
    double best = -1.0;
    for (size_t step = 0; step < NUM_STEPS; step++) {
        size_t chosen = 0;
        double most = -1.0;
        for (size_t k = 0; k < m->num_models; k++) {
            double own = judge(m, k);
            chosen = own > most ? k : chosen;
            most = own > most ? own : most;
        }
        for (size_t i = 0; i < m->num_rows && most > best; i++)
            choices[i] = best_with(m, chosen, i);
        best = most > best ? most : best;
        const double *own = m->scores + chosen * m->num_rows * m->num_variants;
        for (size_t i = 0; i < m->num_rows * m->num_variants; i++)
            m->sums[i] += own[i];
    }
}

nitro_status nitro_evaluation_choose_mixture(nitro_evaluation *evaluation, size_t target,
                                             const size_t *rows, size_t num_rows, size_t *choices)
{
    bool *marks = NULL;
    nitro_status status = nitro_evaluation_mark_sources(evaluation, target, &marks);
    if (status != NITRO_OK)
        return status;
    mixing m = {.evaluation = evaluation,
                .target = target,
                .rows = rows,
                .num_rows = num_rows,
                .num_variants = evaluation->dataset->schema->num_variants};
    size_t num_scores = num_rows * m.num_variants,
           num_models = 2 * evaluation->dataset->num_devices;
    m.scores = nitro_calloc(evaluation->context, num_models * num_scores + 1, sizeof *m.scores);
    m.sums = nitro_calloc(evaluation->context, num_scores + 1, sizeof *m.sums);
    status = m.scores && m.sums ? add_models(&m, marks) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        search(&m, choices);
    free(m.scores);
    free(m.sums);
    free(marks);
    return status;
}
