/* Training forests: what was given is checked and laid out for growing, then trees grow on threads.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/parallel.h"
#include "nitro/learn/forest/forest_grow.h"
#include "nitro/learn/forest/forest_train.h"

void nitro_forest_options_init(nitro_forest_options *options)
{
    *options = (nitro_forest_options){.num_trees = 150, .min_leaf_rows = 3};
}

/* ---- What was given ----------------------------------------------------------------------- */

static nitro_status check_numbers(nitro_context *context, const char *what, const double *numbers,
                                  size_t num_rows, size_t row_size, double least, double most)
{
    for (size_t i = 0; i < num_rows * row_size; i++)
        if (!(numbers[i] >= least && numbers[i] <= most))
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "forest: %s %zu of row %zu is %g, but must be from %g to %g", what,
                              i % row_size, i / row_size, numbers[i], least, most);
    return NITRO_OK;
}

static nitro_status check_data(nitro_context *context, const nitro_forest_data *data)
{
    if (data->num_rows == 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA, "forest: there is no row to learn from");
    if (data->num_rows >= UINT32_MAX / 2 || data->num_columns < 1 ||
        data->num_columns >= FOREST_LEAF || data->num_outputs < 1)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "forest: cannot learn from %zu rows of %zu columns and %zu outputs",
                          data->num_rows, data->num_columns, data->num_outputs);
    nitro_status status = check_numbers(context, "column", data->columns, data->num_rows,
                                        data->num_columns, -DBL_MAX, DBL_MAX);
    if (status == NITRO_OK)
        status = check_numbers(context, "output", data->outputs, data->num_rows, data->num_outputs,
                               -NITRO_FOREST_MAX_OUTPUT, NITRO_FOREST_MAX_OUTPUT);
    if (status == NITRO_OK && data->weights)
        status = check_numbers(context, "weight", data->weights, data->num_rows, 1, 0, DBL_MAX);
    return status;
}

static nitro_status check_options(nitro_context *context, const nitro_forest_options *options)
{
    if (options->num_trees < 1 || options->num_trees > NITRO_FOREST_MAX_TREES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "forest: %zu trees are asked for; it takes 1 to %d", options->num_trees,
                          NITRO_FOREST_MAX_TREES);
    if (options->min_leaf_rows < 1)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "forest: a leaf of no rows is asked for; at least 1");
    return NITRO_OK;
}

/* ---- Laid out for growing ----------------------------------------------------------------- */

/* Weights over the largest one, so that only ratios count. Returns how many are positive. */
static size_t scale_weights(const nitro_forest_data *data, double *weights)
{
    double largest = 0;
    size_t num_positive = 0;
    for (size_t i = 0; i < data->num_rows; i++) {
        weights[i] = data->weights ? data->weights[i] : 1;
        largest = fmax(largest, weights[i]);
    }
    for (size_t i = 0; i < data->num_rows && largest > 0; i++) {
        weights[i] /= largest;
        num_positive += weights[i] > 0;
    }
    return num_positive;
}

static void lay_out_row(forest_training *training, const nitro_forest_data *data, size_t from,
                        size_t to)
{
    const double *columns = data->columns + from * data->num_columns;
    const double *outputs = data->outputs + from * data->num_outputs;
    double *lanes = training->lanes + to * training->num_blocks * FOREST_LANES;
    for (size_t i = 0; i < data->num_columns; i++)
        training->columns[i * training->num_rows + to] =
            (double)(float)fmin(fmax(columns[i], -(double)FLT_MAX), (double)FLT_MAX);
    for (size_t i = 0; i < data->num_outputs; i++) {
        lanes[i] = outputs[i];
        training->centres[i] += outputs[i] / (double)training->num_rows;
    }
    lanes[data->num_outputs] = 1;
    training->weights[to] = training->weights[from]; /* to is never behind from */
}

static void lay_out(forest_training *training, const nitro_forest_data *data)
{
    size_t to = 0;
    for (size_t from = 0; from < data->num_rows; from++)
        if (training->weights[from] > 0)
            lay_out_row(training, data, from, to++);
    for (size_t row = 0; row < training->num_rows; row++)
        for (size_t i = 0; i < training->num_outputs; i++)
            training->lanes[row * training->num_blocks * FOREST_LANES + i] -= training->centres[i];
}

static nitro_status prepare(forest_training *training, const nitro_forest_data *data)
{
    nitro_context *context = training->context;
    training->weights = nitro_calloc(context, data->num_rows, sizeof(double));
    if (!training->weights)
        return NITRO_ERR_NO_MEMORY;
    training->num_rows = scale_weights(data, training->weights);
    if (training->num_rows == 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA,
                          "forest: all of %zu rows have weight 0: there is nothing to learn from",
                          data->num_rows);
    training->num_columns = data->num_columns;
    training->num_outputs = data->num_outputs;
    training->num_blocks = data->num_outputs / FOREST_LANES + 1;
    training->columns =
        nitro_calloc(context, training->num_columns, training->num_rows * sizeof(double));
    training->centres = nitro_calloc(context, training->num_outputs, sizeof(double));
    training->lanes = nitro_calloc(context, training->num_rows,
                                   training->num_blocks * FOREST_LANES * sizeof(double));
    if (!training->columns || !training->centres || !training->lanes)
        return NITRO_ERR_NO_MEMORY;
    lay_out(training, data);
    return NITRO_OK;
}

static void release(forest_training *training)
{
    free(training->columns);
    free(training->weights);
    free(training->centres);
    free(training->lanes);
}

/* ---- Trees -------------------------------------------------------------------------------- */

typedef struct forest_tasks {
    const forest_training *training;
    nitro_forest *forest;
} forest_tasks;

static nitro_status grow_one(void *user, size_t index)
{
    forest_tasks *tasks = user;
    return nitro_forest_grow(tasks->training, index, &tasks->forest->trees[index]);
}

/* Seeds of neighbours must not share trees, so a forest's trees start from a random place. */
static uint64_t first_tree_seed(uint64_t seed)
{
    nitro_random random;
    nitro_random_seed(&random, seed);
    return nitro_random_next(&random);
}

nitro_status nitro_forest_train(nitro_context *context, const nitro_forest_data *data,
                                const nitro_forest_options *options, uint64_t seed,
                                nitro_forest **forest)
{
    forest_training training = {
        .context = context, .options = *options, .first_seed = first_tree_seed(seed)};
    nitro_forest *grown = NULL;
    nitro_status status = check_options(context, options);
    if (status == NITRO_OK)
        status = check_data(context, data);
    if (status != NITRO_OK)
        return status;
    if (training.options.num_candidates == 0)
        training.options.num_candidates = data->num_columns;
    status = prepare(&training, data);
    if (status == NITRO_OK)
        status = nitro_forest_create(context, data->num_columns, data->num_outputs,
                                     options->num_trees, &grown);
    if (status == NITRO_OK) {
        forest_tasks tasks = {&training, grown};
        status = nitro_parallel_run(options->num_threads, options->num_trees, grow_one, &tasks);
    }
    release(&training);
    if (status == NITRO_OK)
        *forest = grown;
    else
        nitro_forest_free(grown);
    return status;
}
