/*
 * Validates extrapolation beyond each end of each input feature's range, and finds the variants
 * with the least mean slowdown on the training inputs nearest to it.
 */
#include "nitro/learn/range_ends_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/scores/calibration.h"

#define NEAR_SHARE   0.2
#define MOST_NEAR    0.4 /* equal values may make the nearest inputs more than a fifth */
#define LEAST_INPUTS 5   /* that a validation holds out */
#define MOST_ROWS    1500
#define UNLIMITED    DBL_MAX /* reach: files hold no infinity */

/** An end of a feature's range, and the inputs nearest to it. */
typedef struct range_case {
    size_t feature;
    double sign;   /* 1: the high end; -1: the low one */
    bool *is_near; /* shape [num_inputs] */
    bool *is_far;  /* shape [num_inputs]: the others */
    double width;  /* from the others to the end; 0: too few inputs for a validation */
    nitro_range_end *end;
} range_case;

typedef struct ends_job {
    nitro_context *context;
    const nitro_fit_task *task;
    const nitro_model *model;
    nitro_dataset *data; /* the sources, thinned */
    double *values;      /* shape [num_inputs]: of a case's feature, times its sign; NaN: unused */
    double *sorted;      /* shape [num_inputs] */
    range_case cases[2 * NITRO_MAX_FEATURES];
    size_t num_cases;
} ends_job;

/* ---- Fallbacks ------------------------------------------------------------------------------- */

static double find_slowest(const double *times_ms, size_t num_variants)
{
    double most = 0.0;
    for (size_t v = 0; v < num_variants; v++)
        most = fmax(most, times_ms[v]); /* ignores NaN */
    return most;
}

static double add_one(size_t hits, size_t count)
{
    return (double)(hits + 1) / (double)(count + 2);
}

/** Score the variants by their mean slowdown on these inputs; where one has no time, the slowest
 *  one's counts. */
static void find_fallbacks(const nitro_dataset *data, const bool *inputs, nitro_range_end *end)
{
    size_t num_variants = data->schema->num_variants, num_rows = 0;
    size_t num_ran[NITRO_MAX_VARIANTS] = {0}, num_good[NITRO_MAX_VARIANTS] = {0};
    double slowdowns[NITRO_MAX_VARIANTS] = {0};
    for (size_t row = 0; row < data->num_rows; row++) {
        const double *times = nitro_dataset_times(data, row);
        if (!inputs[data->row_input[row]] || !nitro_dataset_row_is_usable(data, row))
            continue;
        num_rows++;
        double best = times[nitro_times_best(times, num_variants)];
        double slowest = find_slowest(times, num_variants);
        for (size_t v = 0; v < num_variants; v++) {
            slowdowns[v] += (isnan(times[v]) ? slowest : times[v]) / best;
            num_ran[v] += isnan(times[v]) ? 0 : 1;
            num_good[v] +=
                nitro_times_quality(times, num_variants, v) >= NITRO_GOOD_QUALITY ? 1 : 0;
        }
    }
    for (size_t v = 0; v < num_variants; v++)
        end->fallback_scores[v] =
            num_ran[v] > 0 ? fmin((double)num_rows / slowdowns[v], 1.0) - 1.0 : -1.0;
    size_t chosen = nitro_scores_best(end->fallback_scores, num_variants);
    end->fallback_confidence = add_one(num_good[chosen], num_rows);
}

/* ---- Nearest inputs -------------------------------------------------------------------------- */

