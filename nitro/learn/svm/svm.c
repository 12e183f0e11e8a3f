/* One-vs-one SVMs trained by LIBSVM, whose model is copied into arrays with classes in declared
 * order.
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

/** Rows grouped by ascending label: LIBSVM numbers classes in the order of their first rows. */
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

nitro_status nitro_svm_begin(nitro_context *context, size_t num_rows, size_t num_classes,
                             double cache_mb)
{
    /* Its print function is a global variable: it must not be set while another thread trains. */
    static pthread_once_t silenced = PTHREAD_ONCE_INIT;
    pthread_once(&silenced, silence_libsvm);
    /* At most the kernel's columns and some 40 numbers a row; a number a row and class. */
    double rows = (double)num_rows,
           bytes = fmin(rows * (4 * rows + 32), fmax(cache_mb * 0x1p20, 8 * rows)) +
                   8 * rows * ((double)num_classes + 40) + 0x1p20;
    void *room = nitro_calloc(context, (size_t)bytes, 1);
    free(room);
    return room ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/** A row in LIBSVM's form. @param[out] nodes  shape [num_columns + 1]. */
static void fill_nodes(const double *columns, size_t num_columns, struct svm_node *nodes)
{
    for (size_t c = 0; c < num_columns; c++)
        if (columns[c] != 0.0)
            *nodes++ = (struct svm_node){(int)c + 1, columns[c]};
    nodes->index = -1;
}

static nitro_status train_classes(nitro_context *context, const double *columns, size_t num_columns,
                                  const size_t *ordered, size_t num_rows, const size_t *labels,
                                  size_t num_classes, double c, double gamma,
                                  nitro_svm_classifier **classifier)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    double *y = nitro_calloc(context, num_rows, sizeof *y);
    struct svm_node **x = nitro_calloc(context, num_rows, sizeof *x);
    struct svm_node *nodes = nitro_calloc(context, num_rows, (num_columns + 1) * sizeof *nodes);
    if (!y || !x || !nodes)
        goto free_arrays;
    for (size_t i = 0; i < num_rows; i++) {
        y[i] = (double)labels[ordered[i]];
        x[i] = nodes + i * (num_columns + 1);
        fill_nodes(columns + ordered[i] * num_columns, num_columns, x[i]);
    }
    struct svm_problem problem = {(int)num_rows, y, x};
    struct svm_parameter parameters = {.svm_type = C_SVC,
                                       .kernel_type = RBF,
                                       .gamma = gamma,
                                       .cache_size = CACHE_MB,
                                       .eps = STOP_TOLERANCE,
                                       .C = c,
                                       .shrinking = 1};
    status = nitro_svm_begin(context, num_rows, num_classes, CACHE_MB);
    if (status != NITRO_OK)
        goto free_arrays;
    struct svm_model *model = svm_train(&problem, &parameters);
    status = copy_model(context, model, ordered, classifier);
    svm_free_and_destroy_model(&model);

free_arrays:
    free(y);
    free(x);
    free(nodes);
    return status;
}

nitro_status nitro_svm_classifier_train(nitro_context *context, const double *columns,
                                        size_t num_columns, const size_t *rows, size_t num_rows,
                                        const size_t *labels, double c, double gamma,
                                        nitro_svm_classifier **classifier)
{
    if (num_rows > INT_MAX || num_columns >= INT_MAX)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "LIBSVM takes at most %d training rows and columns, not %zu rows of %zu: "
                          "train on fewer",
                          INT_MAX, num_rows, num_columns);
    size_t *ordered = nitro_calloc(context, num_rows, sizeof *ordered);
    if (!ordered)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status;
    size_t num_classes = order_by_label(rows, num_rows, labels, ordered);
    if (num_classes > 1) {
        status = train_classes(context, columns, num_columns, ordered, num_rows, labels,
                               num_classes, c, gamma, classifier);
    } else {
        status = nitro_svm_classifier_create(context, 1, 0, classifier);
        if (status == NITRO_OK)
            (*classifier)->classes[0] = labels[rows[0]];
    }
    free(ordered);
    return status;
}
