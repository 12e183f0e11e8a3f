/*
 * Could sums of kernels be stopped early, once the signs of all one-vs-one machines are sure? What
 * is counted is the least that would have to be summed: nearest vectors first, in an order that
 * costs nothing, and all that is left is known to be no nearer than the next one. Or, as that order
 * is another one for every input: largest coefficients first, and a kernel is at most 1.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/dispatch_early.h"
#include "nitro/runtime/model/model.h"

#define NUM_INPUTS 64

/** A vector as one input sees it: its coefficients in each pair, and its kernel. */
typedef struct early_vector {
    double kernel, largest;
    double coefficients[DISPATCH_VARIANTS * (DISPATCH_VARIANTS - 1) / 2];
} early_vector;

enum { NUM_PAIRS = DISPATCH_VARIANTS * (DISPATCH_VARIANTS - 1) / 2 };

static void fill_vectors(const nitro_score_term *term, size_t num_columns, const double *columns,
                         early_vector *vectors)
{
    const nitro_svm_classifier *svm = term->svm;
    size_t count = svm->num_classes, own = 0, left = svm->class_vectors[0];
    for (size_t i = 0; i < svm->num_vectors; i++, left--) {
        double square = 0.0;
        while (left == 0)
            left = svm->class_vectors[++own];
        for (size_t c = 0; c < num_columns; c++) {
            double away = columns[c] - term->vectors[i * num_columns + c];
            square += away * away;
        }
        vectors[i] = (early_vector){.kernel = exp(-term->gamma * square)};
        for (size_t other = 0; other < count; other++) {
            if (other == own)
                continue;
            size_t place = other < own ? other : other - 1;
            size_t pair =
                other < own ? nitro_svm_pair(other, own, count) : nitro_svm_pair(own, other, count);
            double coefficient = svm->coefficients[i * (count - 1) + place];
            vectors[i].coefficients[pair] = coefficient;
            vectors[i].largest = fmax(vectors[i].largest, fabs(coefficient));
        }
    }
}

static int compare_kernels(const void *a, const void *b)
{
    const early_vector *x = a, *y = b;
    return (x->kernel < y->kernel) - (x->kernel > y->kernel);
}

static int compare_coefficients(const void *a, const void *b)
{
    const early_vector *x = a, *y = b;
    return (x->largest < y->largest) - (x->largest > y->largest);
}

/** Are all signs sure, where the kernels that are left are at most `most`? */
static bool are_exact(const nitro_svm_classifier *svm, const double *sums, const double *above,
                      const double *below, double most)
{
    for (size_t p = 0; p < nitro_svm_num_pairs(svm->num_classes); p++) {
        double sum = sums[p] - svm->rho[p];
        if (sum - most * below[p] <= 0.0 && sum + most * above[p] >= 0.0)
            return false;
    }
    return true;
}

/** How many vectors, in their order, have to be summed. */
static size_t count_needed(const nitro_svm_classifier *svm, const early_vector *vectors,
                           bool nearest_first)
{
    double sums[NUM_PAIRS] = {0}, above[NUM_PAIRS] = {0}, below[NUM_PAIRS] = {0};
    for (size_t i = 0; i < svm->num_vectors; i++)
        for (size_t p = 0; p < NUM_PAIRS; p++) {
            above[p] += fmax(vectors[i].coefficients[p], 0.0);
            below[p] += fmax(-vectors[i].coefficients[p], 0.0);
        }
    for (size_t i = 0; i < svm->num_vectors; i++) {
        if (are_exact(svm, sums, above, below, nearest_first ? vectors[i].kernel : 1.0))
            return i;
        for (size_t p = 0; p < NUM_PAIRS; p++) {
            sums[p] += vectors[i].coefficients[p] * vectors[i].kernel;
            above[p] -= fmax(vectors[i].coefficients[p], 0.0);
            below[p] -= fmax(-vectors[i].coefficients[p], 0.0);
        }
    }
    return svm->num_vectors;
}

int bench_dispatch_early(bench_report *report, nitro_context *context, size_t num_trained)
{
    static const char *const names[] = {"svm, vectors until all signs are sure, nearest first; all",
                                        "the same, largest coefficients first; all"};
    nitro_model *model = NULL;
    nitro_score_terms terms;
    double needed[2] = {0};
    if (dispatch_train(context, "svm", num_trained, true, &model) != NITRO_OK ||
        nitro_model_parts(model, &terms) != NITRO_OK)
        return bench_fail("cannot make a model of %zu inputs", num_trained);
    const nitro_svm_classifier *svm = terms.items[0].svm;
    early_vector *vectors = calloc(svm->num_vectors, sizeof *vectors);
    for (size_t i = 0; vectors && i < NUM_INPUTS; i++) {
        double features[DISPATCH_FEATURES], columns[NITRO_MODEL_MAX_COLUMNS];
        dispatch_features(200000 + i, features);
        nitro_model_columns(model, features, columns);
        fill_vectors(&terms.items[0], terms.num_columns, columns, vectors);
        qsort(vectors, svm->num_vectors, sizeof *vectors, compare_kernels);
        needed[0] += (double)count_needed(svm, vectors, true) / NUM_INPUTS;
        qsort(vectors, svm->num_vectors, sizeof *vectors, compare_coefficients);
        needed[1] += (double)count_needed(svm, vectors, false) / NUM_INPUTS;
    }
    for (size_t i = 0; i < 2; i++)
        bench_add(report, names[i], needed[i], (double)svm->num_vectors, "1", 0.0);
    int failed = vectors ? 0 : bench_fail("out of memory");
    free(vectors);
    nitro_model_free(model);
    return failed;
}
