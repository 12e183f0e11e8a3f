/* Landmarks by pivoted Cholesky factorization, and least squares on them by normal equations. */
#include "nitro/learn/kernel/landmarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/cholesky.h"
#include "nitro/base/parallel.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/kernel/gram_matrix.h"

#define GAMMA_TIMES_COLUMNS 4.8  /* of the kernel for choosing */
#define LEAST_RESIDUAL      1e-4 /* a smaller one adds nothing */
#define JITTER              1e-7 /* keeps the system positive definite */

static double rbf(const double *a, const double *b, size_t num_columns, double gamma)
{
    double sum = 0.0;
    for (size_t c = 0; c < num_columns; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return exp(-gamma * sum);
}

static void add_row(double *restrict sums, double factor, const double *restrict row, size_t length)
{
    for (size_t j = 0; j < length; j++)
        sums[j] += factor * row[j];
}

typedef struct choice {
    const double *columns; /* of the sample */
    size_t num_columns, count;
    const size_t *members; /* shape [count] */
    double *left;          /* shape [count]: residual of each row's kernel with itself */
    double *factor;        /* shape [most x count] */
} choice;

/** Make row `pivot` the landmark number `num`, and update the residuals. */
static void add_landmark(const choice *c, size_t num, size_t pivot)
{
    double gamma = GAMMA_TIMES_COLUMNS / fmax(1.0, (double)c->num_columns);
    double *row = c->factor + num * c->count, root = sqrt(c->left[pivot]);
    const double *own = c->columns + c->members[pivot] * c->num_columns;
    for (size_t i = 0; i < c->count; i++)
        row[i] = rbf(own, c->columns + c->members[i] * c->num_columns, c->num_columns, gamma);
    for (size_t k = 0; k < num; k++)
        add_row(row, -c->factor[k * c->count + pivot], c->factor + k * c->count, c->count);
    for (size_t i = 0; i < c->count; i++) {
        row[i] /= root;
        c->left[i] -= row[i] * row[i];
    }
    c->left[pivot] = 0.0;
}

/** Indices into `members`, at most `most`; shape [*num_chosen]. */
static nitro_status choose_landmarks(nitro_context *context, const double *columns,
                                     size_t num_columns, const size_t *members, size_t count,
                                     size_t most, size_t *chosen, size_t *num_chosen)
{
    choice c = {columns,
                num_columns,
                count,
                members,
                nitro_calloc(context, count, sizeof *c.left),
                nitro_calloc(context, most, count * sizeof *c.factor)};
    nitro_status status = c.left && c.factor ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    size_t num = 0;
    for (size_t i = 0; status == NITRO_OK && i < count; i++)
        c.left[i] = 1.0;
    while (status == NITRO_OK && num < most && num < count) {
        size_t pivot = nitro_scores_best(c.left, count);
        if (c.left[pivot] < LEAST_RESIDUAL)
            break;
        add_landmark(&c, num, pivot);
        chosen[num++] = pivot;
    }
    free(c.left);
    free(c.factor);
    if (status == NITRO_OK)
        *num_chosen = num;
    return status;
}

nitro_status nitro_landmarks_expansion(nitro_context *context, const double *columns,
                                       size_t num_columns, const size_t *members, size_t count,
                                       size_t num_outputs, double gamma,
                                       nitro_kernel_expansion **expansion)
{
    size_t chosen[NITRO_LANDMARKS_MAX], num_chosen = 0;
    nitro_kernel_expansion *made = NULL;
    nitro_status status = choose_landmarks(context, columns, num_columns, members, count,
                                           NITRO_LANDMARKS_MAX, chosen, &num_chosen);
    if (status == NITRO_OK)
        status = nitro_kernel_expansion_create(context, num_columns, num_outputs, num_chosen, gamma,
                                               &made);
    if (status != NITRO_OK)
        return status;
    for (size_t j = 0; j < num_chosen; j++)
        memcpy(made->vectors + j * num_columns, columns + members[chosen[j]] * num_columns,
               num_columns * sizeof *made->vectors);
    *expansion = made;
    return NITRO_OK;
}

/** A vector of the fit, and its expansion. */
typedef struct fit_vector {
    const nitro_kernel_expansion *expansion;
    const double *columns;
    double *coefficients; /* shape [num_outputs] */
} fit_vector;

typedef struct fit_job {
    const double *kernel; /* shape [count x size]: of each row with every vector */
    const double *targets;
    double *matrix;      /* shape [size x size], zero at first */
    double *right;       /* shape [size x num_outputs], zero at first */
    fit_vector *vectors; /* shape [size] */
    size_t count, size, num_outputs;
    double ridge;
} fit_job;

/** Inner product of two vectors in the norm; expansions have separate norms. */
static double norm_between(const fit_vector *a, const fit_vector *b)
{
    return a->expansion == b->expansion
               ? rbf(a->columns, b->columns, a->expansion->num_columns, a->expansion->gamma)
               : 0.0;
}

/** The penalty in a row of the normal equations, from the diagonal on, and the right side. */
static nitro_status finish_row(void *user, size_t row)
{
    const fit_job *job = user;
    double *own = job->matrix + row * job->size;
    for (size_t i = 0; i < job->count; i++)
        add_row(job->right + row * job->num_outputs, job->kernel[i * job->size + row],
                job->targets + i * job->num_outputs, job->num_outputs);
    for (size_t other = row; other < job->size; other++)
        own[other] += job->ridge * norm_between(&job->vectors[row], &job->vectors[other]);
    own[row] += JITTER * (double)job->count;
    return NITRO_OK;
}

static void list_vectors(nitro_kernel_expansion *const *expansions, size_t num_expansions,
                         fit_vector *vectors)
{
    for (size_t m = 0; m < num_expansions; m++)
        for (size_t j = 0; j < expansions[m]->num_vectors; j++)
            *vectors++ =
                (fit_vector){expansions[m], expansions[m]->vectors + j * expansions[m]->num_columns,
                             expansions[m]->coefficients + j * expansions[m]->num_outputs};
}

static nitro_status solve(nitro_context *context, fit_job *job, unsigned num_threads)
{
    nitro_status status =
        nitro_gram_matrix(job->kernel, job->count, job->size, num_threads, job->matrix);
    if (status == NITRO_OK)
        status = nitro_parallel_run(num_threads, job->size, finish_row, job);
    if (status == NITRO_OK)
        status = nitro_cholesky_factor(context, job->matrix, job->size, num_threads);
    if (status == NITRO_OK)
        nitro_cholesky_solve(job->matrix, job->size, job->right, job->num_outputs);
    for (size_t j = 0; status == NITRO_OK && j < job->size; j++)
        memcpy(job->vectors[j].coefficients, job->right + j * job->num_outputs,
               job->num_outputs * sizeof *job->right);
    return status;
}

nitro_status nitro_landmarks_fit(nitro_context *context, const double *columns,
                                 const size_t *members, size_t count, const double *targets,
                                 double ridge, unsigned num_threads,
                                 nitro_kernel_expansion *const *expansions, size_t num_expansions)
{
    size_t size = 0, width = expansions[0]->num_columns, num_outputs = expansions[0]->num_outputs;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    for (size_t m = 0; m < num_expansions; m++)
        size += expansions[m]->num_vectors;
    double *kernel = nitro_calloc(context, count, size * sizeof *kernel);
    double *matrix = nitro_calloc(context, size, size * sizeof *matrix);
    double *right = nitro_calloc(context, size, num_outputs * sizeof *right);
    fit_vector *vectors = nitro_calloc(context, size, sizeof *vectors);
    if (!kernel || !matrix || !right || !vectors)
        goto free_all;
    list_vectors(expansions, num_expansions, vectors);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++)
            kernel[i * size + j] = rbf(vectors[j].columns, columns + members[i] * width, width,
                                       vectors[j].expansion->gamma);
    fit_job job = {kernel, targets, matrix, right, vectors, count, size, num_outputs, ridge};
    status = solve(context, &job, num_threads);

free_all:
    free(kernel);
    free(matrix);
    free(right);
    free(vectors);
    return status;
}
