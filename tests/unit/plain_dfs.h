/*
 * plain_dfs.h - quality of subsets of device features by a plain loop: one LIBSVM training after
 * the other on concatenated features, with LIBSVM's own RBF kernel. The reference of
 * nitro_dfs_judge in tests and benchmarks. Only the scaler is Nitro's.
 */
#ifndef NITRO_TESTS_UNIT_PLAIN_DFS_H
#define NITRO_TESTS_UNIT_PLAIN_DFS_H

#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/records/scaler.h"

/** One validation device and subset: rows of all sources, those of the validation device last. */
typedef struct plain_problem {
    const nitro_dfs_task *task;
    int shrinking;
    size_t num_training_rows, num_rows, num_columns, num_varying;
    size_t *rows;           /* shape [num_rows]: of the dataset */
    struct svm_node *nodes; /* shape [num_rows x (num_columns + 1)] */
} plain_problem;

static inline void plain_quiet(const char *text)
{
    (void)text;
}

static inline size_t plain_label(const plain_problem *p, size_t row)
{
    return nitro_times_best(nitro_dataset_times(p->task->sources, p->rows[row]),
                            p->task->sources->schema->num_variants);
}

static inline double plain_quality(const plain_problem *p, size_t row, size_t chosen)
{
    return nitro_times_quality(nitro_dataset_times(p->task->sources, p->rows[row]),
                               p->task->sources->schema->num_variants, chosen);
}

/** Labels come in declared order, which decides ties. */
static inline struct svm_model *plain_train(plain_problem *p, double c, double gamma)
{
    struct svm_node **x = calloc(p->num_training_rows, sizeof(*x));
    double *y = calloc(p->num_training_rows, sizeof(*y));
    int count = 0;
    for (size_t label = 0; label < p->task->sources->schema->num_variants; label++)
        for (size_t i = 0; i < p->num_training_rows; i++)
            if (plain_label(p, i) == label) {
                x[count] = p->nodes + i * (p->num_columns + 1);
                y[count++] = (double)label;
            }
    struct svm_problem problem = {count, y, x};
    struct svm_parameter parameter = {.svm_type = C_SVC,
                                      .kernel_type = RBF,
                                      .gamma = gamma,
                                      .C = c,
                                      .eps = 1e-3,
                                      .cache_size = 128,
                                      .shrinking = p->shrinking};
    struct svm_model *model = svm_train(&problem, &parameter);
    /* Support vectors are pointers to nodes; LIBSVM does not keep x and y. */
    free(x);
    free(y);
    return model;
}

static inline size_t plain_predict(const plain_problem *p, const struct svm_model *model,
                                   size_t row)
{
    return (size_t)svm_predict(model, p->nodes + row * (p->num_columns + 1));
}

static inline void plain_fill_nodes(nitro_context *context, plain_problem *p, uint64_t subset)
{
    const nitro_dataset *sources = p->task->sources;
    size_t num_inputs = sources->schema->num_features;
    nitro_scale scales[NITRO_MAX_FEATURES + 64];
    nitro_scaler_column columns[NITRO_MAX_FEATURES + 64];
    size_t features[64];
    p->num_columns = num_inputs;
    for (size_t f = 0; f < num_inputs; f++)
        scales[f] = sources->schema->features[f].scale;
    for (size_t c = 0; c < p->task->candidates->count; c++)
        if (subset >> c & 1) {
            const nitro_device_feature_info *info =
                nitro_device_feature_lookup(p->task->candidates->items[c]);
            features[p->num_columns - num_inputs] = c;
            scales[p->num_columns++] = info ? info->scale : NITRO_SCALE_AUTO;
        }
    double *values = calloc(p->num_rows * p->num_columns, sizeof(*values));
    for (size_t i = 0; i < p->num_rows; i++) {
        double *row = values + i * p->num_columns;
        memcpy(row, nitro_dataset_features(sources, p->rows[i]), num_inputs * sizeof(*row));
        for (size_t f = num_inputs; f < p->num_columns; f++)
            row[f] = nitro_device_value(sources->devices[sources->row_device[p->rows[i]]],
                                        p->task->candidates->items[features[f - num_inputs]]);
    }
    nitro_scaler_fit(context, values, p->num_training_rows, p->num_columns, scales, columns);
    p->num_varying = 0;
    for (size_t f = 0; f < p->num_columns; f++)
        p->num_varying += columns[f].high > columns[f].low;
    p->num_varying += p->num_varying == 0;
    p->nodes = calloc(p->num_rows * (p->num_columns + 1), sizeof(*p->nodes));
    for (size_t i = 0; i < p->num_rows; i++) {
        struct svm_node *node = p->nodes + i * (p->num_columns + 1);
        for (size_t f = 0; f < p->num_columns; f++)
            *node++ = (struct svm_node){
                (int)f + 1, nitro_scaler_apply(&columns[f], values[i * p->num_columns + f])};
        node->index = -1;
    }
    free(values);
}

static inline void plain_list_rows(plain_problem *p, size_t validation)
{
    const nitro_dataset *sources = p->task->sources;
    p->rows = calloc(sources->num_rows, sizeof(*p->rows));
    for (int is_query = 0; is_query < 2; is_query++) {
        for (size_t row = 0; row < sources->num_rows; row++)
            if (nitro_dataset_row_is_usable(sources, row) &&
                (sources->row_device[row] == validation) == is_query)
                p->rows[p->num_rows++] = row;
        if (!is_query)
            p->num_training_rows = p->num_rows;
    }
}

static inline plain_problem plain_begin(nitro_context *context, const nitro_dfs_task *task,
                                        size_t validation, uint64_t subset, int shrinking)
{
    plain_problem p = {.task = task, .shrinking = shrinking};
    svm_set_print_string_function(plain_quiet);
    plain_list_rows(&p, validation);
    plain_fill_nodes(context, &p, subset);
    return p;
}

static inline void plain_end(plain_problem *p)
{
    free(p->rows);
    free(p->nodes);
}

/** Quality in percent on the validation device with this C and gamma (powers of two). */
static inline double plain_score(plain_problem *p, double c, double gamma)
{
    struct svm_model *model = plain_train(p, exp2(c), exp2(gamma) / (double)p->num_varying);
    double sum = 0;
    for (size_t i = p->num_training_rows; i < p->num_rows; i++)
        sum += plain_quality(p, i, plain_predict(p, model, i));
    svm_free_and_destroy_model(&model);
    return 100.0 * sum / (double)(p->num_rows - p->num_training_rows);
}

/** Quality in percent of one subset on one validation device: the mean over C and gamma. */
static inline double plain_judge(nitro_context *context, const nitro_dfs_task *task,
                                 size_t validation, uint64_t subset, int shrinking)
{
    plain_problem p = plain_begin(context, task, validation, subset, shrinking);
    double sum = 0;
    for (double gamma = -4; gamma <= 4; gamma += 2)
        for (double c = -1; c <= 5; c += 1.5)
            sum += plain_score(&p, c, gamma);
    plain_end(&p);
    return sum / 25;
}

#endif
