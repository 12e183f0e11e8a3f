/*
 * The choice for few uses. Ranges of a feature are judged by several numbers of uses together: on
 * small inputs features pay after some ten uses, on large ones at the first.
 */
#include "nitro/learn/few_uses_fit.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/feature_costs.h"
#include "nitro/learn/held_out.h"

#define LEAST_ROWS 8    /* of a range */
#define LEAST_GAIN 0.01 /* of a border, of the cost without it */
/* Features are skipped where they cost at least this share of the best time. Below, only errors of
 * the held-out choice speak against it, and on an unlike input a fixed variant may lose much more.
 */
#define LEAST_SHARE 0.03

/* Numbers of uses by which ranges are judged. */
static const double judged_uses[] = {1, 3, 10, 30, 100};
#define NUM_JUDGED (sizeof judged_uses / sizeof judged_uses[0])

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
    use_cost features;                   /* their part of it */
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
    use_cost best[NUM_JUDGED]; /* of all rows */
    double *room;              /* shape [2 x num_rows] */
    uint64_t always; /* variants that have a time in all of them: the others have constraints */
} search;

static void add_cost(double time_ms, double best_ms, use_cost *to)
{
    to->total_ms += time_ms;
    to->relative += time_ms / best_ms;
}

static double time_of_features(const nitro_training_rows *rows, size_t row, double uses)
{
    double features_ms = rows->features_ms[row];
    return isnan(features_ms) ? 0.0 : features_ms / uses;
}

static void add_row(const search *s, size_t row, use_costs *to)
{
    size_t num_variants = s->costs->num_variants;
    double times[NITRO_MAX_VARIANTS] = {0};
    size_t chosen = nitro_held_out_choose_row(s->rows, row, s->held_out_scores, num_variants,
                                              s->costs, to->uses, times);
    double best_ms = times[nitro_times_best(times, num_variants)];
    to->num_rows++;
    add_cost(best_ms, best_ms, &to->best);
    double features_ms = time_of_features(s->rows, row, to->uses);
    add_cost(features_ms, best_ms, &to->features);
    add_cost(times[chosen] + features_ms, best_ms, &to->chosen);
    for (size_t v = 0; v < num_variants; v++) {
        add_cost(s->always >> v & 1 ? times[v] : INFINITY, best_ms, &to->fixed[v]);
        to->num_good[v] += best_ms >= NITRO_GOOD_QUALITY * times[v];
    }
}

static double over_best(const use_cost *cost, const use_cost *best)
{
    return cost->total_ms / best->total_ms + cost->relative / best->relative;
}

/** Do features cost enough to be skipped? */
static bool features_are_dear(const use_costs *of)
{
    return of->features.total_ms >= LEAST_SHARE * of->best.total_ms &&
           of->features.relative >= LEAST_SHARE * of->best.relative;
}

/** The costs of some rows for each judged number of uses. */
typedef struct judged_costs {
    use_costs of[NUM_JUDGED];
} judged_costs;

static judged_costs no_costs(void)
{
    judged_costs none = {0};
    for (size_t k = 0; k < NUM_JUDGED; k++)
        none.of[k].uses = judged_uses[k];
    return none;
}

static void add_judged(const search *s, size_t row, judged_costs *to)
{
    for (size_t k = 0; k < NUM_JUDGED; k++)
        add_row(s, row, &to->of[k]);
}

/** The least cost, over all judged numbers of uses, of taking the best variant for one use up to
 *  some number of uses and the model's choice from then on. */
static double judge(const search *s, const judged_costs *costs, size_t *variant)
{
    const use_cost *fixed = costs->of[0].fixed;
    double cost = 0.0;
    size_t best = 0;
    for (size_t v = 1; v < s->costs->num_variants; v++)
        if (over_best(&fixed[v], &s->best[0]) < over_best(&fixed[best], &s->best[0]))
            best = v;
    for (size_t k = 0; k < NUM_JUDGED; k++)
        cost += over_best(&costs->of[k].chosen, &s->best[k]);
    double least = cost;
    for (size_t k = 0; k < NUM_JUDGED && features_are_dear(&costs->of[k]); k++) {
        cost += over_best(&costs->of[k].fixed[best], &s->best[k]) -
                over_best(&costs->of[k].chosen, &s->best[k]);
        least = fmin(least, cost);
    }
    *variant = best;
    return least;
}

