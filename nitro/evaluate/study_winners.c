/* Which variants win where, and on how many devices at once. Only inputs with times of two variants
 * on every compared device count. */
#include <stdlib.h>

#include "nitro/backend/study.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"

void nitro_study_count_wins(const nitro_dataset *dataset, size_t device, nitro_study_wins *wins)
{
    size_t num_variants = dataset->schema->num_variants;
    *wins = (nitro_study_wins){0};
    for (size_t row = 0; row < dataset->num_rows; row++) {
        if (dataset->row_device[row] != device || !nitro_dataset_row_is_usable(dataset, row))
            continue;
        wins->inputs++;
        wins->wins[nitro_times_best(nitro_dataset_times(dataset, row), num_variants)]++;
    }
}

/** Counts for every input over the compared devices. */
typedef struct tally {
    size_t *measured; /* shape [num_inputs]: devices with times of it */
    size_t *good;     /* shape [num_inputs x num_variants]: devices on which this one is good */
} tally;

static void count_row(const nitro_dataset *dataset, size_t row, double tolerance, tally *found)
{
    size_t num_variants = dataset->schema->num_variants, input = dataset->row_input[row];
    const double *times = nitro_dataset_times(dataset, row);
    double limit = times[nitro_times_best(times, num_variants)] * (1.0 + tolerance);
    found->measured[input]++;
    for (size_t v = 0; v < num_variants; v++)
        found->good[input * num_variants + v] += times[v] <= limit; /* NaN is not */
}

static size_t largest(const size_t *values, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

static size_t count_devices(const nitro_dataset *dataset, const bool *devices)
{
    size_t count = 0;
    for (size_t d = 0; d < dataset->num_devices; d++)
        count += !devices || devices[d];
    return count;
}

nitro_status nitro_study_share(nitro_context *context, const nitro_dataset *dataset,
                               const bool *devices, double tolerance, size_t *counts,
                               size_t *inputs)
{
    size_t num_variants = dataset->schema->num_variants;
    size_t num_compared = count_devices(dataset, devices);
    if (num_compared == 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: no devices to compare were named",
                          dataset->schema->computation);
    tally found = {
        .measured = nitro_calloc(context, dataset->num_inputs, sizeof *found.measured),
        .good = nitro_calloc(context, dataset->num_inputs, num_variants * sizeof *found.good)};
    nitro_status status = found.measured && found.good ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; status == NITRO_OK && row < dataset->num_rows; row++)
        if ((!devices || devices[dataset->row_device[row]]) &&
            nitro_dataset_row_is_usable(dataset, row))
            count_row(dataset, row, tolerance, &found);
    if (status == NITRO_OK) {
        *inputs = 0;
        for (size_t n = 0; n <= dataset->num_devices; n++)
            counts[n] = 0;
        for (size_t i = 0; i < dataset->num_inputs; i++) {
            if (found.measured[i] != num_compared)
                continue;
            counts[largest(found.good + i * num_variants, num_variants)]++;
            (*inputs)++;
        }
    }
    free(found.measured);
    free(found.good);
    return status;
}

nitro_status nitro_study_common_features(nitro_context *context, const nitro_dataset *dataset,
                                         nitro_string_list *features)
{
    if (dataset->num_devices == 0)
        return NITRO_OK;
    return nitro_device_candidates(context, (const nitro_device *const *)dataset->devices,
                                   dataset->num_devices, dataset->devices[0], features);
}
