/* explanation.c - gathers why a model decides as it does: from the model, and from the samples that
 * it was trained on. The nearest samples count equally. */
#include "apps/cli/commands/explanation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A variant this much slower than the fastest is as good. */
#define TOLERANCE 0.05

nitro_status explanation_make(explanation *self)
{
    nitro_status status =
        nitro_model_predict(self->model, self->features, &self->decision, NULL, self->run_scores);
    if (status == NITRO_OK)
        status = nitro_model_predict_with(self->model, self->features, &self->options,
                                          &self->decision, self->ranking, self->scores);
    if (status != NITRO_OK)
        return status;
    self->prepares = nitro_model_expected_preparing(self->model, self->features, self->preparing);
    self->runner_up = NITRO_NONE;
    for (size_t r = nitro_model_num_ranked(self->model); r-- > 0;)
        if (self->ranking[r] != self->decision.variant)
            self->runner_up = self->ranking[r];
    return nitro_model_explain(self->model, self->features, self->columns, &self->num_columns);
}

void explanation_free(explanation *self)
{
    nitro_dataset_free(self->dataset);
    free(self->devices);
    free(self->shipped);
}

static nitro_status list_sources(nitro_context *context, json_t *provenance,
                                 nitro_string_list *sources)
{
    nitro_status status = NITRO_OK;
    size_t i;
    json_t *source;
    json_array_foreach(json_object_get(provenance, "sources"), i, source)
    {
        const char *id = text_of(source, "device");
        if (id && status == NITRO_OK)
            status = nitro_string_list_add(context, sources, id);
    }
    if (status == NITRO_OK && sources->count == 0)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "the model does not name the devices it was trained on");
    return status;
}

static nitro_status load_samples(nitro_store *store, json_t *provenance, explanation *self)
{
    nitro_string_list sources = {0};
    nitro_status status = list_sources(nitro_store_context(store), provenance, &sources);
    if (status == NITRO_OK)
        status =
            nitro_dataset_load(store, nitro_model_computation(self->model),
                               (const char *const *)sources.items, sources.count, &self->dataset);
    nitro_string_list_free(&sources);
    if (status != NITRO_OK)
        return status;
    for (size_t v = 0; v < nitro_model_num_variants(self->model); v++)
        self->places[v] =
            nitro_schema_variant(self->dataset->schema, nitro_model_variant_name(self->model, v));
    char digest[17];
    const char *records = text_of(provenance, "records");
    snprintf(digest, sizeof digest, "%016" PRIx64, nitro_dataset_digest(self->dataset));
    self->is_changed = records && strcmp(records, digest) != 0;
    return NITRO_OK;
}

static const double *row_times(const explanation *self, size_t row)
{
    return self->dataset->times_ms + row * self->dataset->schema->num_variants;
}

double explanation_time(const explanation *self, size_t row, size_t variant)
{
    size_t place = self->places[variant];
    return place == NITRO_NONE ? NAN : row_times(self, row)[place];
}

size_t explanation_fastest(const explanation *self, size_t row)
{
    const double *times = row_times(self, row);
    size_t best = NITRO_NONE;
    for (size_t v = 0; v < self->dataset->schema->num_variants; v++)
        if (!isnan(times[v]) && (best == NITRO_NONE || times[v] < times[best]))
            best = v;
    return best;
}

static void query_variants(explanation *self)
{
    size_t chosen = self->decision.variant;
    for (size_t v = 0; v < nitro_model_num_variants(self->model); v++) {
        double logarithms = 0.0;
        variant_record *record = &self->variants[v];
        for (size_t i = 0; i < self->num_neighbours; i++) {
            size_t row = self->neighbours[i].row;
            double ratio = explanation_time(self, row, v) / explanation_time(self, row, chosen);
            record->best += explanation_fastest(self, row) == self->places[v];
            if (isnan(ratio))
                continue;
            record->timed++;
            logarithms += log(ratio);
        }
        record->ratio = record->timed ? exp(logarithms / (double)record->timed) : NAN;
    }
}

/** Device features that may be learnt from and that all of the devices have. */
static nitro_status list_shared_features(nitro_context *context, nitro_device *const *devices,
                                         size_t count, nitro_string_list *features)
{
    nitro_status status = NITRO_OK;
    for (size_t f = 0; f < devices[0]->num_features && status == NITRO_OK; f++) {
        const char *name = devices[0]->features[f].name;
        const nitro_device_feature_info *info = nitro_device_feature_lookup(name);
        bool everywhere = !info || !info->descriptive;
        for (size_t d = 0; d < count; d++)
            everywhere = everywhere && !isnan(nitro_device_value(devices[d], name));
        if (everywhere)
            status = nitro_string_list_add(context, features, name);
    }
    return status;
}

