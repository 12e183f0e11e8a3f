/* Training on a sample: targets and columns are found once for the trainings of all folds. */
#include "nitro/learn/data/fold_learner.h"

#include <math.h>
#include <stdlib.h>

#define MAX_FOLDS 5

static void free_sample(nitro_fold_sample *sample)
{
    nitro_folds_free(&sample->folds);
    free(sample->columns);
    free(sample->targets);
    free(sample->shared);
}

static nitro_status prepare(const nitro_fold_learner *learner, nitro_fold_sample *sample)
{
    nitro_context *context = sample->context;
    const nitro_folds *folds = &sample->folds;
    nitro_status status =
        nitro_folds_draw(context, sample->set, NITRO_FOLDS_MAX_ROWS, MAX_FOLDS, &sample->folds);
    if (status == NITRO_OK)
        status = learner->find_targets(context, sample->set, folds->rows, folds->num_rows,
                                       &sample->targets);
    if (status != NITRO_OK)
        return status;
    sample->columns = nitro_folds_columns(context, sample->set, folds);
    if (!sample->columns)
        return NITRO_ERR_NO_MEMORY;
    return learner->prepare ? learner->prepare(sample, &sample->shared) : NITRO_OK;
}

size_t nitro_fold_source(const nitro_fold_sample *sample, size_t member)
{
    const nitro_training_set *set = sample->set;
    return set->row_device ? set->row_device[sample->folds.rows[member]] : 0;
}

double nitro_fold_source_weight(const nitro_fold_sample *sample, size_t member)
{
    const double *weights = sample->set->source_weights;
    return weights ? weights[nitro_fold_source(sample, member)] : 1.0;
}

size_t nitro_fold_members_of(const nitro_fold_sample *sample, const size_t *members, size_t count,
                             size_t source, size_t *own)
{
    size_t num_own = 0;
    for (size_t i = 0; i < count; i++)
        if (nitro_fold_source(sample, members[i]) == source)
            own[num_own++] = members[i];
    return num_own;
}

size_t nitro_fold_num_sources(const nitro_fold_sample *sample)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->folds.num_rows; i++)
        if (nitro_fold_source(sample, i) >= count)
            count = nitro_fold_source(sample, i) + 1;
    return count;
}

/** List and count the training rows, of sources that are used, when `fold` is held out (NITRO_NONE:
 *  all). */
static size_t list_members(const nitro_fold_sample *sample, size_t fold, size_t *members)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->folds.num_rows; i++)
        if (sample->folds.folds[i] != fold && nitro_fold_source_weight(sample, i) > 0.0)
            members[count++] = i;
    return count;
}

static nitro_status hold_out(const nitro_fold_sample *sample, const nitro_fold_learner *learner,
                             size_t fold, size_t *members, double *scores)
{
    const nitro_training_set *set = sample->set;
    const nitro_folds *folds = &sample->folds;
    void *predictor = NULL;
    size_t count = list_members(sample, fold, members);
    if (count == 0)
        return NITRO_OK;
    nitro_status status = learner->train(sample, members, count, &predictor);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < folds->num_rows; i++)
        if (folds->folds[i] == fold)
            learner->score(predictor, set->columns + folds->rows[i] * set->num_columns,
                           scores + folds->rows[i] * set->num_variants);
    learner->free(predictor);
    return NITRO_OK;
}

static nitro_status hold_out_each(const nitro_fold_sample *sample,
                                  const nitro_fold_learner *learner, size_t *members,
                                  double *scores)
{
    nitro_status status = NITRO_OK;
    size_t num_folds = sample->folds.num_folds;
    for (size_t i = 0; i < sample->set->num_rows * sample->set->num_variants; i++)
        scores[i] = NAN;
    for (size_t fold = 0; num_folds > 1 && fold < num_folds && status == NITRO_OK; fold++)
        status = hold_out(sample, learner, fold, members, scores);
    return status;
}

nitro_status nitro_fold_learner_train(nitro_context *context, const nitro_training_set *set,
                                      const nitro_fold_learner *learner, void **predictor,
                                      double *held_out_scores)
{
    nitro_fold_sample sample = {.context = context, .set = set};
    size_t *members = NULL;
    nitro_status status = prepare(learner, &sample);
    if (status != NITRO_OK)
        goto free_sample;
    members = nitro_calloc(context, sample.folds.num_rows, sizeof *members);
    if (!members)
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && held_out_scores)
        status = hold_out_each(&sample, learner, members, held_out_scores);
    if (status == NITRO_OK) {
        size_t count = list_members(&sample, NITRO_NONE, members);
        status = count > 0 ? learner->train(&sample, members, count, predictor)
                           : nitro_fail(context, NITRO_ERR_NO_DATA,
                                        "none of %zu training rows is of a source that is used",
                                        set->num_rows);
    }
    free(members);

free_sample:
    free_sample(&sample);
    return status;
}
