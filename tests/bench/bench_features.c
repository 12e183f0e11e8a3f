/*
 * Bench "features": what spmv's input features cost, all together: over one run of csr, and over
 * the plain loops that compute the same values (moments, quartiles and diagonals one after the
 * other, without sampling). On a 7-point stencil, and on rows of 0 to 16 and of 0 to 2 entries in
 * random columns, by size, on one thread and on two. Medians, in turns.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/matrix.h"
#include "bench/bench.h"
#include "unit/spmv_inputs.h"

#define MIN_ROUNDS 9
#define BUDGET_MS  250

typedef struct work {
    const nitro_computation *computation;
    nitro_spmv *spmv;
    int repetitions; /* of a timed run, so that the clock can be read */
    double values[NITRO_SPMV_NUM_FEATURES];
    bool failed;
} work;

static void run_csr(void *state)
{
    work *w = state;
    for (int i = 0; i < w->repetitions; i++)
        nitro_spmv_variant_csr.run(w->spmv, NULL);
}

static void evaluate(void *state)
{
    work *w = state;
    for (int i = 0; i < w->repetitions; i++)
        w->failed |= nitro_computation_evaluate(w->computation, w->spmv, w->values) != NITRO_OK;
}

static int64_t length_of(const nitro_spmv *spmv, int64_t row)
{
    return spmv->row_offsets[row + 1] - spmv->row_offsets[row];
}

static void find_moments(const nitro_spmv *spmv, double *values)
{
    double rows = (double)spmv->num_rows, mean = (double)spmv->num_nonzeros / rows;
    double squares = 0, cubes = 0, longest = 0, shortest = INFINITY;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        double length = (double)length_of(spmv, row), deviation = length - mean;
        squares += deviation * deviation;
        cubes += deviation * deviation * deviation;
        longest = fmax(longest, length);
        shortest = fmin(shortest, length);
    }
    values[NITRO_SPMV_ROW_MIN] = shortest;
    values[NITRO_SPMV_ROW_MAX] = longest;
    values[NITRO_SPMV_ROW_VARIANCE] = squares / rows;
    values[NITRO_SPMV_ROW_SKEWNESS] = cubes / rows / pow(squares / rows, 1.5);
}

static void find_median(const nitro_spmv *spmv, double *values)
{
    int64_t *counts = calloc((size_t)spmv->num_cols + 1, sizeof(*counts)), seen = 0, length = 0;
    for (int64_t row = 0; counts && row < spmv->num_rows; row++)
        counts[length_of(spmv, row)]++;
    for (; counts && seen <= spmv->num_rows / 2; length++)
        seen += counts[length];
    values[NITRO_SPMV_ROW_MEDIAN] = (double)length - 1;
    free(counts);
}

