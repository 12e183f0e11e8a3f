/* hybrid: the first entries of every row as in ell, the rest as in coo, in two kernels. The host's
 * conversion chooses the split. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

cudaError_t nitro_spmv_cuda_launch_hybrid(const nitro_spmv_cuda *spmv, const void *format,
                                          cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_hybrid *hybrid = (const nitro_spmv_cuda_hybrid *)format;
    cudaError_t error = nitro_spmv_cuda_launch_ell(spmv, &hybrid->ell, config);
    return error == cudaSuccess ? nitro_spmv_cuda_coo_add(spmv, &hybrid->coo, config) : error;
}
