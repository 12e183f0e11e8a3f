/* Costs of features are charged to choices in runs of each input's fastest variant, so that small
 * inputs, where features cost most, count as much as large ones. */
#include "nitro/learn/feature_costs.h"

#include <math.h>

#include "nitro/base/json.h"
#include "nitro/learn/data/dataset.h"

#define CLOCK_MS 5e-5 /* reading the clock twice takes some 30 ns: as long a call may take none */

/** The group that begins with a feature: up to the next feature with a cost. */
static uint64_t group_at(const double *costs_ms, size_t num_features, size_t first)
{
    uint64_t group = UINT64_C(1) << first;
    for (size_t f = first + 1; f < num_features && isnan(costs_ms[f]); f++)
        group |= UINT64_C(1) << f;
    return group;
}

/** Cost of the groups with some of these features; NaN: unknown. */
static double cost_of(const nitro_dataset *sources, size_t row, uint64_t features)
{
    size_t num_features = sources->schema->num_features;
    const double *costs_ms = nitro_dataset_feature_costs(sources, row);
    double sum_ms = 0.0;
    bool is_known = false;
    for (size_t f = 0; f < num_features; f++) {
        if (isnan(costs_ms[f]))
            continue;
        is_known = true;
        if (costs_ms[f] > CLOCK_MS && group_at(costs_ms, num_features, f) & features)
            sum_ms += costs_ms[f];
    }
    return is_known ? sum_ms : NAN;
}

void nitro_feature_costs_charge(const nitro_dataset *sources, uint64_t features,
                                nitro_training_rows *rows)
{
    for (size_t row = 0; row < rows->num_rows; row++) {
        double cost_ms = cost_of(sources, rows->row_source[row], features);
        if (!isnan(cost_ms))
            rows->features_ms[row] = cost_ms;
    }
}

static double best_time(const nitro_training_rows *rows, size_t row, size_t num_variants)
{
    const double *times_ms = rows->times_ms + row * num_variants;
    return times_ms[nitro_times_best(times_ms, num_variants)];
}

/** Mean over samples, in runs of the fastest variant. */
static double mean_cost(const nitro_dataset *sources, uint64_t features)
{
    size_t num_variants = sources->schema->num_variants;
    double sum = 0.0, count = 0.0;
    for (size_t row = 0; row < sources->num_rows; row++) {
        const double *times_ms = nitro_dataset_times(sources, row);
        double cost_ms = cost_of(sources, row, features);
        if (isnan(cost_ms) || !nitro_dataset_row_is_usable(sources, row))
            continue;
        sum += cost_ms / times_ms[nitro_times_best(times_ms, num_variants)];
        count += 1.0;
    }
    return count > 0.0 ? sum / count : 0.0;
}

size_t nitro_feature_costs_find(const nitro_dataset *sources, nitro_feature_cost *groups)
{
    size_t num_features = sources->schema->num_features, count = 0;
    for (size_t row = 0; row < sources->num_rows && count == 0; row++) {
        const double *costs_ms = nitro_dataset_feature_costs(sources, row);
        for (size_t f = 0; f < num_features; f++)
            if (!isnan(costs_ms[f]))
                groups[count++].features = group_at(costs_ms, num_features, f);
    }
    for (size_t g = 0; g < count; g++) {
        groups[g].cost = mean_cost(sources, groups[g].features);
        groups[g].gain = NAN;
    }
    return count;
}

uint64_t nitro_feature_costs_free(const nitro_dataset *sources)
{
    nitro_feature_cost groups[NITRO_MAX_FEATURES];
    size_t count = nitro_feature_costs_find(sources, groups);
    uint64_t free_ones = 0;
    for (size_t g = 0; g < count; g++)
        if (groups[g].cost < NITRO_LEAST_FEATURE_COST)
            free_ones |= groups[g].features;
    return free_ones;
}

static json_t *percent_of_run(double runs)
{
    return isnan(runs) ? json_null() : json_real(100.0 * runs);
}

static json_t *group_json(const nitro_schema *schema, const nitro_feature_cost *group,
                          uint64_t used)
{
    json_t *names = json_array();
    for (size_t f = 0; f < schema->num_features; f++)
        if (group->features >> f & 1)
            nitro_json_append(&names, json_string(schema->features[f].name));
    return json_pack("{s:o, s:o, s:o, s:b}", "features", names, "cost_percent",
                     percent_of_run(group->cost / NITRO_FEATURE_USES), "gain_percent",
                     percent_of_run(group->gain), "used", (group->features & used) != 0);
}

struct json_t *nitro_feature_costs_json(const nitro_schema *schema,
                                        const nitro_feature_cost *groups, size_t count,
                                        uint64_t used)
{
    json_t *array = json_array();
    for (size_t g = 0; g < count; g++)
        nitro_json_append(&array, group_json(schema, &groups[g], used));
    return array;
}

double nitro_feature_costs_total(const nitro_training_rows *rows, const double *held_out_scores,
                                 size_t num_variants)
{
    double sum = 0.0, count = 0.0;
    for (size_t row = 0; row < rows->num_rows; row++) {
        const double *scores = held_out_scores + row * num_variants;
        const double *times_ms = rows->times_ms + row * num_variants;
        double features_ms = rows->features_ms[row];
        if (isnan(scores[0]))
            continue;
        double time_ms = times_ms[nitro_scores_best_timed(scores, times_ms, num_variants)];
        if (!isnan(features_ms))
            time_ms += features_ms / NITRO_FEATURE_USES;
        sum += time_ms / best_time(rows, row, num_variants);
        count += 1.0;
    }
    return count > 0.0 ? sum / count : INFINITY;
}
