/* Kernel matrices of training sets; each pair of rows is computed once. */
#include <math.h>
#include <stdlib.h>

#include "nitro/base/parallel.h"
#include "nitro/learn/kernel/kernel_matrix.h"

static double squared_distance(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t c = 0; c < count; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

typedef struct matrix_job {
    const double *columns;
    size_t num_rows, num_columns;
    double gamma;
    float *kernel;
} matrix_job;

/** One row up to the diagonal, and its mirror image. */
static nitro_status fill_row(void *user, size_t row)
{
    const matrix_job *job = user;
    const double *own = job->columns + row * job->num_columns;
    for (size_t other = 0; other <= row; other++) {
        double square =
            squared_distance(own, job->columns + other * job->num_columns, job->num_columns);
        float value = (float)exp(-job->gamma * square);
        job->kernel[row * job->num_rows + other] = value;
        job->kernel[other * job->num_rows + row] = value;
    }
    return NITRO_OK;
}

nitro_status nitro_kernel_matrix(nitro_context *context, const double *columns, size_t num_rows,
                                 size_t num_columns, double gamma, unsigned num_threads,
                                 float **kernel)
{
    matrix_job job = {columns, num_rows, num_columns, gamma,
                      nitro_calloc(context, num_rows, num_rows * sizeof(float))};
    if (!job.kernel)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_parallel_run(num_threads, num_rows, fill_row, &job);
    if (status == NITRO_OK)
        *kernel = job.kernel;
    else
        free(job.kernel);
    return status;
}
