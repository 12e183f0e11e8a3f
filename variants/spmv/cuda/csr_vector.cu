/* csr_vector: a group of 2 to 32 lanes of a warp a row. Runs every matrix.
 *
 * The product moves 12 bytes a non-zero with little arithmetic, so the number of bytes in flight
 * decides: an H200 needs some 30 KB a multiprocessor to hide its memory latency. A warp a row, as
 * in the paper, is too little for short rows: offsets, entries and x are three dependent loads,
 * for 7 useful lanes of 32. Hence
 *
 *  - a lane takes four entries at a time, all eight loads of a batch before the first is used;
 *  - a group has as many lanes as the mean row needs for one such batch: 2 lanes up to 8 entries,
 *    32 from 64 on. A stencil with 7 points then has 16 rows, 1.3 KB, in flight a warp;
 *  - narrow groups read pieces of 16 bytes, but the groups of a warp together whole lines, which
 *    the L1 cache keeps from one load of the batch to the next: ordinary cached loads;
 *  - offsets are 32 bits wide, and register use allows full occupancy. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK NITRO_SPMV_CUDA_BLOCK
#define BATCH 4 /* entries of a lane in flight at once */

/* The sum of a lane's entries: k, k + LANES, k + 2 LANES... below end. Past the end the last entry
 * is read again with weight 0, so that no branch separates the loads of a batch. */
template <int LANES>
static __device__ __forceinline__ double lane_sum(int k, int end, const int *__restrict__ columns,
                                                  const double *__restrict__ values,
                                                  const double *__restrict__ x)
{
    double sum = 0;
#pragma unroll 1 /* nvcc would unroll the batches and move loads of one behind uses of another */
    for (; k < end; k += BATCH * LANES) {
        int column[BATCH];
        double value[BATCH], factor[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            int at = min(k + i * LANES, end - 1);
            column[i] = columns[at];
            value[i] = values[at];
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            factor[i] = x[column[i]];
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            sum += (k + i * LANES < end ? value[i] : 0) * factor[i];
    }
    return sum;
}

template <int LANES>
static __global__ void __launch_bounds__(BLOCK)
    multiply(int num_rows, const int *__restrict__ row_offsets, const int *__restrict__ columns,
             const double *__restrict__ values, const double *__restrict__ x,
             double *__restrict__ y)
{
    int row = (int)(blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES);
    int lane = (int)(threadIdx.x % LANES);
    double sum = 0;
    if (row < num_rows) /* all lanes stay for the shuffles */
        sum = lane_sum<LANES>(row_offsets[row] + lane, row_offsets[row + 1], columns, values, x);
#pragma unroll
    for (int delta = LANES / 2; delta > 0; delta /= 2)
        sum += __shfl_down_sync(NITRO_CUDA_FULL_MASK, sum, delta, LANES);
    if (lane == 0 && row < num_rows)
        y[row] = sum;
}

typedef void (*kernel)(int, const int *, const int *, const double *, const double *, double *);

/* The narrowest group that processes a row of mean length in one batch. */
static kernel choose(const nitro_spmv *host, int *lanes)
{
    static const struct {
        int lanes;
        kernel multiply;
    } kernels[] = {{2, multiply<2>}, {4, multiply<4>}, {8, multiply<8>}, {16, multiply<16>}};
    for (const auto &each : kernels)
        if (host->num_nonzeros <= host->num_rows * BATCH * each.lanes) {
            *lanes = each.lanes;
            return each.multiply;
        }
    *lanes = 32;
    return multiply<32>;
}

cudaError_t nitro_spmv_cuda_launch_csr_vector(const nitro_spmv_cuda *spmv, const void *format,
                                              cudaLaunchConfig_t config)
{
    (void)format;
    int lanes;
    kernel chosen = choose(&spmv->host, &lanes);
    config.gridDim = nitro_cuda_grid(&spmv->cuda, spmv->host.num_rows * lanes, BLOCK).gridDim;
    return cudaLaunchKernelEx(&config, chosen, (int)spmv->host.num_rows, spmv->row_offsets,
                              spmv->columns, spmv->values, spmv->x, spmv->y);
}
