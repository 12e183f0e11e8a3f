/* svm.h - training a C-SVC with LIBSVM. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SVM_H
#define NITRO_LEARN_SVM_SVM_H

#include "nitro/runtime/scores/svm_classifier.h"

/**
 * Train on some rows of a set.
 * @param[in] columns  shape [all rows x num_columns].
 * @param[in] rows     shape [num_rows], indices of training rows; at least one.
 * @param[in] labels   shape [all rows]: variant indices.
 * Threads: any number at once.
 */
nitro_status nitro_svm_classifier_train(nitro_context *context, const double *columns,
                                        size_t num_columns, const size_t *rows, size_t num_rows,
                                        const size_t *labels, double c, double gamma,
                                        nitro_svm_classifier **classifier);

/**
 * Every svm_train() calls this first. Stops LIBSVM from printing, and checks that there is memory
 * for it: LIBSVM itself does not, and crashes.
 */
nitro_status nitro_svm_begin(nitro_context *context, size_t num_rows, size_t num_classes,
                             double cache_mb);

#endif
