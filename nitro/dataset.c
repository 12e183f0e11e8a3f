/*
 * All samples of some devices, as matrices. Hides the order of rows: by input name, then by device,
 * so that a store's history does not matter.
 */
#include "nitro/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A row of times -------------------------------------------------------------------------- */

size_t nitro_times_best(const double *times_ms, size_t num_variants)
{
    size_t best = NITRO_NONE;
    for (size_t v = 0; v < num_variants; v++)
        if (!isnan(times_ms[v]) && (best == NITRO_NONE || times_ms[v] < times_ms[best]))
            best = v;
    return best;
}

size_t nitro_times_count(const double *times_ms, size_t num_variants)
{
    size_t count = 0;
    for (size_t v = 0; v < num_variants; v++)
        count += !isnan(times_ms[v]);
    return count;
}

double nitro_times_quality(const double *times_ms, size_t num_variants, size_t chosen)
{
    if (isnan(times_ms[chosen]))
        return 0.0;
    return times_ms[nitro_times_best(times_ms, num_variants)] / times_ms[chosen];
}

size_t nitro_scores_best(const double *scores, size_t num_variants)
{
    size_t best = 0;
    for (size_t v = 1; v < num_variants; v++)
        if (scores[v] > scores[best])
            best = v;
    return best;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const double *nitro_dataset_times(const nitro_dataset *dataset, size_t row)
{
    return dataset->times_ms + row * dataset->schema->num_variants;
}

const double *nitro_dataset_features(const nitro_dataset *dataset, size_t row)
{
    return dataset->features + row * dataset->schema->num_features;
}

bool nitro_dataset_row_teaches(const nitro_dataset *dataset, size_t row)
{
    return nitro_times_count(nitro_dataset_times(dataset, row), dataset->schema->num_variants) >= 2;
}

size_t nitro_dataset_best_fixed(const nitro_dataset *dataset)
{
    size_t num_variants = dataset->schema->num_variants;
    double sums[NITRO_MAX_VARIANTS] = {0};
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (nitro_dataset_row_teaches(dataset, row))
            for (size_t v = 0; v < num_variants; v++)
                sums[v] +=
                    nitro_times_quality(nitro_dataset_times(dataset, row), num_variants, v);
    return nitro_scores_best(sums, num_variants);
}

uint64_t nitro_dataset_digest(const nitro_dataset *dataset)
{
    uint64_t digest = 0;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        const char *device = dataset->devices[dataset->row_device[row]]->id;
        const char *input = dataset->inputs[dataset->row_input[row]];
        digest = nitro_hash(device, strlen(device) + 1, digest);
        digest = nitro_hash(input, strlen(input) + 1, digest);
        digest = nitro_hash(nitro_dataset_features(dataset, row),
                            dataset->schema->num_features * sizeof(double), digest);
        digest = nitro_hash(nitro_dataset_times(dataset, row),
                            dataset->schema->num_variants * sizeof(double), digest);
    }
    return digest;
}

/* ---- Making one ------------------------------------------------------------------------------ */

void nitro_dataset_free(nitro_dataset *dataset)
{
    if (!dataset)
        return;
    nitro_schema_free(dataset->schema);
    for (size_t i = 0; dataset->devices && i < dataset->num_devices; i++)
        nitro_device_free(dataset->devices[i]);
    free(dataset->devices);
    for (size_t i = 0; dataset->inputs && i < dataset->num_inputs; i++)
        free(dataset->inputs[i]);
    free(dataset->inputs);
    free(dataset->row_device);
    free(dataset->row_input);
    free(dataset->features);
    free(dataset->times_ms);
    free(dataset);
}

static nitro_status allocate_rows(nitro_context *context, size_t num_rows, nitro_dataset *dataset)
{
    const nitro_schema *schema = dataset->schema;
    dataset->row_device = nitro_calloc(context, num_rows, sizeof *dataset->row_device);
    dataset->row_input = nitro_calloc(context, num_rows, sizeof *dataset->row_input);
    dataset->features = nitro_calloc(context, num_rows, schema->num_features * sizeof(double));
    dataset->times_ms = nitro_calloc(context, num_rows, schema->num_variants * sizeof(double));
    if (!dataset->row_device || !dataset->row_input || !dataset->features || !dataset->times_ms)
        return NITRO_ERR_NO_MEMORY;
    return NITRO_OK;
}

