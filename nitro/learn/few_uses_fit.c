/*
 * The choice for few uses. For one use of 44 matrices on a host, one variant for all took 1.56
 * times the oracle's total, and one for each range of the average row length 1.01 times.
 */
#include "nitro/learn/few_uses_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/feature_costs.h"

#define LEAST_ROWS 4    /* of a range */
#define LEAST_GAIN 0.02 /* of a border, of the cost without it */

/** Times of one use: in sum, and in units of each row's best. Large inputs decide the former, and
 *  mostly small ones the latter: a choice must be good by both, since neither of them alone holds
 *  for inputs of other sizes. */
typedef struct use_cost {
    double total_ms, relative;
} use_cost;

typedef struct use_costs {
    double uses;
    size_t num_rows;
    use_cost best, chosen;               /* by the model, features included */
    use_cost fixed[NITRO_MAX_VARIANTS];  /* always this variant; infinite if not always allowed */
    size_t num_good[NITRO_MAX_VARIANTS]; /* rows where it is within 5 % of the best */
} use_costs;

typedef struct search {
    const nitro_dataset *sources;
    const nitro_training_rows *rows;
    const double *held_out_scores;
    nitro_prepare_costs *costs;
    size_t *order; /* held-out rows, then by the feature of ranges */
    size_t num_rows;
    use_cost best;   /* of all rows, for one use */
    use_cost *room;  /* shape [2 x num_rows] */
    uint64_t always; /* variants that have a time in all of them: the others have constraints */
} search;

static void add_cost(double time_ms, double best_ms, use_cost *to)
{
    to->total_ms += time_ms;
    to->relative += time_ms / best_ms;
}

/** Time of one use; infinite without a time. */
static double time_of_use(const nitro_training_rows *rows, size_t place, double uses)
{
    double prepare_ms = rows->prepare_ms[place];
    double time_ms = rows->times_ms[place] + (isnan(prepare_ms) ? 0.0 : prepare_ms / uses);
    return isnan(time_ms) ? INFINITY : time_ms;
}

/** The time of one use of the row by the held-out choice, among the variants with a time. */
static double time_of_choice(const search *s, size_t row, double uses, const double *times,
                             uint64_t timed)
{
    size_t num_variants = s->costs->num_variants;
    double scores[NITRO_MAX_VARIANTS] = {0};
    memcpy(scores, s->held_out_scores + row * num_variants, num_variants * sizeof *scores);
    nitro_prepare_costs_charge(s->costs, s->rows->columns + row * s->rows->num_columns, 1.0 / uses,
                               timed, scores);
    for (size_t v = 0; v < num_variants; v++)
        if (!(timed >> v & 1))
            scores[v] = -INFINITY;
    double features_ms = s->rows->features_ms[row];
    return times[nitro_scores_best(scores, num_variants)] +
           (isnan(features_ms) ? 0.0 : features_ms / uses);
}

/** Adds a row's times, by the held-out choice only if `chooses`. */
static void add_row(const search *s, size_t row, bool chooses, use_costs *to)
{
    size_t num_variants = s->costs->num_variants;
    double times[NITRO_MAX_VARIANTS] = {0}, best_ms = INFINITY;
    uint64_t timed = 0;
    for (size_t v = 0; v < num_variants; v++) {
        times[v] = time_of_use(s->rows, row * num_variants + v, to->uses);
        best_ms = fmin(best_ms, times[v]);
        timed |= (uint64_t)isfinite(times[v]) << v;
    }
    to->num_rows++;
    add_cost(best_ms, best_ms, &to->best);
    if (chooses)
        add_cost(time_of_choice(s, row, to->uses, times, timed), best_ms, &to->chosen);
    for (size_t v = 0; v < num_variants; v++) {
        add_cost(s->always >> v & 1 ? times[v] : INFINITY, best_ms, &to->fixed[v]);
        to->num_good[v] += best_ms >= NITRO_GOOD_QUALITY * times[v];
    }
}

static double over_best(const use_cost *cost, const use_cost *best)
{
    return cost->total_ms / best->total_ms + cost->relative / best->relative;
}

