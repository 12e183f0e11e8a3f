/* svm_classifier.h - one-vs-one SVM classifiers in use. Internal to nitro/. */
#ifndef NITRO_RUNTIME_SCORES_SVM_CLASSIFIER_H
#define NITRO_RUNTIME_SCORES_SVM_CLASSIFIER_H

#include "nitro/nitro_backend.h"

#define NITRO_SVM_MAX_PAIRS (NITRO_MAX_VARIANTS * (NITRO_MAX_VARIANTS - 1) / 2)

/**
 * One-vs-one decision functions, whatever the kernel. Classes are variants, in declared order;
 * pairs go (0,1), (0,2), ..., (1,2), ...; vectors go class by class.
 */
typedef struct nitro_svm_classifier {
    size_t num_classes; /* at least 1; 1 has no vectors: always that variant */
    size_t *classes;    /* shape [num_classes]: variant indices, ascending */
    double *rho;        /* shape [pairs] */
    size_t num_vectors;
    size_t *class_vectors; /* shape [num_classes]: vectors of each class */
    size_t *vector_rows;   /* shape [num_vectors]: rows of the points it was trained on */
    double *coefficients;  /* shape [num_vectors x (num_classes - 1)]: against each other class */
} nitro_svm_classifier;

/** An empty classifier of these sizes; the caller fills its arrays. */
nitro_status nitro_svm_classifier_create(nitro_context *context, size_t num_classes,
                                         size_t num_vectors, nitro_svm_classifier **classifier);
void nitro_svm_classifier_free(nitro_svm_classifier *classifier);

size_t nitro_svm_num_pairs(size_t num_classes);

/**
 * Decision values from a point's kernel values with the vectors, summed in LIBSVM's order.
 * @param[in]  kernel     kernel value of a vector: kernel(user, vector index).
 * @param[out] decisions  shape [pairs]; above 0: the pair's first class.
 */
void nitro_svm_classifier_decide(const nitro_svm_classifier *classifier,
                                 double (*kernel)(const void *user, size_t vector),
                                 const void *user, double *decisions);

/**
 * The same with an RBF kernel.
 * @param[in] vectors  shape [classifier->num_vectors x num_columns].
 */
void nitro_svm_classifier_evaluate(const nitro_svm_classifier *classifier, const double *vectors,
                                   size_t num_columns, double gamma, const double *columns,
                                   double *decisions);

/**
 * One score per variant: its one-vs-one votes, plus up to 0.5 for its mean margin (clamped to +-1),
 * which orders variants with equal votes. As in LIBSVM, the first declared variant with the most
 * votes is best. Variants that were never a label come last, in declared order.
 */
void nitro_svm_classifier_score(const nitro_svm_classifier *classifier, const double *decisions,
                                size_t num_variants, double *scores);

#endif
