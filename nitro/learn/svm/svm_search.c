/* C and gamma for a training set. Hides the sample, and that its rows are all of one place. */
#include "nitro/learn/svm/svm_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/folds.h"

#define QUICK_MAX_ROWS 400 /* of a rehearsal's search, which takes the square of them */

/** The sample's part of a training set. */
typedef struct svm_sample {
    nitro_folds folds;
    size_t *points; /* shape [num_rows]: 0, 1, ... */
    size_t *labels;
    double *times_ms; /* shape [num_rows x num_variants] */
    double *scores;   /* shape [num_rows x num_variants] */
    nitro_svm_inputs *inputs;
} svm_sample;

size_t nitro_svm_count_varying(const double *columns, size_t num_rows, size_t num_columns)
{
    size_t count = 0;
    for (size_t c = 0; c < num_columns; c++)
        for (size_t row = 1; row < num_rows; row++)
            if (columns[row * num_columns + c] != columns[c]) {
                count++;
                break;
            }
    return count;
}

static nitro_status gather_rows(nitro_context *context, const nitro_training_set *set,
                                const size_t *labels, svm_sample *sample)
{
    size_t count = sample->folds.num_rows, num_variants = set->num_variants;
    double *columns = nitro_folds_columns(context, set, &sample->folds);
    sample->points = nitro_calloc(context, count, sizeof(size_t));
    sample->labels = nitro_calloc(context, count, sizeof(size_t));
    sample->times_ms = nitro_calloc(context, count, num_variants * sizeof(double));
    sample->scores = nitro_calloc(context, count, num_variants * sizeof(double));
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (columns && sample->points && sample->labels && sample->times_ms && sample->scores)
        status =
            nitro_svm_inputs_create(context, columns, count, set->num_columns, &sample->inputs);
    free(columns);
    for (size_t i = 0; status == NITRO_OK && i < count; i++) {
        size_t row = sample->folds.rows[i];
        sample->points[i] = i;
        sample->labels[i] = labels[row];
        memcpy(sample->times_ms + i * num_variants, set->times_ms + row * num_variants,
               num_variants * sizeof(double));
    }
    return status;
}

static void hand_out(const nitro_training_set *set, const svm_sample *sample, double *scores)
{
    size_t num_variants = set->num_variants;
    for (size_t i = 0; i < set->num_rows * num_variants; i++)
        scores[i] = NAN;
    if (sample->folds.num_folds > 1)
        for (size_t i = 0; i < sample->folds.num_rows; i++)
            memcpy(scores + sample->folds.rows[i] * num_variants, sample->scores + i * num_variants,
                   num_variants * sizeof *scores);
}

nitro_status nitro_svm_search(nitro_context *context, const nitro_training_set *set,
                              const size_t *labels, nitro_svm_choice *choice, double *scores)
{
    svm_sample sample = {0};
    size_t most = set->quick ? QUICK_MAX_ROWS : NITRO_SVM_SEARCH_MAX_ROWS;
    nitro_status status =
        nitro_folds_draw(context, set, most, NITRO_SVM_SEARCH_MAX_FOLDS, &sample.folds);
    if (status == NITRO_OK)
        status = gather_rows(context, set, labels, &sample);
    const nitro_svm_work work = {
        .inputs = sample.inputs,
        .rows = {sample.folds.num_rows, sample.points, NULL},
        .num_columns = nitro_svm_count_varying(set->columns, set->num_rows, set->num_columns),
        .num_variants = set->num_variants,
        .labels = sample.labels,
        .times_ms = sample.times_ms,
        .folds = sample.folds.folds,
        .num_folds = sample.folds.num_folds,
        .num_threads = set->num_threads};
    if (status == NITRO_OK)
        status = nitro_svm_grid_search(context, &work, choice, sample.scores);
    if (status == NITRO_OK && scores)
        hand_out(set, &sample, scores);
    nitro_folds_free(&sample.folds);
    free(sample.points);
    free(sample.labels);
    free(sample.times_ms);
    free(sample.scores);
    nitro_svm_inputs_free(sample.inputs);
    return status;
}
