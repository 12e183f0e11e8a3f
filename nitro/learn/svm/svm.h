/*
 * svm.h - training a C-SVC by LIBSVM. Internal to nitro/.
 */
#ifndef NITRO_LEARN_SVM_SVM_H
#define NITRO_LEARN_SVM_SVM_H

#include "nitro/runtime/scores/svm_classifier.h"

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
/** LIBSVM prints progress unless told not to; every training calls this first. */
void nitro_svm_silence(void);

#endif
