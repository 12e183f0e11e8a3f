/* Conjugate gradients with Jacobi by Eigen, compiled for this machine's vector units. */
#include "bench/peers/solver_eigen.h"

#include <Eigen/IterativeLinearSolvers>
#include <vector>

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t>;

void *solver_eigen_create(const nitro_solver *system)
{
    std::vector<int32_t> offsets(system->row_offsets, system->row_offsets + system->num_rows + 1);
    return new sparse(Eigen::Map<const sparse>(system->num_rows, system->num_rows,
                                               system->num_nonzeros, offsets.data(),
                                               system->columns, system->values));
}

int64_t solver_eigen_run(void *made, const double *b, int64_t iterations)
{
    const sparse &a = *static_cast<sparse *>(made);
    Eigen::ConjugateGradient<sparse, Eigen::Lower | Eigen::Upper> solver;
    solver.setMaxIterations(iterations);
    solver.setTolerance(1e-300);
    solver.compute(a);
    Eigen::VectorXd x = solver.solve(Eigen::Map<const Eigen::VectorXd>(b, a.rows()));
    return solver.iterations();
}

void solver_eigen_free(void *made)
{
    delete static_cast<sparse *>(made);
}
