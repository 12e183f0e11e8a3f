/* Decisions and scores of one-vs-one SVM classifiers. Sums and ties follow LIBSVM's order, so that
 * decisions are identical.
 */
#include <math.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"
#include "nitro/runtime/scores/svm_classifier.h"

size_t nitro_svm_num_pairs(size_t num_classes)
{
    return num_classes * (num_classes - 1) / 2;
}

nitro_status nitro_svm_classifier_create(nitro_context *context, size_t num_classes,
                                         size_t num_vectors, nitro_svm_classifier **classifier)
{
    nitro_svm_classifier *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    size_t num_pairs = nitro_svm_num_pairs(num_classes);
    made->num_classes = num_classes;
    made->num_vectors = num_vectors;
    made->classes = nitro_calloc(context, num_classes, sizeof *made->classes);
    made->class_vectors = nitro_calloc(context, num_classes, sizeof *made->class_vectors);
    made->rho = nitro_calloc(context, num_pairs + 1, sizeof *made->rho);
    made->vector_rows = nitro_calloc(context, num_vectors + 1, sizeof *made->vector_rows);
    made->coefficients =
        nitro_calloc(context, num_vectors + 1, num_classes * sizeof *made->coefficients);
    if (!made->classes || !made->class_vectors || !made->rho || !made->vector_rows ||
        !made->coefficients) {
        nitro_svm_classifier_free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    *classifier = made;
    return NITRO_OK;
}

void nitro_svm_classifier_free(nitro_svm_classifier *classifier)
{
    if (!classifier)
        return;
    free(classifier->classes);
    free(classifier->class_vectors);
    free(classifier->rho);
    free(classifier->vector_rows);
    free(classifier->coefficients);
    free(classifier);
}

/* Place of the pair (a, b), a < b, among all pairs of `count` classes. */
static size_t pair_of(size_t a, size_t b, size_t count)
{
    return a * (2 * count - a - 1) / 2 + (b - a - 1);
}

void nitro_svm_classifier_decide(const nitro_svm_classifier *classifier,
                                 double (*kernel)(const void *user, size_t vector),
                                 const void *user, double *decisions)
{
    size_t count = classifier->num_classes, num_pairs = nitro_svm_num_pairs(count), vector = 0;
    for (size_t p = 0; p < num_pairs; p++)
        decisions[p] = 0.0;
    for (size_t own = 0; own < count; own++)
        for (size_t i = 0; i < classifier->class_vectors[own]; i++, vector++) {
            const double *coefficients = classifier->coefficients + vector * (count - 1);
            double value = kernel(user, vector);
            for (size_t other = 0; other < own; other++)
                decisions[pair_of(other, own, count)] += coefficients[other] * value;
            for (size_t other = own + 1; other < count; other++)
                decisions[pair_of(own, other, count)] += coefficients[other - 1] * value;
        }
    for (size_t p = 0; p < num_pairs; p++)
        decisions[p] -= classifier->rho[p];
}

typedef struct rbf_point {
    const double *columns, *vectors;
    size_t num_columns;
    double gamma;
} rbf_point;

static double rbf(const void *user, size_t vector)
{
    const rbf_point *point = user;
    const double *other = point->vectors + vector * point->num_columns;
    double sum = 0.0;
    for (size_t c = 0; c < point->num_columns; c++)
        sum += (point->columns[c] - other[c]) * (point->columns[c] - other[c]);
    return exp(-point->gamma * sum);
}

void nitro_svm_classifier_evaluate(const nitro_svm_classifier *classifier, const double *vectors,
                                   size_t num_columns, double gamma, const double *columns,
                                   double *decisions)
{
    rbf_point point = {columns, vectors, num_columns, gamma};
    nitro_svm_classifier_decide(classifier, rbf, &point, decisions);
}

/** Votes and mean margins of the classes. */
static void count_votes(size_t count, const double *decisions, size_t *votes, double *margins)
{
    for (size_t k = 0; k < count; k++) {
        votes[k] = 0;
        margins[k] = 0.0;
    }
    for (size_t a = 0, p = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++, p++) {
            double margin = nitro_clamp(decisions[p], -1.0, 1.0) / (double)(count - 1);
            votes[decisions[p] > 0.0 ? a : b]++;
            margins[a] += margin;
            margins[b] -= margin;
        }
}

void nitro_svm_classifier_score(const nitro_svm_classifier *classifier, const double *decisions,
                                size_t num_variants, double *scores)
{
    size_t count = classifier->num_classes, votes[NITRO_MAX_VARIANTS], winner = 0, top = 0;
    double margins[NITRO_MAX_VARIANTS], class_scores[NITRO_MAX_VARIANTS] = {0};
    count_votes(count, decisions, votes, margins);
    for (size_t k = 0; k < count; k++) {
        class_scores[k] = (double)votes[k] + 0.25 * (margins[k] + 1.0);
        if (votes[k] > votes[winner])
            winner = k;
        if (class_scores[k] > class_scores[top])
            top = k;
    }
    double best = class_scores[top];
    class_scores[top] = class_scores[winner];
    class_scores[winner] = best;
    for (size_t v = 0; v < num_variants; v++)
        scores[v] = -1.0 - (double)v;
    for (size_t k = 0; k < count; k++)
        scores[classifier->classes[k]] = class_scores[k];
}
