/* The rows of a search for device features. Rows of one input with equal features on several
 * devices share one point of the input kernel. */
#include "nitro/learn/dfs/dfs_sample.h"

#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/folds.h"

static bool is_usable(const nitro_dataset *sources, size_t row)
{
    const nitro_schema *schema = sources->schema;
    const double *features = nitro_dataset_features(sources, row);
    for (size_t f = 0; f < schema->num_features; f++)
        if (schema->features[f].scale == NITRO_SCALE_LOG && !(features[f] > 0.0))
            return false;
    return nitro_dataset_row_is_usable(sources, row);
}

/** Keep a seeded draw of whole inputs. */
static nitro_status draw(nitro_context *context, size_t max_rows, uint64_t seed,
                         nitro_dfs_sample *sample)
{
    nitro_folds folds = {0};
    size_t *inputs = nitro_calloc(context, sample->num_rows, sizeof *inputs);
    if (!inputs)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < sample->num_rows; i++)
        inputs[i] = sample->sources->row_input[sample->rows[i]];
    const nitro_training_set set = {
        .num_rows = sample->num_rows, .row_input = inputs, .seed = seed};
    nitro_status status = nitro_folds_draw(context, &set, max_rows, 1, &folds);
    if (status == NITRO_OK) {
        for (size_t i = 0; i < folds.num_rows; i++)
            sample->rows[i] = sample->rows[folds.rows[i]];
        sample->num_rows = folds.num_rows;
    }
    nitro_folds_free(&folds);
    free(inputs);
    return status;
}

/** The point of an earlier row of the same input with equal features, or a new one. */
static size_t find_point(nitro_dfs_sample *sample, size_t index, size_t *last_of_input,
                         size_t *before)
{
    const nitro_dataset *sources = sample->sources;
    size_t width = sources->schema->num_features, row = sample->rows[index];
    size_t *last = &last_of_input[sources->row_input[row]];
    const double *features = nitro_dataset_features(sources, row);
    for (size_t point = *last; point != NITRO_NONE; point = before[point])
        if (memcmp(sample->features + point * width, features, width * sizeof *features) == 0)
            return point;
    size_t point = sample->num_points++;
    memcpy(sample->features + point * width, features, width * sizeof *features);
    before[point] = *last;
    sample->num_inputs += *last == NITRO_NONE;
    *last = point;
    return point;
}

static nitro_status find_points(nitro_context *context, nitro_dfs_sample *sample)
{
    const nitro_dataset *sources = sample->sources;
    size_t width = sources->schema->num_features, num_variants = sources->schema->num_variants;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    size_t *last_of_input = nitro_calloc(context, sources->num_inputs, sizeof *last_of_input);
    size_t *before = nitro_calloc(context, sample->num_rows, sizeof *before);
    sample->points = nitro_calloc(context, sample->num_rows, sizeof *sample->points);
    sample->labels = nitro_calloc(context, sample->num_rows, sizeof *sample->labels);
    sample->features = nitro_calloc(context, sample->num_rows, width * sizeof(double));
    if (!last_of_input || !before || !sample->points || !sample->labels || !sample->features)
        goto free_lists;
    for (size_t i = 0; i < sources->num_inputs; i++)
        last_of_input[i] = NITRO_NONE;
    for (size_t i = 0; i < sample->num_rows; i++) {
        sample->points[i] = find_point(sample, i, last_of_input, before);
        sample->labels[i] =
            nitro_times_best(nitro_dataset_times(sources, sample->rows[i]), num_variants);
    }
    status = NITRO_OK;

free_lists:
    free(last_of_input);
    free(before);
    return status;
}

/** The most rows for these sources, which are the devices that the sample's rows are of. */
static nitro_status choose_max_rows(nitro_context *context, const nitro_dfs_sample *sample,
                                    size_t *max_rows)
{
    const nitro_dataset *sources = sample->sources;
    size_t num_sources = 0;
    bool *has_rows = nitro_calloc(context, sources->num_devices, sizeof *has_rows);
    if (!has_rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < sample->num_rows; i++) {
        bool *has = &has_rows[sources->row_device[sample->rows[i]]];
        num_sources += !*has;
        *has = true;
    }
    free(has_rows);
    *max_rows = num_sources > NITRO_DFS_FEW_SOURCES ? NITRO_DFS_MAX_ROWS_MANY : NITRO_DFS_MAX_ROWS;
    return NITRO_OK;
}

nitro_status nitro_dfs_sample_draw(nitro_context *context, const nitro_dataset *sources,
                                   size_t max_rows, uint64_t seed, nitro_dfs_sample *sample)
{
    nitro_dfs_sample made = {.sources = sources};
    made.rows = nitro_calloc(context, sources->num_rows, sizeof *made.rows);
    if (!made.rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < sources->num_rows; row++)
        if (is_usable(sources, row))
            made.rows[made.num_rows++] = row;
    made.num_candidate_rows = made.num_rows;
    nitro_status status = NITRO_OK;
    if (made.num_rows == 0)
        status = nitro_fail(context, NITRO_ERR_NO_DATA,
                            "%s: none of the sources' %zu samples has times of at least two "
                            "variants and a positive value of each feature whose scale is log; "
                            "measure more inputs",
                            sources->schema->computation, sources->num_rows);
    if (status == NITRO_OK && max_rows == 0)
        status = choose_max_rows(context, &made, &max_rows);
    if (status == NITRO_OK && made.num_rows > max_rows)
        status = draw(context, max_rows, seed, &made);
    if (status == NITRO_OK)
        status = find_points(context, &made);
    if (status == NITRO_OK)
        *sample = made;
    else
        nitro_dfs_sample_free(&made);
    return status;
}

void nitro_dfs_sample_free(nitro_dfs_sample *sample)
{
    free(sample->rows);
    free(sample->points);
    free(sample->labels);
    free(sample->features);
    *sample = (nitro_dfs_sample){0};
}
