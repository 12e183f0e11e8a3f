/*
 * Quality of subsets of device features in leave-one-device-out validation, the inner loops of
 * CV-DFS (algorithm 2 of Muralidharan, Roy, Hall, Garland and Rai, ASPLOS 2016). It is the mean
 * over a grid of C and gamma, so that a lucky choice of them does not decide. Kernels of inputs are
 * computed once per gamma, and subsets that give the same model are trained once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/parallel.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"
#include "nitro/learn/data/device_similarity.h"
#include "nitro/learn/data/learn_progress.h"
#include "nitro/learn/dfs/dfs_sample.h"
#include "nitro/learn/dfs/dfs_tables.h"
#include "nitro/learn/svm/svm_sweep.h"
#include "nitro/records/scaler.h"

#define NUM_CS     5
#define NUM_GAMMAS 5
#define NUM_POINTS (NUM_CS * NUM_GAMMAS)
#define AT_ONCE    64 /* models, before the caller is told of progress */

/* C: 2^-1 to 2^5; gamma per column that varies: 2^-4 to 2^4. With C up to 2^11 the search takes
 * three times as long; it then finds the truth for 97 instead of 95 of 100 synthetic sets of
 * devices (tests/unit/dfs/test_cvdfs_truth.c), and models on recorded devices are 0.1 points
 * better. */
static const double powers_of_c[NUM_CS] = {-1, 0.5, 2, 3.5, 5};
static const double powers_of_gamma[NUM_GAMMAS] = {-4, -2, 0, 2, 4};

typedef struct judgement {
    nitro_context *context;
    const nitro_dfs_task *task;
    const uint64_t *subsets;
    size_t num_subsets;
    nitro_dfs_sample sample;
} judgement;

/** One source as validation device: the rows of the others are training rows, its own are queries.
 */
typedef struct validation {
    const judgement *job;
    size_t target;
    nitro_svm_rows training_rows, queries;
    size_t *training_points, *training_places, *labels;
    size_t *query_points, *query_rows; /* rows: of the dataset */
    nitro_scaler_column *scalers;      /* shape [num_features]: of input features */
    size_t num_varying;                /* input features */
    nitro_dfs_space space;
    nitro_dfs_tables tables;
    double *view_qualities; /* shape [num_views], percent */
    bool is_done;
} validation;

/* ---- Rows ---------------------------------------------------------------------------------- */

static void free_validation(validation *p)
{
    free(p->training_points);
    free(p->training_places);
    free(p->labels);
    free(p->query_points);
    free(p->query_rows);
    free(p->scalers);
    free(p->view_qualities);
    free(p->space.coordinates);
    free(p->space.is_training);
    nitro_dfs_tables_free(&p->tables);
}

static nitro_status allocate_rows(nitro_context *context, const nitro_dfs_sample *sample,
                                  validation *p)
{
    size_t count = sample->num_rows;
    size_t **lists[] = {&p->training_points, &p->training_places, &p->labels, &p->query_points,
                        &p->query_rows};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = nitro_calloc(context, count, sizeof(size_t));
        if (!*lists[i])
            return NITRO_ERR_NO_MEMORY;
    }
    p->scalers = nitro_calloc(context, sample->sources->schema->num_features, sizeof *p->scalers);
    return p->scalers ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static void divide_rows(const nitro_dfs_sample *sample, validation *p)
{
    const nitro_dataset *sources = sample->sources;
    const nitro_device *own = sources->devices[p->target];
    const nitro_kinship of_target =
        nitro_device_kinship(p->job->task->target, sources->devices, sources->num_devices, NULL);
    for (size_t i = 0; i < sample->num_rows; i++) {
        size_t row = sample->rows[i];
        if (sources->row_device[row] == p->target) {
            p->query_points[p->queries.num_rows] = sample->points[i];
            p->query_rows[p->queries.num_rows++] = row;
            continue;
        }
        if (!nitro_kinship_allows(of_target, own, sources->devices[sources->row_device[row]]))
            continue;
        size_t training_row = p->training_rows.num_rows++;
        p->training_points[training_row] = sample->points[i];
        p->training_places[training_row] = sources->row_device[row];
        p->labels[training_row] = sample->labels[i];
    }
    p->training_rows.points = p->training_points;
    p->training_rows.places = p->training_places;
    p->queries.points = p->query_points;
}

/* ---- Scales -------------------------------------------------------------------------------- */

