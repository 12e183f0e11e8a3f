/* A synthetic computation whose times follow from bandwidth, row lengths and device features. */
#include "bench/dispatch_model.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/select.h"
#include "nitro/learn/svm/svm.h"
#include "nitro/models/model_file.h"
#include "nitro/runtime/model/model.h"

static const char *const feature_names[DISPATCH_FEATURES] = {
    "rows",    "cols",     "nnz",          "row_min", "row_q1",        "row_median", "row_q3",
    "row_max", "row_mean", "row_variance", "skew",    "row_deviation", "away",       "fill"};
static const char *const variant_names[DISPATCH_VARIANTS] = {"coo", "csr", "ell", "hybrid",
                                                             "sellp"};

static const nitro_relative_feature relative[] = {
    {"rows_per_thread", "rows", NITRO_SCALE_LOG, "rows / (2048 * device.sm_count)", "rows"},
    {"nnz_per_thread", "1", NITRO_SCALE_LOG, "nnz / (2048 * device.sm_count)", "nnz"},
    {"vector_per_l2", "1", NITRO_SCALE_LOG, "8 * cols / (1024 * device.l2_cache_size)", "cols"},
    {"work_per_l2", "1", NITRO_SCALE_LOG,
     "(12 * nnz + 12 * rows + 8 * cols) / (1024 * device.l2_cache_size)", NULL},
    {"streaming", "1", NITRO_SCALE_LOG,
     "1 + (12 * nnz + 12 * rows + 8 * cols) / (1000 * device.peak_gbps) / 5", NULL}};

static const struct {
    const char *id;
    double sm_count, l2_kb, peak_gbps;
} devices[] = {{"a", 13, 1536, 208},
               {"b", 15, 1536, 288},
               {"c", 56, 4096, 720},
               {"d", 108, 40960, 1555},
               {"e", 80, 6144, 900}};
enum { NUM_SOURCES = 4, TARGET = 4 };

void dispatch_features(size_t index, double *f)
{
    nitro_random random;
    nitro_random_seed(&random, 77 + index);
    double rows = round(exp(4.0 + 10.0 * nitro_random_uniform(&random)));
    double mean = exp(0.5 + 4.0 * nitro_random_uniform(&random));
    double spread = nitro_random_uniform(&random), tail = exp(3.0 * nitro_random_uniform(&random));
    const double values[DISPATCH_FEATURES] = {rows,
                                              rows,
                                              round(rows * mean),
                                              floor(mean * (1 - spread)),
                                              floor(mean * (1 - 0.5 * spread)),
                                              floor(mean),
                                              ceil(mean * (1 + 0.5 * spread)),
                                              ceil(mean * (1 + spread) * tail),
                                              mean,
                                              mean * mean * spread * spread * tail,
                                              tail - 1.0,
                                              spread,
                                              mean * spread * tail,
                                              tail * (1 + spread)};
    memcpy(f, values, sizeof values);
}

/** Times are noisy, as they are: the same noise every time. */
static void find_times(const double *f, size_t device, double *times_ms)
{
    nitro_random random;
    nitro_random_seed(&random, (uint64_t)f[2] * 8 + device);
    double bytes = 12 * f[2] + 12 * f[0], ms = bytes / devices[device].peak_gbps * 1e-6 + 5e-3;
    double threads = 2048 * devices[device].sm_count;
    double few = fmax(1.0, threads / f[0]) * f[8] / 40.0, uneven = f[7] / (f[8] + 1.0);
    times_ms[0] = 1.4 * ms + 4e-3;
    times_ms[1] = ms * (1.0 + 0.05 * uneven + 0.2 * few);
    times_ms[2] = ms * 0.85 * (0.5 + 0.5 * f[13]);
    times_ms[3] = 1.1 * ms * (1.0 + 0.1 * f[11]) + 2e-3;
    times_ms[4] = ms * 0.95 * (0.8 + 0.2 * sqrt(f[13])) + 1e-3;
    for (size_t v = 0; v < DISPATCH_VARIANTS; v++)
        times_ms[v] *= exp(0.1 * nitro_random_normal(&random));
}

