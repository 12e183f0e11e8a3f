/* explanation_print.c - an explanation as text, from the decision down to single samples, and as
 * JSON. */
#include <math.h>
#include <string.h>

#include "apps/cli/commands/explanation.h"
#include "apps/cli/device_set.h"
#include "apps/cli/model_report.h"

static bool is_named(const explanation *self, size_t variant)
{
    return variant != NITRO_NONE && nitro_model_variant_name(self->model, variant);
}

static double expected(const explanation *self, size_t variant)
{
    return nitro_model_expected_ratio(self->model, self->run_scores, self->decision.variant,
                                      variant);
}

/** Of preparing, in runs of the chosen variant. */
static double preparing(const explanation *self, size_t variant)
{
    return self->preparing[variant] * fmax(1.0 + self->run_scores[self->decision.variant], 0.1);
}

/** Time of preparing and all runs over the chosen variant's. */
static double total(const explanation *self, size_t variant)
{
    size_t chosen = self->decision.variant;
    double uses = self->options.uses;
    return (preparing(self, variant) + uses * expected(self, variant)) /
           (preparing(self, chosen) + uses);
}

static bool has_total(const explanation *self)
{
    return self->prepares && isfinite(self->options.uses) && self->options.uses > 0.0;
}

static void ratio_cell(text_table *table, double ratio)
{
    table_cell(table, isfinite(ratio) ? "%.2fx" : "-", ratio);
}

static void print_decision(const explanation *self)
{
    const nitro_decision *decision = &self->decision;
    printf("variant     %s\n", decision->variant_name);
    printf("confidence  %.2f (no other variant is more than 5 %% faster)\n", decision->confidence);
    printf("reason      %s\n", nitro_reason_text(decision->reason));
    printf("model       %s for %s on %s\n", nitro_model_strategy(self->model),
           nitro_model_computation(self->model), nitro_model_target(self->model));
    if (self->shipped)
        printf("            shipped model, learnt from %s\n", self->shipped);
    if (!is_named(self, self->runner_up))
        return;
    double model = expected(self, self->runner_up);
    printf("runner-up   %s", nitro_model_variant_name(self->model, self->runner_up));
    if (isfinite(model))
        printf(": expected to take %.2f times as long", model);
    if (self->dataset && isfinite(self->variants[self->runner_up].ratio))
        printf("%s measured %.2f times as long on the nearest %zu measured input%s",
               isfinite(model) ? ";" : ":", self->variants[self->runner_up].ratio,
               self->variants[self->runner_up].timed,
               plural(self->variants[self->runner_up].timed));
    putchar('\n');
}

static nitro_status print_ranking(const invocation *call, const explanation *self)
{
    text_table table;
    char titles[160];
    snprintf(titles, sizeof titles, ">rank,variant,>score,>expected time%s%s%s",
             self->prepares ? ",>preparing" : "", has_total(self) ? ",>total" : "",
             self->dataset ? ",>time nearby,>best nearby" : "");
    table_begin(&table, call->context, titles);
    for (size_t r = 0; r < nitro_model_num_ranked(self->model); r++) {
        size_t v = self->ranking[r];
        table_cell(&table, "%zu", r + 1);
        table_cell(&table, "%s", nitro_model_variant_name(self->model, v));
        table_number(&table, self->scores[v], 4);
        ratio_cell(&table, expected(self, v));
        if (self->prepares)
            ratio_cell(&table, preparing(self, v));
        if (has_total(self))
            ratio_cell(&table, total(self, v));
        if (!self->dataset)
            continue;
        ratio_cell(&table, self->variants[v].ratio);
        table_cell(&table, "%zu of %zu", self->variants[v].best, self->num_neighbours);
    }
    return table_end(&table);
}

static const char *const kind_names[] = {
    [NITRO_COLUMN_INPUT] = "input",
    [NITRO_COLUMN_RELATIVE] = "relative",
    [NITRO_COLUMN_DEVICE] = "device",
};

/** Inside the range, but no column of the model itself. */
static bool is_only_related(const nitro_column *column)
{
    return column->is_used && !column->is_seen && !isnan(column->value) && column->excess <= 0.0;
}

