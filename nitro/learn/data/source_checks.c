/* Sources whose times were shuffled, or that measured something else. */
#include "nitro/learn/data/source_checks.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/backend/statistics.h"
#include "nitro/learn/data/dataset.h"

#define LEAST_SAMPLES      20   /* to learn from a source by itself */
#define JUDGED_SAMPLES     150  /* to judge a source by its own model, which is weak with fewer */
#define USELESS_LOSS       10.0 /* percent that a fixed variant loses on a device, if... */
#define USELESS_SHARE      0.85 /* its own model loses more than this share of it */
#define CORRELATED_SAMPLES 30   /* to judge a source by its correlation */
#define UNCORRELATED       0.3  /* with the mean of the others, where... */
#define CORRELATED         0.6  /* the median source is more than this */

double nitro_source_fixed_loss(const nitro_dataset *sources, size_t device)
{
    double sums[NITRO_MAX_VARIANTS] = {0}, best = 0.0;
    size_t count = nitro_dataset_usable_rows(sources, device);
    for (size_t row = 0; row < sources->num_rows; row++) {
        if (sources->row_device[row] != device || !nitro_dataset_row_is_usable(sources, row))
            continue;
        for (size_t v = 0; v < sources->schema->num_variants; v++)
            sums[v] += nitro_times_quality(nitro_dataset_times(sources, row),
                                           sources->schema->num_variants, v);
    }
    for (size_t v = 0; v < sources->schema->num_variants; v++)
        best = fmax(best, sums[v]);
    return count < LEAST_SAMPLES ? (double)NAN : 100.0 * (1.0 - best / (double)count);
}

/* ---- Correlation ----------------------------------------------------------------------------- */

/** The logarithm of the row's shortest time; NaN: the row is not usable. */
static double log_best(const nitro_dataset *sources, size_t row)
{
    const double *times = nitro_dataset_times(sources, row);
    return nitro_dataset_row_is_usable(sources, row)
               ? log(times[nitro_times_best(times, sources->schema->num_variants)])
               : (double)NAN;
}

/** Mean log_best of each source; NaN without rows. */
static void find_means(const nitro_dataset *sources, double *means)
{
    for (size_t d = 0; d < sources->num_devices; d++) {
        double sum = 0.0, count = 0.0;
        for (size_t row = 0; row < sources->num_rows; row++) {
            double own = sources->row_device[row] == d ? log_best(sources, row) : (double)NAN;
            sum += isnan(own) ? 0.0 : own;
            count += isnan(own) ? 0.0 : 1.0;
        }
        means[d] = sum / count;
    }
}

/** Sums over inputs of a source's times and the mean of the others' there. */
typedef struct products {
    double count, x, y, xx, yy, xy;
} products;

static double correlation(const products *p)
{
    double xx = p->xx - p->x * p->x / p->count, yy = p->yy - p->y * p->y / p->count;
    double xy = p->xy - p->x * p->y / p->count;
    return p->count < CORRELATED_SAMPLES || !(xx > 0.0 && yy > 0.0) ? (double)NAN
                                                                    : xy / sqrt(xx * yy);
}

/** Add the input of rows `first` to `last` - 1 (ordered by input). */
static void add_input(const nitro_dataset *sources, const double *means, size_t first, size_t last,
                      products *of_devices)
{
    double sum = 0.0, count = 0.0;
    for (size_t row = first; row < last; row++) {
        double own = log_best(sources, row) - means[sources->row_device[row]];
        sum += isnan(own) ? 0.0 : own;
        count += isnan(own) ? 0.0 : 1.0;
    }
    for (size_t row = first; row < last && count > 1.0; row++) {
        double x = log_best(sources, row) - means[sources->row_device[row]];
        double y = (sum - x) / (count - 1.0);
        products *p = &of_devices[sources->row_device[row]];
        if (isnan(x))
            continue;
        p->count += 1.0;
        p->x += x;
        p->y += y;
        p->xx += x * x;
        p->yy += y * y;
        p->xy += x * y;
    }
}

static void find_correlations(const nitro_dataset *sources, const double *means,
                              products *of_devices)
{
    size_t first = 0;
    for (size_t row = 1; row <= sources->num_rows; row++)
        if (row == sources->num_rows || sources->row_input[row] != sources->row_input[first]) {
            add_input(sources, means, first, row, of_devices);
            first = row;
        }
}

static void mark_uncorrelated(const nitro_dataset *sources, const products *of_devices,
                              double *sorted, bool *is_useless)
{
    size_t count = 0;
    for (size_t d = 0; d < sources->num_devices; d++) {
        double own = correlation(&of_devices[d]);
        if (!isnan(own))
            sorted[count++] = own;
    }
    nitro_sort(sorted, count);
    if (count < 3 || !(nitro_quantile(sorted, count, 0.5) > CORRELATED))
        return;
    for (size_t d = 0; d < sources->num_devices; d++)
        is_useless[d] |= correlation(&of_devices[d]) < UNCORRELATED;
}

nitro_status nitro_source_checks_run(nitro_context *context, const nitro_dataset *sources,
                                     const double *own_losses, bool *is_useless)
{
    double *means = nitro_calloc(context, sources->num_devices, sizeof *means);
    products *of_devices = nitro_calloc(context, sources->num_devices, sizeof *of_devices);
    nitro_status status = means && of_devices ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < sources->num_devices && status == NITRO_OK; d++) {
        double fixed = nitro_source_fixed_loss(sources, d);
        is_useless[d] = nitro_dataset_usable_rows(sources, d) >= JUDGED_SAMPLES &&
                        fixed > USELESS_LOSS && own_losses[d] > USELESS_SHARE * fixed;
    }
    if (status == NITRO_OK) {
        find_means(sources, means);
        find_correlations(sources, means, of_devices);
        mark_uncorrelated(sources, of_devices, means, is_useless);
    }
    free(means);
    free(of_devices);
    return status;
}
