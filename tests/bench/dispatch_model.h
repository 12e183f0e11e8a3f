/* dispatch_model.h - a synthetic computation like recorded SpMV: 14 input features, 5 relative
 * ones, 5 variants, four sources; and models of it for a fifth device. */
#ifndef NITRO_TESTS_BENCH_DISPATCH_MODEL_H
#define NITRO_TESTS_BENCH_DISPATCH_MODEL_H

#include "nitro/runtime/computation.h"

enum { DISPATCH_FEATURES = 14, DISPATCH_VARIANTS = 5, DISPATCH_INPUTS = 1024 /* decided for */ };

/** Features of input number `index`, the same every time. */
void dispatch_features(size_t index, double *features);
/** Learn from `num_inputs` inputs on each source; "svm" with C and gamma fixed. */
nitro_status dispatch_train(nitro_context *context, const char *strategy, size_t num_inputs,
                            bool device_features, nitro_model **model);
/** The computation, with variants that do nothing; its argument is an array of features. */
nitro_status dispatch_declare(nitro_context *context, nitro_computation **computation);

#endif