static void describe_place(const nitro_column *column, char *text, size_t size)
{
    if (!column->is_used)
        snprintf(text, size, "not used");
    else if (isnan(column->value))
        snprintf(text, size, "undefined");
    else if (column->excess > 0.0)
        snprintf(text, size, "outside by %.3g %% of the range%s", 100.0 * column->excess,
                 column->kind == NITRO_COLUMN_RELATIVE                   ? ": clipped"
                 : column->kind == NITRO_COLUMN_INPUT && !column->is_far ? ": within tolerance"
                                                                         : "");
    else if (is_only_related(column))
        snprintf(text, size, "inside*");
    else
        snprintf(text, size, "inside");
}

static void number_cell(text_table *table, double value)
{
    table_cell(table, isnan(value) ? "-" : "%.5g", value);
}

static nitro_status print_columns(const invocation *call, const explanation *self)
{
    text_table table;
    const char *kind = "";
    bool has_related = false;
    table_begin(&table, call->context, "kind,feature,>value,>trained from,>to,unit,place");
    table.has_groups = true;
    for (size_t c = 0; c < self->num_columns; c++) {
        const nitro_column *column = &self->columns[c];
        char place[96];
        describe_place(column, place, sizeof place);
        table_cell(&table, "%s",
                   strcmp(kind, kind_names[column->kind]) == 0 ? "" : kind_names[column->kind]);
        kind = kind_names[column->kind];
        table_cell(&table, "%s", column->name);
        number_cell(&table, column->value);
        number_cell(&table, column->low);
        number_cell(&table, column->high);
        table_cell(&table, "%s", strcmp(column->unit, "1") == 0 ? "" : column->unit);
        table_cell(&table, "%s", place);
        has_related = has_related || is_only_related(column);
    }
    nitro_status status = table_end(&table);
    if (has_related)
        puts("* used through relative features");
    return status;
}

static nitro_status print_devices(const invocation *call, const explanation *self)
{
    text_table table;
    table_begin(&table, call->context,
                "source,>similarity,>nearest inputs,>distance,>agree,>runner-up's time");
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        const device_record *record = &self->devices[d];
        const nitro_device *device = self->dataset->devices[record->device];
        table_cell(&table, "%s%s", device->id, device_is_modelled(device) ? " (modelled)" : "");
        table_number(&table, record->similarity, 2);
        table_cell(&table, "%zu", record->inputs);
        table_number(&table, record->distance, 3);
        table_cell(&table, "%zu", record->agree);
        ratio_cell(&table, record->runner_up);
    }
    return table_end(&table);
}

static nitro_status print_neighbours(const invocation *call, const explanation *self)
{
    const nitro_dataset *dataset = self->dataset;
    size_t num_variants = dataset->schema->num_variants;
    text_table table;
    table_begin(&table, call->context, "input,source,>distance,best variant,>its time,>chosen's");
    for (size_t i = 0; i < self->num_neighbours && i < EXPLAIN_NEIGHBOURS; i++) {
        size_t row = self->neighbours[i].row;
        const double *times = dataset->times_ms + row * num_variants;
        size_t best = explanation_fastest(self, row);
        char time[32];
        format_time(times[best], time, sizeof time);
        table_cell(&table, "%s", dataset->inputs[dataset->row_input[row]]);
        table_cell(&table, "%s", dataset->devices[dataset->row_device[row]]->id);
        table_number(&table, self->neighbours[i].distance, 3);
        table_cell(&table, "%s", dataset->schema->variants[best]);
        table_cell(&table, "%s", time);
        ratio_cell(&table, explanation_time(self, row, self->decision.variant) / times[best]);
    }
    return table_end(&table);
}

/** The sources that speak for the decision. */
static void print_source_weights(const explanation *self)
{
    json_t *summary = model_summary(self->model);
    model_print_source_weights(
        json_object_get(json_object_get(summary, "provenance"), "predicted_quality"));
    json_decref(summary);
}

int explanation_print(const invocation *call, const explanation *self)
{
    print_decision(self);
    print_source_weights(self);
    putchar('\n');
    nitro_status status = print_ranking(call, self);
    printf("\nFeatures of the model:\n\n");
    if (status == NITRO_OK)
        status = print_columns(call, self);
    if (status == NITRO_OK && self->dataset) {
        printf("\nSources by similarity to %s; 'agree': inputs on which %s was within 5 %% of the "
               "best:\n\n",
               nitro_model_target(self->model), self->decision.variant_name);
        status = print_devices(call, self);
    }
    if (status == NITRO_OK && self->dataset) {
        printf("\nThe nearest measured inputs:\n\n");
        status = print_neighbours(call, self);
    }
    return exit_code(call, status);
}

