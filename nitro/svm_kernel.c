/* Kernels of concatenated features. Hides when an exponential is taken: once a pair of points and
 * gamma, and once a pair of places and gamma, whoever asks. */
#include "nitro/svm_kernel.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct kept_kernel {
    double gamma;
    double *values; /* shape [num_points x num_points] */
    struct kept_kernel *next;
} kept_kernel;

struct nitro_svm_inputs {
    nitro_context *context;
    size_t num_points;
    double *squares; /* shape [num_points x num_points] */
    pthread_mutex_t lock;
    kept_kernel *kept;
};

/* ---- Points -------------------------------------------------------------------------------- */

static void find_squares(const double *columns, size_t num_points, size_t width, double *squares)
{
    for (size_t i = 0; i < num_points; i++) {
        const double *a = columns + i * width;
        for (size_t j = 0; j < i; j++) {
            const double *b = columns + j * width;
            double sum = 0.0;
            for (size_t c = 0; c < width; c++)
                sum += (a[c] - b[c]) * (a[c] - b[c]);
            squares[i * num_points + j] = squares[j * num_points + i] = sum;
        }
    }
}

nitro_status nitro_svm_inputs_create(nitro_context *context, const double *columns,
                                     size_t num_points, size_t num_columns,
                                     nitro_svm_inputs **inputs)
{
    nitro_svm_inputs *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->context = context;
    made->num_points = num_points;
    pthread_mutex_init(&made->lock, NULL);
    made->squares = nitro_calloc(context, num_points, num_points * sizeof(double));
    if (!made->squares) {
        nitro_svm_inputs_free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    find_squares(columns, num_points, num_columns, made->squares);
    *inputs = made;
    return NITRO_OK;
}

void nitro_svm_inputs_forget(nitro_svm_inputs *inputs)
{
    while (inputs->kept) {
        kept_kernel *first = inputs->kept;
        inputs->kept = first->next;
        free(first->values);
        free(first);
    }
}

void nitro_svm_inputs_free(nitro_svm_inputs *inputs)
{
    if (!inputs)
        return;
    nitro_svm_inputs_forget(inputs);
    pthread_mutex_destroy(&inputs->lock);
    free(inputs->squares);
    free(inputs);
}

/* ---- Kernels of points --------------------------------------------------------------------- */

static kept_kernel *make_kernel(const nitro_svm_inputs *inputs, double gamma)
{
    size_t count = inputs->num_points;
    kept_kernel *made = nitro_calloc(inputs->context, 1, sizeof *made);
    if (!made)
        return NULL;
    made->gamma = gamma;
    made->values = nitro_calloc(inputs->context, count, count * sizeof(double));
    if (!made->values) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            made->values[i * count + j] = made->values[j * count + i] =
                exp(-gamma * inputs->squares[i * count + j]);
    return made;
}

/* Made under the lock: who wants the same one has to wait for it anyway. */
const double *nitro_svm_inputs_kernel(nitro_svm_inputs *inputs, double gamma)
{
    pthread_mutex_lock(&inputs->lock);
    kept_kernel *found = inputs->kept;
    while (found && found->gamma != gamma)
        found = found->next;
    if (!found && (found = make_kernel(inputs, gamma))) {
        found->next = inputs->kept;
        inputs->kept = found;
    }
    pthread_mutex_unlock(&inputs->lock);
    return found ? found->values : NULL;
}

/* ---- Kernels of rows ----------------------------------------------------------------------- */

static void fill_row(const double *of_point, const double *of_place, const nitro_svm_rows *to,
                     double *kernel)
{
    for (size_t j = 0; j < to->num_rows; j++)
        kernel[j] = of_point[to->points[j]] * (of_place ? of_place[to->places[j]] : 1.0);
}

nitro_status nitro_svm_kernel_fill(nitro_context *context, nitro_svm_inputs *inputs, double gamma,
                                   const nitro_svm_rows *from, const nitro_svm_rows *to,
                                   const nitro_svm_distances *distances, double *kernel)
{
    size_t num_pairs = distances->squares ? distances->num_from * distances->num_to : 0;
    const double *of_points = nitro_svm_inputs_kernel(inputs, gamma);
    double *of_places = nitro_calloc(context, num_pairs + 1, sizeof(double));
    if (!of_points || !of_places) {
        free(of_places);
        return NITRO_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < num_pairs; i++)
        of_places[i] = exp(-gamma * distances->squares[i]);
    for (size_t i = 0; i < from->num_rows; i++)
        fill_row(of_points + from->points[i] * inputs->num_points,
                 num_pairs ? of_places + from->places[i] * distances->num_to : NULL, to,
                 kernel + i * to->num_rows);
    free(of_places);
    return NITRO_OK;
}
