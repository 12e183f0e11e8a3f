/* add_rows.cuh - adds the sums of a warp's lanes to their rows of y. */
#ifndef NITRO_VARIANTS_SPMV_CUDA_ADD_ROWS_CUH
#define NITRO_VARIANTS_SPMV_CUDA_ADD_ROWS_CUH

#include "nitro/cuda.hpp"

#define NITRO_SPMV_CUDA_WARP 32

/* Segmented reduction of the lanes' sums by row (rows ascend with the lanes), added to y. */
static __device__ __forceinline__ void nitro_spmv_cuda_add_rows(int row, double sum, double *y)
{
    int lane = (int)(threadIdx.x % NITRO_SPMV_CUDA_WARP);
#pragma unroll
    for (int delta = 1; delta < NITRO_SPMV_CUDA_WARP; delta *= 2) {
        int other_row = __shfl_down_sync(NITRO_CUDA_FULL_MASK, row, delta);
        double other_sum = __shfl_down_sync(NITRO_CUDA_FULL_MASK, sum, delta);
        if (lane + delta < NITRO_SPMV_CUDA_WARP && other_row == row)
            sum += other_sum;
    }
    int row_before = __shfl_up_sync(NITRO_CUDA_FULL_MASK, row, 1);
    if (lane == 0 || row_before != row)
        atomicAdd(y + row, sum);
}

#endif