/** Fit the input features' scales to the training rows. */
static nitro_status scale_inputs(nitro_context *context, const nitro_dfs_sample *sample,
                                 validation *p)
{
    const nitro_schema *schema = sample->sources->schema;
    size_t width = schema->num_features, count = p->training_rows.num_rows;
    nitro_scale scales[NITRO_MAX_FEATURES];
    double *values = nitro_calloc(context, count, width * sizeof *values);
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    for (size_t f = 0; f < width; f++)
        scales[f] = schema->features[f].scale;
    for (size_t i = 0; i < count; i++)
        memcpy(values + i * width, sample->features + p->training_points[i] * width,
               width * sizeof *values);
    nitro_status status = nitro_scaler_fit(context, values, count, width, scales, p->scalers);
    for (size_t f = 0; status == NITRO_OK && f < width; f++)
        p->num_varying += p->scalers[f].high > p->scalers[f].low;
    free(values);
    return status;
}

/** @param[out] coordinates  shape [num_devices x num_candidates]: scaled candidates. */
static nitro_status scale_devices(nitro_context *context, const validation *p, double *coordinates)
{
    const nitro_dfs_task *task = p->job->task;
    size_t width = task->candidates->count, count = p->training_rows.num_rows;
    size_t num_devices = task->sources->num_devices;
    double *values = nitro_calloc(context, count + 1, (width + 1) * sizeof *values);
    nitro_scale scales[NITRO_DFS_MAX_CANDIDATES];
    nitro_scaler_column columns[NITRO_DFS_MAX_CANDIDATES];
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < num_devices; d++)
        for (size_t c = 0; c < width; c++)
            coordinates[d * width + c] =
                nitro_device_value(task->sources->devices[d], task->candidates->items[c]);
    for (size_t c = 0; c < width; c++)
        scales[c] = nitro_device_feature_scale(task->candidates->items[c]);
    for (size_t i = 0; i < count; i++)
        memcpy(values + i * width, coordinates + p->training_places[i] * width,
               width * sizeof *values);
    nitro_status status = nitro_scaler_fit(context, values, count, width, scales, columns);
    for (size_t i = 0; status == NITRO_OK && i < num_devices * width; i++)
        coordinates[i] = nitro_scaler_apply(&columns[i % width], coordinates[i]);
    free(values);
    return status;
}

static nitro_status find_tables(nitro_context *context, validation *p)
{
    const judgement *job = p->job;
    size_t width = job->task->candidates->count, num_devices = job->task->sources->num_devices;
    p->space = (nitro_dfs_space){
        .num_devices = num_devices,
        .num_features = width,
        .validation = p->target,
        .coordinates = nitro_calloc(context, num_devices + 1, (width + 1) * sizeof(double)),
        .is_training = nitro_calloc(context, num_devices, sizeof(bool))};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (p->space.coordinates && p->space.is_training)
        status = scale_devices(context, p, p->space.coordinates);
    for (size_t i = 0; status == NITRO_OK && i < p->training_rows.num_rows; i++)
        p->space.is_training[p->training_places[i]] = true;
    if (status == NITRO_OK)
        status =
            nitro_dfs_tables_find(context, &p->space, job->subsets, job->num_subsets, &p->tables);
    if (status == NITRO_OK) {
        p->view_qualities = nitro_calloc(context, p->tables.num_views, sizeof(double));
        status = p->view_qualities ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    return status;
}

/** Without training rows or queries there is nothing to do. */
static nitro_status prepare(const judgement *job, validation *p)
{
    nitro_status status = allocate_rows(job->context, &job->sample, p);
    if (status != NITRO_OK)
        return status;
    divide_rows(&job->sample, p);
    p->is_done = p->training_rows.num_rows == 0 || p->queries.num_rows == 0;
    if (p->is_done)
        return NITRO_OK;
    status = scale_inputs(job->context, &job->sample, p);
    if (status == NITRO_OK)
        status = find_tables(job->context, p);
    return status;
}

/* ---- One model ----------------------------------------------------------------------------- */

/** Validation devices whose training rows give the same scales share the kernels of inputs. */
typedef struct group {
    const judgement *job;
    nitro_svm_inputs *inputs;
    size_t num_members, num_models;
    size_t first; /* of the models that are judged next */
    validation **members;
} group;

static double judge_scores(const validation *p, const double *scores)
{
    const nitro_dataset *sources = p->job->task->sources;
    size_t num_variants = sources->schema->num_variants;
    double sum = 0.0;
    for (size_t i = 0; i < p->queries.num_rows; i++)
        sum += nitro_times_quality(nitro_dataset_times(sources, p->query_rows[i]), num_variants,
                                   nitro_scores_best(scores + i * num_variants, num_variants));
    return 100.0 * sum / (double)p->queries.num_rows;
}

/** The queries of a model: all rows for its first view, then all for the next; each view is a
 * place. */
typedef struct view_rows {
    nitro_svm_rows rows;
    nitro_svm_distances distances; /* of the devices from the views */
    size_t *points, *places;
    double *squares;  /* owned memory of `distances` */
    double *training; /* shape [num_devices x num_devices]: of the devices from one another */
} view_rows;

static void free_views(view_rows *views)
{
    free(views->points);
    free(views->places);
    free(views->squares);
    free(views->training);
}

static nitro_status make_views(const validation *p, const nitro_dfs_model *model, view_rows *views)
{
    nitro_context *context = p->job->context;
    size_t num_views = model->num_views, num_devices = p->job->task->sources->num_devices;
    size_t count = num_views * p->queries.num_rows;
    views->points = nitro_calloc(context, count, sizeof *views->points);
    views->places = nitro_calloc(context, count, sizeof *views->places);
    views->squares = nitro_calloc(context, num_devices, num_views * sizeof *views->squares);
    views->training = nitro_calloc(context, num_devices, num_devices * sizeof *views->training);
    if (!views->points || !views->places || !views->squares || !views->training)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        views->points[i] = p->query_points[i % p->queries.num_rows];
        views->places[i] = i / p->queries.num_rows;
    }
    for (size_t i = 0; i < num_devices * num_views; i++)
        views->squares[i] = nitro_dfs_validation_square(
            &p->space, p->tables.views[model->first_view + i % num_views], i / num_views);
    nitro_dfs_training_squares(&p->space, model->subset, views->training);
    views->rows = (nitro_svm_rows){count, views->points, views->places};
    views->distances = (nitro_svm_distances){num_devices, num_views, views->squares};
    return NITRO_OK;
}

