/* Quality and total time of choices on held-out inputs, beside those of fixed variants. */
#include "nitro/learn/held_out.h"

#include <math.h>

#include "nitro/base/json.h"
#include "nitro/learn/data/dataset.h"

#define CONFIDENT_FROM 0.9

/** Sums over rows. */
typedef struct held_out_sums {
    size_t num_rows, num_confident, num_good;
    double best_ms, model_ms, model_quality;
    double fixed_ms[NITRO_MAX_VARIANTS], fixed_quality[NITRO_MAX_VARIANTS];
} held_out_sums;

double nitro_held_out_fixed_time(const double *times_ms, size_t wanted, size_t usual)
{
    size_t v = 0;
    if (!isnan(times_ms[wanted]))
        return times_ms[wanted];
    if (!isnan(times_ms[usual]))
        return times_ms[usual];
    while (isnan(times_ms[v]))
        v++;
    return times_ms[v];
}

static void add_row(const nitro_model *model, const double *times_ms, const double *scores,
                    held_out_sums *sums)
{
    size_t num_variants = model->schema->num_variants;
    size_t chosen = nitro_scores_best_timed(scores, times_ms, num_variants);
    double best_ms = times_ms[nitro_times_best(times_ms, num_variants)];
    uint64_t timed = 0;
    for (size_t v = 0; v < num_variants; v++) {
        double fixed_ms = nitro_held_out_fixed_time(times_ms, v, model->schema->default_variant);
        sums->fixed_ms[v] += fixed_ms;
        sums->fixed_quality[v] += best_ms / fixed_ms;
        timed |= (uint64_t)!isnan(times_ms[v]) << v;
    }
    double quality = best_ms / times_ms[chosen];
    bool is_confident =
        nitro_calibration_confidence(&model->calibration,
                                     nitro_calibration_margin(scores, num_variants, timed)) >=
        CONFIDENT_FROM;
    sums->num_rows++;
    sums->best_ms += best_ms;
    sums->model_ms += times_ms[chosen];
    sums->model_quality += quality;
    sums->num_confident += is_confident;
    sums->num_good += is_confident && quality >= NITRO_GOOD_QUALITY;
}

static nitro_held_out_choice fixed_choice(const held_out_sums *sums, size_t variant)
{
    return (nitro_held_out_choice){100.0 * sums->fixed_quality[variant] / (double)sums->num_rows,
                                   sums->fixed_ms[variant] / sums->best_ms};
}

void nitro_held_out_judge(const nitro_training_rows *rows, const double *scores,
                          const nitro_model *model, nitro_held_out *found)
{
    size_t num_variants = model->schema->num_variants, fixed = 0;
    held_out_sums sums = {0};
    for (size_t i = 0; i < rows->num_rows * num_variants; i += num_variants)
        if (!isnan(scores[i]))
            add_row(model, rows->times_ms + i, scores + i, &sums);
    *found = (nitro_held_out){.num_rows = sums.num_rows};
    if (sums.num_rows == 0)
        return;
    for (size_t v = 1; v < num_variants; v++)
        if (sums.fixed_ms[v] < sums.fixed_ms[fixed])
            fixed = v;
    found->fixed = fixed;
    found->model = (nitro_held_out_choice){100.0 * sums.model_quality / (double)sums.num_rows,
                                           sums.model_ms / sums.best_ms};
    found->best_fixed = fixed_choice(&sums, fixed);
    found->usual = fixed_choice(&sums, model->schema->default_variant);
    found->confident = 100.0 * (double)sums.num_confident / (double)sums.num_rows;
    found->precision = sums.num_confident > 0
                           ? 100.0 * (double)sums.num_good / (double)sums.num_confident
                           : (double)NAN;
}

size_t nitro_held_out_choose_row(const nitro_training_rows *rows, size_t row,
                                 const double *held_out_scores, size_t num_variants,
                                 const nitro_prepare_costs *costs, double uses, double *times_ms)
{
    double scores[NITRO_MAX_VARIANTS] = {0};
    uint64_t timed = 0;
    for (size_t v = 0; v < num_variants; v++) {
        double prepare_ms = rows->prepare_ms[row * num_variants + v];
        times_ms[v] =
            rows->times_ms[row * num_variants + v] + (isnan(prepare_ms) ? 0.0 : prepare_ms / uses);
        scores[v] = held_out_scores[row * num_variants + v];
        timed |= (uint64_t)!isnan(times_ms[v]) << v;
    }
    if (costs && isfinite(uses))
        nitro_prepare_costs_charge(costs, rows->columns + row * rows->num_columns, 1.0 / uses,
                                   timed, scores);
    return nitro_scores_best_timed(scores, times_ms, num_variants);
}

nitro_held_out_choice nitro_held_out_choose(const nitro_training_rows *rows, const double *scores,
                                            const nitro_model *model, double uses)
{
    size_t num_variants = model->schema->num_variants;
    held_out_sums sums = {0};
    for (size_t row = 0; row < rows->num_rows; row++) {
        double times[NITRO_MAX_VARIANTS];
        if (isnan(scores[row * num_variants]))
            continue;
        size_t chosen = nitro_held_out_choose_row(rows, row, scores, num_variants,
                                                  model->prepare_costs, uses, times);
        double best_ms = times[nitro_times_best(times, num_variants)];
        sums.num_rows++;
        sums.best_ms += best_ms;
        sums.model_ms += times[chosen];
        sums.model_quality += best_ms / times[chosen];
    }
    return (nitro_held_out_choice){100.0 * sums.model_quality / (double)sums.num_rows,
                                   sums.model_ms / sums.best_ms};
}

static json_t *choice_json(const nitro_held_out_choice *choice)
{
    return json_pack("{s:f, s:f}", "quality", choice->quality, "time", choice->time);
}

struct json_t *nitro_held_out_json(const nitro_held_out *found, const nitro_schema *schema)
{
    if (found->num_rows == 0)
        return NULL;
    json_t *made =
        json_pack("{s:I, s:o, s:o, s:o, s:s, s:f}", "samples", (json_int_t)found->num_rows, "model",
                  choice_json(&found->model), "best_fixed", choice_json(&found->best_fixed),
                  "default", choice_json(&found->usual), "best_fixed_variant",
                  schema->variants[found->fixed], "confident", found->confident);
    if (found->replaced.time > 0.0)
        nitro_json_put(&made, "replaced", choice_json(&found->replaced));
    if (!isnan(found->precision))
        nitro_json_put(&made, "precision", json_real(found->precision));
    return made;
}