/** The best variant of these rows, and up to which number of uses it is, without features, at
 *  least as good as choosing. */
static nitro_few_uses find_few_uses(const search *s, const size_t *rows, size_t num_rows)
{
    static const double steps[] = {1, 2, 3, 5, 7};
    size_t num_steps = sizeof steps / sizeof steps[0];
    nitro_few_uses found = {0};
    judged_costs all = no_costs();
    for (size_t i = 0; i < num_rows; i++)
        add_judged(s, rows[i], &all);
    judge(s, &all, &found.variant);
    for (size_t level = 0; level < 6 * num_steps && num_rows > 0; level++) {
        use_costs of_use = {.uses =
                                steps[level % num_steps] * pow(10.0, (double)(level / num_steps))};
        for (size_t i = 0; i < num_rows; i++)
            add_row(s, rows[i], &of_use);
        const use_cost *fixed = &of_use.fixed[found.variant];
        if (!features_are_dear(&of_use) || !(fixed->total_ms <= of_use.chosen.total_ms) ||
            !(fixed->relative <= of_use.chosen.relative))
            break;
        found.uses = of_use.uses;
        found.confidence = (double)of_use.num_good[found.variant] / (double)num_rows;
    }
    return found;
}

/* ---- Ranges of a feature --------------------------------------------------------------------- */

/** Rows in ascending order of a feature, divided into ranges. */
typedef struct division {
    size_t feature; /* NITRO_NONE: one range, in any order */
    size_t count;
    size_t ends[NITRO_MAX_FEW]; /* positions behind the ranges, ascending */
    double cost;                /* of the ranges' best choices */
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

/** Costs of the best choice for the first 1, 2, ... places; for the last ones where `backwards`. */
static void add_up(const search *s, const place *places, size_t count, bool backwards,
                   double *costs)
{
    judged_costs sums = no_costs();
    size_t variant;
    for (size_t i = 0; i < count; i++) {
        add_judged(s, places[backwards ? count - 1 - i : i].row, &sums);
        costs[i] = judge(s, &sums, &variant);
    }
}

/** Divide a range in two where that gains most, if it gains enough. */
static void divide_range(const search *s, const place *places, size_t range, division *made)
{
    size_t begin = range > 0 ? made->ends[range - 1] : 0, count = made->ends[range] - begin;
    double *below = s->room, *above = s->room + count, best = made->cost;
    size_t end = 0;
    add_up(s, places + begin, count, false, below);
    add_up(s, places + begin, count, true, above);
    for (size_t k = LEAST_ROWS; k + LEAST_ROWS <= count; k++) {
        double cost = made->cost + below[k - 1] + above[count - k - 1] - below[count - 1];
        if (places[begin + k - 1].value < places[begin + k].value && cost < best) {
            best = cost;
            end = begin + k;
        }
    }
    if (end == 0 || !(best < (1.0 - LEAST_GAIN) * made->cost))
        return;
    for (size_t i = made->count++; i > range; i--)
        made->ends[i] = made->ends[i - 1];
    made->ends[range] = end;
    made->cost = best;
}

/** Divide all rows by a feature, the range that gains most first. */
static division divide(const search *s, const place *places, size_t feature, double whole)
{
    division made = {.feature = feature, .count = 1, .ends = {s->num_rows}, .cost = whole};
    for (bool is_better = true; is_better && made.count < NITRO_MAX_FEW;) {
        division best = made;
        for (size_t range = 0; range < made.count; range++) {
            division tried = made;
            divide_range(s, places, range, &tried);
            if (tried.cost < best.cost)
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
    judged_costs all = no_costs();
    uint64_t candidates = nitro_feature_costs_free(s->sources);
    size_t variant;
    for (size_t i = 0; i < s->num_rows; i++)
        add_judged(s, s->order[i], &all);
    for (size_t k = 0; k < NUM_JUDGED; k++)
        s->best[k] = all.of[k].best;
    double whole = judge(s, &all, &variant);
    division best = {.feature = NITRO_NONE, .count = 1, .ends = {s->num_rows}, .cost = whole};
    for (size_t f = 0; f < s->sources->schema->num_features; f++) {
        if (!(candidates >> f & 1))
            continue;
        sort_rows(s, f, places);
        division made = divide(s, places, f, whole);
        if (made.count > 1 && made.cost < best.cost)
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
