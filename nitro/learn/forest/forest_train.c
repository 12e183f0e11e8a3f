/* Training a forest: check the data, lay it out for growing, grow trees on threads. */
#include <float.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"
#include "nitro/base/parallel.h"
#include "nitro/learn/forest/forest_grow.h"
#include "nitro/learn/forest/forest_train.h"

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

nitro_status nitro_forest_check(nitro_context *context, const nitro_forest_data *data)
{
    if (data->num_rows == 0)
        return nitro_fail(context, NITRO_ERR_NO_DATA, "forest: the training set has no row");
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
    return status;
}

float nitro_forest_column(const nitro_forest_data *data, size_t row, size_t column)
{
    double value = data->columns[row * data->num_columns + column];
    return (float)nitro_clamp(value, -(double)FLT_MAX, (double)FLT_MAX);
}

double nitro_forest_leaf_output(double mean)
{
    return nitro_clamp(mean, -NITRO_FOREST_MAX_OUTPUT, NITRO_FOREST_MAX_OUTPUT);
}

static void lay_out(forest_training *training, const nitro_forest_data *data)
{
    size_t width = training->num_blocks * FOREST_LANES;
    for (size_t row = 0; row < data->num_rows; row++) {
        for (size_t c = 0; c < data->num_columns; c++)
            training->columns[c * data->num_rows + row] = (double)nitro_forest_column(data, row, c);
        for (size_t i = 0; i < data->num_outputs; i++)
            training->centres[i] +=
                data->outputs[row * data->num_outputs + i] / (double)data->num_rows;
    }
    for (size_t row = 0; row < data->num_rows; row++)
        for (size_t i = 0; i < data->num_outputs; i++)
            training->lanes[row * width + i] =
                data->outputs[row * data->num_outputs + i] - training->centres[i];
}

static nitro_status prepare(forest_training *training, const nitro_forest_data *data)
{
    nitro_context *context = training->context;
    training->num_rows = data->num_rows;
    training->num_columns = data->num_columns;
    training->num_outputs = data->num_outputs;
    training->num_blocks = (data->num_outputs + FOREST_LANES - 1) / FOREST_LANES;
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
    free(training->centres);
    free(training->lanes);
}

typedef struct forest_tasks {
    const forest_training *training;
    nitro_forest *forest;
} forest_tasks;

static nitro_status grow_one(void *user, size_t index)
{
    forest_tasks *tasks = user;
    return nitro_forest_grow(tasks->training, index, &tasks->forest->trees[index]);
}

/* A random start, so that forests of neighbouring seeds share no trees. */
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
    nitro_status status = nitro_forest_check(context, data);
    if (status != NITRO_OK)
        return status;
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