/** Mean quality of each view over the grid.
 *  @param[in] scores  shape [NUM_POINTS x views x queries x num_variants]. */
static void judge_views(const validation *p, const nitro_dfs_model *model, const double *scores)
{
    size_t of_view = p->queries.num_rows * p->job->task->sources->schema->num_variants;
    for (size_t view = 0; view < model->num_views; view++) {
        double sum = 0.0;
        for (size_t point = 0; point < NUM_POINTS; point++)
            sum += judge_scores(p, scores + (point * model->num_views + view) * of_view);
        p->view_qualities[model->first_view + view] = sum / NUM_POINTS;
    }
}

static nitro_status sweep_grid(const group *g, const validation *p, const nitro_dfs_model *model,
                               const view_rows *views, double *scores)
{
    const nitro_dataset *sources = g->job->task->sources;
    const nitro_svm_training_points training = {
        .inputs = g->inputs,
        .rows = p->training_rows,
        .distances = {sources->num_devices, sources->num_devices, views->training},
        .num_variants = sources->schema->num_variants,
        .labels = p->labels};
    size_t num_columns = p->num_varying + model->num_varying;
    double cs[NUM_CS];
    nitro_status status = NITRO_OK;
    for (size_t c = 0; c < NUM_CS; c++)
        cs[c] = exp2(powers_of_c[c]);
    for (size_t i = 0; i < NUM_GAMMAS && status == NITRO_OK; i++)
        status =
            nitro_svm_sweep(g->job->context, &training, &views->rows, &views->distances,
                            nitro_svm_gamma(powers_of_gamma[i], num_columns), cs, NUM_CS,
                            scores + i * NUM_CS * views->rows.num_rows * training.num_variants);
    return status;
}

static nitro_status judge_model(void *user, size_t index)
{
    const group *g = user;
    const validation *p = g->members[0];
    index += g->first;
    for (size_t i = 0; index >= p->tables.num_models; p = g->members[++i])
        index -= p->tables.num_models;
    size_t num_variants = g->job->task->sources->schema->num_variants;
    const nitro_dfs_model *model = &p->tables.models[index];
    view_rows views = {0};
    nitro_status status = make_views(p, model, &views);
    double *scores = nitro_calloc(g->job->context, NUM_POINTS * views.rows.num_rows + 1,
                                  num_variants * sizeof *scores);
    if (status == NITRO_OK)
        status = scores ? sweep_grid(g, p, model, &views, scores) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        judge_views(p, model, scores);
    free(scores);
    free_views(&views);
    return status;
}