static nitro_status create_case(const ends_job *job, size_t feature, double sign, range_case *c)
{
    *c = (range_case){.feature = feature, .sign = sign};
    c->is_near = nitro_calloc(job->context, job->data->num_inputs, sizeof *c->is_near);
    c->is_far = nitro_calloc(job->context, job->data->num_inputs, sizeof *c->is_far);
    return c->is_near && c->is_far ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static void free_case(range_case *c)
{
    free(c->is_near);
    free(c->is_far);
}

/** Values of the case's feature, times its sign, of the inputs among these (NULL: all), and in
 *  ascending order; how many. */
static size_t find_values(ends_job *job, const range_case *c, const bool *among)
{
    const nitro_dataset *data = job->data;
    size_t count = 0;
    for (size_t i = 0; i < data->num_inputs; i++)
        job->values[i] = NAN;
    for (size_t row = 0; row < data->num_rows; row++) {
        size_t input = data->row_input[row];
        if ((among && !among[input]) || !isnan(job->values[input]) ||
            !nitro_dataset_row_is_usable(data, row))
            continue;
        job->values[input] = c->sign * nitro_dataset_features(data, row)[c->feature];
        job->sorted[count++] = job->values[input];
    }
    nitro_sort(job->sorted, count);
    return count;
}

/** From the inputs that are not near to the end of the range, in scaled units. */
static double find_width(const ends_job *job, const range_case *c)
{
    const nitro_scaler_column *column = &job->model->columns[c->feature];
    double farthest = -INFINITY;
    for (size_t i = 0; i < job->data->num_inputs; i++)
        if (c->is_far[i])
            farthest = fmax(farthest, job->values[i]);
    return 1.0 - c->sign * nitro_scaler_apply(column, c->sign * farthest);
}

/** Find the fifth of these inputs (NULL: of all) nearest to the end. */
static void find_near(ends_job *job, const bool *among, range_case *c)
{
    size_t count = find_values(job, c, among), num_near = 0, num_above = 0;
    double border = count > 0 ? job->sorted[(size_t)((1.0 - NEAR_SHARE) * (double)count)] : 0.0;
    for (size_t i = 0; i < count; i++) {
        num_near += job->sorted[i] >= border;
        num_above += job->sorted[i] > border;
    }
    bool above = (double)num_near > MOST_NEAR * (double)count && num_above > 0;
    for (size_t i = 0; i < job->data->num_inputs; i++) {
        c->is_near[i] = above ? job->values[i] > border : job->values[i] >= border;
        c->is_far[i] = !isnan(job->values[i]) && !c->is_near[i];
    }
    if (above)
        num_near = num_above;
    bool enough = num_near >= LEAST_INPUTS && (double)num_near <= MOST_NEAR * (double)count;
    c->width = enough ? find_width(job, c) : 0.0;
}

/* ---- Validation ------------------------------------------------------------------------------ */

/** A model that did not see some inputs, and the rows of these. */
typedef struct held_out {
    nitro_model *model;
    nitro_training_rows rows;
    nitro_range_end fallback; /* that a decision of this model would take */
} held_out;

/** The scores that decisions extrapolate by. */
static void extrapolate(const held_out *held, size_t row, double *scores)
{
    const nitro_model *model = held->model;
    const double *raw = held->rows.columns + row * held->rows.num_columns;
    double columns[NITRO_MODEL_MAX_COLUMNS];
    for (size_t i = 0; i < model->num_seen; i++)
        columns[i] = nitro_model_scale(model, model->seen[i], raw[model->seen[i]]);
    nitro_model_move_inside(model, columns);
    model->strategy->score(model->predictor, columns, scores);
}

/**
 * Is extrapolation as good as the fallback in the mean, or worse by no more than the standard error
 * of the difference? Quality counts here, and not total time, which one large input decides.
 */
static bool judge(const held_out *held, double *confidence)
{
    size_t num_variants = held->model->schema->num_variants, num_good = 0;
    double loss = 0.0, squares = 0.0, scores[NITRO_MAX_VARIANTS];
    for (size_t row = 0; row < held->rows.num_rows; row++) {
        const double *times = held->rows.times_ms + row * num_variants;
        extrapolate(held, row, scores);
        size_t chosen = nitro_scores_best_timed(scores, times, num_variants);
        size_t other = nitro_scores_best_timed(held->fallback.fallback_scores, times, num_variants);
        double quality = nitro_times_quality(times, num_variants, chosen);
        double difference = nitro_times_quality(times, num_variants, other) - quality;
        loss += difference;
        squares += difference * difference;
        num_good += quality >= NITRO_GOOD_QUALITY ? 1 : 0;
    }
    *confidence = add_one(num_good, held->rows.num_rows);
    return loss <= sqrt(squares);
}

static nitro_status train_without(const ends_job *job, const range_case *c, held_out *held)
{
    nitro_fit_task task = *job->task;
    nitro_dataset *far = NULL, *near = NULL;
    nitro_status status = nitro_dataset_select(job->context, job->data, NULL, c->is_far, &far);
    task.sources = far;
    task.quick = true;
    if (status == NITRO_OK)
        status = nitro_dataset_select(job->context, job->data, NULL, c->is_near, &near);
    if (status == NITRO_OK)
        status = nitro_fit(job->context, &task, &held->model, NULL);
    if (status == NITRO_OK)
        status = nitro_training_rows_collect(job->context, near, held->model, &held->rows);
    nitro_dataset_free(far);
    nitro_dataset_free(near);
    return status;
}

static nitro_status validate(ends_job *job, const range_case *c)
{
    held_out held = {0};
    range_case next;
    nitro_status status = create_case(job, c->feature, c->sign, &next);
    if (status == NITRO_OK)
        status = train_without(job, c, &held);
    if (status == NITRO_OK) {
        find_near(job, c->is_far, &next);
        find_fallbacks(job->data, next.is_near, &held.fallback);
        c->end->reach = judge(&held, &c->end->confidence) ? UNLIMITED : 0.0;
    }
    nitro_model_free(held.model);
    nitro_training_rows_free(&held.rows);
    free_case(&next);
    return status == NITRO_ERR_NO_DATA ? NITRO_OK : status; /* then nothing was validated */
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/** An end with the same nearest inputs has the same findings. */
static const range_case *find_equal(const ends_job *job, const range_case *c)
{
    for (const range_case *other = job->cases; other < c; other++)
        if (memcmp(other->is_near, c->is_near, job->data->num_inputs * sizeof *c->is_near) == 0)
            return other;
    return NULL;
}

static nitro_status fit_end(ends_job *job, size_t feature, double sign, nitro_range_end *end)
{
    range_case *c = &job->cases[job->num_cases++];
    nitro_status status = create_case(job, feature, sign, c);
    if (status != NITRO_OK)
        return status;
    c->end = end;
    find_near(job, NULL, c);
    const range_case *equal = find_equal(job, c);
    if (equal) {
        *end = *equal->end;
        return NITRO_OK;
    }
    find_fallbacks(job->data, c->is_near, end);
    end->reach = UNLIMITED;
    end->confidence = end->fallback_confidence;
    return c->width > NITRO_MODEL_TOLERANCE ? validate(job, c) : NITRO_OK;
}

/** At most MOST_ROWS usable rows: whole inputs, drawn by a hash. */
static nitro_status thin(ends_job *job)
{
    const nitro_dataset *sources = job->task->sources;
    size_t num_usable = 0;
    for (size_t row = 0; row < sources->num_rows; row++)
        num_usable += nitro_dataset_row_is_usable(sources, row);
    double share = (double)MOST_ROWS / (double)num_usable;
    bool *is_kept = nitro_calloc(job->context, sources->num_inputs, sizeof *is_kept);
    if (!is_kept)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < sources->num_inputs; i++) {
        const char *name = sources->inputs[i];
        is_kept[i] = share >= 1.0 ||
                     (double)nitro_hash(name, strlen(name), job->task->seed) < share * 0x1p64;
    }
    nitro_status status = nitro_dataset_select(job->context, sources, NULL, is_kept, &job->data);
    free(is_kept);
    return status;
}

/** @param[out] ends  shape [num_features x 2]. */
static nitro_status fit_ends(ends_job *job, nitro_range_end *ends)
{
    nitro_status status = thin(job);
    if (status != NITRO_OK)
        return status;
    job->values = nitro_calloc(job->context, job->data->num_inputs, sizeof *job->values);
    job->sorted = nitro_calloc(job->context, job->data->num_inputs, sizeof *job->sorted);
    if (!job->values || !job->sorted)
        return NITRO_ERR_NO_MEMORY;
    for (size_t f = 0; f < job->data->schema->num_features && status == NITRO_OK; f++) {
        status = fit_end(job, f, 1.0, &ends[2 * f + 1]);
        if (status == NITRO_OK)
            status = fit_end(job, f, -1.0, &ends[2 * f]);
    }
    return status;
}

nitro_status nitro_range_ends_fit(nitro_context *context, const nitro_fit_task *task,
                                  nitro_model *model)
{
    ends_job job = {.context = context, .task = task, .model = model};
    nitro_range_end *ends =
        nitro_calloc(context, 2 * model->schema->num_features + 1, sizeof *ends);
    nitro_status status = ends ? fit_ends(&job, ends) : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < job.num_cases; i++)
        free_case(&job.cases[i]);
    free(job.values);
    free(job.sorted);
    nitro_dataset_free(job.data);
    if (status == NITRO_OK) {
        free(model->ends);
        model->ends = ends;
    } else {
        free(ends);
    }
    return status;
}
