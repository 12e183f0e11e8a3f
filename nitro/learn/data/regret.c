/* Regrets and losses. A missing time means slow where the device ran the variant on other inputs,
 * unknown where it never did. */
#include "nitro/learn/data/regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"

/* Of a prepared variant over the best of the others: what is still faster is compared with less
 * resolution. With 8, few rows of SpMV change. */
#define MOST_PREPARED_SPEED 8.0

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

double nitro_losses_unit(const double *times_ms, size_t num_variants, uint64_t prepared)
{
    double best = INFINITY, unprepared = INFINITY;
    for (size_t v = 0; v < num_variants; v++) {
        best = fmin(best, times_ms[v]); /* ignores NaN */
        if (!(prepared >> v & 1))
            unprepared = fmin(unprepared, times_ms[v]);
    }
    return isfinite(unprepared) ? fmax(best, unprepared / MOST_PREPARED_SPEED) : best;
}

/** Relative to the unit instead of the best time. */
static void change_unit(const nitro_training_set *set, const size_t *rows, size_t num_rows,
                        double *regrets)
{
    size_t num_variants = set->num_variants;
    for (size_t i = 0; i < num_rows; i++) {
        const double *times = set->times_ms + rows[i] * num_variants;
        double unit = nitro_losses_unit(times, num_variants, set->prepared);
        double shift = log(unit) - log(times[nitro_times_best(times, num_variants)]);
        for (size_t v = 0; v < num_variants; v++)
            regrets[i * num_variants + v] -= shift;
    }
}

/** Rows of a set without inputs are each of their own. */
static size_t input_of(const nitro_training_set *set, size_t row)
{
    return set->row_input ? set->row_input[row] : row;
}

/** Sums of a variant's known losses by input. */
typedef struct input_losses {
    size_t num_inputs;
    double *sums, *counts; /* shape [num_inputs] */
} input_losses;

/** One variant's regrets become losses. An unknown one is the mean of the same input's on other
 *  devices, else of all. */
static void find_variant_losses(const nitro_training_set *set, const size_t *rows, size_t num_rows,
                                input_losses *by_input, double *regrets)
{
    size_t stride = set->num_variants;
    double sum = 0.0, count = 0.0;
    memset(by_input->sums, 0, by_input->num_inputs * sizeof *by_input->sums);
    memset(by_input->counts, 0, by_input->num_inputs * sizeof *by_input->counts);
    for (size_t i = 0; i < num_rows; i++) {
        double *own = &regrets[i * stride];
        if (isnan(*own))
            continue;
        *own = *own < 0.0 ? expm1(*own) : -expm1(-*own);
        sum += *own;
        count += 1.0;
        by_input->sums[input_of(set, rows[i])] += *own;
        by_input->counts[input_of(set, rows[i])] += 1.0;
    }
    double mean = count > 0.0 ? sum / count : 1.0;
    for (size_t i = 0; i < num_rows; i++) {
        size_t input = input_of(set, rows[i]);
        if (isnan(regrets[i * stride]))
            regrets[i * stride] = by_input->counts[input] > 0.0
                                      ? by_input->sums[input] / by_input->counts[input]
                                      : mean;
    }
}

/** A constraint excludes the variant when choosing, too: whatever its loss, it does no harm. */
static void forget_excluded(const nitro_training_set *set, const size_t *rows, size_t num_rows,
                            double *regrets)
{
    for (size_t i = 0; i < num_rows && set->row_allowed; i++)
        for (size_t v = 0; v < set->num_variants; v++)
            if (!(set->row_allowed[rows[i]] >> v & 1))
                regrets[i * set->num_variants + v] = (double)NAN;
}

nitro_status nitro_losses_find(nitro_context *context, const nitro_training_set *set,
                               const size_t *rows, size_t num_rows, double **losses)
{
    input_losses by_input = {0};
    double *made = NULL;
    for (size_t i = 0; i < num_rows; i++)
        if (input_of(set, rows[i]) >= by_input.num_inputs)
            by_input.num_inputs = input_of(set, rows[i]) + 1;
    by_input.sums = nitro_calloc(context, by_input.num_inputs, sizeof *by_input.sums);
    by_input.counts = nitro_calloc(context, by_input.num_inputs, sizeof *by_input.counts);
    nitro_status status = by_input.sums && by_input.counts
                              ? nitro_regrets_find(context, set, rows, num_rows, &made)
                              : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        change_unit(set, rows, num_rows, made);
        forget_excluded(set, rows, num_rows, made);
    }
    for (size_t v = 0; v < set->num_variants && status == NITRO_OK; v++)
        find_variant_losses(set, rows, num_rows, &by_input, made + v);
    free(by_input.sums);
    free(by_input.counts);
    if (status == NITRO_OK)
        *losses = made;
    return status;
}
