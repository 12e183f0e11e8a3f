/*
 * Landmarks and what is fitted on them. Hides how they are chosen: greedily, by what is left of
 * each row's kernel once the rows chosen before have explained their part of it.
 */
#include "nitro/landmarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/cholesky.h"
#include "nitro/parallel.h"

#define GAMMA_TIMES_COLUMNS 4.8  /* of the kernel that rows are told apart by */
#define TOLD_APART          1e-4 /* less than this of a kernel left: nothing new */
#define JITTER              1e-7 /* keeps the system positive definite */

static double rbf(const double *a, const double *b, size_t num_columns, double gamma)
{
    double sum = 0.0;
    for (size_t c = 0; c < num_columns; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return exp(-gamma * sum);
}

/* ---- Choosing ----------------------------------------------------------------------------- */

static size_t find_largest(const double *values, size_t count)
{
    size_t largest = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[largest])
            largest = i;
    return largest;
}

typedef struct choice {
    const double *columns; /* of the sample */
    size_t num_columns, count;
    const size_t *members; /* shape [count] */
    double *left;          /* shape [count]: of each row's kernel with itself, unexplained */
    double *factor;        /* shape [most x count] */
} choice;

/** Let row `pivot` be the landmark number `num`: what it explains is taken off what is left. */
static void explain(const choice *c, size_t num, size_t pivot)
{
    double gamma = GAMMA_TIMES_COLUMNS / fmax(1.0, (double)c->num_columns);
    double *row = c->factor + num * c->count, root = sqrt(c->left[pivot]);
    const double *own = c->columns + c->members[pivot] * c->num_columns;
    for (size_t i = 0; i < c->count; i++)
        row[i] = rbf(own, c->columns + c->members[i] * c->num_columns, c->num_columns, gamma);
    for (size_t k = 0; k < num; k++) {
        const double *earlier = c->factor + k * c->count;
        double part = earlier[pivot];
        for (size_t i = 0; i < c->count; i++)
            row[i] -= part * earlier[i];
    }
    for (size_t i = 0; i < c->count; i++) {
        row[i] /= root;
        c->left[i] -= row[i] * row[i];
    }
    c->left[pivot] = 0.0;
}

nitro_status nitro_landmarks_choose(nitro_context *context, const double *columns,
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
        size_t pivot = find_largest(c.left, count);
        if (c.left[pivot] < TOLD_APART)
            break;
        explain(&c, num, pivot);
        chosen[num++] = pivot;
    }
    free(c.left);
    free(c.factor);
    if (status == NITRO_OK)
        *num_chosen = num;
    return status;
}

nitro_status nitro_landmarks_machine(nitro_context *context, const double *columns,
                                     size_t num_columns, const size_t *members, size_t count,
                                     size_t num_outputs, double gamma,
                                     nitro_kernel_machine **machine)
{
    size_t chosen[NITRO_LANDMARKS_MAX], num_chosen = 0;
    nitro_kernel_machine *made = NULL;
    nitro_status status = nitro_landmarks_choose(context, columns, num_columns, members, count,
                                                 NITRO_LANDMARKS_MAX, chosen, &num_chosen);
    if (status == NITRO_OK)
        status = nitro_kernel_machine_create(context, num_columns, num_outputs, num_chosen, gamma,
                                             &made);
    if (status != NITRO_OK)
        return status;
    for (size_t j = 0; j < num_chosen; j++)
        memcpy(made->vectors + j * num_columns, columns + members[chosen[j]] * num_columns,
               num_columns * sizeof *made->vectors);
    *machine = made;
    return NITRO_OK;
}

/* ---- Fitting ------------------------------------------------------------------------------ */

/** A vector of the fit: which machine's, and where. */
typedef struct fit_vector {
    const nitro_kernel_machine *machine;
    const double *columns;
    double *coefficients; /* shape [num_outputs] */
} fit_vector;

typedef struct fit_job {
    const double *kernel; /* shape [size x count]: of each vector with every row */
    const double *targets;
    double *matrix;      /* shape [size x size] */
    double *right;       /* shape [size x num_outputs] */
    fit_vector *vectors; /* shape [size] */
    size_t count, size, num_outputs;
    double ridge;
} fit_job;

/** What the sum's norm takes of two vectors: machines do not share theirs. */
static double norm_between(const fit_vector *a, const fit_vector *b)
{
    return a->machine == b->machine
               ? rbf(a->columns, b->columns, a->machine->num_columns, a->machine->gamma)
               : 0.0;
}

/** One row of the normal equations, from the diagonal on, and its right side. */
static nitro_status fill_row(void *user, size_t row)
{
    const fit_job *job = user;
    const double *own = job->kernel + row * job->count;
    for (size_t other = row; other < job->size; other++) {
        const double *theirs = job->kernel + other * job->count;
        double sum = 0.0;
        for (size_t i = 0; i < job->count; i++)
            sum += own[i] * theirs[i];
        job->matrix[row * job->size + other] =
            sum + job->ridge * norm_between(&job->vectors[row], &job->vectors[other]) +
            (row == other ? JITTER * (double)job->count : 0.0);
    }
    for (size_t o = 0; o < job->num_outputs; o++) {
        double sum = 0.0;
        for (size_t i = 0; i < job->count; i++)
            sum += own[i] * job->targets[i * job->num_outputs + o];
        job->right[row * job->num_outputs + o] = sum;
    }
    return NITRO_OK;
}

static void list_vectors(nitro_kernel_machine *const *machines, size_t num_machines,
                         fit_vector *vectors)
{
    for (size_t m = 0; m < num_machines; m++)
        for (size_t j = 0; j < machines[m]->num_vectors; j++)
            *vectors++ =
                (fit_vector){machines[m], machines[m]->vectors + j * machines[m]->num_columns,
                             machines[m]->coefficients + j * machines[m]->num_outputs};
}

static nitro_status solve(nitro_context *context, fit_job *job, unsigned num_threads)
{
    nitro_status status = nitro_parallel_run(num_threads, job->size, fill_row, job);
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
                                 nitro_kernel_machine *const *machines, size_t num_machines)
{
    size_t size = 0, width = machines[0]->num_columns, num_outputs = machines[0]->num_outputs;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    for (size_t m = 0; m < num_machines; m++)
        size += machines[m]->num_vectors;
    double *kernel = nitro_calloc(context, size, count * sizeof *kernel);
    double *matrix = nitro_calloc(context, size, size * sizeof *matrix);
    double *right = nitro_calloc(context, size, num_outputs * sizeof *right);
    fit_vector *vectors = nitro_calloc(context, size, sizeof *vectors);
    if (!kernel || !matrix || !right || !vectors)
        goto free_all;
    list_vectors(machines, num_machines, vectors);
    for (size_t j = 0; j < size; j++)
        for (size_t i = 0; i < count; i++)
            kernel[j * count + i] = rbf(vectors[j].columns, columns + members[i] * width, width,
                                        vectors[j].machine->gamma);
    fit_job job = {kernel, targets, matrix, right, vectors, count, size, num_outputs, ridge};
    status = solve(context, &job, num_threads);

free_all:
    free(kernel);
    free(matrix);
    free(right);
    free(vectors);
    return status;
}