static void append_row(nitro_dataset *dataset, size_t device, size_t input, const double *features,
                       const double *times_ms)
{
    const nitro_schema *schema = dataset->schema;
    size_t row = dataset->num_rows++;
    dataset->row_device[row] = device;
    dataset->row_input[row] = input;
    memcpy(dataset->features + row * schema->num_features, features,
           schema->num_features * sizeof(double));
    memcpy(dataset->times_ms + row * schema->num_variants, times_ms,
           schema->num_variants * sizeof(double));
}

/* ---- A part of one --------------------------------------------------------------------------- */

static nitro_status copy_lists(nitro_context *context, const nitro_dataset *from, nitro_dataset *to)
{
    to->devices = nitro_calloc(context, from->num_devices, sizeof *to->devices);
    to->inputs = nitro_calloc(context, from->num_inputs, sizeof *to->inputs);
    if (!to->devices || !to->inputs)
        return NITRO_ERR_NO_MEMORY;
    to->num_devices = from->num_devices;
    to->num_inputs = from->num_inputs;
    nitro_status status = nitro_schema_copy(context, from->schema, &to->schema);
    for (size_t i = 0; i < from->num_devices && status == NITRO_OK; i++)
        status = nitro_device_copy(context, from->devices[i], &to->devices[i]);
    for (size_t i = 0; i < from->num_inputs && status == NITRO_OK; i++) {
        to->inputs[i] = nitro_strdup(context, from->inputs[i]);
        status = to->inputs[i] ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    return status;
}

nitro_status nitro_dataset_select(nitro_context *context, const nitro_dataset *dataset,
                                  const bool *devices, const bool *inputs, nitro_dataset **selected)
{
    nitro_dataset *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = copy_lists(context, dataset, made);
    if (status == NITRO_OK)
        status = allocate_rows(context, dataset->num_rows, made);
    if (status != NITRO_OK) {
        nitro_dataset_free(made);
        return status;
    }
    for (size_t row = 0; row < dataset->num_rows; row++) {
        size_t device = dataset->row_device[row], input = dataset->row_input[row];
        if ((!devices || devices[device]) && (!inputs || inputs[input]))
            append_row(made, device, input, nitro_dataset_features(dataset, row),
                       nitro_dataset_times(dataset, row));
    }
    *selected = made;
    return NITRO_OK;
}

/* ---- From a store ---------------------------------------------------------------------------- */

/** One sample that was read, until all are there and can be ordered. */
typedef struct record {
    char *input;
    size_t device;
    double *values; /* features, then times */
} record;

typedef struct reader {
    nitro_context *context;
    const nitro_schema *schema;
    const nitro_device *device;
    size_t device_index;
    record *records;
    size_t num_records, capacity;
    size_t num_holes; /* samples of this device that have a hole */
    char *first_hole; /* "feature F of input I" */
} reader;

static nitro_status append_record(reader *reader, const nitro_sample *sample)
{
    const nitro_schema *schema = reader->schema;
    if (reader->num_records == reader->capacity) {
        size_t capacity = reader->capacity ? 2 * reader->capacity : 256;
        record *grown = realloc(reader->records, capacity * sizeof *grown);
        if (!grown)
            return nitro_fail(reader->context, NITRO_ERR_NO_MEMORY, "out of memory: %zu samples",
                              capacity);
        reader->records = grown;
        reader->capacity = capacity;
    }
    size_t num_values = schema->num_features + schema->num_variants;
    record made = {.input = nitro_strdup(reader->context, sample->input),
                   .device = reader->device_index,
                   .values = nitro_calloc(reader->context, num_values, sizeof(double))};
    if (!made.input || !made.values) {
        free(made.input);
        free(made.values);
        return NITRO_ERR_NO_MEMORY;
    }
    memcpy(made.values, sample->features, schema->num_features * sizeof(double));
    for (size_t v = 0; v < schema->num_variants; v++) {
        const nitro_entry *entry = &sample->entries[v];
        made.values[schema->num_features + v] =
            entry->outcome == NITRO_OUTCOME_MEASURED ? entry->median_ms : NAN;
    }
    reader->records[reader->num_records++] = made;
    return NITRO_OK;
}

static nitro_status read_sample(void *user, const nitro_sample *sample)
{
    reader *reader = user;
    const nitro_schema *schema = reader->schema;
    if (sample->num_features != schema->num_features ||
        sample->num_entries != schema->num_variants)
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "the sample of input %s on device %s has %zu features and %zu variants, "
                          "but %s has %zu and %zu: run nitro store verify",
                          sample->input, reader->device->id, sample->num_features,
                          sample->num_entries, schema->computation, schema->num_features,
                          schema->num_variants);
    for (size_t f = 0; f < schema->num_features; f++) {
        if (isfinite(sample->features[f]))
            continue;
        if (reader->num_holes++ == 0)
            reader->first_hole = nitro_asprintf(reader->context, "feature %s of input %s",
                                                schema->features[f].name, sample->input);
        return NITRO_OK;
    }
    return append_record(reader, sample);
}

