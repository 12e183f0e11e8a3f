/*
 * tune_sparse.c - the tuner shipped with the library: measures its algorithms on representative
 * matrices on this machine, and writes the model that the library reads.
 * Usage: tune_sparse STORE MODEL
 */
#include <stdio.h>
#include <stdlib.h>

#include "sparse_tuning.h"

/** What one generated matrix looks like: a band, or rows of different lengths. */
typedef struct matrix_shape {
    size_t rows, length;
    int ragged;
} matrix_shape;

enum { NUM_INPUTS = 24 };

typedef struct loaded {
    spmv_call call; /* first: variants take a pointer to this struct for it */
    double *x, *y;
} loaded;

static sparse_matrix *make_matrix(const matrix_shape *wanted)
{
    size_t most = wanted->rows * wanted->length * 2;
    size_t *offsets = calloc(wanted->rows + 1, sizeof *offsets);
    size_t *columns = calloc(most, sizeof *columns);
    double *values = calloc(most, sizeof *values);
    sparse_matrix *made = NULL;
    if (offsets && columns && values) {
        for (size_t row = 0; row < wanted->rows; row++) {
            size_t length =
                wanted->ragged ? 1 + row * 7 % (2 * wanted->length - 1) : wanted->length;
            size_t at = offsets[row];
            for (size_t k = 0; k < length; k++) {
                columns[at + k] = (row + k * 3) % wanted->rows;
                values[at + k] = 1.0 / (double)(1 + k);
            }
            offsets[row + 1] = at + length;
        }
        made = sparse_create(wanted->rows, wanted->rows, offsets, columns, values);
    }
    free(offsets);
    free(columns);
    free(values);
    return made;
}

static void unload(void *argument)
{
    loaded *input = argument;
    sparse_free(input->call.matrix);
    free(input->x);
    free(input->y);
    free(input);
}

static nitro_status load(nitro_context *context, void *state, void **argument)
{
    const matrix_shape *wanted = state;
    loaded *made = calloc(1, sizeof *made);
    if (!made)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: an input");
    made->x = calloc(wanted->rows, sizeof *made->x);
    made->y = calloc(wanted->rows, sizeof *made->y);
    made->call = (spmv_call){make_matrix(wanted), made->x, made->y};
    if (!made->x || !made->y || !made->call.matrix) {
        unload(made);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu rows", wanted->rows);
    }
    for (size_t i = 0; i < wanted->rows; i++)
        made->x[i] = 1.0 + (double)(i % 5);
    *argument = made;
    return NITRO_OK;
}

static nitro_status tune(nitro_context *context, nitro_computation *computation, const char *url)
{
    matrix_shape shapes[NUM_INPUTS];
    char names[NUM_INPUTS][32];
    nitro_input inputs[NUM_INPUTS];
    nitro_tune_options options;
    nitro_store *store = NULL;
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        shapes[i] = (matrix_shape){(size_t)64 << (i / 4), 2 + i % 2 * 6, i % 4 >= 2};
        snprintf(names[i], sizeof names[i], "%s-%zu-%zu", shapes[i].ragged ? "ragged" : "band",
                 shapes[i].rows, shapes[i].length);
        inputs[i] = (nitro_input){names[i], load, unload, &shapes[i]};
    }
    nitro_tune_options_init(&options);
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = nitro_tune(computation, store, "host", inputs, NUM_INPUTS, &options);
    nitro_store_close(store);
    return status;
}

static nitro_status learn(nitro_context *context, const char *url, const char *path)
{
    nitro_store *store = NULL;
    nitro_model *model = NULL;
    nitro_learn_options options;
    nitro_learn_options_init(&options);
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_READ, &store);
    if (status == NITRO_OK)
        status = nitro_learn_own(context, store, "sparse-spmv", "host", &options, &model);
    if (status == NITRO_OK)
        status = nitro_model_save(model, path);
    nitro_model_free(model);
    nitro_store_close(store);
    return status;
}

int main(int argc, char **argv)
{
    nitro_context *context = NULL;
    nitro_computation *computation = NULL;
    char error[1024];
    if (argc != 3) {
        fprintf(stderr, "Usage: %s STORE MODEL\n", argv[0]);
        return 2;
    }
    if (nitro_context_create(&context) != NITRO_OK)
        return 1;
    nitro_status status = sparse_declare(context, &computation);
    if (status == NITRO_OK)
        status = tune(context, computation, argv[1]);
    if (status == NITRO_OK)
        status = learn(context, argv[1], argv[2]);
    nitro_context_last_error(context, error, sizeof error);
    if (status != NITRO_OK)
        fprintf(stderr, "%s: %s\n", argv[0], error);
    else
        printf("SPARSE_MODEL=%s\n", argv[2]);
    nitro_computation_free(computation);
    nitro_context_free(context);
    return status != NITRO_OK;
}