/* ---- An SVM without a search for C and gamma, which takes minutes -----------------------------
 */

typedef struct fixed_svm {
    size_t num_columns, num_variants;
    nitro_score_term term;
} fixed_svm;

static void free_svm(void *user)
{
    fixed_svm *svm = user;
    if (svm) {
        nitro_svm_classifier_free(svm->term.svm);
        free(svm->term.vectors);
    }
    free(svm);
}

static nitro_status train_svm(nitro_context *context, const nitro_training_set *set,
                              void **predictor, double *held_out)
{
    fixed_svm *svm = nitro_calloc(context, 1, sizeof *svm);
    size_t *rows = nitro_calloc(context, set->num_rows, sizeof *rows);
    size_t *labels = nitro_calloc(context, set->num_rows, sizeof *labels);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (svm && rows && labels) {
        *svm = (fixed_svm){
            set->num_columns,
            set->num_variants,
            {.kind = NITRO_TERM_VOTES, .weight = 1.0, .gamma = 4.0 / (double)set->num_columns}};
        for (size_t i = 0; i < set->num_rows; i++) {
            rows[i] = i;
            labels[i] = nitro_times_best(set->times_ms + i * set->num_variants, set->num_variants);
        }
        status =
            nitro_svm_classifier_train(context, set->columns, set->num_columns, rows, set->num_rows,
                                       labels, 10.0, svm->term.gamma, &svm->term.svm);
    }
    if (status == NITRO_OK) {
        size_t num_vectors = svm->term.svm->num_vectors, width = set->num_columns;
        svm->term.vectors = nitro_calloc(context, num_vectors, width * sizeof(double));
        for (size_t i = 0; svm->term.vectors && i < num_vectors; i++)
            memcpy(svm->term.vectors + i * width,
                   set->columns + svm->term.svm->vector_rows[i] * width, width * sizeof(double));
    }
    for (size_t i = 0; held_out && i < set->num_rows * set->num_variants; i++)
        held_out[i] = NAN;
    free(rows);
    free(labels);
    *predictor = svm;
    return status;
}

static void score_svm(const void *user, const double *columns, double *scores)
{
    const fixed_svm *svm = user;
    nitro_score_term_score(&svm->term, svm->num_columns, svm->num_variants, columns, scores);
}

static nitro_status svm_parts(nitro_context *context, const void *user, nitro_score_terms *terms)
{
    return nitro_score_terms_add(context, terms, &((const fixed_svm *)user)->term);
}

static const nitro_strategy fixed_svm_strategy = {.name = "svm",
                                                  .description = "C and gamma fixed",
                                                  .without_relative = true,
                                                  .train = train_svm,
                                                  .score = score_svm,
                                                  .terms = svm_parts,
                                                  .free = free_svm};

/* ---- The computation --------------------------------------------------------------------------
 */

static nitro_status make_schema(nitro_context *context, nitro_schema **schema)
{
    nitro_status status = nitro_schema_create(context, "dispatch", schema);
    for (size_t f = 0; status == NITRO_OK && f < DISPATCH_FEATURES; f++)
        status = nitro_schema_add_feature(context, *schema, feature_names[f], "1",
                                          f < 3 ? NITRO_SCALE_LOG : NITRO_SCALE_SIGNED_LOG);
    for (size_t v = 0; status == NITRO_OK && v < DISPATCH_VARIANTS; v++)
        status = nitro_schema_add_variant(context, *schema, variant_names[v]);
    for (size_t r = 0; status == NITRO_OK && r < sizeof relative / sizeof relative[0]; r++)
        status = nitro_schema_add_relative(context, *schema, &relative[r]);
    return status;
}

