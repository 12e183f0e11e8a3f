/* Scores searchers on recorded spaces, by repeated simulation. */
#include <math.h>
#include <stdlib.h>

#include "nitro/base/parallel.h"
#include "nitro/search/score.h"

#define DEFAULT_REPETITIONS 35
#define NUM_ERRORS          10 /* the mean absolute error is over 40, 60 .. 220 evaluations */
#define LAST_POINT          220
#define WELL_PERFORMING     1.1

const uint64_t nitro_search_points[NITRO_SEARCH_POINTS] = {20, 50, 100, LAST_POINT};

typedef struct score_task {
    nitro_context *context;
    const nitro_search_trial *trial;
    const score_space *space;
    score_run *runs; /* shape [repetitions] */
} score_task;

static uint64_t error_point(size_t i)
{
    return 40 + 20 * (uint64_t)i;
}

nitro_status nitro_search_score_random(nitro_context *context, const nitro_recording *recording,
                                       nitro_search_score *score)
{
    score_space space;
    nitro_status status = score_space_read(context, recording, &space);
    if (status != NITRO_OK)
        return status;
    uint64_t good = 0;
    while (good < space.num_valid && space.sorted[good] <= WELL_PERFORMING * space.best_ms)
        good++;
    *score = (nitro_search_score){.to_10_percent = (double)(space.size + 1) / (double)(good + 1),
                                  .reached = 1};
    for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++)
        score->best_ms[i] = score_random_best(&space, nitro_search_points[i]);
    for (size_t i = 0; i < NUM_ERRORS; i++)
        score->mae += (score_random_best(&space, error_point(i)) - space.best_ms) / NUM_ERRORS;
    score_space_free(&space);
    return NITRO_OK;
}

/* ---- One search ------------------------------------------------------------------------------ */

static nitro_status keep_curve(nitro_context *context, const nitro_search_result *result,
                               score_run *run)
{
    size_t count = result->num_answers;
    run->points = nitro_calloc(context, count, sizeof(*run->points));
    if (!run->points)
        return NITRO_ERR_NO_MEMORY;
    double best = (double)NAN;
    for (size_t i = 0; i < count; i++) {
        const nitro_search_answer *answer = &result->answers[i];
        if (answer->outcome == NITRO_OUTCOME_MEASURED && !(answer->time_ms >= best))
            best = answer->time_ms;
        run->points[i] = (score_point){result->evaluations[i], result->seconds[i], best};
    }
    run->count = count;
    run->num_evaluations = count > 0 ? result->evaluations[count - 1] : 0;
    run->cpu_ms = result->searcher_cpu_ms;
    return NITRO_OK;
}

/* The community's score ends where random search got 95 % of the way: in seconds of evaluating. */
static bool goes_on(void *user, const nitro_search_progress *progress)
{
    const double *end_seconds = user;
    return progress->done < LAST_POINT || progress->seconds < *end_seconds;
}

static nitro_status run_one(void *user, size_t repetition)
{
    const score_task *task = user;
    const nitro_search_trial *trial = task->trial;
    double end_seconds =
        (double)score_budget(task->space, 0.95) * task->space->median_cost_ms / 1000;
    nitro_search_options options;
    nitro_search_options_init(&options);
    options.searcher = trial->searcher;
    options.searcher_options = trial->searcher_options;
    options.counter_model = trial->counter_model;
    options.starts = trial->starts;
    options.num_starts = trial->num_starts;
    options.seed = trial->seed + repetition + 1;
    options.budget.evaluations =
        trial->max_evaluations > LAST_POINT ? trial->max_evaluations : LAST_POINT;
    options.progress = goes_on;
    options.progress_user = &end_seconds;
    nitro_evaluator evaluator = nitro_evaluator_recorded(task->space->recording);
    nitro_search_result *result = NULL;
    nitro_status status =
        nitro_search(task->context, task->space->recording->space, &evaluator, &options, &result);
    if (status == NITRO_OK)
        status = keep_curve(task->context, result, &task->runs[repetition]);
    nitro_search_result_free(result);
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* The best time after so many evaluations; a search that ended keeps its last. */
static double best_at(const score_run *run, uint64_t evaluations)
{
    double best = (double)NAN;
    for (size_t i = 0; i < run->count && run->points[i].evaluations <= evaluations; i++)
        best = run->points[i].best_ms;
    return best;
}

/* Mean and standard error (NaN: of one value); values that are NaN are left out. */
static void summarise(const double *values, size_t count, double *mean, double *error)
{
    double sum = 0, squares = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            used++;
        }
    *mean = used > 0 ? sum / (double)used : (double)NAN;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            squares += (values[i] - *mean) * (values[i] - *mean);
    *error = used > 1 ? sqrt(squares / (double)(used - 1) / (double)used) : (double)NAN;
}

