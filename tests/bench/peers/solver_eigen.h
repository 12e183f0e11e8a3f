/* solver_eigen.h - conjugate gradients with Jacobi by Eigen, for bench "solver". */
#ifndef NITRO_TESTS_BENCH_SOLVER_EIGEN_H
#define NITRO_TESTS_BENCH_SOLVER_EIGEN_H

#include "variants/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A copy of the matrix; NULL: Eigen was not found when this was built. Free with
 * solver_eigen_free. */
void *solver_eigen_create(const nitro_solver *system);
/** Do `iterations` iterations from 0; returns how many were done. */
int64_t solver_eigen_run(void *made, const double *b, int64_t iterations);
void solver_eigen_free(void *made);

#ifdef __cplusplus
}
#endif

#endif
