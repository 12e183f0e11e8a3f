/* coo: 256 entries a warp, independent of rows: perfectly balanced, for matrices with a few very
 * long rows. A lane accumulates as long as no lane of the warp changes rows; otherwise a segmented
 * reduction with shuffles sums each row's lanes, and its first lane adds the sum to y atomically.
 * So y is zeroed first, and the order of additions, hence the last bits, differ between runs. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/add_rows.cuh"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK            NITRO_SPMV_CUDA_BLOCK
#define WARP             NITRO_SPMV_CUDA_WARP
#define ENTRIES_PER_WARP 256

static __global__ void __launch_bounds__(BLOCK)
    add(int num_entries, const int *__restrict__ rows, const int *__restrict__ columns,
        const double *__restrict__ values, const double *__restrict__ x, double *y)
{
    int warp = (int)(blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP);
    if (warp > (num_entries - 1) / ENTRIES_PER_WARP)
        return;
    int k = warp * ENTRIES_PER_WARP + (int)(threadIdx.x % WARP);
    int end = min(warp * ENTRIES_PER_WARP + ENTRIES_PER_WARP, num_entries);
    int last = end - 1; /* lanes past the end add 0 */
    int row = __ldcs(rows + min(k, last));
    double sum = k < end ? __ldcs(values + k) * x[__ldcs(columns + k)] : 0;
#pragma unroll
    for (int i = WARP; i < ENTRIES_PER_WARP; i += WARP) {
        k += WARP;
        int next = __ldcs(rows + min(k, last));
        double product = k < end ? __ldcs(values + k) * x[__ldcs(columns + k)] : 0;
        if (__any_sync(NITRO_CUDA_FULL_MASK, next != row)) {
            nitro_spmv_cuda_add_rows(row, sum, y);
            sum = 0;
        }
        row = next;
        sum += product;
    }
    nitro_spmv_cuda_add_rows(row, sum, y);
}

cudaError_t nitro_spmv_cuda_coo_add(const nitro_spmv_cuda *spmv, const nitro_spmv_cuda_coo *coo,
                                    cudaLaunchConfig_t config)
{
    if (coo->num_entries == 0)
        return cudaSuccess;
    int64_t num_warps = ((int64_t)coo->num_entries + ENTRIES_PER_WARP - 1) / ENTRIES_PER_WARP;
    config.gridDim = nitro_cuda_grid(&spmv->cuda, num_warps * WARP, BLOCK).gridDim;
    return cudaLaunchKernelEx(&config, add, coo->num_entries, coo->rows, coo->columns, coo->values,
                              spmv->x, spmv->y);
}

cudaError_t nitro_spmv_cuda_launch_coo(const nitro_spmv_cuda *spmv, const void *format,
                                       cudaLaunchConfig_t config)
{
    nitro_spmv_cuda_coo coo = *(const nitro_spmv_cuda_coo *)format;
    coo.columns = spmv->columns;
    coo.values = spmv->values;
    cudaError_t error =
        cudaMemsetAsync(spmv->y, 0, (size_t)spmv->host.num_rows * sizeof(*spmv->y), config.stream);
    return error == cudaSuccess ? nitro_spmv_cuda_coo_add(spmv, &coo, config) : error;
}
