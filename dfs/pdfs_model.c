/* One proxy's regression from metrics to intensity. */
#include <math.h>
#include <stdlib.h>

#include "dfs/pdfs.h"

/* Runs of one proxy on one device, or on all. */
typedef struct run_set {
    const profile_rows *devices;
    size_t first, end; /* of devices */
    size_t proxy;
} run_set;

static bool has_two_intensities(const run_set *set)
{
    double seen = NAN;
    for (size_t d = set->first; d < set->end; d++) {
        for (size_t i = 0; i < set->devices[d].count; i++) {
            if (set->devices[d].owner[i] != set->proxy)
                continue;
            if (!isnan(seen) && set->devices[d].intensity[i] != seen)
                return true;
            seen = set->devices[d].intensity[i];
        }
    }
    return false;
}

static size_t count_runs(const run_set *set)
{
    size_t count = 0;
    for (size_t d = set->first; d < set->end; d++)
        for (size_t i = 0; i < set->devices[d].count; i++)
            count += set->devices[d].owner[i] == set->proxy;
    return count;
}

/* Does every run of the set have the metric, and any query? */
static bool is_column(const run_set *set, const profile_rows *queries, size_t metric)
{
    bool is_in_query = false;
    for (size_t i = 0; i < queries->count && !is_in_query; i++)
        is_in_query = !isnan(queries->values[i * queries->num_metrics + metric]);
    for (size_t d = set->first; d < set->end; d++) {
        const profile_rows *rows = &set->devices[d];
        for (size_t i = 0; i < rows->count; i++)
            if (rows->owner[i] == set->proxy && isnan(rows->values[i * rows->num_metrics + metric]))
                return false;
    }
    return is_in_query;
}

static void fill_rows(const run_set *set, const proxy_model *model, double *columns,
                      double *intensities)
{
    size_t row = 0;
    for (size_t d = set->first; d < set->end; d++) {
        const profile_rows *rows = &set->devices[d];
        for (size_t i = 0; i < rows->count; i++) {
            if (rows->owner[i] != set->proxy)
                continue;
            for (size_t c = 0; c < model->num_columns; c++)
                columns[row * model->num_columns + c] =
                    rows->values[i * rows->num_metrics + model->columns[c]];
            intensities[row++] = rows->intensity[i];
        }
    }
}

static nitro_status train(nitro_context *context, const run_set *set, proxy_model *model)
{
    size_t num_rows = count_runs(set);
    double *columns = nitro_calloc(context, num_rows, model->num_columns * sizeof(*columns));
    double *intensities = nitro_calloc(context, num_rows, sizeof(*intensities));
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (columns && intensities) {
        fill_rows(set, model, columns, intensities);
        status = nitro_regression_train(context, columns, num_rows, model->num_columns, intensities,
                                        &model->regression);
    }
    free(columns);
    free(intensities);
    return status == NITRO_ERR_NO_DATA ? NITRO_OK : status; /* no metric varies */
}

nitro_status proxy_model_train(nitro_context *context, const nitro_proxies *proxies, size_t proxy,
                               const profile_rows *runs, size_t num_devices, size_t device,
                               const profile_rows *queries, proxy_model *model)
{
    const nitro_proxy *judged = &proxies->proxies[proxy];
    run_set set = {runs, device, device + 1, proxy};
    *model = (proxy_model){.own = has_two_intensities(&set)};
    if (!model->own)
        set = (run_set){runs, 0, num_devices, proxy};
    if (!model->own && !has_two_intensities(&set))
        return NITRO_OK;
    model->columns = nitro_calloc(context, judged->num_metrics, sizeof(*model->columns));
    if (!model->columns)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < judged->num_metrics; i++)
        if (is_column(&set, queries, judged->metrics[i]))
            model->columns[model->num_columns++] = judged->metrics[i];
    return model->num_columns > 0 ? train(context, &set, model) : NITRO_OK;
}

double proxy_model_query(const proxy_model *model, const profile_rows *queries, size_t row,
                         double *scratch)
{
    if (!model->regression)
        return NAN;
    for (size_t c = 0; c < model->num_columns; c++) {
        scratch[c] = queries->values[row * queries->num_metrics + model->columns[c]];
        if (isnan(scratch[c]))
            return NAN;
    }
    double intensity = nitro_regression_predict(model->regression, scratch);
    return fmin(fmax(intensity, 0), NITRO_MAX_INTENSITY);
}

void proxy_model_free(proxy_model *model)
{
    nitro_regression_free(model->regression);
    free(model->columns);
    *model = (proxy_model){0};
}
