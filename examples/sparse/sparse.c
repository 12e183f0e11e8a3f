/*
 * sparse.c - spmv() with two algorithms inside. The model that SPARSE_MODEL names decides between
 * them; without one, the row algorithm runs. A pattern to copy into a library: declare once at the
 * first call, then run.
 *
 *     cc -O2 -pthread use_sparse.c sparse.c $(pkg-config --cflags --libs nitro) -o use_sparse
 *     cc -O2 tune_sparse.c sparse.c $(pkg-config --cflags --libs nitro) -o tune_sparse
 *     ./tune_sparse samples.db model.json && SPARSE_MODEL=model.json ./use_sparse
 */
#include "sparse.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sparse_tuning.h"

struct sparse_matrix {
    size_t rows, num_columns, longest_row;
    size_t *offsets, *columns;
    double *values;
    /* The same matrix in padded (ELL) form, made at its first use. */
    pthread_mutex_t padding;
    size_t *padded_columns; /* shape [longest_row x rows] */
    double *padded_values;
};

/* ---- Two algorithms ------------------------------------------------------------------------- */

static int multiply_rows(void *argument, void *user)
{
    const spmv_call *call = argument;
    const sparse_matrix *a = call->matrix;
    (void)user;
    for (size_t row = 0; row < a->rows; row++) {
        double sum = 0;
        for (size_t k = a->offsets[row]; k < a->offsets[row + 1]; k++)
            sum += a->values[k] * call->x[a->columns[k]];
        call->y[row] = sum;
    }
    return 0;
}

/** Make the padded form; padding has value 0 and column 0. */
static int pad(sparse_matrix *a)
{
    size_t count = a->rows * a->longest_row;
    size_t *columns = calloc(count > 0 ? count : 1, sizeof *columns);
    double *values = calloc(count > 0 ? count : 1, sizeof *values);
    if (!columns || !values) {
        free(columns);
        free(values);
        return -1;
    }
    for (size_t row = 0; row < a->rows; row++)
        for (size_t k = a->offsets[row]; k < a->offsets[row + 1]; k++) {
            size_t place = (k - a->offsets[row]) * a->rows + row;
            columns[place] = a->columns[k];
            values[place] = a->values[k];
        }
    a->padded_columns = columns;
    a->padded_values = values;
    return 0;
}

/** Called before the variant runs; its time does not count, and a second call returns at once. */
static int prepare_padded(void *argument, void *user)
{
    sparse_matrix *a = ((spmv_call *)argument)->matrix;
    (void)user;
    pthread_mutex_lock(&a->padding);
    int failed = a->padded_values ? 0 : pad(a);
    pthread_mutex_unlock(&a->padding);
    return failed;
}

static int multiply_padded(void *argument, void *user)
{
    const spmv_call *call = argument;
    const sparse_matrix *a = call->matrix;
    (void)user;
    memset(call->y, 0, a->rows * sizeof *call->y);
    for (size_t k = 0; k < a->longest_row; k++)
        for (size_t row = 0; row < a->rows; row++)
            call->y[row] +=
                a->padded_values[k * a->rows + row] * call->x[a->padded_columns[k * a->rows + row]];
    return 0;
}

/** Features come in declared order: rows, entries, longest row. At most fourfold padding. */
static bool allows_padded(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] * features[2] <= 4.0 * features[1];
}

static int evaluate(const void *argument, double *values, void *user)
{
    const sparse_matrix *a = ((const spmv_call *)argument)->matrix;
    (void)user;
    values[0] = (double)a->rows;
    values[1] = (double)a->offsets[a->rows];
    values[2] = (double)a->longest_row;
    return 0;
}

nitro_status sparse_declare(nitro_context *context, nitro_computation **computation)
{
    static const nitro_variant variants[] = {
        {.name = "rows", .run = multiply_rows},
        {.name = "padded",
         .run = multiply_padded,
         .prepare = prepare_padded,
         .allows = allows_padded},
    };
    static const nitro_feature features[] = {
        {.name = "rows", .unit = "rows", .scale = NITRO_SCALE_LOG},
        {.name = "entries", .unit = "entries", .scale = NITRO_SCALE_LOG},
        {.name = "longest_row", .unit = "entries", .scale = NITRO_SCALE_LOG},
    };
    nitro_computation *made = NULL;
    nitro_status status = nitro_computation_create(context, "sparse-spmv", &made);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0] && status == NITRO_OK; i++)
        status = nitro_computation_add_variant(made, &variants[i]);
    if (status == NITRO_OK)
        status = nitro_computation_add_features(made, features, 3, evaluate, NULL);
    if (status == NITRO_OK)
        *computation = made;
    else
        nitro_computation_free(made);
    return status;
}

/* ---- The computation, created at the first call ------------------------------------------- */

static nitro_computation *computation;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/** A missing or unreadable model is not an error: the default variant is correct too. */
static void declare_once(void)
{
    nitro_context *context = NULL;
    const char *model = getenv("SPARSE_MODEL");
    if (nitro_context_create(&context) == NITRO_OK &&
        sparse_declare(context, &computation) == NITRO_OK && model)
        (void)nitro_computation_load_model(computation, model);
}

/* ---- What users call ------------------------------------------------------------------------ */

int spmv(sparse_matrix *matrix, const double *x, double *y)
{
    spmv_call call = {matrix, x, y};
    pthread_once(&once, declare_once);
    if (!computation)
        return multiply_rows(&call, NULL);
    return nitro_run(computation, &call, NULL) == NITRO_OK ? 0 : -1;
}

const char *spmv_algorithm(sparse_matrix *matrix)
{
    spmv_call call = {matrix, NULL, NULL};
    nitro_decision decision;
    pthread_once(&once, declare_once);
    if (!computation || nitro_select(computation, &call, &decision) != NITRO_OK)
        return "rows";
    return decision.variant_name;
}

static void *copy(const void *from, size_t size)
{
    void *made = malloc(size > 0 ? size : 1);
    return made ? memcpy(made, from, size) : NULL;
}

sparse_matrix *sparse_create(size_t rows, size_t num_columns, const size_t *offsets,
                             const size_t *columns, const double *values)
{
    sparse_matrix *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->rows = rows;
    made->num_columns = num_columns;
    made->offsets = copy(offsets, (rows + 1) * sizeof *offsets);
    made->columns = copy(columns, offsets[rows] * sizeof *columns);
    made->values = copy(values, offsets[rows] * sizeof *values);
    for (size_t row = 0; row < rows; row++)
        if (offsets[row + 1] - offsets[row] > made->longest_row)
            made->longest_row = offsets[row + 1] - offsets[row];
    if (pthread_mutex_init(&made->padding, NULL) == 0 && made->offsets && made->columns &&
        made->values)
        return made;
    sparse_free(made);
    return NULL;
}

void sparse_free(sparse_matrix *matrix)
{
    if (!matrix)
        return;
    free(matrix->offsets);
    free(matrix->columns);
    free(matrix->values);
    free(matrix->padded_columns);
    free(matrix->padded_values);
    pthread_mutex_destroy(&matrix->padding);
    free(matrix);
}
