/* Samples as matrices. */
#include "nitro/learn/data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        count += isnan(times_ms[v]) ? 0 : 1;
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

size_t nitro_scores_best_timed(const double *scores, const double *times_ms, size_t num_variants)
{
    size_t best = NITRO_NONE;
    for (size_t v = 0; v < num_variants; v++)
        if (!isnan(times_ms[v]) && (best == NITRO_NONE || scores[v] > scores[best]))
            best = v;
    return best;
}

double nitro_scores_quality(const double *times_ms, const double *scores, size_t num_rows,
                            size_t num_variants)
{
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < num_rows * num_variants; i += num_variants) {
        if (isnan(scores[i]))
            continue;
        sum += nitro_times_quality(times_ms + i, num_variants,
                                   nitro_scores_best(scores + i, num_variants));
        count += 1.0;
    }
    return sum / count;
}

const double *nitro_dataset_times(const nitro_dataset *dataset, size_t row)
{
    return dataset->times_ms + row * dataset->schema->num_variants;
}

const double *nitro_dataset_features(const nitro_dataset *dataset, size_t row)
{
    return dataset->features + row * dataset->schema->num_features;
}

double *nitro_dataset_prepare(const nitro_dataset *dataset, size_t row)
{
    return dataset->prepare_ms + row * dataset->schema->num_variants;
}

double *nitro_dataset_feature_costs(const nitro_dataset *dataset, size_t row)
{
    return dataset->feature_costs_ms + row * dataset->schema->num_features;
}

uint64_t nitro_dataset_known_variants(const nitro_dataset *dataset, size_t device)
{
    uint64_t known = 0;
    for (size_t row = 0; row < dataset->num_rows; row++)
        for (size_t v = 0; dataset->row_device[row] == device && v < dataset->schema->num_variants;
             v++)
            known |= (uint64_t)!isnan(nitro_dataset_times(dataset, row)[v]) << v;
    return known;
}

uint64_t nitro_dataset_row_variants(const nitro_dataset *dataset, size_t row, uint64_t known)
{
    uint64_t both = known & dataset->row_allowed[row];
    return both ? both : known;
}

void nitro_scores_restrict(double *scores, size_t num_variants, uint64_t known)
{
    for (size_t v = 0; v < num_variants && !isnan(scores[0]); v++)
        if (!(known >> v & 1))
            scores[v] = -INFINITY;
}

bool nitro_dataset_row_is_usable(const nitro_dataset *dataset, size_t row)
{
    return nitro_times_count(nitro_dataset_times(dataset, row), dataset->schema->num_variants) >= 2;
}

size_t nitro_dataset_usable_rows(const nitro_dataset *dataset, size_t device)
{
    size_t count = 0;
    for (size_t row = 0; row < dataset->num_rows; row++)
        count += dataset->row_device[row] == device && nitro_dataset_row_is_usable(dataset, row);
    return count;
}

size_t nitro_dataset_best_fixed(const nitro_dataset *dataset, uint64_t known)
{
    size_t num_variants = dataset->schema->num_variants;
    double sums[NITRO_MAX_VARIANTS] = {0};
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (nitro_dataset_row_is_usable(dataset, row))
            for (size_t v = 0; v < num_variants; v++)
                sums[v] += nitro_times_quality(nitro_dataset_times(dataset, row), num_variants, v);
    nitro_scores_restrict(sums, num_variants, known);
    return nitro_scores_best(sums, num_variants);
}

static bool prepares_any(const nitro_dataset *dataset, size_t row)
{
    return nitro_times_count(nitro_dataset_prepare(dataset, row), dataset->schema->num_variants) >
           0;
}

/* Of the rows of one device, or of all (NITRO_NONE). */
static uint64_t digest_rows(const nitro_dataset *dataset, size_t of_device)
{
    uint64_t digest = 0;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        if (of_device != NITRO_NONE && dataset->row_device[row] != of_device)
            continue;
        const char *device = dataset->devices[dataset->row_device[row]]->id;
        const char *input = dataset->inputs[dataset->row_input[row]];
        digest = nitro_hash(device, strlen(device) + 1, digest);
        digest = nitro_hash(input, strlen(input) + 1, digest);
        digest = nitro_hash(nitro_dataset_features(dataset, row),
                            dataset->schema->num_features * sizeof(double), digest);
        digest = nitro_hash(nitro_dataset_times(dataset, row),
                            dataset->schema->num_variants * sizeof(double), digest);
        /* Records without such costs keep their digest. */
        if (prepares_any(dataset, row))
            digest = nitro_hash(nitro_dataset_prepare(dataset, row),
                                dataset->schema->num_variants * sizeof(double), digest);
        if (dataset->features_ms[row] > 0.0)
            digest = nitro_hash(nitro_dataset_feature_costs(dataset, row),
                                dataset->schema->num_features * sizeof(double),
                                nitro_hash(&dataset->features_ms[row], sizeof(double), digest));
    }
    return digest;
}

