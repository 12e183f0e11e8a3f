/*
 * Strategy "kernel-ridge": kernel ridge regression of ln(time / best time), an RBF kernel shared by
 * all variants, on landmarks. Hides its parameters: fixed ones, of a study on recorded SpMV data,
 * are as good there as any choice by held-out error.
 */
#include <math.h>
#include <stdlib.h>

#include "nitro/folds.h"
#include "nitro/landmarks.h"
#include "nitro/parts.h"
#include "nitro/regret.h"

#define GAMMA_TIMES_COLUMNS 4.8 /* 0.3 for 16 columns: distances grow with their number */
#define RIDGE               0.1

/** What trainings on parts of the sample share. */
typedef struct ridge_job {
    nitro_context *context;
    const nitro_training_set *set;
    nitro_folds folds;
    double gamma;
    double *columns; /* shape [sample x num_columns] */
    double *regrets; /* shape [sample x num_variants] */
    double *targets; /* shape [sample x num_variants]: of the part at hand, less their means */
} ridge_job;

static void ridge_free(void *predictor)
{
    nitro_kernel_machine_free(predictor);
}

static nitro_part only_part(const nitro_kernel_machine *machine)
{
    return (nitro_part){.kind = NITRO_PART_KERNELS,
                        .weight = 1.0,
                        .kernels = (nitro_kernel_machine *)(uintptr_t)machine};
}

static void ridge_score(const void *predictor, const double *columns, double *scores)
{
    const nitro_kernel_machine *machine = predictor;
    nitro_part part = only_part(machine);
    nitro_part_score(&part, machine->num_columns, machine->num_outputs, columns, scores);
}

static nitro_status ridge_parts(nitro_context *context, const void *predictor, nitro_parts *parts)
{
    nitro_part part = only_part(predictor);
    return nitro_parts_add(context, parts, &part);
}

/* ---- Training ----------------------------------------------------------------------------- */

/** What is regressed is the distance from each variant's mean, which is the machine's bias. */
static void gather_targets(const ridge_job *job, const size_t *members, size_t count,
                           nitro_kernel_machine *machine)
{
    size_t num_variants = machine->num_outputs;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < num_variants; v++)
            machine->bias[v] += job->regrets[members[i] * num_variants + v] / (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < num_variants; v++)
            job->targets[i * num_variants + v] =
                job->regrets[members[i] * num_variants + v] - machine->bias[v];
}

static nitro_status train_part(void *user, const size_t *members, size_t count, void **predictor)
{
    const ridge_job *job = user;
    const nitro_training_set *set = job->set;
    nitro_kernel_machine *machine = NULL;
    nitro_status status =
        nitro_landmarks_machine(job->context, job->columns, set->num_columns, members, count,
                                set->num_variants, job->gamma, &machine);
    if (status != NITRO_OK)
        return status;
    gather_targets(job, members, count, machine);
    status = nitro_landmarks_fit(job->context, job->columns, members, count, job->targets, RIDGE,
                                 set->num_threads, machine);
    if (status == NITRO_OK)
        *predictor = machine;
    else
        nitro_kernel_machine_free(machine);
    return status;
}

static nitro_status prepare(ridge_job *job)
{
    const nitro_training_set *set = job->set;
    nitro_status status =
        nitro_folds_draw(job->context, set, NITRO_FOLDS_MAX_ROWS, NITRO_FOLDS_COUNT, &job->folds);
    if (status == NITRO_OK)
        status = nitro_regrets_cut(job->context, set, job->folds.rows, job->folds.num_rows,
                                   &job->regrets);
    if (status != NITRO_OK)
        return status;
    job->columns = nitro_folds_columns(job->context, set, &job->folds);
    job->targets =
        nitro_calloc(job->context, job->folds.num_rows, set->num_variants * sizeof(double));
    return job->columns && job->targets ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status ridge_train(nitro_context *context, const nitro_training_set *set,
                                void **predictor, double *held_out_scores)
{
    ridge_job job = {.context = context,
                     .set = set,
                     .gamma = GAMMA_TIMES_COLUMNS / fmax(1.0, (double)set->num_columns)};
    nitro_folds_learner learner = {train_part, ridge_score, ridge_free, &job};
    nitro_status status = prepare(&job);
    if (status == NITRO_OK)
        status = nitro_folds_train(context, set, &job.folds, &learner, predictor, held_out_scores);
    nitro_folds_free(&job.folds);
    free(job.columns);
    free(job.regrets);
    free(job.targets);
    return status;
}

/* ---- Model files -------------------------------------------------------------------------- */

static nitro_status ridge_encode(nitro_context *context, const void *predictor, json_t **json)
{
    return nitro_kernel_machine_encode(context, predictor, json);
}

static nitro_status ridge_decode(nitro_context *context, const char *path, const json_t *json,
                                 size_t num_columns, size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    nitro_kernel_machine *machine = NULL;
    nitro_status status =
        nitro_kernel_machine_decode(&place, json, num_columns, num_variants, &machine);
    if (status == NITRO_OK)
        *predictor = machine;
    return status;
}

const nitro_strategy nitro_strategy_kernel_ridge = {
    .name = "kernel-ridge",
    .description = "kernel ridge regression of log(time / best time), an RBF kernel",
    .priority = 3,
    .dfs = "omit",
    .regret_per_score = 1.0,
    .train = ridge_train,
    .score = ridge_score,
    .parts = ridge_parts,
    .encode = ridge_encode,
    .decode = ridge_decode,
    .free = ridge_free,
};