static nitro_status read_device(nitro_store *store, reader *reader)
{
    reader->num_holes = 0;
    nitro_status status = nitro_store_each_sample(store, reader->schema->computation,
                                                  reader->device->id, read_sample, reader);
    if (status == NITRO_OK && reader->num_holes > 0)
        nitro_log(reader->context, NITRO_LOG_WARNING,
                  "device %s: %zu samples of %s have a hole in their features and are left out "
                  "(the first: %s)",
                  reader->device->id, reader->num_holes, reader->schema->computation,
                  reader->first_hole ? reader->first_hole : "?");
    free(reader->first_hole);
    reader->first_hole = NULL;
    return status;
}

static int compare_records(const void *left, const void *right)
{
    const record *a = left, *b = right;
    int order = strcmp(a->input, b->input);
    return order ? order : (a->device > b->device) - (a->device < b->device);
}

/** Order what was read, and move it into the dataset's matrices. */
static nitro_status fill(reader *reader, nitro_dataset *dataset)
{
    qsort(reader->records, reader->num_records, sizeof *reader->records, compare_records);
    dataset->inputs = nitro_calloc(reader->context, reader->num_records, sizeof *dataset->inputs);
    if (!dataset->inputs)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = allocate_rows(reader->context, reader->num_records, dataset);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < reader->num_records; i++) {
        record *record = &reader->records[i];
        size_t last = dataset->num_inputs - 1;
        if (dataset->num_inputs == 0 || strcmp(dataset->inputs[last], record->input) != 0) {
            dataset->inputs[dataset->num_inputs++] = record->input;
            record->input = NULL;
        }
        append_row(dataset, record->device, dataset->num_inputs - 1, record->values,
                   record->values + dataset->schema->num_features);
    }
    return NITRO_OK;
}

static nitro_status read_all(nitro_store *store, const char *const *devices, reader *reader,
                             nitro_dataset *dataset)
{
    nitro_status status = NITRO_OK;
    reader->schema = dataset->schema;
    for (size_t i = 0; i < dataset->num_devices && status == NITRO_OK; i++) {
        status = nitro_store_get_device(store, devices[i], &dataset->devices[i]);
        reader->device = dataset->devices[i];
        reader->device_index = i;
        if (status == NITRO_OK)
            status = read_device(store, reader);
    }
    return status == NITRO_OK ? fill(reader, dataset) : status;
}

nitro_status nitro_dataset_load(nitro_store *store, const char *computation,
                                const char *const *devices, size_t num_devices,
                                nitro_dataset **dataset)
{
    nitro_context *context = nitro_store_context(store);
    reader reader = {.context = context};
    nitro_dataset *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    made->devices = nitro_calloc(context, num_devices, sizeof *made->devices);
    if (made->devices) {
        made->num_devices = num_devices;
        status = nitro_store_get_schema(store, computation, &made->schema);
    }
    if (status == NITRO_OK)
        status = read_all(store, devices, &reader, made);
    for (size_t i = 0; i < reader.num_records; i++) {
        free(reader.records[i].input);
        free(reader.records[i].values);
    }
    free(reader.records);
    if (status == NITRO_OK)
        *dataset = made;
    else
        nitro_dataset_free(made);
    return status;
}
