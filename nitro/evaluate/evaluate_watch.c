/* What a watch is told: each choice, and the declared default where there was none. */
#include <math.h>
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"

bool nitro_evaluation_ran(const nitro_evaluation *evaluation, const size_t *rows, size_t num_rows,
                          size_t variant)
{
    for (size_t i = 0; i < num_rows; i++)
        if (isfinite(nitro_dataset_times(evaluation->dataset, rows[i])[variant]))
            return true;
    return false;
}

/** The mean quality of the variants that ran anywhere on these rows. */
static double expect_quality(const double *times, size_t num_variants, const bool *counts)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t v = 0; v < num_variants; v++)
        if (counts[v]) {
            sum += nitro_times_quality(times, num_variants, v);
            count++;
        }
    return sum / (double)count;
}

void nitro_evaluation_show_cases(const nitro_evaluation *evaluation, nitro_evaluate_case one,
                                 const size_t *rows, size_t num_rows, const size_t *choices)
{
    const nitro_evaluate_watch *watch = evaluation->watch;
    size_t num_variants = evaluation->dataset->schema->num_variants;
    bool counts[NITRO_MAX_VARIANTS];
    if (!watch || !watch->judged)
        return;
    for (size_t v = 0; v < num_variants; v++)
        counts[v] = nitro_evaluation_ran(evaluation, rows, num_rows, v);
    for (size_t i = 0; i < num_rows; i++) {
        const double *times = nitro_evaluation_times(evaluation, rows[i]);
        one.input = evaluation->dataset->row_input[rows[i]];
        one.chosen = choices ? choices[i] : NITRO_NONE;
        one.quality = 100.0 * (choices ? nitro_times_quality(times, num_variants, choices[i])
                                       : expect_quality(times, num_variants, counts));
        watch->judged(watch->user, &one);
    }
}

nitro_status nitro_evaluation_show_defaults(nitro_evaluation *evaluation, nitro_evaluate_case one,
                                            const size_t *rows, size_t num_rows)
{
    size_t declared = evaluation->dataset->schema->default_variant;
    size_t *choices = nitro_calloc(evaluation->context, num_rows, sizeof *choices);
    if (!choices)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_rows; i++)
        choices[i] = declared == NITRO_NONE ? 0 : declared;
    nitro_evaluation_show_cases(evaluation, one, rows, num_rows, choices);
    free(choices);
    return NITRO_OK;
}