static double error_of(const score_run *run, double optimum)
{
    double sum = 0;
    for (size_t i = 0; i < NUM_ERRORS; i++)
        sum += best_at(run, error_point(i)) - optimum;
    return sum / NUM_ERRORS;
}

static void note_well_performing(const score_task *task, size_t repetitions,
                                 nitro_search_score *score)
{
    double good = WELL_PERFORMING * task->space->best_ms;
    for (size_t r = 0; r < repetitions; r++) {
        const score_run *run = &task->runs[r];
        size_t i = 0;
        while (i < run->count && !(run->points[i].best_ms <= good))
            i++;
        score->reached += i < run->count ? 1.0 / (double)repetitions : 0;
        score->to_10_percent +=
            (double)(i < run->count ? run->points[i].evaluations : run->num_evaluations) /
            (double)repetitions;
    }
}

static nitro_status score_runs(const score_task *task, size_t repetitions,
                               nitro_search_score *score)
{
    nitro_search_score made = {0};
    double *values = nitro_calloc(task->context, repetitions, sizeof(*values));
    double cpu_ms = 0, steps = 0;
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < NITRO_SEARCH_POINTS; i++) {
        for (size_t r = 0; r < repetitions; r++)
            values[r] = best_at(&task->runs[r], nitro_search_points[i]);
        summarise(values, repetitions, &made.best_ms[i], &made.best_error[i]);
    }
    for (size_t r = 0; r < repetitions; r++) {
        values[r] = error_of(&task->runs[r], task->space->best_ms);
        cpu_ms += task->runs[r].cpu_ms;
        steps += (double)task->runs[r].num_evaluations;
    }
    summarise(values, repetitions, &made.mae, &made.mae_error);
    free(values);
    made.cpu_ms = steps > 0 ? cpu_ms / steps : 0;
    note_well_performing(task, repetitions, &made);
    nitro_status status =
        score_community(task->context, task->space, task->runs, repetitions, &made.community);
    if (status == NITRO_OK)
        *score = made;
    return status;
}

size_t score_repetitions(const nitro_search_trial *trial)
{
    return trial->repetitions > 0 ? trial->repetitions : DEFAULT_REPETITIONS;
}

nitro_status score_simulate(nitro_context *context, const score_space *space,
                            const nitro_search_trial *trial, score_run **runs)
{
    size_t repetitions = score_repetitions(trial);
    score_task task = {.context = context, .trial = trial, .space = space};
    task.runs = nitro_calloc(context, repetitions, sizeof(*task.runs));
    nitro_status status = task.runs
                              ? nitro_parallel_run(trial->num_threads, repetitions, run_one, &task)
                              : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *runs = task.runs;
    else
        score_runs_free(task.runs, repetitions);
    return status;
}

void score_runs_free(score_run *runs, size_t count)
{
    for (size_t r = 0; runs && r < count; r++)
        free(runs[r].points);
    free(runs);
}

nitro_status nitro_search_score_searcher(nitro_context *context, const nitro_recording *recording,
                                         const nitro_search_trial *trial, nitro_search_score *score)
{
    score_space space;
    score_task task = {.context = context, .trial = trial, .space = &space};
    nitro_status status = score_space_read(context, recording, &space);
    if (status != NITRO_OK)
        return status;
    status = score_simulate(context, &space, trial, &task.runs);
    if (status == NITRO_OK)
        status = score_runs(&task, score_repetitions(trial), score);
    score_runs_free(task.runs, score_repetitions(trial));
    score_space_free(&space);
    return status;
}