/** The target's description: of the store, else of this machine; NULL: neither knows it. */
static nitro_status find_target(nitro_store *store, const char *id, nitro_device **target)
{
    *target = NULL;
    nitro_status status = nitro_store_get_device(store, id, target);
    if (status == NITRO_ERR_NOT_FOUND)
        status = nitro_device_find(nitro_store_context(store), id, false, target, NULL);
    return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
}

/** The target among its sources; without its features no similarity is computed. */
static nitro_status compare_devices(nitro_store *store, explanation *self)
{
    nitro_context *context = nitro_store_context(store);
    nitro_string_list features = {0};
    size_t count = self->dataset->num_devices + 1;
    nitro_device *target = NULL;
    nitro_status status = find_target(store, nitro_model_target(self->model), &target);
    if (!target)
        return status;
    nitro_device **devices = nitro_calloc(context, count, sizeof(nitro_device *));
    double *matrix = nitro_calloc(context, count * count, sizeof *matrix);
    status = devices && matrix ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        devices[0] = target;
        memcpy(devices + 1, self->dataset->devices, (count - 1) * sizeof *devices);
        status = list_shared_features(context, devices, count, &features);
    }
    if (status == NITRO_OK && features.count > 0)
        status =
            nitro_device_similarity(context, (const nitro_device *const *)devices, count,
                                    (const char *const *)features.items, features.count, matrix);
    for (size_t d = 0; status == NITRO_OK && features.count > 0 && d + 1 < count; d++)
        self->devices[d].similarity =
            nitro_device_is_same(devices[d + 1], target) ? 1.0 : matrix[d + 1];
    nitro_string_list_free(&features);
    nitro_device_free(target);
    free(devices);
    free(matrix);
    return status;
}

/** A dataset's row as one source's neighbour. */
static void query_row(const explanation *self, const nitro_neighbour *found, device_record *record,
                      double *logarithms, size_t *timed)
{
    double chosen = explanation_time(self, found->row, self->decision.variant);
    double best = row_times(self, found->row)[explanation_fastest(self, found->row)];
    record->inputs++;
    record->distance += found->distance;
    record->agree += chosen <= (1.0 + TOLERANCE) * best; /* NaN is not */
    if (self->runner_up == NITRO_NONE)
        return;
    double ratio = explanation_time(self, found->row, self->runner_up) / chosen;
    if (isnan(ratio))
        return;
    *logarithms += log(ratio);
    (*timed)++;
}

/** The nearest measured inputs of one source. */
static nitro_status query_device(const explanation *self, device_record *record)
{
    nitro_neighbour nearest[EXPLAIN_VOTERS];
    double logarithms = 0.0;
    size_t timed = 0, count = 0;
    nitro_status status = nitro_model_neighbours(self->model, self->dataset, record->device,
                                                 self->features, nearest, EXPLAIN_VOTERS, &count);
    for (size_t i = 0; i < count; i++)
        query_row(self, &nearest[i], record, &logarithms, &timed);
    record->distance = record->inputs ? record->distance / (double)record->inputs : NAN;
    record->runner_up = timed ? exp(logarithms / (double)timed) : NAN;
    return status;
}

/** By falling similarity; those of unknown similarity by distance; in order on ties. */
static int compare_records(const void *left, const void *right)
{
    const device_record *a = left, *b = right;
    if (a->similarity > b->similarity || a->similarity < b->similarity)
        return a->similarity > b->similarity ? -1 : 1;
    if (isnan(a->similarity) && (a->distance < b->distance || a->distance > b->distance))
        return a->distance < b->distance ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

static nitro_status query_devices(nitro_store *store, explanation *self)
{
    size_t count = self->dataset->num_devices;
    self->devices = nitro_calloc(nitro_store_context(store), count, sizeof *self->devices);
    if (!self->devices)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < count; d++)
        self->devices[d] = (device_record){.device = d, .similarity = NAN};
    nitro_status status = compare_devices(store, self);
    for (size_t d = 0; status == NITRO_OK && d < count; d++)
        status = query_device(self, &self->devices[d]);
    if (status == NITRO_OK)
        qsort(self->devices, count, sizeof *self->devices, compare_records);
    return status;
}

nitro_status explanation_add_store(nitro_store *store, explanation *self)
{
    char *text = NULL;
    nitro_status status = nitro_model_summary(self->model, &text);
    if (status != NITRO_OK)
        return status;
    json_t *summary = json_loads(text, 0, NULL);
    free(text);
    status = load_samples(store, json_object_get(summary, "provenance"), self);
    json_decref(summary);
    if (status == NITRO_OK)
        status = nitro_model_neighbours(self->model, self->dataset, NITRO_NONE, self->features,
                                        self->neighbours, EXPLAIN_VOTERS, &self->num_neighbours);
    if (status != NITRO_OK)
        return status;
    query_variants(self);
    return query_devices(store, self);
}
