/* The performance score of the auto-tuning community: Willemsen et al., "A methodology for
 * comparing optimization algorithms for auto-tuning", 2024. */
#include <math.h>
#include <stdlib.h>

#include "nitro/search/score.h"

#define NUM_TIMES    1000
#define FIRST_CUTOFF 0.01
#define LAST_CUTOFF  0.95

/* A point of a search: the rank of the best time so far, in descending order of times. */
typedef struct ranked_point {
    double seconds, rank;
    size_t run;
} ranked_point;

static int compare_points(const void *a, const void *b)
{
    const ranked_point *left = a, *right = b;
    if (left->seconds != right->seconds)
        return left->seconds < right->seconds ? -1 : 1;
    return (left->run > right->run) - (left->run < right->run);
}

/* Descending rank of a time: the fastest has the number of valid configurations, less 1. */
static double rank_of(const score_space *space, double time_ms)
{
    uint64_t low = 0, high = space->num_valid;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (space->sorted[middle] < time_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)(space->num_valid - 1 - (low < space->num_valid ? low : low - 1));
}

/* The ascending function nearest to the points in squares: adjacent ones that violate are pooled.
 */
static void fit_isotonic(ranked_point *points, size_t count, size_t *weights)
{
    size_t blocks = 0;
    for (size_t i = 0; i < count; i++) {
        points[blocks] = points[i];
        weights[blocks++] = 1;
        while (blocks > 1 && points[blocks - 2].rank >= points[blocks - 1].rank) {
            size_t w0 = weights[blocks - 2], w1 = weights[blocks - 1];
            points[blocks - 2].rank =
                (points[blocks - 2].rank * (double)w0 + points[blocks - 1].rank * (double)w1) /
                (double)(w0 + w1);
            weights[--blocks - 1] = w0 + w1;
        }
    }
    for (size_t i = blocks; i < count; i++)
        weights[i] = 0; /* unused */
}

static double random_time(const score_space *space, double seconds)
{
    double size = (double)space->num_valid;
    double drawn = 1000 * seconds / space->mean_cost_ms;
    double rank = nearbyint(drawn * (size + 1) / (drawn + 1));
    uint64_t at = rank < size - 1 ? (uint64_t)rank : space->num_valid - 1;
    return space->sorted[space->num_valid - 1 - at];
}

/* Mean over equidistant times of what the searches gain on random search. */
static double mean_gain(const score_space *space, const ranked_point *fitted, const size_t *weights,
                        size_t count)
{
    double first = (double)score_budget(space, FIRST_CUTOFF) * space->median_cost_ms / 1000;
    double last = (double)score_budget(space, LAST_CUTOFF) * space->median_cost_ms / 1000;
    double sum = 0;
    size_t used = 0, at = 0;
    for (size_t i = 0; i < NUM_TIMES; i++) {
        double seconds = first + (last - first) * (double)i / (NUM_TIMES - 1);
        while (at + 1 < count && weights[at + 1] > 0 && fitted[at + 1].seconds <= seconds)
            at++;
        double random = random_time(space, seconds);
        if (!(random > space->best_ms))
            continue; /* random search has found the optimum */
        double rank = fitted[at].seconds <= seconds ? fitted[at].rank : 0;
        uint64_t position = space->num_valid - 1 - (uint64_t)nearbyint(rank);
        sum += (random - space->sorted[position]) / (random - space->best_ms);
        used++;
    }
    return used > 0 ? sum / (double)used : 0;
}

nitro_status score_community(nitro_context *context, const score_space *space,
                             const score_run *runs, size_t num_runs, double *score)
{
    double last = (double)score_budget(space, LAST_CUTOFF) * space->median_cost_ms / 1000;
    size_t count = 0, made = 0;
    for (size_t r = 0; r < num_runs; r++)
        count += runs[r].num_evaluations + 1;
    ranked_point *points = nitro_calloc(context, count + num_runs, sizeof(*points));
    size_t *weights = nitro_calloc(context, count + num_runs, sizeof(*weights));
    if (!points || !weights) {
        free(points);
        free(weights);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t r = 0; r < num_runs; r++) {
        const score_point *point = runs[r].points, *end = point + runs[r].count;
        for (; point < end; point++)
            if (!isnan(point->best_ms))
                points[made++] = (ranked_point){point->seconds, rank_of(space, point->best_ms), r};
        if (runs[r].count > 0 && end[-1].seconds < last && !isnan(end[-1].best_ms))
            points[made++] = /* what ended keeps its best */
                (ranked_point){last, rank_of(space, end[-1].best_ms), r};
    }
    qsort(points, made, sizeof(*points), compare_points);
    fit_isotonic(points, made, weights);
    *score = made > 0 ? mean_gain(space, points, weights, made) : (double)NAN;
    free(points);
    free(weights);
    return NITRO_OK;
}
