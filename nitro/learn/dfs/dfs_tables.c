/* Equal subsets by sorting hashes of the distances among training devices, the number of varying
 * features, and the distances to the validation device. With three sources CV-DFS is 4.5 times as
 * fast as without (20 instead of 279 trainings); nothing is gained if all devices differ in all
 * features (nitro-bench dfs). */
#include "nitro/learn/dfs/dfs_tables.h"

#include <stdlib.h>

/** Hashes of what identifies a subset's model, and of what identifies its view of the validation
 * device. */
typedef struct subset_key {
    uint64_t model, view;
    size_t index;
} subset_key;

static uint64_t find_varying(const nitro_dfs_space *space)
{
    uint64_t varying = 0;
    for (size_t f = 0; f < space->num_features; f++) {
        const double *first = NULL;
        for (size_t d = 0; d < space->num_devices; d++) {
            const double *value = &space->coordinates[d * space->num_features + f];
            if (space->is_training[d] && first && *value != *first)
                varying |= UINT64_C(1) << f;
            if (space->is_training[d] && !first)
                first = value;
        }
    }
    return varying;
}

/** Added up in the features' order. The scaler maps a feature that is constant over the training
 *  devices to 0 on all devices. */
static double find_square(const nitro_dfs_space *space, uint64_t subset, size_t a, size_t b)
{
    const double *from = space->coordinates + a * space->num_features;
    const double *to = space->coordinates + b * space->num_features;
    double sum = 0.0;
    for (size_t f = 0; f < space->num_features; f++)
        if (subset >> f & 1)
            sum += (from[f] - to[f]) * (from[f] - to[f]);
    return sum;
}

void nitro_dfs_training_squares(const nitro_dfs_space *space, uint64_t subset, double *squares)
{
    size_t count = space->num_devices;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++)
            squares[a * count + b] = squares[b * count + a] =
                space->is_training[a] && space->is_training[b] ? find_square(space, subset, a, b)
                                                               : 0.0;
}

double nitro_dfs_validation_square(const nitro_dfs_space *space, uint64_t subset, size_t device)
{
    return space->is_training[device] ? find_square(space, subset, device, space->validation) : 0.0;
}

/** @param[out] squares  scratch, shape [num_devices x num_devices]. */
static subset_key find_key(const nitro_dfs_space *space, uint64_t varying, const uint64_t *subsets,
                           size_t index, double *squares)
{
    size_t count = space->num_devices;
    subset_key key = {.index = index};
    nitro_dfs_training_squares(space, subsets[index], squares);
    key.model = nitro_hash(squares, count * count * sizeof *squares,
                           (uint64_t)__builtin_popcountll(subsets[index] & varying));
    for (size_t d = 0; d < count; d++)
        squares[d] = nitro_dfs_validation_square(space, subsets[index], d);
    key.view = nitro_hash(squares, count * sizeof *squares, 0);
    return key;
}

static int compare_keys(const void *left, const void *right)
{
    const subset_key *a = left, *b = right;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    if (a->view != b->view)
        return a->view < b->view ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/** Number models and views in sorted keys, where equal ones are neighbours. */
static void number_keys(const subset_key *keys, const uint64_t *subsets, size_t num_subsets,
                        nitro_dfs_tables *tables)
{
    for (size_t i = 0; i < num_subsets; i++) {
        uint64_t subset = subsets[keys[i].index];
        bool is_new = i == 0 || keys[i].model != keys[i - 1].model;
        if (is_new)
            tables->models[tables->num_models++] = (nitro_dfs_model){
                .subset = subset,
                .num_varying = (size_t)__builtin_popcountll(subset & tables->varying),
                .first_view = tables->num_views};
        if (is_new || keys[i].view != keys[i - 1].view) {
            tables->models[tables->num_models - 1].num_views++;
            tables->views[tables->num_views++] = subset;
        }
        tables->view_of[keys[i].index] = tables->num_views - 1;
    }
}

nitro_status nitro_dfs_tables_find(nitro_context *context, const nitro_dfs_space *space,
                                   const uint64_t *subsets, size_t num_subsets,
                                   nitro_dfs_tables *tables)
{
    size_t num_devices = space->num_devices;
    nitro_dfs_tables made = {.varying = find_varying(space)};
    double *squares = nitro_calloc(context, num_devices, num_devices * sizeof *squares);
    subset_key *keys = nitro_calloc(context, num_subsets, sizeof *keys);
    made.models = nitro_calloc(context, num_subsets, sizeof *made.models);
    made.views = nitro_calloc(context, num_subsets, sizeof *made.views);
    made.view_of = nitro_calloc(context, num_subsets, sizeof *made.view_of);
    bool is_good = squares && keys && made.models && made.views && made.view_of;
    for (size_t i = 0; is_good && i < num_subsets; i++)
        keys[i] = find_key(space, made.varying, subsets, i, squares);
    if (is_good) {
        qsort(keys, num_subsets, sizeof *keys, compare_keys);
        number_keys(keys, subsets, num_subsets, &made);
        *tables = made;
    } else {
        nitro_dfs_tables_free(&made);
    }
    free(squares);
    free(keys);
    return is_good ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

void nitro_dfs_tables_free(nitro_dfs_tables *tables)
{
    free(tables->models);
    free(tables->views);
    free(tables->view_of);
    *tables = (nitro_dfs_tables){0};
}
