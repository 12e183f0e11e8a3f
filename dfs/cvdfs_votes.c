/* The votes of CV-DFS: from the qualities of subsets to the features chosen. */
#include <math.h>
#include <stdlib.h>

#include "dfs/cvdfs.h"

#define AS_GOOD 2.0 /* percentage points of mean quality that count as equal */

double search_quality(const search *s, size_t validation, size_t subset)
{
    return s->qualities[validation * s->num_subsets + subset];
}

/** Over the validation devices; NaN: evaluated on none. */
static double find_mean(const search *s, size_t subset)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t t = 0; t < s->task.sources->num_devices; t++) {
        double quality = search_quality(s, t, subset);
        sum += isnan(quality) ? 0.0 : quality;
        count += isnan(quality) ? 0 : 1;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

/** May the subset be one of the best of a validation device? */
static bool competes(const search *s, size_t validation, size_t subset)
{
    return (s->subsets[subset] & ~s->varying[validation]) == 0 &&
           !isnan(search_quality(s, validation, subset));
}

/** The least quality and mean of the best subsets of a validation device. */
typedef struct bar {
    double quality, mean;
} bar;

static bool is_best(const search *s, size_t validation, const bar *least, size_t subset)
{
    return competes(s, validation, subset) &&
           search_quality(s, validation, subset) >= least->quality &&
           s->means[subset] >= least->mean;
}

static bar find_bar(const search *s, size_t validation)
{
    bar least = {-INFINITY, -INFINITY};
    double highest = -INFINITY;
    for (size_t i = 0; i < s->num_subsets; i++)
        if (competes(s, validation, i))
            highest = fmax(highest, search_quality(s, validation, i));
    least.quality = highest - AS_GOOD;
    highest = -INFINITY;
    for (size_t i = 0; i < s->num_subsets; i++)
        if (is_best(s, validation, &least, i))
            highest = fmax(highest, s->means[i]);
    least.mean = highest - AS_GOOD;
    return least;
}

/** Divide a validation device's vote. The first of equal subsets counts as the best. */
static void count_vote(search *s, size_t validation)
{
    const bar least = find_bar(s, validation);
    validation_device target = {.best = NO_FEATURE};
    for (size_t i = 0; i < s->num_subsets; i++) {
        if (!is_best(s, validation, &least, i))
            continue;
        target.num_best++;
        if (target.best == NO_FEATURE || s->means[i] > s->means[target.best])
            target.best = i;
    }
    for (size_t c = 0; target.best != NO_FEATURE && c < s->candidates.count; c++) {
        size_t count = 0;
        for (size_t i = 0; i < s->num_subsets; i++)
            count += is_best(s, validation, &least, i) && (s->subsets[i] >> c & 1);
        s->tallies[c].votes += (double)count / (double)target.num_best;
    }
    s->num_targets += target.best != NO_FEATURE;
    s->targets[validation] = target;
}

static int compare_tallies(const void *left, const void *right)
{
    const feature_tally *a = left, *b = right;
    if (a->votes != b->votes)
        return a->votes > b->votes ? -1 : 1;
    if (a->outside != b->outside)
        return a->outside < b->outside ? -1 : 1;
    if (a->quality != b->quality)
        return a->quality > b->quality ? -1 : 1;
    return a->candidate < b->candidate ? -1 : 1;
}

/** Tallies without votes, in the candidates' order. */
static void begin_tallies(search *s)
{
    size_t count = 0;
    for (size_t c = 0; c < s->offered->count; c++)
        if (s->ranges[c].is_within) {
            double single =
                s->means[NO_FEATURE + 1 + count]; /* subsets of one feature follow the empty one */
            s->tallies[count] = (feature_tally){.candidate = count,
                                                .outside = s->ranges[c].target,
                                                .quality = isnan(single) ? 0.0 : single};
            count++;
        }
}

void search_vote(search *s)
{
    size_t num_candidates = s->candidates.count;
    for (size_t i = 0; i < s->num_subsets; i++)
        s->means[i] = find_mean(s, i);
    begin_tallies(s);
    for (size_t t = 0; t < s->task.sources->num_devices; t++)
        count_vote(s, t);
    if (num_candidates > 1)
        qsort(s->tallies, num_candidates, sizeof *s->tallies, compare_tallies);
    while (s->num_chosen < num_candidates && s->num_chosen < s->task.k &&
           s->tallies[s->num_chosen].votes > 0.0)
        s->num_chosen++;
}
