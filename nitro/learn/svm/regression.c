/* Support vector regression, trained by LIBSVM and copied into arrays. */
#include <libsvm/svm.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/learn/svm/svm.h"

#define COST           100.0
#define TUBE           0.1 /* smaller errors cost nothing */
#define CACHE_MB       16.0
#define STOP_TOLERANCE 1e-3

typedef struct scaled_column {
    size_t column; /* of a query point */
    double low, high;
} scaled_column;

struct nitro_regression {
    size_t num_columns; /* that vary */
    scaled_column *columns;
    size_t num_vectors;
    double *vectors;      /* shape [num_vectors x num_columns], scaled */
    double *coefficients; /* shape [num_vectors] */
    double rho;
};

void nitro_regression_free(nitro_regression *regression)
{
    if (!regression)
        return;
    free(regression->columns);
    free(regression->vectors);
    free(regression->coefficients);
    free(regression);
}

static double scale(const scaled_column *column, double value)
{
    double clamped = fmin(fmax(value, column->low), column->high);
    return 2 * (clamped - column->low) / (column->high - column->low) - 1;
}

static nitro_status find_columns(nitro_context *context, const double *columns, size_t num_rows,
                                 size_t num_columns, nitro_regression *made)
{
    made->columns = nitro_calloc(context, num_columns, sizeof *made->columns);
    if (!made->columns)
        return NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; c < num_columns; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t row = 0; row < num_rows; row++) {
            low = fmin(low, columns[row * num_columns + c]);
            high = fmax(high, columns[row * num_columns + c]);
        }
        if (isfinite(high - low) && high > low)
            made->columns[made->num_columns++] = (scaled_column){c, low, high};
    }
    if (made->num_columns > 0)
        return NITRO_OK;
    return nitro_fail(context, NITRO_ERR_NO_DATA, "cannot train a regression: no column varies");
}

static struct svm_node *scale_rows(nitro_context *context, const nitro_regression *made,
                                   const double *columns, size_t num_rows, size_t num_columns)
{
    size_t stride = made->num_columns + 1;
    struct svm_node *nodes = nitro_calloc(context, num_rows, stride * sizeof *nodes);
    for (size_t row = 0; nodes && row < num_rows; row++) {
        for (size_t c = 0; c < made->num_columns; c++)
            nodes[row * stride + c] = (struct svm_node){
                (int)c + 1,
                scale(&made->columns[c], columns[row * num_columns + made->columns[c].column])};
        nodes[row * stride + made->num_columns].index = -1;
    }
    return nodes;
}

static nitro_status copy_model(nitro_context *context, const struct svm_model *model,
                               nitro_regression *made)
{
    size_t width = made->num_columns;
    made->num_vectors = (size_t)model->l;
    made->rho = model->rho[0];
    made->vectors = nitro_calloc(context, made->num_vectors + 1, width * sizeof *made->vectors);
    made->coefficients = nitro_calloc(context, made->num_vectors + 1, sizeof *made->coefficients);
    if (!made->vectors || !made->coefficients)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < made->num_vectors; i++) {
        made->coefficients[i] = model->sv_coef[0][i];
        for (size_t c = 0; c < width; c++)
            made->vectors[i * width + c] = model->SV[i][c].value;
    }
    return NITRO_OK;
}

static nitro_status train(nitro_context *context, const double *columns, size_t num_rows,
                          size_t num_columns, const double *values, nitro_regression *made)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    struct svm_node *nodes = scale_rows(context, made, columns, num_rows, num_columns);
    struct svm_node **x = nitro_calloc(context, num_rows, sizeof *x);
    double *y = nitro_calloc(context, num_rows, sizeof *y);
    if (!nodes || !x || !y)
        goto free_arrays;
    for (size_t row = 0; row < num_rows; row++) {
        x[row] = nodes + row * (made->num_columns + 1);
        y[row] = values[row];
    }
    struct svm_problem problem = {(int)num_rows, y, x};
    struct svm_parameter parameters = {.svm_type = EPSILON_SVR,
                                       .kernel_type = RBF,
                                       .gamma = 1.0 / (double)made->num_columns,
                                       .cache_size = CACHE_MB,
                                       .eps = STOP_TOLERANCE,
                                       .C = COST,
                                       .p = TUBE,
                                       .shrinking = 1};
    status = nitro_svm_begin(context, num_rows, 1, CACHE_MB);
    if (status != NITRO_OK)
        goto free_arrays;
    struct svm_model *model = svm_train(&problem, &parameters);
    status = copy_model(context, model, made);
    svm_free_and_destroy_model(&model);
free_arrays:
    free(nodes);
    free(x);
    free(y);
    return status;
}

nitro_status nitro_regression_train(nitro_context *context, const double *columns, size_t num_rows,
                                    size_t num_columns, const double *values,
                                    nitro_regression **regression)
{
    if (num_rows < 2 || num_rows > INT_MAX || num_columns >= INT_MAX)
        return nitro_fail(context, num_rows < 2 ? NITRO_ERR_NO_DATA : NITRO_ERR_ARGUMENT,
                          "%zu rows of %zu columns cannot be regressed on", num_rows, num_columns);
    nitro_regression *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = find_columns(context, columns, num_rows, num_columns, made);
    if (status == NITRO_OK)
        status = train(context, columns, num_rows, num_columns, values, made);
    if (status == NITRO_OK)
        *regression = made;
    else
        nitro_regression_free(made);
    return status;
}

double nitro_regression_predict(const nitro_regression *regression, const double *columns)
{
    size_t width = regression->num_columns;
    double gamma = 1.0 / (double)width, sum = 0;
    for (size_t i = 0; i < regression->num_vectors; i++) {
        double distance = 0;
        for (size_t c = 0; c < width; c++) {
            const scaled_column *column = &regression->columns[c];
            double difference =
                regression->vectors[i * width + c] - scale(column, columns[column->column]);
            distance += difference * difference;
        }
        sum += regression->coefficients[i] * exp(-gamma * distance);
    }
    return sum - regression->rho;
}