uint64_t nitro_dataset_digest(const nitro_dataset *dataset)
{
    return digest_rows(dataset, NITRO_NONE);
}

uint64_t nitro_dataset_device_digest(const nitro_dataset *dataset, size_t device)
{
    return digest_rows(dataset, device);
}

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
    free(dataset->prepare_ms);
    free(dataset->features_ms);
    free(dataset->feature_costs_ms);
    free(dataset->row_allowed);
    free(dataset);
}

nitro_status nitro_dataset_allocate(nitro_context *context, size_t num_rows, nitro_dataset *dataset)
{
    const nitro_schema *schema = dataset->schema;
    dataset->row_device = nitro_calloc(context, num_rows, sizeof *dataset->row_device);
    dataset->row_input = nitro_calloc(context, num_rows, sizeof *dataset->row_input);
    dataset->features = nitro_calloc(context, num_rows, schema->num_features * sizeof(double));
    dataset->times_ms = nitro_calloc(context, num_rows, schema->num_variants * sizeof(double));
    dataset->prepare_ms = nitro_calloc(context, num_rows, schema->num_variants * sizeof(double));
    dataset->features_ms = nitro_calloc(context, num_rows, sizeof *dataset->features_ms);
    dataset->feature_costs_ms =
        nitro_calloc(context, num_rows, schema->num_features * sizeof(double));
    dataset->row_allowed = nitro_calloc(context, num_rows, sizeof *dataset->row_allowed);
    if (!dataset->row_device || !dataset->row_allowed || !dataset->row_input ||
        !dataset->feature_costs_ms || !dataset->features || !dataset->times_ms ||
        !dataset->prepare_ms || !dataset->features_ms)
        return NITRO_ERR_NO_MEMORY;
    return NITRO_OK;
}

void nitro_dataset_append(nitro_dataset *dataset, size_t device, size_t input,
                          const double *features, const double *times_ms)
{
    const nitro_schema *schema = dataset->schema;
    size_t row = dataset->num_rows++;
    dataset->row_device[row] = device;
    dataset->row_input[row] = input;
    memcpy(dataset->features + row * schema->num_features, features,
           schema->num_features * sizeof(double));
    memcpy(dataset->times_ms + row * schema->num_variants, times_ms,
           schema->num_variants * sizeof(double));
    for (size_t v = 0; v < schema->num_variants; v++)
        nitro_dataset_prepare(dataset, row)[v] = NAN;
    dataset->features_ms[row] = NAN;
    dataset->row_allowed[row] = UINT64_MAX;
    for (size_t f = 0; f < schema->num_features; f++)
        nitro_dataset_feature_costs(dataset, row)[f] = NAN;
}

/** How many of the first `end` devices are kept: the new index of device `end`. */
static size_t count_kept(const bool *devices, size_t end)
{
    size_t count = 0;
    for (size_t d = 0; d < end; d++)
        count += !devices || devices[d];
    return count;
}

static nitro_status copy_lists(nitro_context *context, const nitro_dataset *from,
                               const bool *devices, nitro_dataset *to)
{
    size_t num_kept = count_kept(devices, from->num_devices);
    to->devices = nitro_calloc(context, num_kept, sizeof *to->devices);
    to->inputs = nitro_calloc(context, from->num_inputs, sizeof *to->inputs);
    if (!to->devices || !to->inputs)
        return NITRO_ERR_NO_MEMORY;
    to->num_devices = num_kept;
    to->num_inputs = from->num_inputs;
    nitro_status status = nitro_schema_copy(context, from->schema, &to->schema);
    for (size_t d = 0; d < from->num_devices && status == NITRO_OK; d++)
        if (!devices || devices[d])
            status =
                nitro_device_copy(context, from->devices[d], &to->devices[count_kept(devices, d)]);
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
    nitro_status status = copy_lists(context, dataset, devices, made);
    if (status == NITRO_OK)
        status = nitro_dataset_allocate(context, dataset->num_rows, made);
    if (status != NITRO_OK) {
        nitro_dataset_free(made);
        return status;
    }
    for (size_t row = 0; row < dataset->num_rows; row++) {
        size_t device = dataset->row_device[row], input = dataset->row_input[row];
        if ((devices && !devices[device]) || (inputs && !inputs[input]))
            continue;
        nitro_dataset_append(made, count_kept(devices, device), input,
                             nitro_dataset_features(dataset, row),
                             nitro_dataset_times(dataset, row));
        memcpy(nitro_dataset_prepare(made, made->num_rows - 1), nitro_dataset_prepare(dataset, row),
               dataset->schema->num_variants * sizeof(double));
        made->features_ms[made->num_rows - 1] = dataset->features_ms[row];
        made->row_allowed[made->num_rows - 1] = dataset->row_allowed[row];
        memcpy(nitro_dataset_feature_costs(made, made->num_rows - 1),
               nitro_dataset_feature_costs(dataset, row),
               dataset->schema->num_features * sizeof(double));
    }
    *selected = made;
    return NITRO_OK;
}