/* ---- All models ---------------------------------------------------------------------------- */

static bool scale_alike(const judgement *job, const validation *a, const validation *b)
{
    for (size_t f = 0; f < job->task->sources->schema->num_features; f++)
        if (a->scalers[f].scale != b->scalers[f].scale || a->scalers[f].low != b->scalers[f].low ||
            a->scalers[f].high != b->scalers[f].high)
            return false;
    return true;
}

static nitro_status make_inputs(const judgement *job, const validation *p,
                                nitro_svm_inputs **inputs)
{
    const nitro_dfs_sample *sample = &job->sample;
    size_t width = sample->sources->schema->num_features;
    double *columns = nitro_calloc(job->context, sample->num_points, width * sizeof *columns);
    if (!columns)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < sample->num_points * width; i++)
        columns[i] = nitro_scaler_apply(&p->scalers[i % width], sample->features[i]);
    nitro_status status =
        nitro_svm_inputs_create(job->context, columns, sample->num_points, width, inputs);
    free(columns);
    return status;
}

static nitro_status judge_group(const judgement *job, validation *validations, size_t first,
                                validation **members)
{
    group g = {.job = job, .members = members};
    for (size_t t = first; t < job->task->sources->num_devices; t++)
        if (!validations[t].is_done && scale_alike(job, &validations[first], &validations[t])) {
            validations[t].is_done = true;
            g.num_models += validations[t].tables.num_models;
            members[g.num_members++] = &validations[t];
        }
    nitro_status status = make_inputs(job, &validations[first], &g.inputs);
    while (status == NITRO_OK && g.first < g.num_models) {
        size_t rest = g.num_models - g.first, count = rest < AT_ONCE ? rest : AT_ONCE;
        status = nitro_parallel_run(job->task->num_threads, count, judge_model, &g);
        g.first += count;
        if (status == NITRO_OK)
            status = nitro_learn_tell(job->context, job->task->listener, "CV-DFS", g.first,
                                      g.num_models);
    }
    nitro_svm_inputs_free(g.inputs);
    return status;
}

static void copy_qualities(const judgement *job, const validation *validations, double *qualities,
                           uint64_t *varying, nitro_dfs_effort *effort)
{
    *effort = (nitro_dfs_effort){.num_rows = job->sample.num_rows,
                                 .num_candidate_rows = job->sample.num_candidate_rows,
                                 .num_inputs = job->sample.num_inputs};
    for (size_t t = 0; t < job->task->sources->num_devices; t++) {
        bool judged = validations[t].tables.num_models > 0;
        effort->num_models += judged ? job->num_subsets : 0;
        effort->num_trained += validations[t].tables.num_models;
        varying[t] = validations[t].tables.varying;
        for (size_t s = 0; s < job->num_subsets; s++)
            qualities[t * job->num_subsets + s] =
                judged ? validations[t].view_qualities[validations[t].tables.view_of[s]] : NAN;
    }
}

nitro_status nitro_dfs_judge(nitro_context *context, const nitro_dfs_task *task,
                             const uint64_t *subsets, size_t num_subsets, double *qualities,
                             uint64_t *varying, nitro_dfs_effort *effort)
{
    judgement job = {context, task, subsets, num_subsets, {0}};
    size_t num_devices = task->sources->num_devices;
    if (task->candidates->count > NITRO_DFS_MAX_CANDIDATES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%zu candidate device features are too many: at most %d can be searched",
                          task->candidates->count, NITRO_DFS_MAX_CANDIDATES);
    validation *validations = nitro_calloc(context, num_devices, sizeof *validations);
    validation **members = nitro_calloc(context, num_devices, sizeof(validation *));
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (!validations || !members)
        goto free_lists;
    status = nitro_dfs_sample_draw(context, task->sources, task->max_rows, task->seed, &job.sample);
    for (size_t t = 0; status == NITRO_OK && t < num_devices; t++) {
        validations[t] = (validation){.job = &job, .target = t};
        status = prepare(&job, &validations[t]);
    }
    for (size_t t = 0; status == NITRO_OK && t < num_devices; t++)
        if (!validations[t].is_done)
            status = judge_group(&job, validations, t, members);
    if (status == NITRO_OK)
        copy_qualities(&job, validations, qualities, varying, effort);
    for (size_t t = 0; t < num_devices; t++)
        free_validation(&validations[t]);

free_lists:
    nitro_dfs_sample_free(&job.sample);
    free(validations);
    free(members);
    return status;
}
