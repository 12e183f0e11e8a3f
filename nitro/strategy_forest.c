/*
 * Strategy "forest": extremely randomised trees that regress what each variant loses (1 - best time
 * / time). Hides how large the forest is: a decision takes well under a microsecond, and a model
 * file few MB. On recorded SpMV data auto's mean quality (four devices, three seeds) was 96.41 with
 * 16 trees and 96.42 with 48.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/folds.h"
#include "nitro/parts.h"
#include "nitro/regret.h"

#define NUM_TREES     16
#define MIN_LEAF_ROWS 6

typedef struct forest_predictor {
    size_t num_variants;
    nitro_forest *forest;
} forest_predictor;

/** What trainings on parts of the sample share. */
typedef struct forest_job {
    nitro_context *context;
    const nitro_training_set *set;
    nitro_folds folds;
    double *losses;       /* shape [sample x num_variants] */
    double *part_columns; /* shape [sample x num_columns]: of the part at hand */
    double *part_losses;  /* shape [sample x num_variants] */
} forest_job;

static void forest_free(void *user)
{
    forest_predictor *predictor = user;
    if (!predictor)
        return;
    nitro_forest_free(predictor->forest);
    free(predictor);
}

static nitro_part only_part(const forest_predictor *predictor)
{
    return (nitro_part){.kind = NITRO_PART_TREES, .weight = 1.0, .forest = predictor->forest};
}

static void forest_score(const void *user, const double *columns, double *scores)
{
    const forest_predictor *predictor = user;
    nitro_part part = only_part(predictor);
    nitro_part_score(&part, 0, predictor->num_variants, columns, scores);
}

static nitro_status forest_parts(nitro_context *context, const void *user, nitro_parts *parts)
{
    nitro_part part = only_part(user);
    return nitro_parts_add(context, parts, &part);
}

/* ---- Training ----------------------------------------------------------------------------- */

static nitro_forest_data gather(const forest_job *job, const size_t *members, size_t count)
{
    /* A forest needs a column; without any, the buffer's zeros are one that is constant. */
    size_t width = job->set->num_columns, num_variants = job->set->num_variants;
    for (size_t i = 0; i < count; i++) {
        memcpy(job->part_columns + i * width,
               job->set->columns + job->folds.rows[members[i]] * width, width * sizeof(double));
        memcpy(job->part_losses + i * num_variants, job->losses + members[i] * num_variants,
               num_variants * sizeof(double));
    }
    return (nitro_forest_data){.num_rows = count,
                               .num_columns = width ? width : 1,
                               .num_outputs = num_variants,
                               .columns = job->part_columns,
                               .outputs = job->part_losses};
}

static nitro_status train_part(void *user, const size_t *members, size_t count, void **predictor)
{
    const forest_job *job = user;
    forest_predictor *made = nitro_calloc(job->context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_forest_options options;
    nitro_forest_options_init(&options);
    options.num_trees = NUM_TREES;
    options.min_leaf_rows = MIN_LEAF_ROWS;
    options.num_threads = job->set->num_threads;
    nitro_forest_data data = gather(job, members, count);
    made->num_variants = job->set->num_variants;
    nitro_status status =
        nitro_forest_train(job->context, &data, &options, job->set->seed, &made->forest);
    if (status == NITRO_OK)
        *predictor = made;
    else
        forest_free(made);
    return status;
}

static nitro_status prepare(forest_job *job)
{
    const nitro_training_set *set = job->set;
    nitro_status status =
        nitro_folds_draw(job->context, set, NITRO_FOLDS_MAX_ROWS, NITRO_FOLDS_COUNT, &job->folds);
    if (status == NITRO_OK)
        status = nitro_losses_find(job->context, set, job->folds.rows, job->folds.num_rows,
                                   &job->losses);
    if (status != NITRO_OK)
        return status;
    size_t num_rows = job->folds.num_rows;
    job->part_columns =
        nitro_calloc(job->context, num_rows, (set->num_columns + 1) * sizeof(double));
    job->part_losses = nitro_calloc(job->context, num_rows, set->num_variants * sizeof(double));
    return job->part_columns && job->part_losses ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status forest_train(nitro_context *context, const nitro_training_set *set,
                                 void **predictor, double *held_out_scores)
{
    forest_job job = {.context = context, .set = set};
    nitro_folds_learner learner = {train_part, forest_score, forest_free, &job};
    nitro_status status = prepare(&job);
    if (status == NITRO_OK)
        status = nitro_folds_train(context, set, &job.folds, &learner, predictor, held_out_scores);
    nitro_folds_free(&job.folds);
    free(job.losses);
    free(job.part_columns);
    free(job.part_losses);
    return status;
}

/* ---- Model files -------------------------------------------------------------------------- */

static nitro_status forest_encode(nitro_context *context, const void *user, json_t **json)
{
    const forest_predictor *predictor = user;
    return nitro_forest_encode(context, predictor->forest, json);
}

static nitro_status forest_decode(nitro_context *context, const char *path, const json_t *json,
                                  size_t num_columns, size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    forest_predictor *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_variants = num_variants;
    nitro_status status =
        nitro_forest_decode(&place, json, num_columns, num_variants, &made->forest);
    if (status == NITRO_OK)
        *predictor = made;
    else
        forest_free(made);
    return status;
}

const nitro_strategy nitro_strategy_forest = {
    .name = "forest",
    .description = "extremely randomised trees that regress 1 - best time / time",
    .priority = 20,
    .dfs = "omit",
    .loss_per_score = 1.0,
    .train = forest_train,
    .score = forest_score,
    .parts = forest_parts,
    .encode = forest_encode,
    .decode = forest_decode,
    .free = forest_free,
};
