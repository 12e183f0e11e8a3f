/* Sampling and folds. Whole inputs are drawn: rows of one input on several devices are nearly
 * copies. */
#include "nitro/learn/data/folds.h"

#include <stdlib.h>
#include <string.h>

#define DEAL_SEED_TAG 0x6c656176u /* keeps parts independent of folds */

static void shuffle(size_t *items, size_t count, uint64_t seed)
{
    nitro_random random;
    nitro_random_seed(&random, seed);
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)nitro_random_below(&random, i), item = items[i - 1];
        items[i - 1] = items[other];
        items[other] = item;
    }
}

/** Inputs that occur, ascending, and how many rows each has. `input_rows` has room for all. */
static size_t list_inputs(const nitro_training_set *set, size_t num_inputs, size_t *inputs,
                          size_t *input_rows)
{
    size_t count = 0;
    for (size_t i = 0; i < set->num_rows; i++)
        input_rows[set->row_input[i]]++;
    for (size_t input = 0; input < num_inputs; input++)
        if (input_rows[input] > 0)
            inputs[count++] = input;
    return count;
}

/** @param[out] fold_of  shape [inputs]: the fold of each drawn input, NITRO_NONE for the others. */
static void deal(const size_t *drawn, size_t num_drawn, const size_t *input_rows, size_t max_rows,
                 size_t num_folds, size_t *fold_of)
{
    size_t taken = 0;
    for (size_t i = 0; i < num_drawn; i++) {
        size_t more = input_rows[drawn[i]];
        bool fits = i < num_folds || taken + more <= max_rows;
        fold_of[drawn[i]] = fits ? i % num_folds : NITRO_NONE;
        taken += fits ? more : 0;
    }
}

static nitro_status collect(nitro_context *context, const nitro_training_set *set,
                            const size_t *fold_of, nitro_folds *folds)
{
    folds->rows = nitro_calloc(context, set->num_rows, sizeof *folds->rows);
    folds->folds = nitro_calloc(context, set->num_rows, sizeof *folds->folds);
    if (!folds->rows || !folds->folds)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < set->num_rows; i++)
        if (fold_of[set->row_input[i]] != NITRO_NONE) {
            folds->folds[folds->num_rows] = fold_of[set->row_input[i]];
            folds->rows[folds->num_rows++] = i;
        }
    return NITRO_OK;
}

nitro_status nitro_folds_draw(nitro_context *context, const nitro_training_set *set,
                              size_t max_rows, size_t max_folds, nitro_folds *folds)
{
    size_t room = 1;
    for (size_t i = 0; i < set->num_rows; i++)
        if (set->row_input[i] >= room)
            room = set->row_input[i] + 1;
    nitro_folds made = {0};
    nitro_status status = NITRO_ERR_NO_MEMORY;
    size_t *inputs = nitro_calloc(context, room, sizeof *inputs);
    size_t *input_rows = nitro_calloc(context, room, sizeof *input_rows);
    size_t *fold_of = nitro_calloc(context, room, sizeof *fold_of);
    if (!inputs || !input_rows || !fold_of)
        goto free_lists;
    size_t count = list_inputs(set, room, inputs, input_rows);
    shuffle(inputs, count, set->seed);
    made.num_folds = count < max_folds ? count : max_folds;
    deal(inputs, count, input_rows, max_rows, made.num_folds, fold_of);
    status = collect(context, set, fold_of, &made);
    if (status == NITRO_OK)
        *folds = made;
    else
        nitro_folds_free(&made);

free_lists:
    free(inputs);
    free(input_rows);
    free(fold_of);
    return status;
}

void nitro_folds_free(nitro_folds *folds)
{
    free(folds->rows);
    free(folds->folds);
    *folds = (nitro_folds){0};
}

double *nitro_folds_columns(nitro_context *context, const nitro_training_set *set,
                            const nitro_folds *folds)
{
    size_t width = set->num_columns;
    double *columns = nitro_calloc(context, folds->num_rows + 1, (width + 1) * sizeof *columns);
    for (size_t i = 0; columns && i < folds->num_rows; i++)
        memcpy(columns + i * width, set->columns + folds->rows[i] * width, width * sizeof *columns);
    return columns;
}

static int compare_hashes(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/** Length of the group in a name such as GROUP/MATRIX; without one, of the name. */
static size_t group_length(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash && slash > name ? (size_t)(slash - name) : strlen(name);
}

/** Set each input's hash, or UINT64_MAX if it has no rows, and `limit` to that of the first input
 * not to take. @param sorted  shape [num_inputs]: scratch. */
static void hash_inputs(const nitro_dataset *dataset, uint64_t seed, size_t max_inputs,
                        uint64_t *hashes, uint64_t *sorted, uint64_t *limit)
{
    size_t count = 0;
    for (size_t i = 0; i < dataset->num_inputs; i++)
        hashes[i] = UINT64_MAX;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        const char *name = dataset->inputs[dataset->row_input[row]];
        hashes[dataset->row_input[row]] = nitro_hash(name, strlen(name), seed) >> 1;
    }
    for (size_t i = 0; i < dataset->num_inputs; i++)
        if (hashes[i] != UINT64_MAX)
            sorted[count++] = hashes[i];
    qsort(sorted, count, sizeof *sorted, compare_hashes);
    *limit = count <= max_inputs ? UINT64_MAX : sorted[max_inputs];
}

nitro_status nitro_inputs_deal(nitro_context *context, const nitro_dataset *dataset, uint64_t seed,
                               size_t num_parts, size_t max_inputs, size_t *part_of)
{
    uint64_t own_seed = seed ^ DEAL_SEED_TAG, limit = 0;
    uint64_t *hashes = nitro_calloc(context, dataset->num_inputs, sizeof *hashes);
    uint64_t *sorted = nitro_calloc(context, dataset->num_inputs, sizeof *sorted);
    bool ok = hashes && sorted;
    if (ok)
        hash_inputs(dataset, own_seed, max_inputs, hashes, sorted, &limit);
    for (size_t i = 0; ok && i < dataset->num_inputs; i++) {
        const char *name = dataset->inputs[i];
        uint64_t group = nitro_hash(name, group_length(name), own_seed);
        part_of[i] = hashes[i] < limit ? (size_t)(group % num_parts) : NITRO_NONE;
    }
    free(hashes);
    free(sorted);
    return ok ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}