static size_t find_best_fixed(const use_costs *of, size_t num_variants, const use_cost *best)
{
    size_t found = 0;
    for (size_t v = 1; v < num_variants; v++)
        if (over_best(&of->fixed[v], best) < over_best(&of->fixed[found], best))
            found = v;
    return found;
}

/** Up to which number of uses is one variant, without features, at least as good as choosing on
 *  these rows? */
static nitro_few_uses find_few_uses(const search *s, const size_t *rows, size_t num_rows)
{
    static const double steps[] = {1, 2, 3, 5, 7};
    size_t num_steps = sizeof steps / sizeof steps[0];
    nitro_few_uses found = {0};
    for (size_t level = 0; level < 6 * num_steps && num_rows > 0; level++) {
        use_costs of_use = {.uses =
                                steps[level % num_steps] * pow(10.0, (double)(level / num_steps))};
        for (size_t i = 0; i < num_rows; i++)
            add_row(s, rows[i], true, &of_use);
        if (level == 0)
            found.variant = find_best_fixed(&of_use, s->costs->num_variants, &of_use.best);
        const use_cost *fixed = &of_use.fixed[found.variant];
        if (!(fixed->total_ms <= of_use.chosen.total_ms) ||
            !(fixed->relative <= of_use.chosen.relative))
            break;
        found.uses = of_use.uses;
        found.confidence = (double)of_use.num_good[found.variant] / (double)num_rows;
    }
    return found;
}

/* ---- Ranges of a feature ----------------------------------------------------------------------
 */

/** Rows in ascending order of a feature, divided into ranges. */
typedef struct division {
    size_t feature; /* NITRO_NONE: one range, in any order */
    size_t count;
    size_t ends[NITRO_MAX_FEW]; /* positions behind the ranges, ascending */
    use_cost cost;              /* of the ranges' best variants for one use */
} division;

