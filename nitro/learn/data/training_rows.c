/* The samples that a model is trained on, as matrices of raw, then scaled columns. */
#include "nitro/learn/data/training_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_choice.h"

static void find_scales(const nitro_model *model, nitro_scale *scales)
{
    const nitro_schema *schema = model->schema;
    for (size_t f = 0; f < schema->num_features; f++)
        *scales++ = schema->features[f].scale;
    for (size_t r = 0; r < schema->num_relative; r++)
        *scales++ = schema->relative[r].scale;
    for (size_t i = 0; i < model->device_features.count; i++)
        *scales++ = nitro_device_feature_scale(model->device_features.items[i]);
}

static void note_skipped(nitro_skipped_rows *skipped, size_t row, size_t column)
{
    if (skipped->count++ == 0) {
        skipped->row = row;
        skipped->column = column;
    }
}

/** First column that is undefined, or whose declared log scale cannot take the row's value. */
static size_t find_unusable(const nitro_training_rows *rows, const double *columns)
{
    for (size_t c = 0; c < rows->num_columns; c++)
        if (isnan(columns[c]) || (rows->scales[c] == NITRO_SCALE_LOG && !(columns[c] > 0.0)))
            return c;
    return NITRO_NONE;
}

static const char *column_name(const nitro_model *model, size_t column)
{
    const nitro_schema *schema = model->schema;
    if (column < nitro_model_first_relative(model))
        return schema->features[column].name;
    if (column < nitro_model_first_device(model))
        return schema->relative[column - nitro_model_first_relative(model)].name;
    return model->device_features.items[column - nitro_model_first_device(model)];
}

static void fill_columns(const nitro_dataset *sources, const nitro_model *model, size_t row,
                         double *columns)
{
    const nitro_device *device = sources->devices[sources->row_device[row]];
    double *relative = columns + nitro_model_first_relative(model);
    double *plain = columns + nitro_model_first_device(model);
    double values[NITRO_RELATIVE_MAX_DEVICE_VALUES];
    memcpy(columns, nitro_dataset_features(sources, row),
           sources->schema->num_features * sizeof *columns);
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        values[i] = nitro_device_value(device, nitro_relative_device_feature(model->relative, i));
    nitro_relative_evaluate(model->relative, columns, values, relative);
    for (size_t i = 0; i < model->device_features.count; i++)
        plain[i] = nitro_device_value(device, model->device_features.items[i]);
}

static void log_skipped(const nitro_model *model, const nitro_dataset *sources,
                        const nitro_skipped_rows *skipped, const char *reason)
{
    if (skipped->count > 0)
        nitro_log(model->context, NITRO_LOG_WARNING,
                  "%zu samples are not used, for %s: the first is feature %s of input %s on device "
                  "%s",
                  skipped->count, reason, column_name(model, skipped->column),
                  sources->inputs[sources->row_input[skipped->row]],
                  sources->devices[sources->row_device[skipped->row]]->id);
}

void nitro_training_rows_log_skipped(const nitro_model *model, const nitro_dataset *sources,
                                     const nitro_training_rows *rows)
{
    log_skipped(model, sources, &rows->not_positive,
                "their scale is log and the value not positive (signed-log takes any value)");
    log_skipped(model, sources, &rows->undefined, "a relative feature is undefined there");
}

static void collect_rows(const nitro_dataset *sources, const nitro_model *model,
                         nitro_training_rows *rows)
{
    size_t num_variants = sources->schema->num_variants;
    for (size_t row = 0; row < sources->num_rows; row++) {
        if (!nitro_dataset_row_is_usable(sources, row))
            continue;
        double *columns = rows->columns + rows->num_rows * rows->num_columns;
        fill_columns(sources, model, row, columns);
        for (size_t f = 0; f < sources->schema->num_features; f++)
            if (rows->dropped >> f & 1)
                columns[f] = 1.0; /* any constant that all scales take */
        size_t column = find_unusable(rows, columns);
        if (column != NITRO_NONE) {
            note_skipped(isnan(columns[column]) ? &rows->undefined : &rows->not_positive, row,
                         column);
            continue;
        }
        memcpy(rows->times_ms + rows->num_rows * num_variants, nitro_dataset_times(sources, row),
               num_variants * sizeof(double));
        memcpy(rows->prepare_ms + rows->num_rows * num_variants,
               nitro_dataset_prepare(sources, row), num_variants * sizeof(double));
        rows->features_ms[rows->num_rows] = sources->features_ms[row];
        rows->row_allowed[rows->num_rows] = sources->row_allowed[row];
        rows->row_source[rows->num_rows] = row;
        rows->row_device[rows->num_rows] = sources->row_device[row];
        rows->row_input[rows->num_rows++] = sources->row_input[row];
    }
}