static void count_diagonals(const nitro_spmv *spmv, double *values)
{
    size_t num_diagonals = (size_t)(spmv->num_rows + spmv->num_cols), count = 0;
    unsigned char *occupied = calloc(num_diagonals, 1);
    for (int64_t row = 0; occupied && row < spmv->num_rows; row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            occupied[spmv->num_rows - row + spmv->columns[k]] = 1;
    for (size_t i = 0; occupied && i < num_diagonals; i++)
        count += occupied[i];
    free(occupied);
    values[NITRO_SPMV_DIA_FILLIN] =
        (double)count * (double)spmv->num_rows / (double)spmv->num_nonzeros;
}

static void evaluate_plainly(void *state)
{
    work *w = state;
    for (int i = 0; i < w->repetitions; i++) {
        find_moments(w->spmv, w->values);
        find_median(w->spmv, w->values);
        count_diagonals(w->spmv, w->values);
    }
}

static int measure_matrix(bench_report *report, const nitro_computation *computation,
                          const char *family, nitro_spmv *spmv)
{
    work w = {.computation = computation, .spmv = spmv};
    w.repetitions = 1 + (int)(100000 / spmv->num_nonzeros);
    bench_subject subjects[] = {{.run = evaluate, .state = &w},
                                {.run = run_csr, .state = &w},
                                {.run = evaluate_plainly, .state = &w}};
    for (int threads = 1; threads <= 2; threads++) {
        omp_set_num_threads(threads);
        if (bench_measure(subjects, 3, MIN_ROUNDS, BUDGET_MS) != 0)
            return 1;
        if (w.failed)
            return bench_fail("%s: the features cannot be evaluated", family);
        double us = 1e3 / w.repetitions;
        for (int i = 1; i < 3; i++) {
            char name[96];
            snprintf(name, sizeof(name), "%s %.0e nnz, %d thread%s/over %s", family,
                     (double)spmv->num_nonzeros, threads, threads > 1 ? "s" : "",
                     i == 1 ? "csr" : "plain loops");
            bench_add(report, name, us * subjects[0].median_ms, us * subjects[i].median_ms, "us",
                      subjects[0].spread);
        }
    }
    return 0;
}

/* As many rows as columns; `rows` is enough for 2^31 entries. */
static nitro_spmv *make_random(int64_t rows, int64_t max_length)
{
    nitro_spmv *spmv = calloc(1, sizeof(*spmv));
    int64_t *offsets = nitro_host_allocate(rows + 1, sizeof(*offsets));
    int32_t *columns = nitro_host_allocate(rows * max_length, sizeof(*columns));
    double *values = nitro_host_allocate(rows * max_length, sizeof(*values));
    double *x = nitro_host_allocate(rows, sizeof(*x)), *y = nitro_host_allocate(rows, sizeof(*y));
    if (!spmv || !offsets || !columns || !values || !x || !y)
        abort();
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (int64_t row = 0; row < rows; row++) {
        offsets[row + 1] =
            offsets[row] + (int64_t)nitro_random_below(&random, (uint64_t)max_length + 1);
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
            columns[k] = (int32_t)nitro_random_below(&random, (uint64_t)rows);
    }
    *spmv = (nitro_spmv){.num_rows = rows,
                         .num_cols = rows,
                         .num_nonzeros = offsets[rows],
                         .row_offsets = offsets,
                         .columns = columns,
                         .values = values,
                         .x = x,
                         .y = y};
    return spmv;
}

static int measure_size(bench_report *report, nitro_context *context,
                        const nitro_computation *computation, double nonzeros)
{
    nitro_spmv *stencil = NULL;
    if (spmv_inputs_stencil(context, (int64_t)cbrt(nonzeros / 7) + 1, &stencil) != NITRO_OK)
        return bench_fail("out of memory");
    int failed = measure_matrix(report, computation, "stencil", stencil);
    spmv_inputs_free(stencil);
    static const struct {
        const char *family;
        int64_t max_length;
    } randoms[] = {{"random", 16}, {"nearly empty", 2}};
    for (size_t i = 0; i < sizeof(randoms) / sizeof(randoms[0]) && !failed; i++) {
        double rows = nonzeros / ((double)randoms[i].max_length / 2);
        nitro_spmv *random = make_random((int64_t)rows, randoms[i].max_length);
        failed = measure_matrix(report, computation, randoms[i].family, random);
        spmv_inputs_free(random);
    }
    return failed;
}

static int run(bench_report *report)
{
    nitro_context *context;
    nitro_computation *computation = NULL;
    int threads = omp_get_max_threads();
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    int failed = nitro_computation_create(context, "spmv", &computation) != NITRO_OK ||
                 nitro_spmv_add_features(computation) != NITRO_OK;
    if (failed)
        bench_fail("out of memory");
    for (double nonzeros = 1e3; nonzeros <= 1e7 && !failed; nonzeros *= 10)
        failed = measure_size(report, context, computation, nonzeros);
    nitro_computation_free(computation);
    nitro_context_free(context);
    omp_set_num_threads(threads);
    return failed;
}

const bench bench_features = {
    .name = "features",
    .description = "time of all input features of spmv over one run of csr, and over plain loops",
    .run = run,
};