/** A row and its value of a feature; rows in order where values are equal. */
typedef struct place {
    double value;
    size_t row;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_rows(const search *s, size_t feature, place *places)
{
    for (size_t i = 0; i < s->num_rows; i++) {
        size_t row = s->order[i];
        const double *features = nitro_dataset_features(s->sources, s->rows->row_source[row]);
        places[i] = (place){features[feature], row};
    }
    qsort(places, s->num_rows, sizeof *places, compare_places);
}

/** Costs of the best variant of the first 1, 2, ... places; of the last ones where `backwards`. */
static void add_up(const search *s, const place *places, size_t count, bool backwards,
                   use_cost *costs)
{
    use_costs sums = {.uses = 1};
    for (size_t i = 0; i < count; i++) {
        add_row(s, places[backwards ? count - 1 - i : i].row, false, &sums);
        costs[i] = sums.fixed[find_best_fixed(&sums, s->costs->num_variants, &s->best)];
    }
}

static double value_of(const search *s, const use_cost *cost)
{
    return over_best(cost, &s->best);
}

/** Divide a range in two where that gains most, if it does enough by both measures. */
static void divide_range(const search *s, const place *places, size_t range, division *made)
{
    size_t begin = range > 0 ? made->ends[range - 1] : 0, count = made->ends[range] - begin;
    use_cost *below = s->room, *above = s->room + count, best = made->cost;
    size_t end = 0;
    add_up(s, places + begin, count, false, below);
    add_up(s, places + begin, count, true, above);
    for (size_t k = LEAST_ROWS; k + LEAST_ROWS <= count; k++) {
        const use_cost *low = &below[k - 1], *high = &above[count - k - 1],
                       *whole = &below[count - 1];
        double total_ms = low->total_ms + high->total_ms - whole->total_ms;
        double relative = low->relative + high->relative - whole->relative;
        use_cost cost = {made->cost.total_ms + total_ms, made->cost.relative + relative};
        if (places[begin + k - 1].value < places[begin + k].value && total_ms <= 0.0 &&
            relative <= 0.0 && value_of(s, &cost) < value_of(s, &best)) {
            best = cost;
            end = begin + k;
        }
    }
    if (end == 0 || !(value_of(s, &best) < (1.0 - LEAST_GAIN) * value_of(s, &made->cost)))
        return;
    for (size_t i = made->count++; i > range; i--)
        made->ends[i] = made->ends[i - 1];
    made->ends[range] = end;
    made->cost = best;
}

/** Divide all rows by a feature, the range that gains most first. */
static division divide(const search *s, const place *places, size_t feature, const use_cost *whole)
{
    division made = {.feature = feature, .count = 1, .ends = {s->num_rows}, .cost = *whole};
    for (bool is_better = true; is_better && made.count < NITRO_MAX_FEW;) {
        division best = made;
        for (size_t range = 0; range < made.count; range++) {
            division tried = made;
            divide_range(s, places, range, &tried);
            if (value_of(s, &tried.cost) < value_of(s, &best.cost))
                best = tried;
        }
        is_better = best.count > made.count;
        made = best;
    }
    return made;
}

/** Between two values, in their geometric mean where both are positive. */
static double border_between(double low, double high)
{
    double middle = low > 0.0 ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
    return middle >= low && middle < high ? middle : low;
}

static void set_choices(search *s, place *places, const division *by)
{
    nitro_prepare_costs *costs = s->costs;
    if (by->feature != NITRO_NONE) {
        sort_rows(s, by->feature, places);
        for (size_t i = 0; i < s->num_rows; i++)
            s->order[i] = places[i].row;
    }
    costs->few_feature = by->feature;
    costs->num_few = by->count;
    for (size_t i = 0; i < by->count; i++) {
        size_t begin = i > 0 ? by->ends[i - 1] : 0, end = by->ends[i];
        costs->few[i] = find_few_uses(s, s->order + begin, end - begin);
        costs->few[i].up_to =
            i + 1 < by->count ? border_between(places[end - 1].value, places[end].value) : INFINITY;
    }
}

static void find_choices(search *s, place *places)
{
    use_costs all = {.uses = 1};
    uint64_t candidates = nitro_feature_costs_free(s->sources);
    for (size_t i = 0; i < s->num_rows; i++)
        add_row(s, s->order[i], false, &all);
    s->best = all.best;
    const use_cost whole = all.fixed[find_best_fixed(&all, s->costs->num_variants, &s->best)];
    division best = {.feature = NITRO_NONE, .count = 1, .ends = {s->num_rows}, .cost = whole};
    for (size_t f = 0; f < s->sources->schema->num_features; f++) {
        if (!(candidates >> f & 1))
            continue;
        sort_rows(s, f, places);
        division made = divide(s, places, f, &whole);
        if (made.count > 1 && value_of(s, &made.cost) < value_of(s, &best.cost))
            best = made;
    }
    set_choices(s, places, &best);
}

static void list_rows(search *s)
{
    size_t num_variants = s->costs->num_variants;
    s->always = UINT64_MAX;
    for (size_t row = 0; row < s->rows->num_rows; row++) {
        if (isnan(s->held_out_scores[row * num_variants]))
            continue;
        s->order[s->num_rows++] = row;
        for (size_t v = 0; v < num_variants; v++)
            if (isnan(s->rows->times_ms[row * num_variants + v]))
                s->always &= ~(UINT64_C(1) << v);
    }
}

nitro_status nitro_few_uses_fit(nitro_context *context, const nitro_dataset *sources,
                                const nitro_training_rows *rows, const double *held_out_scores,
                                nitro_prepare_costs *costs)
{
    search s = {
        .sources = sources, .rows = rows, .held_out_scores = held_out_scores, .costs = costs};
    place *places = nitro_calloc(context, rows->num_rows + 1, sizeof *places);
    s.order = nitro_calloc(context, rows->num_rows + 1, sizeof *s.order);
    s.room = nitro_calloc(context, rows->num_rows + 1, 2 * sizeof *s.room);
    nitro_status status = places && s.order && s.room ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        list_rows(&s);
        find_choices(&s, places);
    }
    free(places);
    free(s.order);
    free(s.room);
    return status;
}