static json_t *ranking_json(const explanation *self)
{
    json_t *array = json_array();
    for (size_t r = 0; r < nitro_model_num_ranked(self->model); r++) {
        size_t v = self->ranking[r];
        json_t *object = json_pack(
            "{s:s, s:o, s:o}", "variant", nitro_model_variant_name(self->model, v), "score",
            json_value(self->scores[v]), "expected_ratio", json_value(expected(self, v)));
        if (self->prepares)
            json_object_set_new(object, "preparing", json_value(preparing(self, v)));
        if (has_total(self))
            json_object_set_new(object, "total_ratio", json_value(total(self, v)));
        if (self->dataset) {
            json_object_set_new(object, "ratio_nearby", json_value(self->variants[v].ratio));
            json_object_set_new(object, "best_nearby",
                                json_integer((json_int_t)self->variants[v].best));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *columns_json(const explanation *self)
{
    json_t *array = json_array();
    for (size_t c = 0; c < self->num_columns; c++) {
        const nitro_column *column = &self->columns[c];
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:b}", "name", column->name,
                             "kind", kind_names[column->kind], "unit", column->unit, "value",
                             json_value(column->value), "low", json_value(column->low), "high",
                             json_value(column->high), "excess", json_value(column->excess), "seen",
                             column->is_seen, "used", column->is_used));
    }
    return array;
}

static json_t *devices_json(const explanation *self)
{
    json_t *array = json_array();
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        const device_record *record = &self->devices[d];
        json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:I, s:o, s:I, s:o}", "device",
                      json_text(self->dataset->devices[record->device]->id), "similarity",
                      json_value(record->similarity), "inputs", (json_int_t)record->inputs,
                      "distance", json_value(record->distance), "agree", (json_int_t)record->agree,
                      "runner_up_ratio", json_value(record->runner_up)));
    }
    return array;
}

static json_t *neighbours_json(const explanation *self)
{
    const nitro_dataset *dataset = self->dataset;
    size_t num_variants = dataset->schema->num_variants;
    json_t *array = json_array();
    for (size_t i = 0; i < self->num_neighbours; i++) {
        size_t row = self->neighbours[i].row;
        const double *times = dataset->times_ms + row * num_variants;
        json_t *times_ms = json_object();
        for (size_t v = 0; v < num_variants; v++)
            json_object_set_new(times_ms, dataset->schema->variants[v], json_value(times[v]));
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:s, s:o}", "input",
                             json_text(dataset->inputs[dataset->row_input[row]]), "device",
                             json_text(dataset->devices[dataset->row_device[row]]->id), "distance",
                             json_value(self->neighbours[i].distance), "best",
                             dataset->schema->variants[explanation_fastest(self, row)], "times_ms",
                             times_ms));
    }
    return array;
}

/** Weights by device; NULL: all sources count the same. */
static json_t *source_weights_json(const explanation *self)
{
    size_t i;
    json_t *source, *weights = NULL, *summary = model_summary(self->model);
    const json_t *predicted =
        json_object_get(json_object_get(summary, "provenance"), "predicted_quality");
    if (json_object_get(predicted, "source_rule"))
        weights = json_object();
    json_array_foreach(json_object_get(predicted, "sources"), i, source) if (weights)
        json_object_set(weights, text_of(source, "device"), json_object_get(source, "weight"));
    json_decref(summary);
    return weights;
}

int explanation_print_json(const invocation *call, const explanation *self)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o}", "computation",
        nitro_model_computation(self->model), "target", nitro_model_target(self->model), "strategy",
        nitro_model_strategy(self->model), "variant", self->decision.variant_name, "confidence",
        json_value(self->decision.confidence), "reason", nitro_reason_text(self->decision.reason),
        "ranking", ranking_json(self), "features", columns_json(self));
    if (is_named(self, self->runner_up))
        json_object_set_new(object, "runner_up",
                            json_text(nitro_model_variant_name(self->model, self->runner_up)));
    if (self->shipped)
        json_object_set_new(object, "shipped_from", json_text(self->shipped));
    json_t *weights = source_weights_json(self);
    if (weights)
        json_object_set_new(object, "source_weights", weights);
    if (self->dataset) {
        json_object_set_new(object, "store_changed", json_boolean(self->is_changed));
        json_object_set_new(object, "sources", devices_json(self));
        json_object_set_new(object, "neighbours", neighbours_json(self));
    }
    return print_json(call, object);
}
