/* SpMV by Eigen, for benchmarks: its row-major product, parallel with OpenMP, compiled for this
 * machine's vector units. */
#include <Eigen/SparseCore>
#include <cstdlib>

#include "bench/peers/spmv_libraries.h"

namespace
{

using sparse = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t>>;

struct matrix {
    int32_t *row_offsets;
    sparse a;
};

const char *problem()
{
    return nullptr;
}

void *create(const nitro_spmv *spmv)
{
    int32_t *offsets = spmv_library_offsets(spmv);
    return offsets ? new matrix{offsets, sparse(spmv->num_rows, spmv->num_cols, spmv->num_nonzeros,
                                                offsets, spmv->columns, spmv->values)}
                   : nullptr;
}

int multiply(void *made, const double *x, double *y)
{
    const sparse &a = static_cast<matrix *>(made)->a;
    Eigen::Map<Eigen::VectorXd>(y, a.rows()).noalias() =
        a * Eigen::Map<const Eigen::VectorXd>(x, a.cols());
    return 0;
}

void destroy(void *made)
{
    matrix *m = static_cast<matrix *>(made);
    if (m)
        std::free(m->row_offsets);
    delete m;
}

} // namespace

const spmv_library spmv_library_eigen = {"eigen", problem, create, multiply, destroy};
