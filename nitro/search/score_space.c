/* The distribution of a recorded space, and what random search makes of it. */
#include <math.h>
#include <stdlib.h>

#include "nitro/backend/statistics.h"
#include "nitro/search/score.h"

/* Of ascending values. */
static double median(const double *sorted, size_t count)
{
    return count > 0 ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : (double)NAN;
}

static void read_costs(score_space *space, double *costs)
{
    double sums[2] = {0, 0}; /* of invalid and of valid ones */
    size_t counts[2] = {0, 0}, count = 0;
    for (uint64_t c = 0; c < space->size; c++) {
        const nitro_search_answer *answer = &space->recording->answers[c];
        bool is_valid = answer->outcome == NITRO_OUTCOME_MEASURED;
        double cost = isnan(answer->cost_ms) ? answer->time_ms : answer->cost_ms;
        if (isnan(cost))
            continue;
        costs[count++] = cost;
        sums[is_valid] += cost;
        counts[is_valid]++;
    }
    nitro_sort(costs, count);
    space->median_cost_ms = median(costs, count);
    space->mean_cost_ms = counts[1] ? sums[1] / (double)counts[1] : 0;
    if (counts[0] > 0)
        space->mean_cost_ms += (double)(space->size - space->num_valid) / (double)space->size *
                               sums[0] / (double)counts[0];
}

nitro_status score_space_read(nitro_context *context, const nitro_recording *recording,
                              score_space *space)
{
    *space = (score_space){.recording = recording, .size = nitro_space_size(recording->space)};
    space->sorted = nitro_calloc(context, space->size, sizeof(*space->sorted));
    double *costs = nitro_calloc(context, space->size, sizeof(*costs));
    if (!space->sorted || !costs) {
        free(costs);
        score_space_free(space);
        return NITRO_ERR_NO_MEMORY;
    }
    for (uint64_t c = 0; c < space->size; c++)
        if (recording->answers[c].outcome == NITRO_OUTCOME_MEASURED)
            space->sorted[space->num_valid++] = recording->answers[c].time_ms;
    nitro_sort(space->sorted, space->num_valid);
    read_costs(space, costs);
    free(costs);
    space->best_ms = space->num_valid > 0 ? space->sorted[0] : (double)NAN;
    if (space->num_valid > 0)
        return NITRO_OK;
    score_space_free(space);
    return nitro_fail(context, NITRO_ERR_NO_DATA,
                      "the recorded space has no valid configuration: nothing can be found in it");
}

void score_space_free(score_space *space)
{
    free(space->sorted);
    *space = (score_space){0};
}

/* The best of n has rank i (from 1) with probability [C(N-i+1,n) - C(N-i,n)] / C(N,n). */
double score_random_best(const score_space *space, uint64_t count)
{
    double size = (double)space->size, n = (double)(count < space->size ? count : space->size);
    double none_before = 1, sum = 0; /* C(N-i+1,n) / C(N,n), from i = 1 */
    for (uint64_t i = 0; i < space->num_valid && none_before > 0; i++) {
        double left = size - (double)i; /* configurations that are not better */
        double none_through = left > n ? none_before * (left - n) / left : 0;
        sum += space->sorted[i] * (none_before - none_through);
        none_before = none_through;
    }
    return sum / (1 - none_before);
}

uint64_t score_budget(const score_space *space, double cutoff)
{
    uint64_t count = space->num_valid, i = 0; /* of times, descending */
    const double *sorted = space->sorted;
    double target = space->best_ms + (median(sorted, count) - space->best_ms) * (1 - cutoff);
    while (i < count && sorted[count - 1 - i] > target)
        i++;
    return (uint64_t)ceil((double)i / (double)(count + 1 - i));
}
