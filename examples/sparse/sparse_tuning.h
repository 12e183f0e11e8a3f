/* sparse_tuning.h - the library's inside: its computation, which the library and its tuner share.
 */
#ifndef SPARSE_TUNING_H
#define SPARSE_TUNING_H

#include <nitro/nitro.h>

#include "sparse.h"

/** What one variant gets: a matrix and two vectors, borrowed. */
typedef struct spmv_call {
    sparse_matrix *matrix;
    const double *x;
    double *y;
} spmv_call;

/** Declare "sparse-spmv" with its variants and features. */
nitro_status sparse_declare(nitro_context *context, nitro_computation **computation);

#endif
