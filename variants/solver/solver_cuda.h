/* solver_cuda.h - the solver on CUDA devices: the argument of its variants. Names and order are the
 * host's (solver.h). `run` launches kernels on the argument's stream, allocates nothing, and waits
 * for the stream every few iterations: it cannot be captured. */
#ifndef NITRO_VARIANTS_SOLVER_SOLVER_CUDA_H
#define NITRO_VARIANTS_SOLVER_SOLVER_CUDA_H

#include "variants/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_solver_cuda {
    nitro_solver host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;
    const int32_t *row_offsets;
    const int32_t *columns;
    const double *values;
    const double *b;
    double *x;
} nitro_solver_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_solver_cuda_device;

#ifdef __cplusplus
}
#endif

#endif
