/* sparse_tuning.h - the library's computation; internal, shared with its tuner. */
#ifndef SPARSE_TUNING_H
#define SPARSE_TUNING_H

#include <nitro/nitro.h>

#include "sparse.h"

/** The argument of a variant: a matrix and two vectors, borrowed. */
typedef struct spmv_call {
    sparse_matrix *matrix;
    const double *x;
    double *y;
} spmv_call;

/** Declare "sparse-spmv" with its variants and features; free it with nitro_computation_free. */
nitro_status sparse_declare(nitro_context *context, nitro_computation **computation);

#endif
