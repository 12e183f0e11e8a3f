/* In place of solver_eigen.cpp where Eigen's headers are not installed. */
#include "bench/peers/solver_eigen.h"

void *solver_eigen_create(const nitro_solver *system)
{
    (void)system;
    return NULL;
}

int64_t solver_eigen_run(void *made, const double *b, int64_t iterations)
{
    (void)made;
    (void)b;
    return iterations;
}

void solver_eigen_free(void *made)
{
    (void)made;
}
