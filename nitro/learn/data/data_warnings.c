/* What makes samples poor teachers, said before anything is learnt from them: too few inputs,
 * inputs that all look the same, or one answer to every question. What is learnt all the same is
 * sound, but people should know that it is little. */
#include <string.h>

#include "nitro/learn/data/dataset.h"

/* Below this, left-out inputs and devices say next to nothing. */
#define FEW_INPUTS 10

static size_t count_training_rows(const nitro_dataset *dataset)
{
    size_t count = 0, last = NITRO_NONE;
    for (size_t row = 0; row < dataset->num_rows; row++) { /* ordered by input */
        if (!nitro_dataset_row_is_usable(dataset, row) || dataset->row_input[row] == last)
            continue;
        last = dataset->row_input[row];
        count++;
    }
    return count;
}

/* The variant that is the best in all rows that teach, or NITRO_NONE. */
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
    size_t num_inputs = count_training_rows(dataset), only = find_only_best(dataset);
    if (num_inputs == 0)
        return;
    if (num_inputs < FEW_INPUTS)
        nitro_log(
            context, NITRO_LOG_WARNING,
            "%s: there are samples of %zu input%s alone: too few to learn much from, or to say "
            "how good it is; measure tens of them",
            schema->computation, num_inputs, num_inputs == 1 ? "" : "s");
    else if (only != NITRO_NONE)
        nitro_log(
            context, NITRO_LOG_WARNING,
            "%s: %s is the fastest on every input of every device: there is nothing to choose, "
            "and what is learnt always takes it; are there inputs for which it is not?",
            schema->computation, schema->variants[only]);
    else if (dataset->num_rows > 1 && !has_varying_feature(dataset))
        nitro_log(context, NITRO_LOG_WARNING,
                  "%s: all inputs have the same features, so that nothing tells them apart: one "
                  "variant will be taken for all; measure other inputs, or declare other features",
                  schema->computation);
}
