/* How the best time falls during simulated searches: quantiles over repetitions. */
#include <math.h>
#include <stdlib.h>

#include "nitro/backend/statistics.h"
#include "nitro/search/score.h"

static const double quantiles[NITRO_CURVE_QUANTILES] = {0.1, 0.5, 0.9};

/* The best time after so much of either; INFINITY: none yet. */
static double best_within(const score_run *run, double evaluations, double seconds)
{
    double best = INFINITY;
    for (size_t i = 0; i < run->count; i++) {
        const score_point *point = &run->points[i];
        if ((double)point->evaluations > evaluations || point->seconds > seconds)
            break;
        best = isnan(point->best_ms) ? best : point->best_ms;
    }
    return best;
}

/* Searches without a valid configuration count as the slowest. */
static void fill_point(const score_run *runs, size_t num_runs, double evaluations, double seconds,
                       double *room, double *point)
{
    for (size_t r = 0; r < num_runs; r++)
        room[r] = best_within(&runs[r], evaluations, seconds);
    nitro_sort(room, num_runs);
    for (size_t q = 0; q < NITRO_CURVE_QUANTILES; q++) {
        double value = room[(size_t)(quantiles[q] * (double)(num_runs - 1) + 0.5)];
        point[q] = isinf(value) ? (double)NAN : value;
    }
}

/* The median of the searches' durations. */
static double typical_seconds(const score_run *runs, size_t num_runs, double *room)
{
    for (size_t r = 0; r < num_runs; r++)
        room[r] = runs[r].count > 0 ? runs[r].points[runs[r].count - 1].seconds : 0;
    nitro_sort(room, num_runs);
    return room[num_runs / 2];
}

nitro_status nitro_search_trace(nitro_context *context, const nitro_recording *recording,
                                const nitro_search_trial *trial, nitro_search_curve *curve)
{
    score_space space;
    score_run *runs = NULL;
    size_t num_runs = score_repetitions(trial);
    double *room = nitro_calloc(context, num_runs, sizeof(*room));
    nitro_status status = room ? score_space_read(context, recording, &space) : NITRO_ERR_NO_MEMORY;
    if (status != NITRO_OK) {
        free(room);
        return status;
    }
    status = score_simulate(context, &space, trial, &runs);
    if (status == NITRO_OK) {
        double duration = typical_seconds(runs, num_runs, room);
        for (size_t i = 0; i < NITRO_CURVE_POINTS; i++) {
            curve->seconds[i] = duration * (double)(i + 1) / NITRO_CURVE_POINTS;
            fill_point(runs, num_runs, (double)(i + 1), INFINITY, room, curve->by_evaluations[i]);
            fill_point(runs, num_runs, INFINITY, curve->seconds[i], room, curve->by_seconds[i]);
        }
    }
    score_runs_free(runs, num_runs);
    score_space_free(&space);
    free(room);
    return status;
}
