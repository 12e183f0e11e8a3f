/*
 * svm.h - a C-SVC with an RBF kernel: trained by LIBSVM, kept and evaluated in arrays of our own.
 * Internal to nitro/.
 */
#ifndef NITRO_LEARN_SVM_SVM_H
#define NITRO_LEARN_SVM_SVM_H

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

/** Training rows in LIBSVM's form: columns with an RBF kernel, or a kernel matrix. */
typedef struct nitro_svm_points nitro_svm_points;

/** @param[in] columns  shape [num_rows x num_columns]. */
nitro_status nitro_svm_points_from_columns(nitro_context *context, const double *columns,
                                           size_t num_rows, size_t num_columns,
                                           nitro_svm_points **points);
/** Points given by their kernel matrix, to be filled by nitro_svm_points_set_kernel. */
nitro_status nitro_svm_points_from_kernel(nitro_context *context, size_t num_rows,
                                          nitro_svm_points **points);
/** @param[in] kernel  shape [num_rows x num_rows], symmetric. No training may run meanwhile. */
void nitro_svm_points_set_kernel(nitro_svm_points *points, const double *kernel);
void nitro_svm_points_free(nitro_svm_points *points);

/**
 * Train on some rows of the points.
 * @param[in] rows    shape [num_rows], indices into the points; at least one.
 * @param[in] labels  shape [points]: a variant index for every row of the points.
 * @param[in] gamma   ignored for points given by a kernel matrix.
 * Threads: any number at once on the same points.
 */
nitro_status nitro_svm_classifier_train(nitro_context *context, const nitro_svm_points *points,
                                        const size_t *rows, size_t num_rows, const size_t *labels,
                                        double c, double gamma, nitro_svm_classifier **classifier);
/** An empty machine of these sizes; the caller fills its arrays. */
nitro_status nitro_svm_classifier_create(nitro_context *context, size_t num_classes,
                                         size_t num_vectors, nitro_svm_classifier **classifier);
void nitro_svm_classifier_free(nitro_svm_classifier *classifier);

/** LIBSVM prints progress unless told not to; every training calls this first. */
void nitro_svm_silence(void);

size_t nitro_svm_num_pairs(size_t num_classes);
/** Place of the pair (a, b), a < b, among all pairs of `count` classes. */
size_t nitro_svm_pair(size_t a, size_t b, size_t count);

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
 * @param[in] vectors  shape [machine->num_vectors x num_columns].
 */
void nitro_svm_classifier_evaluate(const nitro_svm_classifier *classifier, const double *vectors,
                                   size_t num_columns, double gamma, const double *columns,
                                   double *decisions);

/**
 * One score a variant: its one-vs-one votes, plus up to 0.5 for its mean margin (cut at +-1), which
 * orders variants of equal votes, except that the first declared one of those with most votes
 * stays the best, as LIBSVM has it. Variants that were never a label come last, in declared order.
 */
void nitro_svm_classifier_score(const nitro_svm_classifier *classifier, const double *decisions,
                                size_t num_variants, double *scores);

#endif