static nitro_status make_device(nitro_context *context, size_t index, nitro_device **device)
{
    nitro_status status = nitro_device_create(context, devices[index].id, "recorded", device);
    if (status == NITRO_OK)
        status = nitro_device_set(context, *device, "sm_count", devices[index].sm_count,
                                  NITRO_VALUE_RECORDED, 0);
    if (status == NITRO_OK)
        status = nitro_device_set(context, *device, "l2_cache_size", devices[index].l2_kb,
                                  NITRO_VALUE_RECORDED, 0);
    if (status == NITRO_OK)
        status = nitro_device_set(context, *device, "peak_gbps", devices[index].peak_gbps,
                                  NITRO_VALUE_RECORDED, 0);
    return status;
}

static nitro_status make_dataset(nitro_context *context, size_t num_inputs, nitro_dataset *dataset)
{
    dataset->devices = calloc(NUM_SOURCES, sizeof *dataset->devices);
    dataset->inputs = calloc(num_inputs, sizeof *dataset->inputs);
    nitro_status status = dataset->devices && dataset->inputs ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = make_schema(context, &dataset->schema);
    for (size_t d = 0; status == NITRO_OK && d < NUM_SOURCES; d++, dataset->num_devices++)
        status = make_device(context, d, &dataset->devices[d]);
    if (status == NITRO_OK)
        status = nitro_dataset_allocate(context, NUM_SOURCES * num_inputs, dataset);
    for (size_t i = 0; status == NITRO_OK && i < num_inputs; i++, dataset->num_inputs++) {
        double features[DISPATCH_FEATURES], times_ms[DISPATCH_VARIANTS];
        dispatch_features(i, features);
        dataset->inputs[i] = nitro_asprintf(context, "input %zu", i);
        for (size_t d = 0; d < NUM_SOURCES; d++) {
            find_times(features, d, times_ms);
            nitro_dataset_append(dataset, d, i, features, times_ms);
        }
    }
    return status;
}

nitro_status dispatch_train(nitro_context *context, const char *strategy, size_t num_inputs,
                            bool device_features, nitro_model **model)
{
    nitro_dataset *dataset = calloc(1, sizeof *dataset);
    nitro_device *target = NULL;
    nitro_string_list chosen = {0};
    nitro_training_task task = {.device_features = &chosen, .seed = 1};
    nitro_status status =
        dataset ? make_dataset(context, num_inputs, dataset) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = make_device(context, TARGET, &target);
    if (status == NITRO_OK && device_features)
        status = nitro_string_list_split(context, &chosen, "sm_count,l2_cache_size,peak_gbps");
    if (status == NITRO_OK && strcmp(strategy, fixed_svm_strategy.name) == 0)
        task.strategy = &fixed_svm_strategy;
    else if (status == NITRO_OK)
        status = nitro_strategy_find(context, strategy, &task.strategy);
    task.sources = dataset;
    task.target = target;
    if (status == NITRO_OK) {
        task.use_relative = !task.strategy->without_relative;
        status = nitro_model_train(context, &task, model);
    }
    if (status == NITRO_OK)
        nitro_model_set_provenance(*model, json_object());
    nitro_string_list_free(&chosen);
    nitro_device_free(target);
    nitro_dataset_free(dataset);
    return status;
}

static int do_nothing(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 0;
}

static int copy_features(const void *argument, double *values, void *user)
{
    (void)user;
    memcpy(values, argument, DISPATCH_FEATURES * sizeof *values);
    return 0;
}

nitro_status dispatch_declare(nitro_context *context, nitro_computation **computation)
{
    nitro_feature features[DISPATCH_FEATURES] = {{0}};
    nitro_status status = nitro_computation_create(context, "dispatch", computation);
    for (size_t v = 0; status == NITRO_OK && v < DISPATCH_VARIANTS; v++)
        status = nitro_computation_add_variant(
            *computation, &(nitro_variant){.name = variant_names[v], .run = do_nothing});
    for (size_t f = 0; f < DISPATCH_FEATURES; f++) {
        features[f].name = feature_names[f];
        features[f].scale = f < 3 ? NITRO_SCALE_LOG : NITRO_SCALE_SIGNED_LOG;
    }
    if (status == NITRO_OK)
        status = nitro_computation_add_features(*computation, features, DISPATCH_FEATURES,
                                                copy_features, NULL);
    return status;
}
