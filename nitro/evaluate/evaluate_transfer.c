/*
 * The per-input source oracle `transfer`: for each test input, the variant with the least mean loss
 * on the sources on that input. It shows how far devices agree, and is no model.
 */
#include <stdlib.h>

#include "nitro/evaluate/evaluate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/regret.h"

/** Sum the negated losses of each input's rows. @param[out] sums  shape [num_inputs x
 * num_variants]. */
static nitro_status add_losses(nitro_context *context, const nitro_dataset *sources, double *sums,
                               bool *is_known)
{
    size_t num_variants = sources->schema->num_variants, count = 0;
    const nitro_training_set set = {.num_rows = sources->num_rows,
                                    .num_variants = num_variants,
                                    .times_ms = sources->times_ms,
                                    .row_input = sources->row_input,
                                    .row_device = sources->row_device};
    double *losses = NULL;
    size_t *rows = nitro_calloc(context, sources->num_rows, sizeof *rows);
    if (!rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < sources->num_rows; row++)
        if (nitro_dataset_row_is_usable(sources, row))
            rows[count++] = row;
    nitro_status status = nitro_losses_find(context, &set, rows, count, &losses);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        size_t input = sources->row_input[rows[i]];
        is_known[input] = true;
        for (size_t v = 0; v < num_variants; v++)
            sums[input * num_variants + v] -= losses[i * num_variants + v];
    }
    free(losses);
    free(rows);
    return status;
}

static nitro_status choose(const nitro_evaluation *evaluation, const nitro_dataset *sources,
                           size_t target, const size_t *rows, size_t num_rows, size_t *choices)
{
    const nitro_dataset *dataset = evaluation->dataset;
    size_t num_variants = dataset->schema->num_variants;
    uint64_t known = nitro_dataset_known_variants(dataset, target);
    size_t fixed = nitro_dataset_best_fixed(sources, known);
    double *scores =
        nitro_calloc(evaluation->context, dataset->num_inputs, num_variants * sizeof *scores);
    bool *is_known = nitro_calloc(evaluation->context, dataset->num_inputs, sizeof *is_known);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (scores && is_known)
        status = add_losses(evaluation->context, sources, scores, is_known);
    for (size_t i = 0; i < num_rows && status == NITRO_OK; i++) {
        size_t input = dataset->row_input[rows[i]];
        double *sums = scores + input * num_variants;
        nitro_scores_restrict(sums, num_variants,
                              nitro_dataset_row_variants(dataset, rows[i], known));
        choices[i] = is_known[input] ? nitro_scores_best(sums, num_variants) : fixed;
    }
    free(scores);
    free(is_known);
    return status;
}

nitro_status nitro_evaluation_choose_transfer(nitro_evaluation *evaluation, size_t target,
                                              const size_t *rows, size_t num_rows, size_t *choices)
{
    bool *marks = NULL;
    nitro_dataset *sources = NULL;
    if (evaluation->is_own)
        return nitro_fail(evaluation->context, NITRO_ERR_NO_DATA,
                          "there is no other device to transfer choices from");
    nitro_status status = nitro_evaluation_mark_sources(evaluation, target, &marks);
    if (status == NITRO_OK)
        status =
            nitro_dataset_select(evaluation->context, evaluation->dataset, marks, NULL, &sources);
    if (status == NITRO_OK)
        nitro_evaluation_add_share(sources, evaluation->share, sources->times_ms);
    if (status == NITRO_OK)
        status = choose(evaluation, sources, target, rows, num_rows, choices);
    nitro_dataset_free(sources);
    free(marks);
    return status;
}
