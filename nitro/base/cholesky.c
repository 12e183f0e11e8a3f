/*
 * Blocked Cholesky factors: panels of rows, then tiles of the rest, so that inner loops run along
 * rows in cache and vectorize without reordering sums.
 */
#include "nitro/base/cholesky.h"

#include <math.h>

#include "nitro/base/parallel.h"

#define PANEL_ROWS   64
#define TILE_COLUMNS 256
#define STEP         4 /* panel rows subtracted in one pass over a row; divides PANEL_ROWS */

typedef struct factor_job {
    double *matrix;
    size_t size;
    size_t first, end; /* rows of the panel */
} factor_job;

/** a -= f0 u0 + f1 u1 + f2 u2 + f3 u3, along rows. */
static void subtract_four(double *restrict a, const double *factors, const double *restrict u0,
                          const double *restrict u1, const double *restrict u2,
                          const double *restrict u3, size_t count)
{
    double f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
    for (size_t j = 0; j < count; j++)
        a[j] -= (f0 * u0[j] + f1 * u1[j]) + (f2 * u2[j] + f3 * u3[j]);
}

static void subtract_one(double *restrict a, double factor, const double *restrict u, size_t count)
{
    for (size_t j = 0; j < count; j++)
        a[j] -= factor * u[j];
}

/** Factor the panel's own rows. */
static bool factor_panel(const factor_job *job)
{
    size_t size = job->size;
    for (size_t k = job->first; k < job->end; k++) {
        double *own = job->matrix + k * size;
        if (!(own[k] > 0.0) || !isfinite(own[k]))
            return false;
        double pivot = sqrt(own[k]);
        for (size_t j = k; j < size; j++)
            own[j] /= pivot;
        for (size_t i = k + 1; i < job->end; i++)
            subtract_one(job->matrix + i * size + i, own[i], own + i, size - i);
    }
    return true;
}

/** Subtract the panel from one tile of the rows below it, on and above the diagonal. */
static nitro_status update_tile(void *user, size_t tile)
{
    const factor_job *job = user;
    size_t size = job->size, left = job->end + tile * TILE_COLUMNS;
    size_t right = left + TILE_COLUMNS < size ? left + TILE_COLUMNS : size;
    for (size_t i = job->end; i < right; i++) {
        size_t from = i > left ? i : left, k = job->first;
        double *row = job->matrix + i * size + from;
        for (; k + STEP <= job->end; k += STEP) {
            const double *u = job->matrix + k * size;
            double factors[STEP] = {u[i], u[size + i], u[2 * size + i], u[3 * size + i]};
            subtract_four(row, factors, u + from, u + size + from, u + 2 * size + from,
                          u + 3 * size + from, right - from);
        }
        for (; k < job->end; k++)
            subtract_one(row, job->matrix[k * size + i], job->matrix + k * size + from,
                         right - from);
    }
    return NITRO_OK;
}

nitro_status nitro_cholesky_factor(nitro_context *context, double *matrix, size_t size,
                                   unsigned num_threads)
{
    factor_job job = {.matrix = matrix, .size = size};
    nitro_status status = NITRO_OK;
    for (; job.first < size && status == NITRO_OK; job.first = job.end) {
        job.end = job.first + PANEL_ROWS < size ? job.first + PANEL_ROWS : size;
        if (!factor_panel(&job))
            return nitro_fail(context, NITRO_ERR_ARGUMENT,
                              "a matrix of %zu rows is not positive definite: rows %zu to %zu are "
                              "not finite or depend on those above",
                              size, job.first, job.end - 1);
        size_t num_tiles = (size - job.end + TILE_COLUMNS - 1) / TILE_COLUMNS;
        status = nitro_parallel_run(num_threads, num_tiles, update_tile, &job);
    }
    return status;
}

void nitro_cholesky_solve(const double *factor, size_t size, double *values, size_t count)
{
    for (size_t k = 0; k < size; k++) {
        double *own = values + k * count;
        const double *row = factor + k * size;
        for (size_t v = 0; v < count; v++)
            own[v] /= row[k];
        for (size_t i = k + 1; i < size; i++)
            subtract_one(values + i * count, row[i], own, count);
    }
    for (size_t k = size; k-- > 0;) {
        double *own = values + k * count;
        const double *row = factor + k * size;
        for (size_t j = k + 1; j < size; j++)
            subtract_one(own, row[j], values + j * count, count);
        for (size_t v = 0; v < count; v++)
            own[v] /= row[k];
    }
}
