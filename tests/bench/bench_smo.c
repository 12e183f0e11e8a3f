/*
 * Bench "smo": what the speed-ups of the SMO solver pay on one pair of classes for five C, on rows
 * of two input features and two device features: everything against plain passes, against one
 * solver per C, and against an exponential per kernel value instead of a product.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "nitro/learn/svm/smo.h"
#include "nitro/learn/svm/svm_kernel.h"

enum { MOST_ROWS = 1600, DEVICES = 4, NUM_CS = 5 };

typedef struct problem {
    nitro_context *context;
    nitro_smo_problem smo;
    nitro_svm_kernel kernel;
    nitro_svm_inputs *inputs;
    nitro_svm_rows rows;
    bool one_per_c;
    size_t points[MOST_ROWS], places[MOST_ROWS];
    double columns[MOST_ROWS / DEVICES][2], devices[DEVICES][2], squares[DEVICES * DEVICES];
    signed char labels[MOST_ROWS];
    uint32_t ids[MOST_ROWS];
} problem;

static void gather_products(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                            float *column)
{
    nitro_svm_kernel_gather(&((const problem *)user)->kernel, row, rows, count, column);
}

static void gather_exponentials(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                                float *column)
{
    const problem *p = user;
    const double *x = p->columns[p->points[row]], *a = p->devices[p->places[row]];
    for (size_t k = 0; k < count; k++) {
        const double *y = p->columns[p->points[rows[k]]], *b = p->devices[p->places[rows[k]]];
        double square = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                        (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
        column[k] = (float)exp(-square);
    }
}

static void solve(void *state)
{
    problem *p = state;
    nitro_smo *smo = NULL;
    static double coefficients[MOST_ROWS];
    double rho;
    for (int c = 0; c < NUM_CS; c++) {
        if (!smo && nitro_smo_create(p->context, &p->smo, &smo) != NITRO_OK)
            abort();
        nitro_smo_solve(smo, exp2(-1.0 + 1.5 * c), coefficients, &rho);
        if (p->one_per_c) {
            nitro_smo_free(smo);
            smo = NULL;
        }
    }
    nitro_smo_free(smo);
}

static nitro_status make_problem(nitro_context *context, size_t num_rows, problem *p)
{
    nitro_random random;
    nitro_random_seed(&random, 5);
    *p = (problem){.context = context, .rows = {num_rows, p->points, p->places}};
    for (size_t i = 0; i < num_rows; i++) {
        double *x = p->columns[i / DEVICES], *a = p->devices[i % DEVICES];
        for (int c = 0; c < 2 && i % DEVICES == 0; c++)
            x[c] = 2.0 * nitro_random_uniform(&random) - 1.0;
        for (int c = 0; c < 2 && i < DEVICES; c++)
            a[c] = 2.0 * nitro_random_uniform(&random) - 1.0;
        double side = x[0] * x[1] + 0.5 * a[0] * x[0] + 0.3 * nitro_random_normal(&random);
        p->labels[i] = side > 0.0 ? 1 : -1;
        p->points[i] = i / DEVICES;
        p->places[i] = i % DEVICES;
        p->ids[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < DEVICES * DEVICES; i++)
        for (int c = 0; c < 2; c++)
            p->squares[i] += pow(p->devices[i / DEVICES][c] - p->devices[i % DEVICES][c], 2);
    const nitro_svm_distances distances = {DEVICES, DEVICES, p->squares};
    p->smo = (nitro_smo_problem){.num_rows = num_rows,
                                 .labels = p->labels,
                                 .ids = p->ids,
                                 .gather = gather_products,
                                 .user = p,
                                 .tolerance = 1e-3};
    nitro_status status =
        nitro_svm_inputs_create(context, p->columns[0], num_rows / DEVICES, 2, &p->inputs);
    if (status == NITRO_OK)
        status = nitro_svm_kernel_begin(context, p->inputs, 1.0, &p->rows, &p->rows, &distances,
                                        &p->kernel);
    return status;
}

static int measure(bench_report *report, nitro_context *context, size_t num_rows)
{
    static const char *const names[] = {"AVX2 passes; plain ones",
                                        "columns kept for all C, kernels as products; neither"};
    static problem problems[3];
    bench_subject subjects[3];
    char name[128];
    for (size_t i = 0; i < 3; i++) {
        if (make_problem(context, num_rows, &problems[i]) != NITRO_OK)
            return bench_fail("out of memory");
        subjects[i] = (bench_subject){.run = solve, .state = &problems[i]};
    }
    problems[1].smo.passes = &nitro_smo_plain_passes;
    problems[2].smo.gather = gather_exponentials;
    problems[2].one_per_c = true;
    int failed = bench_measure(subjects, 3, 9, 500);
    for (size_t i = 1; i < 3; i++) {
        snprintf(name, sizeof name, "%zu rows: %s", num_rows, names[i - 1]);
        bench_add(report, name, subjects[0].median_ms, subjects[i].median_ms, "ms",
                  subjects[0].spread);
    }
    for (size_t i = 0; i < 3; i++) {
        nitro_svm_kernel_end(&problems[i].kernel);
        nitro_svm_inputs_free(problems[i].inputs);
    }
    return failed;
}

static int run(bench_report *report)
{
    nitro_context *context = NULL;
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("no context");
    int failed = measure(report, context, 100) || measure(report, context, 400) ||
                 measure(report, context, 1600);
    nitro_context_free(context);
    return failed;
}

const bench bench_smo = {"smo", "an SVM for five C with all speed-ups; without some of them", run};
