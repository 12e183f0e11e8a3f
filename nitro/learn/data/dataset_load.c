/*
 * A dataset from a store's samples. Rows are ordered by input name, then by device, so that the
 * order in which they were stored does not matter. Samples with missing features are skipped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"

/* A larger spread does not make clearly slower variants as good as the best. */
#define MOST_TIED 0.05

/** One sample, until all are read and can be ordered. */
typedef struct store_record {
    char *input;
    size_t device;
    uint64_t allowed;
    double *values; /* features, times, costs of preparing, cost of all features and of each */
} store_record;

typedef struct store_reader {
    nitro_context *context;
    const nitro_schema *schema;
    const nitro_device *device;
    size_t device_index;
    store_record *records;
    size_t num_records, capacity;
    size_t num_incomplete;                  /* samples of this device with missing features */
    char *first_missing;                    /* "feature F of input I" */
    char *versions[NITRO_MAX_VARIANTS];     /* of each variant's times, as first seen */
    bool mixed[NITRO_MAX_VARIANTS];         /* reported */
    size_t num_caches[2];                   /* measured samples with warm, and with cold caches */
    size_t num_samples;                     /* of this device... */
    size_t num_missing[NITRO_MAX_VARIANTS]; /* ...with this variant not measured */
    uint64_t timed;                         /* a bit a variant: it has a time somewhere */
    uint64_t tried;                         /* as in nitro_dataset */
    uint64_t *unmeasured; /* shape [num_devices], a bit a variant: not measured on any input */
} store_reader;

/* Times of two versions are those of two variants. */
static nitro_status note_versions(store_reader *reader, const nitro_sample *sample)
{
    for (size_t v = 0; v < sample->num_entries; v++) {
        const char *version = sample->entries[v].version;
        if (!version || reader->mixed[v])
            continue;
        if (!reader->versions[v]) {
            reader->versions[v] = nitro_strdup(reader->context, version);
            if (!reader->versions[v])
                return NITRO_ERR_NO_MEMORY;
        } else if (nitro_version_is_declared_other(reader->versions[v], version)) {
            reader->mixed[v] = true;
            nitro_log(reader->context, NITRO_LOG_WARNING,
                      "%s: variant %s was measured in several versions (%s, and %s on %s); 'nitro "
                      "store list --outdated' lists the samples, and tuning measures them again",
                      reader->schema->computation, reader->schema->variants[v], reader->versions[v],
                      version, reader->device->id);
        }
    }
    return NITRO_OK;
}

/* The best variant with warm caches may not be the best with cold ones. */
static void note_cache(store_reader *reader, const nitro_sample *sample)
{
    const char *origin = sample->provenance.origin, *cache = sample->provenance.cache;
    if (!origin || strcmp(origin, "measured") != 0)
        return;
    bool is_cold = cache && strcmp(cache, "cold") == 0;
    if (reader->num_caches[is_cold]++ == 0 && reader->num_caches[!is_cold] > 0)
        nitro_log(reader->context, NITRO_LOG_WARNING,
                  "%s: some times were measured with cold caches and others with warm ones (%s on "
                  "%s); a model of both is good for neither",
                  reader->schema->computation, is_cold ? "cold" : "warm", reader->device->id);
}

/* Variants that repeated tunes cannot tell from the best are as good as it. Older samples have a
 * spread within one block only, which says less: they stay as they are. */
static void tie_with_best(const nitro_sample *sample, double *times_ms)
{
    size_t best = nitro_sample_best(sample);
    if (best == NITRO_NONE || sample->entries[best].blocks < 2)
        return;
    for (size_t v = 0; v < sample->num_entries; v++) {
        const nitro_entry *entry = &sample->entries[v];
        double spread = fmin(fmax(entry->spread, sample->entries[best].spread), MOST_TIED);
        if (entry->blocks >= 2 && times_ms[v] <= (1 + spread) * times_ms[best])
            times_ms[v] = times_ms[best];
    }
}

/* A variant whose run failed after a known time: nitro_run then runs another one. As if that were
 * drawn from those that finished. */