static nitro_status fail_without_rows(nitro_context *context, const nitro_dataset *sources,
                                      const nitro_model *model, const nitro_training_rows *rows)
{
    const char *computation = sources->schema->computation;
    const nitro_skipped_rows *refused = &rows->not_positive;
    if (refused->count > 0)
        return nitro_fail(
            context, NITRO_ERR_NO_DATA,
            "%s: nothing to learn from for %s: %zu of %zu samples are not used since a "
            "feature whose scale is log is not positive there, first %s of input %s "
            "on device %s; declare its scale signed-log, which takes any value",
            computation, model->target, refused->count, sources->num_rows,
            column_name(model, refused->column), sources->inputs[sources->row_input[refused->row]],
            sources->devices[sources->row_device[refused->row]]->id);
    return nitro_fail(context, NITRO_ERR_NO_DATA,
                      "%s: nothing to learn from for %s: none of the %zu samples has times of at "
                      "least two variants%s; measure more %s",
                      computation, model->target, sources->num_rows,
                      model->relative->count > 0 ? " and all relative features" : "",
                      sources->schema->num_variants > 1 ? "inputs" : "variants");
}

nitro_status nitro_training_rows_collect(nitro_context *context, const nitro_dataset *sources,
                                         const nitro_model *model, nitro_training_rows *rows)
{
    const nitro_schema *schema = sources->schema;
    rows->num_columns = nitro_model_num_columns(model);
    rows->columns = nitro_calloc(context, sources->num_rows, rows->num_columns * sizeof(double));
    rows->times_ms =
        nitro_calloc(context, sources->num_rows, schema->num_variants * sizeof(double));
    rows->prepare_ms =
        nitro_calloc(context, sources->num_rows, schema->num_variants * sizeof(double));
    rows->row_allowed = nitro_calloc(context, sources->num_rows, sizeof *rows->row_allowed);
    rows->row_source = nitro_calloc(context, sources->num_rows, sizeof *rows->row_source);
    rows->row_input = nitro_calloc(context, sources->num_rows, sizeof *rows->row_input);
    rows->row_device = nitro_calloc(context, sources->num_rows, sizeof *rows->row_device);
    rows->features_ms = nitro_calloc(context, sources->num_rows, sizeof *rows->features_ms);
    if (!rows->columns || !rows->times_ms || !rows->prepare_ms || !rows->features_ms ||
        !rows->row_allowed || !rows->row_source || !rows->row_input || !rows->row_device)
        return NITRO_ERR_NO_MEMORY;
    find_scales(model, rows->scales);
    collect_rows(sources, model, rows);
    if (rows->num_rows == 0)
        return fail_without_rows(context, sources, model, rows);
    return NITRO_OK;
}

nitro_status nitro_training_rows_scale(nitro_context *context, nitro_training_rows *rows,
                                       nitro_model *model)
{
    nitro_status status = nitro_scaler_fit(context, rows->columns, rows->num_rows,
                                           rows->num_columns, rows->scales, model->columns);
    if (status != NITRO_OK)
        return status;
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (rows->dropped >> f & 1)
            model->columns[f] = nitro_scaler_ignored();
    double *scaled = rows->columns;
    for (size_t row = 0; row < rows->num_rows; row++)
        for (size_t i = 0; i < model->num_seen; i++) {
            size_t c = model->seen[i]; /* never before i: what is overwritten was read */
            *scaled++ = nitro_model_scale(model, c, rows->columns[row * rows->num_columns + c]);
        }
    rows->num_columns = model->num_seen;
    for (size_t f = 0; f < model->schema->num_features; f++)
        model->schema->features[f].scale = model->columns[f].scale;
    for (size_t r = 0; r < model->schema->num_relative; r++)
        model->schema->relative[r].scale =
            model->columns[nitro_model_first_relative(model) + r].scale;
    return NITRO_OK;
}

uint64_t nitro_training_rows_prepared(const nitro_training_rows *rows, size_t num_variants)
{
    uint64_t prepared = 0;
    for (size_t i = 0; i < rows->num_rows * num_variants; i++)
        prepared |= rows->prepare_ms[i] > 0.0 ? UINT64_C(1) << i % num_variants : 0;
    return prepared;
}

void nitro_training_rows_free(nitro_training_rows *rows)
{
    free(rows->columns);
    free(rows->times_ms);
    free(rows->prepare_ms);
    free(rows->features_ms);
    free(rows->row_allowed);
    free(rows->row_source);
    free(rows->row_input);
    free(rows->row_device);
}
