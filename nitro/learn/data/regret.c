/* Regrets and losses. A missing time means slow where the device ran the variant on other inputs,
 * unknown where it never did. */
#include "nitro/learn/data/regret.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/data/dataset.h"

static size_t device_of(const nitro_training_set *set, size_t row)
{
    return set->row_device ? set->row_device[row] : 0;
}

static size_t count_devices(const nitro_training_set *set)
{
    size_t count = 0;
    for (size_t row = 0; row < set->num_rows; row++)
        if (device_of(set, row) >= count)
            count = device_of(set, row) + 1;
    return count;
}

/** @param[out] known  shape [devices x num_variants]; a variant without any time is known to be bad
 *                     everywhere. */
static void mark_known(const nitro_training_set *set, size_t num_devices, bool *known)
{
    for (size_t row = 0; row < set->num_rows; row++)
        for (size_t v = 0; v < set->num_variants; v++)
            if (!isnan(set->times_ms[row * set->num_variants + v]))
                known[device_of(set, row) * set->num_variants + v] = true;
    for (size_t v = 0; v < set->num_variants; v++) {
        bool anywhere = false;
        for (size_t d = 0; d < num_devices; d++)
            anywhere = anywhere || known[d * set->num_variants + v];
        for (size_t d = 0; d < num_devices && !anywhere; d++)
            known[d * set->num_variants + v] = true;
    }
}

static void fill_row(const double *times, size_t best, const bool *known, size_t num_variants,
                     double *regrets)
{
    for (size_t v = 0; v < num_variants; v++)
        if (!isnan(times[v]))
            regrets[v] = log(times[v]) - log(times[best]);
        else
            regrets[v] = known[v] ? (double)INFINITY : (double)NAN;
}

nitro_status nitro_regrets_find(nitro_context *context, const nitro_training_set *set,
                                const size_t *rows, size_t num_rows, double **regrets)
{
    size_t num_devices = count_devices(set), num_variants = set->num_variants;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    bool *known = nitro_calloc(context, num_devices, num_variants * sizeof *known);
    double *made = nitro_calloc(context, num_rows, num_variants * sizeof *made);
    if (!known || !made)
        goto free_arrays;
    status = NITRO_OK;
    mark_known(set, num_devices, known);
    for (size_t i = 0; i < num_rows && status == NITRO_OK; i++) {
        const double *times = set->times_ms + rows[i] * num_variants;
        size_t best = nitro_times_best(times, num_variants);
        if (best == NITRO_NONE)
            status =
                nitro_fail(context, NITRO_ERR_ARGUMENT, "training row %zu has no time", rows[i]);
        else
            fill_row(times, best, known + device_of(set, rows[i]) * num_variants, num_variants,
                     made + i * num_variants);
    }

free_arrays:
    free(known);
    if (status == NITRO_OK)
        *regrets = made;
    else
        free(made);
    return status;
}

/** One variant's regrets become losses. */
static void find_variant_losses(double *regrets, size_t num_rows, size_t num_variants)
{
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < num_rows * num_variants; i += num_variants)
        if (!isnan(regrets[i])) {
            regrets[i] = -expm1(-regrets[i]);
            sum += regrets[i];
            count += 1.0;
        }
    double mean = count > 0.0 ? sum / count : 1.0;
    for (size_t i = 0; i < num_rows * num_variants; i += num_variants)
        if (isnan(regrets[i]))
            regrets[i] = mean;
}

nitro_status nitro_losses_find(nitro_context *context, const nitro_training_set *set,
                               const size_t *rows, size_t num_rows, double **losses)
{
    double *made = NULL;
    nitro_status status = nitro_regrets_find(context, set, rows, num_rows, &made);
    if (status != NITRO_OK)
        return status;
    for (size_t v = 0; v < set->num_variants; v++)
        find_variant_losses(made + v, num_rows, set->num_variants);
    *losses = made;
    return NITRO_OK;
}