static void add_failed_times(const nitro_sample *sample, double *times_ms)
{
    double sum_ms = 0.0, num_finished = 0.0;
    for (size_t v = 0; v < sample->num_entries; v++)
        if (!isnan(times_ms[v])) {
            sum_ms += times_ms[v];
            num_finished += 1.0;
        }
    for (size_t v = 0; v < sample->num_entries && num_finished > 0.0; v++)
        if (nitro_outcome_is_bound(sample->entries[v].outcome))
            times_ms[v] = sample->entries[v].median_ms + sum_ms / num_finished;
}

static nitro_status append_record(store_reader *reader, const nitro_sample *sample)
{
    const nitro_schema *schema = reader->schema;
    store_record *grown = nitro_grow(reader->context, reader->records, reader->num_records,
                                     &reader->capacity, sizeof *grown, "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    reader->records = grown;
    size_t num_values = 2 * schema->num_features + 2 * schema->num_variants + 1;
    store_record made = {.input = nitro_strdup(reader->context, sample->input),
                         .device = reader->device_index,
                         .allowed = UINT64_MAX,
                         .values = nitro_calloc(reader->context, num_values, sizeof(double))};
    if (!made.input || !made.values) {
        free(made.input);
        free(made.values);
        return NITRO_ERR_NO_MEMORY;
    }
    memcpy(made.values, sample->features, schema->num_features * sizeof(double));
    double *costs_ms = made.values + num_values - schema->num_features;
    costs_ms[-1] = nitro_sample_features_ms(sample);
    for (size_t f = 0; f < schema->num_features; f++)
        costs_ms[f] = f < sample->num_feature_costs ? sample->feature_costs_ms[f] : NAN;
    reader->num_samples++;
    for (size_t v = 0; v < schema->num_variants; v++) {
        const nitro_entry *entry = &sample->entries[v];
        reader->timed |= (uint64_t)(entry->outcome == NITRO_OUTCOME_MEASURED) << v;
        reader->num_missing[v] += entry->outcome == NITRO_OUTCOME_MISSING;
        reader->tried |= (uint64_t)(entry->outcome != NITRO_OUTCOME_MISSING &&
                                    entry->outcome != NITRO_OUTCOME_NOT_ALLOWED)
                         << v;
        made.allowed &= ~((uint64_t)(entry->outcome == NITRO_OUTCOME_NOT_ALLOWED) << v);
        made.values[schema->num_features + v] =
            entry->outcome == NITRO_OUTCOME_MEASURED ? entry->median_ms : NAN;
        made.values[schema->num_features + schema->num_variants + v] = entry->prepare_ms;
    }
    tie_with_best(sample, made.values + schema->num_features);
    add_failed_times(sample, made.values + schema->num_features);
    reader->records[reader->num_records++] = made;
    return NITRO_OK;
}

static nitro_status read_sample(void *user, const nitro_sample *sample)
{
    store_reader *reader = user;
    const nitro_schema *schema = reader->schema;
    if (sample->num_features != schema->num_features || sample->num_entries != schema->num_variants)
        return nitro_fail(reader->context, NITRO_ERR_FORMAT,
                          "the sample of input %s on device %s has %zu features and %zu variants, "
                          "but %s has %zu and %zu: run nitro store verify",
                          sample->input, reader->device->id, sample->num_features,
                          sample->num_entries, schema->computation, schema->num_features,
                          schema->num_variants);
    note_cache(reader, sample);
    nitro_status status = note_versions(reader, sample);
    if (status != NITRO_OK)
        return status;
    for (size_t f = 0; f < schema->num_features; f++) {
        if (isfinite(sample->features[f]))
            continue;
        if (reader->num_incomplete++ == 0)
            reader->first_missing = nitro_asprintf(reader->context, "feature %s of input %s",
                                                   schema->features[f].name, sample->input);
        return NITRO_OK;
    }
    return append_record(reader, sample);
}

/* List for each variant the devices where it was never measured: as opposed to one that cannot run
 * there, it may be the best there. */
static void log_unmeasured(const store_reader *reader, const nitro_dataset *dataset)
{
    for (size_t v = 0; v < reader->schema->num_variants; v++) {
        char names[512] = "";
        for (size_t d = 0; d < dataset->num_devices; d++)
            if (reader->unmeasured[d] >> v & 1)
                nitro_message_list_add(names, sizeof names, "%s", dataset->devices[d]->id);
        if (names[0] && (reader->timed >> v & 1))
            nitro_log(reader->context, NITRO_LOG_WARNING,
                      "%s: variant %s was never measured on %s: models learn of it from the other "
                      "devices only",
                      reader->schema->computation, reader->schema->variants[v], names);
    }
}

static void note_unmeasured(store_reader *reader)
{
    for (size_t v = 0; v < reader->schema->num_variants; v++)
        if (reader->num_samples > 0 && reader->num_missing[v] == reader->num_samples)
            reader->unmeasured[reader->device_index] |= UINT64_C(1) << v;
}

static nitro_status read_device(nitro_store *store, store_reader *reader)
{
    reader->num_incomplete = reader->num_samples = 0;
    memset(reader->num_missing, 0, sizeof reader->num_missing);
    nitro_status status = nitro_store_each_sample(store, reader->schema->computation,
                                                  reader->device->id, read_sample, reader);
    if (status == NITRO_OK && reader->num_incomplete > 0)
        nitro_log(reader->context, NITRO_LOG_WARNING,
                  "device %s: %zu samples of %s have missing features and are skipped "
                  "(the first: %s)",
                  reader->device->id, reader->num_incomplete, reader->schema->computation,
                  reader->first_missing ? reader->first_missing : "?");
    free(reader->first_missing);
    reader->first_missing = NULL;
    note_unmeasured(reader);
    return status;
}

static int compare_records(const void *left, const void *right)
{
    const store_record *a = left, *b = right;
    int order = strcmp(a->input, b->input);
    return order ? order : (a->device > b->device) - (a->device < b->device);
}

/** Order the records, and move them into the dataset's matrices. */
static nitro_status fill(store_reader *reader, nitro_dataset *dataset)
{
    if (reader->num_records > 1)
        qsort(reader->records, reader->num_records, sizeof *reader->records, compare_records);
    dataset->inputs = nitro_calloc(reader->context, reader->num_records, sizeof *dataset->inputs);
    if (!dataset->inputs)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_dataset_allocate(reader->context, reader->num_records, dataset);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < reader->num_records; i++) {
        store_record *record = &reader->records[i];
        size_t last = dataset->num_inputs - 1;
        if (dataset->num_inputs == 0 || strcmp(dataset->inputs[last], record->input) != 0) {
            dataset->inputs[dataset->num_inputs++] = record->input;
            record->input = NULL;
        }
        const double *times = record->values + dataset->schema->num_features;
        size_t num_variants = dataset->schema->num_variants;
        nitro_dataset_append(dataset, record->device, dataset->num_inputs - 1, record->values,
                             times);
        memcpy(nitro_dataset_prepare(dataset, i), times + num_variants,
               num_variants * sizeof(double));
        dataset->features_ms[i] = times[2 * num_variants];
        dataset->row_allowed[i] = record->allowed;
        memcpy(nitro_dataset_feature_costs(dataset, i), times + 2 * num_variants + 1,
               dataset->schema->num_features * sizeof(double));
    }
    return NITRO_OK;
}

static nitro_status read_all(nitro_store *store, const char *const *devices, store_reader *reader,
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
    dataset->tried = reader->tried;
    if (status == NITRO_OK)
        log_unmeasured(reader, dataset);
    return status == NITRO_OK ? fill(reader, dataset) : status;
}

nitro_status nitro_dataset_load(nitro_store *store, const char *computation,
                                const char *const *devices, size_t num_devices,
                                nitro_dataset **dataset)
{
    nitro_context *context = nitro_store_context(store);
    store_reader reader = {.context = context};
    nitro_dataset *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    made->devices = nitro_calloc(context, num_devices, sizeof *made->devices);
    reader.unmeasured = nitro_calloc(context, num_devices, sizeof *reader.unmeasured);
    if (made->devices && reader.unmeasured) {
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
    free(reader.unmeasured);
    for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++)
        free(reader.versions[v]);
    if (status == NITRO_OK)
        *dataset = made;
    else
        nitro_dataset_free(made);
    return status;
}
