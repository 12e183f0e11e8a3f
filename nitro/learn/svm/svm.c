/*
 * One-vs-one support vector machines. Hides LIBSVM: it trains, and all that it learnt is copied out
 * at once, classes in declared order.
 */
#include "nitro/learn/svm/svm.h"

#include <libsvm/svm.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_MB       128.0
#define STOP_TOLERANCE 1e-3

struct nitro_svm_points {
    size_t num_rows;
    int kernel_type;
    size_t stride; /* nodes a row */
    struct svm_node *nodes;
};

/* ---- Points ---------------------------------------------------------------------------------- */

static nitro_status create_points(nitro_context *context, size_t num_rows, size_t stride,
                                  int kernel_type, nitro_svm_points **points)
{
    nitro_svm_points *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->num_rows = num_rows;
    made->kernel_type = kernel_type;
    made->stride = stride;
    if (num_rows > SIZE_MAX / stride)
        num_rows = SIZE_MAX; /* for calloc to refuse */
    made->nodes = nitro_calloc(context, num_rows, stride * sizeof *made->nodes);
    if (!made->nodes) {
        free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    *points = made;
    return NITRO_OK;
}

nitro_status nitro_svm_points_from_columns(nitro_context *context, const double *columns,
                                           size_t num_rows, size_t num_columns,
                                           nitro_svm_points **points)
{
    nitro_status status = create_points(context, num_rows, num_columns + 1, RBF, points);
    if (status != NITRO_OK)
        return status;
    for (size_t row = 0; row < num_rows; row++) {
        struct svm_node *node = (*points)->nodes + row * (num_columns + 1);
        for (size_t c = 0; c < num_columns; c++) {
            double value = columns[row * num_columns + c];
            if (value != 0.0)
                *node++ = (struct svm_node){(int)c + 1, value};
        }
        node->index = -1;
    }
    return NITRO_OK;
}

nitro_status nitro_svm_points_from_kernel(nitro_context *context, size_t num_rows,
                                          nitro_svm_points **points)
{
    nitro_status status = create_points(context, num_rows, num_rows + 1, PRECOMPUTED, points);
    if (status != NITRO_OK)
        return status;
    for (size_t row = 0; row < num_rows; row++) {
        struct svm_node *nodes = (*points)->nodes + row * (num_rows + 1);
        nodes[0] = (struct svm_node){0, (double)(row + 1)};
        for (size_t i = 0; i < num_rows; i++)
            nodes[i + 1].index = (int)i + 1;
    }
    return NITRO_OK;
}

void nitro_svm_points_set_kernel(nitro_svm_points *points, const double *kernel)
{
    size_t count = points->num_rows;
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; i < count; i++)
            points->nodes[row * points->stride + i + 1].value = kernel[row * count + i];
}

void nitro_svm_points_free(nitro_svm_points *points)
{
    if (!points)
        return;
    free(points->nodes);
    free(points);
}

/* ---- Machines -------------------------------------------------------------------------------- */

/** Rows grouped by label, labels ascending: LIBSVM numbers classes as it meets them. */
static size_t order_by_label(const size_t *rows, size_t num_rows, const size_t *labels,
                             size_t *ordered)
{
    size_t num_classes = 0, filled = 0;
    for (size_t label = 0; label < NITRO_MAX_VARIANTS; label++) {
        size_t before = filled;
        for (size_t i = 0; i < num_rows; i++)
            if (labels[rows[i]] == label)
                ordered[filled++] = rows[i];
        num_classes += filled > before;
    }
    return num_classes;
}

static nitro_status copy_model(nitro_context *context, const struct svm_model *model,
                               const size_t *ordered, nitro_svm_classifier **classifier)
{
    size_t num_classes = (size_t)model->nr_class, num_vectors = (size_t)model->l;
    nitro_svm_classifier *made = NULL;
    nitro_status status = nitro_svm_classifier_create(context, num_classes, num_vectors, &made);
    if (status != NITRO_OK)
        return status;
    for (size_t k = 0; k < num_classes; k++) {
        made->classes[k] = (size_t)model->label[k];
        made->class_vectors[k] = (size_t)model->nSV[k];
    }
    memcpy(made->rho, model->rho, nitro_svm_num_pairs(num_classes) * sizeof *made->rho);
    for (size_t i = 0; i < num_vectors; i++) {
        made->vector_rows[i] = ordered[model->sv_indices[i] - 1];
        for (size_t k = 0; k + 1 < num_classes; k++)
            made->coefficients[i * (num_classes - 1) + k] = model->sv_coef[k][i];
    }
    *classifier = made;
    return NITRO_OK;
}

static void print_nothing(const char *text)
{
    (void)text;
}

static void silence_libsvm(void)
{
    svm_set_print_string_function(print_nothing);
}

/* LIBSVM keeps its print function in a global: it is set once, and never again beside a training.
 */
void nitro_svm_silence(void)
{
    static pthread_once_t silenced = PTHREAD_ONCE_INIT;
    pthread_once(&silenced, silence_libsvm);
}

static nitro_status train_classes(nitro_context *context, const nitro_svm_points *points,
                                  const size_t *ordered, size_t num_rows, const size_t *labels,
                                  double c, double gamma, nitro_svm_classifier **classifier)
{
    nitro_svm_silence();
    nitro_status status = NITRO_ERR_NO_MEMORY;
    double *y = nitro_calloc(context, num_rows, sizeof *y);
    struct svm_node **x = nitro_calloc(context, num_rows, sizeof *x);
    if (!y || !x)
        goto free_arrays;
    for (size_t i = 0; i < num_rows; i++) {
        y[i] = (double)labels[ordered[i]];
        x[i] = points->nodes + ordered[i] * points->stride;
    }
    struct svm_problem problem = {(int)num_rows, y, x};
    struct svm_parameter parameters = {.svm_type = C_SVC,
                                       .kernel_type = points->kernel_type,
                                       .gamma = gamma,
                                       .cache_size = CACHE_MB,
                                       .eps = STOP_TOLERANCE,
                                       .C = c,
                                       .shrinking = 1};
    struct svm_model *model = svm_train(&problem, &parameters);
    status = copy_model(context, model, ordered, classifier);
    svm_free_and_destroy_model(&model);

free_arrays:
    free(y);
    free(x);
    return status;
}

nitro_status nitro_svm_classifier_train(nitro_context *context, const nitro_svm_points *points,
                                        const size_t *rows, size_t num_rows, const size_t *labels,
                                        double c, double gamma, nitro_svm_classifier **classifier)
{
    if (num_rows > INT_MAX)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%zu training rows are more than LIBSVM can count: learn from fewer",
                          num_rows);
    size_t *ordered = nitro_calloc(context, num_rows, sizeof *ordered);
    if (!ordered)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status;
    if (order_by_label(rows, num_rows, labels, ordered) > 1) {
        status = train_classes(context, points, ordered, num_rows, labels, c, gamma, classifier);
    } else {
        status = nitro_svm_classifier_create(context, 1, 0, classifier);
        if (status == NITRO_OK)
            (*classifier)->classes[0] = labels[rows[0]];
    }
    free(ordered);
    return status;
}
