/* Warnings about a training set: few inputs, one best variant, equal features. */
#include <string.h>

#include "nitro/learn/data/dataset.h"

#define FEW_INPUTS 10 /* below this, validation is meaningless */

/* Inputs, or only those with a usable row. */
static size_t count_inputs(const nitro_dataset *dataset, bool of_usable)
{
    size_t count = 0, last = NITRO_NONE;
    for (size_t row = 0; row < dataset->num_rows; row++) { /* ordered by input */
        if (dataset->row_input[row] == last ||
            (of_usable && !nitro_dataset_row_is_usable(dataset, row)))
            continue;
        last = dataset->row_input[row];
        count++;
    }
    return count;
}

/* The variant that is the best in all usable rows, or NITRO_NONE. */
static size_t find_only_best(const nitro_dataset *dataset)
{
    size_t num_variants = dataset->schema->num_variants, only = NITRO_NONE;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        if (!nitro_dataset_row_is_usable(dataset, row))
            continue;
        const double *times_ms = nitro_dataset_times(dataset, row);
        if (only == NITRO_NONE)
            only = nitro_times_best(times_ms, num_variants);
        if (nitro_times_quality(times_ms, num_variants, only) < 1.0)
            return NITRO_NONE;
    }
    return only;
}

static bool has_varying_feature(const nitro_dataset *dataset)
{
    size_t size = dataset->schema->num_features * sizeof(double);
    for (size_t row = 1; row < dataset->num_rows; row++)
        if (memcmp(nitro_dataset_features(dataset, row), nitro_dataset_features(dataset, 0), size))
            return true;
    return false;
}

void nitro_dataset_log_warnings(nitro_context *context, const nitro_dataset *dataset)
{
    const nitro_schema *schema = dataset->schema;
    size_t num_inputs = count_inputs(dataset, true), num_stored = count_inputs(dataset, false);
    size_t only = find_only_best(dataset);
    if (num_inputs == 0)
        return;
    if (num_inputs < FEW_INPUTS && num_inputs < num_stored)
        nitro_log(context, NITRO_LOG_WARNING,
                  "%s: only %zu of %zu inputs have times of two variants; measure at least %d such "
                  "for a usable model",
                  schema->computation, num_inputs, num_stored, FEW_INPUTS);
    else if (num_inputs < FEW_INPUTS)
        nitro_log(context, NITRO_LOG_WARNING,
                  "%s: only %zu input%s measured; measure at least %d for a usable model",
                  schema->computation, num_inputs, num_inputs == 1 ? "" : "s", FEW_INPUTS);
    else if (only != NITRO_NONE)
        nitro_log(
            context, NITRO_LOG_WARNING,
            "%s: %s is the fastest variant on every input of every device, so the model always "
            "chooses it; measure inputs on which other variants win",
            schema->computation, schema->variants[only]);
    else if (dataset->num_rows > 1 && !has_varying_feature(dataset))
        nitro_log(
            context, NITRO_LOG_WARNING,
            "%s: all inputs have the same features, so the model chooses one variant for all; "
            "measure other inputs or declare other features",
            schema->computation);
}
